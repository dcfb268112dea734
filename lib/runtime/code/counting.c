// Making the code that counts a kernel's work: quick scalar code, which a compiler makes and no cache keeps.
// It says how many lanes would have been active, so there is one for each dimension of lanes: the kernel has
// one with its own code, and others with variants whose lanes lie along another dimension.
#include "runtime/code/counting.h"

#include "base/base.h"
#include "runtime/code/build_result.h"
#include "runtime/code/make_code.h"
#include "runtime/code/module.h"
#include "runtime/compiler/client.h"
#include "weft/protocol.h"
#include "weft/status.h"

// Loads what a compiler has answered.
static void load(struct weft_kernel_code *c, unsigned along, const uint8_t *answer, size_t size)
{
    struct weft_counting *to = &c->counting[along];
    struct weft_kernel_reply reply = {0};
    const struct weft_kernel_info *info = NULL;
    weft_status status = weft_kernel_reply_get(&reply, answer, size);
    if (status == WEFT_OK)
        status = (weft_status)reply.status;
    if (status == WEFT_OK)
        status =
            weft_module_load(reply.code, reply.code_size, c->meta->name, false, &to->module, &info, NULL);
    if (status == WEFT_OK && !info->sub_groups) { // sub-groups of another size compute something else
        to->counts = weft_module_symbol(to->module, WEFT_KERNEL_COUNTS_SYMBOL);
        // release: pairs with the acquire in count_group (launch/run_range.c).
        atomic_store_explicit(&to->info, to->counts ? info : NULL, memory_order_release);
    }
    weft_kernel_reply_fini(&reply);
}

void weft_counting_make(struct weft_kernel_code *c, unsigned along)
{
    if (c->counting[along].module)
        return;
    struct weft_kernel_request q = {.kernel = c->meta->name,
                                    .options = weft_format("%s -weft-count", c->build->options),
                                    .vector_width = 1,
                                    .level = WEFT_LEVEL_QUICK,
                                    .variant = along ? WEFT_VARIANT_DIM + along : WEFT_VARIANT_SCALAR,
                                    .bitcode = c->build->object.bitcode,
                                    .bitcode_size = c->build->object.bitcode_size};
    if (!q.options)
        return;
    struct weft_buf request = {0};
    uint8_t *answer = NULL;
    size_t size;
    char *why = NULL;
    weft_kernel_request_put(&request, &q);
    if (weft_compiler_ask(WEFT_MSG_KERNEL, &request, WEFT_MSG_KERNEL_CODE, weft_code_asked_priority(c),
                          &answer, &size, &why) == WEFT_OK)
        load(c, along, answer, size);
    weft_buf_free(&request);
    weft_free((char *)(uintptr_t)q.options);
    weft_free(answer);
    weft_free(why);
}

unsigned weft_counting_dimension(const struct weft_kernel_code *c, const struct weft_kernel_info *info)
{
    for (uint32_t v = WEFT_VARIANT_DIM + 1; v < WEFT_VARIANT_SCALAR; v++)
        if (info &&
            atomic_load_explicit(&c->variants[v - WEFT_VARIANT_DIM].info, memory_order_relaxed) == info)
            return weft_variant_dimension(v);
    return weft_variant_dimension((uint32_t)weft_config_uint(WEFT_CFG_VARIANT)); // the kernel's own code
}

void weft_counting_free(struct weft_kernel_code *c)
{
    for (size_t d = 0; d < WEFT_COUNT_OF(c->counting); d++)
        weft_module_unload(c->counting[d].module);
}
