// Describes a program's kernels for the host. The sources are the metadata that Clang attaches to kernels
// (kernel_arg_*, reqd_work_group_size, ...), and the kernels' parameters. OpenCL 3.0 §5.9.4 (kernel queries),
// §5.9.2 (arguments).
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/ir_hash.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/module_facts.h"
#include "weft/code_object.h"

#define MAX_ALIGN 128u // of an argument: the alignment of the largest built-in type

enum { SPACE_PRIVATE, SPACE_GLOBAL, SPACE_CONSTANT, SPACE_LOCAL, SPACE_GENERIC };

// ---- Reading metadata ----

// Returns operand i as a string, which the caller frees. "" if there is no such operand; NULL if memory is
// exhausted.
static char *operand_string(LLVMValueRef node, unsigned i)
{
    unsigned length = 0;
    LLVMValueRef value = weftc_node_operand(node, i);
    const char *s = value ? LLVMGetMDString(value, &length) : NULL;
    return s ? weft_strndup(s, length) : weft_strdup("");
}

// ---- Arguments ----

// The kernel_arg_* nodes of one kernel.
struct arg_nodes {
    LLVMValueRef space, access, type, base_type, qualifier, name;
};

static uint32_t access_of(const char *s)
{
    if (strcmp(s, "read_only") == 0)
        return WEFT_ACCESS_RO;
    if (strcmp(s, "write_only") == 0)
        return WEFT_ACCESS_WO;
    if (strcmp(s, "read_write") == 0)
        return WEFT_ACCESS_RW;
    return WEFT_ACCESS_NONE;
}

static uint32_t qualifiers_of(const char *s)
{
    static const struct {
        const char *word;
        uint32_t bit;
    } words[] = {{"const", WEFT_TQ_CONST},
                 {"restrict", WEFT_TQ_RESTRICT},
                 {"volatile", WEFT_TQ_VOLATILE},
                 {"pipe", WEFT_TQ_PIPE}};
    uint32_t bits = 0;
    while (*s) {
        size_t length = strcspn(s, " ");
        for (size_t i = 0; i < WEFT_COUNT_OF(words); i++)
            if (length == strlen(words[i].word) && memcmp(s, words[i].word, length) == 0)
                bits |= words[i].bit;
        s += length;
        s += strspn(s, " ");
    }
    return bits;
}

static uint32_t space_of(uint32_t llvm_space)
{
    switch (llvm_space) {
    case SPACE_GLOBAL:
    case SPACE_GENERIC:
        return WEFT_ADDR_GLOBAL;
    case SPACE_CONSTANT:
        return WEFT_ADDR_CONSTANT;
    case SPACE_LOCAL:
        return WEFT_ADDR_LOCAL;
    default:
        return WEFT_ADDR_PRIVATE;
    }
}

// Recognises opaque objects by their type's name. Their IR type depends on the version of LLVM: a target type
// or a pointer.
static uint32_t object_kind(const char *base_type, uint32_t qualifiers)
{
    if (qualifiers & WEFT_TQ_PIPE)
        return WEFT_ARG_PIPE;
    if (strncmp(base_type, "image", 5) == 0 && strstr(base_type, "_t"))
        return WEFT_ARG_IMAGE;
    if (strcmp(base_type, "sampler_t") == 0)
        return WEFT_ARG_SAMPLER;
    if (strcmp(base_type, "queue_t") == 0)
        return WEFT_ARG_QUEUE;
    return 0;
}

// For a structure that is passed by reference to a copy (byval): returns the structure's type. Otherwise
// NULL.
static LLVMTypeRef by_value_type(LLVMValueRef function, unsigned i)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, i + 1, kind);
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

// Maximum number of bytes behind a pointer argument, as SPIR-V declares it (spirv/translate.c). 0: not
// declared.
static uint32_t max_bytes_of(LLVMValueRef function, unsigned i)
{
    LLVMAttributeRef attribute = weftc_fact_attribute(function, i + 1, WEFTC_ATTRIBUTE_MAX_BYTES);
    unsigned length;
    const unsigned long long max =
        attribute ? strtoull(LLVMGetStringAttributeValue(attribute, &length), NULL, 10) : 0;
    return max <= UINT32_MAX ? (uint32_t)max : 0;
}

