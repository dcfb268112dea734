// Between bridge/clang.cpp and bridge/clang_overloads.cpp alone.
#ifndef WEFT_BRIDGE_BUILTIN_NAMES_H
#define WEFT_BRIDGE_BUILTIN_NAMES_H

#include <clang/Frontend/CompilerInstance.h>

#include <llvm/ADT/StringSet.h>

// Names that the program shares with built-in functions.
struct weft_shared_names {
    llvm::StringSet<> hidden; // whose own functions hide the built-in ones
    llvm::StringSet<> beside; // whose built-in functions were declared beside the program's own
    llvm::StringSet<> blamed; // of those, the ones that an error is about
};

// From now on the built-in functions whose names the program declares functions of, but the hidden, are overloads of
// those. Call before parsing; keeps ci and names.
void weft_declare_builtins_beside_own(clang::CompilerInstance &ci, weft_shared_names *names);

// Looks for names to blame in what Clang tells.
void weft_blame_shared_names(weft_shared_names *names, const clang::Diagnostic &told);

#endif
