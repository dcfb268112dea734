// Device-side enqueue (OpenCL C 3.0 §6.15.17). Here queues and events are pointers, and the kernel of a block
// is its number in the program (lib/compiler/frontend/blocks.c). The host does the work. These functions map
// the calls that Clang makes of enqueue_kernel and the like, and those that programs make, to two functions
// of the host (include/weft/kernel_abi.h).
#include "../builtin.h"
#include "../../../include/weft/device_call.h"

typedef global void *handle;

// Lowered by the compiler (prepare/workitem_functions.c).
int __weft_enqueue(handle queue, uint flags, const __private ndrange_t *range, uint wait_count, const generic handle *wait_list,
                   generic handle *event, ulong kernel_number, const generic void *literal, uint local_count,
                   const __private ulong *sizes);
ulong __weft_device_call(uint what, handle object, ulong number, const generic void *pointer);

// ---- enqueue_kernel, as Clang calls it ----

int __enqueue_kernel_basic(handle queue, uint flags, const __private ndrange_t *range, generic void *invoke,
                           generic void *literal)
{
    return __weft_enqueue(queue, flags, range, 0, 0, 0, (ulong)invoke, literal, 0, 0);
}

int __enqueue_kernel_basic_events(handle queue, uint flags, const __private ndrange_t *range, uint wait_count,
                                  const generic handle *wait_list, generic handle *event, generic void *invoke,
                                  generic void *literal)
{
    return __weft_enqueue(queue, flags, range, wait_count, wait_list, event, (ulong)invoke, literal, 0, 0);
}

int __enqueue_kernel_varargs(handle queue, uint flags, const __private ndrange_t *range, generic void *invoke,
                             generic void *literal, uint local_count, const __private ulong *sizes)
{
    return __weft_enqueue(queue, flags, range, 0, 0, 0, (ulong)invoke, literal, local_count, sizes);
}

int __enqueue_kernel_events_varargs(handle queue, uint flags, const __private ndrange_t *range, uint wait_count,
                                    const generic handle *wait_list, generic handle *event, generic void *invoke,
                                    generic void *literal, uint local_count, const __private ulong *sizes)
{
    return __weft_enqueue(queue, flags, range, wait_count, wait_list, event, (ulong)invoke, literal, local_count, sizes);
}

// ---- Queries about a block ----

