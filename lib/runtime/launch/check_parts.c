// Launches that use overlapping parts of a buffer (API, runtime/checker/parts.h).
#include <string.h>

#include "base/base.h"
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"
#include "runtime/checker/parts.h"
#include "runtime/code/kernel_code.h"
#include "runtime/image/image.h"
#include "runtime/launch/checks.h"
#include "runtime/memory/memory.h"
#include "weft/code_object.h"

enum { MOST = 32 }; // arguments of which it is known whether the kernel writes to them

struct weft_launch_parts {
    uint32_t count;
    struct weft_part part[MOST];
    const struct weft_kernel_meta *meta;
};

static bool is_part(const struct weft_mem *m)
{
    return !m->image && atomic_load_explicit(&m->root->has_parts, memory_order_relaxed); // a hint
}

// Memory objects are listed in the order of the arguments that have one.
static void list(struct weft_launch_parts *p, const struct weft_launch *l)
{
    const struct weft_kernel_meta *m = l->code->meta;
    uint32_t mem = 0;
    for (uint32_t a = 0; a < m->arg_count && a < MOST && mem < l->mem_count; a++) {
        uint64_t value;
        const uint32_t kind = m->args[a].kind;
        if (kind != WEFT_ARG_GLOBAL && kind != WEFT_ARG_CONSTANT && kind != WEFT_ARG_IMAGE &&
            kind != WEFT_ARG_PIPE)
            continue;
        memcpy(&value, l->args + m->args[a].offset, sizeof value);
        const struct weft_mem *object = l->mems[mem];
        const uint64_t is = object->image ? (uintptr_t)object->image->kernel : (uintptr_t)object->data;
        if (value != is)
            continue; // NULL, or a pointer
        mem++;
        if (kind == WEFT_ARG_GLOBAL && is_part(object))
            p->part[p->count++] =
                (struct weft_part){object->root, object, value, value + object->size, a, false};
    }
}

static bool has_parts(const struct weft_launch *l)
{
    for (uint32_t i = 0; i < l->mem_count; i++)
        if (is_part(l->mems[i]))
            return true;
    return false;
}

static void check(const struct weft_order *order, void *user)
{
    const struct weft_launch_parts *p = user;
    uint32_t which[2];
    struct weft_parts_clash clash;
    const struct weft_kernel_meta *m = p->meta;
    if (weft_parts_clash(p->part, p->count, which)) {
        const uint32_t a = p->part[which[0]].argument, b = p->part[which[1]].argument;
        weft_misuse_report(
            m->name,
            "arguments %u, '%s', and %u, '%s', are overlapping parts of a buffer, and the kernel "
            "writes to '%s'",
            a, m->args[a].name, b, m->args[b].name, m->args[p->part[which[1]].writes ? b : a].name);
    } else if (order->launch && weft_parts_enter(p->part, p->count, m->name, order, &clash)) {
        const uint32_t a = p->part[clash.part].argument;
        weft_misuse_report(m->name,
                           "argument %u, '%s', overlaps another part of its buffer that an earlier launch of "
                           "kernel %s %s, and no queue, event or wait of the host orders the two",
                           a, m->args[a].name, clash.kernel, clash.with.writes ? "writes to" : "reads");
    }
}

struct weft_launch_parts *weft_launch_check_parts(struct weft_command *c)
{
    struct weft_launch *l = weft_launch_of(c);
    if (!l->code || !has_parts(l) || weft_kernel_code_wait(l->code) != WEFT_OK)
        return NULL;
    const struct weft_kernel_info *info = weft_kernel_code_info(l->code);
    struct weft_launch_parts *p = info ? weft_zalloc(sizeof *p) : NULL;
    if (!p || (!c->order && !(c->order = weft_order_new()))) {
        weft_free(p);
        return NULL;
    }
    list(p, l);
    for (uint32_t k = 0; k < p->count; k++)
        p->part[k].writes = info->written >> p->part[k].argument & 1;
    p->meta = l->code->meta;
    c->order->entered = check;
    c->order->user = p;
    return p;
}
