// What the code of checked kernels asks for and reports (weft/checker.h), and the sentences about it.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/checker/known.h"
#include "runtime/checker/misuse.h"
#include "runtime/checker/shadow.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/command/command.h"
#include "runtime/launch/checks.h"
#include "runtime/memory/map.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/svm.h"
#include "runtime/program/kernel.h"
#include "runtime/program/program.h"
#include "weft/checker.h"
#include "weft/code_object.h"
#include "weft/device_call.h"
#include "weft/fault.h"

// ---- the objects of arguments ----

static struct weft_check_range everything(void)
{
    return (struct weft_check_range){.end = UINT64_MAX};
}

static struct weft_check_range range_of_mem(const struct weft_mem *m)
{
    const uint64_t first = (uintptr_t)m->data;
    return (struct weft_check_range){.first = first, .end = first + m->size};
}

static bool contains(struct weft_check_range r, uint64_t address)
{
    return address >= r.first && address < r.end;
}

// The allocation that an SVM or USM pointer points into. Other pointers of the application are valid as well,
// since the device has system SVM: of these it isn't known where they end. Only the first page is nobody's.
static struct weft_check_range range_of_pointer(struct weft_context *context, uint64_t address)
{
    struct weft_usm found;
    const void *pointer = (const void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
    if (weft_svm_find(context, pointer, &found) || weft_usm_find(context, pointer, &found)) {
        const uint64_t first = (uintptr_t)found.base;
        return (struct weft_check_range){.first = first, .end = first + found.size};
    }
    enum { PAGE = 4096 };
    return address < PAGE || weft_svm_was_freed(pointer) ? (struct weft_check_range){0} : everything();
}

static bool is_pointer(const struct weft_kernel_meta *m, uint32_t a)
{
    return m->args[a].kind == WEFT_ARG_GLOBAL || m->args[a].kind == WEFT_ARG_CONSTANT;
}

// For RACE and UNINIT: finds which arguments share no memory.
static void find_alone(struct weft_check_range *objects, const struct weft_kernel_meta *m)
{
    for (uint32_t a = 0; a < m->arg_count; a++)
        objects[a].alone = 1;
    for (uint32_t a = 0; a < m->arg_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (is_pointer(m, a) && is_pointer(m, b) && objects[a].first < objects[b].end &&
                objects[b].first < objects[a].end)
                objects[a].alone = objects[b].alone = 0;
}

// Memory objects are listed in the order of the arguments that have one.
void weft_launch_find_objects(struct weft_launch *l, struct weft_context *context,
                              const uint64_t *local_sizes)
{
    const struct weft_kernel_meta *m = l->code->meta;
    struct weft_check_range *out = weft_launch_objects(l);
    uint32_t mem = 0, local = 0;
    l->extra = true;
    weft_checker_note_launch();
    for (uint32_t a = 0; a < m->arg_count; a++) {
        uint64_t value = 0;
        const uint32_t kind = m->args[a].kind;
        if (kind != WEFT_ARG_VALUE)
            memcpy(&value, l->args + m->args[a].offset, m->args[a].size < 8 ? m->args[a].size : 8);
        const bool takes_mem = kind == WEFT_ARG_GLOBAL || kind == WEFT_ARG_CONSTANT ||
                               kind == WEFT_ARG_IMAGE || kind == WEFT_ARG_PIPE;
        const struct weft_mem *object = takes_mem && mem < l->mem_count ? l->mems[mem] : NULL;
        out[a] = everything();
        if (kind == WEFT_ARG_IMAGE || kind == WEFT_ARG_PIPE) {
            mem += value != 0; // NULL is an argument without an object
        } else if (kind == WEFT_ARG_LOCAL) {
            out[a].end = local_sizes ? local_sizes[local++] : UINT64_MAX;
        } else if (takes_mem && object && (uintptr_t)object->data == value) {
            out[a] = range_of_mem(object);
            mem++;
        } else if (takes_mem) {
            out[a] = value ? range_of_pointer(context, value) : (struct weft_check_range){0};
        }
    }
    if (l->code->build->check & (1u << WEFT_CHECK_RACE | 1u << WEFT_CHECK_UNINIT))
        find_alone(out, m);
    if (l->code->build->check >> WEFT_CHECK_UNINIT & 1)
        weft_launch_find_shadow(out, l);
}

void weft_launch_check_arguments(const struct weft_kernel *k)
{
    for (uint32_t i = 0; i < k->meta->arg_count && weft_misuse_is_on(); i++) {
        struct weft_mem *m = k->arg[i].pointer ? NULL : k->arg[i].mem;
        const char *name = k->meta->args[i].name;
        if (!m)
            continue;
        if (!weft_mem_ref_if(m, k->arg[i].type)) {
            weft_misuse_report(
                k->meta->name,
                "argument %u, '%s', is a memory object that has been released since it was set", i, name);
            continue;
        }
        if (weft_mem_is_mapped_to_write(m))
            weft_misuse_report(k->meta->name,
                               "argument %u, '%s', is mapped for writing while the kernel uses it", i, name);
        if (m->host_ptr && weft_watch_has_changed(m->data))
            weft_misuse_report(k->meta->name,
                               "the host has changed the memory of argument %u, '%s', which is of "
                               "CL_MEM_USE_HOST_PTR, without a map",
                               i, name);
        weft_mem_unref(m);
    }
}

void weft_launch_capture_objects(struct weft_launch *l, const struct weft_kernel *k)
{
    uint64_t *sizes = weft_alloc_array((size_t)k->local_args + 1, sizeof *sizes);
    uint32_t count = 0;
    for (uint32_t i = 0; sizes && i < k->meta->arg_count; i++)
        if (k->meta->args[i].kind == WEFT_ARG_LOCAL)
            sizes[count++] = k->arg[i].local_size;
    weft_launch_find_objects(l, k->program->context, sizes);
    weft_free(sizes);
}

// The object that an address lies in that a kernel has read from memory.
static struct weft_check_range find_address(struct weft_command *c, const struct weft_exec *x,
                                            uint64_t address)
{
    const struct weft_launch *l = weft_launch_of(c);
    for (uint32_t i = 0; i < l->mem_count; i++)
        if (!l->mems[i]->image && contains(range_of_mem(l->mems[i]), address))
            return range_of_mem(l->mems[i]);
    const struct weft_check_range local = {.first = (uintptr_t)x->local_mem, .end = (uintptr_t)x->state};
    struct weft_check_range known;
    if (contains(local, address))
        return local;
    return weft_known_find(address, &known) ? known : range_of_pointer(c->context, address);
}

// ---- reports ----

static const char *verb_of(uint32_t access)
{
    return access & WEFT_ACCESS_ATOMIC                                   ? "atomically accesses"
           : (access & WEFT_ACCESS_READ) && (access & WEFT_ACCESS_WRITE) ? "reads and writes"
           : access & WEFT_ACCESS_WRITE                                  ? "writes"
                                                                         : "reads";
}

static void describe_outside(struct weft_buf *b, const struct weft_check_site *s, const char *name,
                             const struct weft_check_event *e, const struct weft_kernel_meta *m)
{
    const uint64_t offset = e->number[0], length = e->number[1];
    if (length == 0 && s->kind != WEFT_OBJECT_ARGUMENT) {
        weft_buf_printf(b, "%s %" PRIu64 " bytes at address 0x%" PRIx64 ", where no object is",
                        verb_of(s->access), e->size, e->number[2]);
        return;
    }
    weft_buf_printf(b, "%s %" PRIu64 " bytes at offset %" PRId64 " of ", verb_of(s->access), e->size,
                    (int64_t)offset);
    weft_launch_describe_object(b, s, name, m);
    if (length == 0)
        weft_buf_puts(b, ", which is NULL");
    else
        weft_buf_printf(b, ", which has %" PRIu64 " bytes", length);
}

static void describe(struct weft_buf *b, const struct weft_check_site *s, const char *name,
                     const struct weft_check_event *e, const struct weft_kernel_meta *m)
{
    double number;
    switch ((enum weft_check_fault)s->fault) {
    case WEFT_FAULT_OUTSIDE:
        describe_outside(b, s, name, e, m);
        break;
    case WEFT_FAULT_MISALIGNED:
        weft_buf_printf(b, "%s %" PRIu64 " bytes of ", verb_of(s->access), e->size);
        weft_launch_describe_object(b, s, name, m);
        weft_buf_printf(b, " at an address that isn't a multiple of %u", s->bits / 8);
        break;
    case WEFT_FAULT_DIVISION_BY_ZERO:
        weft_buf_puts(b, "divides an integer by zero");
        break;
    case WEFT_FAULT_DIVISION_OVERFLOW:
        weft_buf_puts(b, "divides the smallest integer by -1, whose result is too large");
        break;
    case WEFT_FAULT_SHIFT:
        weft_buf_printf(b, "shifts a number of %u bits ", s->bits);
        if (e->number[0])
            weft_buf_printf(b, "by %" PRId64, (int64_t)e->number[0]);
        else
            weft_buf_puts(b, "by more than that");
        break;
    case WEFT_FAULT_CONVERSION:
        memcpy(&number, &e->number[0], sizeof number);
        weft_buf_printf(b, "converts %g to an integer that can't hold it", number);
        break;
    case WEFT_FAULT_NAN:
        weft_buf_puts(b, "makes a NaN of numbers");
        break;
    case WEFT_FAULT_OVERFLOW:
        weft_buf_printf(b, "the result doesn't fit into a signed integer of %u bits", s->bits);
        break;
    case WEFT_FAULT_BARRIER:
    case WEFT_FAULT_RACE:
    case WEFT_FAULT_UNWRITTEN:
    case WEFT_FAULT_TEXEL:
    case WEFT_FAULT_COUNT:
        break;
    }
}

static enum weft_check_kind kind_of(uint32_t fault)
{
    static const uint8_t kinds[WEFT_FAULT_COUNT] = {[WEFT_FAULT_OUTSIDE] = WEFT_CHECK_BOUNDS,
                                                    [WEFT_FAULT_MISALIGNED] = WEFT_CHECK_ALIGN,
                                                    [WEFT_FAULT_DIVISION_BY_ZERO] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_DIVISION_OVERFLOW] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_SHIFT] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_CONVERSION] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_NAN] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_OVERFLOW] = WEFT_CHECK_ARITH,
                                                    [WEFT_FAULT_BARRIER] = WEFT_CHECK_BARRIER,
                                                    [WEFT_FAULT_RACE] = WEFT_CHECK_RACE,
                                                    [WEFT_FAULT_UNWRITTEN] = WEFT_CHECK_UNINIT,
                                                    [WEFT_FAULT_TEXEL] = WEFT_CHECK_BOUNDS};
    return (enum weft_check_kind)kinds[fault < WEFT_FAULT_COUNT ? fault : 0];
}

