// The command line of `weft`: which subcommand is asked for.
#include <stdio.h>
#include <string.h>

#include "base/config_file.h"
#include "tools/tool.h"
#include "weft/version.h"

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *summary, *help;
} subcommands[] = {
    {"info", weft_tool_info, "", "the device, the compiler, the cache and the settings",
     "Prints what programs are told about the device, which compiler and cache belong to it, and the\n"
     "settings in force with the place that they are from: the environment or a configuration file.\n"},
    {"doctor", weft_tool_doctor, "[--patience SECONDS]", "why a program doesn't see Weft, or can't use it",
     "Checks the installation, vendor files, loaders, other drivers, the cache and what the system allows, "
     "and\n"
     "runs a kernel. Each line begins with `ok`, `note` or `WRONG`; a wrong one says what to do. The exit\n"
     "status is 1 if something is wrong.\n"
     "--patience SECONDS  so long may a driver be silent before it counts as hanging (30)\n"},
    {"env", weft_tool_env, "", "the variables that select this Weft: eval \"$(weft env)\"",
     "Prints shell commands after which OpenCL programs see this installation and no other driver, and\n"
     "`weft` and `weftc` are its own:\n"
     "    eval \"$(weft env)\"\n"},
    {"cache", weft_tool_cache, "[size|list|verify|clear]", "the disk cache of compiled programs",
     "size    how many entries there are, and their bytes (the default)\n"
     "list    a line for each: kind, bytes, last use, name\n"
     "verify  reads all entries; the exit status is 1 if one is damaged. Weft makes damaged ones again\n"
     "clear   removes all entries, and what weft prof has measured of this machine. Running programs don't\n"
     "        mind\n"},
    {"report", weft_tool_report, "FILE.cl [-k KERNEL] [OPTIONS]",
     "what the vectorizer made of each line of a kernel",
     "Prints the source of a kernel with the vectorizer's remarks below the lines that they are about. "
     "OPTIONS\n"
     "are those of clBuildProgram. Without -k it is the first kernel of the file. docs/performance.md\n"
     "explains the remarks.\n"},
    {"bench", weft_tool_bench, "[--only] [--patience SECONDS] [VENDORS...]",
     "a minute's benchmark, beside the other drivers",
     "Measures launches, a build, memory, arithmetic, loops and barriers with this Weft and with the "
     "drivers\n"
     "that are installed: those of OCL_ICD_VENDORS, OPENCL_VENDOR_PATH, OCL_ICD_FILENAMES and\n"
     "/etc/OpenCL/vendors. VENDORS are others: folders, vendor files or libraries. A driver takes some\n"
     "fifteen seconds. One that crashes or hangs is a line.\n"
     "--only   no drivers but this Weft and those that are named\n"
     "--patience SECONDS  so long may a driver be silent before it counts as hanging (60)\n"},
    {"debug", weft_tool_debug, "[--lldb] [--] PROGRAM [ARGUMENTS]",
     "starts gdb or lldb so that it sees kernels",
     "Starts the debugger on the program. Its kernels are built with -g -cl-opt-disable, breakpoints in\n"
     "them may be set before there is code, and gdb has $gid, $lid, $group and `weft items`.\n"
     "docs/debugging.md has sessions.\n"},
    {"check", weft_tool_check,
     "[--kinds LIST] [--json FILE | --sarif FILE] [--suppress FILE] [--] PROGRAM [ARGUMENTS]",
     "what is wrong in the kernels of a program",
     "Runs the program with kernels that look for their own faults: accesses outside of objects, misaligned\n"
     "ones, wrong arithmetic, barriers that not all work-items reach, races. Reports go to stderr. The exit\n"
     "status is 1 if something was found, otherwise the program's. docs/check.md explains the reports.\n"
     "--kinds LIST     of: bounds, align, arith, uninit, api, barrier, race, nan, overflow, leaks;\n"
     "                 with commas between them\n"
     "--json FILE      writes one finding a line\n"
     "--sarif FILE     writes SARIF, which code hosts show\n"
     "--suppress FILE  names findings to leave out\n"},
    {"prof", weft_tool_prof, "[--json] [-o FILE] [--html FILE] [--measure] [--] PROGRAM [ARGUMENTS]",
     "what the kernels of a program took, and what limits them",
     "Runs the program, and prints a line for each kernel: launches, time, bytes of global memory and\n"
     "operations on floats and doubles in a second, beside what this machine can do, and a sentence of "
     "advice. Both are\n"
     "counted in a sample of work-groups. docs/profiling.md explains the columns. The exit status is the\n"
     "program's.\n"
     "--json   prints all numbers, for other programs\n"
     "-o FILE  writes to a file instead of standard output\n"
     "--html FILE  also writes a page with the table, a roofline and the sources with remarks\n"
     "--measure  measures again what this machine can do, which is kept otherwise\n"},
};

static void print_help(FILE *out)
{
    fputs("usage: weft SUBCOMMAND [ARGUMENTS]\n\n", out);
    for (size_t k = 0; k < sizeof subcommands / sizeof *subcommands; k++)
        fprintf(out, "  weft %-8s%s\n", subcommands[k].name, subcommands[k].summary);
    fputs("\n`weft SUBCOMMAND --help` says more, `weft --version` which version this is.\n", out);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("weft %s\n", weft_full_version);
        return 0;
    }
    if (asks_for_help(argv[1])) {
        print_help(stdout);
        return 0;
    }
    for (size_t k = 0; k < sizeof subcommands / sizeof *subcommands; k++) {
        const struct subcommand *s = &subcommands[k];
        if (strcmp(argv[1], s->name) != 0)
            continue;
        if (argc < 3 || !asks_for_help(argv[2]))
            return s->run(argc - 1, argv + 1);
        printf("usage: weft %s%s%s\n\n%s", s->name, *s->arguments ? " " : "", s->arguments, s->help);
        return 0;
    }
    return weft_tool_usage(NULL, argv[1]);
}

int main(int argc, char **argv)
{
    weft_config_load_for(weft_installation_find()->library); // as the driver does
    const int status = run(argc, argv);
    const bool written = weft_tool_written(stdout, "standard output");
    return status || written ? status : 1;
}
