// Built-in functions that Clang's table lacks. A declaration costs a compile as much as some lines of a kernel, so these are made when a
// program names one: Clang asks here for names that it finds nowhere else. Owns nothing between calls.
#include "bridge_late_builtins.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

namespace
{

// A signature is the result's type and those of the parameters, a letter each: those of `type_of`, or T for each of the row's types in turn.
struct row {
    const char *name, *signature, *types, *macro;
};

// cl_khr_work_group_uniform_arithmetic isn't reported: the CTS (compiler_defines_for_extensions) doesn't know its name. The functions are
// there all the same, which SPIR-V calls too.
#define UNIFORM "__opencl_c_work_group_collective_functions"
#define COLLECTIVE(op, types)                                    \
    {"work_group_reduce_" op, "TT", types, UNIFORM},             \
        {"work_group_scan_inclusive_" op, "TT", types, UNIFORM}, \
    {                                                            \
        "work_group_scan_exclusive_" op, "TT", types, UNIFORM    \
    }
const row rows[] = {
    COLLECTIVE("mul", "iuIUhfd"),   COLLECTIVE("and", "iuIU"),      COLLECTIVE("or", "iuIU"),
    COLLECTIVE("xor", "iuIU"),      COLLECTIVE("logical_and", "i"), COLLECTIVE("logical_or", "i"),
    COLLECTIVE("logical_xor", "i"),
};

class late_builtins : public clang::ExternalSemaSource
{
    clang::Sema *sema = nullptr;

    clang::QualType type_of(char letter)
    {
        clang::ASTContext &c = sema->Context;
        switch (letter) {
        case 'i':
            return c.IntTy;
        case 'u':
            return c.UnsignedIntTy;
        case 'I':
            return c.LongTy;
        case 'U':
            return c.UnsignedLongTy;
        case 'h':
            return c.HalfTy;
        case 'f':
            return c.FloatTy;
        default:
            return c.DoubleTy;
        }
    }

    // The function for one type in the place of T.
    clang::FunctionDecl *declare(const row &r, char type, clang::IdentifierInfo *name)
    {
        clang::ASTContext &c = sema->Context;
        llvm::SmallVector<clang::QualType, 16> types;
        for (const char *letter = r.signature; *letter; letter++)
            types.push_back(type_of(*letter == 'T' ? type : *letter));
        clang::FunctionProtoType::ExtProtoInfo info(c.getDefaultCallingConvention(false, false, true));
        clang::QualType whole = c.getFunctionType(types[0], llvm::ArrayRef(types).drop_front(), info);
        clang::SourceLocation nowhere;
        auto *f = clang::FunctionDecl::Create(c, c.getTranslationUnitDecl(), nowhere, nowhere, name, whole,
                                              nullptr, clang::SC_Extern, false, false, true);
        llvm::SmallVector<clang::ParmVarDecl *, 16> parameters;
        for (size_t i = 1; i < types.size(); i++)
            parameters.push_back(clang::ParmVarDecl::Create(c, f, nowhere, nowhere, nullptr, types[i],
                                                            nullptr, clang::SC_None, nullptr));
        f->setParams(parameters);
        f->setImplicit();
        f->addAttr(clang::ConvergentAttr::CreateImplicit(c));
        if (!c.getLangOpts().CPlusPlus)
            f->addAttr(clang::OverloadableAttr::CreateImplicit(c));
        return f;
    }

  public:
    void InitializeSema(clang::Sema &s) override
    {
        sema = &s;
    }
    void ForgetSema() override
    {
        sema = nullptr;
    }

    // What the program itself declares of such a name is its own.
    bool LookupUnqualified(clang::LookupResult &found, clang::Scope *) override
    {
        clang::IdentifierInfo *name = found.getLookupName().getAsIdentifierInfo();
        if (!sema || !sema->TUScope || !name || found.isForRedeclaration() ||
            found.getLookupKind() != clang::Sema::LookupOrdinaryName)
            return false;
        for (const row &r : rows) {
            if (name->getName() != r.name || !sema->PP.isMacroDefined(r.macro))
                continue;
            for (const char *type = r.types; *type; type++) {
                clang::FunctionDecl *f = declare(r, *type, name);
                sema->PushOnScopeChains(f, sema->TUScope, /*AddToContext=*/false); // so Clang asks once
                found.addDecl(f);
            }
        }
        if (found.empty())
            return false;
        found.resolveKind();
        return true;
    }
};

} // namespace

void weft_declare_late_builtins(clang::CompilerInstance &ci)
{
    ci.setExternalSemaSource(llvm::makeIntrusiveRefCnt<late_builtins>());
}
