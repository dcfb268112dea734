// The checker (WEFT_CHECK, docs/check.md): what code that was made with -weft-check=KINDS tells the driver.
// Such code calls weft_kernel_host.device_call with the requests WEFT_CALL_CHECK_* of device_call.h.
#ifndef WEFT_CHECKER_H
#define WEFT_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

// The kinds of faults, by the words of WEFT_CHECK and of reports.
#define WEFT_CHECK_KINDS(KIND)                                                            \
    KIND(BOUNDS, "bounds", "accesses outside of the object that a pointer was made from") \
    KIND(ALIGN, "align", "accesses that aren't aligned to their type")                    \
    KIND(ARITH, "arith", "divisions by zero, shifts too far, conversions out of range")   \
    KIND(UNINIT, "uninit", "results that depend on memory that nobody has written")       \
    KIND(API, "api", "misuse of the host's API that the specification calls undefined")   \
    KIND(BARRIER, "barrier", "work-items of a group that don't reach the same barriers")  \
    KIND(RACE, "race", "work-items that touch the same bytes with no order between them")
// Parts of ARITH and API that are looked for only if they are named: programs may want what they find.
#define WEFT_CHECK_PARTS(PART) \
    PART(NAN, "nan")           \
    PART(OVERFLOW, "overflow") \
    PART(LEAKS, "leaks")
enum weft_check_kind {
#define WEFT_CHECK_KIND_ID(id, word, text) WEFT_CHECK_##id,
    WEFT_CHECK_KINDS(WEFT_CHECK_KIND_ID)
#undef WEFT_CHECK_KIND_ID
        WEFT_CHECK_KIND_COUNT,
    // no kinds of findings
    WEFT_CHECK_BEFORE_PARTS = WEFT_CHECK_KIND_COUNT - 1,
#define WEFT_CHECK_PART_ID(id, word) WEFT_CHECK_##id,
    WEFT_CHECK_PARTS(WEFT_CHECK_PART_ID)
#undef WEFT_CHECK_PART_ID
};

// Reads a list of kinds and parts: words with commas between them, or "all". Returns the set of bits
// 1 << enum weft_check_kind, 0 if a word isn't one of them. "all" has all kinds, but no parts. Implemented
// in lib/base/checker_kinds.c.
uint32_t weft_check_kinds_of(const char *list);
const char *weft_check_kind_word(enum weft_check_kind kind);
// All words, for messages: "all, bounds, align, ...".
extern const char weft_check_kind_words[];

// What exactly is wrong.
enum weft_check_fault {
    WEFT_FAULT_OUTSIDE,    // numbers: address, first and end of the object
    WEFT_FAULT_MISALIGNED, // numbers: address
    WEFT_FAULT_DIVISION_BY_ZERO,
    WEFT_FAULT_DIVISION_OVERFLOW, // the smallest number divided by -1
    WEFT_FAULT_SHIFT,             // numbers: by how many bits
    WEFT_FAULT_CONVERSION,        // numbers: bits of a double
    WEFT_FAULT_NAN,               // a NaN is made of numbers
    WEFT_FAULT_OVERFLOW,          // of a signed addition, subtraction or multiplication
    WEFT_FAULT_BARRIER,           // the site's `object`: 0: a barrier, 1: the end of the kernel
    WEFT_FAULT_RACE,
    WEFT_FAULT_UNWRITTEN, // numbers: the origin, and the address of the names of private variables
    WEFT_FAULT_TEXEL,     // numbers: coordinates, two in each; `bits` of the site: a set of WEFT_TEXEL_*
    WEFT_FAULT_COUNT
};

enum {
    WEFT_ACCESS_READ = 1,
    WEFT_ACCESS_WRITE = 2,
    WEFT_ACCESS_ATOMIC = 4,
    WEFT_ACCESS_LOCAL = 8, // to local memory: other work-groups have their own, though at the same place
    // The kernel uses results of atomic operations on global memory. So one work-group may have waited for
    // another.
    WEFT_ACCESS_ORDERED = 16,
    WEFT_ACCESS_GENERIC = 32, // to private, local or global memory
    WEFT_ACCESS_CERTAIN = 64, // of WEFT_CALL_CHECK_LOCAL_TOUCH: it is done, whatever a branch says
};
// An access of an image. The coordinates x, y and z, and the level, have 32 bits each.
enum {
    WEFT_TEXEL_DIMS = 3,   // how many directions the image has
    WEFT_TEXEL_LAYERS = 4, // the next coordinate is the layer
    WEFT_TEXEL_FLOAT = 8,
    WEFT_TEXEL_WRITE = 16,
    WEFT_TEXEL_LEVEL = 32, // the level is given
};
// What depends on memory that nobody has written: `object` of the site.
enum weft_check_use {
    WEFT_USE_OTHER,
    WEFT_USE_BRANCH,
    WEFT_USE_ADDRESS,
    WEFT_USE_DIVISOR,
    WEFT_USE_ATOMIC,   // the operand in memory of an atomic operation
    WEFT_USE_ARGUMENT, // of a built-in function
};
// What a pointer was made from.
enum weft_check_object {
    WEFT_OBJECT_UNKNOWN,
    WEFT_OBJECT_ARGUMENT, // `object` of the site is the argument's number
    WEFT_OBJECT_PRIVATE,
    WEFT_OBJECT_LOCAL,
    WEFT_OBJECT_CONSTANT,
    WEFT_OBJECT_PROGRAM, // a variable of the program in global memory
};

// A place in the program. In the code object, constant. `text` has three strings, each closed by a NUL: the
// file, the name of the object ("": it has none), and the line of the source ("": not known).
struct weft_check_site {
    uint32_t fault;        // enum weft_check_fault
    uint32_t line, column; // 0: not known
    uint32_t access;       // set of WEFT_ACCESS_*
    uint32_t kind;         // enum weft_check_object
    uint32_t object;
    uint32_t bits; // of a shifted number
    char text[];
};

// What happened at a site. Lies on the kernel's stack.
struct weft_check_event {
    uint64_t id[3]; // global id of the work-item
    uint64_t size;  // bytes of the access
    uint64_t number[3];
};

// The bytes [first, end). Of a local argument: 0 and its size.
struct weft_check_range {
    uint64_t first, end;
    // For UNINIT: addresses of the shadow and the origins of byte `first`; 0 with other kinds.
    uint64_t shadow, origins;
    uint64_t own; // bytes for which the launch has made shadow of its own; 0: none
    // 1: no other argument's object has bytes of it, and no command that isn't in order with the launch uses
    // it. For RACE and UNINIT.
    uint64_t alone;
    // 1: all bytes of it have been written, and nothing is unknown of their values. For UNINIT.
    uint64_t written;
};

// Behind the objects of a launch's arguments, for RACE: what one work-group says of those that follow.
struct weft_check_groups {
    // 1: a work-group didn't run in the kernel's first body, which has the fewest looks. Written by code.
    uint64_t busy;
    uint64_t local; // a set of enum weft_check_local
};
// Of local memory, if which of its bytes a work-item touches depends on nothing that another work-group has
// otherwise (checker/races/same_groups.c). 0: no group has run yet.
enum weft_check_local {
    WEFT_LOCAL_SEEN = 1,   // a group has run
    WEFT_LOCAL_APART = 2,  // and no two work-items were in each other's way
    WEFT_LOCAL_FILLED = 4, // and it has read nothing but what it had written
};

#endif
