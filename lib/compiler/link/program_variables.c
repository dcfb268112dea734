// Program-scope variables (OpenCL C 3.0 §6.7.1): global variables of a program. All of its kernels share
// them, and they keep their values between launches.
//
// Each kernel is compiled to an object of its own, when it is needed, and possibly more than once. So no such
// object contains the variables. They are laid out in one block. The runtime allocates the block for each
// device, initialises it once, and passes its address to each kernel (weft_exec.variables). The layout
// belongs to the program: the offset of a variable is metadata of the variable in the program's bitcode, from
// which its kernels are compiled, and is part of a kernel's hash.
//
// The variables with an initializer come first. The block also has the constants that these initializers
// point to, and constants that point into the block.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/link/link.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"

static unsigned place_kind(LLVMModuleRef module)
{
    return weftc_fact_kind(LLVMGetModuleContext(module), WEFTC_VARIABLE_PLACE);
}

// Returns false if the variable has no offset.
static bool place_of(LLVMValueRef variable, unsigned kind, uint64_t *place)
{
    size_t count;
    bool found = false;
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(variable));
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(variable, &count);
    for (unsigned i = 0; i < count && !found; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(c, LLVMValueMetadataEntriesGetMetadata(entries, i)), number;
        if (LLVMGetMDNodeNumOperands(node) != 1)
            continue;
        LLVMGetMDNodeOperands(node, &number);
        found = LLVMIsAConstantInt(number) != NULL;
        *place = found ? LLVMConstIntGetZExtValue(number) : 0;
    }
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

bool weftc_has_place(LLVMValueRef variable)
{
    uint64_t place;
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(variable));
    return (space == WEFTC_SPACE_GLOBAL || space == WEFTC_SPACE_CONSTANT) &&
           place_of(variable, place_kind(LLVMGetGlobalParent(variable)), &place);
}

static void set_place(LLVMValueRef variable, unsigned kind, uint64_t place)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(variable));
    LLVMMetadataRef number = LLVMValueAsMetadata(weftc_i64(c, place));
    LLVMGlobalSetMetadata(variable, kind, LLVMMDNodeInContext2(c, &number, 1));
}

static bool is_of_program(LLVMValueRef variable)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == WEFTC_SPACE_GLOBAL &&
           !LLVMIsDeclaration(variable);
}

static bool has_program_variables(LLVMModuleRef module)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (is_of_program(g))
            return true;
    return false;
}

// ---- layout ----

struct layout {
    LLVMModuleRef module;
    LLVMTargetDataRef data;
    unsigned kind;
    LLVMValueRef *variables; // in the order of their offsets
    uint64_t *places;
    size_t count;
    struct weftc_map index;
    uint64_t bytes, initial_bytes;
    struct weft_buf *log;
};

// Returns the variable that a pointer in an initializer points to, and sets *offset to the number of bytes
// into it. Returns NULL if it points to no variable.
static LLVMValueRef target_of(const struct layout *l, LLVMValueRef pointer, uint64_t *offset)
{
    *offset = 0;
    for (;;) {
        if (LLVMIsAGlobalVariable(pointer))
            return pointer;
        if (!LLVMIsAConstantExpr(pointer))
            return NULL;
        switch (LLVMGetConstOpcode(pointer)) {
        case LLVMAddrSpaceCast:
        case LLVMBitCast:
        case LLVMPtrToInt:
        case LLVMIntToPtr:
            break;
        case LLVMGetElementPtr: {
            unsigned count = (unsigned)LLVMGetNumOperands(pointer);
            struct weftc_step *steps = weft_alloc_array(count, sizeof *steps);
            if (!steps)
                return NULL;
            count = weftc_gep_steps(l->data, pointer, steps);
            for (unsigned i = 0; i < count; i++)
                *offset += steps[i].offset; // all indices are constant
            weft_free(steps);
            break;
        }
        default:
            return NULL;
        }
        pointer = LLVMGetOperand(pointer, 0);
    }
}

static bool is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind;
}

