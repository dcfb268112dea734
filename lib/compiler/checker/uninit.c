// Use of memory that nobody has written (kind uninit). LLVM's MemorySanitizer adds what follows values:
// beside each value its shadow, in which a bit is 1 if that bit of the value comes from memory that wasn't
// written, and its origin, a number that says which memory that is. Where a branch, an address or a divisor
// depends on such a bit it calls __msan_warning.
//
// It asks for the shadow of memory with calls, as for a kernel of an operating system. They are replaced
// here: private variables get a variable for their shadow and one for their origins
// (checker/private_shadow.c, before variables become values); all other memory has its shadow where the
// driver says (checker/shadow.c, after inlining).
//
// Origins have 32 bits. Four equal bytes are the number of a private variable of this kernel, 1 to 254, or
// 255 for local memory. All others are numbers of the driver's (runtime/checker/shadow.h).
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/passes.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/instrumented.h"
#include "compiler/ir/llvm_helpers.h"
#include "weft/checker.h"
#include "weft/device_call.h"

// A copy of at most so many bytes is made in pieces of eight bytes.
enum { MAX_PIECES = 32, PIECE = 8 };

bool weftc_check_asks_for_shadow(LLVMValueRef i)
{
    return weftc_starts_with(weftc_shadow_callee(i), WEFTC_MSAN_METADATA);
}

static bool is_not_followed(LLVMValueRef i)
{
    static const char name[] = "nosanitize";
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    return LLVMGetMetadata(i, LLVMGetMDKindIDInContext(c, name, sizeof name - 1)) != NULL;
}

// ---- what MemorySanitizer is given ----

// Runs what follows only if `condition` is true, up to `i`. The builder goes there.
static void begin_if(struct weftc_instrumented *u, LLVMValueRef condition, LLVMValueRef i)
{
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), after = weftc_bridge_split_block(i);
    LLVMBasicBlockRef then = LLVMInsertBasicBlockInContext(u->c, after, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(u->b, before);
    LLVMBuildCondBr(u->b, condition, then, after);
    LLVMPositionBuilderAtEnd(u->b, then);
    LLVMPositionBuilderBefore(u->b, LLVMBuildBr(u->b, after));
}

// What an atomic operation makes of memory that wasn't written isn't known either. MemorySanitizer takes it
// for written. So its shadow stays as it is, and the operation itself is told.
static void check_atomic(struct weftc_instrumented *u, LLVMValueRef i)
{
    const bool exchanges = LLVMIsAAtomicRMWInst(i) && LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpXchg;
    const uint64_t bytes = LLVMStoreSizeOfType(u->layout, LLVMTypeOf(LLVMGetOperand(i, 1)));
    LLVMTypeRef number = LLVMIntTypeInContext(u->c, 8 * (unsigned)bytes);
    LLVMPositionBuilderBefore(u->b, i);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef shadow, origins;
    weftc_shadow_ask(u, exchanges, LLVMGetOperand(i, 0), &shadow, &origins);
    if (exchanges) {
        LLVMSetAlignment(weftc_shadow_not_followed(LLVMBuildStore(u->b, LLVMConstNull(number), shadow)), 1);
        return;
    }
    LLVMValueRef bits = weftc_shadow_not_followed(LLVMBuildLoad2(u->b, number, shadow, ""));
    LLVMSetAlignment(bits, 1);
    LLVMValueRef origin = weftc_shadow_not_followed(LLVMBuildLoad2(u->b, u->i32, origins, ""));
    begin_if(u, LLVMBuildICmp(u->b, LLVMIntNE, bits, LLVMConstNull(number), ""), i);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(i));
    weftc_shadow_call(u, WEFTC_MSAN_WARNING, LLVMVoidTypeInContext(u->c), origin);
}

