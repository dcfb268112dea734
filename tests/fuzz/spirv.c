// SPIR-V on its way to the translator: what libweft reads of a module, its specialization, and what weftc
// makes of newer instructions.
#include "weft/spirv.h"

#include "base/base.h"
#include "compiler/spirv/spirv.h"
#include "fuzz.h"

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    // OpCapability Kernel, a decorated specialization constant, types.
    static const uint32_t words[] = {WEFT_SPIRV_MAGIC,
                                     0x10400,
                                     0,
                                     20,
                                     0,
                                     0x20011,
                                     6,
                                     0x20011,
                                     4,
                                     0x3000e,
                                     2,
                                     2,
                                     0x40047,
                                     5,
                                     1,
                                     42,
                                     0x40015,
                                     3,
                                     32,
                                     0,
                                     0x20014,
                                     4,
                                     0x40032,
                                     3,
                                     5,
                                     7,
                                     0x30030,
                                     4,
                                     6,
                                     0x40020,
                                     8,
                                     5,
                                     3,
                                     0x5003b,
                                     8,
                                     9,
                                     5,
                                     5,
                                     0x3003f,
                                     9,
                                     9,
                                     0x30401,
                                     1,
                                     2};
    if (number > 1)
        return false;
    for (size_t i = 0; i < sizeof words / 4; i++) {
        uint32_t w = number ? __builtin_bswap32(words[i]) : words[i];
        memcpy(out + 4 * i, &w, 4);
    }
    *size = sizeof words;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weft_spirv s;
    const char *why = NULL;
    weft_status status = weft_spirv_read(&s, data, size, &why);
    FUZZ_CHECK(status != WEFT_DAMAGED || why);
    if (status != WEFT_OK)
        return 0;
    static const uint8_t value[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    for (uint32_t i = 0; i < s.constant_count; i++) {
        FUZZ_CHECK(weft_spirv_constant_size(&s, s.constants[i].id) <= 8);
        weft_spirv_specialize(&s, s.constants[i].id, value);
    }
    struct weft_buf lowered = {0}, log = {0};
    struct weftc_spirv_floats floats;
    status = weftc_spirv_check_modes(s.words, s.count, &floats, &log);
    FUZZ_CHECK(status != WEFT_BUILD_FAILED || log.size);
    weft_buf_free(&log);
    status = weftc_spirv_lower(s.words, s.count, &lowered);
    if (status == WEFT_OK && lowered.size) {
        struct weft_spirv again;
        FUZZ_CHECK(weft_spirv_read(&again, lowered.data, lowered.size, &why) == WEFT_OK);
        weft_spirv_fini(&again);
    }
    weft_buf_free(&lowered);
    weft_spirv_fini(&s);
    return 0;
}