static unsigned element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        return LLVMCountStructElementTypes(type);
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    default:
        return (unsigned)LLVMGetArrayLength2(type);
    }
}

static uint64_t element_offset(const struct layout *l, LLVMTypeRef type, unsigned i)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
        return LLVMOffsetOfElement(l->data, type, i);
    return i * LLVMABISizeOfType(l->data, LLVMGetElementType(type));
}

// Calls `visit` for each scalar of an initializer that isn't zero or undefined. place: its offset in the
// block.
typedef weft_status visit_leaf(struct layout *l, LLVMValueRef leaf, uint64_t place, void *arg);
static weft_status visit_leaves(struct layout *l, LLVMValueRef value, uint64_t place, visit_leaf *visit,
                                void *arg)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMIsNull(value) || LLVMIsUndef(value))
        return WEFT_OK;
    if (!is_aggregate(type))
        return visit(l, value, place, arg);
    // Elements of a vector of bool are single bits. No OpenCL source has such a vector in memory.
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
        LLVMSizeOfTypeInBits(l->data, LLVMGetElementType(type)) % 8 != 0)
        return WEFT_UNSUPPORTED;
    weft_status status = WEFT_OK;
    for (unsigned i = 0; i < element_count(type) && status == WEFT_OK; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(value, i);
        status = element ? visit_leaves(l, element, place + element_offset(l, type, i), visit, arg)
                         : WEFT_UNSUPPORTED; // a constant expression
    }
    return status;
}

static uint64_t size_of(const struct layout *l, LLVMValueRef variable)
{
    return LLVMABISizeOfType(l->data, LLVMGlobalGetValueType(variable));
}

static weft_status add_variable(struct layout *l, LLVMValueRef variable)
{
    if (weftc_map_get(&l->index, variable) != UINT32_MAX)
        return WEFT_OK;
    uint64_t size = size_of(l, variable), align = LLVMGetAlignment(variable);
    if (size > WEFT_MAX_VARIABLE_BYTES) {
        size_t length;
        const char *name = LLVMGetValueName2(variable, &length);
        weft_buf_printf(l->log,
                        "error: variable '%.*s' has %llu bytes; the device accepts at most %llu "
                        "(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE)\n",
                        (int)length, name, (unsigned long long)size,
                        (unsigned long long)WEFT_MAX_VARIABLE_BYTES);
        return WEFT_BUILD_FAILED;
    }
    if (align == 0)
        align = LLVMABIAlignmentOfType(l->data, LLVMGlobalGetValueType(variable));
    if (align > WEFT_VARIABLES_ALIGN) {
        // The block has less alignment than that, so LLVM must not assume more.
        align = WEFT_VARIABLES_ALIGN;
        LLVMSetAlignment(variable, WEFT_VARIABLES_ALIGN);
    }
    if (size >= 64 && align < 64)
        align = 64; // arrays begin at a cache line, which is good for vector accesses
    if (!weftc_map_put(&l->index, variable, (uint32_t)l->count))
        return WEFT_NO_MEMORY;
    l->bytes = (l->bytes + align - 1) & ~(align - 1);
    l->variables[l->count] = variable;
    l->places[l->count++] = l->bytes;
    l->bytes += size;
    return WEFT_OK;
}

static weft_status add_target(struct layout *l, LLVMValueRef leaf, uint64_t place, void *arg)
{
    (void)place;
    (void)arg;
    uint64_t offset;
    LLVMValueRef target = target_of(l, leaf, &offset);
    bool constant = target && LLVMGetPointerAddressSpace(LLVMTypeOf(target)) == WEFTC_SPACE_CONSTANT;
    return constant ? add_variable(l, target) : WEFT_OK;
}

// Adds constants whose initializers refer to the value.
static weft_status add_referrers(struct layout *l, LLVMValueRef value)
{
    weft_status status = WEFT_OK;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && status == WEFT_OK; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAGlobalVariable(user))
            status = LLVMIsAConstant(user) ? add_referrers(l, user) : WEFT_OK;
        else if (LLVMGetPointerAddressSpace(LLVMTypeOf(user)) == WEFTC_SPACE_CONSTANT)
            status = add_variable(l, user);
    }
    return status;
}

