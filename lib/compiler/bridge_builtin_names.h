// Between bridge_clang.cpp and bridge_builtin_names.cpp alone.
#ifndef WEFT_BRIDGE_BUILTIN_NAMES_H
#define WEFT_BRIDGE_BUILTIN_NAMES_H

#include <clang/Frontend/CompilerInstance.h>

// From now on the built-in functions whose names the program declares functions of are overloads of those. Call before
// parsing; keeps ci and overloads, which is set when that happened.
void weft_declare_builtins_beside_own(clang::CompilerInstance &ci, bool *overloads);

#endif
