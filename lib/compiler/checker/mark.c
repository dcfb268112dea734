// The first step of the checker: calls around all that may be wrong (checker.h).
//
//     v = load p  ->  if (weft.check.access(p, 4, 4, READ)) weft.check.report(p, 4, 4, READ);
//                     else v = load p
//
// Of a wrong access nothing is done: it reads 0, and writes nothing. So a kernel with faults runs on.
// A built-in function gets such branches where it accesses what its caller has handed over.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/checker/races/components.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "weft/checker.h"

void weftc_check_own(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            weftc_fact_attribute_set(f, WEFTC_OF_FUNCTION, WEFTC_CHECK_OWN, "", 0);
}

// ---- accesses ----

struct access {
    LLVMValueRef pointer;
    LLVMValueRef size; // i64
    uint32_t align, how;
};

static LLVMValueRef size_of(const struct weftc_check_marker *m, LLVMTypeRef type)
{
    return weftc_i64(m->c, LLVMStoreSizeOfType(m->layout, type));
}

// What a call says of the alignment of one of its pointers.
static uint32_t alignment_of(LLVMValueRef call, unsigned operand)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, operand + 1, kind);
    return a ? (uint32_t)LLVMGetEnumAttributeValue(a) : 1;
}

// The accesses of an instruction: at most two. Returns how many.
static unsigned accesses_of(const struct weftc_check_marker *m, LLVMValueRef i, struct access a[2])
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        a[0] = (struct access){LLVMGetOperand(i, 0), size_of(m, LLVMTypeOf(i)), LLVMGetAlignment(i),
                               WEFT_ACCESS_READ | (LLVMGetOrdering(i) ? WEFT_ACCESS_ATOMIC : 0)};
        return 1;
    case LLVMStore:
        a[0] = (struct access){LLVMGetOperand(i, 1), size_of(m, LLVMTypeOf(LLVMGetOperand(i, 0))),
                               LLVMGetAlignment(i),
                               WEFT_ACCESS_WRITE | (LLVMGetOrdering(i) ? WEFT_ACCESS_ATOMIC : 0)};
        return 1;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        a[0] = (struct access){LLVMGetOperand(i, 0), size_of(m, LLVMTypeOf(LLVMGetOperand(i, 1))),
                               (uint32_t)LLVMStoreSizeOfType(m->layout, LLVMTypeOf(LLVMGetOperand(i, 1))),
                               WEFT_ACCESS_READ | WEFT_ACCESS_WRITE | WEFT_ACCESS_ATOMIC};
        return 1;
    case LLVMCall: {
        const bool copies = LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i);
        if (!copies && !LLVMIsAMemSetInst(i))
            return 0;
        LLVMValueRef size = LLVMGetOperand(i, 2);
        if (LLVMTypeOf(size) != LLVMInt64TypeInContext(m->c))
            return 0;
        a[0] = (struct access){LLVMGetOperand(i, 0), size, alignment_of(i, 0), WEFT_ACCESS_WRITE};
        if (copies)
            a[1] = (struct access){LLVMGetOperand(i, 1), size, alignment_of(i, 1), WEFT_ACCESS_READ};
        return copies ? 2 : 1;
    }
    default:
        return 0;
    }
}

static bool is_cast(LLVMValueRef v)
{
    const LLVMOpcode opcode = weftc_opcode(v);
    return opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast;
}

static bool is_gep(LLVMValueRef v)
{
    return weftc_opcode(v) == LLVMGetElementPtr;
}

// Follows a pointer to what it was made from. *offset: the constant bytes on the way; *constant: there are no
// others.
static LLVMValueRef root_of(const struct weftc_check_marker *m, LLVMValueRef p, uint64_t *offset,
                            bool *constant)
{
    *offset = 0;
    *constant = true;
    for (;; p = LLVMGetOperand(p, 0)) {
        if (is_cast(p))
            continue;
        if (!is_gep(p))
            return p;
        const unsigned operands = (unsigned)LLVMGetNumOperands(p);
        struct weftc_step few[8];
        if (operands > WEFT_COUNT_OF(few)) {
            *constant = false;
            continue;
        }
        const unsigned steps = weftc_gep_steps(m->layout, p, few);
        for (unsigned k = 0; k < steps; k++) {
            *constant &= !few[k].index;
            *offset += few[k].offset;
        }
    }
}

// The bytes of a variable; 0: not known.
static uint64_t variable_bytes(const struct weftc_check_marker *m, LLVMValueRef v)
{
    if (LLVMIsAAllocaInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
        return LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)) *
               LLVMABISizeOfType(m->layout, LLVMGetAllocatedType(v));
    return LLVMIsAGlobalVariable(v) ? LLVMABISizeOfType(m->layout, LLVMGlobalGetValueType(v)) : 0;
}

