// C2, regions: a kernel without barriers is one region.
#include "bridge_passes.h"
#include "middle.h"
weft_status weftc_regions(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, struct weft_buf *log)
{
    (void)target;
    LLVMValueRef kernel = weftc_find_kernel(module, options);
    if (LLVMGetNamedFunction(module, WEFTC_BARRIER)) {
        weft_buf_puts(log, "error: kernels with barriers are not supported yet\n");
        return WEFT_UNSUPPORTED;
    }
    LLVMSetValueName2(kernel, WEFTC_REGION_NAME "0", 13);
    LLVMSetLinkage(kernel, LLVMInternalLinkage);
    weftc_module_number_set(module, WEFTC_REGION_COUNT, 1);
    return WEFT_OK;
}