static void report(const struct weft_launch *l, const struct weft_check_site *s,
                   const struct weft_check_event *e)
{
    if (s->fault == WEFT_FAULT_UNWRITTEN) {
        weft_launch_report_unwritten(l, s, e);
        return;
    }
    const struct weft_kernel_meta *m = l->code->meta;
    const char *name;
    struct weft_finding f = {.kind = kind_of(s->fault), .kernel = m->name};
    f.at = weft_launch_place_of(s, &l->nd, e->id, &name);
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, NULL))
        return;
    struct weft_buf text = {0};
    if (s->fault == WEFT_FAULT_TEXEL)
        weft_launch_describe_texel(&text, l, s, e);
    else
        describe(&text, s, name, e, m);
    char *message = weft_buf_take(&text, NULL);
    f.message = message ? message : "";
    if (s->access) {
        f.access = s->access & WEFT_ACCESS_ATOMIC  ? "atomic"
                   : s->access & WEFT_ACCESS_WRITE ? "write"
                                                   : "read";
        f.size = e->size;
        f.object =
            s->kind == WEFT_OBJECT_ARGUMENT && s->object < m->arg_count ? m->args[s->object].name : name;
        f.offset = e->number[0];
        f.object_bytes = e->number[1];
        f.has_object_bytes = s->fault == WEFT_FAULT_OUTSIDE;
    }
    weft_checker_add(&f);
    weft_free(message);
}

