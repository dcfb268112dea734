// The answers of clGetKernelSubGroupInfo (OpenCL 2.2 §5.9.3), and the local size for a required number of
// sub-groups.
#ifndef WEFT_SUB_GROUPS_H
#define WEFT_SUB_GROUPS_H

#include "runtime/program/kernel.h"

struct weft_sub_group_query {
    cl_kernel_sub_group_info name;
    size_t answer[3];
    size_t count; // how many numbers the answer has
};

// Answers q->name in q->answer and q->count. Waits for the kernel's code. param_value_size is the query's; 0
// if there is no place for an answer. CL_INVALID_VALUE; CL_INVALID_OPERATION: the reported OpenCL version has
// no sub-groups; CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
cl_int weft_sub_groups_query(struct weft_sub_group_query *q, struct weft_kernel *k, size_t input_value_size,
                             const void *input_value, size_t param_value_size);

// The number of work-items in a sub-group, for groups of this size: `max`, which is a power of two, or
// fewer. All sub-groups have the same size, except for the last. Generated code must agree
// (lib/compiler/workitem_loops/sub_groups.c).
size_t weft_sub_group_size(const size_t local[3], size_t max);
// The number of sub-groups of this size in a group.
size_t weft_sub_group_count(const size_t local[3], size_t size);

// The local size for an enqueue of a kernel that requires a number of sub-groups (meta->reqd_sub_groups). If
// local is NULL, one is chosen. Sizes are checked already. global NULL: nothing will run. Waits for the
// kernel's code. CL_INVALID_WORK_GROUP_SIZE: "local_work_size is not consistent with the required number of
// sub-groups" (OpenCL 3.0 §5.10), or no size is consistent. CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES.
cl_int weft_sub_groups_required_local(struct weft_kernel *k, cl_uint dim, const size_t *global,
                                      const size_t *local, size_t chosen[3]);

#endif
