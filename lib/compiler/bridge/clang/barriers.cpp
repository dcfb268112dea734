// Warns about barriers that only some work-items of a group reach (OpenCL C 3.0 §6.15.8 forbids it). It looks
// at the syntax tree, where places in the source are known.
//
// What is claimed is proved: conditions are evaluated for each work-item of a group of a usual size, or of
// the size that the kernel requires. A condition may be true, false or unknown. So `if (get_local_id(0) <
// 16)` is found, and `if (get_local_id(0) == 0 && flag)`. A guard like `if (get_global_id(0) < n)` isn't:
// programs choose launches for which it is the same for all work-items of a group.
//
// More than 500 lines, because evaluating conditions serves nothing else.
#include "compiler/bridge/clang/parts.h"
#include "compiler/bridge/clang/versions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Diagnostic.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

namespace
{

// ---- Conditions, evaluated for each work-item of a group ----

using group_size = std::array<unsigned, 3>;

// What one function contains.
struct function_facts {
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
llvm::StringRef name_of(const clang::FunctionDecl *f);

// The values of a condition for the work-items of a group, dimension 0 first: 1 true, 0 false, -1 unknown.
struct item_truths {
    std::vector<signed char> of_item;
    bool may_be_true = false, may_be_false = false; // for some work-item it is known to be
};

// Known are constants, local ids and sizes, and variables that never change. A global id is that of the first
// group. It is compared by == and != only: programs choose global sizes for which other guards are the same
// for all work-items of a group.
item_truths evaluated(const clang::Expr *condition, const group_size &size, const function_facts &facts,
                      const clang::ASTContext &ast);

// Evaluations of subexpressions for one condition and one work-item. A variable that is used many times in
// the initial value of another one, and so on, would take exponential time.
constexpr unsigned max_steps = 500;

struct known {
    llvm::APSInt value;
    bool global; // depends on a global id
};

std::optional<llvm::APSInt> as_type(const llvm::APSInt &value, clang::QualType type,
                                    const clang::ASTContext &ast)
{
    if (type->isBooleanType())
        return llvm::APSInt(llvm::APInt(ast.getIntWidth(type), value.getBoolValue()), true);
    if (!type->isIntegralOrEnumerationType())
        return std::nullopt;
    llvm::APSInt converted = value.extOrTrunc(ast.getIntWidth(type));
    converted.setIsUnsigned(type->isUnsignedIntegerOrEnumerationType());
    return converted;
}

// Evaluates expressions of a function for one work-item of the first group.
class evaluator
{
    const clang::ASTContext &ast;
    const function_facts &facts;
    const group_size size;
    group_size item{};
    unsigned steps = 0;
    bool asks_item = false; // an id is part of the expression
    bool decides = false;   // one operand of && or || is known, the other isn't

    std::optional<known> constant(const clang::Expr *e)
    {
        clang::Expr::EvalResult result;
        if (e->isValueDependent() || !e->EvaluateAsInt(result, ast))
            return std::nullopt;
        return known{result.Val.getInt(), false};
    }

    std::optional<known> work_item_function(const clang::CallExpr *call)
    {
        const clang::FunctionDecl *f = call->getDirectCallee();
        if (!f || f->hasBody() || call->getNumArgs() != 1)
            return std::nullopt;
        auto dimension = value(call->getArg(0));
        if (!dimension || dimension->value.getExtValue() < 0 || dimension->value.getExtValue() > 2)
            return std::nullopt;
        const unsigned d = unsigned(dimension->value.getExtValue());
        const llvm::StringRef name = name_of(f);
        unsigned number;
        if (name == "get_local_id" || name == "get_global_id")
            number = item[d], asks_item = true;
        else if (name == "get_local_size" || name == "get_enqueued_local_size")
            number = size[d];
        else
            return std::nullopt;
        llvm::APSInt v(ast.getIntWidth(call->getType()), call->getType()->isUnsignedIntegerType());
        v = number;
        return known{v, name == "get_global_id"};
    }

    std::optional<known> variable(const clang::DeclRefExpr *use)
    {
        const auto *v = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
        if (!v || !v->hasLocalStorage() || llvm::isa<clang::ParmVarDecl>(v) || !v->getInit() ||
            v->getType().isVolatileQualified() || v->hasAttr<clang::BlocksAttr>() || facts.written.count(v))
            return constant(use);
        return value(v->getInit());
    }

    std::optional<known> logical(const clang::BinaryOperator *e)
    {
        const bool settling = e->getOpcode() == clang::BO_LOr; // the value of an operand that settles it
        auto left = truth(e->getLHS()), right = truth(e->getRHS());
        decides |= left.has_value() != right.has_value();
        if ((left && *left == settling) || (right && *right == settling))
            return boolean(e, settling);
        if (left && right)
            return boolean(e, !settling);
        return std::nullopt;
    }

