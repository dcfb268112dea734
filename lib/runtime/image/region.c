// The place of an image's texels in its storage.
#include "runtime/image/image.h"
#include "runtime/image/format.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

bool weft_image_place_of(const struct weft_mem *m, const size_t *origin, struct weft_image_place *out)
{
    const struct weft_image_part *p = m->image;
    *out = (struct weft_image_place){p->levels, {origin[0], origin[1], origin[2]}};
    if (p->level_count == 1)
        return true;
    size_t directions = m->type == CL_MEM_OBJECT_IMAGE1D                                             ? 1
                        : m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->type == CL_MEM_OBJECT_IMAGE2D ? 2
                                                                                                     : 3;
    if (origin[directions] >= p->level_count)
        return false;
    out->level += origin[directions];
    if (directions < 3)
        out->origin[directions] = 0;
    return true;
}

struct weft_rect_view weft_image_view(const struct weft_mem *m, const size_t *origin)
{
    struct weft_image_place at;
    weft_image_place_of(m, origin, &at);
    const struct weft_image_level *l = at.level;
    size_t offset = l->offset + at.origin[0] / weft_image_format_group(m->image->format) * l->pitch[0];
    for (int i = 1; i < 3; i++)
        offset += at.origin[i] * l->pitch[i];
    return (struct weft_rect_view){m->data + offset, l->pitch[1], l->pitch[2]};
}

void weft_image_region_bytes(const struct weft_mem *m, const size_t region[3], size_t bytes[3])
{
    // The region lies inside the image, so the bytes fit.
    weft_image_format_bytes(m->image->format, region[0], &bytes[0]);
    bytes[1] = region[1];
    bytes[2] = region[2];
}
