// Conditions of a program, evaluated for each work-item of a group (bridge/clang_conditions.cpp). Only
// bridge/clang_barriers.cpp includes this.
#ifndef WEFT_BRIDGE_CLANG_CONDITIONS_H
#define WEFT_BRIDGE_CLANG_CONDITIONS_H

#include <array>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

using weft_group_size = std::array<unsigned, 3>;

// What one function contains.
struct weft_function_facts {
    bool has_labels = false;
    unsigned dimensions = 1; // of the ids that it asks for
    llvm::SmallVector<const clang::FunctionDecl *, 4> callees;
    llvm::DenseMap<const clang::VarDecl *, int> written; // variables with uses other than reading them

    void collect(const clang::Stmt *body, const clang::ASTContext &ast);

  private:
    void collect_call(const clang::CallExpr *call, const clang::ASTContext &ast);
    void collect_from(const clang::Stmt *s, bool reads, const clang::ASTContext &ast);
};

// "" for functions without a name, such as operators.
llvm::StringRef weft_name_of(const clang::FunctionDecl *f);

// The values of a condition for the work-items of a group, dimension 0 first: 1 true, 0 false, -1 unknown.
struct weft_truths {
    std::vector<signed char> of_item;
    bool may_be_true = false, may_be_false = false; // for some work-item it is known to be
};

// Known are constants, local ids and sizes, and variables that never change. A global id is that of the first
// group. It is compared by == and != only: programs choose global sizes for which other guards are the same
// for all work-items of a group.
weft_truths weft_evaluate(const clang::Expr *condition, const weft_group_size &size,
                          const weft_function_facts &facts, const clang::ASTContext &ast);

#endif
