// A pipe in memory (OpenCL C 3.0 §6.15.14). clCreatePipe makes it, and the built-in functions of
// lib/kernel-builtins/pipe work on it. This file is both C and OpenCL C.
//
// A pipe is a ring of 2^n packets. Positions count up for ever and wrap. The packet at position p is in slot
// p & mask. The slot's sequence number says what may happen next: p: it may be written as position p; p + 1:
// it may be read. Reserving packets moves `tail` (for writing) or `head` (for reading) past them. Committing
// them writes their sequence numbers, in any order. So nobody ever waits, and packets are read in the order
// in which they were reserved for writing. If max_packets isn't a power of two, a writer checks the packet
// that is max_packets positions back.
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
    WEFT_PIPE_U32 max_packets; // maximum number of packets at once
    WEFT_PIPE_U32 mask;        // number of slots - 1
    // Bytes from the beginning of this structure to the first packet. The sequence numbers directly follow
    // the structure.
    WEFT_PIPE_U32
    packets_begin;
    WEFT_PIPE_U32 unused0[12];
    WEFT_PIPE_COUNTER tail; // the next position to be written
    WEFT_PIPE_U32 unused1[15];
    WEFT_PIPE_COUNTER head; // the next position to be read
    WEFT_PIPE_U32 unused2[15];
};

#define WEFT_PIPE_MAX_PACKET 1024u       // bytes: CL_DEVICE_PIPE_MAX_PACKET_SIZE
#define WEFT_PIPE_MAX_PACKETS (1u << 30) // maximum number of packets at once
// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS; the implementation doesn't count them.
#define WEFT_PIPE_RESERVATIONS (1u << 16)

#endif
