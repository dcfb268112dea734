// Checks of the calls that create images. Each check quotes its sentence of the specification. No state.
#include "runtime/check/image.h"

#include "base/base.h"
#include "runtime/check/memory.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/external_memory.h"
#include "runtime/image/image.h"
#include "runtime/image/format.h"
#include "runtime/memory/memory.h"

static bool type_is_valid(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
           type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
}

cl_int weft_check_image_query(cl_mem_flags flags, cl_mem_object_type type)
{
    // "CL_INVALID_VALUE if flags or image_type are not valid". CL_MEM_KERNEL_READ_AND_WRITE is new in 2.0.
    const cl_mem_flags known_here = weft_cl_version() >= 200 ? CL_MEM_KERNEL_READ_AND_WRITE : 0;
    if (weft_check_mem_flags(flags & ~known_here) || !type_is_valid(type))
        return weft_error(CL_INVALID_VALUE, "flags or image_type has a value that isn't allowed");
    return CL_SUCCESS;
}

// ---- Creation ----

// "CL_INVALID_IMAGE_SIZE if image dimensions specified in image_desc exceed the maximum image dimensions ..."
static cl_int check_size(const cl_image_desc *d)
{
    const cl_mem_object_type t = d->image_type;
    const bool deep = t == CL_MEM_OBJECT_IMAGE3D, of_buffer = t == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const bool tall = deep || t == CL_MEM_OBJECT_IMAGE2D || t == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const size_t max = deep ? WEFT_IMAGE_3D_MAX : of_buffer ? WEFT_IMAGE_BUFFER_MAX : WEFT_IMAGE_2D_MAX;
    const struct {
        bool counts;
        const char *name;
        size_t size, max;
    } sizes[] = {{true, "image_width", d->image_width, max},
                 {tall, "image_height", d->image_height, max},
                 {deep, "image_depth", d->image_depth, max},
                 {weft_image_is_array(t), "image_array_size", d->image_array_size, WEFT_IMAGE_MAX_LAYERS}};
    for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++)
        if (sizes[i].counts && sizes[i].size > sizes[i].max)
            return weft_error_with(CL_INVALID_IMAGE_SIZE, "%s is %n, and the device's limit is %n",
                                   sizes[i].name, sizes[i].size, sizes[i].max);
    return CL_SUCCESS;
}

// The name of a size that is 0 though the type has that dimension. NULL: none.
static const char *lacking_size(const cl_image_desc *d)
{
    cl_mem_object_type t = d->image_type;
    bool tall = t == CL_MEM_OBJECT_IMAGE2D || t == CL_MEM_OBJECT_IMAGE2D_ARRAY || t == CL_MEM_OBJECT_IMAGE3D;
    if (d->image_width == 0)
        return "image_width";
    if (tall && d->image_height == 0)
        return "image_height";
    if (t == CL_MEM_OBJECT_IMAGE3D && d->image_depth == 0)
        return "image_depth";
    return weft_image_is_array(t) && d->image_array_size == 0 ? "image_array_size" : NULL;
}

