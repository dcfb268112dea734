// Runs Clang in process: one translation unit from memory to an LLVM module. Owns nothing between calls.
#include "compiler/bridge/clang/clang.h"
#include "compiler/bridge/bridge.h"
#include "compiler/bridge/clang/parts.h"
#include "compiler/bridge/clang/versions.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclBase.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/ASTConsumers.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <climits>
#include <map>
#include <string>
#include <system_error>

extern "C" {
#include "base/base.h"
}

namespace
{

// A stream of LLVM that writes to a weft_buf.
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

std::string normal_path(llvm::vfs::FileSystem &files, const llvm::Twine &path)
{
    llvm::SmallString<256> absolute;
    path.toVector(absolute);
    files.makeAbsolute(absolute);
    llvm::sys::path::remove_dots(absolute); // keep "..": after a symbolic link it may lead somewhere else
    return std::string(absolute);
}

// The disk. Records each path that it was asked for, and whether a file is there. Existing folders are not
// recorded.
class recording_disk : public llvm::vfs::ProxyFileSystem
{
    void note(const llvm::Twine &path, bool there)
    {
        asked.emplace(normal_path(*this, path), there);
    }

  public:
    std::map<std::string, bool> asked;

    using ProxyFileSystem::ProxyFileSystem;

    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
    {
        auto found = ProxyFileSystem::status(path);
        if (!found || !found->isDirectory())
            note(path, bool(found));
        return found;
    }
    bool exists(const llvm::Twine &path) override
    {
        return bool(status(path));
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override
    {
        // Reject devices and pipes: they may have no end, or block.
        auto found = ProxyFileSystem::status(path);
        if (found && !found->isRegularFile()) {
            note(path, true);
            return std::make_error_code(std::errc::invalid_argument);
        }
        auto file = ProxyFileSystem::openFileForRead(path);
        note(path, bool(file));
        return file;
    }
};

class time_watcher : public clang::PPCallbacks
{
    bool *seen;

  public:
    explicit time_watcher(bool *s) : seen(s)
    {
    }
    void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition, clang::SourceRange,
                      const clang::MacroArgs *) override
    {
        const clang::MacroInfo *macro = definition.getMacroInfo();
        llvm::StringRef text = name.getIdentifierInfo()->getName();
        if (macro && macro->isBuiltinMacro() &&
            (text == "__DATE__" || text == "__TIME__" || text == "__TIMESTAMP__"))
            *seen = true;
    }
};

class error_watcher : public clang::TextDiagnosticPrinter
{
    weft_shared_names *names;
    llvm::raw_ostream &log;
    const clang::HeaderSearchOptions &search;
    std::string current_folder;

    // Adds a note with the folders in which a missing header was looked for. They depend on the application's
    // current folder and build options, which the source doesn't show.
    void note_searched_folders(const clang::Diagnostic &diagnostic)
    {
        const clang::SourceManager &sources = diagnostic.getSourceManager();
        const clang::SourceLocation at = sources.getFileLoc(diagnostic.getLocation());
        std::string folders;
        if (*sources.getCharacterData(at) != '<') {
            auto file = sources.getFileEntryRefForID(sources.getFileID(at));
            llvm::StringRef folder = file ? file->getDir().getName() : llvm::StringRef(".");
            folders += folder == "." || folder.empty() ? current_folder : folder.str();
        }
        bool named = false;
        for (const auto &entry : search.UserEntries) {
            if (entry.Path == ".") // for embedded headers
                continue;
            folders += (folders.empty() ? "" : ", ") + entry.Path;
            named = true;
        }
        log << "note: searched " << (folders.empty() ? "nowhere" : "in ") << folders
            << (named ? "\n" : "; -I in the build options adds folders\n");
    }

