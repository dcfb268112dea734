// What a pointer was made from, and how far into that it points. It is followed back over casts, indices,
// phis and selects to an argument, a variable, or a number; of an address that was read from memory, the
// driver is asked which object it lies in. Distances are computed from the indices, not from addresses, so
// private arrays can stay values.
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"
#include "weft/device_call.h"

struct weftc_check_places {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    struct weftc_map index; // of a pointer in `list`
    struct weftc_check_place **list;
    uint32_t count, capacity;
};

struct weftc_check_places *weftc_check_places_new(LLVMModuleRef module, LLVMValueRef kernel)
{
    struct weftc_check_places *p = weft_zalloc(sizeof *p);
    if (!p)
        return NULL;
    p->module = module;
    p->c = LLVMGetModuleContext(module);
    p->kernel = kernel;
    p->layout = LLVMGetModuleDataLayout(module);
    p->b = LLVMCreateBuilderInContext(p->c);
    return p;
}

void weftc_check_places_free(struct weftc_check_places *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->count; i++)
        weft_free(p->list[i]);
    weft_free(p->list);
    weftc_map_free(&p->index);
    LLVMDisposeBuilder(p->b);
    weft_free(p);
}

LLVMValueRef weftc_check_numbers(LLVMValueRef kernel, unsigned count)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(kernel));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    LLVMValueRef memory = LLVMBuildAlloca(b, LLVMArrayType2(LLVMInt64TypeInContext(c), count), "");
    LLVMSetAlignment(memory, 8);
    LLVMDisposeBuilder(b);
    return memory;
}

LLVMValueRef weftc_check_declare(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, type);
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, "nounwind", 0);
    }
    return f;
}

LLVMValueRef weftc_check_device_call(LLVMBuilderRef b, LLVMModuleRef module, uint32_t what,
                                     LLVMValueRef object, LLVMValueRef number, LLVMValueRef pointer)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef p = LLVMPointerTypeInContext(c, 0), i64 = LLVMInt64TypeInContext(c);
    LLVMTypeRef params[] = {LLVMInt32TypeInContext(c), p, i64, p};
    LLVMValueRef f = weftc_check_declare(module, WEFTC_DEVICE_CALL,
                                         LLVMFunctionType(i64, params, WEFT_COUNT_OF(params), false));
    LLVMValueRef arguments[] = {weftc_i32(c, what), object ? object : LLVMConstNull(p),
                                number ? number : weftc_i64(c, 0), pointer ? pointer : LLVMConstNull(p)};
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    LLVMGetParamTypes(type, params); // another space, if the module has the function already
    for (unsigned k = 1; k < 4; k += 2)
        if (LLVMTypeOf(arguments[k]) != params[k])
            arguments[k] = LLVMBuildAddrSpaceCast(b, arguments[k], params[k], "");
    return LLVMBuildCall2(b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
}

LLVMValueRef weftc_check_object_number(LLVMBuilderRef b, LLVMModuleRef module, uint64_t index)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef objects = weftc_primitive_build(b, module, WEFTC_CHECK_OBJECTS, 0), at = weftc_i64(c, index);
    LLVMValueRef number = LLVMBuildLoad2(b, i64, LLVMBuildInBoundsGEP2(b, i64, objects, &at, 1, ""), "");
    weftc_set_metadata(number, "invariant.load", LLVMMDNodeInContext2(c, NULL, 0));
    return number;
}

// ---- roots ----

static LLVMValueRef load_number(struct weftc_check_places *p, LLVMValueRef numbers, uint64_t index)
{
    LLVMValueRef at = weftc_i64(p->c, index);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->c);
    return LLVMBuildLoad2(p->b, i64, LLVMBuildInBoundsGEP2(p->b, i64, numbers, &at, 1, ""), "");
}

static LLVMValueRef address_of(struct weftc_check_places *p, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(p->b, pointer, LLVMInt64TypeInContext(p->c), "");
}

// The builder goes to where code for the value can stand: behind what makes it.
static void go_behind(struct weftc_check_places *p, LLVMValueRef value)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(p->kernel);
    LLVMValueRef at = LLVMGetFirstInstruction(entry);
    if (LLVMIsAInstruction(value)) {
        at = LLVMGetNextInstruction(value);
        while (LLVMIsAPHINode(value) && LLVMIsAPHINode(at))
            at = LLVMGetNextInstruction(at);
    } else {
        while (LLVMIsAAllocaInst(at))
            at = LLVMGetNextInstruction(at);
    }
    LLVMPositionBuilderBefore(p->b, at);
}