// The restrictions of cl_khr_mipmap_image: "CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR cannot be specified
// if a mipmapped image is created", nor a host_ptr; not "for CL_MEM_OBJECT_IMAGE1D_BUFFER images". The
// extension excludes depth images, too, but OpenCL C has functions that read a level of one, and the
// conformance tests create them. The tests also create images with two levels of a single texel.
static bool levels_suit(const cl_image_desc *d, cl_mem_flags flags, const void *host_ptr)
{
    if (d->num_mip_levels < 2)
        return true;
    return d->num_mip_levels <= WEFT_IMAGE_MAX_LEVELS && d->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER &&
           !d->mem_object && !host_ptr && !d->image_row_pitch && !d->image_slice_pitch &&
           !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

// "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if values specified in image_format are not valid or if image_format is
// NULL."
static cl_int check_format(const cl_image_format *f)
{
    if (!f)
        return weft_error(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL");
    if (weft_image_format_is_valid(f))
        return CL_SUCCESS;
    const char *type = weft_image_channel_name(f->image_channel_data_type),
               *order = weft_image_channel_name(f->image_channel_order);
    if (type && order)
        return weft_error_with(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                               "image_channel_data_type %s doesn't go with image_channel_order %s", type,
                               order);
    return weft_error_with(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                           "image_channel_data_type %h doesn't go with image_channel_order %h",
                           f->image_channel_data_type, f->image_channel_order);
}

// The error for sizes that are 0 and for wrong pitches. OpenCL 1.1 says of the functions that preceded
// clCreateImage: "CL_INVALID_IMAGE_SIZE if image_width or image_height are 0 ... or if values specified by
// image_row_pitch do not follow rules".
static cl_int size_error(enum weft_image_table table)
{
    return table == WEFT_IMAGE_TABLE_1_1 ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR;
}

// "CL_INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid or if image_desc is NULL."
static cl_int check_descriptor(const cl_image_desc *d, cl_mem_flags flags, const void *host_ptr,
                               enum weft_image_table table)
{
    if (!d)
        return weft_error(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is NULL");
    if (!type_is_valid(d->image_type))
        return weft_error_with(CL_INVALID_IMAGE_DESCRIPTOR, "image_type %h is no type of images",
                               d->image_type);
    const char *lacking = lacking_size(d);
    if (lacking)
        return weft_error_with(size_error(table), "%s is 0", lacking);
    // "... or if image_depth is <= 1".
    if (table == WEFT_IMAGE_TABLE_1_1 && d->image_type == CL_MEM_OBJECT_IMAGE3D && d->image_depth == 1)
        return weft_error(CL_INVALID_IMAGE_SIZE, "image_depth is 1, and clCreateImage3D needs more");
    if (d->num_samples)
        return weft_error_with(CL_INVALID_IMAGE_DESCRIPTOR, "num_samples is %n: it must be 0",
                               d->num_samples);
    if (!levels_suit(d, flags, host_ptr))
        return weft_error_with(
            CL_INVALID_IMAGE_DESCRIPTOR,
            "num_mip_levels is %n: there are at most %n, and none with a host_ptr, pitches, a "
            "mem_object or CL_MEM_OBJECT_IMAGE1D_BUFFER",
            d->num_mip_levels, WEFT_IMAGE_MAX_LEVELS);
    return CL_SUCCESS;
}

// Checks whether mem_object is allowed for the type. *out NULL: none is given, and none is needed.
static cl_int check_parent(const struct weft_context *c, const cl_image_desc *d, struct weft_mem **out)
{
    *out = NULL;
    cl_mem_object_type t = d->image_type;
    // "mem_object can be a buffer memory object if image_type is CL_MEM_OBJECT_IMAGE1D_BUFFER or
    // CL_MEM_OBJECT_IMAGE2D"; with cl_ext_image_from_buffer, for every type. "mem_object can be an image
    // object if image_type is CL_MEM_OBJECT_IMAGE2D."
    if (!d->mem_object)
        return t == CL_MEM_OBJECT_IMAGE1D_BUFFER
                   ? weft_error(
                         CL_INVALID_IMAGE_DESCRIPTOR,
                         "image_desc->mem_object is NULL, and CL_MEM_OBJECT_IMAGE1D_BUFFER needs a buffer")
                   : CL_SUCCESS;
    struct weft_mem *m = weft_mem_of(d->mem_object);
    if (!m || m->context != c)
        return weft_error(CL_INVALID_IMAGE_DESCRIPTOR,
                          "image_desc->mem_object is no memory object of the context");
    bool both_2d =
        m->type == CL_MEM_OBJECT_IMAGE2D && t == CL_MEM_OBJECT_IMAGE2D && m->image->level_count == 1;
    if (m->type != CL_MEM_OBJECT_BUFFER && !both_2d)
        return weft_error(
            CL_INVALID_IMAGE_DESCRIPTOR,
            "image_desc->mem_object must be a buffer, or a 2D image without mip levels for a 2D image");
    *out = m;
    return CL_SUCCESS;
}

// "the channel order values supported are", in both directions.
static bool orders_match(cl_channel_order a, cl_channel_order b)
{
    static const cl_channel_order pairs[][2] = {
        {CL_sBGRA, CL_BGRA}, {CL_sRGBA, CL_RGBA}, {CL_sRGB, CL_RGB}, {CL_sRGBx, CL_RGBx}};
    for (size_t i = 0; i < WEFT_COUNT_OF(pairs); i++)
        if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0]))
            return true;
    return a == CL_DEPTH && b == CL_R;
}

static cl_int check_image_of_image(const struct weft_mem *parent, const cl_image_format *f,
                                   const cl_image_desc *d)
{
    const struct weft_image_part *p = parent->image;
    const cl_image_format *of = &p->format->cl;
    // "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if a 2D image is created from a 2D image object and the rules
    // described above are not followed": the channel type is the same, and the order is the same or its sRGB,
    // linear or depth counterpart.
    if (f->image_channel_data_type != of->image_channel_data_type ||
        (f->image_channel_order != of->image_channel_order &&
         !orders_match(f->image_channel_order, of->image_channel_order)))
        return weft_error(
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            "image_format doesn't match that of the image in mem_object: the channel type must be the same, "
            "and the order must be the same or its sRGB, linear or depth counterpart");
    // "the values specified in the image descriptor except for mem_object must match the image descriptor
    // information associated with mem_object"
    return d->image_width == p->width && d->image_height == p->height &&
                   (d->image_row_pitch == 0 || d->image_row_pitch == p->levels[0].row_pitch)
               ? CL_SUCCESS
               : weft_error(CL_INVALID_IMAGE_DESCRIPTOR,
                            "width, height and row pitch must be those of the image in mem_object");
}