// Fills kind, size and align.
static weft_status classify(LLVMValueRef function, unsigned i, LLVMTargetDataRef layout,
                            const char *base_type, struct weft_arg_meta *a)
{
    LLVMValueRef parameter = LLVMGetParam(function, i);
    LLVMTypeRef type = LLVMTypeOf(parameter);
    a->size = a->align = 8;
    a->kind = object_kind(base_type, a->type_qual);
    if (a->kind)
        return WEFT_OK;
    LLVMTypeRef copied = by_value_type(function, i);
    if (!copied && LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        switch (LLVMGetPointerAddressSpace(type)) {
        case SPACE_CONSTANT:
            a->kind = WEFT_ARG_CONSTANT;
            return WEFT_OK;
        case SPACE_LOCAL:
            a->kind = WEFT_ARG_LOCAL;
            a->size = 0;
            return WEFT_OK;
        case SPACE_GLOBAL:
        case SPACE_GENERIC:
            a->kind = WEFT_ARG_GLOBAL;
            return WEFT_OK;
        default:
            return WEFT_UNSUPPORTED;
        }
    }
    LLVMTypeRef value = copied ? copied : type;
    uint64_t size = LLVMABISizeOfType(layout, value);
    if (size == 0 || size > UINT32_MAX)
        return WEFT_UNSUPPORTED;
    a->kind = WEFT_ARG_VALUE;
    a->size = (uint32_t)size;
    a->align = LLVMABIAlignmentOfType(layout, value);
    if (a->align > MAX_ALIGN)
        a->align = MAX_ALIGN;
    return WEFT_OK;
}

static weft_status read_arg(LLVMValueRef function, unsigned i, LLVMTargetDataRef layout,
                            const struct arg_nodes *nodes, struct weft_arg_meta *a)
{
    char *access = operand_string(nodes->access, i), *base_type = operand_string(nodes->base_type, i),
         *qualifier = operand_string(nodes->qualifier, i);
    a->name = operand_string(nodes->name, i);
    a->type_name = operand_string(nodes->type, i);
    weft_status status = WEFT_NO_MEMORY;
    if (access && base_type && qualifier && a->name && a->type_name) {
        a->addr_qual = space_of(weftc_node_number(nodes->space, i, SPACE_PRIVATE));
        a->access_qual = access_of(access);
        a->type_qual = qualifiers_of(qualifier);
        a->max_bytes = max_bytes_of(function, i);
        status = classify(function, i, layout, base_type, a);
    }
    weft_free(access);
    weft_free(base_type);
    weft_free(qualifier);
    return status;
}

static weft_status read_args(LLVMValueRef function, LLVMTargetDataRef layout, const struct arg_nodes *nodes,
                             struct weft_kernel_meta *k)
{
    k->arg_count = LLVMCountParams(function);
    if (k->arg_count && !(k->args = weft_alloc_array(k->arg_count, sizeof *k->args)))
        return WEFT_NO_MEMORY;
    size_t end = 0;
    for (uint32_t i = 0; i < k->arg_count; i++) {
        struct weft_arg_meta *a = &k->args[i];
        weft_status status = read_arg(function, i, layout, nodes, a);
        if (status != WEFT_OK)
            return status;
        size_t offset;
        size_t slot = a->kind == WEFT_ARG_VALUE ? a->size : 8;
        if (!weft_align_size(end, a->align, &offset) || !weft_add_size(offset, slot, &end) ||
            end > UINT32_MAX)
            return WEFT_UNSUPPORTED;
        a->offset = (uint32_t)offset;
    }
    if (!weft_align_size(end, 8, &end))
        return WEFT_UNSUPPORTED;
    k->args_size = (uint32_t)end;
    return WEFT_OK;
}

// ---- Attributes ----

// Returns the type's name as in the source, such as "float4" or "uint". "" if it has none; NULL if memory is
// exhausted.
static char *hint_type_name(LLVMTypeRef type, bool is_signed)
{
    unsigned width = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        width = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    const char *name = NULL;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        name = "half";
        break;
    case LLVMFloatTypeKind:
        name = "float";
        break;
    case LLVMDoubleTypeKind:
        name = "double";
        break;
    case LLVMIntegerTypeKind:
        switch (LLVMGetIntTypeWidth(type)) {
        case 8:
            name = is_signed ? "char" : "uchar";
            break;
        case 16:
            name = is_signed ? "short" : "ushort";
            break;
        case 32:
            name = is_signed ? "int" : "uint";
            break;
        case 64:
            name = is_signed ? "long" : "ulong";
            break;
        default:
            break;
        }
        break;
    default:
        break;
    }
    if (!name)
        return weft_strdup("");
    return width == 1 ? weft_strdup(name) : weft_format("%s%u", name, width);
}