// Lays out the block. The arrays have an element for each variable of the module, since each may get an
// offset.
static weft_status make_layout(struct layout *l)
{
    size_t count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        count++;
    l->variables = weft_alloc_array(count, sizeof(LLVMValueRef));
    l->places = weft_alloc_array(count, sizeof *l->places);
    weft_status status = l->variables && l->places ? WEFT_OK : WEFT_NO_MEMORY;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g && status == WEFT_OK; g = LLVMGetNextGlobal(g)) {
        if (is_of_program(g) && !LLVMIsNull(LLVMGetInitializer(g)))
            status = add_variable(l, g);
        if (is_of_program(g) && status == WEFT_OK)
            status = add_referrers(l, g);
    }
    // The list grows during this loop.
    for (size_t i = 0; i < l->count && status == WEFT_OK; i++) {
        status = visit_leaves(l, LLVMGetInitializer(l->variables[i]), 0, add_target, NULL);
        if (status == WEFT_OK)
            status = add_referrers(l, l->variables[i]);
    }
    l->initial_bytes = l->bytes;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g && status == WEFT_OK; g = LLVMGetNextGlobal(g))
        if (is_of_program(g))
            status = add_variable(l, g);
    for (size_t i = 0; i < l->count && status == WEFT_OK; i++)
        set_place(l->variables[i], l->kind, l->places[i]);
    return status;
}

static void layout_fini(struct layout *l)
{
    weft_free(l->variables);
    weft_free(l->places);
    weftc_map_free(&l->index);
}

// ---- the initial contents of the block ----

static weft_status add_pointer(struct weft_program_object *out, uint64_t place)
{
    size_t bytes;
    if (!weft_mul_size((size_t)out->variable_pointer_count + 1, sizeof *out->variable_pointers, &bytes))
        return WEFT_NO_MEMORY;
    uint64_t *larger = weft_realloc(out->variable_pointers, bytes);
    if (!larger)
        return WEFT_NO_MEMORY;
    out->variable_pointers = larger;
    larger[out->variable_pointer_count++] = place;
    return WEFT_OK;
}

// Is it a function? The literal of a block (OpenCL C) contains its function. Calls use the function's name,
// so the pointer isn't stored.
static bool is_function(LLVMValueRef leaf)
{
    while (LLVMIsAConstantExpr(leaf) && LLVMGetConstOpcode(leaf) == LLVMAddrSpaceCast)
        leaf = LLVMGetOperand(leaf, 0);
    return LLVMIsAFunction(leaf) != NULL;
}

static weft_status write_leaf(struct layout *l, LLVMValueRef leaf, uint64_t place, void *arg)
{
    struct weft_program_object *out = arg;
    uint64_t size = LLVMStoreSizeOfType(l->data, LLVMTypeOf(leaf)), number, offset;
    LLVMValueRef target = target_of(l, leaf, &offset);
    if (is_function(leaf))
        return WEFT_OK;
    if (size > out->variables_size ||
        place > out->variables_size - size) // a foreign module may have anything here
        return WEFT_UNSUPPORTED;
    if (target) {
        uint32_t at = weftc_map_get(&l->index, target);
        if (size != sizeof number || at == UINT32_MAX)
            return WEFT_UNSUPPORTED;
        number = l->places[at] + offset;
        weft_status status = add_pointer(out, place);
        if (status != WEFT_OK)
            return status;
    } else {
        LLVMContextRef c = LLVMGetModuleContext(l->module);
        LLVMValueRef bits = leaf;
        if (LLVMIsAConstantFP(leaf))
            bits = LLVMConstBitCast(leaf, LLVMIntTypeInContext(c, (unsigned)size * 8));
        else if (LLVMIsAConstantExpr(leaf) && LLVMGetConstOpcode(leaf) == LLVMIntToPtr)
            bits = LLVMGetOperand(leaf, 0);
        if (!LLVMIsAConstantInt(bits) || LLVMGetIntTypeWidth(LLVMTypeOf(bits)) > 64)
            return WEFT_UNSUPPORTED;
        number = LLVMConstIntGetZExtValue(bits);
    }
    memcpy(out->variables + place, &number, size); // host and kernels are little-endian
    return WEFT_OK;
}

