// Clang in process: one translation unit from memory to an LLVM module. Owns nothing between calls.
#include "bridge.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/ASTConsumers.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

extern "C" {
#include "../base/base.h"
}

namespace
{

// LLVM's stream into a buffer of ours.
class buf_stream : public llvm::raw_ostream
{
    weft_buf *buf;

    void write_impl(const char *data, size_t size) override
    {
        weft_buf_append(buf, data, size);
    }
    uint64_t current_pos() const override
    {
        return buf->size;
    }

  public:
    explicit buf_stream(weft_buf *b) : raw_ostream(/*unbuffered=*/true), buf(b)
    {
    }
};

class module_action : public clang::ASTFrontendAction
{
    llvm::LLVMContext &context;
    weft_buf *ast;
    clang::CodeGenerator *generator = nullptr; // the compiler instance's

  public:
    module_action(llvm::LLVMContext &c, weft_buf *ast_out) : context(c), ast(ast_out)
    {
    }

    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &ci,
                                                          llvm::StringRef name) override
    {
        if (ast)
            return clang::CreateASTDumper(std::make_unique<buf_stream>(ast), "", true, false, false, false,
                                          clang::ADOF_Default);
        generator = clang::CreateLLVMCodeGen(ci.getDiagnostics(), name, &ci.getVirtualFileSystem(),
                                             ci.getHeaderSearchOpts(), ci.getPreprocessorOpts(),
                                             ci.getCodeGenOpts(), context);
        return std::unique_ptr<clang::ASTConsumer>(generator);
    }

    std::unique_ptr<llvm::Module> module;

    void EndSourceFileAction() override
    {
        if (generator)
            module.reset(generator->ReleaseModule());
    }
};

} // namespace

static void report_dependencies(clang::CompilerInstance &ci, llvm::vfs::InMemoryFileSystem &memory,
                                const weft_bridge_source *source)
{
    clang::SourceManager &sources = ci.getSourceManager();
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
        llvm::SmallString<256> path(file->first.getName());
        ci.getFileManager().makeAbsolutePath(path);
        llvm::sys::path::remove_dots(path); // not "..", which may lead elsewhere through a link
        if (memory.exists(path))
            continue;
        if (auto buffer = file->second->getBufferIfLoaded())
            source->dependency(source->dependency_arg, path.c_str(), buffer->getBufferStart(),
                               buffer->getBufferSize());
    }
}

bool weft_bridge_frontend(const struct weft_bridge_source *source, LLVMContextRef context,
                          LLVMModuleRef *module)
{
    *module = nullptr;

    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> disk(llvm::vfs::createPhysicalFileSystem().release());
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
    files->pushOverlay(memory);
    // A folder that has gone away leaves only absolute paths usable; that shows when a file is looked for.
    memory->setCurrentWorkingDirectory(source->directory);
    files->setCurrentWorkingDirectory(source->directory);
    for (size_t i = 0; i < source->file_count; i++) {
        const weft_bridge_file &f = source->files[i];
        memory->addFile(f.path, 0, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(f.data, f.size), f.path));
    }

    auto invocation = std::make_shared<clang::CompilerInvocation>();
    auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
    buf_stream log(source->log);
    // Errors in the arguments themselves are told before the options for diagnostics are known.
    clang::DiagnosticsEngine early(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options,
                                   new clang::TextDiagnosticPrinter(log, options.get()));
    if (!clang::CompilerInvocation::CreateFromArgs(
            *invocation, llvm::ArrayRef<const char *>(source->args, source->arg_count), early))
        return false;

    clang::CompilerInstance ci;
    ci.setInvocation(invocation);
    ci.createDiagnostics(new clang::TextDiagnosticPrinter(log, &ci.getDiagnosticOpts()));
    ci.setVerboseOutputStream(std::make_unique<buf_stream>(source->log));
    ci.createFileManager(files);

    module_action action(*llvm::unwrap(context), source->ast);
    bool ok = ci.ExecuteAction(action);
    if (source->dependency && ci.hasSourceManager())
        report_dependencies(ci, *memory, source);
    if (!ok || source->ast)
        return ok;
    *module = llvm::wrap(action.module.release());
    return *module != nullptr;
}
