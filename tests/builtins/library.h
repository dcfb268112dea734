// The library under test, which WEFT_TEST_LIBRARY names: built-in functions, compiled for one level of
// processors.
#ifndef WEFT_TESTS_BUILTINS_LIBRARY_H
#define WEFT_TESTS_BUILTINS_LIBRARY_H

#include "harness.h"

#include <dlfcn.h>

#include "level.h"

// Skips the test on a processor that can't run the library.
static void *function_named(const char *name)
{
    static void *library;
    const char *path = getenv("WEFT_TEST_LIBRARY");
    const char *lacking = path ? level_lacking(path) : NULL;
    if (lacking)
        SKIP("%s", lacking);
    if (!library && path)
        library = dlopen(path, RTLD_NOW);
    if (!library)
        FAIL("WEFT_TEST_LIBRARY=%s: %s", path ? path : "", path ? dlerror() : "not set");
    void *f = dlsym(library, name);
    if (!f)
        FAIL("%s is absent", name);
    return f;
}

#endif