static weft_status write_block(struct layout *l, struct weft_program_object *out)
{
    out->global_variable_bytes = l->bytes;
    out->variables_size = (size_t)l->initial_bytes;
    out->variables = l->initial_bytes ? weft_zalloc(out->variables_size) : NULL;
    if (l->initial_bytes && !out->variables)
        return WEFT_NO_MEMORY;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < l->count && status == WEFT_OK; i++) {
        status = visit_leaves(l, LLVMGetInitializer(l->variables[i]), l->places[i], write_leaf, out);
        if (status == WEFT_UNSUPPORTED) {
            size_t length;
            const char *name = LLVMGetValueName2(l->variables[i], &length);
            weft_buf_printf(
                l->log,
                "error: the initializer of variable '%.*s' isn't a constant that is known at build time\n",
                (int)length, name);
            status = WEFT_BUILD_FAILED;
        }
    }
    return status;
}

weft_status weftc_place_program_variables(LLVMModuleRef module, struct weft_program_object *out,
                                          struct weft_buf *log)
{
    if (!has_program_variables(module))
        return WEFT_OK;
    struct layout l = {
        .module = module, .data = LLVMGetModuleDataLayout(module), .kind = place_kind(module), .log = log};
    weft_status status = make_layout(&l);
    if (status == WEFT_OK && out)
        status = write_block(&l, out);
    layout_fini(&l);
    return status;
}

// ---- in one kernel ----

// Constants in the block are read at compile time where that is possible: their values are known here, but
// not later.
static weft_status fold_constants(LLVMModuleRef module, const struct weftc_target *target,
                                  struct weft_buf *log)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (is_of_program(g) && LLVMIsGlobalConstant(g))
            return weftc_run_passes(module, target, "function(early-cse)", log);
    return WEFT_OK;
}

weft_status weftc_prepare_program_variables(LLVMModuleRef module, LLVMValueRef kernel,
                                            const struct weftc_target *target, struct weft_buf *log)
{
    if (!has_program_variables(module))
        return WEFT_OK;
    weft_status status = fold_constants(module, target, log);
    if (status != WEFT_OK)
        return status;
    struct layout l = {.module = module, .kind = place_kind(module)};
    size_t count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        count++;
    l.variables = weft_alloc_array(count, sizeof(LLVMValueRef));
    l.places = weft_alloc_array(count, sizeof *l.places);
    if (!l.variables || !l.places) {
        layout_fini(&l);
        return WEFT_NO_MEMORY;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        if (!place_of(g, l.kind, &l.places[l.count]))
            continue;
        LLVMSetInitializer(g, NULL); // an initializer may refer to other variables
        l.variables[l.count++] = g;
    }
    weftc_bridge_expand_constants(l.variables, l.count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    for (size_t i = 0; i < l.count; i++) {
        LLVMValueRef g = l.variables[i], index = weftc_i64(LLVMGetModuleContext(module), l.places[i]);
        if (LLVMGetFirstUse(g)) {
            LLVMValueRef base = weftc_primitive_build(b, module, WEFTC_PROGRAM_VARIABLES, 0);
            LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(module));
            LLVMValueRef at = LLVMBuildInBoundsGEP2(b, byte, base, &index, 1, "");
            LLVMReplaceAllUsesWith(g, LLVMBuildAddrSpaceCast(b, at, LLVMTypeOf(g), ""));
        }
        LLVMDeleteGlobal(g);
    }
    LLVMDisposeBuilder(b);
    layout_fini(&l);
    return WEFT_OK;
}