// Elements that a shuffle leaves open would be open in the shadow as well, and a branch on that may be taken
// away with all that depends on it. So they become zeros, or the first element.
static void close_shuffle(struct weftc_instrumented *u, LLVMValueRef i)
{
    enum { MAX_ELEMENTS = 64 };
    const unsigned count = LLVMGetNumMaskElements(i);
    LLVMValueRef mask[MAX_ELEMENTS], second = LLVMGetOperand(i, 1);
    const bool alone = LLVMIsUndef(second) || LLVMIsPoison(second);
    const unsigned first_of_second = LLVMGetVectorSize(LLVMTypeOf(second));
    bool open = false;
    for (unsigned k = 0; k < count && count <= MAX_ELEMENTS; k++) {
        const int at = LLVMGetMaskValue(i, k);
        open |= at < 0;
        mask[k] = weftc_i32(u->c, at >= 0 ? (uint32_t)at : alone ? first_of_second : 0);
    }
    if (!open)
        return;
    LLVMPositionBuilderBefore(u->b, i);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef closed =
        LLVMBuildShuffleVector(u->b, LLVMGetOperand(i, 0), alone ? LLVMConstNull(LLVMTypeOf(second)) : second,
                               LLVMConstVector(mask, count), "");
    LLVMReplaceAllUsesWith(i, closed);
    LLVMInstructionEraseFromParent(i);
}

static void give(struct weftc_instrumented *u, LLVMValueRef kernel)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(u->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            weftc_add_attribute(f, WEFTC_OF_FUNCTION,
                                f == kernel ? "sanitize_memory" : "disable_sanitizer_instrumentation", 0);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsAShuffleVectorInst(i)) {
                close_shuffle(u, i);
                continue;
            }
            if (weftc_check_is_used(i)) {
                weftc_check_ask_of_used(u->b, i);
                continue;
            }
            const bool atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
            if (atomic && !is_not_followed(i)) { // else a built-in function's own
                weftc_check_not_followed(i);
                check_atomic(u, i);
                b = LLVMGetInstructionParent(i);
                next = LLVMGetNextInstruction(i);
            }
            if (LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i))
                weftc_shadow_close_gaps(u, i);
            // What primitives and outlined functions return is known.
            LLVMValueRef f = weftc_callee(i);
            if (f && !LLVMGetIntrinsicID(f))
                weftc_check_not_followed(i);
        }
}

// ---- origins ----

// A value that is stored in a private variable keeps its origin.
static bool goes_to_variable(struct weftc_instrumented *u, LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) ? !weftc_shadow_has_size(weftc_shadow_base(LLVMGetOperand(user, 1)))
                                   : !goes_to_variable(u, user))
            return false;
    }
    return true;
}

static void lower_chain(struct weftc_instrumented *u, LLVMValueRef call)
{
    if (!goes_to_variable(u, call))
        return; // a request to the driver: checker/expand.c
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
}

// Arguments of a kernel are written.
static void take_as_written(struct weftc_instrumented *u, LLVMValueRef state)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(state));) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsALoadInst(user)) {
            LLVMReplaceAllUsesWith(user, LLVMConstNull(LLVMTypeOf(user)));
        } else if (LLVMIsAMemCpyInst(user)) {
            LLVMPositionBuilderBefore(u->b, user);
            LLVMBuildMemSet(u->b, LLVMGetOperand(user, 0), LLVMConstInt(u->i8, 0, false),
                            LLVMGetOperand(user, 2), 1);
        } else {
            take_as_written(u, user);
            continue; // which has erased it
        }
        LLVMInstructionEraseFromParent(user);
    }
    LLVMInstructionEraseFromParent(state);
}

// ---- copies ----

static LLVMValueRef at_byte(struct weftc_instrumented *u, LLVMValueRef pointer, uint64_t byte)
{
    LLVMValueRef offset = weftc_i64(u->c, byte);
    return byte ? LLVMBuildGEP2(u->b, u->i8, pointer, &offset, 1, "") : pointer;
}

