// Is an access within its object in all work-items of a launch? Its distance from the object's beginning has
// an interval (checker/ranges.c), and the object a size.
#include "compiler/checker/proofs.h"

#include <stddef.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "weft/checker.h"

enum { MOST_STEPS = 8 };

struct fit {
    LLVMBuilderRef b;
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
};

static LLVMValueRef number(const struct fit *f, int64_t n)
{
    return weftc_i64(f->c, (uint64_t)n);
}

// i1: is the address a multiple of `align`? NULL: that isn't to be found. The phis in `seen` are taken to be.
static LLVMValueRef is_aligned(const struct fit *f, LLVMValueRef pointer, uint64_t align,
                               struct weftc_map *seen, unsigned depth)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(f->c);
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const LLVMOpcode opcode = weftc_opcode(pointer);
        if (opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast)
            continue;
        if (opcode != LLVMGetElementPtr)
            break;
        struct weftc_step steps[MOST_STEPS];
        if (LLVMGetNumOperands(pointer) > MOST_STEPS)
            return NULL;
        const unsigned count = weftc_gep_steps(f->layout, pointer, steps);
        for (unsigned k = 0; k < count; k++)
            if ((steps[k].index ? steps[k].scale : steps[k].offset) % align)
                return NULL;
    }
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer))
        return LLVMGetAlignment(pointer) % align == 0 ? LLVMConstInt(i1, 1, false) : NULL;
    if (LLVMIsAArgument(pointer)) {
        LLVMValueRef address = LLVMBuildPtrToInt(f->b, pointer, LLVMInt64TypeInContext(f->c), "");
        LLVMValueRef low = LLVMBuildAnd(f->b, address, number(f, (int64_t)align - 1), "");
        return LLVMBuildICmp(f->b, LLVMIntEQ, low, number(f, 0), "");
    }
    const bool phi = LLVMIsAPHINode(pointer) != NULL, select = LLVMIsASelectInst(pointer) != NULL;
    if ((!phi && !select) || depth > MOST_STEPS)
        return NULL;
    LLVMValueRef all = LLVMConstInt(i1, 1, false);
    if (weftc_map_get(seen, pointer) != UINT32_MAX)
        return all;
    if (!weftc_map_put(seen, pointer, 1))
        return NULL;
    for (unsigned k = 0; k < (phi ? LLVMCountIncoming(pointer) : 2); k++) {
        LLVMValueRef from = phi ? LLVMGetIncomingValue(pointer, k) : LLVMGetOperand(pointer, k + 1);
        LLVMValueRef one = is_aligned(f, from, align, seen, depth + 1);
        if (!one)
            return NULL;
        all = LLVMBuildAnd(f->b, all, one, "");
    }
    return all;
}

// How far into its object the root points, and the object's bytes. False: it has none.
static bool find_object(const struct fit *f, LLVMValueRef root, LLVMValueRef *offset, LLVMValueRef *length)
{
    LLVMBuilderRef b = f->b;
    *offset = number(f, 0);
    if (LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root)) {
        const bool private = LLVMIsAAllocaInst(root) != NULL;
        LLVMTypeRef type = private ? LLVMGetAllocatedType(root) : LLVMGlobalGetValueType(root);
        LLVMValueRef count = private ? LLVMIsAConstantInt(LLVMGetOperand(root, 0)) : NULL;
        const uint64_t elements = count ? LLVMConstIntGetZExtValue(count) : !private;
        *length = number(f, (int64_t)(elements * LLVMABISizeOfType(f->layout, type)));
        return true;
    }
    unsigned number = 0, chars;
    while (LLVMGetParam(f->kernel, number) != root)
        number++;
    LLVMAttributeRef kind = weftc_fact_attribute(f->kernel, number + 1, WEFTC_ATTRIBUTE_KIND);
    const char *word = kind ? LLVMGetStringAttributeValue(kind, &chars) : "";
    if (strcmp(word, "memory") == 0)
        return false;
    const uint64_t at = sizeof(struct weft_check_range) / 8 * (uint64_t)number;
    LLVMValueRef first = weftc_check_object_number(b, f->module,
                                                   at + offsetof(struct weft_check_range, first) / 8),
                 end =
                     weftc_check_object_number(b, f->module, at + offsetof(struct weft_check_range, end) / 8);
    *length = LLVMBuildSub(b, end, first, "");
    if (strcmp(word, "local") != 0)
        *offset = LLVMBuildSub(b, LLVMBuildPtrToInt(b, root, LLVMInt64TypeInContext(f->c), ""), first, "");
    return true;
}

