// Configuration files: settings for all programs, or for those that a section names. docs/configuration.md
// has their syntax for users, ADR 35 why it is so.
//
// The driver reads files (icd/config_files.c), and the command `weft`, which must find what the driver uses.
// weftc gets the driver's settings in its environment.
// Threads: everything here runs once, while the library is loaded or the command starts. Nothing here fails:
// what can't be read or understood is reported in the log, and the rest counts.
#ifndef WEFT_BASE_CONFIG_FILE_H
#define WEFT_BASE_CONFIG_FILE_H

#include "base/base.h"

// Larger files are not read.
#define WEFT_CONFIG_FILE_BYTES 65536u

// What sections are compared with. Names are base names; the array may hold a name twice.
struct weft_program_names {
    char names[5][256];
    size_t count;
    bool (*has_library)(const char *pattern); // does a loaded library's base name match it (fnmatch)?
};

// Finds the names of this program: the executable, argv[0], the script of an interpreter, Python's module.
void weft_program_names_init(struct weft_program_names *p);

// Who gets what stands in a file. A name or value is a part of the text, without a NUL at its end.
struct weft_config_handler {
    void (*setting)(void *context, unsigned line, const char *name, size_t name_size, const char *value,
                    size_t value_size);
    void (*problem)(void *context, unsigned line, const char *text); // a sentence on what is wrong
    void *context;
};

// Reads a file's text, of any bytes: calls handler->setting for each setting that is for `program`, in their
// order, and handler->problem for each line that isn't understood.
void weft_config_parse(const char *text, size_t size, const struct weft_program_names *program,
                       const struct weft_config_handler *handler);

// The files, by rank: what stands in a later one replaces what stands in an earlier one. NULL: there is none.
struct weft_config_paths {
    const char *shipped, *system, *user;
};

// Reads the files and sets what they say (weft_config_take). A file that doesn't exist is not reported.
void weft_config_load(const struct weft_config_paths *paths, const struct weft_program_names *program);

// Reads the files that belong to this library, libweft.so, and to this program, unless WEFT_CONF is "none".
// NULL: the library's path isn't known.
void weft_config_load_for(const char *library);

// Where a setting's value is from: "the environment" or "FILE:LINE". NULL: it is the default (config.c).
const char *weft_config_origin(enum weft_config c);

// The user's file: WEFT_CONF, else weft.conf in $XDG_CONFIG_HOME or ~/.config. NULL: none, as in a set-uid
// program, or no memory. To be freed with weft_free.
char *weft_config_user_path(void);

#endif
