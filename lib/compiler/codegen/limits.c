// What is left out for large kernels, noted for the report.
#include "base/base.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/module_facts.h"

static const char *const texts[WEFTC_LIMIT_COUNT] = {
#define LIMIT_TEXT(id, text) text,
    WEFTC_LIMITS(LIMIT_TEXT)
#undef LIMIT_TEXT
};

bool weftc_note_limit(LLVMModuleRef module, enum weftc_limit limit, bool holds)
{
    if (holds)
        weftc_module_number_set(module, WEFTC_LIMITS_HOLD,
                                weftc_module_number(module, WEFTC_LIMITS_HOLD) | 1u << limit);
    return holds;
}

void weftc_print_limits(LLVMModuleRef module, struct weft_buf *out)
{
    const uint64_t limits = weftc_module_number(module, WEFTC_LIMITS_HOLD);
    if (limits)
        weft_buf_puts(out, "since the kernel is large:\n");
    for (unsigned k = 0; k < WEFTC_LIMIT_COUNT; k++)
        if (limits >> k & 1)
            weft_buf_printf(out, "  %s\n", texts[k]);
}