// The maximum number of work-items in a sub-group, for one-dimensional groups.
static inline uint sub_group_max(generic void *invoke)
{
    const ndrange_t row = {1, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
    return (uint)__weft_device_call(WEFT_CALL_SUB_GROUP_SIZE, 0, (ulong)invoke, &row);
}

uint __get_kernel_work_group_size_impl(generic void *invoke, generic void *literal)
{
    const ulong asked = (ulong)literal;
    if (asked >= WEFT_ASK_LOCAL_SIZE) {
        // Must agree with the host's CL_KERNEL_MAX_NUM_SUB_GROUPS and
        // CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT.
        const uint most = sub_group_max(invoke), wanted = (uint)asked;
        const uint groups = most ? (uint)__weft_device_call(WEFT_CALL_GROUP_SIZE, 0, (ulong)invoke, 0) / most : 0;
        return asked >= WEFT_ASK_SUB_GROUPS ? groups : wanted <= groups ? wanted * most : 0;
    }
    return (uint)__weft_device_call(WEFT_CALL_GROUP_SIZE, 0, (ulong)invoke, 0);
}

uint __get_kernel_preferred_work_group_size_multiple_impl(generic void *invoke, generic void *literal)
{
    (void)literal;
    return (uint)__weft_device_call(WEFT_CALL_PREFERRED_MULTIPLE, 0, (ulong)invoke, 0);
}

uint __get_kernel_sub_group_count_for_ndrange_impl(const __private ndrange_t *range, generic void *invoke,
                                                   generic void *literal)
{
    (void)literal;
    return (uint)__weft_device_call(WEFT_CALL_SUB_GROUP_COUNT, 0, (ulong)invoke, range);
}

uint __get_kernel_max_sub_group_size_for_ndrange_impl(const __private ndrange_t *range, generic void *invoke,
                                                      generic void *literal)
{
    (void)literal;
    return (uint)__weft_device_call(WEFT_CALL_SUB_GROUP_SIZE, 0, (ulong)invoke, range);
}

// ---- Queues and events. The names are mangled, because their types are Clang's own ----

handle _Z17get_default_queuev(void)
{
    return (handle)__weft_device_call(WEFT_CALL_DEFAULT_QUEUE, 0, 0, 0);
}

static inline int marker(handle queue, uint wait_count, const generic handle *wait_list, generic handle *event)
{
    // Without an event the call does nothing: "event_ret must not be NULL as otherwise this is a no-op".
    if (!event)
        return CLK_SUCCESS;
    long made = (long)__weft_device_call(WEFT_CALL_MARKER, queue, wait_count, wait_list);
    if (made > -4096 && made < 0)
        return (int)made;
    *event = (handle)made;
    return CLK_SUCCESS;
}
int _Z14enqueue_marker9ocl_queuejPU3AS4K12ocl_clkeventPU3AS4S0_(handle queue, uint wait_count,
                                                               const generic handle *wait_list,
                                                               generic handle *event)
{
    return marker(queue, wait_count, wait_list, event);
}
int _Z14enqueue_marker9ocl_queuejPK12ocl_clkeventPS_(handle queue, uint wait_count,
                                                    const __private handle *wait_list,
                                                    __private handle *event)
{
    return marker(queue, wait_count, wait_list, event);
}

handle __weft_null_event(void)
{
    return (handle)~0ul;
}
handle _Z17create_user_eventv(void)
{
    ulong made = __weft_device_call(WEFT_CALL_USER_EVENT, 0, 0, 0);
    return made ? (handle)made : __weft_null_event();
}
void _Z12retain_event12ocl_clkevent(handle event)
{
    __weft_device_call(WEFT_CALL_RETAIN_EVENT, event, 0, 0);
}
void _Z13release_event12ocl_clkevent(handle event)
{
    __weft_device_call(WEFT_CALL_RELEASE_EVENT, event, 0, 0);
}
bool _Z14is_valid_event12ocl_clkevent(handle event)
{
    return __weft_device_call(WEFT_CALL_IS_EVENT, event, 0, 0) != 0;
}
void _Z21set_user_event_status12ocl_clkeventi(handle event, int status)
{
    __weft_device_call(WEFT_CALL_SET_STATUS, event, (ulong)status, 0);
}
void _Z28capture_event_profiling_info12ocl_clkeventiPU3AS1v(handle event, int name, global void *value)
{
    __weft_device_call(WEFT_CALL_CAPTURE_PROFILE, event, (ulong)name, value);
}

// ---- Ranges (§6.15.17.2) ----

static inline ndrange_t range_of(uint dim, const __private size_t *offset, const __private size_t *global_size,
                                 const __private size_t *local_size)
{
    ndrange_t r;
    r.workDimension = dim;
    for (uint i = 0; i < 3; i++) {
        r.globalWorkOffset[i] = offset && i < dim ? offset[i] : 0;
        r.globalWorkSize[i] = i < dim ? global_size[i] : 1;
        r.localWorkSize[i] = local_size && i < dim ? local_size[i] : 0;
    }
    return r;
}

ndrange_t OVERLOAD ndrange_1D(size_t global_size)
{
    return range_of(1, 0, &global_size, 0);
}
ndrange_t OVERLOAD ndrange_1D(size_t global_size, size_t local_size)
{
    return range_of(1, 0, &global_size, &local_size);
}
ndrange_t OVERLOAD ndrange_1D(size_t offset, size_t global_size, size_t local_size)
{
    return range_of(1, &offset, &global_size, &local_size);
}

#define RANGES(dim)                                                                                                \
    ndrange_t OVERLOAD ndrange_##dim##D(const __private size_t *global_size)                                       \
    {                                                                                                              \
        return range_of(dim, 0, global_size, 0);                                                                   \
    }                                                                                                              \
    ndrange_t OVERLOAD ndrange_##dim##D(const __private size_t *global_size, const __private size_t *local_size)   \
    {                                                                                                              \
        return range_of(dim, 0, global_size, local_size);                                                          \
    }                                                                                                              \
    ndrange_t OVERLOAD ndrange_##dim##D(const __private size_t *offset, const __private size_t *global_size,       \
                                        const __private size_t *local_size)                                        \
    {                                                                                                              \
        return range_of(dim, offset, global_size, local_size);                                                     \
    }
RANGES(2)
RANGES(3)
