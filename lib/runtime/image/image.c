// Creation of images (OpenCL 2.2 §5.3.1): their layout, their storage, and their description for kernels. An
// image over a buffer or another image holds a reference to it and uses its storage. The levels of a
// mipmapped image (cl_khr_mipmap_image) lie one after the other. Locks and destruction are in
// memory/memory.c.
#include "runtime/image/image.h"

#include "base/base.h"
#include "runtime/device/context.h"
#include "runtime/memory/external_memory.h"
#include "runtime/image/format.h"
#include "runtime/memory/memory.h"
#include "weft/image.h"

bool weft_image_is_array(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static enum weft_image_common common_kind(weft_image_uint coding, weft_image_uint order)
{
    bool rgba = order == WEFT_IMAGE_RGBA;
    if (coding == WEFT_IMAGE_U8 && order == WEFT_IMAGE_BGRA)
        return WEFT_IMAGE_BGRA8;
    if (!rgba && order != WEFT_IMAGE_R)
        return WEFT_IMAGE_UNCOMMON;
    switch (coding) {
    case WEFT_IMAGE_U8:
        return rgba ? WEFT_IMAGE_RGBA8 : WEFT_IMAGE_R8;
    case WEFT_IMAGE_32:
    case WEFT_IMAGE_FLOAT:
        return rgba ? WEFT_IMAGE_RGBA32 : WEFT_IMAGE_R32;
    case WEFT_IMAGE_HALF:
        return rgba ? WEFT_IMAGE_RGBA16F : WEFT_IMAGE_UNCOMMON;
    default:
        return WEFT_IMAGE_UNCOMMON;
    }
}

// Filters load two neighbouring texels at once, by offsets of 32 bits within a slice.
static bool is_read_in_pairs(const struct weft_image_level *level, size_t width, size_t height)
{
    size_t slice;
    return width > 1 && weft_mul_size(level->row_pitch, at_least_one(height), &slice) && slice <= INT32_MAX;
}

// Fills in the description of a level that kernels read. `data` is an offset in the storage until the image
// exists.
static void describe(struct weft_image_part *p, size_t index, size_t width, size_t height, size_t depth)
{
    struct weft_image *k = &p->kernel[index];
    const struct weft_image_level *level = &p->levels[index];
    k->data = level->offset;
    k->row_pitch = (weft_image_long)level->row_pitch;
    k->slice_pitch = (weft_image_long)level->slice_pitch;
    k->size[0] = (weft_image_int)width;
    k->size[1] = (weft_image_int)at_least_one(height);
    k->size[2] = (weft_image_int)at_least_one(depth);
    for (size_t i = 0; i < WEFT_COUNT_OF(k->size); i++)
        k->extent[i] = (float)k->size[i];
    k->layers = (weft_image_int)at_least_one(p->layers);
    k->texel_bytes = (weft_image_uint)weft_image_pitch_unit(p->format);
    k->coding = p->format->coding;
    k->order = p->format->order;
    k->scale = weft_image_format_scale(p->format);
    k->channel_order = p->format->cl.image_channel_order;
    k->channel_data_type = p->format->cl.image_channel_data_type;
    k->common = common_kind(k->coding, k->order);
    bool pairs =
        k->common == WEFT_IMAGE_RGBA8 || k->common == WEFT_IMAGE_BGRA8 || k->common == WEFT_IMAGE_R32;
    if (pairs && !is_read_in_pairs(level, width, height))
        k->common = WEFT_IMAGE_UNCOMMON;
    k->levels = (weft_image_int)p->level_count;
}

// The size of a side in a level: "half the size of the previous level", rounded down, but at least 1. 0: the
// image has no such side.
static size_t halved(size_t n, size_t level)
{
    return n ? at_least_one(n >> level) : 0;
}

// *end: the end of the previous levels in the storage; set to the end of this level.
static bool lay_out_level(struct weft_image_part *p, const cl_image_desc *d, size_t index, size_t *end)
{
    cl_mem_object_type type = d->image_type;
    bool is_3d = type == CL_MEM_OBJECT_IMAGE3D, is_array = weft_image_is_array(type);
    size_t width = halved(p->width, index), height = halved(p->height, index),
           depth = halved(p->depth, index), slice, bytes;
    struct weft_image_level *l = &p->levels[index];
    l->offset = *end;
    if (!weft_image_format_bytes(p->format, width, &l->row_pitch))
        return false;
    if (d->image_row_pitch && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        l->row_pitch = d->image_row_pitch;
    if (!weft_mul_size(l->row_pitch, at_least_one(height), &slice))
        return false;
    if (is_3d || is_array)
        l->slice_pitch = d->image_slice_pitch ? d->image_slice_pitch : slice;
    // A slice pitch may be larger than the rows need. It also applies to the last slice.
    size_t slices = at_least_one(is_3d ? depth : p->layers);
    if (!weft_mul_size(l->slice_pitch ? l->slice_pitch : slice, slices, &bytes) ||
        !weft_add_size(*end, bytes, end))
        return false;
    bool flat = type == CL_MEM_OBJECT_IMAGE1D_ARRAY; // its layers are the second direction
    l->extent[0] = width;
    l->extent[1] = flat ? p->layers : at_least_one(height);
    l->extent[2] = flat ? 1 : slices;
    l->pitch[0] = weft_image_format_group_bytes(p->format);
    l->pitch[1] = flat ? l->slice_pitch : l->row_pitch;
    l->pitch[2] = flat ? bytes : l->slice_pitch ? l->slice_pitch : slice;
    describe(p, index, width, height, depth);
    return true;
}

bool weft_image_lay_out(const struct weft_image_format *f, const cl_image_desc *d,
                        struct weft_image_part *out, size_t *bytes)
{
    cl_mem_object_type type = d->image_type;
    bool is_3d = type == CL_MEM_OBJECT_IMAGE3D;
    *out = (struct weft_image_part){
        .format = f, .width = d->image_width, .mip_levels = d->num_mip_levels, .level_count = 1};
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is_3d)
        out->height = d->image_height;
    out->depth = is_3d ? d->image_depth : 0;
    out->layers = weft_image_is_array(type) ? d->image_array_size : 0;
    if (d->num_mip_levels > 1)
        out->level_count = d->num_mip_levels;
    *bytes = 0;
    for (size_t i = 0; i < out->level_count; i++)
        if (!lay_out_level(out, d, i, bytes))
            return false;
    return true;
}

struct weft_mem *weft_image_create(struct weft_context *context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, cl_mem_object_type type,
                                   const struct weft_image_part *layout, size_t bytes,
                                   struct weft_mem *parent, const struct weft_external *external,
                                   void *host_ptr, cl_int *error)
{
    struct weft_image_part *part = weft_memdup(layout, sizeof *layout);
    if (!part) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    struct weft_mem *m = parent ? weft_sub_buffer_create(parent, flags, 0, bytes, error)
                         : external->given
                             ? weft_buffer_import(context, properties, flags, bytes, external, error)
                             : weft_buffer_create(context, NULL, flags, bytes, host_ptr, error);
    if (!m) {
        weft_free(part);
        if (*error == CL_INVALID_BUFFER_SIZE) // imported or shared virtual memory that is too small
            *error = external->given ? CL_INVALID_IMAGE_SIZE : CL_INVALID_HOST_PTR;
        return NULL;
    }
    m->type = type;
    m->image = part;
    weft_mem_not_followed(m);
    for (size_t i = 0; i < part->level_count; i++)
        part->kernel[i].data += (uint64_t)(uintptr_t)m->data;
    if (properties && !m->properties && !weft_mem_copy_properties(m, properties)) {
        *error = CL_OUT_OF_HOST_MEMORY;
        weft_mem_unref(m);
        return NULL;
    }
    return m;
}