// ---- barriers ----

static uint64_t items_of_group(const struct weft_ndrange *nd, const uint64_t id[3])
{
    uint64_t items = 1;
    for (unsigned d = 0; d < 3; d++) {
        const uint64_t begin = (id[d] - nd->global_offset[d]) / nd->local_size[d] * nd->local_size[d];
        const uint64_t left = nd->global_size[d] - begin;
        items *= left < nd->local_size[d] ? left : nd->local_size[d];
    }
    return items;
}

static void name_place(struct weft_buf *b, const struct weft_check_site *s)
{
    if (s->object)
        weft_buf_puts(b, "the end of the kernel");
    else
        weft_buf_printf(b, "the barrier of line %u", s->line);
}

// A barrier says more than the end of the kernel, so it is the finding's first place.
static void report_parted(struct weft_running *r, const struct weft_launch *l,
                          const struct weft_check_site *first, const struct weft_check_site *s,
                          const uint64_t first_id[3], const uint64_t id[3])
{
    r->parted = r->exec.current_group + 1;
    struct weft_finding f = {.kind = WEFT_CHECK_BARRIER, .kernel = l->code->meta->name};
    f.at = weft_launch_place_of(first->object ? s : first, &l->nd, first->object ? id : first_id, NULL);
    f.other = weft_launch_place_of(first->object ? first : s, &l->nd, first->object ? first_id : id, NULL);
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, &f.other))
        return;
    struct weft_buf text = {0};
    weft_buf_puts(&text, "work-items of one work-group part: some come to ");
    name_place(&text, first->object ? s : first);
    weft_buf_puts(&text, ", others to ");
    name_place(&text, first->object ? first : s);
    char *message = weft_buf_take(&text, NULL);
    f.message = message ? message : "";
    weft_checker_add(&f);
    weft_free(message);
}