LLVMValueRef weftc_check_fits(LLVMBuilderRef b, struct weftc_ranges *ranges, LLVMValueRef kernel,
                              LLVMValueRef call, uint32_t kinds)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    const struct fit f = {b, module, LLVMGetModuleContext(module), kernel, LLVMGetModuleDataLayout(module)};
    LLVMValueRef pointer = LLVMGetOperand(call, 0), size = LLVMIsAConstantInt(LLVMGetOperand(call, 1));
    const uint64_t align = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    LLVMValueRef root = weftc_check_single_root(pointer), offset, length;
    LLVMValueRef fits = LLVMConstInt(LLVMInt1TypeInContext(f.c), 1, false);
    enum { LARGEST = 1 << 20 };
    if (!root || !size || LLVMConstIntGetZExtValue(size) > LARGEST)
        return NULL;
    if (align > 1 && kinds >> WEFT_CHECK_ALIGN & 1) {
        struct weftc_map seen = {0};
        fits = is_aligned(&f, pointer, align, &seen, 0);
        weftc_map_free(&seen);
    }
    if (!fits || !(kinds >> WEFT_CHECK_BOUNDS & 1))
        return fits;
    const struct weftc_interval at = weftc_ranges_interval(ranges, pointer, call);
    if (!weftc_interval_is_known(at) || !find_object(&f, root, &offset, &length))
        return NULL;
    LLVMValueRef end = number(&f, WEFTC_ENDLESS / 2), first = LLVMBuildAdd(b, offset, at.low, ""),
                 last = LLVMBuildAdd(b, offset, at.high, "");
    last = LLVMBuildAdd(b, last, number(&f, (int64_t)LLVMConstIntGetZExtValue(size)), "");
    const LLVMValueRef conditions[] = {LLVMBuildICmp(b, LLVMIntULT, offset, end, ""),
                                       LLVMBuildICmp(b, LLVMIntULT, length, end, ""),
                                       LLVMBuildICmp(b, LLVMIntSLE, number(&f, 0), first, ""),
                                       LLVMBuildICmp(b, LLVMIntSLE, last, length, "")};
    for (size_t k = 0; k < WEFT_COUNT_OF(conditions); k++)
        fits = LLVMBuildAnd(b, fits, conditions[k], "");
    return fits;
}

// ---- objects ----

// The object that the pointer was made from, over phis and selects too. NULL: there are several.
static LLVMValueRef single_root(LLVMValueRef pointer, struct weftc_map *seen, unsigned depth)
{
    enum { DEEP = 16 };
    for (;; pointer = LLVMGetOperand(pointer, 0)) {
        const LLVMOpcode opcode = weftc_opcode(pointer);
        if (opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast && opcode != LLVMGetElementPtr)
            break;
    }
    if (LLVMIsAArgument(pointer) || LLVMIsAGlobalVariable(pointer) || LLVMIsAAllocaInst(pointer))
        return pointer;
    const bool phi = LLVMIsAPHINode(pointer) != NULL, select = LLVMIsASelectInst(pointer) != NULL;
    if ((!phi && !select) || depth > DEEP)
        return NULL;
    if (weftc_map_get(seen, pointer) != UINT32_MAX)
        return pointer; // says nothing new
    if (!weftc_map_put(seen, pointer, 1))
        return NULL;
    LLVMValueRef root = pointer;
    const unsigned count = phi ? LLVMCountIncoming(pointer) : 2;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef from = phi ? LLVMGetIncomingValue(pointer, k) : LLVMGetOperand(pointer, k + 1);
        LLVMValueRef one = single_root(from, seen, depth + 1);
        if (!one)
            return NULL;
        if (LLVMIsAPHINode(one) || LLVMIsASelectInst(one))
            continue;
        if (root != pointer && root != one)
            return NULL;
        root = one;
    }
    return root;
}

LLVMValueRef weftc_check_single_root(LLVMValueRef pointer)
{
    struct weftc_map seen = {0};
    LLVMValueRef root = single_root(pointer, &seen, 0);
    weftc_map_free(&seen);
    // a phi of nothing but itself
    return root && (LLVMIsAPHINode(root) || LLVMIsASelectInst(root)) ? NULL : root;
}
