// Clang's arguments for a program. They come from the application's build options and the device's features.
// OpenCL 3.0 §5.8.6.
#include <string.h>

#include "base/base.h"
#include "compiler/frontend/clang_arguments.h"
#include "compiler/ir/denormals.h"
#include "weft/checker.h"
#include "weft/protocol.h"

// Clang needs about 10 KiB of stack for each level of brackets. The big stack has room for this many levels.
#define BRACKET_DEPTH "20000"

static void add(struct weftc_clang_arguments *a, const char *arg)
{
    if (a->failed)
        return;
    if (a->count == a->capacity) {
        size_t capacity = a->capacity ? 2 * a->capacity : 64, bytes;
        const char **list =
            weft_mul_size(capacity, sizeof *list, &bytes) ? weft_realloc(a->list, bytes) : NULL;
        char **owned =
            list && weft_mul_size(capacity, sizeof *owned, &bytes) ? weft_realloc(a->owned, bytes) : NULL;
        if (list)
            a->list = list;
        if (owned)
            a->owned = owned;
        if (!owned) {
            a->failed = true;
            return;
        }
        a->capacity = capacity;
    }
    a->list[a->count++] = arg;
}

static void add_owned(struct weftc_clang_arguments *a, char *arg)
{
    size_t before = a->count;
    if (arg)
        add(a, arg);
    if (a->count == before) {
        weft_free(arg);
        a->failed = true;
        return;
    }
    a->owned[a->owned_count++] = arg;
}

void weftc_clang_arguments_fini(struct weftc_clang_arguments *a)
{
    for (size_t i = 0; i < a->owned_count; i++)
        weft_free(a->owned[i]);
    weft_free(a->owned);
    weft_free(a->list);
}

// What the device offers, from the one list of extensions and features. Extensions that Clang doesn't know
// belong to the host API.
static const struct {
    const char *extension; // argument of -cl-ext
    const char *macro;     // argument of -D; NULL: Clang defines the macro together with the extension
    uint32_t since;        // first version of OpenCL C that has it
} features[] = {
#define WEFT_EXTENSION(name, major, minor, patch) {"+" #name, NULL, 100},
#define WEFT_COMMON_EXTENSION(name, major, minor, patch) {"+" #name, "-D" #name "=1", 100},
#define WEFT_LANGUAGE_EXTENSION(name, major, minor, patch) {"+" #name, "-D" #name "=1", 200},
#define WEFT_LANGUAGE_FEATURE(name, major, minor, patch) {"+" #name, "-D" #name "=1", 200},
#define WEFT_COMMON_FEATURE(name, major, minor, patch) {"+" #name, "-D" #name "=1", 100},
#include "weft/features.def"
};

// Does this version of the language have feature i, and does the device offer it?
static bool has_feature(size_t i, uint32_t version)
{
    return features[i].since <= version && weft_offers_extension(features[i].extension + 1);
}

static void enable_all(struct weftc_clang_arguments *a, uint32_t version)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(features); i++) {
        if (!has_feature(i, version))
            continue;
        add_owned(a, weft_format("-cl-ext=%s", features[i].extension));
        if (features[i].macro)
            add(a, features[i].macro);
    }
}

// Finds a feature by its name, without a sign. Returns its index, or SIZE_MAX if the device has no such
// extension.
static size_t find_feature(const char *name, size_t length)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(features); i++)
        if (strlen(features[i].extension) == length + 1 &&
            memcmp(features[i].extension + 1, name, length) == 0)
            return weft_offers_extension(features[i].extension + 1) ? i : SIZE_MAX;
    return SIZE_MAX;
}

// Defines or undefines the macro of a feature, if the language has the feature and Clang leaves its macro to
// us. The last definition on the command line counts.
static void choose_macro(struct weftc_clang_arguments *a, bool on, size_t feature, uint32_t version)
{
    if (!features[feature].macro || !has_feature(feature, version))
        return;
    if (on)
        add(a, features[feature].macro);
    else
        add_owned(a, weft_format("-U%s", features[feature].extension + 1));
}

