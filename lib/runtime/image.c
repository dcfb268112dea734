// Life of images (OpenCL 2.2 §5.3.1): their layout, their storage, and what kernels are told of them. An image over a buffer or
// another image holds a ref on that and uses its storage. Locks and destruction are memory.c's.
#include "image.h"

bool weft_image_is_array(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

// The description that kernels read; all but the address.
static void describe(struct weft_image_part *p)
{
    struct weft_image *k = &p->kernel;
    k->row_pitch = (weft_image_long)p->row_pitch;
    k->slice_pitch = (weft_image_long)p->slice_pitch;
    k->size[0] = (weft_image_int)p->width;
    k->size[1] = (weft_image_int)at_least_one(p->height);
    k->size[2] = (weft_image_int)at_least_one(p->depth);
    k->layers = (weft_image_int)at_least_one(p->layers);
    k->texel_bytes = p->format->texel_bytes;
    k->coding = p->format->coding;
    k->order = p->format->order;
    k->scale = weft_image_format_scale(p->format);
    k->channel_order = p->format->cl.image_channel_order;
    k->channel_data_type = p->format->cl.image_channel_data_type;
    k->common =
        k->coding == WEFT_IMAGE_U8 && k->order == WEFT_IMAGE_RGBA ? WEFT_IMAGE_RGBA8 : WEFT_IMAGE_UNCOMMON;
}

bool weft_image_lay_out(const struct weft_image_format *f, const cl_image_desc *d,
                        struct weft_image_part *out, size_t *bytes)
{
    struct weft_image_part p = {.format = f, .width = d->image_width};
    cl_mem_object_type type = d->image_type;
    bool is_3d = type == CL_MEM_OBJECT_IMAGE3D, is_array = weft_image_is_array(type);
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is_3d)
        p.height = d->image_height;
    p.depth = is_3d ? d->image_depth : 0;
    p.layers = is_array ? d->image_array_size : 0;
    size_t slice;
    if (!weft_mul_size(p.width, f->texel_bytes, &p.row_pitch))
        return false;
    if (d->image_row_pitch && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        p.row_pitch = d->image_row_pitch;
    if (!weft_mul_size(p.row_pitch, at_least_one(p.height), &slice))
        return false;
    if (is_3d || is_array)
        p.slice_pitch = d->image_slice_pitch ? d->image_slice_pitch : slice;
    // A slice pitch may be larger than the rows, and belongs to each slice.
    size_t slices = at_least_one(is_3d ? p.depth : p.layers);
    if (!weft_mul_size(p.slice_pitch ? p.slice_pitch : slice, slices, bytes))
        return false;
    bool flat = type == CL_MEM_OBJECT_IMAGE1D_ARRAY; // its layers are the second direction
    p.extent[0] = p.width;
    p.extent[1] = flat ? p.layers : at_least_one(p.height);
    p.extent[2] = flat ? 1 : slices;
    p.pitch[0] = f->texel_bytes;
    p.pitch[1] = flat ? p.slice_pitch : p.row_pitch;
    p.pitch[2] = flat ? *bytes : p.slice_pitch ? p.slice_pitch : slice;
    describe(&p);
    *out = p;
    return true;
}

struct weft_mem *weft_image_create(struct weft_context *context, const cl_mem_properties *properties,
                                   cl_mem_flags flags, cl_mem_object_type type,
                                   const struct weft_image_part *layout, size_t bytes,
                                   struct weft_mem *parent, void *host_ptr, cl_int *error)
{
    struct weft_image_part *part = weft_memdup(layout, sizeof *layout);
    if (!part) {
        *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    struct weft_mem *m = parent ? weft_sub_buffer_create(parent, flags, 0, bytes, error)
                                : weft_buffer_create(context, NULL, flags, bytes, host_ptr, error);
    if (!m) {
        weft_free(part);
        if (*error == CL_INVALID_BUFFER_SIZE) // shared virtual memory that is too small
            *error = CL_INVALID_HOST_PTR;
        return NULL;
    }
    m->type = type;
    m->image = part;
    part->kernel.data = (uint64_t)(uintptr_t)m->data;
    if (properties && !weft_mem_copy_properties(m, properties)) {
        *error = CL_OUT_OF_HOST_MEMORY;
        weft_mem_unref(m);
        return NULL;
    }
    return m;
}

struct weft_rect_view weft_image_view(const struct weft_mem *m, const size_t origin[3])
{
    const struct weft_image_part *p = m->image;
    size_t offset = origin[0] * p->pitch[0] + origin[1] * p->pitch[1] + origin[2] * p->pitch[2];
    return (struct weft_rect_view){m->data + offset, p->pitch[1], p->pitch[2]};
}

void weft_image_region_bytes(const struct weft_mem *m, const size_t region[3], size_t bytes[3])
{
    bytes[0] = region[0] * m->image->pitch[0];
    bytes[1] = region[1];
    bytes[2] = region[2];
}
