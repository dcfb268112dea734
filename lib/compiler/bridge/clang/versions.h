// What Clang's versions 19 to 22 call differently.
#ifndef WEFT_BRIDGE_CLANG_VERSIONS_H
#define WEFT_BRIDGE_CLANG_VERSIONS_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace versions
{

#if LLVM_VERSION_MAJOR >= 21
using kernel_attribute = clang::DeviceKernelAttr;
using diagnostic_options = clang::DiagnosticOptions &; // what printers of diagnostics take
inline diagnostic_options pass_options(clang::DiagnosticOptions &options)
{
    return options;
}
#else
using kernel_attribute = clang::OpenCLKernelAttr;
using diagnostic_options = clang::DiagnosticOptions *;
inline diagnostic_options pass_options(clang::DiagnosticOptions &options)
{
    return &options;
}
#endif

// Arguments of attributes: numbers, or expressions from Clang 22 on.
inline unsigned number(unsigned value, const clang::ASTContext &)
{
    return value;
}
inline unsigned number(const clang::Expr *value, const clang::ASTContext &ast)
{
    return static_cast<unsigned>(value->EvaluateKnownConstInt(ast).getZExtValue());
}

// Gives the instance its files, and where diagnostics go. It owns the consumer.
inline void set_files(clang::CompilerInstance &ci, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                      clang::DiagnosticConsumer *consumer)
{
#if LLVM_VERSION_MAJOR >= 22
    ci.setVirtualFileSystem(std::move(files));
    ci.createDiagnostics(consumer);
    ci.createFileManager();
#elif LLVM_VERSION_MAJOR >= 20
    ci.createDiagnostics(*files, consumer);
    ci.createFileManager(std::move(files));
#else
    ci.createDiagnostics(consumer);
    ci.createFileManager(std::move(files));
#endif
}

} // namespace versions

#endif
