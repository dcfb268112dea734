// Accesses of images, for BOUNDS: what is outside of the image where the sampler doesn't say what is there.
//
//     v = read_imagef(im, s, c)
//         ->  if ((s & ADDRESSING) == NONE && c is outside of im)
//                 weft.check.texel(im, x and y, z and level, how);
//             v = read_imagef(im, s, c)
//
// The access itself is done in any case: built-in functions touch no memory outside of an image. Samplers
// that say what is outside, and levels of detail, which are clamped, are left alone. Of a sampler that is an
// argument its number is looked at when the kernel runs.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "weft/image.h"

// What a built-in function accesses, by its mangled name.
struct texel {
    uint32_t how; // a set of WEFT_TEXEL_*
    unsigned dims;
    bool sampled;
};

static bool skip(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

// "_Z11read_imagef20ocl_image2d_array_ro11ocl_samplerDv4_f". False: it is something else.
static bool parse(const char *name, struct texel *t)
{
    *t = (struct texel){0};
    if (!skip(&name, "_Z"))
        return false;
    char *end;
    const unsigned long length = strtoul(name, &end, 10);
    name = end;
    if (strlen(name) < length)
        return false;
    const char *parameters = name + length;
    if (skip(&name, "write_image"))
        t->how |= WEFT_TEXEL_WRITE;
    else if (!skip(&name, "read_image"))
        return false;
    strtoul(parameters, &end, 10);
    parameters = end;
    if (!skip(&parameters, "ocl_image") || *parameters < '1' || *parameters > '3')
        return false;
    t->dims = (unsigned)(*parameters - '0');
    parameters += strlen("1d");
    if (skip(&parameters, "_array"))
        t->how |= WEFT_TEXEL_LAYERS;
    while (*parameters && !skip(&parameters, "_ro") && !skip(&parameters, "_wo") && !skip(&parameters, "_rw"))
        parameters++;
    t->sampled = skip(&parameters, "11ocl_sampler");
    if (strncmp(parameters, "Dv2_", 4) == 0 || strncmp(parameters, "Dv4_", 4) == 0)
        parameters += 4;
    if (skip(&parameters, "f"))
        t->how |= WEFT_TEXEL_FLOAT;
    else if (!skip(&parameters, "i"))
        return false;
    // A level of a sampled read, or gradients, are clamped: of which level the coordinates are isn't known.
    if (t->sampled)
        return *parameters == '\0';
    if (*parameters == 'i' && (!(t->how & WEFT_TEXEL_WRITE) || parameters[1]))
        t->how |= WEFT_TEXEL_LEVEL;
    return !(t->how & WEFT_TEXEL_FLOAT);
}

// ---- comparisons, at the builder's position ----

// A number of the image's descriptor. It is the driver's, so it is written.
static LLVMValueRef load(const struct weftc_check_marker *m, LLVMValueRef image, size_t offset, bool is_float)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(m->c);
    LLVMTypeRef type = is_float ? LLVMFloatTypeInContext(m->c) : LLVMInt32TypeInContext(m->c);
    LLVMValueRef at = weftc_i64(m->c, offset);
    LLVMValueRef number = LLVMBuildLoad2(m->b, type, LLVMBuildGEP2(m->b, i8, image, &at, 1, ""), "");
    LLVMSetAlignment(number, 4);
    weftc_check_not_followed(number);
    return number;
}

static LLVMValueRef element(const struct weftc_check_marker *m, LLVMValueRef coordinates, unsigned d)
{
    if (LLVMGetTypeKind(LLVMTypeOf(coordinates)) != LLVMVectorTypeKind)
        return coordinates;
    return LLVMBuildExtractElement(m->b, coordinates, weftc_i32(m->c, d), "");
}