static bool is_shared(const struct access *a)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer));
    return space != WEFTC_SPACE_PRIVATE && space != WEFTC_SPACE_CONSTANT;
}

// Can the access be wrong, or be part of a fault?
static bool needs_check(const struct weftc_check_marker *m, const struct access *a)
{
    uint64_t offset;
    bool constant;
    LLVMValueRef root = root_of(m, a->pointer, &offset, &constant), size = LLVMIsAConstantInt(a->size);
    if (!m->own && (!LLVMIsAArgument(root) || !m->hands_over))
        return false;
    if (weftc_check_wants(m, WEFT_CHECK_RACE) && is_shared(a))
        return true;
    const uint64_t bytes = variable_bytes(m, root), n = size ? LLVMConstIntGetZExtValue(size) : 0;
    return !(constant && size && offset <= bytes && n <= bytes - offset &&
             LLVMGetAlignment(root) >= a->align && offset % a->align == 0);
}

static bool is_handed_over(const struct weftc_check_marker *m, LLVMValueRef root)
{
    return LLVMIsAArgument(root) &&
           (m->hands_over || (m->reads_pipe && root != LLVMGetParam(LLVMGetParamParent(root), 0)));
}

// For UNINIT: of what built-in functions do, only accesses to the program's memory matter.
static bool is_followed(const struct weftc_check_marker *m, LLVMValueRef i)
{
    struct access a[2];
    const unsigned count = m->own ? 0 : accesses_of(m, i, a);
    bool own = true;
    for (unsigned k = 0; k < count; k++) {
        uint64_t offset;
        bool constant;
        own &= is_handed_over(m, root_of(m, a[k].pointer, &offset, &constant));
    }
    return own;
}

static LLVMValueRef mark(const struct weftc_check_marker *m, const char *what, const struct access *a,
                         bool pure)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->c), pointer = LLVMTypeOf(a->pointer);
    LLVMTypeRef params[] = {pointer, LLVMInt64TypeInContext(m->c), i32, i32};
    LLVMTypeRef result = pure ? LLVMInt1TypeInContext(m->c) : LLVMVoidTypeInContext(m->c);
    LLVMTypeRef type = LLVMFunctionType(result, params, WEFT_COUNT_OF(params), false);
    char name[64];
    snprintf(name, sizeof name, "%s.p%u", what, LLVMGetPointerAddressSpace(pointer));
    LLVMValueRef f = weftc_check_declare(m->module, name, type);
    if (pure)
        weftc_add_pure_attributes(f);
    weftc_add_attribute(f, 1, "nocapture", 0);
    LLVMValueRef arguments[] = {a->pointer, a->size, weftc_i32(m->c, a->align), weftc_i32(m->c, a->how)};
    return LLVMBuildCall2(m->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
}

// Of a vector only the elements that are wanted are touched, run by run. wanted: as bits.
static void touch_elements(const struct weftc_check_marker *m, const struct access *a, LLVMTypeRef element,
                           uint64_t wanted)
{
    const uint64_t bytes = LLVMStoreSizeOfType(m->layout, element);
    while (wanted) {
        const unsigned at = (unsigned)__builtin_ctzll(wanted),
                       count = (unsigned)__builtin_ctzll(~(wanted >> at));
        LLVMValueRef index = weftc_i64(m->c, at);
        struct access part = *a;
        part.pointer = at ? LLVMBuildGEP2(m->b, element, a->pointer, &index, 1, "") : a->pointer;
        part.size = weftc_i64(m->c, count * bytes);
        while (at * bytes % part.align != 0)
            part.align /= 2;
        mark(m, WEFTC_CHECK_TOUCH, &part, false);
        wanted = wanted >> (at + count) << (at + count);
    }
}

static void touch(const struct weftc_check_marker *m, LLVMValueRef i, const struct access *a)
{
    const uint64_t wanted = weftc_check_wanted_elements(i);
    LLVMPositionBuilderBefore(m->b, i);
    if (wanted == UINT64_MAX)
        mark(m, WEFTC_CHECK_TOUCH, a, false);
    else
        touch_elements(m, a, LLVMGetElementType(LLVMTypeOf(i)), wanted);
}

