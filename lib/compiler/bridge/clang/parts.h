// The parts of bridge/clang/clang.cpp, each in its own file. Only these files include this header.
#ifndef WEFT_BRIDGE_CLANG_PARTS_H
#define WEFT_BRIDGE_CLANG_PARTS_H

#include <memory>

#include <clang/Frontend/CompilerInstance.h>

#include <llvm/ADT/StringSet.h>

namespace llvm
{
class Module;
}

// ---- bridge/clang/blocks.cpp: where Clang's code generation fails in programs with blocks ----
// Returns a consumer that removes parentheses around blocks in each declaration before code is generated for
// it.
std::unique_ptr<clang::ASTConsumer> weft_unbracket_blocks();

// ---- bridge/clang/normal_form.cpp ----
// Gives what Clang has made the form of version 19.
void weft_normalize(llvm::Module &module);

// ---- bridge/clang/barriers.cpp ----
// Returns a consumer that warns about barriers that only some work-items of a group reach.
std::unique_ptr<clang::ASTConsumer> weft_check_barriers();

// ---- bridge/clang/late_builtins.cpp ----
// From now on, built-in functions that Clang's table lacks are declared when a program uses their name. Call
// it before ci creates its Sema.
void weft_declare_late_builtins(clang::CompilerInstance &ci);

// ---- bridge/clang/overloads.cpp ----
// Names that are both a function of the program and a built-in function.
struct weft_shared_names {
    llvm::StringSet<> hidden; // the program's functions hide the built-in ones
    llvm::StringSet<> beside; // the built-in functions were declared beside the program's
    llvm::StringSet<> blamed; // the names in `beside` that an error is about
};

// From now on, if the program declares a function with a built-in function's name, the built-in functions
// become overloads of it, except for names in `hidden`. Call it before parsing. ci and names must outlive the
// parse.
void weft_declare_builtins_beside_own(clang::CompilerInstance &ci, weft_shared_names *names);

// Adds the names that the diagnostic is about to names->blamed.
void weft_blame_shared_names(weft_shared_names *names, const clang::Diagnostic &diagnostic);

#endif
