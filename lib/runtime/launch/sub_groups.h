// What clGetKernelSubGroupInfo says (OpenCL 2.2 §5.9.3).
#ifndef WEFT_SUB_GROUPS_H
#define WEFT_SUB_GROUPS_H

#include "runtime/program/kernel.h"

struct weft_sub_group_question {
    cl_kernel_sub_group_info name;
    size_t answer[3];
    size_t count; // numbers in the answer
};

// Waits for the kernel's code. CL_INVALID_OPERATION: the version of OpenCL that is reported has no sub-groups. param_value_size: as the query has it, 0 if there is no place for an answer.
cl_int weft_sub_groups_ask(struct weft_sub_group_question *q, struct weft_kernel *k, size_t input_value_size,
                           const void *input_value, size_t param_value_size);

// Work-items in a sub-group, in groups of this size: `most`, a power of two, or fewer. All sub-groups have as many, but
// for the last. Generated code does the same (lib/compiler/workitem_loops/sub_groups.c).
size_t weft_sub_group_size(const size_t local[3], size_t most);
// Sub-groups of that size in such a group.
size_t weft_sub_group_count(const size_t local[3], size_t size);

// The local size of an enqueue of a kernel that demands a number of sub-groups (meta->reqd_sub_groups); local NULL: one is chosen. Sizes
// have been checked; global NULL: nothing runs. Waits for the kernel's code. CL_INVALID_WORK_GROUP_SIZE: "local_work_size is not consistent with the
// required number of sub-groups" (OpenCL 3.0 §5.10), or no size is.
cl_int weft_sub_groups_demanded(struct weft_kernel *k, cl_uint dim, const size_t *global, const size_t *local,
                                size_t chosen[3]);

#endif
