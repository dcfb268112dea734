// Where memory has its shadow and its origins (checker/uninit.c). Of a private variable: in a variable
// beside it. Of what arguments and local variables point to: where the driver has said when the launch
// began. Of an address that was read from memory, or that may be in one of several objects: the driver is
// asked.
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "weft/checker.h"
#include "weft/device_call.h"

enum { MAX_WAYS = 64 };

// Addresses of the first byte's shadow and origins, pointers to global memory or to variables; NULL: the
// memory is always written.
struct shadow {
    LLVMValueRef shadow, origins;
};

struct finder {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef kernel;
    LLVMBuilderRef b;
};

// ---- roots ----

static bool passes_on(LLVMValueRef v)
{
    const LLVMOpcode opcode = weftc_opcode(v);
    return opcode == LLVMGetElementPtr || opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast ||
           opcode == LLVMFreeze;
}

static bool add_way(LLVMValueRef ways[MAX_WAYS], unsigned *count, LLVMValueRef v)
{
    while (passes_on(v))
        v = LLVMGetOperand(v, 0);
    for (unsigned k = 0; k < *count; k++)
        if (ways[k] == v)
            return true;
    if (*count == MAX_WAYS)
        return false;
    ways[(*count)++] = v;
    return true;
}

// The one object that the pointer points into. NULL: it may be one of several, or there are too many ways.
static LLVMValueRef root_of(LLVMValueRef pointer)
{
    LLVMValueRef ways[MAX_WAYS], root = NULL;
    unsigned count = 0;
    bool all = add_way(ways, &count, pointer);
    for (unsigned at = 0; at < count && all; at++) {
        LLVMValueRef v = ways[at];
        if (LLVMIsAPHINode(v)) {
            for (unsigned k = 0; k < LLVMCountIncoming(v) && all; k++)
                all = add_way(ways, &count, LLVMGetIncomingValue(v, k));
        } else if (LLVMIsASelectInst(v)) {
            all = add_way(ways, &count, LLVMGetOperand(v, 1)) && add_way(ways, &count, LLVMGetOperand(v, 2));
        } else if (root && root != v) {
            return NULL;
        } else {
            root = v;
        }
    }
    return all ? root : NULL;
}

// ---- shadow ----

static LLVMTypeRef global_pointer(const struct finder *f)
{
    return LLVMPointerTypeInContext(f->c, WEFTC_SPACE_GLOBAL);
}

static LLVMValueRef to_pointer(const struct finder *f, LLVMValueRef number)
{
    return LLVMBuildIntToPtr(f->b, number, global_pointer(f), "");
}

static LLVMValueRef address_of(const struct finder *f, LLVMValueRef pointer)
{
    return LLVMBuildPtrToInt(f->b, pointer, LLVMInt64TypeInContext(f->c), "");
}

static LLVMValueRef load_number(const struct finder *f, LLVMValueRef numbers, uint64_t index)
{
    LLVMValueRef at = weftc_i64(f->c, index);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(f->c);
    return LLVMBuildLoad2(f->b, i64, LLVMBuildInBoundsGEP2(f->b, i64, numbers, &at, 1, ""), "");
}

static LLVMValueRef advance(const struct finder *f, LLVMValueRef base, LLVMValueRef offset)
{
    return LLVMBuildGEP2(f->b, LLVMInt8TypeInContext(f->c), base, &offset, 1, "");
}

