// Values that depend on memory that nobody has written (UNINIT): where they come from, in words.
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/shadow.h"
#include "runtime/code/kernel_code.h"
#include "runtime/launch/checks.h"
#include "weft/checker.h"
#include "weft/code_object.h"

// `names` has the names of the kernel's private variables, in the order of their numbers.
static void describe_unwritten(struct weft_buf *b, const struct weft_launch *l, uint32_t origin,
                               const char *names)
{
    const struct weft_kernel_meta *m = l->code->meta;
    const struct weft_check_range *objects = weft_launch_objects(l);
    struct weft_check_range buffer;
    const uint8_t number = (uint8_t)origin;
    if (origin == number * 0x01010101u && number < 255) {
        for (unsigned k = 1; k < number; k++)
            names += strlen(names) + 1;
        if (*names)
            weft_buf_printf(b, "the private variable '%s', which isn't initialized", names);
        else
            weft_buf_puts(b, "a private variable that isn't initialized");
    } else if (origin == UINT32_MAX) {
        weft_buf_puts(b, "local memory that the work-group hasn't written");
    } else if (weft_shadow_buffer(origin, &buffer)) {
        for (uint32_t a = 0; a < m->arg_count; a++)
            if (m->args[a].kind != WEFT_ARG_LOCAL && objects[a].first >= buffer.first &&
                objects[a].first < buffer.end && objects[a].end <= buffer.end) {
                weft_buf_printf(b, "bytes of argument %u, '%s', that nobody has written", a, m->args[a].name);
                return;
            }
        weft_buf_printf(b, "bytes of a buffer of %" PRIu64 " bytes that nobody has written",
                        buffer.end - buffer.first);
    } else {
        weft_buf_puts(b, "memory that nobody has written");
    }
}

// A value that an earlier store has left keeps the place of that store.
uint32_t weft_launch_note_store(const struct weft_launch *l, const struct weft_check_site *s,
                                const struct weft_check_event *e)
{
    struct weft_unwritten_store store;
    const uint32_t origin = (uint32_t)e->number[0];
    if (weft_shadow_store_of(origin, &store))
        return origin;
    struct weft_buf text = {0};
    describe_unwritten(&text, l, origin, (const char *)(uintptr_t)e->number[1]); // NOLINT(*-int-to-ptr)
    char *memory = weft_buf_take(&text, NULL);
    store = (struct weft_unwritten_store){.kernel = l->code->meta->name, .memory = memory ? memory : ""};
    store.at = weft_launch_place_of(s, &l->nd, e->id, NULL);
    const uint32_t number = weft_shadow_store(&store);
    weft_free(memory);
    return number;
}

void weft_launch_report_unwritten(const struct weft_launch *l, const struct weft_check_site *s,
                                  const struct weft_check_event *e)
{
    struct weft_unwritten_store store;
    const uint32_t origin = (uint32_t)e->number[0];
    const bool stored = weft_shadow_store_of(origin, &store);
    struct weft_finding f = {.kind = WEFT_CHECK_UNINIT, .kernel = l->code->meta->name};
    f.at = weft_launch_place_of(s, &l->nd, e->id, NULL);
    if (stored)
        f.other = store.at;
    if (!weft_checker_is_new(f.kind, f.kernel, &f.at, stored ? &f.other : NULL))
        return;
    struct weft_buf text = {0};
    static const char *const uses[] = {[WEFT_USE_OTHER] = "what is done here",
                                       [WEFT_USE_BRANCH] = "a branch",
                                       [WEFT_USE_ADDRESS] = "an address",
                                       [WEFT_USE_DIVISOR] = "a divisor",
                                       [WEFT_USE_ATOMIC] = "what an atomic operation makes",
                                       [WEFT_USE_ARGUMENT] = "what the function does"};
    weft_buf_printf(&text, "%s depends on ", uses[s->object < WEFT_COUNT_OF(uses) ? s->object : 0]);
    if (stored)
        weft_buf_printf(&text, "%s%s%s", store.memory, ", stored by kernel ", store.kernel);
    else
        describe_unwritten(&text, l, origin, (const char *)(uintptr_t)e->number[1]); // NOLINT(*-int-to-ptr)
    char *message = weft_buf_take(&text, NULL);
    f.message = message ? message : "";
    weft_checker_add(&f);
    weft_free(message);
}
