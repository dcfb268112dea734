// What instructions of a processor take of its time, for the estimates of vectorize/cost/.
//
// The numbers are those of LLVM's scheduling model of the processor, so they are there for each processor
// that code can be made for, whatever machine weftc runs on. Where a model is known to be wrong, or where
// there is none, the family's file has numbers that were measured (weftc_target_ops.measured).
#ifndef WEFTC_ARCH_PRICES_H
#define WEFTC_ARCH_PRICES_H

#include <stdbool.h>
#include <stdint.h>

struct weftc_target;

// An operation on a register of the widest kind that code uses, or on memory for so many lanes of 32 bits.
// OPERATION(id, text, latency and work where nothing is known of them)
#define WEFTC_OPERATIONS(OPERATION)                             \
    OPERATION(GATHER_4, "gather of 4", 62, 20)                  \
    OPERATION(GATHER_8, "gather of 8", 84, 40)                  \
    OPERATION(GATHER_16, "gather of 16", 128, 80)               \
    OPERATION(SCATTER_4, "scatter of 4", 24, 24)                \
    OPERATION(SCATTER_8, "scatter of 8", 24, 48)                \
    OPERATION(SCATTER_16, "scatter of 16", 24, 96)              \
    OPERATION(DIVIDE_FLOAT, "division of floats", 52, 32)       \
    OPERATION(DIVIDE_DOUBLE, "division of doubles", 52, 32)     \
    OPERATION(ROOT_FLOAT, "square root of floats", 64, 40)      \
    OPERATION(ROOT_DOUBLE, "square root of doubles", 64, 40)    \
    OPERATION(MULTIPLY_INT, "product of 32-bit numbers", 20, 4) \
    OPERATION(SHUFFLE, "shuffle of two registers", 4, 2)
enum weftc_operation {
#define WEFTC_OPERATION_ID(id, text, latency, work) WEFTC_##id,
    WEFTC_OPERATIONS(WEFTC_OPERATION_ID)
#undef WEFTC_OPERATION_ID
        WEFTC_OPERATION_COUNT
};

// In quarters of a cycle: until the result is there, and until the units are free for the next such
// instruction.
struct weftc_price {
    uint16_t latency, work;
};
struct weftc_prices {
    bool known; // false: they haven't been asked for yet
    struct weftc_price of[WEFTC_OPERATION_COUNT];
};
extern const char *const weftc_operation_names[WEFTC_OPERATION_COUNT];

// The prices of the target's processor. They live as long as t. The first call takes some tenths of a
// millisecond. Not for several threads at once.
const struct weftc_prices *weftc_target_prices(const struct weftc_target *t);

#endif
