// Turns mangled names of functions into the names in the source, for messages. Stateless.
#include "compiler/bridge/bridge.h"

#include <cstdlib>
#include <cstring>

#include <llvm/Demangle/Demangle.h>

extern "C" {
#include "base/base.h"
}

char *weft_bridge_source_name(const char *name)
{
    llvm::ItaniumPartialDemangler mangled;
    if (std::strncmp(name, "_Z", 2) != 0 || mangled.partialDemangle(name) || !mangled.isFunction())
        return weft_strdup(name);
    char *text = mangled.getFunctionName(nullptr, nullptr);
    char *copy = weft_strdup(text ? text : name);
    std::free(text);
    return copy;
}
