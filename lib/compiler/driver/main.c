// The command line of weftc: what it asks for, and where that is done.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "compiler/driver/command.h"
#include "compiler/driver/driver.h"
#include "compiler/ir/process.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/version.h"

static const char usage[] =
    "usage: weftc [options] FILE.cl -o FILE.weft         compile a program for this machine\n"
    "       weftc --emit=STAGE [options] FILE.cl         print the result of a stage: ast, bc, prepare,\n"
    "                                                    regions, shapes, vectorize, wiloops, llvm or asm\n"
    "       weftc --report=vectorize [options] FILE.cl   report which regions are vectorized, how, or why "
    "not\n"
    "       weftc --replay FILE.cl|.bc|.request          repeat a compile that a compiler died of; FILE is\n"
    "                                                    the file that the build log names\n"
    "       weftc --serve [--level=N]                    answer libweft on file descriptor 3; N: the "
    "highest\n"
    "                                                    level of the processor's family that code may use "
    "(0: no limit)\n"
    "       weftc --target                               print which processor code is made for, and what "
    "is\n"
    "                                                    used of it; WEFT_CPU chooses another one\n"
    "       weftc --version\n"
    "options:\n"
    "  -o FILE             the output file; - is standard output\n"
    "  -k KERNEL           the kernel for a report or a stage after bc; needed if there are several\n"
    "  --time-stages       write the processor time of each stage to standard error\n"
    "  --group=X[,Y[,Z]]   make the code only for work-groups of this size\n"
    "  -D -I -cl-std=CL1.2 -cl-fast-relaxed-math -Werror -g ...   the options of clBuildProgram\n"
    "FILE may also be a SPIR-V module, FILE.spv. A stage also takes a FILE.weft, bitcode or textual LLVM "
    "IR.\n";

static int usage_error(const char *what, const char *word)
{
    fprintf(stderr, "weftc: %s%s%s (see weftc --help)\n", what, word ? ": " : "", word ? word : "");
    return 2;
}

// Appends a word in quotes, such that weft_build_options_parse reads the same word back.
static void quote_option(struct weft_buf *b, const char *word)
{
    weft_buf_puts(b, " \"");
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            weft_buf_puts(b, "\\");
        weft_buf_append(b, word, 1);
    }
    weft_buf_puts(b, "\"");
}

// Parses "16,16". Missing sizes are 1. Returns false if the text isn't a valid size of a work-group.
static bool parse_group(const char *text, uint32_t group[3])
{
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        char *end = NULL;
        unsigned long n = i == 0 || *text ? strtoul(text, &end, 10) : 1;
        bool whole = !end || (end != text && (*end == '\0' || (*end == ',' && end[1] && i < 2)));
        if (!whole || n == 0 || n > WEFT_GROUP_MAX)
            return false;
        items *= group[i] = (uint32_t)n;
        text = end ? end + (*end == ',') : text;
    }
    return items <= WEFT_GROUP_MAX;
}

// Returns 0, or the exit status after an error message.
static int parse_command(struct weftc_command *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        const char **value = strcmp(arg, "-o") == 0 ? &c->output : strcmp(arg, "-k") == 0 ? &c->kernel : NULL;
        if (value) {
            if (++i == argc)
                return usage_error("missing value after", arg);
            *value = argv[i];
        } else if (strcmp(arg, "--serve") == 0) {
            c->serve = true;
        } else if (strncmp(arg, "--level=", 8) == 0 && arg[8] >= '0' && arg[8] <= '4' && !arg[9]) {
            c->level = arg[8] - '0';
        } else if (strcmp(arg, "--replay") == 0) {
            c->replay = true;
        } else if (strcmp(arg, "--version") == 0) {
            c->version = true;
        } else if (strcmp(arg, "--target") == 0) {
            c->target = true;
        } else if (strcmp(arg, "--time-stages") == 0) {
            weftc_print_stage_times();
        } else if (strcmp(arg, "--report=vectorize") == 0) {
            c->emit = "report";
        } else if (strncmp(arg, "--emit=", 7) == 0) {
            c->emit = arg + 7;
        } else if (strncmp(arg, "--group=", 8) == 0) {
            if (!parse_group(arg + 8, c->group))
                return usage_error("not a valid work-group size", arg);
        } else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            fputs(usage, stdout);
            exit(0);
        } else if (arg[0] == '-' && arg[1] == '-') {
            return usage_error("unknown option", arg);
        } else if (arg[0] == '-' && arg[1]) {
            quote_option(&c->options, arg);
            bool takes_value = (arg[1] == 'D' || arg[1] == 'U' || arg[1] == 'I') && !arg[2];
            if (takes_value && i + 1 < argc)
                quote_option(&c->options, argv[++i]);
        } else if (c->input) {
            return usage_error("more than one input file", arg);
        } else {
            c->input = arg;
        }
    }
    if (c->emit && strcmp(c->emit, "report") == 0)
        quote_option(&c->options, "-weft-report"); // keeps source lines
    weft_buf_append(&c->options, "", 1);
    return 0;
}

int main(int argc, char **argv)
{
    struct weftc_command c = {0};
    signal(SIGXFSZ, SIG_IGN); // write() then fails with EFBIG, and the error message names the cause
    int result = parse_command(&c, argc, argv);
    if (result)
        goto done;
    if (c.version)
        printf("weftc %s\n", weft_full_version);
    else if (c.target)
        result = weftc_print_target(&c);
    else if (c.serve)
        result = weftc_serve(WEFT_PROTOCOL_FD, c.level);
    else if (!c.input)
        result = usage_error("no input file", NULL);
    else if (c.emit && !weftc_is_stage(c.emit))
        result = usage_error("unknown stage", c.emit);
    else if (!c.emit && !c.output && !c.replay)
        result = usage_error("no output: give -o FILE or --emit=STAGE", NULL);
    else if (weftc_run_on_big_stack(weftc_run_offline, &c, &result) != WEFT_OK)
        result = usage_error("can't start a thread", NULL);
done:
    weft_buf_free(&c.options);
    return result;
}
