// Which rows of include/weft/features.def apply to the reported version of OpenCL (WEFT_CL_VERSION) and to
// this system, which may have no translator of SPIR-V. Constant once asked for. The driver and the compiler
// use the same rows.
#include "base/base.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t version;
} needs[] = {
#define WEFT_EXTENSION_SINCE(name, version) {#name, version},
#include "weft/features.def"
};

static const char *const spirv_extensions[] = {
#define WEFT_EXTENSION_OF_SPIRV(name) #name,
#include "weft/features.def"
};

// Devices of OpenCL 2.1, 2.2 and 3.1 must take SPIR-V (OpenCL 3.1 §3.6.1, Backwards Compatibility).
uint32_t weft_cl_version(void)
{
    const uint32_t wanted = (uint32_t)weft_config_uint(WEFT_CFG_CL_VERSION);
    if (wanted <= 200 || wanted == 300 || weft_takes_spirv())
        return wanted;
    return wanted < 300 ? 200 : 300;
}

uint32_t weft_language_version(void)
{
    uint32_t version = weft_cl_version();
    return version < 200 ? 120 : version < 300 ? 200 : version;
}

bool weft_offers_extension(const char *name)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(spirv_extensions); i++)
        if (strcmp(spirv_extensions[i], name) == 0 && !weft_takes_spirv())
            return false;
    for (size_t i = 0; i < WEFT_COUNT_OF(needs); i++)
        if (strcmp(needs[i].name, name) == 0)
            return needs[i].version <= weft_cl_version();
    return true;
}