  public:
    error_watcher(llvm::raw_ostream &out, clang::DiagnosticOptions &options, weft_shared_names *n,
                  const clang::HeaderSearchOptions &s, const char *directory)
        : TextDiagnosticPrinter(out, versions::pass_options(options)), names(n), log(out), search(s),
          current_folder(directory)
    {
    }
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override
    {
        llvm::SmallString<128> text;
        if (level == clang::DiagnosticsEngine::Note)
            diagnostic.FormatDiagnostic(text);
        // advice to use an option that base/build_options.c rejects
        if (llvm::StringRef(text).starts_with("use -f"))
            return;
        TextDiagnosticPrinter::HandleDiagnostic(level, diagnostic);
        if (diagnostic.getID() == clang::diag::err_pp_file_not_found)
            note_searched_folders(diagnostic);
        if (level >= clang::DiagnosticsEngine::Error)
            weft_blame_shared_names(names, diagnostic);
    }
};

// Makes inline kernels normal functions. In C99 (§6.7.4) and C++, an inline function has no code of its own,
// but the host must be able to call a kernel. Sees each declaration before code is generated for it.
class inline_kernels : public clang::ASTConsumer
{
    void visit(clang::Decl *d)
    {
        if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(d)) {
            if (function->hasAttr<versions::kernel_attribute>() && function->isInlined()) {
                function->setInlineSpecified(false);
                function->setImplicitlyInline(false);
            }
        } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(d)) {
            for (clang::Decl *inner : llvm::cast<clang::DeclContext>(d)->decls())
                visit(inner);
        }
    }

  public:
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override
    {
        for (clang::Decl *d : group)
            visit(d);
        return true;
    }
};

class module_action : public clang::ASTFrontendAction
{
    llvm::LLVMContext &context;
    const weft_bridge_source *source;
    weft_shared_names *names;
    clang::CodeGenerator *generator = nullptr; // owned by the compiler instance

  public:
    module_action(llvm::LLVMContext &c, const weft_bridge_source *s, weft_shared_names *n)
        : context(c), source(s), names(n)
    {
    }

    bool BeginSourceFileAction(clang::CompilerInstance &ci) override
    {
        if (source->uses_time_macros)
            ci.getPreprocessor().addPPCallbacks(std::make_unique<time_watcher>(source->uses_time_macros));
        weft_declare_builtins_beside_own(ci, names);
        weft_declare_late_builtins(ci);
        return true;
    }

    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &ci,
                                                          llvm::StringRef name) override
    {
        if (source->ast)
            return clang::CreateASTDumper(std::make_unique<buf_stream>(source->ast), "", true, false, false,
                                          false, clang::ADOF_Default);
        std::unique_ptr<clang::CodeGenerator> owned(clang::CreateLLVMCodeGen(
            ci.getDiagnostics(), name, &ci.getVirtualFileSystem(), ci.getHeaderSearchOpts(),
            ci.getPreprocessorOpts(), ci.getCodeGenOpts(), context));
        generator = owned.get();
        std::vector<std::unique_ptr<clang::ASTConsumer>> all;
        all.push_back(std::make_unique<inline_kernels>());
        if (ci.getLangOpts().Blocks)
            all.push_back(weft_unbracket_blocks());
        if (!ci.getDiagnostics().getIgnoreAllWarnings())
            all.push_back(weft_check_barriers());
        all.push_back(std::move(owned));
        return std::make_unique<clang::MultiplexConsumer>(std::move(all));
    }

    std::unique_ptr<llvm::Module> module;

    void ExecuteAction() override
    {
        clang::ASTFrontendAction::ExecuteAction();
        llvm::Module *made = generator ? generator->GetModule() : nullptr;
        if (!made)
            return;
        weft_normalize(*made);
        for (llvm::GlobalObject &g : made->global_objects()) {
            check_name(g.getName());
            note_place(*made, g);
        }
    }

    void EndSourceFileAction() override
    {
        if (generator)
            module = std::unique_ptr<llvm::Module>(generator->ReleaseModule());
    }

  private:
    // Records where the source defines or declares a function, for messages of later stages. The place isn't
    // part of the function, since a kernel's identity doesn't depend on line numbers. Built-in functions have
    // no place.
    void note_place(llvm::Module &made, llvm::GlobalObject &g)
    {
        const clang::Decl *declared =
            llvm::isa<llvm::Function>(g) ? generator->GetDeclForMangledName(g.getName()) : nullptr;
        const auto *function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declared);
        if (!function)
            return;
        if (const clang::FunctionDecl *whole = function->getDefinition())
            function = whole;
        const clang::PresumedLoc at =
            getCompilerInstance().getSourceManager().getPresumedLoc(function->getLocation());
        if (at.isInvalid() || function->isImplicit())
            return;
        llvm::LLVMContext &c = made.getContext();
        const std::string place = (llvm::Twine(at.getFilename()) + ":" + llvm::Twine(at.getLine()) + ":" +
                                   llvm::Twine(at.getColumn()) + ": ")
                                      .str();
        made.getOrInsertNamedMetadata(source->places)
            ->addOperand(
                llvm::MDNode::get(c, {llvm::MDString::get(c, g.getName()), llvm::MDString::get(c, place)}));
    }

    // Rejects reserved names. An asm label can give a function any name, also one that LLVM or later stages
    // treat specially. Functions that Clang itself generates have no declaration.
    void check_name(llvm::StringRef name)
    {
        if (!name.starts_with("llvm.") && !name.starts_with(WEFTC_RESERVED_PREFIX))
            return;
        const clang::Decl *declared = generator->GetDeclForMangledName(name);
        if (!declared)
            return;
        clang::DiagnosticsEngine &diagnostics = getCompilerInstance().getDiagnostics();
        unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                  "the name '%0' is reserved for the compiler");
        diagnostics.Report(declared->getLocation(), id) << name;
    }
};

} // namespace

