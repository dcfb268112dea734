// Execution modes that llvm-spirv for LLVM 15 drops: the number of sub-groups that a kernel requires in a
// work-group, and which kernels are initializers or finalizers of the program's variables. SPIR-V 1.6 §3.6
// (execution modes). Stateless.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/module_facts.h"
#include "compiler/spirv/downgrade.h"
#include "compiler/spirv/spirv.h"

static bool note(LLVMModuleRef module, const char *name, enum weftc_fact kind, uint32_t number,
                 struct weft_buf *log)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f || LLVMGetFunctionCallConv(f) != LLVMSPIRKERNELCallConv)
        return true;
    bool first = kind == WEFTC_INITIALIZER_KIND, last = kind == WEFTC_FINALIZER_KIND;
    if ((first || last) && LLVMCountParams(f)) {
        weft_buf_printf(log, "error: kernel '%s' is %s, which can't have arguments\n", name,
                        first ? "an initializer" : "a finalizer");
        return false;
    }
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMMetadataRef value = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(c), number, false));
    unsigned id = weftc_fact_kind(c, kind);
    LLVMGlobalSetMetadata(f, id, LLVMMDNodeInContext2(c, &value, 1));
    return true;
}

struct modes {
    const uint32_t *words;
    size_t count;
    struct weft_spirv_constants constants;
    LLVMModuleRef module;
    struct weft_buf *log;
};

// Sets the metadata for all entry points of the function: the translator keeps one of them.
static weft_status note_entry_points(const struct modes *m, uint32_t id, enum weftc_fact kind,
                                     uint32_t number)
{
    bool ok = true;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < m->count; at += m->words[at] >> 16) {
        const uint32_t *i = m->words + at;
        uint32_t n = i[0] >> 16;
        if (opcode_of(i[0]) == OP_ENTRY_POINT && n > 3 && i[2] == id &&
            memchr(i + 3, '\0', (n - 3) * sizeof *i))
            ok = note(m->module, (const char *)(i + 3), kind, number, m->log) && ok;
    }
    return ok ? WEFT_OK : WEFT_BUILD_FAILED;
}

static weft_status require_sub_groups(const struct modes *m, uint32_t id, uint32_t number)
{
    if (number)
        return note_entry_points(m, id, WEFTC_SUB_GROUPS_KIND, number);
    // 0 is an error here, since later stages take it for "no requirement".
    weft_buf_puts(
        m->log,
        "error: the number of sub-groups in a work-group (SubgroupsPerWorkgroup) isn't a constant above 0\n");
    return WEFT_BUILD_FAILED;
}

static weft_status apply(struct modes *m, const uint32_t *i, uint32_t n)
{
    uint32_t op = opcode_of(i[0]), number;
    if (op == OP_EXECUTION_MODE && n == 3 && i[2] == MODE_INITIALIZER)
        return note_entry_points(m, i[1], WEFTC_INITIALIZER_KIND, 1);
    if (op == OP_EXECUTION_MODE && n == 3 && i[2] == MODE_FINALIZER)
        return note_entry_points(m, i[1], WEFTC_FINALIZER_KIND, 1);
    if (op == OP_EXECUTION_MODE && n == 4 && i[2] == MODE_SUB_GROUPS)
        return require_sub_groups(m, i[1], i[3]);
    if (op != OP_EXECUTION_MODE_ID || n != 4 || i[2] != MODE_SUB_GROUPS_ID)
        return WEFT_OK;
    if (!weft_spirv_find_constants(m->words, m->count, &m->constants))
        return WEFT_NO_MEMORY;
    (void)weft_spirv_number(&m->constants, i[3], &number);
    return require_sub_groups(m, i[1], number);
}

weft_status weftc_spirv_apply_modes(const uint32_t *words, size_t count, LLVMModuleRef module,
                                    struct weft_buf *log)
{
    struct modes m = {.words = words, .count = count, .module = module, .log = log};
    weft_status status = WEFT_OK;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < count && status == WEFT_OK; at += words[at] >> 16)
        status = apply(&m, words + at, words[at] >> 16);
    weft_free(m.constants.found);
    return status;
}