static void read_sizes(LLVMValueRef node, const char *name, uint32_t sizes[3], struct weft_buf *text)
{
    if (!node)
        return;
    for (unsigned i = 0; i < 3; i++)
        sizes[i] = weftc_node_number(node, i, 1);
    weft_buf_printf(text, "%s%s(%u,%u,%u)", text->size ? " " : "", name, sizes[0], sizes[1], sizes[2]);
}

static weft_status read_attributes(LLVMContextRef context, LLVMValueMetadataEntry *entries, size_t count,
                                   struct weft_kernel_meta *k)
{
    struct weft_buf text = {0};
    read_sizes(weftc_find_node(context, entries, count, "reqd_work_group_size"), "reqd_work_group_size",
               k->reqd_work_group_size, &text);
    read_sizes(weftc_find_node(context, entries, count, "work_group_size_hint"), "work_group_size_hint",
               k->work_group_size_hint, &text);
    LLVMValueRef hint = weftc_find_node(context, entries, count, "vec_type_hint");
    LLVMValueRef sample = weftc_node_operand(hint, 0);
    if (sample)
        k->vec_type_hint = hint_type_name(LLVMTypeOf(sample), weftc_node_number(hint, 1, 0) != 0);
    else
        k->vec_type_hint = weft_strdup("");
    if (k->vec_type_hint && *k->vec_type_hint)
        weft_buf_printf(&text, "%svec_type_hint(%s)", text.size ? " " : "", k->vec_type_hint);
    LLVMValueRef sub_group = weftc_find_node(context, entries, count, "intel_reqd_sub_group_size");
    if (sub_group) {
        k->reqd_sub_group_size = weftc_node_number(sub_group, 0, 0);
        weft_buf_printf(&text, "%sintel_reqd_sub_group_size(%u)", text.size ? " " : "",
                        k->reqd_sub_group_size);
    }
    LLVMValueRef sub_groups =
        weftc_find_node(context, entries, count, weftc_fact_name(WEFTC_SUB_GROUPS_KIND));
    k->reqd_sub_groups = sub_groups ? weftc_node_number(sub_groups, 0, 0) : 0;
    k->initializes =
        weftc_find_node(context, entries, count, weftc_fact_name(WEFTC_INITIALIZER_KIND)) != NULL;
    k->finalizes = weftc_find_node(context, entries, count, weftc_fact_name(WEFTC_FINALIZER_KIND)) != NULL;
    k->attributes = weft_buf_take(&text, NULL);
    return k->attributes && k->vec_type_hint ? WEFT_OK : WEFT_NO_MEMORY;
}

// ---- Kernels ----

static weft_status read_kernel(LLVMModuleRef module, LLVMValueRef function, struct weft_kernel_meta *k)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    k->name = weft_strndup(name, length);
    if (!k->name)
        return WEFT_NO_MEMORY;
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
    struct arg_nodes nodes = {
        .space = weftc_find_node(context, entries, count, "kernel_arg_addr_space"),
        .access = weftc_find_node(context, entries, count, "kernel_arg_access_qual"),
        .type = weftc_find_node(context, entries, count, "kernel_arg_type"),
        .base_type = weftc_find_node(context, entries, count, "kernel_arg_base_type"),
        .qualifier = weftc_find_node(context, entries, count, "kernel_arg_type_qual"),
        .name = weftc_find_node(context, entries, count, "kernel_arg_name"),
    };
    weft_status status = read_args(function, LLVMGetModuleDataLayout(module), &nodes, k);
    if (status == WEFT_OK)
        status = read_attributes(context, entries, count, k);
    k->uniform_groups = weftc_groups_are_uniform(function);
    k->block = weftc_is_block(function);
    LLVMDisposeValueMetadataEntries(entries);
    return status;
}

static bool is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == LLVMSPIRKERNELCallConv && !LLVMIsDeclaration(function);
}

static uint32_t count_kernels(LLVMModuleRef module)
{
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        n += is_kernel(f);
    return n;
}

// Checks the sum of the arguments' sizes without padding: CL_DEVICE_MAX_PARAMETER_SIZE doesn't count that.
static weft_status check_size(const struct weft_kernel_meta *k, struct weft_buf *log)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->arg_count; i++)
        sum += k->args[i].kind == WEFT_ARG_VALUE ? k->args[i].size : 8;
    if (sum <= WEFT_MAX_PARAMETER_BYTES)
        return WEFT_OK;
    weft_buf_printf(log,
                    "error: kernel '%s' has %llu bytes of arguments; the device accepts at most %u "
                    "(CL_DEVICE_MAX_PARAMETER_SIZE). Pass large data in a buffer.\n",
                    k->name, (unsigned long long)sum, WEFT_MAX_PARAMETER_BYTES);
    return WEFT_BUILD_FAILED;
}

