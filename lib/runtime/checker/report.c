// The forms of a report: text, JSON lines (one object a finding), and SARIF 2.1.0. Stateless.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/checker.h"

// ---- text ----

static void print_ids(FILE *out, const uint64_t id[3])
{
    fprintf(out, "(%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", id[0], id[1], id[2]);
}

static void print_place(FILE *out, const struct weft_finding_place *p)
{
    if (!p->line && *p->file) { // of the host's program
        fprintf(out, "    %s%s%s\n", p->file, *p->source ? ": " : "", p->source);
        return;
    }
    fprintf(out, "    %s:%u:%u: %s\n", *p->file ? p->file : "(unknown file)", p->line, p->column, p->source);
    fputs("    work-item ", out);
    print_ids(out, p->global);
    fputs(", local id ", out);
    print_ids(out, p->local);
    fputs(" in work-group ", out);
    print_ids(out, p->group);
    fputs("\n", out);
}

void weft_checker_print(FILE *out, const struct weft_finding *f)
{
    char *memory = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&memory, &size);
    if (!all)
        return;
    fprintf(all, "weft: check: %s: %s%s%s%s\n", weft_check_kind_word(f->kind), *f->kernel ? "kernel " : "",
            f->kernel, *f->kernel ? ": " : "", f->message);
    print_place(all, &f->at);
    if (f->other.line)
        print_place(all, &f->other);
    if (fclose(all) == 0)
        weft_write_all(fileno(out), memory, size); // there is no way to report a failure
    free(memory);
}

void weft_checker_print_count(FILE *out, const struct weft_kept *k)
{
    const struct weft_finding_place *at = &k->f.at;
    fprintf(out, "    %s  %s", weft_check_kind_word(k->f.kind), at->file);
    if (at->line)
        fprintf(out, ":%u:%u", at->line, at->column);
    fprintf(out, "%s%s  %" PRIu64 " %s\n", *k->f.kernel ? "  kernel " : "", k->f.kernel, k->count,
            k->count == 1 ? "time" : "times");
}

// ---- JSON ----

static void put_text(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++)
        if (strchr("\"\\", *text) || (unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)*text);
        else
            putc(*text, out);
    putc('"', out);
}

static void put_string(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    put_text(out, text);
}

static void put_ids(FILE *out, const char *name, const uint64_t id[3])
{
    fprintf(out, ", \"%s\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", name, id[0], id[1], id[2]);
}

static void put_place(FILE *out, const struct weft_finding_place *p)
{
    fputs("\"file\": ", out);
    put_text(out, p->file);
    fprintf(out, ", \"line\": %u, \"column\": %u", p->line, p->column);
    put_string(out, "source", p->source);
    if (!p->line && *p->file)
        return; // no work-item
    put_ids(out, "global_id", p->global);
    put_ids(out, "local_id", p->local);
    put_ids(out, "group_id", p->group);
}

void weft_checker_write_line(FILE *out, const struct weft_kept *k)
{
    const struct weft_finding *f = &k->f;
    fprintf(out, "{\"kind\": \"%s\"", weft_check_kind_word(f->kind));
    put_string(out, "kernel", f->kernel);
    put_string(out, "message", f->message);
    fputs(", ", out);
    put_place(out, &f->at);
    if (f->access) {
        put_string(out, "access", f->access);
        fprintf(out, ", \"size\": %" PRIu64, f->size);
    }
    if (f->object && *f->object)
        put_string(out, "object", f->object);
    if (f->has_object_bytes)
        fprintf(out, ", \"object_bytes\": %" PRIu64 ", \"offset\": %" PRId64, f->object_bytes,
                (int64_t)f->offset);
    if (f->other.line) {
        fputs(", \"other\": {", out);
        put_place(out, &f->other);
        putc('}', out);
    }
    fprintf(out, ", \"count\": %" PRIu64 "}\n", k->count);
}

void weft_checker_write_json(FILE *out, const struct weft_kept *first)
{
    for (const struct weft_kept *k = first; k; k = k->next)
        if (!k->suppressed)
            weft_checker_write_line(out, k);
}

// ---- SARIF ----

// A file's name as a reference of RFC 3986, which SARIF wants (§3.4.3).
static void put_uri(FILE *out, const char *file)
{
    fputs(*file == '/' ? "\"file://" : "\"", out);
    for (; *file; file++) {
        const char c = *file;
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr("-._~/+", c);
        fprintf(out, plain ? "%c" : "%%%02X", (unsigned char)c);
    }
    putc('"', out);
}

static void put_location(FILE *out, const struct weft_finding_place *p)
{
    fputs("{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
    put_uri(out, p->file);
    fprintf(out, "}, \"region\": {\"startLine\": %u, \"startColumn\": %u", p->line ? p->line : 1,
            p->column ? p->column : 1);
    if (*p->source) {
        fputs(", \"snippet\": {\"text\": ", out);
        put_text(out, p->source);
        putc('}', out);
    }
    fputs("}}}", out);
}

static void put_result(FILE *out, const struct weft_kept *k)
{
    fprintf(out, "{\"ruleId\": \"%s\", \"level\": \"error\", \"message\": {\"text\": ",
            weft_check_kind_word(k->f.kind));
    struct weft_buf text = {0};
    weft_buf_printf(&text, "%s%s%s%s", *k->f.kernel ? "kernel " : "", k->f.kernel, *k->f.kernel ? ": " : "",
                    k->f.message);
    char *words = weft_buf_take(&text, NULL);
    put_text(out, words ? words : k->f.message);
    weft_free(words);
    fputs("}, \"locations\": [", out);
    put_location(out, &k->f.at);
    fputs("]", out);
    if (k->f.other.line) {
        fputs(", \"relatedLocations\": [", out);
        put_location(out, &k->f.other);
        fputs("]", out);
    }
    fprintf(out, ", \"occurrenceCount\": %" PRIu64 "}", k->count ? k->count : 1);
}

void weft_checker_write_sarif(FILE *out, const struct weft_kept *first)
{
    static const char *const texts[] = {
#define KIND_TEXT(id, word, text) text,
        WEFT_CHECK_KINDS(KIND_TEXT)
#undef KIND_TEXT
    };
    fputs(
        "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", \"runs\": "
        "[{\"tool\": {\"driver\": {\"name\": \"Weft\", \"version\": \"" WEFT_VERSION "\", \"rules\": [",
        out);
    for (unsigned k = 0; k < WEFT_CHECK_KIND_COUNT; k++)
        fprintf(out, "%s{\"id\": \"%s\", \"shortDescription\": {\"text\": \"%s\"}}", k ? ", " : "",
                weft_check_kind_word((enum weft_check_kind)k), texts[k]);
    fputs("]}}, \"results\": [", out);
    bool any = false;
    for (const struct weft_kept *k = first; k; k = k->next)
        if (!k->suppressed) {
            fputs(any ? ",\n" : "\n", out);
            put_result(out, k);
            any = true;
        }
    fputs("\n]}]}\n", out);
}
