// Samplers (OpenCL 2.2 §5.7). Constant once created.
#include "runtime/image/sampler.h"

#include "base/base.h"
#include "runtime/device/context.h"
#include "runtime/core/object.h"
#include "weft/image.h"

// A level of detail in the form that kernels get.
static uint64_t parts_of(float lod)
{
    const float parts = (float)WEFT_SAMPLER_LOD_PARTS, maximum = (float)WEFT_SAMPLER_LOD_MAX;
    return lod <= 0 ? 0 : lod >= maximum / parts ? WEFT_SAMPLER_LOD_MAX : (uint64_t)(lod * parts);
}

static uint64_t bits_of(const struct weft_sampler *s)
{
    uint64_t addressing = 0;
    switch (s->addressing) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        addressing = WEFT_SAMPLER_CLAMP_TO_EDGE;
        break;
    case CL_ADDRESS_CLAMP:
        addressing = WEFT_SAMPLER_CLAMP;
        break;
    case CL_ADDRESS_REPEAT:
        addressing = WEFT_SAMPLER_REPEAT;
        break;
    case CL_ADDRESS_MIRRORED_REPEAT:
        addressing = WEFT_SAMPLER_MIRRORED_REPEAT;
        break;
    default:
        break;
    }
    return (s->normalized ? WEFT_SAMPLER_NORMALIZED : 0) | addressing |
           (s->filter == CL_FILTER_LINEAR ? WEFT_SAMPLER_LINEAR : WEFT_SAMPLER_NEAREST) |
           (s->mip_filter == CL_FILTER_LINEAR ? WEFT_SAMPLER_MIP_LINEAR : 0) |
           parts_of(s->lod_min) << WEFT_SAMPLER_LOD_MIN_SHIFT |
           (WEFT_SAMPLER_LOD_MAX - parts_of(s->lod_max)) << WEFT_SAMPLER_LOD_MAX_SHIFT;
}

struct weft_sampler *weft_sampler_create(struct weft_context *context,
                                         const cl_sampler_properties *properties,
                                         const struct weft_sampler_values *form)
{
    struct weft_sampler *s = weft_object_create(WEFT_KIND_SAMPLER, sizeof *s, &context->obj);
    if (!s)
        return NULL;
    weft_object_ref(&context->obj);
    s->context = context;
    s->normalized = form->normalized;
    s->addressing = form->addressing;
    s->filter = form->filter;
    s->mip_filter = form->mip_filter;
    s->lod_min = form->lod_min;
    s->lod_max = form->lod_max;
    s->bits = bits_of(s);
    if (properties) {
        size_t count = 1;
        while (properties[count - 1] != 0)
            count += 2; // name and value
        s->properties = weft_memdup(properties, count * sizeof *properties);
        if (!s->properties) {
            weft_object_unref(&s->obj);
            return NULL;
        }
        s->property_count = count;
    }
    return s;
}

void weft_sampler_destroy(struct weft_object *o)
{
    struct weft_sampler *s = WEFT_CONTAINER_OF(o, struct weft_sampler, obj);
    weft_free(s->properties);
    if (s->context)
        weft_object_unref(&s->context->obj);
}
