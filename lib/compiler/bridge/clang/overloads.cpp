// A program's functions that have names of built-in functions. Clang looks up its table of built-in functions
// only for names that it finds nowhere else. So a function of the program would hide all built-in functions
// of its name. This file declares the built-in functions of a name just before the program's first
// declaration of a function of that name, as a header would. A function with the same parameters replaces the
// built-in one, because Clang allows redeclaring built-in functions, overloadable or not. Owns nothing
// between calls.
#include "compiler/bridge/clang/parts.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclarationName.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

#include <llvm/ADT/SmallPtrSet.h>

namespace
{

// Sees each token before the parser does, and recognises declarators of functions. A name followed by '(' is
// a declarator, possibly in parentheses itself, if it has only tokens around it that a declarator can have:
// f(, (f)(, (*f(.
class declarator_watcher
{
    clang::CompilerInstance &ci;
    weft_shared_names *names;
    size_t depth = 0;
    // all open brackets are round, and the tokens in them may belong to a declarator
    bool in_declarator = false;
    clang::IdentifierInfo *last = nullptr;
    llvm::SmallPtrSet<clang::IdentifierInfo *, 8> declared;

    void declare_builtins(clang::IdentifierInfo *name)
    {
        clang::Sema &sema = ci.getSema();
        if (!sema.TUScope || names->hidden.contains(name->getName()) || !declared.insert(name).second)
            return;
        // Only names in Clang's table. A name that the program has declared before has already hidden the
        // built-in functions.
        clang::DeclarationNameInfo what(name, clang::SourceLocation());
        clang::LookupResult known(sema, what, clang::Sema::LookupOrdinaryName);
        if (sema.LookupName(known, sema.TUScope, /*AllowBuiltinCreation=*/false))
            return;
        known.suppressDiagnostics();
        clang::LookupResult found(sema, what, clang::Sema::LookupOrdinaryName);
        found.suppressDiagnostics();
        if (!sema.LookupBuiltin(found))
            return;
        for (clang::NamedDecl *d : found) {
            // The program's function that replaces a built-in one may have side effects.
            d->dropAttr<clang::ConstAttr>();
            d->dropAttr<clang::PureAttr>();
            sema.PushOnScopeChains(d, sema.TUScope, /*AddToContext=*/false);
        }
        names->beside.insert(name->getName());
    }

    void open_bracket(bool round)
    {
        if (last && round)
            declare_builtins(last);
        // In uint (max)( the first name may be a type.
        in_declarator = round && (depth == 0 || (in_declarator && !last));
        last = nullptr;
        depth++;
    }

    void close_bracket()
    {
        depth -= depth > 0;
        if (!in_declarator)
            last = nullptr;
    }

    void other(const clang::Token &token)
    {
        bool follows_name = last != nullptr;
        bool is_name = token.is(clang::tok::identifier);
        last = is_name ? token.getIdentifierInfo() : nullptr;
        if (depth == 0)
            return;
        bool may_precede_name = is_name || token.isOneOf(clang::tok::star, clang::tok::kw_const,
                                                         clang::tok::kw_restrict, clang::tok::kw_volatile);
        in_declarator = in_declarator && may_precede_name && !follows_name;
        if (!in_declarator)
            last = nullptr;
    }

  public:
    declarator_watcher(clang::CompilerInstance &c, weft_shared_names *n) : ci(c), names(n)
    {
    }

    void operator()(const clang::Token &token)
    {
        if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square))
            open_bracket(token.is(clang::tok::l_paren));
        else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square))
            close_bracket();
        else
            other(token);
    }
};

const clang::IdentifierInfo *identifier_of(const clang::Diagnostic &diagnostic, unsigned i)
{
    switch (diagnostic.getArgKind(i)) {
    case clang::DiagnosticsEngine::ak_identifierinfo:
        return diagnostic.getArgIdentifier(i);
    case clang::DiagnosticsEngine::ak_declarationname:
        return clang::DeclarationName::getFromOpaqueInteger(diagnostic.getRawArg(i)).getAsIdentifierInfo();
    case clang::DiagnosticsEngine::ak_nameddecl:
        return reinterpret_cast<const clang::NamedDecl *>(diagnostic.getRawArg(i))->getIdentifier();
    default:
        return nullptr;
    }
}

} // namespace

void weft_declare_builtins_beside_own(clang::CompilerInstance &ci, weft_shared_names *names)
{
    ci.getPreprocessor().setTokenWatcher(declarator_watcher(ci, names));
}

void weft_blame_shared_names(weft_shared_names *names, const clang::Diagnostic &diagnostic)
{
    for (unsigned i = 0; i < diagnostic.getNumArgs(); i++) {
        const clang::IdentifierInfo *name = identifier_of(diagnostic, i);
        if (name && names->beside.contains(name->getName()))
            names->blamed.insert(name->getName());
    }
}