    std::optional<known> boolean(const clang::Expr *e, bool b)
    {
        return known{llvm::APSInt(llvm::APInt(ast.getIntWidth(e->getType()), b),
                                  e->getType()->isUnsignedIntegerOrEnumerationType()),
                     false};
    }

    std::optional<known> compared(const clang::BinaryOperator *e, const llvm::APSInt &a,
                                  const llvm::APSInt &b)
    {
        switch (e->getOpcode()) {
        case clang::BO_LT:
            return boolean(e, a < b);
        case clang::BO_GT:
            return boolean(e, a > b);
        case clang::BO_LE:
            return boolean(e, a <= b);
        case clang::BO_GE:
            return boolean(e, a >= b);
        case clang::BO_EQ:
            return boolean(e, a == b);
        default:
            return boolean(e, a != b);
        }
    }

    std::optional<llvm::APSInt> computed(clang::BinaryOperatorKind op, const llvm::APSInt &a,
                                         const llvm::APSInt &b)
    {
        switch (op) {
        case clang::BO_Add:
            return a + b;
        case clang::BO_Sub:
            return a - b;
        case clang::BO_Mul:
            return a * b;
        case clang::BO_And:
            return a & b;
        case clang::BO_Or:
            return a | b;
        case clang::BO_Xor:
            return a ^ b;
        case clang::BO_Div:
            return b == 0 ? std::nullopt : std::optional(a / b);
        case clang::BO_Rem:
            return b == 0 ? std::nullopt : std::optional(a % b);
        default:
            return std::nullopt;
        }
    }

    std::optional<known> binary(const clang::BinaryOperator *e)
    {
        if (e->isLogicalOp())
            return logical(e);
        auto a = value(e->getLHS()), b = value(e->getRHS());
        if (!a || !b)
            return std::nullopt;
        const bool global = a->global || b->global;
        if (e->isShiftOp()) {
            const unsigned by = unsigned(b->value.getZExtValue() & (a->value.getBitWidth() - 1));
            return known{e->getOpcode() == clang::BO_Shl ? a->value << by : a->value >> by, global};
        }
        if (a->value.getBitWidth() != b->value.getBitWidth() ||
            a->value.isUnsigned() != b->value.isUnsigned() || (e->isRelationalOp() && global))
            return std::nullopt;
        if (e->isComparisonOp())
            return compared(e, a->value, b->value);
        auto result = computed(e->getOpcode(), a->value, b->value);
        return result ? std::optional(known{*result, global}) : std::nullopt;
    }

    std::optional<known> unary(const clang::UnaryOperator *e)
    {
        if (e->getOpcode() == clang::UO_LNot) {
            auto b = truth(e->getSubExpr());
            return b ? boolean(e, !*b) : std::nullopt;
        }
        auto v = value(e->getSubExpr());
        if (v && e->getOpcode() == clang::UO_Minus)
            v->value = -v->value;
        else if (v && e->getOpcode() == clang::UO_Not)
            v->value = ~v->value;
        else if (e->getOpcode() != clang::UO_Plus)
            return std::nullopt;
        return v;
    }

    std::optional<bool> truth(const clang::Expr *e)
    {
        auto v = value(e);
        return v ? std::optional(v->value.getBoolValue()) : std::nullopt;
    }

    std::optional<known> value(const clang::Expr *e)
    {
        e = e->IgnoreParens();
        if (++steps > max_steps || !e->getType()->isIntegralOrEnumerationType())
            return std::nullopt;
        if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(e)) {
            auto v = value(cast->getSubExpr());
            auto converted = v ? as_type(v->value, e->getType(), ast) : std::nullopt;
            return converted ? std::optional(known{*converted, v->global}) : std::nullopt;
        }
        if (const auto *use = llvm::dyn_cast<clang::DeclRefExpr>(e))
            return variable(use);
        if (const auto *call = llvm::dyn_cast<clang::CallExpr>(e))
            return work_item_function(call);
        if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(e))
            return binary(operation);
        if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(e))
            return unary(operation);
        return constant(e);
    }

  public:
    evaluator(const clang::ASTContext &a, const function_facts &f, const group_size &s)
        : ast(a), facts(f), size(s)
    {
    }

    // -1: it isn't known whether the condition holds for the work-item.
    signed char truth_for(const clang::Expr *condition, const group_size &of)
    {
        steps = 0;
        item = of;
        auto v = truth(condition);
        return v ? *v : -1;
    }

    // After truth_for: may the answer be another one for another work-item?
    bool differs(signed char truth) const
    {
        return asks_item && (truth >= 0 || decides);
    }
};

