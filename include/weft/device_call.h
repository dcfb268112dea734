// The requests that a kernel may make about queues and events besides enqueue_kernel. They go through
// weft_kernel_host.device_call (kernel_abi.h). OpenCL C sources of built-in functions include this file too.
#ifndef WEFT_DEVICE_CALL_H
#define WEFT_DEVICE_CALL_H

enum weft_device_call {
    WEFT_CALL_DEFAULT_QUEUE, // returns the default queue
    // object: a queue; number: of events in the list at pointer. Returns the marker's event, or an error as a
    // number from -4095 to -1.
    WEFT_CALL_MARKER,
    WEFT_CALL_USER_EVENT,    // returns the event; 0: out of memory
    WEFT_CALL_RETAIN_EVENT,  // object: event
    WEFT_CALL_RELEASE_EVENT, // object: event
    WEFT_CALL_IS_EVENT,      // object: event. Returns 1 or 0
    WEFT_CALL_SET_STATUS,    // object: event; number: status
    // Object: event; number: clk_profiling_info; pointer: two numbers of 64 bits, global.
    WEFT_CALL_CAPTURE_PROFILE,
    WEFT_CALL_GROUP_SIZE, // in this and the next three, number is the number of the kernel
    WEFT_CALL_PREFERRED_MULTIPLE,
    WEFT_CALL_SUB_GROUP_COUNT, // pointer: a range
    WEFT_CALL_SUB_GROUP_SIZE,  // pointer: a range
    // Code of the checker (checker.h). object: a site; pointer: an event.
    WEFT_CALL_CHECK_REPORT,
    // object: a site; number: the local linear id of a work-item that has come there: a barrier, or the end
    // of the kernel. The code counts those who are where the first one is, and tells of the last one.
    WEFT_CALL_CHECK_ARRIVAL,
    WEFT_CALL_CHECK_PASSED, // all work-items of the group have passed a barrier; of kernels that tell no arrivals
    WEFT_CALL_CHECK_OBJECTS, // returns the address of a weft_check_range for each argument of the kernel
    WEFT_CALL_CHECK_FIND,    // number: an address; pointer: a weft_check_range, which it fills in
    // For UNINIT (compiler/checker/uninit.c). Returns the address of the shadow of the thread's local memory.
    WEFT_CALL_CHECK_LOCAL,
    // number: an address; pointer: two numbers; the first is 1 if shadow will be written. They become the
    // addresses of the shadow and the origin of this address, of which up to 128 bytes may be accessed.
    WEFT_CALL_CHECK_SHADOW,
    // number: where bytes were written; pointer: two numbers: where they were read, 0: nowhere; how many
    WEFT_CALL_CHECK_MOVED,
    // A work-item of the launch's first group may touch local memory. number: bits 0 to 7: how, of
    // WEFT_ACCESS_*; 8 to 31: its local linear id; from 32 on: bytes. pointer: where
    WEFT_CALL_CHECK_LOCAL_TOUCH,
    // object: a site where a value with an origin is stored; pointer: an event. Returns the new origin.
    WEFT_CALL_CHECK_CHAIN,
    WEFT_CALL_STUCK, // no work-item of the group can go on: the command has failed, and `run` returns
};

// Two questions of SPIR-V about enqueued kernels (capability SubgroupDispatch). LLVM's translator doesn't
// know these instructions. So they are passed as OpGetKernelWorkGroupSize with a literal that can't be an
// address: no address has the highest bit set.
#define WEFT_ASK_LOCAL_SIZE (1ull << 63) // plus the number of sub-groups in the low 32 bits
#define WEFT_ASK_SUB_GROUPS (WEFT_ASK_LOCAL_SIZE | 1ull << 62) // the maximum number of sub-groups of a group

#endif
