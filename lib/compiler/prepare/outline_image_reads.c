// Reads and writes of images. A read of an image of any format is about thirty blocks (ADR 13), which would
// be repeated for each read in scalar code and in the vectorizer's slow path, and LLVM takes more than
// linear time for hundreds of them in one function. So they are outlined (ADR 30). The vectorizer then
// makes a function that all lanes call together (vectorize/legalize/callees.c).
//
// An outlined function is specialized for one built-in function and, where the sampler is a constant, for one
// sampler, or for what many samplers have in common. Its size is measured after that specialization.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "compiler/prepare/call_graph.h"
#include "compiler/prepare/prepare.h"

// Accesses of the most common format are inlined again for the body that knows it (prepare/image_versions.c).
// So only those of other formats are called. A kernel without such a body calls its accesses if they are more
// than FEW, and all of them together are more than MAX_INLINED instructions when inlined.
enum { FEW = 4, MAX_INLINED = 7200 };

// So many constant samplers of one built-in function share an outlined function. A function for any sampler
// is as large as those for two of them. Where the body for the most common format has functions of its own,
// other formats alone pay for that.
enum { MANY_SAMPLERS = 3, MANY_SAMPLERS_OF_ALL_FORMATS = 6 };

// Runs after the sampler became a constant, and removes the code that depends on it.
static const char *const simplify =
    "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,simplifycfg";
static const char *const simplify_quickly = "sroa,early-cse,simplifycfg";
static const char *const unroll =
    "early-cse,simplifycfg,loop(loop-rotate,loop-unroll-full),sroa,early-cse,simplifycfg";

struct kind {
    LLVMValueRef function; // the built-in function
    LLVMValueRef sampler;  // a constant; NULL: there is no sampler, it isn't known, or there are several
    LLVMValueRef called;   // the specialized function
    uint64_t times;        // how often it occurs
    uint64_t any, all;     // bits that one of the samplers has, that all of them have
    bool writes, shared;   // shared: by several constant samplers
};

struct kinds {
    struct kind *list;
    size_t count, capacity;
};

static bool is_one_of(LLVMValueRef f, const char *const *names, size_t count)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    for (size_t k = 0; k < count; k++)
        if (!LLVMIsDeclaration(f) && strncmp(name, names[k], strlen(names[k])) == 0 &&
            strncmp(name + strlen(names[k]), "PU", 2) != 0)
            return true;
    return false;
}

static bool is_image_write(LLVMValueRef f)
{
    static const char *const names[] = {"_Z12write_imagef", "_Z12write_imagei", "_Z13write_imageui"};
    return is_one_of(f, names, WEFT_COUNT_OF(names));
}

bool weftc_is_image_access(LLVMValueRef f)
{
    // Mangled names: the length of the source's name, then that name.
    static const char *const names[] = {"_Z11read_imagef", "_Z11read_imagei", "_Z12read_imageui"};
    return is_one_of(f, names, WEFT_COUNT_OF(names)) || is_image_write(f);
}

// ---- loops that the program requests to be unrolled ----
// They are unrolled before reads are counted: a read in such a loop stands for many.

static bool wants_unrolling(LLVMContextRef c, LLVMValueRef branch)
{
    unsigned kind = LLVMGetMDKindIDInContext(c, "llvm.loop", strlen("llvm.loop"));
    LLVMValueRef loop = LLVMGetMetadata(branch, kind);
    unsigned count = loop ? LLVMGetMDNodeNumOperands(loop) : 0;
    if (count < 2)
        return false;
    bool wants = false;
    LLVMValueRef *operands = weft_alloc_array(count, sizeof(LLVMValueRef));
    if (!operands)
        return false;
    LLVMGetMDNodeOperands(loop, operands);
    for (unsigned k = 1; k < count && !wants; k++) {
        LLVMValueRef property = operands[k], name;
        if (!property || !LLVMIsAMDNode(property) || LLVMGetMDNodeNumOperands(property) != 1)
            continue;
        LLVMGetMDNodeOperands(property, &name);
        unsigned length = 0;
        const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &length) : "";
        wants =
            (length == strlen("llvm.loop.unroll.enable") &&
             memcmp(text, "llvm.loop.unroll.enable", length) == 0) ||
            (length == strlen("llvm.loop.unroll.full") && memcmp(text, "llvm.loop.unroll.full", length) == 0);
    }
    weft_free(operands);
    return wants;
}

static bool requests_unrolling(LLVMValueRef f)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(b);
        if (branch && wants_unrolling(c, branch))
            return true;
    }
    return false;
}

