// The translator of SPIR-V, a program: its path, its version, and what it reads. Constant once asked for. The
// driver and the compiler find the same.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

#define NEWEST_MINOR_OF_OLD 4u // SPIR-V 1.4, which the translator of LLVM 14 reads
#define NEWEST_MINOR 6u

#define OLDEST_TRANSLATOR 14u

static char found_translator[PATH_MAX];
static bool is_other; // than the one that was there when Weft was built

// A translator that is part of the installation lies beside weftc, below <folder of libweft.so>/weft.
static void find_own_translator(void)
{
    char real[PATH_MAX];
    Dl_info info;
    const bool in_driver = dladdr(found_translator, &info) && info.dli_fname && strstr(info.dli_fname, ".so");
    if (!realpath(in_driver ? info.dli_fname : "/proc/self/exe", real))
        return;
    *strrchr(real, '/') = '\0';
    const int n = snprintf(found_translator, sizeof found_translator, "%s%s/" WEFT_LLVM_SPIRV_PATH, real,
                           in_driver ? "/weft" : "");
    if (n < 0 || (size_t)n >= sizeof found_translator)
        found_translator[0] = '\0';
}

bool weft_find_other_translator(const char *built, unsigned newest, char *out, size_t size)
{
    const char *slash = strrchr(built, '/');
    if (access(built, X_OK) == 0 || !slash)
        return false;
    for (unsigned version = newest; version >= OLDEST_TRANSLATOR; version--) {
        const int n = snprintf(out, size, "%.*s/llvm-spirv-%u", (int)(slash - built), built, version);
        if (n > 0 && (size_t)n < size && access(out, X_OK) == 0)
            return true;
    }
    return false;
}

static void find_translator(void)
{
    static const char built[] = WEFT_LLVM_SPIRV_PATH;
    if (*built != '/')
        find_own_translator();
    else if (weft_find_other_translator(built, WEFT_LLVM_VERSION, found_translator, sizeof found_translator))
        is_other = true;
    else
        snprintf(found_translator, sizeof found_translator, "%s", built);
}

const char *weft_spirv_translator(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *named = weft_config_str(WEFT_CFG_LLVM_SPIRV);
    if (named || !*WEFT_LLVM_SPIRV_PATH)
        return named ? named : "";
    pthread_once(&once, find_translator);
    return found_translator;
}

bool weft_takes_spirv(void)
{
    // 0: nobody has asked yet. Relaxed: threads that look at the same time find the same.
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        const char *path = weft_spirv_translator();
        answer = *path && access(path, X_OK) == 0 ? 1 : -1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

// The number at the end of `llvm-spirv-19`; 0: there is none.
static unsigned version_in_name(const char *path)
{
    const char *dash = strrchr(path, '-');
    char *end;
    unsigned long version = dash && dash[1] >= '0' && dash[1] <= '9' ? strtoul(dash + 1, &end, 10) : 0;
    return version && !*end && version < 1000 ? (unsigned)version : 0;
}

unsigned weft_spirv_translator_version(void)
{
    const char *named = weft_config_str(WEFT_CFG_LLVM_SPIRV);
    if (!named) {
        const char *path = weft_spirv_translator();
        return is_other ? version_in_name(path) : WEFT_LLVM_SPIRV_VERSION;
    }
    if (strcmp(named, WEFT_LLVM_SPIRV_PATH) == 0)
        return WEFT_LLVM_SPIRV_VERSION;
    // Relaxed: threads that look at the same time find the same. 1 more than the version.
    static _Atomic unsigned known;
    unsigned answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (!answer) {
        char real[PATH_MAX];
        answer = 1 + version_in_name(realpath(named, real) ? real : named);
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer - 1;
}

uint32_t weft_spirv_newest_minor(void)
{
    return weft_spirv_translator_version() >= WEFT_TRANSLATOR_OF_1_6 ? NEWEST_MINOR : NEWEST_MINOR_OF_OLD;
}

void weft_report_translator(void)
{
    const char *named = weft_config_str(WEFT_CFG_LLVM_SPIRV);
    if (named && *named && !weft_takes_spirv())
        weft_log_ignored_setting("WEFT_LLVM_SPIRV=%.100s can't be run, so the device takes no SPIR-V", named);
}
