// A program's own functions of built-in functions' names. Clang looks into its table of built-in functions for names
// that it doesn't find otherwise: a function of the program would hide all that have its name. Here a name's
// built-in functions are declared just before the program's first declaration of a function of that name, as a header
// would have done. One that has the parameters of a built-in function takes its place, for Clang lets built-in functions
// be declared anew, overloadable or not. Owns nothing between calls.
#include "bridge_builtin_names.h"

#include <clang/AST/Decl.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

#include <llvm/ADT/SmallPtrSet.h>

namespace
{

// Sees each token before the parser does. A name followed by a bracket, outside of all brackets, is a declarator.
class declarator_watcher
{
    clang::CompilerInstance &ci;
    bool *overloads;
    size_t depth = 0;
    clang::IdentifierInfo *last = nullptr;
    llvm::SmallPtrSet<clang::IdentifierInfo *, 8> declared;

    void declare_builtins(clang::IdentifierInfo *name)
    {
        clang::Sema &sema = ci.getSema();
        if (!sema.TUScope || !declared.insert(name).second)
            return;
        // Only what the table has: a name that the program declared before hid the table's already.
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
            // What the program defines in the place of one of them may have effects.
            d->dropAttr<clang::ConstAttr>();
            d->dropAttr<clang::PureAttr>();
            sema.PushOnScopeChains(d, sema.TUScope, /*AddToContext=*/false);
        }
        *overloads = true;
    }

  public:
    declarator_watcher(clang::CompilerInstance &c, bool *o) : ci(c), overloads(o)
    {
    }

    void operator()(const clang::Token &token)
    {
        clang::IdentifierInfo *name = last;
        last = nullptr;
        if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square)) {
            if (name && token.is(clang::tok::l_paren))
                declare_builtins(name);
            depth++;
        } else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square)) {
            depth -= depth > 0;
        } else if (depth == 0 && token.is(clang::tok::identifier)) {
            last = token.getIdentifierInfo();
        }
    }
};

} // namespace

void weft_declare_builtins_beside_own(clang::CompilerInstance &ci, bool *overloads)
{
    ci.getPreprocessor().setTokenWatcher(declarator_watcher(ci, overloads));
}