// Returns the instruction from which to go on.
static LLVMValueRef guard(const struct weftc_check_marker *m, LLVMValueRef i, const struct access *a)
{
    LLVMBasicBlockRef instead;
    LLVMPositionBuilderBefore(m->b, i);
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef wrong = mark(m, WEFTC_CHECK_ACCESS, a, true);
    LLVMBasicBlockRef after = weftc_check_branch_around(m, i, wrong, &instead);
    mark(m, WEFTC_CHECK_REPORT, a, false);
    if (weftc_check_wants(m, WEFT_CHECK_RACE) && is_shared(a))
        touch(m, i, a);
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind && LLVMGetFirstUse(i)) {
        LLVMPositionBuilderBefore(m->b, LLVMGetFirstInstruction(after));
        LLVMValueRef value = LLVMBuildPhi(m->b, type, "");
        LLVMReplaceAllUsesWith(i, value);
        LLVMValueRef values[] = {i, LLVMConstNull(type)};
        LLVMBasicBlockRef blocks[] = {LLVMGetInstructionParent(i), instead};
        LLVMAddIncoming(value, values, blocks, 2);
    }
    return LLVMGetFirstInstruction(after);
}

// ---- functions ----

static bool is_signed_operation(LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul) && LLVMGetNSW(i);
}

// The program may compute wrong addresses and numbers: LLVM must not assume that it doesn't. Nor that memory
// has one type: this metadata is there for checker/padding.c alone.
static void assume_nothing(LLVMValueRef i)
{
    weftc_set_metadata(i, "tbaa", NULL);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMGetElementPtr)
        LLVMSetIsInBounds(i, false);
    if (opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl) {
        LLVMSetNSW(i, false);
        LLVMSetNUW(i, false);
    }
}

// Does a built-in function access what its caller points to? Not what describes images, samplers, pipes and
// queues, which are pointers by now.
static bool takes_memory(LLVMValueRef f)
{
    static const char *const names[] = {"vload",  "vstore",  "atomic",   "atom_", "async_work_group",
                                        "fract",  "frexp",   "lgamma_r", "modf",  "remquo",
                                        "sincos", "prefetch"};
    const char *name = LLVMGetValueName(f);
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    name += 2;
    while (*name >= '0' && *name <= '9')
        name++;
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// What read_pipe becomes (lib/kernel-builtins/pipe): it writes what its caller points to.
static const char READ_PIPE[] = "__read_pipe_";

static void mark_function(struct weftc_check_marker *m, LLVMValueRef f)
{
    m->own = weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_CHECK_OWN) != NULL;
    m->hands_over = takes_memory(f);
    m->reads_pipe = strncmp(LLVMGetValueName(f), READ_PIPE, sizeof READ_PIPE - 1) == 0;
    const bool accesses = weftc_check_wants(m, WEFT_CHECK_BOUNDS) || weftc_check_wants(m, WEFT_CHECK_ALIGN) ||
                          weftc_check_wants(m, WEFT_CHECK_RACE);
    if (m->own && weftc_check_wants(m, WEFT_CHECK_RACE))
        weftc_check_narrow_stores(m, f);
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(f));
    while (i) {
        const bool is_signed = is_signed_operation(i);
        assume_nothing(i);
        if (weftc_check_wants(m, WEFT_CHECK_UNINIT) && !is_followed(m, i))
            weftc_check_not_followed(i);
        if (m->own)
            weftc_check_mark_operation(m, i, is_signed);
        if (m->own && weftc_check_wants(m, WEFT_CHECK_UNINIT)) {
            weftc_check_mark_coordinates(m, i);
            weftc_check_mark_collective(m, i);
        }
        if (m->own && weftc_check_wants(m, WEFT_CHECK_BOUNDS))
            weftc_check_mark_texel(m, i);
        struct access a[2];
        const unsigned count = accesses ? accesses_of(m, i, a) : 0;
        // The second access is guarded within the first one's block.
        LLVMValueRef next = LLVMGetNextInstruction(i);
        for (unsigned k = 0; k < count; k++)
            if (needs_check(m, &a[k])) {
                LLVMValueRef after = guard(m, i, &a[k]);
                next = k == 0 ? after : next;
            }
        LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
        while (!next && (block = LLVMGetNextBasicBlock(block)))
            next = LLVMGetFirstInstruction(block);
        i = next;
    }
}

void weftc_check_mark(LLVMModuleRef module, uint32_t kinds)
{
    struct weftc_check_marker m = {.module = module, .c = LLVMGetModuleContext(module), .kinds = kinds};
    m.layout = LLVMGetModuleDataLayout(module);
    m.b = LLVMCreateBuilderInContext(m.c);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            mark_function(&m, f);
    LLVMDisposeBuilder(m.b);
}