static LLVMValueRef is_from(const struct weftc_check_marker *m, LLVMValueRef x, double low, LLVMValueRef end)
{
    LLVMValueRef least = LLVMConstReal(LLVMFloatTypeInContext(m->c), low);
    return LLVMBuildAnd(m->b, LLVMBuildFCmp(m->b, LLVMRealOGE, x, least, ""),
                        LLVMBuildFCmp(m->b, LLVMRealOLT, x, end, ""), "");
}

// normalized: i1; NULL: no.
static LLVMValueRef is_in_direction(const struct weftc_check_marker *m, const struct texel *t,
                                    LLVMValueRef image, LLVMValueRef x, unsigned d, LLVMValueRef normalized)
{
    if (!(t->how & WEFT_TEXEL_FLOAT)) {
        LLVMValueRef size = load(m, image, offsetof(struct weft_image, size) + 4 * (size_t)d, false);
        return LLVMBuildICmp(m->b, LLVMIntULT, x, size, "");
    }
    LLVMValueRef end = load(m, image, offsetof(struct weft_image, extent) + 4 * (size_t)d, true);
    LLVMValueRef one = LLVMConstReal(LLVMFloatTypeInContext(m->c), 1);
    return is_from(m, x, 0, normalized ? LLVMBuildSelect(m->b, normalized, one, end, "") : end);
}

// The nearest layer is meant.
static LLVMValueRef is_layer(const struct weftc_check_marker *m, const struct texel *t, LLVMValueRef image,
                             LLVMValueRef x)
{
    LLVMValueRef layers = load(m, image, offsetof(struct weft_image, layers), false);
    if (!(t->how & WEFT_TEXEL_FLOAT))
        return LLVMBuildICmp(m->b, LLVMIntULT, x, layers, "");
    LLVMTypeRef f32 = LLVMFloatTypeInContext(m->c);
    LLVMValueRef end =
        LLVMBuildFSub(m->b, LLVMBuildSIToFP(m->b, layers, f32, ""), LLVMConstReal(f32, 0.5), "");
    return is_from(m, x, -0.5, end);
}

// The descriptor of the level; *is: the image has it.
static LLVMValueRef level_of(const struct weftc_check_marker *m, LLVMValueRef image, LLVMValueRef level,
                             LLVMValueRef *is)
{
    LLVMValueRef levels = load(m, image, offsetof(struct weft_image, levels), false);
    *is = LLVMBuildICmp(m->b, LLVMIntULT, level, levels, "");
    LLVMValueRef there = LLVMBuildSelect(m->b, *is, level, weftc_i32(m->c, 0), "");
    LLVMValueRef bytes = LLVMBuildMul(m->b, LLVMBuildZExt(m->b, there, LLVMInt64TypeInContext(m->c), ""),
                                      weftc_i64(m->c, sizeof(struct weft_image)), "");
    return LLVMBuildGEP2(m->b, LLVMInt8TypeInContext(m->c), image, &bytes, 1, "");
}

// Two numbers of 32 bits as one of 64. high NULL: 0.
static LLVMValueRef pair(const struct weftc_check_marker *m, LLVMValueRef low, LLVMValueRef high)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->c), i64 = LLVMInt64TypeInContext(m->c);
    LLVMValueRef both = LLVMBuildZExt(m->b, LLVMBuildBitCast(m->b, low, i32, ""), i64, "");
    if (!high)
        return both;
    high = LLVMBuildZExt(m->b, LLVMBuildBitCast(m->b, high, i32, ""), i64, "");
    return LLVMBuildOr(m->b, both, LLVMBuildShl(m->b, high, weftc_i64(m->c, 32), ""), "");
}

// ---- calls ----

static void report(const struct weftc_check_marker *m, LLVMValueRef i, LLVMValueRef xy, LLVMValueRef zl,
                   uint32_t how)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->c), i64 = LLVMInt64TypeInContext(m->c);
    LLVMValueRef image = LLVMGetOperand(i, 0);
    LLVMTypeRef params[] = {LLVMTypeOf(image), i64, i64, i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->c), params, WEFT_COUNT_OF(params), false);
    LLVMValueRef f = weftc_check_declare(m->module, WEFTC_CHECK_TEXEL, type);
    weftc_add_attribute(f, 1, "nocapture", 0);
    LLVMValueRef arguments[] = {image, xy, zl, weftc_i32(m->c, how)};
    LLVMBuildCall2(m->b, type, f, arguments, WEFT_COUNT_OF(arguments), "");
}