// All work-items of a group come to their next barrier before any of them goes on. The code has counted a
// work-item that is where the first one is.
static void arrive(struct weft_running *r, const struct weft_launch *l, const struct weft_check_site *s,
                   uint64_t item)
{
    struct weft_race_view *v = &r->races->view;
    const struct weft_check_site *first = v->arrival;
    uint64_t id[3], first_id[3];
    weft_launch_item_ids(&l->nd, r->exec.current_group, item, id);
    weft_launch_item_ids(&l->nd, r->exec.current_group, first ? r->first_item : item, first_id);
    if (!first) {
        v->arrival = first = s;
        r->first_item = item;
        v->arriving = items_of_group(&l->nd, id);
        v->arrived = 1;
    } else if (s != first) {
        v->arrived++;
    }
    if (v->arrived >= v->arriving) {
        v->arrival = NULL;
        if (!s->object)
            weft_race_pass_barrier(r->races);
    }
    if (weft_launch_has_parted(r) || s == first ||
        (s->line == first->line && s->column == first->column && s->object == first->object))
        return;
    report_parted(r, l, first, s, first_id, id);
}

// ---- requests ----

uint64_t weft_host_check_call(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                              const void *pointer)
{
    struct weft_command *c = x->launch;
    struct weft_launch *l = weft_launch_of(c);
    struct weft_running *r = WEFT_CONTAINER_OF(x, struct weft_running, exec);
    struct weft_arch_float kernels;
    uint64_t result = 0;
    if (what == WEFT_CALL_CHECK_OBJECTS) // each time that code begins with a group, so it is to be quick
        return (uint64_t)(uintptr_t)weft_launch_objects(l);
    if (what == WEFT_CALL_CHECK_PASSED && weft_race_pass_quickly(r->races))
        return 0;
    weft_arch_float_enter(&kernels, false);
    weft_fault_hold();
    switch (what) {
    case WEFT_CALL_CHECK_REPORT:
        if (!weft_launch_has_parted(r))
            report(l, object, pointer);
        break;
    case WEFT_CALL_CHECK_ARRIVAL:
        arrive(r, l, object, number);
        break;
    case WEFT_CALL_CHECK_PASSED:
        weft_race_pass_barrier(r->races);
        break;
    case WEFT_CALL_CHECK_FIND:
        *(struct weft_check_range *)(uintptr_t)pointer = find_address(c, x, number);
        break;
    case WEFT_CALL_CHECK_LOCAL:
        result = weft_launch_local_shadow(r);
        break;
    case WEFT_CALL_CHECK_SHADOW:
        weft_launch_shadow_at(l, r, number, (uint64_t *)(uintptr_t)pointer);
        break;
    case WEFT_CALL_CHECK_LOCAL_TOUCH:
        weft_launch_note_local(r, (uintptr_t)pointer, number);
        break;
    case WEFT_CALL_CHECK_MOVED:
        weft_launch_moved(l, r, number, pointer);
        break;
    default: // of what a group does whose work-items have parted nothing is said
        weft_shadow_note_unwritten();
        result = weft_launch_has_parted(r) ? 0 : weft_launch_note_store(l, object, pointer);
    }
    weft_fault_release();
    weft_arch_float_leave(&kernels);
    return result;
}