static void report_dependencies(clang::CompilerInstance &ci, llvm::vfs::InMemoryFileSystem &memory,
                                recording_disk &disk, const weft_bridge_source *source)
{
    clang::SourceManager &sources = ci.getSourceManager();
    for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
        std::string path = normal_path(disk, file->first.getName());
        if (memory.exists(path))
            continue;
        if (auto buffer = file->second->getBufferIfLoaded()) {
            source->dependency(source->dependency_arg, path.c_str(), buffer->getBufferStart(),
                               buffer->getBufferSize());
            disk.asked.erase(path);
        }
    }
    for (const auto &[path, there] : disk.asked)
        source->dependency(source->dependency_arg, path.c_str(), nullptr, there);
}

static weft_shared_names read_hidden(const weft_buf *hidden)
{
    weft_shared_names names;
    for (size_t at = 0; at < hidden->size;) {
        llvm::StringRef name(reinterpret_cast<const char *>(hidden->data) + at);
        names.hidden.insert(name);
        at += name.size() + 1;
    }
    return names;
}

bool weft_bridge_frontend(const struct weft_bridge_source *source, LLVMContextRef context,
                          LLVMModuleRef *module)
{
    *module = nullptr;
    *source->errors = 1; // for failures before Clang counts errors

    auto disk = llvm::makeIntrusiveRefCnt<recording_disk>(
        llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>(llvm::vfs::createPhysicalFileSystem().release()));
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(disk);
    files->pushOverlay(memory);
    // If the folder doesn't exist any more, only absolute paths work. Then relative files are simply not
    // found.
    memory->setCurrentWorkingDirectory(source->directory);
    files->setCurrentWorkingDirectory(source->directory);
    for (size_t i = 0; i < source->file_count; i++) {
        const weft_bridge_file &f = source->files[i];
        memory->addFile(f.path, 0, llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(f.data, f.size), f.path));
    }

    clang::CompilerInstance ci;
    buf_stream log(source->log);
    {
        // Reports errors in the arguments, before the diagnostics options are known.
        clang::CompilerInstance before; // owns the options
        clang::DiagnosticOptions &options = before.getDiagnosticOpts();
        clang::DiagnosticsEngine early(
            llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), versions::pass_options(options),
            new clang::TextDiagnosticPrinter(log, versions::pass_options(options)));
        if (!clang::CompilerInvocation::CreateFromArgs(
                ci.getInvocation(), llvm::ArrayRef<const char *>(source->args, source->arg_count), early))
            return false;
    }
    // What debug information is relative to. Clang 22 doesn't ask the files' system for its folder.
    ci.getCodeGenOpts().DebugCompilationDir = source->directory;

    weft_shared_names names = read_hidden(source->hidden);
    versions::set_files(
        ci, files,
        new error_watcher(log, ci.getDiagnosticOpts(), &names, ci.getHeaderSearchOpts(), source->directory));
    ci.setVerboseOutputStream(std::make_unique<buf_stream>(source->log));

    module_action action(*llvm::unwrap(context), source, &names);
    bool ok = ci.ExecuteAction(action);
    *source->errors =
        ci.getDiagnostics().hasFatalErrorOccurred() ? UINT_MAX : ci.getDiagnosticClient().getNumErrors();
    for (const auto &name : names.blamed)
        weft_buf_append(source->hidden, name.getKeyData(), name.getKeyLength() + 1); // including the NUL
    if (source->dependency && ci.hasSourceManager())
        report_dependencies(ci, *memory, *disk, source);
    if (!ok || source->ast)
        return ok;
    *module = llvm::wrap(action.module.release());
    return *module != nullptr;
}
