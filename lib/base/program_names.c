// What this program is called, for sections of configuration files. A program that runs in an interpreter is
// known by its script too, and a Python program by its module: "python3" alone says little.
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/config_file.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_name(struct weft_program_names *p, const char *path)
{
    const char *name = base_name(path);
    if (p->count == WEFT_COUNT_OF(p->names) || strlen(name) >= sizeof p->names[0] || !*name)
        return;
    strcpy(p->names[p->count++], name);
}

static void add_executable(struct weft_program_names *p)
{
    static const char deleted[] = " (deleted)"; // as Linux says when the file was replaced
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return;
    path[n] = '\0';
    const size_t tail = sizeof deleted - 1;
    if ((size_t)n > tail && strcmp(path + n - tail, deleted) == 0)
        path[(size_t)n - tail] = '\0';
    add_name(p, path);
}

// Reads the beginning of the command line: words that end with NUL. Returns their bytes.
static size_t read_command_line(char *out, size_t size)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

// The script or module among Python's arguments. NULL: none, as in an interactive session.
static const char *python_script(const char *words, size_t size)
{
    for (size_t at = strlen(words) + 1; at < size; at += strlen(words + at) + 1) {
        const char *word = words + at, *after = at + strlen(word) + 1 < size ? word + strlen(word) + 1 : NULL;
        if (word[0] != '-')
            return word;
        if (strcmp(word, "-") == 0 || strncmp(word, "-c", 2) == 0)
            return NULL;
        if (strncmp(word, "-m", 2) == 0)
            return word[2] ? word + 2 : after;
        if (strcmp(word, "-W") == 0 || strcmp(word, "-X") == 0 ||
            strcmp(word, "--check-hash-based-pycs") == 0)
            at += strlen(word) + 1; // it has an argument
    }
    return NULL;
}

static bool is_python(const struct weft_program_names *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (fnmatch("python*", p->names[i], 0) == 0 || fnmatch("pypy*", p->names[i], 0) == 0)
            return true;
    return false;
}

static int match_library(struct dl_phdr_info *info, size_t size, void *pattern)
{
    (void)size;
    return info->dlpi_name && fnmatch(pattern, base_name(info->dlpi_name), 0) == 0;
}

static bool has_library(const char *pattern)
{
    return dl_iterate_phdr(match_library, (void *)(uintptr_t)pattern) != 0;
}

void weft_program_names_init(struct weft_program_names *p)
{
    WEFT_NOT_CANCELLED;
    const int error = errno;
    p->count = 0;
    p->has_library = has_library;
    add_executable(p);
    add_name(p, program_invocation_short_name);
    const char *executed = (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (executed)
        add_name(p, executed); // with #! in a script: the script
    char words[4096];
    const size_t size = is_python(p) ? read_command_line(words, sizeof words) : 0;
    const char *script = size ? python_script(words, size) : NULL;
    if (script)
        add_name(p, script);
    errno = error;
}