// Checks width and pitches of the descriptor. f is the image's format, or NULL if the device doesn't have
// that format. host: the image lies in memory that the caller names, so its pitches may be other than 0.
static cl_int check_pitches(const cl_image_desc *d, const struct weft_image_format *f, bool host,
                            bool over_buffer, enum weft_image_table table)
{
    // "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if ... an image is created from a buffer and the row pitch, slice
    // pitch, or base address alignment does not follow the rules".
    cl_int wrong = over_buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : size_error(table);
    size_t row = d->image_width, slice;
    // "The image width must be a multiple of 4 for images" of RAW10, and of 2 for RAW12.
    if (f && (d->image_width % weft_image_format_group(f) ||
              (weft_image_format_group(f) > 1 && d->num_mip_levels > 1)))
        return weft_error_with(size_error(table),
                               "image_width must be a multiple of %n, and there are no mip levels",
                               weft_image_format_group(f));
    if (f && !weft_image_format_bytes(f, d->image_width, &row))
        return weft_error(CL_INVALID_IMAGE_SIZE, "a row is larger than size_t holds");
    cl_mem_object_type t = d->image_type;
    // "This must be 0 if host_ptr is NULL and can be either 0 or >= image_width * size of element in bytes if
    // host_ptr is not NULL. If image_row_pitch is not 0, it must be a multiple of the image element size in
    // bytes."
    if (d->image_row_pitch && (!host || d->image_row_pitch < row))
        return weft_error_with(
            size_error(table),
            "image_row_pitch is %n: it must be 0 without host_ptr, and 0 or at least %n with it",
            d->image_row_pitch, row);
    const size_t unit = f ? weft_image_pitch_unit(f) : 1;
    if (d->image_row_pitch % unit)
        return wrong;
    if (d->image_row_pitch)
        row = d->image_row_pitch;
    bool has_slices = t == CL_MEM_OBJECT_IMAGE3D || weft_image_is_array(t);
    if (!d->image_slice_pitch || !has_slices)
        return CL_SUCCESS;
    // "This must be 0 if host_ptr is NULL. If host_ptr is not NULL, image_slice_pitch can be either 0 or >=
    // image_row_pitch * image_height for a 2D image array or 3D image and can be either 0 or >=
    // image_row_pitch for a 1D image array."
    size_t rows = t == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : d->image_height;
    if (!host || !weft_mul_size(row, rows, &slice) || d->image_slice_pitch < slice)
        return weft_error_with(size_error(table),
                               "image_slice_pitch is %n: it must be 0 without host_ptr, and 0 or at least "
                               "as large as the rows of a slice with it",
                               d->image_slice_pitch);
    // "If image_slice_pitch is not 0, it must be a multiple of the image_row_pitch." For an image over a
    // buffer: a multiple of what clGetImageRequirementsInfoEXT returns.
    return d->image_slice_pitch % (over_buffer ? unit : row) ? wrong : CL_SUCCESS;
}

// The flags of an image over another object have the same rules as those of a sub-buffer.
static cl_int check_shared_flags(const struct weft_mem *parent, cl_mem_flags flags)
{
    cl_buffer_region all = {0, parent->size};
    if (flags & WEFT_HOST_PTR_FLAGS)
        return weft_error(CL_INVALID_VALUE, "an image over a memory object can't have CL_MEM_USE_HOST_PTR, "
                                            "CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR");
    return weft_check_sub_buffer(parent->flags, parent->size, flags, CL_BUFFER_CREATE_TYPE_REGION, &all, 1);
}

