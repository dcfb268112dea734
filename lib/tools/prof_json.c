// What `weft prof` knows, for other programs and for its page.
#include <string.h>

#include "base/base.h"
#include "tools/prof.h"
#include "tools/tool.h"

// < could end a script.
static void put_text(FILE *out, const char *text, size_t size)
{
    putc('"', out);
    for (size_t i = 0; i < size; i++)
        if (strchr("\"\\<", text[i]) || (unsigned char)text[i] < ' ')
            fprintf(out, "\\u%04x", (unsigned)(unsigned char)text[i]);
        else
            putc(text[i], out);
    putc('"', out);
}

static void put_string(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    if (text)
        put_text(out, text, strlen(text));
    else
        fputs("null", out);
}

// Of each line, for a work-item: its share of the work, bytes and operations.
static void put_lines(FILE *out, const struct weft_profiled *k)
{
    fputs(", \"lines\": [", out);
    for (size_t i = 0; i < k->line_count; i++) {
        const struct weft_profiled_line *line = &k->lines[i];
        double instructions = 0;
        for (unsigned d = 0; d < WEFT_COUNT_DIMS; d++)
            instructions += line->instructions[d][0];
        fprintf(out,
                "%s{\"line\": %u, \"share\": %.4g, \"active_lanes\": %.4g, \"instructions\": %.6g, "
                "\"bytes\": %.6g, "
                "\"operations\": %.6g}",
                i ? ", " : "", line->number, line->share, line->active_lanes, instructions / k->sampled_items,
                line->bytes / k->sampled_items, line->operations / k->sampled_items);
    }
    fputs("]", out);
}

static void put_strips(FILE *out, const struct weft_profile *p)
{
    fputs(", \"timeline\": [", out);
    for (size_t i = 0; i < p->strip_count; i++) {
        const struct weft_profiled_strip *s = &p->strips[i];
        if (!s->name || !s->what || !s->spans || !s->process)
            continue;
        fputs(i ? ",\n  {" : "\n  {", out);
        put_string(out, "name", s->name);
        fputs(", ", out);
        put_string(out, "what", s->what);
        fputs(", ", out);
        put_string(out, "process", s->process);
        fprintf(out, ", \"from_ns\": %.0f, \"width_ns\": %.0f, \"busy_ns\": [%.*s]}", s->from_ns, s->width_ns,
                (int)strspn(s->spans, "0123456789,"), s->spans);
    }
    fputs("]", out);
}

static void put_remarks(FILE *out, struct weft_profiled *k)
{
    const char *at = weft_profile_report(k), *remark;
    unsigned line, count = 0;
    size_t size;
    fputs(", \"remarks\": [", out);
    while ((remark = weft_profile_next_remark(&at, &line, &size))) {
        fprintf(out, "%s[%u, ", count++ ? ", " : "", line);
        put_text(out, remark, size);
        putc(']', out);
    }
    putc(']', out);
}

static void put_sources(FILE *out, const struct weft_profile *p)
{
    bool any = false;
    fputs(", \"sources\": {", out);
    for (size_t i = 0; i < p->count; i++) {
        const char *path = p->kernels[i].source;
        bool first = path != NULL;
        for (size_t k = 0; k < i && first; k++)
            first = !p->kernels[k].source || strcmp(p->kernels[k].source, path) != 0;
        size_t size;
        char *text = first ? weft_tool_read(path, &size) : NULL;
        if (!text)
            continue;
        fputs(any ? ", " : "", out);
        put_text(out, path, strlen(path));
        fputs(": ", out);
        put_text(out, text, strlen(text));
        weft_free(text);
        any = true;
    }
    putc('}', out);
}

void weft_prof_json(FILE *out, struct weft_profile *p, const struct weft_limits *l, bool with_sources)
{
    fprintf(out,
            "{\"limits\": {\"gb_per_s\": %.6g, \"gflop_per_s\": %.6g, \"double_gflop_per_s\": %.6g},\n "
            "\"kernels\": [",
            l ? l->bytes_per_ns : 0, l ? l->operations_per_ns : 0, l ? l->doubles_per_ns : 0);
    for (size_t i = 0; i < p->count; i++) {
        struct weft_profiled *k = &p->kernels[i];
        fputs(i ? ",\n  {" : "\n  {", out);
        put_string(out, "name", k->name);
        fprintf(out,
                ", \"launches\": %.0f, \"failed\": %.0f, \"total_ns\": %.0f, \"median_ns\": %.0f, "
                "\"longest_ns\": %.0f, \"waited_ns\": %.0f, \"work_items\": %.0f, \"compile_ns\": %.0f, ",
                k->launches, k->failed, k->ns, k->median, k->longest, k->waited, k->items, k->compile_ns);
        if (k->counted_items > 0)
            fprintf(out,
                    "\"bytes_per_item\": %.6g, \"operations_per_item\": %.6g, "
                    "\"double_operations_per_item\": %.6g, \"gb_per_s\": %.6g, \"gflop_per_s\": %.6g, ",
                    k->bytes / k->counted_items, k->operations / k->counted_items,
                    k->doubles / k->counted_items, k->gb_per_s, k->gflop_per_s);
        fprintf(out,
                "\"lanes\": %u, \"active_lanes\": %.6g, \"divergent_share\": %.6g, \"private_bytes\": %.0f, "
                "\"stack_bytes\": %.0f, \"spilled_registers\": %.0f, \"line\": %u, ",
                k->lanes, k->active_lanes, k->divergent_share, k->private_bytes, k->stack_bytes, k->spills,
                k->line);
        put_string(out, "bound", weft_bound_name(k->bound));
        fputs(", ", out);
        put_string(out, "code", k->code);
        fputs(", ", out);
        put_string(out, "source", k->source);
        fputs(", ", out);
        put_string(out, "advice", k->advice);
        put_lines(out, k);
        if (with_sources)
            put_remarks(out, k);
        fputs("}", out);
    }
    fputs("\n ]", out);
    put_strips(out, p);
    if (with_sources)
        put_sources(out, p);
    fputs("}\n", out);
}

bool weft_prof_html(FILE *out, const char *template, struct weft_profile *p, const struct weft_limits *limits)
{
    static const char place[] = "/*DATA*/null";
    size_t size;
    char *page = weft_tool_read(template, &size), *at = page ? strstr(page, place) : NULL;
    if (at) {
        fwrite(page, 1, (size_t)(at - page), out);
        weft_prof_json(out, p, limits, true);
        fputs(at + strlen(place), out);
    }
    weft_free(page);
    return at != NULL;
}
