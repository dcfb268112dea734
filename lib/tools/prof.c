// `weft prof -- PROGRAM`: runs a program, and prints what its kernels took.
#include "tools/prof.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/tool.h"

// ---- Running the program ----

// Returns the program's exit status, or 127 if it can't be run. Its profiles are in the folder then.
static int run(char **program, const char *folder)
{
    char *path = weft_format("%s/%%p", folder);
    const char *const settings[] = {"WEFT_PROFILE", path, NULL};
    const int status = path ? weft_tool_run(program, settings) : 127;
    weft_free(path);
    return status;
}

// Reads what the processes have written, and removes it and the folder.
static void collect(struct weft_profile *p, const char *folder)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));) {
        char *path = f->d_name[0] != '.' ? weft_format("%s/%s", folder, f->d_name) : NULL;
        const char *end = strrchr(f->d_name, '.');
        if (path) {
            if (!end || strcmp(end, ".part") != 0)
                weft_profile_read(p, path);
            unlink(path);
        }
        weft_free(path);
    }
    closedir(d);
    rmdir(folder);
}

// ---- Printing ----

// A duration in at most seven characters.
static const char *duration(char room[16], double ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t k = 0;
    while (k + 1 < WEFT_COUNT_OF(units) && ns < units[k].unit)
        k++;
    const double n = ns / units[k].unit;
    snprintf(room, 16, n < 10 ? "%.2f %s" : n < 100 ? "%.1f %s" : "%.0f %s", n, units[k].name);
    return room;
}

static const char *number(char room[16], double n)
{
    if (n <= 0)
        return "-";
    snprintf(room, 16, n < 10 ? "%.2f" : n < 100 ? "%.1f" : "%.0f", n);
    return room;
}

static int name_width(const struct weft_profile *p)
{
    size_t width = strlen("kernel");
    for (size_t i = 0; i < p->count; i++)
        width = strlen(p->kernels[i].name) > width ? strlen(p->kernels[i].name) : width;
    return width < 60 ? (int)width : 60;
}

// What was measured while the machine had other work.
static void print_beaten(FILE *out, const struct weft_profile *p, const struct weft_limits *l)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct weft_profiled *k = &p->kernels[i];
        const bool doubles = 2 * k->doubles > k->operations;
        const double limit = doubles ? l->doubles_per_ns : l->operations_per_ns;
        if (k->gflop_per_s <= 1.1 * limit)
            continue;
        fprintf(out,
                "%s reached more: the machine had other work when that was measured, or the compiler has "
                "removed operations\nthat are counted. weft prof --measure measures it again.\n",
                k->name);
        return;
    }
}

static void print_table(FILE *out, const struct weft_profile *p, const struct weft_limits *l)
{
    const int width = name_width(p);
    fprintf(out, "%-*s %8s %8s %6s %8s %8s %8s %11s %7s %8s %-8s %5s %6s %7s %8s  %s\n", width, "kernel",
            "launches", "total", "share", "median", "longest", "waited", "work-items", "GB/s", "GFLOP/s",
            "bound by", "lanes", "active", "spilled", "compiles", "code");
    for (size_t i = 0; i < p->count; i++) {
        const struct weft_profiled *k = &p->kernels[i];
        char a[16], b[16], c[16], d[16], e[16], f[16], g[16], h[16], s[16] = "?";
        if (k->spills >= 0)
            snprintf(s, sizeof s, "%.0f", k->spills);
        fprintf(out, "%-*.*s %8.0f %8s %5.1f%% %8s %8s %8s %11.0f %7s %8s %-8s %5u %6s %7s %8s  %s\n", width,
                width, k->name, k->launches, duration(a, k->ns), p->ns > 0 ? 100 * k->ns / p->ns : 0,
                duration(b, k->median), duration(c, k->longest), duration(d, k->waited / k->launches),
                k->items, number(e, k->gb_per_s), number(f, k->gflop_per_s), weft_bound_name(k->bound),
                k->lanes, number(h, k->active_lanes), s, duration(g, k->compile_ns), k->code ? k->code : "?");
    }
    if (l)
        fprintf(
            out,
            "\nThis machine reaches %.1f GB/s from memory, and %.0f GFLOP/s of floats or %.0f of doubles.\n",
            l->bytes_per_ns, l->operations_per_ns, l->doubles_per_ns);
    if (l)
        print_beaten(out, p, l);
    fputs("\n", out);
    size_t unknown = 0;
    for (size_t i = 0; i < p->count; i++)
        unknown += !p->kernels[i].source;
    if (unknown)
        fprintf(
            out,
            "The source of %zu of these kernels isn't known: their programs are binaries or SPIR-V, or there "
            "is no disk cache\n(WEFT_CACHE=0). A program that keeps binaries may have a setting against "
            "that (docs/profiling.md).\n\n",
            unknown);
    for (size_t i = 0; i < p->count; i++)
        if (p->kernels[i].advice)
            fprintf(out, "%s: %s\n", p->kernels[i].name, p->kernels[i].advice);
}

