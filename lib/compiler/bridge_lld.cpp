// lld in process: one ELF object becomes a shared object without touching the disk. lld takes and makes
// files: its input is a memory file, named by its descriptor, and its output goes to standard output, which
// is a memory file meanwhile (lld refuses a memory file by name: it wants to rename a temporary one over it).
// So nothing else may print during a link. lld keeps state between calls unless told otherwise: each call
// clears it.
#include "bridge.h"

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
#include "../base/base.h"
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
        const char *p = static_cast<const char *>(data);
        while (size) {
            ssize_t n = ::write(fd, p, size);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return false;
            p += n;
            size -= static_cast<size_t>(n);
        }
        return true;
    }

    // The caller's (weft_free).
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

// Standard output is `fd` while this lives.
class stdout_to
{
    int saved;

  public:
    explicit stdout_to(int fd)
    {
        fflush(stdout);
        llvm::outs().flush();
        saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3); // fails when it is closed: it is closed again then
        dup2(fd, STDOUT_FILENO);
    }
    ~stdout_to()
    {
        llvm::outs().flush();
        if (saved >= 0) {
            dup2(saved, STDOUT_FILENO);
            close(saved);
        } else {
            close(STDOUT_FILENO);
        }
    }
    stdout_to(const stdout_to &) = delete;
};

// support.a (lib/kernel-builtins/README.md) lies beside this program.
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

} // namespace

bool weft_bridge_link_elf(const void *object, size_t object_size, uint8_t **out, size_t *out_size,
                          struct weft_buf *log)
{
    *out = nullptr;
    memory_file input("weft-object"), output("weft-code");
    if (!input.ok() || !output.ok() || !input.write(object, object_size)) {
        weft_buf_printf(log, "error: no memory file for the linker: %s\n", strerror(errno));
        return false;
    }
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
    std::string words;
    llvm::raw_string_ostream stream(words);
    bool ok;
    {
        stdout_to redirected(output.descriptor());
        ok = lld::elf::link(args, stream, stream, /*exitEarly=*/false, /*disableOutput=*/false);
    }
    lld::CommonLinkerContext::destroy();
    weft_buf_puts(log, stream.str().c_str());
    if (!ok)
        return false;
    *out = output.read(out_size);
    return *out != nullptr;
}
