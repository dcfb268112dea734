// Which rows of include/weft/features.def apply to the reported version of OpenCL (WEFT_CL_VERSION).
// Constant. The driver and the compiler use the same rows.
#include "base/base.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t version;
} needs[] = {
#define WEFT_EXTENSION_SINCE(name, version) {#name, version},
#include "weft/features.def"
};

uint32_t weft_cl_version(void)
{
    return (uint32_t)weft_config_uint(WEFT_CFG_CL_VERSION);
}

uint32_t weft_language_version(void)
{
    uint32_t version = weft_cl_version();
    return version < 200 ? 120 : version < 300 ? 200 : version;
}

bool weft_offers_extension(const char *name)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(needs); i++)
        if (strcmp(needs[i].name, name) == 0)
            return needs[i].version <= weft_cl_version();
    return true;
}
