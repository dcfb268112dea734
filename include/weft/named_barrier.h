// State of the named barriers of a work-group (cl_khr_subgroup_named_barrier): an array of 32-bit words,
// which generated code keeps for each group while it runs. It is zeroed when the group begins. OpenCL C
// sources of built-in functions include this file too.
#ifndef WEFT_NAMED_BARRIER_H
#define WEFT_NAMED_BARRIER_H

#define WEFT_NAMED_BARRIER_MAX 64 // maximum number in a kernel; a power of two

enum {
    WEFT_BARRIER_PROGRESS, // not 0: a work-item has gone on since this word was set to 0
    WEFT_BARRIER_FIRST,    // index of the first word of barrier 0
    // Words of each barrier:
    WEFT_BARRIER_COUNT = 0, // number of sub-groups that use the barrier
    WEFT_BARRIER_ARRIVED,   // number of them that have arrived
    WEFT_BARRIER_PHASE,     // number of times that all have arrived
    WEFT_BARRIER_EACH,
    WEFT_BARRIER_WORDS = WEFT_BARRIER_FIRST + WEFT_BARRIER_EACH * WEFT_NAMED_BARRIER_MAX
};

#endif