void weftc_check_mark_coordinates(const struct weftc_check_marker *m, LLVMValueRef i)
{
    struct texel t;
    LLVMValueRef f = weftc_callee(i);
    if (!f || LLVMIsDeclaration(f) || !parse(LLVMGetValueName(f), &t))
        return;
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(i));
    LLVMPositionBuilderBefore(m->b, i);
    const unsigned count = t.dims + (t.how & WEFT_TEXEL_LAYERS ? 1 : 0);
    for (unsigned d = 0; d < count; d++)
        weftc_check_mark_used(m, element(m, LLVMGetOperand(i, t.sampled ? 2 : 1), d));
}

void weftc_check_mark_texel(const struct weftc_check_marker *m, LLVMValueRef i)
{
    struct texel t;
    LLVMValueRef f = weftc_callee(i);
    if (!f || LLVMIsDeclaration(f) || !parse(LLVMGetValueName(f), &t))
        return;
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(i));
    LLVMPositionBuilderBefore(m->b, i);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(m->c), i64 = LLVMInt64TypeInContext(m->c);
    LLVMValueRef image = LLVMGetOperand(i, 0), in = LLVMConstInt(i1, 1, false), asks = in, normalized = NULL;
    LLVMValueRef coordinates = LLVMGetOperand(i, t.sampled ? 2 : 1), number[4] = {NULL};
    if (t.sampled) {
        LLVMValueRef sampler = LLVMBuildPtrToInt(m->b, LLVMGetOperand(i, 1), i64, "");
        LLVMValueRef mode = LLVMBuildAnd(m->b, sampler, weftc_i64(m->c, WEFT_SAMPLER_ADDRESSING), "");
        asks = LLVMBuildICmp(m->b, LLVMIntEQ, mode, weftc_i64(m->c, WEFT_SAMPLER_NONE), "");
        normalized = LLVMBuildAnd(m->b, sampler, weftc_i64(m->c, WEFT_SAMPLER_NORMALIZED), "");
        normalized = LLVMBuildICmp(m->b, LLVMIntNE, normalized, weftc_i64(m->c, 0), "");
    }
    if (LLVMIsAConstantInt(asks) && !LLVMConstIntGetZExtValue(asks))
        return;
    if (t.how & WEFT_TEXEL_LEVEL) {
        number[3] = LLVMGetOperand(i, 2);
        image = level_of(m, image, number[3], &in);
    }
    for (unsigned d = 0; d < t.dims; d++) {
        number[d] = element(m, coordinates, d);
        in = LLVMBuildAnd(m->b, in, is_in_direction(m, &t, image, number[d], d, normalized), "");
    }
    if (t.how & WEFT_TEXEL_LAYERS) {
        number[t.dims] = element(m, coordinates, t.dims);
        in = LLVMBuildAnd(m->b, in, is_layer(m, &t, image, number[t.dims]), "");
    }
    LLVMValueRef wrong = LLVMBuildAnd(m->b, asks, LLVMBuildNot(m->b, in, ""), "");
    LLVMValueRef xy = pair(m, number[0], number[1]);
    LLVMValueRef zl = pair(m, number[2] ? number[2] : weftc_i32(m->c, 0), number[3]);
    LLVMBasicBlockRef instead;
    // The access is done in any case, so the branch is around nothing.
    LLVMValueRef nothing = LLVMBuildFreeze(m->b, wrong, "");
    weftc_check_branch_around(m, nothing, wrong, &instead);
    report(m, i, xy, zl, t.how | t.dims);
    LLVMInstructionEraseFromParent(nothing);
}