llvm::StringRef name_of(const clang::FunctionDecl *f)
{
    return f->getIdentifier() ? f->getName() : "";
}

void function_facts::collect_call(const clang::CallExpr *call, const clang::ASTContext &ast)
{
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
        return;
    callees.push_back(callee);
    clang::Expr::EvalResult dimension;
    const llvm::StringRef name = name_of(callee);
    if (name.starts_with("get_") && name.ends_with("_id") && call->getNumArgs() == 1 &&
        !call->getArg(0)->isValueDependent() && call->getArg(0)->EvaluateAsInt(dimension, ast))
        dimensions = std::max(dimensions, unsigned(dimension.Val.getInt().getLimitedValue(2)) + 1);
}

// reads: s is the operand of a conversion from a variable to its value.
void function_facts::collect_from(const clang::Stmt *s, bool reads, const clang::ASTContext &ast)
{
    if (!s)
        return;
    if (const auto *use = llvm::dyn_cast<clang::DeclRefExpr>(s))
        if (const auto *v = llvm::dyn_cast<clang::VarDecl>(use->getDecl()); v && !reads)
            written[v] = 1;
    has_labels |= llvm::isa<clang::LabelStmt>(s);
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(s))
        collect_call(call, ast);
    const auto *cast = llvm::dyn_cast<clang::CastExpr>(s);
    const bool is_read = (cast && cast->getCastKind() == clang::CK_LValueToRValue) ||
                         (reads && llvm::isa<clang::ParenExpr>(s));
    for (const clang::Stmt *child : s->children())
        collect_from(child, is_read, ast);
}

void function_facts::collect(const clang::Stmt *body, const clang::ASTContext &ast)
{
    collect_from(body, false, ast);
}

item_truths evaluated(const clang::Expr *condition, const group_size &size, const function_facts &facts,
                      const clang::ASTContext &ast)
{
    evaluator e(ast, facts, size);
    const size_t items = size_t(size[0]) * size[1] * size[2];
    const signed char first = condition ? e.truth_for(condition, {0, 0, 0}) : -1;
    item_truths truths{std::vector<signed char>(items, first), first == 1, first == 0};
    if (!e.differs(first))
        return truths;
    for (size_t i = 1; i < items; i++) {
        const auto at = unsigned(i), row = at / size[0];
        const signed char truth = e.truth_for(condition, {at % size[0], row % size[1], row / size[1]});
        truths.of_item[i] = truth;
        truths.may_be_true |= truth == 1;
        truths.may_be_false |= truth == 0;
    }
    return truths;
}

// ---- Where work-items may come ----

using function_set = llvm::DenseMap<const clang::FunctionDecl *, bool>;

// Must all work-items of a group call it, or none?
bool is_meeting(const clang::FunctionDecl *f)
{
    const llvm::StringRef name = name_of(f);
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
    const function_facts &facts;
    const function_set &meets;
    llvm::SmallVector<group_size, 4> sizes;
    llvm::SmallVector<llvm::DenseMap<const clang::Expr *, item_truths>, 4> known; // for each of these sizes
    guards around;
    llvm::SmallVector<guards, 4> returns; // of each return statement so far, what was around it
    unsigned switches = 0;

    const item_truths &truths(const clang::Expr *condition, unsigned size)
    {
        auto [at, is_new] = known[size].try_emplace(condition);
        if (is_new)
            at->second = evaluated(condition, sizes[size], facts, ast);
        return at->second;
    }

    // Removes the work-items from `arriving` that the guard, which is around this place, keeps away for
    // certain.
    bool keeps_away(const guard &g, unsigned size, llvm::SmallVectorImpl<bool> &arriving)
    {
        const item_truths &t = truths(g.condition, size);
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
            const item_truths &t = truths(by[k].condition, size);
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
        const group_size &s = sizes[size];
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
        const llvm::StringRef name = name_of(callee);
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
    function_walk(clang::ASTContext &a, const function_facts &f, const function_set &m,
                  const clang::FunctionDecl *function)
        : ast(a), facts(f), meets(m)
    {
        if (const auto *required = function->getAttr<clang::ReqdWorkGroupSizeAttr>())
            sizes.push_back({versions::number(required->getXDim(), ast),
                             versions::number(required->getYDim(), ast),
                             versions::number(required->getZDim(), ast)});
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

    void find_meeting_functions(llvm::ArrayRef<function_facts> all)
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
        for (const function_facts &facts : all)
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
        std::vector<function_facts> all(functions.size());
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
