// Reads of images. A read of an image of any format is about thirty blocks (ADR 13), which would be repeated
// for each read in scalar code and in the vectorizer's slow path, and LLVM takes more than linear time for
// hundreds of them in one function. So they are outlined (ADR 30). The vectorizer then makes a function that
// all lanes call together (vectorize/legalize/callees.c).
//
// An outlined function is specialized for one built-in function and, where the sampler is a constant, for one
// sampler. Its size is measured after that specialization.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "compiler/prepare/prepare.h"

// A kernel's reads are outlined if they are more than `few`, and all of them together are more than
// `max_inlined` instructions when inlined.
struct limits {
    uint64_t few, max_inlined;
};

// Reads of the most common format are inlined again for the body that knows it (prepare/image_versions.c). So
// only reads of other formats are called.
static const struct limits with_versions = {.few = 0, .max_inlined = 0};
static const struct limits without_versions = {.few = 4, .max_inlined = 7200};

// Runs after the sampler became a constant, and removes the code that depends on it.
static const char *const simplify =
    "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint;max-iterations=1>,simplifycfg";
static const char *const simplify_quickly = "sroa,early-cse,simplifycfg";
static const char *const unroll =
    "early-cse,simplifycfg,loop(loop-rotate,loop-unroll-full),sroa,early-cse,simplifycfg";

struct kind {
    LLVMValueRef function; // the built-in function
    LLVMValueRef sampler;  // a constant; NULL: there is no sampler, or it isn't known
    LLVMValueRef called;   // the specialized function
    uint64_t reads;
};

struct kinds {
    struct kind *list;
    size_t count, capacity;
};

// Is this the built-in function of an image read?
bool weftc_is_image_read(LLVMValueRef f)
{
    // Mangled names: the length of the source's name, then that name.
    static const char *const names[] = {"_Z11read_imagef", "_Z11read_imagei", "_Z12read_imageui"};
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    for (size_t k = 0; k < WEFT_COUNT_OF(names); k++)
        if (!LLVMIsDeclaration(f) && strncmp(name, names[k], strlen(names[k])) == 0 &&
            strncmp(name + strlen(names[k]), "PU", 2) != 0)
            return true;
    return false;
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
        reads |= weftc_is_image_read(f) && LLVMGetFirstUse(f);
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

static struct kind *kind_for(struct kinds *k, LLVMValueRef function, LLVMValueRef sampler)
{
    for (size_t i = 0; i < k->count; i++)
        if (k->list[i].function == function && k->list[i].sampler == sampler)
            return &k->list[i];
    if (k->count == k->capacity) {
        size_t capacity = k->capacity ? 2 * k->capacity : 8;
        struct kind *larger = weft_realloc(k->list, capacity * sizeof *larger);
        if (!larger)
            return NULL;
        k->list = larger;
        k->capacity = capacity;
    }
    k->list[k->count] = (struct kind){.function = function, .sampler = sampler};
    return &k->list[k->count++];
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
        if (!weftc_is_image_read(f))
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
            if (__builtin_add_overflow(kind->reads, times[at], &kind->reads))
                kind->reads = UINT64_MAX;
        }
    }
    return WEFT_OK;
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

static void mark(LLVMValueRef f)
{
    static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree", "norecurse"};
    for (size_t k = 0; k < WEFT_COUNT_OF(attributes); k++)
        weftc_add_attribute(f, WEFTC_OF_FUNCTION, attributes[k], 0);
    weftc_add_attribute(f, WEFTC_OF_FUNCTION, "memory", WEFTC_MEMORY_READ);
    weftc_fact_attribute_set(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED, "", 0);
}

weft_status weftc_prepare_outline_image_reads(LLVMModuleRef module, const struct weftc_map *index,
                                              const uint64_t *times, const struct weftc_target *target,
                                              const struct weftc_kernel_options *options, bool *changed)
{
    struct kinds kinds = {0};
    *changed = false;
    weft_status status = find_kinds(&kinds, index, times, module);
    uint64_t reads = 0, size = 0;
    bool quick = options->level == WEFT_LEVEL_QUICK || options->opt_disable;
    const bool versions = weftc_can_have_image_versions(module);
    const struct limits limits = versions ? with_versions : without_versions;
    uint64_t request = weft_config_uint(WEFT_CFG_IMAGE_READS);
    for (size_t k = 0; k < kinds.count; k++)
        if (__builtin_add_overflow(reads, kinds.list[k].reads, &reads))
            reads = UINT64_MAX;
    for (size_t k = 0; k < kinds.count && status == WEFT_OK && (reads > limits.few || request == 2); k++) {
        struct kind *kind = &kinds.list[k];
        if (!specialize(kind, target, quick))
            status = WEFT_INTERNAL;
        uint64_t all, one = weftc_function_size(kind->called);
        if (__builtin_mul_overflow(one, kind->reads, &all) || __builtin_add_overflow(size, all, &size))
            size = UINT64_MAX;
    }
    bool call = request ? request == 2 : size > limits.max_inlined;
    const uint64_t min_reads = request || versions ? 1 : 2; // else a read that occurs once is inlined
    for (size_t k = 0; k < kinds.count && status == WEFT_OK; k++) {
        struct kind *kind = &kinds.list[k];
        if (kind->called && (!call || kind->reads < min_reads)) {
            LLVMDeleteFunction(kind->called);
            kind->called = NULL;
        }
        if (kind->called)
            mark(kind->called);
        *changed |= kind->called != NULL;
    }
    for (size_t k = 0; k < kinds.count && status == WEFT_OK && *changed; k++)
        replace_calls(&kinds, kinds.list[k].function);
    if (status == WEFT_OK && reads)
        weft_log(WEFT_LOG_DEBUG, "%llu image reads, %llu instructions: they are %s",
                 (unsigned long long)reads, (unsigned long long)size, call ? "outlined" : "inlined");
    weft_free(kinds.list);
    return status;
}
