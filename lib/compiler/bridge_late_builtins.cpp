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

// cl_khr_work_group_uniform_arithmetic and cl_khr_async_work_group_copy_fence aren't reported: the CTS (compiler_defines_for_extensions)
// doesn't know their names. The functions are there all the same; SPIR-V calls those of the first.
#define UNIFORM "__opencl_c_work_group_collective_functions"
#define COLLECTIVE(op, types)                                    \
    {"work_group_reduce_" op, "TT", types, UNIFORM},             \
        {"work_group_scan_inclusive_" op, "TT", types, UNIFORM}, \
    {                                                            \
        "work_group_scan_exclusive_" op, "TT", types, UNIFORM    \
    }
const row rows[] = {
    COLLECTIVE("mul", "iuIUhfd"),
    COLLECTIVE("and", "iuIU"),
    COLLECTIVE("or", "iuIU"),
    COLLECTIVE("xor", "iuIU"),
    COLLECTIVE("logical_and", "i"),
    COLLECTIVE("logical_or", "i"),
    COLLECTIVE("logical_xor", "i"),
    {"async_work_group_copy_fence", "vu", "", "cl_khr_extended_async_copies"},
    // (to, its offset, from, its offset, sizes, lengths, event): from global memory to local, and back
    {"async_work_group_copy_2D2D", "elzGzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_2D2D", "egzLzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_3D3D", "elzGzzzzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_3D3D", "egzLzzzzzzzzze", "", "cl_khr_extended_async_copies"},
};

class late_builtins : public clang::ExternalSemaSource
{
    clang::Sema *sema = nullptr;

    clang::QualType pointer(clang::LangAS space, bool constant)
    {
        clang::ASTContext &c = sema->Context;
        clang::QualType memory = constant ? c.VoidTy.withConst() : c.VoidTy;
        return c.getPointerType(c.getAddrSpaceQualType(memory, space));
    }

    clang::QualType type_of(char letter)
    {
        clang::ASTContext &c = sema->Context;
        switch (letter) {
        case 'v':
            return c.VoidTy;
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
        case 'd':
            return c.DoubleTy;
        case 'z':
            return c.getSizeType();
        case 'e':
            return c.OCLEventTy;
        case 'l':
            return pointer(clang::LangAS::opencl_local, false);
        case 'L':
            return pointer(clang::LangAS::opencl_local, true);
        case 'g':
            return pointer(clang::LangAS::opencl_global, false);
        default:
            return pointer(clang::LangAS::opencl_global, true);
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
            for (const char *type = *r.types ? r.types : "v"; *type; type++) {
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
