// Accesses outside of images (BOUNDS), in words.
#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "runtime/code/kernel_code.h"
#include "runtime/launch/checks.h"
#include "weft/checker.h"
#include "weft/code_object.h"
#include "weft/image.h"

static void print_number(struct weft_buf *b, uint32_t bits, bool is_float)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    if (is_float)
        weft_buf_printf(b, "%g", (double)number);
    else
        weft_buf_printf(b, "%" PRId32, (int32_t)bits);
}

static void print_size(struct weft_buf *b, const struct weft_image *image, uint32_t how, uint32_t level)
{
    if (how & WEFT_TEXEL_LEVEL && level >= (uint32_t)image->levels) {
        weft_buf_printf(b, ", which has %" PRId32 " level%s", image->levels, image->levels == 1 ? "" : "s");
        return;
    }
    const struct weft_image *of = image + (how & WEFT_TEXEL_LEVEL ? level : 0);
    weft_buf_puts(b, ", an image of ");
    for (unsigned d = 0; d < (how & WEFT_TEXEL_DIMS); d++)
        weft_buf_printf(b, "%s%" PRId32, d ? " x " : "", of->size[d]);
    weft_buf_puts(b, " texels");
    if (how & WEFT_TEXEL_LAYERS)
        weft_buf_printf(b, " and %" PRId32 " layer%s", of->layers, of->layers == 1 ? "" : "s");
}

void weft_launch_describe_texel(struct weft_buf *b, const struct weft_launch *l,
                                const struct weft_check_site *s, const struct weft_check_event *e)
{
    const struct weft_kernel_meta *m = l->code->meta;
    const uint32_t how = s->bits, level = (uint32_t)(e->number[1] >> 32);
    const uint32_t at[] = {(uint32_t)e->number[0], (uint32_t)(e->number[0] >> 32), (uint32_t)e->number[1]};
    const unsigned count = (how & WEFT_TEXEL_DIMS) + (how & WEFT_TEXEL_LAYERS ? 1 : 0);
    const bool known = s->kind == WEFT_OBJECT_ARGUMENT && s->object < m->arg_count;
    weft_buf_printf(b, "%s a texel at %s", how & WEFT_TEXEL_WRITE ? "writes" : "reads", count > 1 ? "(" : "");
    for (unsigned k = 0; k < count && k < WEFT_COUNT_OF(at); k++) {
        weft_buf_puts(b, k ? ", " : "");
        print_number(b, at[k], how & WEFT_TEXEL_FLOAT);
    }
    weft_buf_puts(b, count > 1 ? ")" : "");
    if (how & WEFT_TEXEL_LEVEL)
        weft_buf_printf(b, " of level %" PRId32, (int32_t)level);
    if (!known) {
        weft_buf_puts(b, " outside of an image");
        return;
    }
    uint64_t address;
    memcpy(&address, l->args + m->args[s->object].offset, sizeof address);
    weft_buf_printf(b, " of argument %u, '%s'", s->object, m->args[s->object].name);
    print_size(b, (const struct weft_image *)(uintptr_t)address, // NOLINT(performance-no-int-to-ptr)
               how, level);
}
