// Between bridge/clang.cpp and bridge/clang_late_builtins.cpp alone.
#ifndef WEFT_BRIDGE_LATE_BUILTINS_H
#define WEFT_BRIDGE_LATE_BUILTINS_H

#include <clang/Frontend/CompilerInstance.h>

// From now on the built-in functions that Clang's table lacks are declared when a program names them. Call before ci makes its Sema.
void weft_declare_late_builtins(clang::CompilerInstance &ci);

#endif