// -cl-ext=+name,-name,...: switches extensions of the device off, and on again. An extension that the device
// lacks can't be switched on. Otherwise its macro would be defined, and the code would fail later or compute
// something else.
static void choose_extensions(struct weftc_clang_arguments *a, const char *list, uint32_t version,
                              struct weft_buf *log)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        bool all = length == 4 && memcmp(list + 1, "all", 3) == 0;
        size_t feature = length ? find_feature(list + 1, length - 1) : SIZE_MAX;
        if (all && *list == '+')
            enable_all(a, version);
        else if (*list == '-' || feature != SIZE_MAX)
            add_owned(a, weft_format("-cl-ext=%.*s", (int)length, list));
        for (size_t i = 0; all && *list == '-' && i < WEFT_COUNT_OF(features); i++)
            choose_macro(a, false, i, version);
        if (feature != SIZE_MAX)
            choose_macro(a, *list == '+', feature, version);
        else if (*list == '+' && !all)
            weft_buf_printf(log, "warning: this device has no extension '%.*s'; -cl-ext can't switch it on\n",
                            (int)length - 1, list + 1);
        if (!list[length])
            return;
        list += length + 1;
    }
}

// For languages from OpenCL 2.0 on, Clang requires cl_khr_subgroups where pipes and device queues use
// sub-groups. From 3.0 on it knows the feature, but programs still name the extension in a pragma. The device
// has all these functions. It lacks only the independent forward progress that the extension promises, so the
// extension's macro stays undefined.
static void add_sub_groups(struct weftc_clang_arguments *a, uint32_t version)
{
    if (version < 200)
        return;
    add(a, "-cl-ext=+cl_khr_subgroups");
    add(a, "-Ucl_khr_subgroups");
}

static void add_features(struct weftc_clang_arguments *a, uint32_t version, bool fast_fma)
{
    add(a, "-cl-ext=-all");
    enable_all(a, version);
    add_sub_groups(a, version);
    add_owned(a, weft_format("-D__OPENCL_VERSION__=%u", weft_cl_version()));
    if (fast_fma) {
        add(a, "-DFP_FAST_FMAF=1");
        add(a, "-DFP_FAST_FMA=1");
    }
}

// Errors in Clang that programs written for GPU drivers rely on being warnings.
static const char *const lenient[] = {
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=implicit-int",
    "-Wno-error=return-type",
};

static void add_flags(struct weftc_clang_arguments *a, const struct weft_build_options *o)
{
    if (o->no_warnings)
        add(a, "-w");
    if (o->warnings_as_errors)
        add(a, "-Werror");
    else
        for (size_t i = 0; i < WEFT_COUNT_OF(lenient); i++)
            add(a, lenient[i]);
    // Kernels read floats as integers and rows as uint4, and other OpenCL implementations accept it. So
    // type-based alias analysis is used only where the program asks for it. The checker wants to know where
    // structures have gaps, and removes the rest.
    if (!o->strict_aliasing && !(o->check >> WEFT_CHECK_UNINIT & 1))
        add(a, "-relaxed-aliasing");
    if (o->debug) {
        add(a, "-debug-info-kind=constructor");
        add(a, "-dwarf-version=4");
        // Then the language is C: lldb shows no variables of a language OpenCL.
        add(a, "-gstrict-dwarf");
        add(a, "-ggnu-pubnames"); // for gdb's index (bridge/lld.cpp)
    } else if (o->report || o->lines || o->check) {
        add(a, "-debug-info-kind=line-tables-only");
        add(a, "-dwarf-version=4");
    }
    if (o->check)
        add(a, "-gembed-source"); // findings quote the line
    if (o->single_precision_constant)
        add(a, "-cl-single-precision-constant");
    if (o->denorms_are_zero)
        // doubles are left alone, and so is a kernel that has some (ir/denormals.h)
        add(a, "-fdenormal-fp-math-f32=" WEFTC_DENORMALS_ARE_ZERO);
    if (o->mad_enable)
        add(a, "-cl-mad-enable");
    if (o->no_signed_zeros)
        add(a, "-cl-no-signed-zeros");
    if (o->unsafe_math)
        add(a, "-cl-unsafe-math-optimizations");
    if (o->finite_math_only)
        add(a, "-cl-finite-math-only");
    if (o->fast_relaxed_math)
        add(a, "-cl-fast-relaxed-math");
    if (o->correctly_rounded_divide_sqrt)
        add(a, "-cl-fp32-correctly-rounded-divide-sqrt");
    if (o->uniform_work_group_size)
        add(a, "-cl-uniform-work-group-size");
}

