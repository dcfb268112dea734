// Checks of the calls on samplers. Each check quotes its sentence of the specification. No state.
#include "runtime/check/sampler.h"

#include <float.h>
#include <string.h>

#include "runtime/core/diagnostics.h"
#include "runtime/image/sampler.h"

cl_int weft_check_sampler(const struct weft_sampler_values *s)
{
    // "if the value specified for a supported property name is not valid"
    bool valid = (s->normalized == CL_TRUE || s->normalized == CL_FALSE) &&
                 s->addressing >= CL_ADDRESS_NONE && s->addressing <= CL_ADDRESS_MIRRORED_REPEAT &&
                 (s->filter == CL_FILTER_NEAREST || s->filter == CL_FILTER_LINEAR) &&
                 (s->mip_filter == CL_FILTER_NEAREST || s->mip_filter == CL_FILTER_LINEAR) &&
                 s->lod_min <= s->lod_max; // false if one of them is NaN
    return valid ? CL_SUCCESS
                 : weft_error(CL_INVALID_VALUE, "a value of the sampler isn't allowed: normalized_coords, "
                                                "addressing_mode, filter_mode or a level of detail");
}

cl_int weft_check_sampler_properties(const cl_sampler_properties *list, struct weft_sampler_values *out)
{
    *out = (struct weft_sampler_values){CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, CL_FILTER_NEAREST,
                                        0,       FLT_MAX};
    unsigned seen = 0;
    for (; list && list[0]; list += 2) {
        unsigned which;
        switch (list[0]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
            which = 1;
            out->normalized = (cl_bool)list[1];
            break;
        case CL_SAMPLER_ADDRESSING_MODE:
            which = 2;
            out->addressing = (cl_addressing_mode)list[1];
            break;
        case CL_SAMPLER_FILTER_MODE:
            which = 4;
            out->filter = (cl_filter_mode)list[1];
            break;
        case CL_SAMPLER_MIP_FILTER_MODE_KHR:
            which = 8;
            out->mip_filter = (cl_filter_mode)list[1];
            break;
        // The values are floats, stored as bits.
        case CL_SAMPLER_LOD_MIN_KHR:
            which = 16;
            memcpy(&out->lod_min, &list[1], sizeof out->lod_min);
            break;
        case CL_SAMPLER_LOD_MAX_KHR:
            which = 32;
            memcpy(&out->lod_max, &list[1], sizeof out->lod_max);
            break;
        default:
            return weft_error_with(CL_INVALID_VALUE, "property %h isn't known", list[0]);
        }
        // "or if the same property name is specified more than once". Values have 32 bits.
        if ((seen & which) || list[1] >> 32)
            return weft_error_with(CL_INVALID_VALUE,
                                   "property %h is given twice, or its value has more than 32 bits", list[0]);
        seen |= which;
    }
    return weft_check_sampler(out);
}
