// What bridge/clang.cpp is made of: each part in a file of its own. For these files alone.
#ifndef WEFT_BRIDGE_CLANG_PARTS_H
#define WEFT_BRIDGE_CLANG_PARTS_H

#include <memory>

#include <clang/Frontend/CompilerInstance.h>

#include <llvm/ADT/StringSet.h>

// ---- bridge/clang_blocks.cpp: what Clang's code generation fails at in programs with blocks ----
// Sees each declaration before code is made of it, and takes brackets off blocks.
std::unique_ptr<clang::ASTConsumer> weft_unbracket_blocks();

// ---- bridge/clang_late_builtins.cpp ----
// From now on the built-in functions that Clang's table lacks are declared when a program names them. Call before ci makes its Sema.
void weft_declare_late_builtins(clang::CompilerInstance &ci);

// ---- bridge/clang_overloads.cpp ----
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