static bool write_page(const char *path, struct weft_profile *p, const struct weft_limits *l)
{
    const char *template = weft_installation_find()->page;
    FILE *f = template ? fopen(path, "we") : NULL;
    if (!f) {
        fprintf(stderr, "weft: %s can't be written: %s\n", path,
                template ? strerror(errno) : "share/weft/prof.html isn't there");
        return false;
    }
    const bool whole = weft_prof_html(f, template, p, l);
    if (!whole)
        fprintf(stderr, "weft: %s can't be written: %s can't be read\n", path, template);
    return weft_tool_close(f, path) && whole;
}

// ---- The subcommand ----

static void free_profile(struct weft_profile *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct weft_profiled *k = &p->kernels[i];
        weft_free(k->name);
        weft_free(k->code);
        weft_free(k->source);
        weft_free(k->options);
        weft_free(k->own_name);
        weft_free(k->report);
        weft_free(k->advice);
        weft_free(k->lines);
    }
    for (size_t i = 0; i < p->strip_count; i++) {
        weft_free(p->strips[i].name);
        weft_free(p->strips[i].what);
        weft_free(p->strips[i].spans);
        weft_free(p->strips[i].process);
    }
    weft_free(p->strips);
    weft_free(p->kernels);
}

// Is it worth while to run the program?
static bool may_write(const char *path)
{
    char *folder = weft_strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    const bool may =
        access(path, F_OK) == 0 ? access(path, W_OK) == 0 : access(slash ? folder : ".", W_OK | X_OK) == 0;
    const int error = errno;
    weft_free(folder);
    errno = error;
    if (!may)
        fprintf(stderr, "weft: %s can't be written: %s\n", path, strerror(error));
    return may;
}

int weft_tool_prof(int argc, char **argv)
{
    bool json = false, measure = false;
    const char *file = NULL, *html = NULL;
    int k = 1;
    for (; k < argc && argv[k][0] == '-' && strcmp(argv[k], "--") != 0; k++) {
        if (strcmp(argv[k], "--json") == 0)
            json = true;
        else if (strcmp(argv[k], "--measure") == 0)
            measure = true;
        else if (strcmp(argv[k], "-o") == 0 && k + 1 < argc)
            file = argv[++k];
        else if (strcmp(argv[k], "--html") == 0 && k + 1 < argc)
            html = argv[++k];
        else
            return weft_tool_usage(argv[0], argv[k]);
    }
    k += k < argc && strcmp(argv[k], "--") == 0;
    if (k >= argc)
        return weft_tool_usage(argv[0], NULL);
    if (html && !may_write(html))
        return 1;
    FILE *out = file ? fopen(file, "we") : stdout;
    const char *temporary = getenv("TMPDIR");
    // The program may change its folder.
    char *absolute = realpath(temporary && *temporary ? temporary : "/tmp", NULL);
    char *folder = absolute ? weft_format("%s/weft-prof-XXXXXX", absolute) : NULL;
    free(absolute);
    if (!out || !folder || !mkdtemp(folder)) {
        fprintf(stderr, "weft: %s can't be written: %s\n",
                !out     ? file
                : folder ? folder
                         : "TMPDIR",
                strerror(errno));
        weft_free(folder);
        return 1;
    }
    struct weft_limits limits;
    const bool has_limits = weft_limits_find(&limits, measure); // before the program: nothing else runs now
    const int status = run(argv + k, folder);
    struct weft_profile p = {0};
    collect(&p, folder);
    weft_tool_progress("asking the vectorizer about the kernels");
    weft_profile_judge(&p, has_limits ? &limits : NULL);
    weft_tool_progress(NULL);
    if (json)
        weft_prof_json(out, &p, has_limits ? &limits : NULL, false);
    else if (p.count)
        print_table(out, &p, has_limits ? &limits : NULL);
    bool written = !html || write_page(html, &p, has_limits ? &limits : NULL);
    if (!p.count && status > 128)
        fputs("weft: the program was killed, so nothing is known of its kernels\n", stderr);
    else if (!p.count && status != 127)
        fputs("weft: no kernel ran on Weft. `weft doctor` finds out why; `eval \"$(weft env)\"` selects it\n",
              stderr);
    if (status)
        fprintf(stderr, "weft: the program's exit status is %d\n", status);
    if (file)
        written &= weft_tool_close(out, file);
    const bool ran = p.count != 0;
    free_profile(&p);
    weft_free(folder);
    return status ? status : !ran || !written;
}
