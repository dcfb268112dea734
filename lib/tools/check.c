// `weft check -- PROGRAM`: runs a program with the checker (docs/check.md). What it finds is printed by the
// driver in the program's processes; this command counts it, collects the reports, and chooses the exit
// status.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"
#include "weft/checker.h"

struct request {
    const char *kinds, *json, *sarif, *suppress;
    char **program;
};

struct reports {
    unsigned processes, findings;
};

// ---- The reports of the program's processes ----

static unsigned count_words(const char *text, const char *word)
{
    unsigned count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    return count;
}

// JSON lines: each is a finding.
static void add_lines(const char *text, FILE *out, struct reports *all)
{
    all->findings += count_words(text, "\n");
    if (out)
        fputs(text, out);
}

// SARIF as lib/runtime/checker/report.c writes it: the runs of several processes become one list.
static const char sarif_runs[] = "\"runs\": [", sarif_end[] = "]}\n";

static void add_sarif(const char *text, FILE *out, struct reports *all)
{
    const char *runs = strstr(text, sarif_runs), *end = text + strlen(text) - (sizeof sarif_end - 1);
    if (!runs || end < runs || strcmp(end, sarif_end) != 0)
        return;
    const char *from = all->processes ? runs + sizeof sarif_runs - 1 : text;
    fprintf(out, "%s%.*s", all->processes ? ",\n" : "", (int)(end - from), from);
    all->findings += count_words(runs, "{\"ruleId\"");
}

// Reads what the processes have written, and removes it and the folder.
static void collect(const char *folder, const struct request *r, FILE *out, struct reports *all)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        char *path = f->d_name[0] != '.' ? weft_format("%s/%s", folder, f->d_name) : NULL;
        size_t size;
        char *text = path && !strstr(f->d_name, ".part") ? weft_tool_read(path, &size)
                                                         : NULL; // else it was killed in it
        if (text) {
            if (r->sarif)
                add_sarif(text, out, all);
            else
                add_lines(text, out, all);
            all->processes++;
        }
        if (path)
            unlink(path);
        weft_free(text);
        weft_free(path);
    }
    closedir(d);
    rmdir(folder);
    if (r->sarif)
        fputs(all->processes ? sarif_end : "{\"version\": \"2.1.0\", \"runs\": []}\n", out);
}

static int check(const struct request *r, const char *folder)
{
    const char *file = r->sarif ? r->sarif : r->json;
    FILE *out = file ? fopen(file, "we") : NULL;
    if (file && !out) {
        fprintf(stderr, "weft: %s can't be written: %s\n", file, strerror(errno));
        rmdir(folder);
        return 2;
    }
    char *report = weft_format("%s/%%p%s", folder, r->sarif ? ".sarif" : "");
    const char *const settings[] = {
        "WEFT_CHECK", r->kinds, "WEFT_CHECK_REPORT", report, "WEFT_CHECK_SUPPRESS", r->suppress, NULL};
    const int status = report ? weft_tool_run(r->program, settings) : 127;
    struct reports all = {0};
    collect(folder, r, out, &all);
    weft_free(report);
    const bool written = !out || weft_tool_close(out, file);
    if (status)
        fprintf(stderr, "weft: the program's exit status is %d\n", status);
    if (status == 127)
        return 127;
    if (!all.processes) {
        fputs("weft: no kernel was checked: the program doesn't run kernels on Weft. `weft doctor` finds out "
              "why;\n"
              "`eval \"$(weft env)\"` selects it\n",
              stderr);
        return status ? status : 2;
    }
    fprintf(stderr, "weft: check: %u finding%s\n", all.findings, all.findings == 1 ? "" : "s");
    return all.findings ? 1 : status || written ? status : 2;
}

int weft_tool_check(int argc, char **argv)
{
    struct request r = {.kinds = "all"};
    int k = 1;
    for (; k < argc && argv[k][0] == '-' && strcmp(argv[k], "--") != 0; k++) {
        const struct {
            const char *word, **value;
        } options[] = {
            {"--kinds", &r.kinds}, {"--json", &r.json}, {"--sarif", &r.sarif}, {"--suppress", &r.suppress}};
        size_t o = 0;
        while (o < WEFT_COUNT_OF(options) && strcmp(argv[k], options[o].word) != 0)
            o++;
        if (o == WEFT_COUNT_OF(options) || k + 1 == argc)
            return weft_tool_usage(argv[0], argv[k]);
        *options[o].value = argv[++k];
    }
    k += k < argc && strcmp(argv[k], "--") == 0;
    if (k >= argc)
        return weft_tool_usage(argv[0], NULL);
    if (!weft_check_kinds_of(r.kinds)) {
        fprintf(stderr, "weft: --kinds takes words of this list, with commas between them: %s\n",
                weft_check_kind_words);
        return 2;
    }
    if (r.json && r.sarif) {
        fprintf(stderr, "weft: one run writes one report: --json or --sarif\n");
        return 2;
    }
    if (r.suppress && access(r.suppress, R_OK) != 0) {
        fprintf(stderr, "weft: %s can't be read: %s\n", r.suppress, strerror(errno));
        return 2;
    }
    r.program = argv + k;
    const char *temporary = getenv("TMPDIR");
    char *folder = weft_format("%s/weft-check-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    int status = 2;
    if (folder && mkdtemp(folder))
        status = check(&r, folder);
    else
        fprintf(stderr, "weft: %s can't be made: %s\n", folder ? folder : "a folder", strerror(errno));
    weft_free(folder);
    return status;
}