// The shadow of `bytes` bytes goes from one place to another, in pieces.
static void copy_shadow(struct weftc_instrumented *u, const LLVMValueRef to[2], const LLVMValueRef from[2],
                        uint64_t bytes, LLVMValueRef before)
{
    LLVMValueRef any = weftc_i64(u->c, 0);
    for (uint64_t at = 0; at < bytes;) {
        uint64_t n = PIECE;
        while (n > bytes - at)
            n /= 2;
        LLVMTypeRef type = LLVMIntTypeInContext(u->c, 8 * (unsigned)n);
        LLVMValueRef bits = LLVMBuildLoad2(u->b, type, at_byte(u, from[0], at), "");
        LLVMSetAlignment(bits, 1);
        LLVMSetAlignment(LLVMBuildStore(u->b, bits, at_byte(u, to[0], at)), 1);
        any = LLVMBuildOr(u->b, any, LLVMBuildZExtOrBitCast(u->b, bits, u->i64, ""), "");
        at += n;
    }
    // One origin for all: that of the first bytes.
    LLVMValueRef origin = LLVMBuildLoad2(u->b, u->i32, from[1], "");
    begin_if(u, LLVMBuildICmp(u->b, LLVMIntNE, any, weftc_i64(u->c, 0), ""), before);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(before));
    if (!weftc_shadow_has_size(weftc_shadow_base(to[1])))
        origin = weftc_shadow_call(u, WEFTC_MSAN_CHAIN, u->i32, origin);
    for (uint64_t at = 0; at < bytes; at += WEFTC_ORIGIN_WORD)
        LLVMBuildStore(u->b, origin, at_byte(u, to[1], at));
}

static bool place_of(struct weftc_instrumented *u, LLVMValueRef address, bool store, LLVMValueRef place[2])
{
    LLVMValueRef memory = weftc_shadow_base(address);
    const struct weftc_shadowed *v = weftc_shadow_has_size(memory) ? weftc_shadow_variable(u, memory) : NULL;
    if (v)
        weftc_shadow_place_in(u, v, address, place);
    else
        weftc_shadow_ask(u, store, address, &place[0], &place[1]);
    return v || !weftc_shadow_has_size(memory);
}

// MemorySanitizer has made a call of a copy or a fill. from: NULL: the memory is filled with what is written.
static bool lower_copy(struct weftc_instrumented *u, LLVMValueRef call)
{
    const char *name = weftc_shadow_callee(call);
    const bool fills = strcmp(name, "__msan_memset") == 0;
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    to = LLVMIsAAddrSpaceCastInst(to) ? LLVMGetOperand(to, 0) : to;
    from = LLVMIsAAddrSpaceCastInst(from) ? LLVMGetOperand(from, 0) : from;
    LLVMPositionBuilderBefore(u->b, call);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(call));
    const bool known = LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) <= MAX_PIECES * PIECE;
    LLVMValueRef place[2], other[2], memory = weftc_shadow_base(to);
    if (fills && weftc_shadow_has_size(memory)) {
        if (!place_of(u, to, true, place))
            return false;
        LLVMBuildMemSet(u->b, place[0], LLVMConstInt(u->i8, 0, false), size, 1);
    } else if (!fills && known) {
        if (!place_of(u, to, true, place) || !place_of(u, from, false, other))
            return false;
        copy_shadow(u, place, other, LLVMConstIntGetZExtValue(size), call);
        LLVMPositionBuilderBefore(u->b, call);
    } else if (weftc_shadow_has_size(memory)) { // taken as written
        if (!place_of(u, to, true, place))
            return false;
        LLVMBuildMemSet(u->b, place[0], LLVMConstInt(u->i8, 0, false), size, 1);
    } else {
        LLVMValueRef numbers =
            weftc_check_numbers(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), 2);
        LLVMValueRef source = fills ? weftc_i64(u->c, 0) : LLVMBuildPtrToInt(u->b, from, u->i64, "");
        LLVMBuildStore(u->b, source, numbers);
        LLVMBuildStore(u->b, size, at_byte(u, numbers, 8));
        weftc_check_device_call(u->b, u->module, WEFT_CALL_CHECK_MOVED, NULL,
                                LLVMBuildPtrToInt(u->b, to, u->i64, ""), numbers);
    }
    if (fills)
        LLVMBuildMemSet(u->b, to, LLVMBuildTrunc(u->b, from, u->i8, ""), size, 1);
    else if (strcmp(name, "__msan_memmove") == 0)
        LLVMBuildMemMove(u->b, to, 1, from, 1, size);
    else
        LLVMBuildMemCpy(u->b, to, 1, from, 1, size);
    LLVMReplaceAllUsesWith(call, LLVMGetUndef(LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
    return true;
}

// ---- findings ----

static bool warns(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (strcmp(weftc_shadow_callee(i), WEFTC_MSAN_WARNING) == 0 ||
            strcmp(weftc_shadow_callee(i), WEFTC_CHECK_UNWRITTEN) == 0)
            return true;
    return false;
}

// What is it that depends on such a value? It stands behind the call, and perhaps behind others of its kind.
static enum weft_check_use use_behind(LLVMValueRef call)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(end, 0));
    for (LLVMValueRef next;; i = next) {
        next = LLVMGetNextInstruction(i);
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMBr:
            if (!LLVMIsConditional(i) || !warns(LLVMGetSuccessor(i, 0)))
                return WEFT_USE_BRANCH;
            next = LLVMGetFirstInstruction(LLVMGetSuccessor(i, 1));
            break;
        case LLVMSwitch:
            return WEFT_USE_BRANCH;
        case LLVMCall:
            return weftc_check_asks_of_used(i) ? WEFT_USE_ARGUMENT : WEFT_USE_ADDRESS;
        case LLVMLoad:
        case LLVMStore:
            return WEFT_USE_ADDRESS;
        case LLVMSDiv:
        case LLVMUDiv:
        case LLVMSRem:
        case LLVMURem:
            return WEFT_USE_DIVISOR;
        case LLVMAtomicRMW:
        case LLVMAtomicCmpXchg:
            return WEFT_USE_ATOMIC;
        case LLVMRet:
        case LLVMUnreachable:
            return WEFT_USE_OTHER;
        default:
            break;
        }
    }
}

