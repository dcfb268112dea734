// Functions that the translator calls but OpenCL C doesn't have. Stateless.
//
// OpGroupBroadcast takes indices of any integer type. OpenCL C's functions take a size_t in a work-group and
// a uint in a sub-group. Functions with other types get a body here that calls these. fmax_common and
// fmin_common are max and min in OpenCL C. Some other names are mangled wrongly. SPIR-V 1.6 §3.52.21, OpenCL
// Extended Instruction Set §2.3.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"
#include "compiler/spirv/spirv.h"

#define MAX_INDICES 3u

struct family {
    const char *prefix; // of the mangled name
    char index;         // mangled type of the index in OpenCL C
    unsigned bits;
};

static const struct family families[] = {{"_Z20work_group_broadcast", 'm', 64},
                                         {"_Z19sub_group_broadcast", 'j', 32}};

static const struct family *family_of(const char *name)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(families); i++)
        if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) == 0)
            return &families[i];
    return NULL;
}

// Returns the number of indices, which follow the value. Returns 0 if all have the right type, or if one
// isn't an integer.
static unsigned other_indices(LLVMValueRef f, const struct family *of)
{
    unsigned count = LLVMCountParams(f), others = 0;
    for (unsigned i = 1; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(f, i));
        if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
            return 0;
        others += LLVMGetIntTypeWidth(type) != of->bits;
    }
    return others && count - 1 <= MAX_INDICES ? count - 1 : 0;
}

// Returns a declaration of the function with indices of the right type, or NULL if memory is exhausted. The
// indices are the last letters of the mangled name, one each.
static LLVMValueRef corrected_function(LLVMModuleRef module, LLVMValueRef f, const struct family *of,
                                       unsigned indices)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    char *right = length > strlen(of->prefix) + indices ? weft_strndup(name, length) : NULL;
    if (!right)
        return NULL;
    memset(right + length - indices, of->index, indices);
    LLVMTypeRef index = LLVMIntTypeInContext(LLVMGetModuleContext(module), of->bits);
    LLVMTypeRef types[1 + MAX_INDICES] = {LLVMTypeOf(LLVMGetParam(f, 0)), index, index, index};
    LLVMValueRef found = LLVMGetNamedFunction(module, right);
    if (!found) {
        found = LLVMAddFunction(
            module, right,
            LLVMFunctionType(LLVMGetReturnType(LLVMGlobalGetValueType(f)), types, 1 + indices, false));
        LLVMSetFunctionCallConv(found, LLVMGetFunctionCallConv(f));
    }
    weft_free(right);
    return found;
}

static void define(LLVMModuleRef module, LLVMValueRef f, LLVMValueRef right, const struct family *of,
                   unsigned indices)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef index = LLVMIntTypeInContext(c, of->bits);
    LLVMValueRef arguments[1 + MAX_INDICES] = {LLVMGetParam(f, 0)};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
    for (unsigned i = 1; i <= indices; i++)
        arguments[i] = LLVMBuildIntCast2(b, LLVMGetParam(f, i), index, false, "");
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(right), right, arguments, 1 + indices, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(right));
    LLVMBuildRet(b, call);
    LLVMDisposeBuilder(b);
    LLVMSetLinkage(f, LLVMInternalLinkage);
}

// Does the module import a function of this name? Then the translator didn't invent it.
static bool is_import(const uint32_t *words, size_t count, const char *name)
{
    size_t size = strlen(name) + 1;
    for (size_t at = WEFT_SPIRV_HEADER_WORDS; at < count; at += words[at] >> 16) {
        const uint32_t *i = words + at;
        uint32_t n = i[0] >> 16;
        if (opcode_of(i[0]) == OP_DECORATE && n > 4 && i[2] == DECORATION_LINKAGE &&
            i[n - 1] == LINKAGE_IMPORT && (n - 4) * sizeof *i >= size && memcmp(i + 3, name, size) == 0)
            return true;
    }
    return false;
}

static weft_status fit_broadcasts(LLVMModuleRef module, const uint32_t *words, size_t count)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const struct family *of = LLVMIsDeclaration(f) ? family_of(LLVMGetValueName(f)) : NULL;
        unsigned indices = of ? other_indices(f, of) : 0;
        if (!indices || is_import(words, count, LLVMGetValueName(f)))
            continue;
        LLVMValueRef right = corrected_function(module, f, of, indices);
        if (!right)
            return WEFT_NO_MEMORY;
        if (LLVMGlobalGetValueType(right) != LLVMGlobalGetValueType(f))
            define(module, f, right, of, indices);
    }
    return WEFT_OK;
}

// Renames a function: replaces the beginning and the end of its name.
static weft_status rename(LLVMModuleRef module, LLVMValueRef f, const char *prefix, size_t old_prefix,
                          const char *end, size_t old_end)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    char *right =
        weft_format("%s%.*s%s", prefix, (int)(length - old_prefix - old_end), name + old_prefix, end);
    if (!right)
        return WEFT_NO_MEMORY;
    LLVMValueRef there = LLVMGetNamedFunction(module, right);
    if (there && LLVMGlobalGetValueType(there) == LLVMGlobalGetValueType(f))
        LLVMReplaceAllUsesWith(f, there);
    else
        LLVMSetValueName2(f, right, strlen(right));
    weft_free(right);
    return WEFT_OK;
}

static const struct {
    const char *prefix, *end, *right_prefix, *right_end; // parts of mangled names
} misnamed[] = {
    {"_Z11fmax_common", "", "_Z3max", ""},
    {"_Z11fmin_common", "", "_Z3min", ""},
    // OpImageWrite with ZeroExtend and Lod: the translator takes the level for the colour.
    {"_Z13write_imageui", "jDv4_i", "_Z13write_imageui", "iDv4_j"},
    {"_Z13write_imageui", "jS0_", "_Z13write_imageui", "iDv4_j"},
};

static weft_status fit_name(LLVMModuleRef module, LLVMValueRef f, const uint32_t *words, size_t count)
{
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    for (size_t i = 0; i < WEFT_COUNT_OF(misnamed); i++) {
        size_t begin = strlen(misnamed[i].prefix), end = strlen(misnamed[i].end);
        if (length >= begin + end && strncmp(name, misnamed[i].prefix, begin) == 0 &&
            strcmp(name + length - end, misnamed[i].end) == 0 && !is_import(words, count, name))
            return rename(module, f, misnamed[i].right_prefix, begin, misnamed[i].right_end, end);
    }
    return WEFT_OK;
}

weft_status weftc_spirv_fit_calls(LLVMModuleRef module, const uint32_t *words, size_t count)
{
    weft_status status = fit_broadcasts(module, words, count);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        if (LLVMIsDeclaration(f))
            status = fit_name(module, f, words, count);
    return status;
}
