// The number of sub-groups in a work-group that a module of SPIR-V demands of its kernels, which the translator of LLVM 15 drops.
// SPIR-V 1.6 §3.6 (execution modes). Stateless.
#include <string.h>

#include "spirv_lower.h"

static void require_sub_groups(LLVMModuleRef module, const char *name, uint32_t number)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f || LLVMGetFunctionCallConv(f) != LLVMSPIRKERNELCallConv)
        return;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMMetadataRef value = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), number, false));
    unsigned kind = LLVMGetMDKindIDInContext(c, WEFTC_SUB_GROUPS_KIND, sizeof WEFTC_SUB_GROUPS_KIND - 1);
    LLVMGlobalSetMetadata(f, kind, LLVMMDNodeInContext2(c, &value, 1));
}

// Of all entry points that the function is: the translator leaves one of them.
static void require_of_all(const uint32_t *words, size_t count, uint32_t id, LLVMModuleRef module,
                           uint32_t number)
{
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < count; at += words[at] >> 16) {
        const uint32_t *i = words + at;
        uint32_t n = i[0] >> 16;
        if (opcode_of(i[0]) == OP_ENTRY_POINT && n > 3 && i[2] == id &&
            memchr(i + 3, '\0', (n - 3) * sizeof *i))
            require_sub_groups(module, (const char *)(i + 3), number);
    }
}

weft_status weftc_spirv_apply_modes(const uint32_t *words, size_t count, LLVMModuleRef module,
                                    struct weft_buf *log)
{
    struct weft_spirv_constants constants = {0};
    weft_status status = WEFT_OK;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < count && status == WEFT_OK; at += words[at] >> 16) {
        const uint32_t *i = words + at;
        uint32_t op = opcode_of(i[0]), number = 0;
        if (i[0] >> 16 != 4 || (op != OP_EXECUTION_MODE && op != OP_EXECUTION_MODE_ID))
            continue;
        if (i[2] == MODE_SUB_GROUPS && op == OP_EXECUTION_MODE)
            number = i[3];
        else if (i[2] != MODE_SUB_GROUPS_ID || op != OP_EXECUTION_MODE_ID)
            continue;
        else if (!weft_spirv_find_constants(words, count, &constants))
            status = WEFT_NO_MEMORY;
        else
            (void)weft_spirv_number(&constants, i[3], &number);
        if (status == WEFT_OK && !number) { // not to be taken for no demand
            weft_buf_puts(log, "error: how many sub-groups a work-group has isn't a constant above 0\n");
            status = WEFT_BUILD_FAILED;
        }
        if (status == WEFT_OK)
            require_of_all(words, count, i[1], module, number);
    }
    weft_free(constants.found);
    return status;
}
