// Argument checks of the calls on samplers (OpenCL 2.2 §5.7). No side effects.
#ifndef WEFT_CHECK_SAMPLER_H
#define WEFT_CHECK_SAMPLER_H

#include "runtime/image/sampler.h"

// Fills *out from a list that ends with 0, or from NULL. CL_INVALID_VALUE.
cl_int weft_check_sampler_properties(const cl_sampler_properties *list, struct weft_sampler_values *out);
cl_int weft_check_sampler(const struct weft_sampler_values *s);

#endif