static void lower_warning(struct weftc_instrumented *u, LLVMValueRef call)
{
    LLVMTypeRef params[] = {u->i32, u->i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(u->c), params, WEFT_COUNT_OF(params), false);
    LLVMValueRef arguments[] = {LLVMGetOperand(call, 0), weftc_i32(u->c, use_behind(call))};
    LLVMPositionBuilderBefore(u->b, call);
    LLVMValueRef f = weftc_check_declare(u->module, WEFTC_CHECK_UNWRITTEN, type);
    LLVMValueRef new = LLVMBuildCall2(u->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
    LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(call));
    LLVMInstructionEraseFromParent(call);
}

// ---- all ----

static bool lower(struct weftc_instrumented *u, LLVMValueRef i)
{
    const char *name = weftc_shadow_callee(i);
    if (weftc_check_asks_for_shadow(i))
        return weftc_shadow_of_variable(u, i);
    if (strcmp(name, "__msan_poison_alloca") == 0)
        return weftc_shadow_begin_variable(u, i, u->zeros);
    if (strcmp(name, "__msan_unpoison_alloca") == 0)
        return weftc_shadow_begin_variable(u, i, true);
    if (strcmp(name, "__msan_get_context_state") == 0)
        take_as_written(u, i);
    else if (strcmp(name, WEFTC_MSAN_WARNING) == 0)
        lower_warning(u, i);
    else if (weftc_starts_with(name, "__msan_mem"))
        return lower_copy(u, i);
    return true;
}

// Calls `lower` for each instruction, and then `chain` for what is left: where a value goes is known when all
// places are.
static bool lower_all(struct weftc_instrumented *u, LLVMValueRef kernel)
{
    size_t count = 0, capacity = weftc_function_size(kernel) + 1;
    LLVMValueRef *calls = weft_alloc_array(capacity, sizeof(LLVMValueRef));
    bool done = calls != NULL;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b && done; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (weftc_starts_with(weftc_shadow_callee(i), "__msan_"))
                calls[count++] = i;
    for (size_t k = 0; k < count && done; k++)
        if (strcmp(weftc_shadow_callee(calls[k]), WEFTC_MSAN_CHAIN) != 0)
            done = lower(u, calls[k]);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b && done; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (strcmp(weftc_shadow_callee(i), WEFTC_MSAN_CHAIN) == 0)
                lower_chain(u, i);
        }
    weft_free(calls);
    return done;
}