// The version of the language. Clang knows versions up to 3.0. OpenCL C 3.1 adds extensions, which Weft
// offers anyway, and conversions of printf.
static void add_standard(struct weftc_clang_arguments *a, uint32_t version)
{
    const uint32_t known = version < 300 ? version : 300;
    add_owned(a, weft_format("-cl-std=CL%u.%u", known / 100, known / 10 % 10));
    if (weft_language_version() >= 310)
        add(a, "-DCL_VERSION_3_1=310");
    if (version > known) {
        add(a, "-U__OPENCL_C_VERSION__");
        add_owned(a, weft_format("-D__OPENCL_C_VERSION__=%u", version));
    }
}

void weftc_clang_arguments(struct weftc_clang_arguments *a, const struct weft_build_options *o, bool fast_fma,
                           const char *source, bool embedded_headers, struct weft_buf *log)
{
    uint32_t version = o->cl_std ? o->cl_std : 120;
    static const char *const fixed[] = {
        "-triple",
        "spir64-unknown-unknown",
        // As in an optimising compile, so that Clang emits lifetimes and alias information. But LLVM's passes
        // are off: the stages of weftc decide.
        "-O2",
        "-disable-llvm-passes",
        "-emit-llvm",
        "-x",
        "cl",
        "-fdeclare-opencl-builtins",
        // otherwise Clang looks for its own headers in "include" relative to the application's folder
        "-nobuiltininc",
        "-nostdsysteminc", // kernels don't use the host's headers
        "-include",
        WEFTC_PRELUDE_PATH,
        "-cl-kernel-arg-info",
        "-fno-gnu-inline-asm", // a kernel can't contain inline assembly, and so makes no system calls
        "-fbracket-depth",
        BRACKET_DEPTH,
    };
    for (size_t i = 0; i < WEFT_COUNT_OF(fixed); i++)
        add(a, fixed[i]);
    add(a, "-main-file-name");
    add(a, source);
    if (o->cpp) {
        add(a, version == 300 ? "-cl-std=CLC++2021" : "-cl-std=CLC++1.0");
        if (version < 300)
            // Blocks are part of OpenCL C 2.0. Clang leaves them out of C++ for OpenCL 1.0.
            add(a, "-fblocks");
        add(a, "-fno-use-cxa-atexit");     // frontend/cxx_lifetimes.c expects atexit
        add(a, "-fno-threadsafe-statics"); // for inline variables; one work-item constructs them
    } else {
        add_standard(a, version);
    }
    add_features(a, version, fast_fma);
    add_flags(a, o);
    if (embedded_headers)
        add(a, "-I.");
    for (uint32_t i = 0; i < o->arg_count; i++) {
        const char *arg = o->args[i];
        if (arg[1] == 'D' || arg[1] == 'U' || arg[1] == 'I')
            add(a, arg);
        else if (strncmp(arg, "-cl-ext=", 8) == 0)
            choose_extensions(a, arg + 8, version, log);
        else if (arg[1] == 'W' && strcmp(arg, "-Werror") != 0)
            add(a, arg);
    }
    add(a, source);
}
