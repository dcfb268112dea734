// Runs lld in process: links an ELF object to a shared object without touching the disk. lld reads and writes
// files. Its input is a memory file, named by its descriptor. Its output goes to standard output, which is
// redirected to a memory file during the link. (lld can't write to a memory file by name: it would try to
// rename a temporary file to it.) So nothing else may print during a link. lld keeps state between calls
// unless it is told to drop it, and each call does that.
#include "compiler/bridge/codegen.h"

#include <errno.h>
#include <fcntl.h>
#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <stdio.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "base/base.h"
}

LLD_HAS_DRIVER(elf)

#define ABSENT_TARGET(name)                            \
    extern "C" void LLVMInitialize##name##TargetInfo() \
    {                                                  \
    }                                                  \
    extern "C" void LLVMInitialize##name##Target()     \
    {                                                  \
    }                                                  \
    extern "C" void LLVMInitialize##name##TargetMC()   \
    {                                                  \
    }                                                  \
    extern "C" void LLVMInitialize##name##AsmPrinter() \
    {                                                  \
    }                                                  \
    extern "C" void LLVMInitialize##name##AsmParser()  \
    {                                                  \
    }
#include "absent_targets.inc"
#undef ABSENT_TARGET

namespace
{

class memory_file
{
    int fd;
    char name[32];

  public:
    explicit memory_file(const char *purpose) : fd(memfd_create(purpose, MFD_CLOEXEC))
    {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    }
    ~memory_file()
    {
        if (fd >= 0)
            close(fd);
    }
    memory_file(const memory_file &) = delete;

    bool ok() const
    {
        return fd >= 0;
    }
    const char *path() const
    {
        return name;
    }
    int descriptor() const
    {
        return fd;
    }

    bool write(const void *data, size_t size)
    {
        return weft_write_all(fd, data, size);
    }

    // Returns the contents; the caller frees them with weft_free.
    uint8_t *read(size_t *size)
    {
        struct stat st;
        if (fstat(fd, &st) != 0 || st.st_size <= 0)
            return nullptr;
        size_t bytes = static_cast<size_t>(st.st_size);
        uint8_t *data = static_cast<uint8_t *>(weft_alloc(bytes));
        for (size_t have = 0; data && have < bytes;) {
            ssize_t n = pread(fd, data + have, bytes - have, static_cast<off_t>(have));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0) {
                weft_free(data);
                return nullptr;
            }
            have += static_cast<size_t>(n);
        }
        *size = bytes;
        return data;
    }
};

// Redirects standard output to `fd` during its lifetime.
class stdout_to
{
    int saved;

    // LLVM's stream keeps a write error forever unless it is cleared.
    static int flush()
    {
        llvm::outs().flush();
        int error = llvm::outs().error().value();
        llvm::outs().clear_error();
        return error;
    }

  public:
    explicit stdout_to(int fd)
    {
        fflush(stdout);
        flush();
        // fails if standard output is closed; the destructor then closes it again
        saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        dup2(fd, STDOUT_FILENO);
    }
    ~stdout_to()
    {
        flush();
        if (saved >= 0) {
            dup2(saved, STDOUT_FILENO);
            close(saved);
        } else {
            close(STDOUT_FILENO);
        }
    }
    stdout_to(const stdout_to &) = delete;

    // Returns the errno of a failed write, or 0.
    int error()
    {
        return flush();
    }
};

weft_status cannot_write(int error, struct weft_buf *log)
{
    char text[256];
    weft_buf_printf(log, "error: the code can't be written to a memory file: %s\n",
                    weft_write_error(error, text, sizeof text));
    return WEFT_IO;
}

// Returns the path of support.a (lib/kernel-builtins/README.md), which lies beside this program, or "".
std::string support_archive()
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self);
    if (size <= 0 || size == sizeof self)
        return std::string();
    std::string path(self, static_cast<size_t>(size));
    path.replace(path.rfind('/') + 1, std::string::npos, "support.a");
    return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

// A failed link's words about functions that aren't there, or about the archive that should have them.
void explain_support(const std::string &words, const std::string &support, struct weft_buf *log)
{
    if (support.empty())
        weft_buf_puts(log,
                      "support.a, which should be beside weftc, can't be read; please install Weft again\n");
    else if (words.find(support) != std::string::npos)
        weft_buf_printf(log, "%s is damaged; please install Weft again\n", support.c_str());
}

} // namespace

weft_status weft_bridge_link_elf(const void *object, size_t object_size, uint8_t **out, size_t *out_size,
                                 struct weft_buf *log)
{
    *out = nullptr;
    memory_file input("weft-object"), output("weft-code");
    if (!input.ok() || !output.ok() || !input.write(object, object_size))
        return cannot_write(errno, log);
    static const std::string support = support_archive();
    std::vector<const char *> args = {"ld.lld",
                                      "-shared",
                                      "--no-undefined",
                                      "-Bsymbolic",
                                      "--gc-sections",
                                      "--hash-style=gnu",
                                      "--build-id=none",
                                      "-z",
                                      "noexecstack",
                                      "--threads=1",
                                      "--exclude-libs=ALL",
                                      input.path(),
                                      "-o",
                                      "-"};
    if (!support.empty())
        args.push_back(support.c_str());
    // With -g. A kernel that is inlined into its loops is no function any more, and gdb finds it by its name
    // in an index only.
    if (memmem(object, object_size, ".debug_gnu_pubnames", sizeof ".debug_gnu_pubnames"))
        args.push_back("--gdb-index");
    std::string words;
    llvm::raw_string_ostream stream(words);
    bool ok;
    int error;
    {
        stdout_to redirected(output.descriptor());
        ok = lld::elf::link(args, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
        error = redirected.error();
    }
    lld::CommonLinkerContext::destroy();
    weftc_bridge_set_kept_options();
    weft_buf_puts(log, stream.str().c_str());
    if (error)
        return cannot_write(error, log);
    if (!ok) {
        explain_support(stream.str(), support, log);
        return WEFT_INTERNAL;
    }
    *out = output.read(out_size);
    return *out ? WEFT_OK : WEFT_NO_MEMORY;
}
