// Evaluates conditions of a program for each work-item of a group, as far as they are known from the syntax
// tree.
#include "compiler/bridge/clang_conditions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/APSInt.h>

#include <algorithm>
#include <optional>

namespace
{

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
    const weft_function_facts &facts;
    const weft_group_size size;
    weft_group_size item{};
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
        const llvm::StringRef name = weft_name_of(f);
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
    evaluator(const clang::ASTContext &a, const weft_function_facts &f, const weft_group_size &s)
        : ast(a), facts(f), size(s)
    {
    }

    // -1: it isn't known whether the condition holds for the work-item.
    signed char truth_for(const clang::Expr *condition, const weft_group_size &of)
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

} // namespace

llvm::StringRef weft_name_of(const clang::FunctionDecl *f)
{
    return f->getIdentifier() ? f->getName() : "";
}

void weft_function_facts::collect_call(const clang::CallExpr *call, const clang::ASTContext &ast)
{
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
        return;
    callees.push_back(callee);
    clang::Expr::EvalResult dimension;
    const llvm::StringRef name = weft_name_of(callee);
    if (name.starts_with("get_") && name.ends_with("_id") && call->getNumArgs() == 1 &&
        !call->getArg(0)->isValueDependent() && call->getArg(0)->EvaluateAsInt(dimension, ast))
        dimensions = std::max(dimensions, unsigned(dimension.Val.getInt().getLimitedValue(2)) + 1);
}

// reads: s is the operand of a conversion from a variable to its value.
void weft_function_facts::collect_from(const clang::Stmt *s, bool reads, const clang::ASTContext &ast)
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

void weft_function_facts::collect(const clang::Stmt *body, const clang::ASTContext &ast)
{
    collect_from(body, false, ast);
}

weft_truths weft_evaluate(const clang::Expr *condition, const weft_group_size &size,
                          const weft_function_facts &facts, const clang::ASTContext &ast)
{
    evaluator e(ast, facts, size);
    const size_t items = size_t(size[0]) * size[1] * size[2];
    const signed char first = condition ? e.truth_for(condition, {0, 0, 0}) : -1;
    weft_truths truths{std::vector<signed char>(items, first), first == 1, first == 0};
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
