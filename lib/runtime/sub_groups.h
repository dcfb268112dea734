// What clGetKernelSubGroupInfo says (OpenCL 2.2 §5.9.3).
#ifndef WEFT_SUB_GROUPS_H
#define WEFT_SUB_GROUPS_H

#include "program.h"

struct weft_sub_group_question {
    cl_kernel_sub_group_info name;
    size_t answer[3];
    size_t count; // numbers in the answer
};

// Waits for the kernel's code. param_value_size: as the query has it, 0 if there is no place for an answer.
cl_int weft_sub_groups_ask(struct weft_sub_group_question *q, struct weft_kernel *k, size_t input_value_size,
                           const void *input_value, size_t param_value_size);

// Work-items in a sub-group, in groups of this size: `most`, a power of two, or fewer. All sub-groups have as many, but
// for the last. Generated code does the same (lib/compiler/wiloops_sub_groups.c).
size_t weft_sub_group_size(const size_t local[3], size_t most);

#endif
