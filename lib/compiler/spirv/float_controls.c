// Checks execution modes of a SPIR-V module's kernels that the translator silently drops. Requirements of
// arithmetic (SPV_KHR_float_controls) that the device can't meet are errors. So are operands of other modes
// that aren't known. Reports whether kernels ask for denormal numbers, or for signed zeros, infinities and
// NaNs, to be preserved (struct weftc_spirv_floats). SPIR-V 1.6 §3.6 (execution modes). Stateless.
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"
#include "compiler/spirv/spirv.h"

struct module {
    const uint32_t *words;
    size_t count;
    struct weft_spirv_constants constants; // found when the first one is needed
};

static const struct {
    uint32_t mode;
    const char *name, *instead;
} unsupported[] = {
    {MODE_DENORM_FLUSH_TO_ZERO, "DenormFlushToZero", "keeps denormal numbers"},
    {MODE_ROUNDING_RTZ, "RoundingModeRTZ", "rounds to the nearest even number"},
    {MODE_ROUNDING_RTP, "RoundingModeRTPINTEL", "rounds to the nearest even number"},
    {MODE_ROUNDING_RTN, "RoundingModeRTNINTEL", "rounds to the nearest even number"},
    {MODE_FLOATING_POINT_ALT, "FloatingPointModeALTINTEL", "computes as IEEE 754 says"},
};

// Returns the name of the function's first entry point, or "" if it has none.
static const char *entry_name(const struct module *m, uint32_t id)
{
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < m->count; at += m->words[at] >> 16) {
        const uint32_t *i = m->words + at;
        uint32_t n = i[0] >> 16;
        if (opcode_of(i[0]) == OP_ENTRY_POINT && n > 3 && i[2] == id &&
            memchr(i + 3, '\0', (n - 3) * sizeof *i))
            return (const char *)(i + 3);
    }
    return "";
}

static bool is_unsupported(const struct module *m, const uint32_t *i, struct weft_buf *log)
{
    for (size_t r = 0; r < WEFT_COUNT_OF(unsupported); r++) {
        if (i[2] != unsupported[r].mode)
            continue;
        weft_buf_printf(
            log, "error: kernel '%s' requires execution mode %s for %u-bit numbers, but this device %s\n",
            entry_name(m, i[1]), unsupported[r].name, i[3], unsupported[r].instead);
        return true;
    }
    return false;
}

// Checks that all operands that are ids of constants are known. spirv/downgrade_execution_modes.c reads those
// of LocalSizeId again.
static bool are_known(const struct module *m, const uint32_t *i, uint32_t n, struct weft_buf *log)
{
    uint32_t value;
    for (uint32_t k = 3; k < n; k++)
        if (!weft_spirv_number(&m->constants, i[k], &value)) {
            weft_buf_printf(log,
                            "error: kernel '%s' has an execution mode (such as LocalSizeId) whose operand %u "
                            "isn't a known constant integer\n",
                            entry_name(m, i[1]), k - 3);
            return false;
        }
    return true;
}

weft_status weftc_spirv_check_modes(const uint32_t *words, size_t count, struct weftc_spirv_floats *floats,
                                    struct weft_buf *log)
{
    struct module m = {.words = words, .count = count};
    weft_status status = WEFT_OK;
    *floats = (struct weftc_spirv_floats){0};
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < count && status == WEFT_OK; at += words[at] >> 16) {
        const uint32_t *i = words + at;
        uint32_t op = opcode_of(i[0]), n = i[0] >> 16;
        if (op == OP_EXECUTION_MODE && n == 4) {
            floats->denormals |= i[2] == MODE_DENORM_PRESERVE;
            floats->specials |= i[2] == MODE_SIGNED_ZERO_INF_NAN_PRESERVE;
            status = is_unsupported(&m, i, log) ? WEFT_BUILD_FAILED : WEFT_OK;
        } else if (op == OP_EXECUTION_MODE_ID && n >= 4) {
            if (!weft_spirv_find_constants(words, count, &m.constants))
                status = WEFT_NO_MEMORY;
            else if (!are_known(&m, i, n, log))
                status = WEFT_BUILD_FAILED;
        }
    }
    weft_free(m.constants.found);
    return status;
}