// cl_intel_required_subgroup_size: "the required sub-group size must be one of the sub-group sizes
// supported".
static weft_status check_sub_group(LLVMModuleRef module, const struct weft_kernel_meta *k,
                                   struct weft_buf *log)
{
    static const uint32_t sizes[] = {WEFT_SUB_GROUP_SIZES};
    bool known = k->reqd_sub_group_size == 0;
    for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++)
        known |= k->reqd_sub_group_size == sizes[i];
    if (known)
        return WEFT_OK;
    LLVMValueRef kernel = LLVMGetNamedFunction(module, k->name);
    weft_buf_printf(log,
                    "%serror: kernel '%s' requires sub-groups of %u work-items, but the device supports only",
                    kernel ? weftc_place_of(module, kernel) : "", k->name, k->reqd_sub_group_size);
    for (size_t i = 0; i < WEFT_COUNT_OF(sizes); i++)
        weft_buf_printf(log, "%s %u", i ? "," : "", sizes[i]);
    weft_buf_puts(log, " (CL_DEVICE_SUB_GROUP_SIZES_INTEL).\n");
    return WEFT_BUILD_FAILED;
}

// Warns of a kernel whose local variables exceed what any device has. A launch that needs too much local
// memory fails with CL_OUT_OF_RESOURCES, as the specification says; the warning says so at build time.
// Devices differ in their local memory. For sizes that only some devices have, the host reports the problem.
static void warn_of_local(LLVMModuleRef module, const struct weft_kernel_meta *k, struct weft_buf *log)
{
    if (k->local_static_bytes <= WEFT_LOCAL_MAX)
        return;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    const size_t own = strlen(k->name);
    const char *largest = NULL;
    unsigned long long bytes = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        const unsigned long long size = LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == SPACE_LOCAL
                                            ? LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g))
                                            : 0;
        if (size > bytes && length > own + 1 && name[own] == '.' && memcmp(name, k->name, own) == 0) {
            largest = name + own + 1;
            bytes = size;
        }
    }
    weft_buf_printf(log, "warning: kernel '%s' has %llu bytes of local variables", k->name,
                    (unsigned long long)k->local_static_bytes);
    if (largest)
        weft_buf_printf(log, " ('%s': %llu)", largest, bytes);
    weft_buf_printf(log, ", but no device has more than %u (CL_DEVICE_LOCAL_MEM_SIZE): its launches fail\n",
                    WEFT_LOCAL_MAX);
}

// What each kernel reaches. Two kernels with the same hash get the same code.
static void hash_kernels(LLVMModuleRef module, const LLVMValueRef *kernels, uint32_t count,
                         struct weft_bridge_reach *reach)
{
    const char *const kinds[] = {"reqd_work_group_size", "intel_reqd_sub_group_size",
                                 weftc_fact_name(WEFTC_SUB_GROUPS_KIND)};
    weft_bridge_reach_of(module, kernels, count, kinds, WEFT_COUNT_OF(kinds), reach);
}

weft_status weftc_metadata(LLVMModuleRef module, struct weft_program_object *out, struct weft_buf *log)
{
    uint32_t count = count_kernels(module), n = 0;
    if (count == 0)
        return WEFT_OK;
    struct weft_bridge_reach *reach = NULL;
    weft_status status = WEFT_NO_MEMORY;
    out->kernels = weft_alloc_array(count, sizeof *out->kernels);
    LLVMValueRef *functions = weft_alloc_array(count, sizeof(LLVMValueRef));
    reach = weft_alloc_array(count, sizeof *reach);
    if (!out->kernels || !functions || !reach)
        goto done;
    out->kernel_count = count;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_kernel(f))
            continue;
        functions[n] = f;
        status = read_kernel(module, f, &out->kernels[n]);
        if (status == WEFT_OK)
            status = check_size(&out->kernels[n], log);
        if (status == WEFT_OK)
            status = check_sub_group(module, &out->kernels[n], log);
        n++;
        if (status != WEFT_OK)
            goto done;
    }
    hash_kernels(module, functions, count, reach);
    for (uint32_t i = 0; i < count; i++) {
        struct weft_kernel_meta *k = &out->kernels[i];
        k->hash_lo = reach[i].hash_lo;
        k->hash_hi = reach[i].hash_hi;
        k->local_static_bytes = reach[i].local_bytes;
        k->enqueues = reach[i].enqueues;
        if (out->binary_type == WEFT_BINARY_EXECUTABLE)
            warn_of_local(module, k, log);
    }
done:
    weft_free(functions);
    weft_free(reach);
    return status;
}