cl_int weft_check_image_create(const struct weft_context *c, const cl_mem_properties *properties,
                               cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                               const void *host_ptr, enum weft_image_table table,
                               struct weft_image_request *out)
{
    *out = (struct weft_image_request){.flags = flags};
    // "CL_INVALID_PROPERTY if a property name in properties is not a supported property name" (3.0).
    // Supported are those of cl_khr_external_memory.
    for (const cl_mem_properties *p = properties; p && *p; p = weft_mem_property_next(p))
        if (!weft_external_property(p[0]))
            return weft_error_with(CL_INVALID_PROPERTY, "property %h isn't known", p[0]);
    cl_int error = weft_check_external(c, properties, &out->external);
    if (!error)
        error = weft_check_mem_flags(flags);
    if (error)
        return error;
    const bool external = out->external.given;
    // "CL_INVALID_VALUE ... if properties includes a supported external memory handle and flags includes
    // CL_MEM_USE_HOST_PTR ..." Texels in external memory lie in rows, as in the host's memory.
    if (external && (flags & WEFT_HOST_PTR_FLAGS))
        return weft_error(CL_INVALID_VALUE, "external memory can't be combined with CL_MEM_USE_HOST_PTR, "
                                            "CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR");
    error = check_format(format);
    if (!error)
        error = check_descriptor(desc, flags, host_ptr, table);
    if (error)
        return error;
    if (external && (desc->mem_object || desc->num_mip_levels > 1))
        return weft_error(CL_INVALID_IMAGE_DESCRIPTOR,
                          "external memory can't be combined with a mem_object or mip levels");
    error = check_parent(c, desc, &out->parent);
    if (error)
        return error;
    const struct weft_mem *parent = out->parent;
    // "CL_INVALID_VALUE ... if CL_MEM_IMMUTABLE_EXT is not set in flags and mem_object was created with
    // CL_MEM_IMMUTABLE_EXT".
    bool allows_writes = parent && (parent->flags & CL_MEM_IMMUTABLE_EXT) && !(flags & CL_MEM_IMMUTABLE_EXT);
    if (allows_writes || (!parent && !external && weft_check_immutable_contents(flags)))
        return weft_error(CL_INVALID_VALUE, "CL_MEM_IMMUTABLE_EXT needs contents, and an image over an "
                                            "immutable object must be immutable too");
    cl_image_desc d = *desc;
    if (parent && parent->image) {
        error = check_image_of_image(parent, format, desc);
        d.image_row_pitch = parent->image->levels[0].row_pitch;
    }
    const struct weft_image_format *f = weft_image_format_find(format, desc->image_type);
    if (!error)
        error = check_pitches(&d, f, parent || external || host_ptr, parent && !parent->image, table);
    if (!error)
        error = check_size(desc);
    if (!error)
        error = weft_check_host_ptr(flags, host_ptr);
    if (error)
        return error;
    if (parent) {
        error = check_shared_flags(parent, flags);
        out->flags = weft_mem_flags_inherit(parent->flags, flags);
    }
    // "CL_IMAGE_FORMAT_NOT_SUPPORTED if the image_format is not supported."
    if (!error && (!f || !weft_image_format_fits(f, desc->image_type, out->flags)))
        error = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (error)
        return error;
    size_t end;
    if (!weft_image_lay_out(f, &d, &out->layout, &out->bytes))
        return weft_error(CL_INVALID_IMAGE_SIZE, "the image is larger than size_t holds");
    // "CL_INVALID_IMAGE_SIZE if an image is created from a buffer and the buffer passed in image_desc is too
    // small for the image". Images may begin at any address, so the buffer's alignment can't be wrong.
    if (parent && out->bytes > parent->size)
        return weft_error_with(CL_INVALID_IMAGE_SIZE,
                               "the image takes %n bytes, and the buffer below it has %n", out->bytes,
                               parent->size);
    if (!weft_add_size((size_t)host_ptr, out->bytes, &end))
        return weft_error(CL_INVALID_HOST_PTR,
                          "the image reaches from host_ptr beyond the end of the address space");
    // "CL_MEM_OBJECT_ALLOCATION_FAILURE if there is a failure to allocate memory for image object."
    return out->bytes > weft_mem_max_size(c) ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

cl_int weft_check_image_requirements(const cl_mem_properties *properties, cl_mem_flags flags,
                                     const cl_image_format *format, const cl_image_desc *desc,
                                     struct weft_image_requirements *out)
{
    *out = (struct weft_image_requirements){0};
    if (properties && properties[0] != 0)
        return weft_error(CL_INVALID_PROPERTY, "properties must be empty");
    // "CL_INVALID_VALUE if values specified in flags are not valid."
    if (weft_check_mem_flags(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
        return weft_error(CL_INVALID_VALUE, "flags has a value that isn't allowed");
    cl_int error = format ? check_format(format) : CL_SUCCESS;
    if (!error && desc)
        error = check_descriptor(desc, flags, NULL, WEFT_IMAGE_TABLE);
    if (!error && desc)
        error = check_size(desc);
    if (error)
        return error;
    if (!format)
        return CL_SUCCESS;
    out->format = weft_image_format_find(format, desc ? desc->image_type : CL_MEM_OBJECT_IMAGE2D);
    if (!out->format || (desc && !weft_image_format_fits(out->format, desc->image_type, flags)))
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (!desc)
        return CL_SUCCESS;
    error = check_pitches(desc, out->format, true, true, WEFT_IMAGE_TABLE);
    struct weft_image_part layout;
    if (!error && !weft_image_lay_out(out->format, desc, &layout, &out->bytes))
        error = weft_error(CL_INVALID_IMAGE_SIZE, "the image is larger than size_t holds");
    return error;
}
