// `weftc --target`: the processor that code is made for, a line for each thing that decides what code it
// gets. For users who wonder, and for the test that tells every kind of processor
// (tests/portability/processors.py).
#include <stdio.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/driver/command.h"

static void print_flags(const char *title, unsigned count, const char *const names[], const bool set[])
{
    printf("%s", title);
    bool any = false;
    for (unsigned k = 0; k < count; k++)
        if (set[k]) {
            printf(" %s", names[k]);
            any = true;
        }
    printf("%s\n", any ? "" : " none");
}

static void print_permutes(unsigned permutes)
{
    static const char *const names[] = {"16-bytes",  "8-words",     "512-words", "512-shorts",
                                        "512-bytes", "512-windows", "memory",    "masked"};
    enum { COUNT = sizeof names / sizeof *names };
    bool set[COUNT];
    for (unsigned k = 0; k < COUNT; k++)
        set[k] = permutes >> k & 1;
    print_flags("permutes:", COUNT, names, set);
}

int weftc_print_target(const struct weftc_command *c)
{
    struct weftc_target t;
    if (weftc_target_init(&t, weft_config_str(WEFT_CFG_CPU), c->level) != WEFT_OK) {
        fprintf(stderr, "weftc: LLVM can't make code for this processor\n");
        return 1;
    }
    printf("processor: %s\n", t.cpu);
    printf("lanes of 32 bits: %u\nvector registers: %u\n", t.native_width, t.vector_registers);
    static const char *const names[] = {"fma", "fp16", "mask-registers", "math-primitives", "estimates"};
    const bool set[] = {t.has_fma, t.has_fp16, t.has_mask_registers, t.has_math_primitives, t.has_estimates};
    print_flags("instructions:", sizeof set / sizeof *set, names, set);
    print_permutes(t.permutes);
    printf("dot products: %u words\n", weftc_target_ops->dot_lanes ? weftc_target_ops->dot_lanes(&t) : 0);
    const struct weftc_price *of = weftc_target_prices(&t)->of;
    for (size_t o = 0; o < WEFTC_OPERATION_COUNT; o++)
        printf("%s: each %.2f cycles, ready after %.2f\n", weftc_operation_names[o], of[o].work / 4.0,
               of[o].latency / 4.0);
    printf("features: %s\n", t.features);
    weftc_target_fini(&t);
    return 0;
}
