// Warns about barriers that only some work-items of a group reach (OpenCL C 3.0 §6.15.8 forbids it). It looks
// at the syntax tree, where places in the source are known.
//
// What is claimed is proved: conditions are evaluated for each work-item of a group of a usual size, or of
// the size that the kernel requires. A condition may be true, false or unknown. So `if (get_local_id(0) <
// 16)` is found, and `if (get_local_id(0) == 0 && flag)`. A guard like `if (get_global_id(0) < n)` isn't:
// programs choose launches for which it is the same for all work-items of a group.
#include "compiler/bridge/clang_conditions.h"
#include "compiler/bridge/clang_parts.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Diagnostic.h>

#include <algorithm>

namespace
{

using function_set = llvm::DenseMap<const clang::FunctionDecl *, bool>;

// Must all work-items of a group call it, or none?
bool is_meeting(const clang::FunctionDecl *f)
{
    const llvm::StringRef name = weft_name_of(f);
    return !f->hasBody() && (name == "barrier" || name.starts_with("work_group_"));
}

// A statement is executed if this condition has this value. condition NULL: it isn't known when.
struct guard {
    const clang::Expr *condition;
    bool when;
    bool operator==(const guard &other) const
    {
        return condition == other.condition && when == other.when;
    }
};
using guards = llvm::SmallVector<guard, 8>;

// Walks through one function in the order of its source.
class function_walk
{
    clang::ASTContext &ast;
    const weft_function_facts &facts;
    const function_set &meets;
    llvm::SmallVector<weft_group_size, 4> sizes;
    llvm::SmallVector<llvm::DenseMap<const clang::Expr *, weft_truths>, 4> known; // for each of these sizes
    guards around;
    llvm::SmallVector<guards, 4> returns; // of each return statement so far, what was around it
    unsigned switches = 0;

    const weft_truths &truths(const clang::Expr *condition, unsigned size)
    {
        auto [at, is_new] = known[size].try_emplace(condition);
        if (is_new)
            at->second = weft_evaluate(condition, sizes[size], facts, ast);
        return at->second;
    }

    // Removes the work-items from `arriving` that the guard, which is around this place, keeps away for
    // certain.
    bool keeps_away(const guard &g, unsigned size, llvm::SmallVectorImpl<bool> &arriving)
    {
        const weft_truths &t = truths(g.condition, size);
        if (!(g.when ? t.may_be_false : t.may_be_true))
            return false;
        for (size_t i = 0; i < arriving.size(); i++)
            arriving[i] &= t.of_item[i] != !g.when;
        return true;
    }

    // The same for a return statement before this place, for work-items that come as far as what is around
    // both.
    const clang::Expr *leave(const guards &by, unsigned size, llvm::SmallVectorImpl<bool> &arriving)
    {
        size_t common = 0;
        while (common < by.size() && common < around.size() && by[common] == around[common])
            common++;
        for (size_t k = common; k < by.size(); k++) {
            const weft_truths &t = truths(by[k].condition, size);
            if (!(by[k].when ? t.may_be_true : t.may_be_false))
                return nullptr;
        }
        for (size_t i = 0; i < arriving.size(); i++) {
            bool leaves = true;
            for (size_t k = common; k < by.size(); k++)
                leaves &= truths(by[k].condition, size).of_item[i] == by[k].when;
            arriving[i] &= !leaves;
        }
        return common < by.size() ? by.back().condition : nullptr;
    }

    // Counts the work-items of a group that may come to this place. *why: a condition that keeps others away.
    unsigned count_arriving(unsigned size, const clang::Expr **why)
    {
        const weft_group_size &s = sizes[size];
        llvm::SmallVector<bool, 0> arriving(size_t(s[0]) * s[1] * s[2], true);
        for (const guard &g : around)
            if (keeps_away(g, size, arriving))
                *why = g.condition;
        for (const guards &by : returns)
            if (const clang::Expr *condition = leave(by, size, arriving))
                *why = condition;
        return unsigned(std::count(arriving.begin(), arriving.end(), true));
    }

    void meeting(const clang::CallExpr *call, const clang::FunctionDecl *callee)
    {
        if (around.empty() && returns.empty())
            return;
        const clang::Expr *why = nullptr;
        unsigned first = 0;
        for (unsigned k = 0; k < sizes.size(); k++) {
            const unsigned all = sizes[k][0] * sizes[k][1] * sizes[k][2], some = count_arriving(k, &why);
            if (some == 0 || some == all)
                return;
            first = first ? first : some;
        }
        report(call, callee, sizes[0][0] * sizes[0][1] * sizes[0][2], first, why);
    }

