// Reading configuration files, and where they lie.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_file.h"

struct file {
    const char *path;
    char *text; // NULL: it wasn't read
    size_t size;
    bool only_log; // the first of two readings: WEFT_LOG decides what the second one reports
};

// Reads at most `size` bytes. Returns how many, or -1.
static ssize_t read_all(int fd, char *out, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, out + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

// The text of an open file into f. A sentence: why it can't be used.
static const char *read_text(int fd, struct file *f)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return "it is not a regular file";
    char *text = weft_alloc(WEFT_CONFIG_FILE_BYTES + 1);
    if (!text)
        return "there is no memory for it";
    ssize_t n = read_all(fd, text, WEFT_CONFIG_FILE_BYTES + 1);
    if (n >= 0 && n <= (ssize_t)WEFT_CONFIG_FILE_BYTES) {
        f->text = text;
        f->size = (size_t)n;
        return NULL;
    }
    weft_free(text);
    return n < 0 ? "it can't be read" : "it has more than 64 KiB";
}

// named: by WEFT_CONF, so it should be there.
static struct file file_read(const char *path, bool named)
{
    struct file f = {.path = path};
    if (!path)
        return f;
    // Without O_NONBLOCK, a FIFO of that name would stop the program.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        char text[128];
        if (named)
            weft_log_ignored_setting("the configuration file %s, which WEFT_CONF names, is not used: %s",
                                     path, weft_write_error(errno, text, sizeof text));
        else if (errno != ENOENT && errno != ENOTDIR)
            weft_log(WEFT_LOG_WARN, "the configuration file %s is not used: %s", path,
                     weft_write_error(errno, text, sizeof text));
        return f;
    }
    const char *why = read_text(fd, &f);
    close(fd);
    if (why)
        weft_log_ignored_setting("the configuration file %s is not used: %s", path, why);
    return f;
}

static void place_of(const struct file *f, unsigned line, char out[WEFT_CONFIG_PLACE])
{
    const int shown = WEFT_CONFIG_PLACE - 20; // of a longer path, the beginning
    snprintf(out, WEFT_CONFIG_PLACE, "%.*s:%u", shown, f->path, line);
}

static void on_setting(void *context, unsigned line, const char *name, size_t name_size, const char *value,
                       size_t value_size)
{
    const struct file *f = context;
    const bool is_log = name_size == strlen("WEFT_LOG") && memcmp(name, "WEFT_LOG", name_size) == 0;
    if (is_log != f->only_log)
        return;
    char place[WEFT_CONFIG_PLACE], *own_name = weft_strndup(name, name_size),
                                   *own_value = weft_strndup(value, value_size);
    place_of(f, line, place);
    if (own_name && own_value)
        weft_config_take(own_name, own_value, place);
    weft_free(own_name);
    weft_free(own_value);
}

static void on_problem(void *context, unsigned line, const char *text)
{
    const struct file *f = context;
    char place[WEFT_CONFIG_PLACE];
    place_of(f, line, place);
    if (!f->only_log)
        weft_log_ignored_setting("%s: this line is ignored: %s", place, text);
}

static void parse_files(struct file *files, size_t count, const struct weft_program_names *program,
                        bool only_log)
{
    for (size_t i = 0; i < count; i++) {
        files[i].only_log = only_log;
        const struct weft_config_handler h = {on_setting, on_problem, &files[i]};
        if (files[i].text)
            weft_config_parse(files[i].text, files[i].size, program, &h);
    }
}

void weft_config_load(const struct weft_config_paths *paths, const struct weft_program_names *program)
{
    WEFT_NOT_CANCELLED;
    const int error = errno;
    struct file files[] = {file_read(paths->shipped, false), file_read(paths->system, false),
                           file_read(paths->user, weft_config_str(WEFT_CFG_CONF) != NULL)};
    parse_files(files, WEFT_COUNT_OF(files), program, true);
    parse_files(files, WEFT_COUNT_OF(files), program, false);
    for (size_t i = 0; i < WEFT_COUNT_OF(files); i++) {
        if (files[i].text)
            weft_log(WEFT_LOG_DEBUG, "configuration file: %s", files[i].path);
        weft_free(files[i].text);
    }
    for (size_t i = 0; i < program->count; i++)
        weft_log(WEFT_LOG_DEBUG, "name of this program in configuration files: %s", program->names[i]);
    errno = error;
}

char *weft_config_user_path(void)
{
    const char *given = weft_config_str(WEFT_CFG_CONF);
    if (given)
        return weft_strdup(given);
    const char *folder = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    if (folder && folder[0] == '/') // a relative path is to be ignored (XDG base directory specification)
        return weft_format("%s/weft.conf", folder);
    return home && home[0] == '/' ? weft_format("%s/.config/weft.conf", home) : NULL;
}

// The file that was installed with the library, beside weftc. NULL: unknown. Freed with weft_free.
static char *shipped_path(const char *library)
{
    char *real = library ? realpath(library, NULL) : NULL;
    const char *file = real ? real : library, *slash = file ? strrchr(file, '/') : NULL;
    char *path = slash ? weft_format("%.*s/weft/weft.conf", (int)(slash - file), file) : NULL;
    free(real);
    return path;
}

void weft_config_load_for(const char *library)
{
    const char *given = weft_config_str(WEFT_CFG_CONF);
    if (given && strcmp(given, "none") == 0)
        return;
    struct weft_program_names program;
    weft_program_names_init(&program);
    char *shipped = shipped_path(library), *user = weft_config_user_path();
    const struct weft_config_paths paths = {shipped, "/etc/weft.conf", user};
    weft_config_load(&paths, &program);
    weft_free(shipped);
    weft_free(user);
}
