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

// Copies a report's lines, each of which is a finding.
static void copy_lines(const char *path, FILE *out, struct reports *all)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return;
    all->processes++;
    for (int c; (c = getc(in)) != EOF;) {
        all->findings += c == '\n';
        if (out)
            putc(c, out);
    }
    fclose(in);
}

// Reads what the processes have written, and removes it and the folder.
static void collect(const char *folder, FILE *out, struct reports *all)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        char *path = f->d_name[0] != '.' ? weft_format("%s/%s", folder, f->d_name) : NULL;
        if (path) {
            copy_lines(path, out, all);
            unlink(path);
        }
        weft_free(path);
    }
    closedir(d);
    rmdir(folder);
}

// What a line of the report has behind "ruleId": one for each finding.
static void count_sarif(const char *path, struct reports *all)
{
    struct weft_buf text = {0};
    FILE *in = fopen(path, "re");
    char part[4096];
    if (!in)
        return;
    for (size_t n; (n = fread(part, 1, sizeof part, in)) > 0;)
        weft_buf_append(&text, part, n);
    fclose(in);
    all->processes++;
    char *words = weft_buf_take(&text, NULL);
    for (const char *at = words; at && (at = strstr(at, "{\"ruleId\"")); at++)
        all->findings++;
    weft_free(words);
}

static int check(const struct request *r, const char *folder)
{
    FILE *out = r->json ? fopen(r->json, "we") : NULL;
    if (r->json && !out) {
        fprintf(stderr, "weft: %s can't be written: %s\n", r->json, strerror(errno));
        rmdir(folder);
        return 2;
    }
    char *report = r->sarif ? weft_strdup(r->sarif) : weft_format("%s/%%p", folder);
    if (r->sarif)
        unlink(r->sarif); // an old report would be taken for a new one
    const char *const settings[] = {
        "WEFT_CHECK", r->kinds, "WEFT_CHECK_REPORT", report, "WEFT_CHECK_SUPPRESS", r->suppress, NULL};
    const int status = report ? weft_tool_run(r->program, settings) : 127;
    struct reports all = {0};
    collect(folder, out, &all);
    if (r->sarif)
        count_sarif(r->sarif, &all);
    weft_free(report);
    const bool written = !out || weft_tool_close(out, r->json);
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
        return weft_tool_usage(argv[0], "(no program)");
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
