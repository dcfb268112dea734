// The processor that code is generated for: by default the one that weftc runs on, determined at run time.
// Owns LLVM's target machine, and the identity by which the runtime recognizes code for another processor.
// The other files of this folder have what is known about each family of processors.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/codegen.h"

// LLVM's code generator that is linked, WEFTC_LLVM_TARGET: X86, AArch64 ...
#define CALL_OF(target, part) LLVMInitialize##target##part
#define INITIALIZER(target, part) CALL_OF(target, part)

#ifndef WEFTC_TARGET_TRIPLE
#define WEFTC_TARGET_TRIPLE NULL
#endif
// LLVM's name of the other machine that code is for. NULL: it is for the machine that this runs on.
static const char *const other_machine = WEFTC_TARGET_TRIPLE;

extern const struct weftc_target_ops WEFTC_TARGET_OPS;
const struct weftc_target_ops *const weftc_target_ops = &WEFTC_TARGET_OPS;

// LLVM's symbolic expressions of values: the nodes of one. Beyond that, a sum of many terms stays a sum of
// two expressions. It would otherwise be one sum of as many terms as the source has, which loop strength
// reduction sorts, splits and compares again and again (64 terms: 5 s; LLVM's own limit is 4096 nodes).
enum { MAX_EXPRESSION = 128 };

// LLVM's strings have an allocator of their own. All strings in struct weftc_target are freed with weft_free.
static char *take_llvm_string(char *s)
{
    char *copy = weft_strdup(s);
    LLVMDisposeMessage(s);
    return copy;
}

static void add_to_features(struct weftc_target *t, const char *more)
{
    char *all = weft_format("%s%s%s", t->features, *t->features ? "," : "", more);
    weft_free(t->features);
    t->features = all;
}

static void choose_cpu(struct weftc_target *t, const char *triple, const char *wanted)
{
    char *features =
        wanted ? weft_bridge_cpu_features(triple, wanted, weftc_target_ops->needed_feature) : NULL;
    t->by_name = features || other_machine;
    if (features) {
        t->cpu = weft_strdup(wanted);
        t->features = weft_strdup(features);
        free(features);
        return;
    }
    if (wanted)
        weft_log_ignored_setting("WEFT_CPU=%.100s is ignored: LLVM knows no processor of that "
                                 "name with 64-bit code",
                                 wanted);
    if (other_machine) {
        features = weft_bridge_cpu_features(triple, "generic", weftc_target_ops->needed_feature);
        t->cpu = weft_strdup("generic");
        t->features = weft_strdup(features ? features : "");
        free(features);
        return;
    }
    t->cpu = take_llvm_string(LLVMGetHostCPUName());
    t->features = take_llvm_string(LLVMGetHostCPUFeatures());
    if (t->features && weftc_target_ops->host_features) {
        char more[512] = "";
        weftc_target_ops->host_features(more, sizeof more);
        add_to_features(t, more);
    }
}

static void add_features(struct weftc_target *t)
{
    const char *more = NULL;
    if (t->cpu && t->features && weftc_target_ops->more_features)
        more = weftc_target_ops->more_features(t->cpu, t->features);
    if (!more)
        return;
    add_to_features(t, more);
}

weft_status weftc_target_init(struct weftc_target *t, const char *cpu_override, int level)
{
    if (!cpu_override && level > 0 && level < weft_arch_level() && level < weftc_target_ops->level_count)
        cpu_override = weftc_target_ops->levels[level];
    *t = (struct weftc_target){0};
    // No other code generator is linked.
    INITIALIZER(WEFTC_LLVM_TARGET, TargetInfo)();
    INITIALIZER(WEFTC_LLVM_TARGET, Target)();
    INITIALIZER(WEFTC_LLVM_TARGET, TargetMC)();
    INITIALIZER(WEFTC_LLVM_TARGET, AsmPrinter)();
    INITIALIZER(WEFTC_LLVM_TARGET, AsmParser)();
    weftc_bridge_keep_number("scalar-evolution-huge-expr-threshold", MAX_EXPRESSION);
    char *triple = other_machine ? LLVMCreateMessage(other_machine) : LLVMGetDefaultTargetTriple();
    weft_status status = WEFT_NO_MEMORY;
    choose_cpu(t, triple, cpu_override);
    add_features(t);
    t->prices = weft_alloc_array(1, sizeof *t->prices);
    if (!t->cpu || !t->features || !t->prices)
        goto fail;

    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        weft_log(WEFT_LOG_ERROR, "target %s: %s", triple, message);
        LLVMDisposeMessage(message);
        status = WEFT_UNSUPPORTED;
        goto fail;
    }
    t->machine = LLVMCreateTargetMachine(target, triple, t->cpu, t->features, LLVMCodeGenLevelDefault,
                                         LLVMRelocPIC, LLVMCodeModelSmall);
    if (!t->machine) {
        status = WEFT_UNSUPPORTED;
        goto fail;
    }
    weftc_target_ops->describe(t);

    struct weft_hash hash = weft_hash_str((struct weft_hash){0}, t->features);
    char hex[33];
    weft_hash_hex(hash, hex);
    t->identity = weft_format("%s/%s/%.8s/v%u", triple, t->cpu, hex, t->native_width);
    if (!t->identity)
        goto fail;
    LLVMDisposeMessage(triple);
    return WEFT_OK;

fail:
    LLVMDisposeMessage(triple);
    weftc_target_fini(t);
    return status;
}

bool weftc_target_fuses(const struct weftc_target *t, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) == LLVMHalfTypeKind)
        return t->has_fp16;
    return t->fuses;
}

// Sets a constant that built-in functions read. A variable of the same name that the program defines stays as
// it is.
static void set_fact(LLVMModuleRef module, const char *name, bool value)
{
    LLVMValueRef fact = LLVMGetNamedGlobal(module, name);
    if (!fact || !LLVMIsDeclaration(fact) ||
        LLVMGetTypeKind(LLVMGlobalGetValueType(fact)) != LLVMIntegerTypeKind)
        return;
    LLVMSetLinkage(fact, LLVMInternalLinkage);
    LLVMSetInitializer(fact, LLVMConstInt(LLVMGlobalGetValueType(fact), value, false));
    LLVMSetGlobalConstant(fact, true);
}

void weftc_target_describe(const struct weftc_target *t, LLVMModuleRef module, bool relaxed)
{
    set_fact(module, "__weft_relaxed_math", relaxed);
    set_fact(module, "__weft_target_has_estimates", t->has_estimates);
    set_fact(module, "__weft_target_has_fma", t->has_fma);
    set_fact(module, "__weft_target_has_fp16", t->has_fp16);
    set_fact(module, "__weft_target_has_math_primitives", t->has_math_primitives);
}

void weftc_target_fini(struct weftc_target *t)
{
    if (t->machine)
        LLVMDisposeTargetMachine(t->machine);
    weft_free(t->cpu);
    weft_free(t->features);
    weft_free(t->identity);
    weft_free(t->prices);
    *t = (struct weftc_target){0};
}
