// The layout of private memory over the lanes. Each lane has its own copy of an alloca. If every access is a
// plain load or store of elements of one size, the copies are interleaved (SoA): the same element of all
// lanes lies together, so that an access at a uniform index is one vector access. Otherwise each lane has a
// block of its own.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"

weft_status weftc_shapes_privates(struct weftc_shapes *s)
{
    uint32_t count = 0;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(s->flow.function);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i))
            count++;
    s->privates = weft_alloc_array((size_t)count + 1, sizeof *s->privates);
    if (!s->privates)
        return WEFT_NO_MEMORY;
    struct weftc_plain at = {.layout = s->layout};
    weft_status status = WEFT_OK;
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i && status == WEFT_OK;
         i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        uint64_t size = LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(i));
        uint64_t align = LLVMGetAlignment(i);
        bool soa = weftc_only_plain(&at, i) && size % at.element == 0;
        struct weftc_private *p = &s->privates[s->private_count];
        *p = (struct weftc_private){.memory = i,
                                    .layout = soa ? WEFTC_LAYOUT_SOA : WEFTC_LAYOUT_BLOCKED,
                                    .stride = soa ? at.element : (size + align - 1) & ~(align - 1)};
        for (size_t k = 0; k < (soa ? at.count : 1); k++)
            if (!weftc_map_put(&s->private_of, soa ? at.pointers[k] : i, s->private_count))
                status = WEFT_NO_MEMORY;
        s->private_count++;
    }
    weft_free(at.pointers);
    return status;
}

const struct weftc_private *weftc_is_soa(const struct weftc_shapes *s, LLVMValueRef pointer)
{
    uint32_t at = weftc_map_get(&s->private_of, pointer);
    return at != UINT32_MAX && s->privates[at].layout == WEFTC_LAYOUT_SOA ? &s->privates[at] : NULL;
}

uint64_t weftc_shapes_private_bytes(const struct weftc_shapes *s)
{
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < s->private_count; p++)
        bytes += LLVMABISizeOfType(s->layout, LLVMGetAllocatedType(s->privates[p].memory));
    return bytes;
}
