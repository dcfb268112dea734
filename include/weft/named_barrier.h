// Named barriers of a work-group (cl_khr_subgroup_named_barrier), in words of 32 bits that generated code keeps for each group while it
// runs; zeroed when the group begins. Also read by the built-in functions, which are OpenCL C.
#ifndef WEFT_NAMED_BARRIER_H
#define WEFT_NAMED_BARRIER_H

#define WEFT_NAMED_BARRIER_MAX 64 // in a kernel; a power of two

enum {
    WEFT_BARRIER_PROGRESS, // not 0: a work-item has gone on since this was set to 0
    WEFT_BARRIER_FIRST,    // where those of barrier 0 begin
    // Of each barrier:
    WEFT_BARRIER_COUNT = 0, // sub-groups that it is for
    WEFT_BARRIER_ARRIVED,   // of those
    WEFT_BARRIER_PHASE,     // how often all have arrived
    WEFT_BARRIER_EACH,
    WEFT_BARRIER_WORDS = WEFT_BARRIER_FIRST + WEFT_BARRIER_EACH * WEFT_NAMED_BARRIER_MAX
};

#endif