weft_status weftc_prepare_read_loops(LLVMModuleRef module, const struct weftc_target *target)
{
    bool reads = false, request = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        reads |= weftc_is_image_access(f) && LLVMGetFirstUse(f);
        request |= requests_unrolling(f);
    }
    if (!reads || !request)
        return WEFT_OK;
    // LLVM doesn't unroll a loop with a call that it expects to be inlined.
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            weftc_add_attribute(f, WEFTC_OF_FUNCTION, "noinline", 0);
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f))
        ok = !requests_unrolling(f) || weftc_bridge_run_on(f, target->machine, unroll);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            weftc_remove_attribute(f, WEFTC_OF_FUNCTION, "noinline");
    return ok ? WEFT_OK : WEFT_INTERNAL;
}

// ---- kinds of reads ----

// The index of the sampler parameter; UINT32_MAX: there is none.
static unsigned sampler_of(LLVMValueRef f)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return strstr(name, "11ocl_sampler") ? 1 : UINT32_MAX;
}

// The number of a constant sampler (weft/image.h). False: it isn't known here.
static bool number_of(LLVMValueRef sampler, uint64_t *number)
{
    *number = 0;
    if (LLVMIsNull(sampler))
        return true;
    LLVMValueRef integer = weftc_opcode(sampler) == LLVMIntToPtr ? LLVMGetOperand(sampler, 0) : NULL;
    if (!integer || !LLVMIsAConstantInt(integer))
        return false;
    *number = LLVMConstIntGetZExtValue(integer);
    return true;
}

static struct kind *kind_for(struct kinds *k, LLVMValueRef function, LLVMValueRef sampler)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].function == function && (k->list[i].sampler == sampler || k->list[i].shared))
            return &k->list[i];
    if (k->count == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 8;
        struct kind *larger = weft_realloc(k->list, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        k->list = larger;
        k->capacity = capacity;
    }
    struct kind *added = &k->list[k->count++];
    *added = (struct kind){.function = function, .sampler = sampler, .writes = is_image_write(function)};
    added->any = UINT64_MAX;
    if (sampler && number_of(sampler, &added->any))
        added->all = added->any;
    return added;
}

static struct kind *kind_of(struct kinds *k, LLVMValueRef call)
{
    LLVMValueRef f = weftc_callee(call), sampler = NULL;
    unsigned at = sampler_of(f);
    if (at < LLVMGetNumArgOperands(call) && LLVMIsConstant(LLVMGetOperand(call, at)))
        sampler = LLVMGetOperand(call, at);
    return kind_for(k, f, sampler);
}

static weft_status find_kinds(struct kinds *k, const struct weftc_map *index, const uint64_t *times,
                              LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!weftc_is_image_access(f))
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef call = LLVMGetUser(use);
            if (weftc_callee(call) != f)
                continue;
            LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
            uint32_t at = weftc_map_get(index, caller);
            if (at == UINT32_MAX)
                continue;
            struct kind *kind = kind_of(k, call);
            if (!kind)
                return WEFT_NO_MEMORY;
            kind->times = weftc_saturated_sum(kind->times, times[at]);
        }
    }
    return WEFT_OK;
}

// Kinds that only differ in their constant sampler become one if they are many.
static void share_kinds(struct kinds *k, size_t many)
{
    for (size_t i = 0; i < k->count; i++) {
        struct kind *first = &k->list[i];
        size_t samplers = 0, kept = i + 1;
        for (size_t j = i; j < k->count; j++)
            samplers += k->list[j].function == first->function && k->list[j].sampler;
        if (samplers < many)
            continue;
        for (size_t j = i + 1; j < k->count; j++) {
            const struct kind *other = &k->list[j];
            if (other->function != first->function) {
                k->list[kept++] = *other;
                continue;
            }
            first->times = weftc_saturated_sum(first->times, other->times);
            first->any |= other->any;
            first->all &= other->all;
        }
        k->count = kept;
        first->sampler = NULL;
        first->shared = true;
    }
}

// Tells a function what all of its samplers have in common.
static void restrict_sampler(LLVMValueRef f, unsigned at, uint64_t any, uint64_t all)
{
    LLVMValueRef sampler = LLVMGetParam(f, at);
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
    LLVMValueRef number = LLVMBuildPtrToInt(b, sampler, LLVMInt64TypeInContext(c), "");
    LLVMValueRef known =
        LLVMBuildOr(b, LLVMBuildAnd(b, number, weftc_i64(c, any), ""), weftc_i64(c, all), "");
    LLVMValueRef instead = LLVMBuildIntToPtr(b, known, LLVMTypeOf(sampler), "");
    LLVMReplaceAllUsesWith(sampler, instead);
    LLVMSetOperand(number, 0, sampler);
    LLVMDisposeBuilder(b);
}

