// Stands in for ../kernel.c as long as the stages behind the front end aren't in the tree; CMakeLists.txt drops it then.
#include "../compiler.h"

weft_status weftc_kernel_stages(LLVMModuleRef module, const struct weftc_target *target,
                                const struct weftc_kernel_options *options, enum weftc_stage last,
                                struct weft_buf *log)
{
    (void)target;
    (void)last;
    weft_status status = weftc_extract_kernel(module, options->name);
    if (status == WEFT_OK)
        status = weftc_check_undefined(module, log);
    return status == WEFT_OK ? weftc_link_builtins(module) : status;
}

weft_status weftc_compile_kernel(const struct weft_kernel_request *request, const struct weftc_target *target,
                                 struct weft_kernel_reply *reply)
{
    (void)request;
    (void)target;
    *reply = (struct weft_kernel_reply){.status = WEFT_UNSUPPORTED,
                                        .log = weft_strdup("error: this weftc makes no machine code yet\n")};
    return WEFT_UNSUPPORTED;
}
