// What a kernel may ask of queues and events beside enqueue_kernel: weft_kernel_host.device_call (kernel_abi.h). Also read by the
// built-in functions, which are OpenCL C.
#ifndef WEFT_DEVICE_CALL_H
#define WEFT_DEVICE_CALL_H

enum weft_device_call {
    WEFT_CALL_DEFAULT_QUEUE, // the queue
    // object: queue; number: of events in the list at pointer. The marker's event, or an error as a number from -4095 to -1.
    WEFT_CALL_MARKER,
    WEFT_CALL_USER_EVENT,    // the event; 0: none could be made
    WEFT_CALL_RETAIN_EVENT,  // object: event
    WEFT_CALL_RELEASE_EVENT, // object: event
    WEFT_CALL_IS_EVENT,      // object: event; 1 or 0
    WEFT_CALL_SET_STATUS,    // object: event; number: status
    WEFT_CALL_CAPTURE_PROFILE, // object: event; number: clk_profiling_info; pointer: two numbers of 64 bits, global
    WEFT_CALL_GROUP_SIZE, // of these four number: the kernel's
    WEFT_CALL_PREFERRED_MULTIPLE,
    WEFT_CALL_SUB_GROUP_COUNT, // pointer: a range
    WEFT_CALL_SUB_GROUP_SIZE,  // pointer: a range
    WEFT_CALL_STUCK,           // no work-item of the group can go on: the command has failed, and run returns
};

// Two more questions of SPIR-V about what is enqueued, SubgroupDispatch's. The translator has no words for them: they are asked as
// OpGetKernelWorkGroupSize of a literal that is no address, since no address has the highest bit.
#define WEFT_ASK_LOCAL_SIZE (1ull << 63) // and the number of sub-groups in the low 32 bits
#define WEFT_ASK_SUB_GROUPS (WEFT_ASK_LOCAL_SIZE | 1ull << 62) // that a group has at most

#endif