// Makes the specialized function of this kind.
static bool specialize(struct kind *kind, const struct weftc_target *target, bool quick)
{
    size_t length;
    char *name = weft_format("%s.called", LLVMGetValueName2(kind->function, &length));
    if (!name)
        return false;
    kind->called = weftc_bridge_clone_function(kind->function, name);
    weft_free(name);
    if (kind->sampler)
        LLVMReplaceAllUsesWith(LLVMGetParam(kind->called, sampler_of(kind->function)), kind->sampler);
    if (kind->shared)
        restrict_sampler(kind->called, sampler_of(kind->function), kind->any, kind->all);
    return weftc_bridge_run_on(kind->called, target->machine, quick ? simplify_quickly : simplify);
}

static void replace_calls(struct kinds *k, LLVMValueRef function)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use);
        struct kind *kind = weftc_callee(call) == function ? kind_of(k, call) : NULL;
        if (kind && kind->called)
            LLVMSetOperand(call, LLVMGetNumArgOperands(call), kind->called);
    }
}

static void mark(LLVMValueRef f, bool writes)
{
    static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree", "norecurse"};
    for (size_t k = 0; k < WEFT_COUNT_OF(attributes); k++)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[k], 0);
    if (!writes)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, "memory", WEFTC_MEMORY_READ);
    weftc_fact_attribute_set(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED, "", 0);
}

// What all accesses of a kernel are together.
struct sums {
    uint64_t times, size; // size: instructions when inlined
};

static struct sums sums_of(const struct kinds *kinds)
{
    struct sums s = {0};
    for (size_t k = 0; k < kinds->count; k++) {
        const struct kind *kind = &kinds->list[k];
        uint64_t all; // inlined, each would be specialized for its sampler
        if (__builtin_mul_overflow(weftc_function_size(kind->called) >> kind->shared, kind->times, &all))
            all = UINT64_MAX;
        s.size = weftc_saturated_sum(s.size, all);
        s.times = weftc_saturated_sum(s.times, kind->times);
    }
    return s;
}

// Is an access of this kind a call?
static bool is_called(const struct kind *kind, const struct sums *sums, bool versions)
{
    const uint64_t request = weft_config_uint(WEFT_CFG_IMAGE_READS);
    if (request)
        return request == 2;
    return versions || (sums->times > FEW && sums->size > MAX_INLINED && kind->times > 1);
}

weft_status weftc_prepare_outline_image_accesses(LLVMModuleRef module, const struct weftc_map *index,
                                                 const uint64_t *times, const struct weftc_target *target,
                                                 const struct weftc_kernel_options *options, bool *changed)
{
    struct kinds kinds = {0};
    *changed = false;
    weft_status status = find_kinds(&kinds, index, times, module);
    const bool quick = options->level == WEFT_LEVEL_QUICK || options->opt_disable;
    const bool versions = weftc_can_have_image_versions(module);
    share_kinds(&kinds, versions ? MANY_SAMPLERS : MANY_SAMPLERS_OF_ALL_FORMATS);
    for (size_t k = 0; k < kinds.count && status == WEFT_OK; k++)
        if (!specialize(&kinds.list[k], target, quick))
            status = WEFT_INTERNAL;
    const struct sums sums = status == WEFT_OK ? sums_of(&kinds) : (struct sums){0};
    uint64_t called = 0;
    for (size_t k = 0; k < kinds.count && status == WEFT_OK; k++) {
        struct kind *kind = &kinds.list[k];
        if (is_called(kind, &sums, versions)) {
            mark(kind->called, kind->writes);
            called = weftc_saturated_sum(called, kind->times);
        } else {
            LLVMDeleteFunction(kind->called);
            kind->called = NULL;
        }
    }
    *changed = called > 0;
    for (size_t k = 0; k < kinds.count && *changed; k++)
        replace_calls(&kinds, kinds.list[k].function);
    if (status == WEFT_OK && sums.times)
        weft_log(WEFT_LOG_DEBUG, "%llu image accesses, %llu instructions: %llu are outlined",
                 (unsigned long long)sums.times, (unsigned long long)sums.size, (unsigned long long)called);
    weft_free(kinds.list);
    return status;
}
