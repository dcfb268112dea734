// A pipe in memory: what clCreatePipe makes and the built-in functions of lib/kernel-builtins/pipe work on. Read by both C and
// OpenCL C. OpenCL C 3.0 §6.15.14.
//
// A ring of 2^n packets. Positions count up for ever and wrap; the packet of position p has place p & mask. Its sequence
// number says what it waits for: p, to be written as position p; p + 1, to be read. Who reserves packets moves `tail` (or
// `head`, for reading) over them; who commits them writes their numbers, in any order. So nobody ever waits for anybody, and
// packets are read in the order in which they were reserved for writing. A pipe of a number of packets that is no power
// of two keeps to it by looking at the packet that lies as far behind.
#ifndef WEFT_PIPE_H
#define WEFT_PIPE_H

#ifdef __OPENCL_C_VERSION__
#define WEFT_PIPE_U32 uint
#define WEFT_PIPE_COUNTER atomic_uint
#else
#include <stdint.h>
#define WEFT_PIPE_U32 uint32_t
#define WEFT_PIPE_COUNTER _Atomic uint32_t
#endif

struct weft_pipe {
    WEFT_PIPE_U32 packet_size; // bytes
    WEFT_PIPE_U32 max_packets; // that it holds at once
    WEFT_PIPE_U32 mask;        // places less one
    WEFT_PIPE_U32
    packets_begin; // bytes from here on to the first packet; the sequence numbers follow this structure
    WEFT_PIPE_U32 unused0[12];
    WEFT_PIPE_COUNTER tail; // position that is written next
    WEFT_PIPE_U32 unused1[15];
    WEFT_PIPE_COUNTER head; // position that is read next
    WEFT_PIPE_U32 unused2[15];
};

#define WEFT_PIPE_MAX_PACKET 1024u        // bytes: CL_DEVICE_PIPE_MAX_PACKET_SIZE
#define WEFT_PIPE_MAX_PACKETS (1u << 30)  // at once
#define WEFT_PIPE_RESERVATIONS (1u << 16) // CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS; nothing counts them

#endif