// MemorySanitizer asks of all elements of a vector at once, as of one large number. Lanes are made of
// numbers: so it becomes the elements' sum.
static void take_apart(struct weftc_instrumented *u, LLVMValueRef cast)
{
    LLVMValueRef vector = LLVMGetOperand(cast, 0), any = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(cast); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAICmpInst(user) || !LLVMIsNull(LLVMGetOperand(user, 1)) ||
            (LLVMGetICmpPredicate(user) != LLVMIntNE && LLVMGetICmpPredicate(user) != LLVMIntEQ))
            return;
    }
    LLVMPositionBuilderBefore(u->b, cast);
    LLVMSetCurrentDebugLocation2(u->b, LLVMInstructionGetDebugLoc(cast));
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(vector)); k++) {
        LLVMValueRef element = LLVMBuildExtractElement(u->b, vector, weftc_i64(u->c, k), "");
        any = any ? LLVMBuildOr(u->b, any, element, "") : element;
    }
    for (LLVMUseRef use; (use = LLVMGetFirstUse(cast));) {
        LLVMValueRef compare = LLVMGetUser(use);
        LLVMPositionBuilderBefore(u->b, compare);
        LLVMValueRef new =
            LLVMBuildICmp(u->b, LLVMGetICmpPredicate(compare), any, LLVMConstNull(LLVMTypeOf(any)), "");
        LLVMReplaceAllUsesWith(compare, new);
        LLVMInstructionEraseFromParent(compare);
    }
}

static void take_all_apart(struct weftc_instrumented *u, LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMTypeRef from = LLVMIsABitCastInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : NULL;
            if (!from || LLVMGetTypeKind(from) != LLVMVectorTypeKind || !LLVMGetFirstUse(i) ||
                LLVMGetTypeKind(LLVMGetElementType(from)) != LLVMIntegerTypeKind ||
                LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind)
                continue;
            take_apart(u, i);
            next = LLVMGetNextInstruction(i); // what it was may be gone
            if (!LLVMGetFirstUse(i))
                LLVMInstructionEraseFromParent(i);
        }
}

static bool keep_names(struct weftc_instrumented *u)
{
    if (u->names.failed)
        return false;
    LLVMValueRef text = LLVMConstStringInContext2(u->c, (const char *)u->names.data, u->names.size, false);
    LLVMValueRef names = LLVMAddGlobal(u->module, LLVMTypeOf(text), WEFTC_CHECK_NAMES);
    LLVMSetInitializer(names, text);
    LLVMSetGlobalConstant(names, true);
    LLVMSetLinkage(names, LLVMPrivateLinkage);
    return true;
}

weft_status weftc_check_follow_values(LLVMModuleRef module, const struct weftc_target *target,
                                      LLVMValueRef kernel, bool zeros, struct weft_buf *log)
{
    struct weftc_instrumented u = {.module = module, .c = LLVMGetModuleContext(module), .zeros = zeros};
    u.layout = LLVMGetModuleDataLayout(module);
    u.i8 = LLVMInt8TypeInContext(u.c);
    u.i32 = LLVMInt32TypeInContext(u.c);
    u.i64 = LLVMInt64TypeInContext(u.c);
    u.pointer = LLVMPointerTypeInContext(u.c, 0);
    u.b = LLVMCreateBuilderInContext(u.c);
    give(&u, kernel);
    // Elements that a shuffle leaves open are no variables that somebody forgot.
    weftc_bridge_set_option("msan-poison-undef", false);
    weft_status status = weftc_run_passes(module, target, "msan<recover;kernel;track-origins=2>", log);
    if (status == WEFT_OK && !(lower_all(&u, kernel) && keep_names(&u)))
        status = WEFT_NO_MEMORY;
    weftc_check_forget_used(kernel);
    if (status == WEFT_OK)
        take_all_apart(&u, kernel);
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        weftc_remove_attribute(f, WEFTC_OF_FUNCTION, "sanitize_memory");
        weftc_remove_attribute(f, WEFTC_OF_FUNCTION, "disable_sanitizer_instrumentation");
        if (weftc_starts_with(LLVMGetValueName(f), "__msan_") && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(u.b);
    weftc_map_free(&u.index);
    weft_free(u.variable);
    weft_buf_free(&u.names);
    return status;
}
