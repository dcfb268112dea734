// Removes parentheses around blocks, such as `(^{ ... })()` or `(f)(x)`, which macros write. Where a block is
// called or enqueued, Clang 19 looks for the literal through casts and variables, but not through
// parentheses, and crashes (CGOpenCLRuntime.cpp, getBlockExpr). Parentheses have no meaning after parsing.
// OpenCL C 3.0 §6.14.
#include "compiler/bridge/clang/parts.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/Diagnostic.h>

namespace
{

clang::Stmt *without_brackets(clang::Stmt *s)
{
    while (auto *brackets = llvm::dyn_cast_or_null<clang::ParenExpr>(s)) {
        if (!brackets->getType()->isBlockPointerType())
            break;
        s = brackets->getSubExpr();
    }
    return s;
}

class unbracketing : public clang::ASTConsumer
{
    clang::ASTContext *ast = nullptr;

    // The specification forbids blocks as operands of ?: (§6.14). Clang accepts them, and crashes if the
    // result is called.
    void reject_conditional(const clang::Expr *chosen)
    {
        clang::DiagnosticsEngine &diagnostics = ast->getDiagnostics();
        unsigned id =
            diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "blocks can't be operands of ?:");
        diagnostics.Report(chosen->getExprLoc(), id);
    }

    void unbracket(clang::Stmt *s)
    {
        if (!s)
            return;
        if (auto *block = llvm::dyn_cast<clang::BlockExpr>(s))
            unbracket(block->getBody());
        if (auto *chosen = llvm::dyn_cast<clang::AbstractConditionalOperator>(s))
            if (chosen->getType()->isBlockPointerType())
                reject_conditional(chosen);
        for (clang::Stmt *&child : s->children()) {
            child = without_brackets(child);
            unbracket(child);
        }
    }

    void visit(clang::Decl *d)
    {
        if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(d)) {
            if (function->doesThisDeclarationHaveABody())
                unbracket(function->getBody());
        } else if (auto *variable = llvm::dyn_cast<clang::VarDecl>(d)) {
            if (!variable->getInit())
                return;
            if (clang::Stmt *plain = without_brackets(variable->getInit()); plain != variable->getInit())
                variable->setInit(llvm::cast<clang::Expr>(plain));
            unbracket(variable->getInit());
        }
    }

  public:
    void Initialize(clang::ASTContext &context) override
    {
        ast = &context;
    }

    bool HandleTopLevelDecl(clang::DeclGroupRef group) override
    {
        for (clang::Decl *d : group)
            visit(d);
        return true;
    }

    void HandleInlineFunctionDefinition(clang::FunctionDecl *function) override
    {
        visit(function);
    }
};

} // namespace

std::unique_ptr<clang::ASTConsumer> weft_unbracket_blocks()
{
    return std::make_unique<unbracketing>();
}
