// Places of findings, for sentences and reports.
#include <string.h>

#include "base/base.h"
#include "runtime/launch/checks.h"
#include "weft/checker.h"
#include "weft/code_object.h"

static void set_item(struct weft_finding_place *p, const struct weft_ndrange *nd, const uint64_t id[3])
{
    for (unsigned d = 0; d < 3; d++) {
        const uint64_t index = id[d] - nd->global_offset[d];
        p->global[d] = id[d];
        p->local[d] = index % nd->local_size[d];
        p->group[d] = index / nd->local_size[d];
    }
}

void weft_launch_item_ids(const struct weft_ndrange *nd, uint64_t group, uint64_t local, uint64_t id[3])
{
    for (unsigned d = 0; d < 3; d++) {
        const uint64_t begin = group % nd->num_groups[d] * nd->local_size[d];
        const uint64_t left = nd->global_size[d] - begin;
        const uint64_t size = left < nd->local_size[d] ? left : nd->local_size[d];
        group /= nd->num_groups[d];
        id[d] = nd->global_offset[d] + begin + local % size;
        local /= size;
    }
}

struct weft_finding_place weft_launch_place_of(const struct weft_check_site *s, const struct weft_ndrange *nd,
                                               const uint64_t id[3], const char **object)
{
    struct weft_finding_place p = {.file = s->text, .line = s->line, .column = s->column};
    const char *name = s->text + strlen(s->text) + 1;
    p.source = name + strlen(name) + 1;
    if (object)
        *object = name;
    set_item(&p, nd, id);
    return p;
}

void weft_launch_describe_object(struct weft_buf *b, const struct weft_check_site *s, const char *name,
                                 const struct weft_kernel_meta *m)
{
    const char *what = s->kind == WEFT_OBJECT_PRIVATE    ? "the private variable"
                       : s->kind == WEFT_OBJECT_LOCAL    ? "the local variable"
                       : s->kind == WEFT_OBJECT_CONSTANT ? "the constant"
                       : s->kind == WEFT_OBJECT_PROGRAM  ? "the program's variable"
                                                         : "the object that its address lies in";
    if (s->kind == WEFT_OBJECT_ARGUMENT && s->object < m->arg_count)
        weft_buf_printf(b, "argument %u, '%s'", s->object, m->args[s->object].name);
    else if (*name)
        weft_buf_printf(b, "%s '%s'", what, name);
    else
        weft_buf_puts(b, what);
}

bool weft_launch_has_parted(const struct weft_running *r)
{
    return r->parted == r->exec.current_group + 1;
}
