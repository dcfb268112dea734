// Samplers (OpenCL 2.2 §5.7): constant once created.
#include "image.h"

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
           (s->filter == CL_FILTER_LINEAR ? WEFT_SAMPLER_LINEAR : WEFT_SAMPLER_NEAREST);
}

struct weft_sampler *weft_sampler_create(struct weft_context *context,
                                         const cl_sampler_properties *properties, cl_bool normalized,
                                         cl_addressing_mode addressing, cl_filter_mode filter)
{
    struct weft_sampler *s = weft_object_create(WEFT_KIND_SAMPLER, sizeof *s, &context->obj);
    if (!s)
        return NULL;
    weft_object_ref(&context->obj);
    s->context = context;
    s->normalized = normalized;
    s->addressing = addressing;
    s->filter = filter;
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