static void go_to_start(const struct finder *f)
{
    LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f->kernel));
    while (LLVMIsAAllocaInst(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(f->b, at);
}

// Of the object that an argument points to: the numbers of weft_check_range.
static struct shadow of_argument(const struct finder *f, LLVMValueRef argument)
{
    unsigned number = 0;
    while (LLVMGetParam(f->kernel, number) != argument)
        number++;
    enum { NUMBERS = sizeof(struct weft_check_range) / 8 };
    go_to_start(f);
    const uint64_t at = NUMBERS * (uint64_t)number;
    const uint64_t shadow = at + offsetof(struct weft_check_range, shadow) / 8,
                   origins = at + offsetof(struct weft_check_range, origins) / 8;
    return (struct shadow){to_pointer(f, weftc_check_object_number(f->b, f->module, shadow)),
                           to_pointer(f, weftc_check_object_number(f->b, f->module, origins))};
}

// Of a local variable or argument: as far into the thread's shadow as it is into the thread's local memory.
static struct shadow of_local(const struct finder *f, LLVMValueRef variable)
{
    go_to_start(f);
    LLVMValueRef memory = weftc_primitive_build(f->b, f->module, WEFTC_LOCAL_MEMORY, 0);
    LLVMValueRef distance = LLVMBuildSub(f->b, address_of(f, variable), address_of(f, memory), "");
    LLVMValueRef shadow = weftc_primitive_build(f->b, f->module, WEFTC_CHECK_LOCAL_SHADOW, 0);
    LLVMValueRef origins = weftc_primitive_build(f->b, f->module, WEFTC_CHECK_LOCAL_ORIGINS, 0);
    return (struct shadow){to_pointer(f, LLVMBuildAdd(f->b, address_of(f, shadow), distance, "")),
                           to_pointer(f, LLVMBuildAdd(f->b, address_of(f, origins), distance, ""))};
}

static struct shadow of_variable(LLVMValueRef memory)
{
    for (LLVMUseRef use = LLVMGetFirstUse(memory); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (weftc_calls(user, WEFTC_CHECK_SHADOW_OF))
            return (struct shadow){LLVMGetOperand(user, 1), LLVMGetOperand(user, 2)};
    }
    return (struct shadow){NULL, NULL};
}

// Before the call, for its very address.
static struct shadow ask_driver(const struct finder *f, LLVMValueRef call, LLVMValueRef pointer)
{
    const bool store = strstr(LLVMGetValueName(weftc_callee(call)), "store") != NULL;
    LLVMValueRef numbers = weftc_check_numbers(f->kernel, 2);
    LLVMPositionBuilderBefore(f->b, call);
    LLVMBuildStore(f->b, weftc_i64(f->c, store), numbers);
    weftc_check_device_call(f->b, f->module, WEFT_CALL_CHECK_SHADOW, NULL, address_of(f, pointer), numbers);
    return (struct shadow){to_pointer(f, load_number(f, numbers, 0)),
                           to_pointer(f, load_number(f, numbers, 1))};
}

static bool is_local(LLVMValueRef root)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(root)) == WEFTC_SPACE_LOCAL &&
           (LLVMIsAArgument(root) || LLVMIsAGlobalVariable(root));
}

// *object: the shadow is that of the whole object, so the pointer's distance from there is to be added.
static struct shadow find(const struct finder *f, LLVMValueRef call, LLVMValueRef pointer, bool *object)
{
    LLVMValueRef root = root_of(pointer);
    *object = true;
    if (root && LLVMIsAAllocaInst(root))
        return of_variable(root);
    if (root && is_local(root))
        return of_local(f, root);
    if (root && (LLVMIsAGlobalVariable(root) || LLVMIsAConstantPointerNull(root) || LLVMIsUndef(root)))
        return (struct shadow){NULL, NULL};
    if (root && LLVMIsAArgument(root)) {
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(root));
        if (space == WEFTC_SPACE_GLOBAL || space == WEFTC_SPACE_CONSTANT)
            return of_argument(f, root);
        return (struct shadow){NULL, NULL}; // the argument itself
    }
    *object = false;
    return ask_driver(f, call, pointer);
}

// ---- the accesses to shadow ----

// The loads and stores through one pointer go through another one. NULL: there is no such memory, and all is
// written.
static void move_users(const struct finder *f, LLVMValueRef from, LLVMValueRef to)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(from));) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMPositionBuilderBefore(f->b, user);
        if (LLVMIsALoadInst(user)) {
            LLVMValueRef load =
                to ? LLVMBuildLoad2(f->b, LLVMTypeOf(user), to, "") : LLVMConstNull(LLVMTypeOf(user));
            if (to)
                LLVMSetAlignment(load, LLVMGetAlignment(user));
            LLVMReplaceAllUsesWith(user, load);
        } else if (LLVMIsAStoreInst(user)) {
            if (to)
                LLVMSetAlignment(LLVMBuildStore(f->b, LLVMGetOperand(user, 0), to), LLVMGetAlignment(user));
        } else if (LLVMIsAGetElementPtrInst(user)) {
            LLVMValueRef index = LLVMGetOperand(user, 1);
            move_users(f, user,
                       to ? LLVMBuildGEP2(f->b, LLVMGetGEPSourceElementType(user), to, &index, 1, "") : NULL);
        } else { // the memset of an argument that is taken as written
            LLVMInstructionEraseFromParent(user);
            continue;
        }
        LLVMInstructionEraseFromParent(user);
    }
}

