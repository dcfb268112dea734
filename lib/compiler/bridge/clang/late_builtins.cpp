// Built-in functions that Clang's table lacks. Each declaration takes as long to compile as some lines of a
// kernel. So they are declared only when a program uses their name: Clang asks this file for names that it
// doesn't find elsewhere. Owns nothing between calls.
#include "compiler/bridge/clang/parts.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

namespace
{

// signature: the type of the result and of each parameter, one letter each (see `type_of`). T stands for each
// of the row's types in turn, or for vectors of it if the row has lengths. A length is a digit, or g for 16.
struct row {
    const char *name, *signature, *types, *macro, *lengths = "1";
};

// The device doesn't report cl_khr_work_group_uniform_arithmetic and cl_khr_async_work_group_copy_fence,
// because the CTS (compiler_defines_for_extensions) doesn't know their names. The functions exist
// nevertheless; SPIR-V calls those of the first extension.
#define UNIFORM "__opencl_c_work_group_collective_functions"
#define COLLECTIVE(op, types)                                    \
    {"work_group_reduce_" op, "TT", types, UNIFORM},             \
        {"work_group_scan_inclusive_" op, "TT", types, UNIFORM}, \
    {                                                            \
        "work_group_scan_exclusive_" op, "TT", types, UNIFORM    \
    }
#define SHUFFLE(name, signature)                                                         \
    {"intel_sub_group_" name, signature, "iuf", "cl_intel_subgroups", "12348g"},         \
        {"intel_sub_group_" name, signature, "IUhd", "cl_intel_subgroups"},              \
        {"intel_sub_group_" name, signature, "cb", "cl_intel_subgroups_char", "12348g"}, \
        {"intel_sub_group_" name, signature, "st", "cl_intel_subgroups_short", "12348g"}
#define SMALL(op, signature)                                             \
    {"intel_sub_group_" op, signature, "cb", "cl_intel_subgroups_char"}, \
        {"intel_sub_group_" op, signature, "st", "cl_intel_subgroups_short"}
#define SMALL_OF(how) SMALL(how "_add", "TT"), SMALL(how "_min", "TT"), SMALL(how "_max", "TT")
const row rows[] = {
    COLLECTIVE("mul", "iuIUhfd"),
    COLLECTIVE("and", "iuIU"),
    COLLECTIVE("or", "iuIU"),
    COLLECTIVE("xor", "iuIU"),
    COLLECTIVE("logical_and", "i"),
    COLLECTIVE("logical_or", "i"),
    COLLECTIVE("logical_xor", "i"),
    {"async_work_group_copy_fence", "vu", "", "cl_khr_extended_async_copies"},
    // parameters: destination, its offset, source, its offset, sizes, lengths, event; from global to local
    // memory, then from local to global
    {"async_work_group_copy_2D2D", "elzGzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_2D2D", "egzLzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_3D3D", "elzGzzzzzzzzze", "", "cl_khr_extended_async_copies"},
    {"async_work_group_copy_3D3D", "egzLzzzzzzzzze", "", "cl_khr_extended_async_copies"},
    SHUFFLE("shuffle", "TTu"),
    SHUFFLE("shuffle_xor", "TTu"),
    SHUFFLE("shuffle_down", "TTTu"),
    SHUFFLE("shuffle_up", "TTTu"),
    SMALL("broadcast", "TTu"),
    {"intel_sub_group_broadcast", "TTu", "cb", "cl_intel_subgroups_char", "2348"},
    {"intel_sub_group_broadcast", "TTu", "st", "cl_intel_subgroups_short", "2348"},
    SMALL_OF("reduce"),
    SMALL_OF("scan_exclusive"),
    SMALL_OF("scan_inclusive"),
};

// intel_sub_group_block_read and _write: the endings of the name. A vector length up to `longest` may follow.
const struct block {
    const char *ending;
    char type;
    unsigned longest;
    const char *macro;
} blocks[] = {
    {"", 'u', 8, "cl_intel_subgroups"},           {"_uc", 'b', 16, "cl_intel_subgroups_char"},
    {"_us", 't', 16, "cl_intel_subgroups_short"}, {"_ui", 'u', 8, "cl_intel_subgroups_short"},
    {"_ul", 'U', 8, "cl_intel_subgroups_long"},
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
        case 'c':
            return c.CharTy;
        case 'b':
            return c.UnsignedCharTy;
        case 's':
            return c.ShortTy;
        case 't':
            return c.UnsignedShortTy;
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

    clang::QualType vector_of(clang::QualType element, unsigned length)
    {
        return length == 1 ? element : sema->Context.getExtVectorType(element, length);
    }

    // Declares a function. types: the type of the result, then those of the parameters.
    clang::FunctionDecl *declare(llvm::ArrayRef<clang::QualType> types, clang::IdentifierInfo *name)
    {
        clang::ASTContext &c = sema->Context;
        clang::FunctionProtoType::ExtProtoInfo info(c.getDefaultCallingConvention(false, false));
        clang::QualType whole = c.getFunctionType(types[0], types.drop_front(), info);
        clang::SourceLocation nowhere;
        auto *f = clang::FunctionDecl::Create(c, c.getTranslationUnitDecl(), nowhere, nowhere, name, whole,
                                              nullptr, clang::SC_Extern, false, false, true);
        llvm::SmallVector<clang::ParmVarDecl *, 16> parameters;
        for (clang::QualType type : types.drop_front())
            parameters.push_back(clang::ParmVarDecl::Create(c, f, nowhere, nowhere, nullptr, type, nullptr,
                                                            clang::SC_None, nullptr));
        f->setParams(parameters);
        f->setImplicit();
        f->addAttr(clang::ConvergentAttr::CreateImplicit(c));
        if (!c.getLangOpts().CPlusPlus)
            f->addAttr(clang::OverloadableAttr::CreateImplicit(c));
        return f;
    }

    void offer(clang::LookupResult &found, llvm::ArrayRef<clang::QualType> types, clang::IdentifierInfo *name)
    {
        clang::FunctionDecl *f = declare(types, name);
        // in scope, so that Clang asks only once
        sema->PushOnScopeChains(f, sema->TUScope, /*AddToContext=*/false);
        found.addDecl(f);
    }

    void offer_row(clang::LookupResult &found, const row &r, clang::IdentifierInfo *name)
    {
        for (const char *type = *r.types ? r.types : "v"; *type; type++) {
            for (const char *length = r.lengths; *length; length++) {
                unsigned elements = *length == 'g' ? 16 : (unsigned)(*length - '0');
                llvm::SmallVector<clang::QualType, 16> types;
                for (const char *letter = r.signature; *letter; letter++)
                    types.push_back(*letter == 'T' ? vector_of(type_of(*type), elements) : type_of(*letter));
                offer(found, types, name);
            }
        }
    }

    // Declares block reads or writes of memory, and of images at coordinates.
    void offer_block(clang::LookupResult &found, const block &b, bool reads, unsigned length,
                     clang::IdentifierInfo *name)
    {
        clang::ASTContext &c = sema->Context;
        clang::QualType element = type_of(b.type), data = vector_of(element, length);
        clang::QualType memory = c.getPointerType(
            c.getAddrSpaceQualType(reads ? element.withConst() : element, clang::LangAS::opencl_global));
        clang::QualType at = vector_of(c.IntTy, 2);
        clang::QualType images[] = {reads ? c.OCLImage2dROTy : c.OCLImage2dWOTy, c.OCLImage2dRWTy};
        if (reads)
            offer(found, {data, memory}, name);
        else
            offer(found, {c.VoidTy, memory, data}, name);
        for (clang::QualType image : images) {
            if (reads)
                offer(found, {data, image, at}, name);
            else
                offer(found, {c.VoidTy, image, at, data}, name);
        }
    }

    void look_for_block(clang::LookupResult &found, clang::IdentifierInfo *name)
    {
        llvm::StringRef rest = name->getName();
        bool reads = rest.consume_front("intel_sub_group_block_read");
        if (!reads && !rest.consume_front("intel_sub_group_block_write"))
            return;
        for (const block &b : blocks) {
            llvm::StringRef digits = rest;
            unsigned length = 1;
            if (!digits.consume_front(b.ending) || !sema->PP.isMacroDefined(b.macro))
                continue;
            if (!digits.empty() && digits != "2" && digits != "4" && digits != "8" && digits != "16")
                continue;
            if (!digits.empty())
                digits.getAsInteger(10, length);
            if (length <= b.longest)
                offer_block(found, b, reads, length, name);
        }
    }

    // OpenCL C has printf from version 1.2 on. In earlier versions vendor extensions provide it
    // (cl_amd_printf, cl_intel_printf).
    void offer_printf(clang::LookupResult &found, clang::IdentifierInfo *name)
    {
        clang::ASTContext &c = sema->Context;
        clang::SourceLocation nowhere;
        clang::FunctionProtoType::ExtProtoInfo info(c.getDefaultCallingConvention(true, false));
        info.Variadic = true;
        clang::QualType format =
            c.getPointerType(c.getAddrSpaceQualType(c.CharTy.withConst(), clang::LangAS::opencl_constant));
        auto *f = clang::FunctionDecl::Create(c, c.getTranslationUnitDecl(), nowhere, nowhere, name,
                                              c.getFunctionType(c.IntTy, {format}, info), nullptr,
                                              clang::SC_Extern, false, false, true);
        f->setParams({clang::ParmVarDecl::Create(c, f, nowhere, nowhere, nullptr, format, nullptr,
                                                 clang::SC_None, nullptr)});
        f->setImplicit();
        f->addAttr(clang::FormatAttr::CreateImplicit(c, &c.Idents.get("printf"), 1, 2));
        sema->PushOnScopeChains(f, sema->TUScope, /*AddToContext=*/false);
        found.addDecl(f);
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

    // Called for names that Clang doesn't find. Declarations by the program itself take precedence.
    bool LookupUnqualified(clang::LookupResult &found, clang::Scope *) override
    {
        clang::IdentifierInfo *name = found.getLookupName().getAsIdentifierInfo();
        if (!sema || !sema->TUScope || !name || found.isForRedeclaration() ||
            found.getLookupKind() != clang::Sema::LookupOrdinaryName)
            return false;
        for (const row &r : rows)
            if (name->getName() == r.name && sema->PP.isMacroDefined(r.macro))
                offer_row(found, r, name);
        look_for_block(found, name);
        // Only inside a function. Outside, the program declares its own printf.
        if (name->getName() == "printf" && sema->getCurFunctionDecl() &&
            sema->getLangOpts().getOpenCLCompatibleVersion() < 120)
            offer_printf(found, name);
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