    void report(const clang::CallExpr *call, const clang::FunctionDecl *callee, unsigned all, unsigned some,
                const clang::Expr *why)
    {
        clang::DiagnosticsEngine &diagnostics = ast.getDiagnostics();
        // Clang 19 itself makes no errors of warnings that aren't in its own list.
        const auto level = diagnostics.getWarningsAsErrors() ? clang::DiagnosticsEngine::Error
                                                             : clang::DiagnosticsEngine::Warning;
        const unsigned warning =
            diagnostics.getCustomDiagID(level, "in a group of %0 work-items, only %1 can reach this "
                                               "%select{call of '%3'|barrier}2; all or none must");
        const unsigned note = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note,
                                                          "this condition keeps the others away");
        const llvm::StringRef name = weft_name_of(callee);
        const bool is_barrier = is_meeting(callee) && name.ends_with("barrier");
        diagnostics.Report(call->getExprLoc(), warning) << all << some << is_barrier << name;
        diagnostics.Report(why->getExprLoc(), note) << why->getSourceRange();
    }

    void branch(const clang::Expr *condition, const clang::Stmt *yes, const clang::Stmt *no)
    {
        around.push_back({condition, true});
        walk(yes);
        around.back().when = false;
        walk(no);
        around.pop_back();
    }

  public:
    function_walk(clang::ASTContext &a, const weft_function_facts &f, const function_set &m,
                  const clang::FunctionDecl *function)
        : ast(a), facts(f), meets(m)
    {
        if (const auto *required = function->getAttr<clang::ReqdWorkGroupSizeAttr>())
            sizes = {{required->getXDim(), required->getYDim(), required->getZDim()}};
        else if (facts.dimensions == 1)
            sizes = {{128, 1, 1}, {256, 1, 1}, {1024, 1, 1}};
        else if (facts.dimensions == 2)
            sizes = {{16, 16, 1}, {32, 32, 1}};
        else
            sizes = {{8, 8, 4}, {16, 8, 8}};
        known.resize(sizes.size());
    }

    void walk(const clang::Stmt *s)
    {
        if (!s || llvm::isa<clang::BlockExpr>(s))
            return;
        if (const auto *chosen = llvm::dyn_cast<clang::IfStmt>(s)) {
            walk(chosen->getInit());
            walk(chosen->getCond());
            return branch(chosen->getCond(), chosen->getThen(), chosen->getElse());
        }
        if (const auto *chosen = llvm::dyn_cast<clang::ConditionalOperator>(s)) {
            walk(chosen->getCond());
            return branch(chosen->getCond(), chosen->getTrueExpr(), chosen->getFalseExpr());
        }
        if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(s))
            return branch(loop->getCond(), loop->getBody(), nullptr);
        if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(s)) {
            walk(loop->getInit());
            return branch(loop->getCond(), loop->getBody(), nullptr);
        }
        const bool is_switch = llvm::isa<clang::SwitchStmt>(s);
        switches += is_switch;
        for (const clang::Stmt *child : s->children())
            walk(child);
        switches -= is_switch;
        if (llvm::isa<clang::ReturnStmt>(s) && switches == 0)
            returns.push_back(around);
        const auto *call = llvm::dyn_cast<clang::CallExpr>(s);
        const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
        if (callee && meets.lookup(callee->getCanonicalDecl()))
            meeting(call, callee);
    }
};

class barrier_check : public clang::ASTConsumer
{
    clang::ASTContext *ast = nullptr;
    llvm::SmallVector<const clang::FunctionDecl *, 16> functions; // with bodies
    function_set meets;                                           // all work-items must call these, or none

    void find_meeting_functions(llvm::ArrayRef<weft_function_facts> all)
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = 0; i < all.size(); i++) {
                bool &met = meets[functions[i]->getCanonicalDecl()];
                for (size_t k = 0; k < all[i].callees.size() && !met; k++) {
                    const clang::FunctionDecl *callee = all[i].callees[k];
                    met = is_meeting(callee) || meets.lookup(callee->getCanonicalDecl());
                    changed |= met;
                }
            }
        }
        for (const weft_function_facts &facts : all)
            for (const clang::FunctionDecl *callee : facts.callees)
                if (is_meeting(callee))
                    meets[callee->getCanonicalDecl()] = true;
    }

    bool names_a_barrier() const
    {
        for (const auto &name : ast->Idents)
            if (name.getKey() == "barrier" || name.getKey().starts_with("work_group_"))
                return true;
        return false;
    }

  public:
    void Initialize(clang::ASTContext &context) override
    {
        ast = &context;
    }

    bool HandleTopLevelDecl(clang::DeclGroupRef group) override
    {
        for (clang::Decl *d : group)
            if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(d))
                if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
                    functions.push_back(function);
        return true;
    }

    void HandleTranslationUnit(clang::ASTContext &) override
    {
        if (ast->getDiagnostics().hasErrorOccurred() || !names_a_barrier())
            return;
        std::vector<weft_function_facts> all(functions.size());
        for (size_t i = 0; i < all.size(); i++)
            all[i].collect(functions[i]->getBody(), *ast);
        find_meeting_functions(all);
        for (size_t i = 0; i < all.size(); i++)
            if (meets.lookup(functions[i]->getCanonicalDecl()) && !all[i].has_labels)
                function_walk(*ast, all[i], meets, functions[i]).walk(functions[i]->getBody());
    }
};

} // namespace

std::unique_ptr<clang::ASTConsumer> weft_check_barriers()
{
    return std::make_unique<barrier_check>();
}
