// Handlers for failures that LLVM or the C++ library can't continue after. Owns the two handlers, which are
// set once at the start of the process.
#include "compiler/bridge/bridge.h"

#include <llvm/Support/ErrorHandling.h>
#include <new>

static void (*out_of_memory)(void);
static void (*fatal_error)(const char *reason);

static void on_bad_alloc(void *, const char *, bool)
{
    out_of_memory();
}

static void on_fatal_error(void *, const char *reason, bool)
{
    fatal_error(reason);
}

void weft_bridge_on_failure(void (*no_memory)(void), void (*fatal)(const char *reason))
{
    out_of_memory = no_memory;
    fatal_error = fatal;
    std::set_new_handler(no_memory);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    llvm::install_fatal_error_handler(on_fatal_error);
}