void weftc_check_take_as_written(LLVMValueRef call)
{
    struct finder f = {.c = LLVMGetTypeContext(LLVMTypeOf(call))};
    f.b = LLVMCreateBuilderInContext(f.c);
    while (LLVMGetFirstUse(call)) {
        LLVMValueRef part = LLVMGetUser(LLVMGetFirstUse(call)); // an extractvalue
        move_users(&f, part, NULL);
        LLVMInstructionEraseFromParent(part);
    }
    LLVMDisposeBuilder(f.b);
    LLVMInstructionEraseFromParent(call);
}

bool weftc_check_expand_shadow(LLVMModuleRef module, LLVMValueRef kernel, struct weftc_check_places *places,
                               LLVMValueRef call)
{
    struct finder f = {.module = module, .c = LLVMGetModuleContext(module), .kernel = kernel};
    LLVMValueRef pointer = LLVMGetOperand(call, 0);
    bool object, done = true;
    f.b = LLVMCreateBuilderInContext(f.c);
    struct shadow at = find(&f, call, pointer, &object);
    if (at.shadow && object) {
        const struct weftc_check_place *place = weftc_check_place_of(places, pointer);
        done = place && place->length;
        if (done) {
            LLVMPositionBuilderBefore(f.b, call);
            at.shadow = advance(&f, at.shadow, place->offset);
            at.origins = advance(&f, at.origins, weftc_check_word_of(f.b, place->offset));
        }
    }
    while (done && LLVMGetFirstUse(call)) {
        LLVMValueRef part = LLVMGetUser(LLVMGetFirstUse(call)); // an extractvalue
        move_users(&f, part, LLVMGetIndices(part)[0] ? at.origins : at.shadow);
        LLVMInstructionEraseFromParent(part);
    }
    LLVMDisposeBuilder(f.b);
    return done;
}

// ---- what needs no place ----

// The pointer of which MemorySanitizer has asked where this memory's origins are. NULL: it is something else.
static LLVMValueRef asked_of(LLVMValueRef origins)
{
    while (LLVMIsAGetElementPtrInst(origins))
        origins = LLVMGetOperand(origins, 0);
    LLVMValueRef call = LLVMIsAExtractValueInst(origins) ? LLVMGetOperand(origins, 0) : NULL;
    return call && weftc_check_asks_for_shadow(call) ? LLVMGetOperand(call, 0) : NULL;
}

// Is the origin only stored beside private variables and local memory?
static bool stays_in_group(LLVMValueRef origin, unsigned depth)
{
    enum { MAX_DEPTH = 8 };
    for (LLVMUseRef use = LLVMGetFirstUse(origin); use && depth < MAX_DEPTH; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAStoreInst(user)) {
            if (!stays_in_group(user, depth + 1))
                return false;
            continue;
        }
        LLVMValueRef to = LLVMGetOperand(user, 1), pointer = asked_of(to);
        LLVMValueRef root = root_of(pointer ? pointer : to);
        if (!root || !(LLVMIsAAllocaInst(root) || is_local(root)))
            return false;
    }
    return depth < MAX_DEPTH;
}

void weftc_check_forget_chains(LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!weftc_calls(i, WEFTC_MSAN_CHAIN) || !stays_in_group(i, 0))
                continue;
            LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 0));
            LLVMInstructionEraseFromParent(i);
        }
}

void weftc_check_forget_shadow(LLVMModuleRef module)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, WEFTC_CHECK_SHADOW_OF);
    for (LLVMUseRef use; f && (use = LLVMGetFirstUse(f));)
        LLVMInstructionEraseFromParent(LLVMGetUser(use));
}