static void argument_place(struct weftc_check_places *p, LLVMValueRef pointer, struct weftc_check_place *out)
{
    unsigned number = 0, length;
    while (LLVMGetParam(p->kernel, number) != pointer)
        number++;
    LLVMAttributeRef kind = weftc_fact_attribute(p->kernel, number + 1, WEFTC_ATTRIBUTE_KIND);
    const char *word = kind ? LLVMGetStringAttributeValue(kind, &length) : "";
    if (strcmp(word, "memory") == 0)
        return; // the argument itself
    const bool local = strcmp(word, "local") == 0;
    out->kind = WEFT_OBJECT_ARGUMENT;
    out->object = number;
    go_behind(p, pointer);
    const uint64_t at = sizeof(struct weft_check_range) / 8 * (uint64_t)number;
    const uint64_t begins = at + offsetof(struct weft_check_range, first) / 8,
                   ends = at + offsetof(struct weft_check_range, end) / 8;
    LLVMValueRef first = weftc_check_object_number(p->b, p->module, begins),
                 end = weftc_check_object_number(p->b, p->module, ends);
    out->length = LLVMBuildSub(p->b, end, first, "");
    out->offset = local ? weftc_i64(p->c, 0) : LLVMBuildSub(p->b, address_of(p, pointer), first, "");
}

static void variable_place(struct weftc_check_places *p, LLVMValueRef v, LLVMTypeRef type, uint64_t count,
                           struct weftc_check_place *out)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(v));
    size_t length;
    out->kind = LLVMIsAAllocaInst(v)            ? WEFT_OBJECT_PRIVATE
                : space == WEFTC_SPACE_LOCAL    ? WEFT_OBJECT_LOCAL
                : space == WEFTC_SPACE_CONSTANT ? WEFT_OBJECT_CONSTANT
                                                : WEFT_OBJECT_PROGRAM;
    out->name = LLVMGetValueName2(v, &length);
    out->offset = weftc_i64(p->c, 0);
    out->length = weftc_i64(p->c, count * LLVMABISizeOfType(p->layout, type));
}

static void found_place(struct weftc_check_places *p, LLVMValueRef pointer, struct weftc_check_place *out)
{
    LLVMValueRef range = weftc_check_numbers(p->kernel, sizeof(struct weft_check_range) / 8);
    go_behind(p, pointer);
    LLVMValueRef address = address_of(p, pointer);
    weftc_check_device_call(p->b, p->module, WEFT_CALL_CHECK_FIND, NULL, address, range);
    LLVMValueRef first = load_number(p, range, 0), end = load_number(p, range, 1);
    out->offset = LLVMBuildSub(p->b, address, first, "");
    out->length = LLVMBuildSub(p->b, end, first, "");
}

// ---- the way from there ----

static const struct weftc_check_place *remember(struct weftc_check_places *p, LLVMValueRef pointer,
                                                struct weftc_check_place **made)
{
    if (p->count == p->capacity) {
        const uint32_t capacity = p->capacity ? 2 * p->capacity : 64;
        struct weftc_check_place **larger =
            weft_realloc(p->list, capacity * sizeof(struct weftc_check_place *));
        if (!larger)
            return NULL;
        p->list = larger;
        p->capacity = capacity;
    }
    struct weftc_check_place *place = weft_zalloc(sizeof *place);
    if (!place || !weftc_map_put(&p->index, pointer, p->count)) {
        weft_free(place);
        return NULL;
    }
    p->list[p->count++] = *made = place;
    return place;
}

// Code for the address of a constant stands in the entry.
static bool index_place(struct weftc_check_places *p, LLVMValueRef pointer, struct weftc_check_place *out)
{
    const struct weftc_check_place *base = weftc_check_place_of(p, LLVMGetOperand(pointer, 0));
    struct weftc_step *steps = weft_alloc_array((size_t)LLVMGetNumOperands(pointer), sizeof *steps);
    if (!base || !steps) {
        weft_free(steps);
        return false;
    }
    *out = *base;
    const unsigned count = weftc_gep_steps(p->layout, pointer, steps);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->c);
    if (base->length)
        go_behind(p, pointer);
    for (unsigned k = 0; base->length && k < count; k++) {
        LLVMValueRef distance = weftc_i64(p->c, steps[k].offset);
        if (steps[k].index)
            distance = LLVMBuildMul(p->b, LLVMBuildIntCast2(p->b, steps[k].index, i64, true, ""),
                                    weftc_i64(p->c, steps[k].scale), "");
        out->offset = LLVMBuildAdd(p->b, out->offset, distance, "");
    }
    weft_free(steps);
    return true;
}

