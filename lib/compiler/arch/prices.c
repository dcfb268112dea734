// What instructions of a processor take of its time: measured numbers, or LLVM's, or those of any processor.
#include "compiler/arch/prices.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/codegen.h"

const char *const weftc_operation_names[WEFTC_OPERATION_COUNT] = {
#define WEFTC_OPERATION_NAME(id, text, latency, work) text,
    WEFTC_OPERATIONS(WEFTC_OPERATION_NAME)
#undef WEFTC_OPERATION_NAME
};

static const struct weftc_price of_any[WEFTC_OPERATION_COUNT] = {
#define WEFTC_OPERATION_PRICE(id, text, latency, work) {latency, work},
    WEFTC_OPERATIONS(WEFTC_OPERATION_PRICE)
#undef WEFTC_OPERATION_PRICE
};

// More lanes than an instruction has take two instructions for half of them.
static void double_halves(struct weftc_price *of, bool *known)
{
    static const enum weftc_operation doubled[] = {WEFTC_GATHER_8, WEFTC_GATHER_16, WEFTC_SCATTER_8,
                                                   WEFTC_SCATTER_16};
    for (size_t k = 0; k < WEFT_COUNT_OF(doubled); k++) {
        const enum weftc_operation o = doubled[k], half = o - 1;
        if (known[o] || !known[half])
            continue;
        of[o] = (struct weftc_price){of[half].latency + of[half].work, 2 * of[half].work};
        known[o] = true;
    }
}

static void find(const struct weftc_target *t, struct weftc_price *of)
{
    const char *names[WEFTC_OPERATION_COUNT] = {NULL};
    struct weft_bridge_timing timings[WEFTC_OPERATION_COUNT];
    bool known[WEFTC_OPERATION_COUNT], asks = false;
    memcpy(of, of_any, sizeof of_any);
    for (enum weftc_operation o = 0; o < WEFTC_OPERATION_COUNT; o++) {
        known[o] = weftc_target_ops->measured && weftc_target_ops->measured(t, o, &of[o]);
        names[o] = !known[o] && weftc_target_ops->instruction ? weftc_target_ops->instruction(t, o) : NULL;
        asks |= names[o] != NULL;
    }
    if (!asks)
        return;
    weft_bridge_instruction_timings(t->machine, names, timings, WEFTC_OPERATION_COUNT);
    for (size_t o = 0; o < WEFTC_OPERATION_COUNT; o++) {
        if (timings[o].known)
            of[o] = (struct weftc_price){timings[o].latency, timings[o].work};
        known[o] |= timings[o].known;
    }
    double_halves(of, known);
}

const struct weftc_prices *weftc_target_prices(const struct weftc_target *t)
{
    if (!t->prices->known)
        find(t, t->prices->of);
    t->prices->known = true;
    return t->prices;
}
