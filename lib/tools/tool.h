// The command `weft`: what a user asks of an installation. Each subcommand is one file. It finds the library
// beside itself and asks the driver directly, without an OpenCL loader, so that it also works where a program
// doesn't see Weft.
//
// Everything here runs on one thread. Functions named weft_tool_* return the exit status of the process: 0, 1
// for "no" (something is wrong, or was found), 2 for a command that can't be understood.
#ifndef WEFT_TOOLS_TOOL_H
#define WEFT_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "base/base.h"

// ---- installation.c: where the parts are ----

struct weft_installation {
    char *library;    // libweft.so; NULL: not found
    char *weftc;      // the compiler beside it, whether it exists or not; NULL: no library
    char *gdb_script; // for gdb; NULL: not found
    char *page;       // of weft prof --html; NULL: not found
    char *vendors;    // a folder whose weft.icd names this library; NULL: none was found
    char *programs;   // the folder of this program; NULL: no library
};
// The strings stay until the end of the process.
const struct weft_installation *weft_installation_find(void);
// The path in a vendor file, without blanks around it: the caller's. NULL: it can't be read.
char *weft_installation_read_icd(const char *path);
// Do both paths lead to the same file?
bool weft_installation_same_file(const char *a, const char *b);

// ---- driver.c: the driver, loaded from the installation ----

struct weft_driver {
    const cl_icd_dispatch *call; // the driver's functions
    cl_platform_id platform;
    cl_device_id device;
};
// NULL: it can't be loaded, and *why is a sentence on that, which stays until the end of the process.
const struct weft_driver *weft_driver_open(const char **why);
// A string of the device, the caller's. NULL: the query fails.
char *weft_driver_text(const struct weft_driver *d, cl_device_info what);
// A number of the device. 0: the query fails.
unsigned long long weft_driver_number(const struct weft_driver *d, cl_device_info what);

// ---- cache.c: the entries of the disk cache ----

struct weft_cache_totals {
    unsigned programs, kernels, verdicts, others, damaged, debug_files;
    unsigned long long bytes;
};
#define WEFT_LIMITS_FILE "limits." // weft prof's files there begin so (limits.c)
// A folder that programs of this user with this environment use: the caller's. The first (0) is the one that
// they write. NULL: it isn't there.
char *weft_cache_folder(unsigned index);
// Counts the entries. read: also checks what they contain. False: the folder can't be read.
bool weft_cache_count(const char *folder, bool read, struct weft_cache_totals *totals);

// ---- output.c ----

// Runs a program by its path, without a shell, and returns what it prints on its standard output: the
// caller's. arguments: from the program's name to NULL. NULL: it failed, and has said why on stderr, unless
// quiet.
char *weft_tool_output(const char *program, char *const arguments[], bool quiet);
// Runs a program with variables in its environment: names and values in turn, up to NULL; a value NULL leaves
// the variable as it is. Returns its exit status, 128 + n if signal n has ended it, 127 if it can't be run.
int weft_tool_run(char **program, const char *const *settings);
// All of a file, the caller's. NULL: it can't be read, or there is no memory.
char *weft_tool_read(const char *path, size_t *size);
// Has all that was printed reached the file? Says on stderr if not.
bool weft_tool_written(FILE *f, const char *name);
// The same, and closes it.
bool weft_tool_close(FILE *f, const char *name);
// From two seconds on, says on stderr that this is being done, until the next call. NULL: it is done. The
// text must stay until then.
void weft_tool_progress(const char *what);

// ---- report.c ----

// Words of the vectorizer's remarks that cost time, those first that cost most. NULL ends them.
extern const char *const weft_costly_remarks[];

// ---- child.c: work in a process of its own ----

struct weft_child {
    int (*work)(void *context, FILE *out);   // in the child: writes lines. Returns the exit status
    void (*take)(void *context, char *line); // here: each line, without its end
    void *context;
    unsigned patience_s; // so long may the child be silent before it is killed
    bool quiet;          // its stderr leads nowhere; its stdout always does
};
enum weft_child_end {
    WEFT_CHILD_NONE,   // there is no memory for a process
    WEFT_CHILD_ENDED,  // *status: its exit status
    WEFT_CHILD_KILLED, // *status: the signal
    WEFT_CHILD_SILENT  // it was silent for too long
};
// Runs the child and returns when it is over. It shares nothing with this process but what it writes.
enum weft_child_end weft_tool_child(const struct weft_child *c, int *status);

// ---- what the files of `weft doctor` share ----

// output.c: prints one finding. word: "ok", "note" or "WRONG"; these are counted.
void weft_tool_say(const char *word, const char *fmt, ...) WEFT_PRINTF(2, 3);
unsigned weft_tool_wrongs(void);
// doctor_trials.c. patience_s: what is silent for so long hangs.
void weft_doctor_try_loader(unsigned patience_s);
void weft_doctor_try_kernel(unsigned patience_s);

// ---- bench_cases.c: what `weft bench` measures ----

enum { WEFT_BENCH_CASES = 10 };
const char *weft_bench_name(unsigned number); // of a case
const char *weft_bench_says(unsigned number); // what it measures
// Writes a line for each case: "begin", and "time" with ns, "wrong" or "error"; tabs and the case's number
// follow. "failed", with the reason: there are no cases.
void weft_bench_run(FILE *out, const cl_icd_dispatch *call, cl_device_id device);

// ---- the subcommands: argv[0] is the subcommand's name ----

int weft_tool_info(int argc, char **argv);
int weft_tool_doctor(int argc, char **argv);
int weft_tool_env(int argc, char **argv);
int weft_tool_cache(int argc, char **argv);
int weft_tool_report(int argc, char **argv);
int weft_tool_prof(int argc, char **argv);
int weft_tool_debug(int argc, char **argv);
int weft_tool_check(int argc, char **argv);
int weft_tool_bench(int argc, char **argv);

// ---- usage.c ----

// Says on stderr that `word` isn't understood, and how to get help. NULL: it is no subcommand. Returns 2.
int weft_tool_usage(const char *subcommand, const char *word);
// The value of --patience, up to a day. 0: the text is none.
unsigned weft_tool_seconds(const char *text);

#endif