// What two ways have in common.
static void join(struct weftc_check_place *out, const struct weftc_check_place *with)
{
    if (out->kind == with->kind && out->object == with->object && out->name == with->name)
        return;
    out->kind = WEFT_OBJECT_UNKNOWN;
    out->object = 0;
    out->name = NULL;
}

// The numbers of a place that isn't known: the middle of all memory, so no distance from there is a fault.
static LLVMValueRef offset_of(struct weftc_check_places *p, const struct weftc_check_place *place)
{
    return place->length ? place->offset : weftc_i64(p->c, 1ull << 62);
}

static LLVMValueRef length_of(struct weftc_check_places *p, const struct weftc_check_place *place)
{
    return place->length ? place->length : weftc_i64(p->c, 1ull << 63);
}

static bool select_place(struct weftc_check_places *p, LLVMValueRef pointer, struct weftc_check_place *out)
{
    const struct weftc_check_place *a = weftc_check_place_of(p, LLVMGetOperand(pointer, 1));
    const struct weftc_check_place *b = weftc_check_place_of(p, LLVMGetOperand(pointer, 2));
    if (!a || !b)
        return false;
    *out = *a;
    join(out, b);
    if (!a->length && !b->length)
        return true;
    LLVMValueRef condition = LLVMGetOperand(pointer, 0);
    go_behind(p, pointer);
    out->offset = LLVMBuildSelect(p->b, condition, offset_of(p, a), offset_of(p, b), "");
    out->length = LLVMBuildSelect(p->b, condition, length_of(p, a), length_of(p, b), "");
    return true;
}

static LLVMValueRef without_indices(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
           LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

// A phi may depend on itself, so its place is known before those of its operands.
static bool phi_place(struct weftc_check_places *p, LLVMValueRef phi, struct weftc_check_place *out)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->c);
    LLVMPositionBuilderBefore(p->b, phi);
    LLVMValueRef offset = out->offset = LLVMBuildPhi(p->b, i64, ""),
                 length = out->length = LLVMBuildPhi(p->b, i64, "");
    const unsigned count = LLVMCountIncoming(phi);
    bool known = false;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef from = LLVMGetIncomingValue(phi, k);
        const struct weftc_check_place *place = weftc_check_place_of(p, from);
        if (!place)
            return false;
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef o = offset_of(p, place), l = length_of(p, place);
        LLVMAddIncoming(offset, &o, &block, 1);
        LLVMAddIncoming(length, &l, &block, 1);
        if (without_indices(from) == phi)
            continue;
        if (!known) {
            out->kind = place->kind;
            out->object = place->object;
            out->name = place->name;
        } else {
            join(out, place);
        }
        known = true;
    }
    return true;
}

static bool fill(struct weftc_check_places *p, LLVMValueRef pointer, struct weftc_check_place *out)
{
    const LLVMOpcode opcode = weftc_opcode(pointer);
    if (opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast || opcode == LLVMFreeze) {
        const struct weftc_check_place *of = weftc_check_place_of(p, LLVMGetOperand(pointer, 0));
        if (of)
            *out = *of;
        return of != NULL;
    }
    if (opcode == LLVMGetElementPtr)
        return index_place(p, pointer, out);
    if (opcode == LLVMSelect)
        return select_place(p, pointer, out);
    if (opcode == LLVMPHI)
        return phi_place(p, pointer, out);
    if (LLVMIsAArgument(pointer))
        argument_place(p, pointer, out);
    else if (LLVMIsAAllocaInst(pointer) && LLVMIsAConstantInt(LLVMGetOperand(pointer, 0)))
        variable_place(p, pointer, LLVMGetAllocatedType(pointer),
                       LLVMConstIntGetZExtValue(LLVMGetOperand(pointer, 0)), out);
    else if (LLVMIsAGlobalVariable(pointer))
        variable_place(p, pointer, LLVMGlobalGetValueType(pointer), 1, out);
    else if (LLVMIsAConstantPointerNull(pointer))
        out->offset = out->length = weftc_i64(p->c, 0);
    else if (!LLVMIsUndef(pointer))
        found_place(p, pointer, out);
    return true;
}

const struct weftc_check_place *weftc_check_place_of(struct weftc_check_places *p, LLVMValueRef pointer)
{
    const uint32_t known = weftc_map_get(&p->index, pointer);
    if (known != UINT32_MAX)
        return p->list[known];
    struct weftc_check_place *out;
    const struct weftc_check_place *place = remember(p, pointer, &out);
    return place && fill(p, pointer, out) ? place : NULL;
}
