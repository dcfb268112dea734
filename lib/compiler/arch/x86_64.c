// x86-64: SSE2 and later, AVX2, and AVX-512.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"

// ---- what a processor has ----

static const char *const levels[] = {NULL, "x86-64", "x86-64-v2", "x86-64-v3"};

static bool is_one_of(const char *cpu, const char *const *names)
{
    while (*names && strcmp(cpu, *names) != 0)
        names++;
    return *names != NULL;
}

// AMD's before Zen 2 compute in 128 bits.
static const char *const of_128_bits[] = {"znver1", "bdver4", "bdver3", "bdver2", "bdver1", "btver2", NULL};

// Are words gathered by an instruction that isn't slower than single loads? AMD's before Zen 4 are.
static bool gathers(const char *cpu, const char *features)
{
    static const char *const slow[] = {"znver1", "znver2", "znver3", "bdver4", NULL};
    return !is_one_of(cpu, slow) && strstr(features, "+avx2") != NULL;
}

static unsigned permutes(const struct weftc_target *t)
{
    unsigned p = weftc_target_has(t, "ssse3") ? WEFTC_PERMUTES_16_BYTES : 0;
    p |= weftc_target_has(t, "avx2") ? WEFTC_PERMUTES_8_WORDS : 0;
    p |= gathers(t->cpu, t->features) ? WEFTC_PERMUTES_MEMORY : 0;
    if (!weftc_target_has(t, "avx512f"))
        return p;
    p |= WEFTC_PERMUTES_512 | WEFTC_PERMUTES_512_WINDOWS;
    p |= weftc_target_has(t, "avx512bw") ? WEFTC_PERMUTES_512_SHORTS : 0;
    return p | (weftc_target_has(t, "avx512vbmi") ? WEFTC_PERMUTES_512_BYTES : 0);
}

// LLVM takes gathers of AVX2 apart for some of the processors where they are no slower than single loads, and
// branches for each lane where they are masked. On Haswell a gather of 8 words takes 12 cycles; its
// successors, which may run code that is made for it, take 5 to 8.
static const char *more_features(const char *cpu, const char *features)
{
    return gathers(cpu, features) ? "+fast-gather" : NULL;
}

static void describe(struct weftc_target *t)
{
    const bool avx512 = weftc_target_has(t, "avx512f");
    t->native_width = avx512 ? 16 : weftc_target_has(t, "avx2") ? 8 : 4;
    t->vector_registers = avx512 ? 32 : 16;
    t->permutes = permutes(t);
    t->has_mask_registers = avx512;
    t->halves_registers = !avx512 && is_one_of(t->cpu, of_128_bits);
    t->has_broadcast_operands = avx512;
    t->has_fma = weftc_target_has(t, "fma");
    t->fuses = t->has_fma || weftc_target_has(t, "fma4");
    t->has_fp16 = weftc_target_has(t, "avx512fp16");
    t->converts_halves = weftc_target_has(t, "f16c") || avx512;
    // All processors but one line, Xeon Phi, have the three together.
    t->has_math_primitives = avx512 && weftc_target_has(t, "avx512vl") && weftc_target_has(t, "avx512dq");
    t->has_estimates = true; // SSE
    t->converts_into_old_vector = true;
}

// ---- prices ----

static const char *instruction(const struct weftc_target *t, enum weftc_operation o)
{
    // By register: of 128 bits without AVX, of 256, and of 512 bits.
    static const char *const names[WEFTC_OPERATION_COUNT][3] = {
        [WEFTC_GATHER_4] = {NULL, "VGATHERDPSrm", "VGATHERDPSZ128rm"},
        [WEFTC_GATHER_8] = {NULL, "VGATHERDPSYrm", "VGATHERDPSZ256rm"},
        [WEFTC_GATHER_16] = {NULL, NULL, "VGATHERDPSZrm"},
        [WEFTC_SCATTER_4] = {NULL, NULL, "VSCATTERDPSZ128mr"},
        [WEFTC_SCATTER_8] = {NULL, NULL, "VSCATTERDPSZ256mr"},
        [WEFTC_SCATTER_16] = {NULL, NULL, "VSCATTERDPSZmr"},
        [WEFTC_DIVIDE_FLOAT] = {"DIVPSrr", "VDIVPSYrr", "VDIVPSZrr"},
        [WEFTC_DIVIDE_DOUBLE] = {"DIVPDrr", "VDIVPDYrr", "VDIVPDZrr"},
        [WEFTC_ROOT_FLOAT] = {"SQRTPSr", "VSQRTPSYr", "VSQRTPSZr"},
        [WEFTC_ROOT_DOUBLE] = {"SQRTPDr", "VSQRTPDYr", "VSQRTPDZr"},
        [WEFTC_MULTIPLY_INT] = {"PMULLDrr", "VPMULLDYrr", "VPMULLDZrr"},
        [WEFTC_SHUFFLE] = {"PUNPCKHDQrr", "VPUNPCKHDQYrr", "VPERMT2DZrr"},
    };
    return names[o][t->native_width / 8];
}

static bool measured(const struct weftc_target *t, enum weftc_operation o, struct weftc_price *out)
{
    static const struct weftc_price none;
    // LLVM's models of Zen have a gather for that of a load, or for a hundred cycles. Measured on Zen 4:
    // one of 4, 8 and 16 elements from the first cache takes 5, 8 and 17 to 21 cycles, and its result is
    // there after 15, 21 and 32. A scatter of 8 and 16 takes 13 and 22.
    static const struct weftc_price zen[WEFTC_OPERATION_COUNT] = {
        [WEFTC_GATHER_4] = {62, 20},  [WEFTC_GATHER_8] = {84, 40},  [WEFTC_GATHER_16] = {128, 80},
        [WEFTC_SCATTER_4] = {24, 24}, [WEFTC_SCATTER_8] = {24, 48}, [WEFTC_SCATTER_16] = {24, 96}};
    // The model of Golden Cove has divisions that begin in each cycle, and scatters that are too fast.
    // Measured on Sapphire Rapids, by register of 256 and of 512 bits: division of floats 5 and 10 cycles,
    // of doubles 8 and 16, square roots of floats 6 and 12, of doubles 12 and 24, a scatter of 8 and 16 7
    // and 14.5.
    static const struct weftc_price golden_cove[2][WEFTC_OPERATION_COUNT] = {
        {[WEFTC_DIVIDE_FLOAT] = {44, 20},
         [WEFTC_DIVIDE_DOUBLE] = {56, 32},
         [WEFTC_ROOT_FLOAT] = {48, 24},
         [WEFTC_ROOT_DOUBLE] = {72, 48}},
        {[WEFTC_DIVIDE_FLOAT] = {68, 40},
         [WEFTC_DIVIDE_DOUBLE] = {92, 64},
         [WEFTC_ROOT_FLOAT] = {76, 48},
         [WEFTC_ROOT_DOUBLE] = {124, 96},
         [WEFTC_SCATTER_4] = {48, 16},
         [WEFTC_SCATTER_8] = {48, 29},
         [WEFTC_SCATTER_16] = {76, 58}}};
    static const char *const golden[] = {
        "alderlake",   "raptorlake",     "meteorlake",    "arrowlake",     "arrowlake-s",     "lunarlake",
        "pantherlake", "sapphirerapids", "emeraldrapids", "graniterapids", "graniterapids-d", NULL};
    // Zen's first computes in 128 bits. What moves words from one half of a register to the other takes 4.5
    // cycles; the model has a third of one. Of the shuffles that take words apart a third do so.
    static const struct weftc_price across_halves = {16, 10};
    const struct weftc_price *p = strcmp(t->cpu, "znver1") == 0 && o == WEFTC_SHUFFLE ? &across_halves
                                  : strncmp(t->cpu, "znver", strlen("znver")) == 0    ? &zen[o]
                                  : is_one_of(t->cpu, golden) ? &golden_cove[t->native_width == 16][o]
                                                              : &none;
    if (p->work == 0)
        return false;
    *out = *p;
    return true;
}

// ---- single instructions ----

static LLVMValueRef all_of(LLVMTypeRef vector, uint64_t number)
{
    LLVMValueRef elements[64];
    const unsigned count = LLVMGetVectorSize(vector);
    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstInt(LLVMGetElementType(vector), number, false);
    return LLVMConstVector(elements, count);
}

static LLVMValueRef permute(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high,
                            LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(low);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type)), lanes = LLVMGetVectorSize(type);
    LLVMValueRef one[] = {low, index}, two[] = {low, index, high};
    if (bits * lanes == 512)
        return high ? weftc_target_intrinsic(module, b,
                                             bits == 8    ? "llvm.x86.avx512.vpermi2var.qi.512"
                                             : bits == 16 ? "llvm.x86.avx512.vpermi2var.hi.512"
                                             : bits == 32 ? "llvm.x86.avx512.vpermi2var.d.512"
                                                          : "llvm.x86.avx512.vpermi2var.q.512",
                                             NULL, two, 3)
                    : weftc_target_intrinsic(module, b,
                                             bits == 8    ? "llvm.x86.avx512.permvar.qi.512"
                                             : bits == 16 ? "llvm.x86.avx512.permvar.hi.512"
                                             : bits == 32 ? "llvm.x86.avx512.permvar.si.512"
                                                          : "llvm.x86.avx512.permvar.di.512",
                                             NULL, one, 2);
    if (high)
        return NULL;
    if (bits == 32 && lanes == 8)
        return weftc_target_intrinsic(module, b, "llvm.x86.avx2.permd", NULL, one, 2);
    if (bits != 8 || lanes != 16)
        return NULL;
    // The highest bit of an index would make the byte 0.
    one[1] = LLVMBuildAnd(b, index, all_of(type, 15), "");
    return weftc_target_intrinsic(module, b, "llvm.x86.ssse3.pshuf.b.128", NULL, one, 2);
}

static LLVMValueRef expand(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef vector, LLVMValueRef mask)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMValueRef arguments[] = {vector, LLVMConstNull(type), mask};
    return weftc_target_intrinsic(module, b, "llvm.x86.avx512.mask.expand", type, arguments, 3);
}

static LLVMValueRef deposit_bits(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef bits,
                                 LLVMValueRef places)
{
    LLVMValueRef arguments[] = {bits, places};
    return weftc_target_intrinsic(module, b, "llvm.x86.bmi.pdep.32", NULL, arguments, 2);
}

// Non-temporal stores are the only ones that aren't seen in their order.
static void nontemporal_fence(LLVMModuleRef module, LLVMBuilderRef b)
{
    weftc_target_intrinsic(module, b, "llvm.x86.sse.sfence", NULL, NULL, 0);
}

// ---- math primitives: AVX-512, in 128 to 512 bits; estimates of floats on all processors ----

enum form {
    UNARY,       // (x, passthrough, mask, rounding)
    UNARY_PLAIN, // (x, passthrough, mask)
    UNARY_CODE,  // (x, code, passthrough, mask, rounding)
    BINARY,      // (x, y, passthrough, mask, rounding)
};

static const struct row {
    const char *intrinsic; // without type and width
    enum form form;
    unsigned code;
} rows[] = {
    [WEFTC_MATH_SCALE] = {"llvm.x86.avx512.mask.scalef", BINARY, 0},
    [WEFTC_MATH_EXPONENT] = {"llvm.x86.avx512.mask.getexp", UNARY, 0},
    [WEFTC_MATH_MANTISSA] = {"llvm.x86.avx512.mask.getmant", UNARY_CODE, 4},
    [WEFTC_MATH_LOG_MANTISSA] = {"llvm.x86.avx512.mask.getmant", UNARY_CODE, 15},
    [WEFTC_MATH_RSQRT] = {"llvm.x86.avx512.rsqrt14", UNARY_PLAIN, 0},
    [WEFTC_MATH_RECIPROCAL] = {"llvm.x86.avx512.rcp14", UNARY_PLAIN, 0},
};

static void math_lanes(const struct weftc_target *t, enum weftc_math primitive, bool is_double, unsigned *min,
                       unsigned *max)
{
    if (!t->has_math_primitives) {
        *min = 4;
        *max = weftc_target_has(t, "avx") ? 8 : 4;
        return;
    }
    *min = primitive == WEFTC_MATH_LOOKUP ? 8 : is_double ? 2 : 4;
    *max = is_double ? 8 : 16;
}

// Without AVX-512. Subnormal operands count as 0, and reciprocals that are subnormal are 0.
static LLVMValueRef estimate(LLVMModuleRef module, LLVMBuilderRef b, enum weftc_math primitive,
                             LLVMValueRef x)
{
    const bool wide = LLVMGetVectorSize(LLVMTypeOf(x)) == 8;
    const char *name = primitive == WEFTC_MATH_RSQRT
                           ? wide ? "llvm.x86.avx.rsqrt.ps.256" : "llvm.x86.sse.rsqrt.ps"
                       : wide ? "llvm.x86.avx.rcp.ps.256"
                              : "llvm.x86.sse.rcp.ps";
    return weftc_target_intrinsic(module, b, name, NULL, &x, 1);
}

static LLVMValueRef math(LLVMModuleRef module, LLVMBuilderRef b, const struct weftc_target *t,
                         enum weftc_math primitive, const LLVMValueRef operands[2])
{
    if (!t->has_math_primitives)
        return estimate(module, b, primitive, operands[0]);
    const struct row *row = &rows[primitive];
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    LLVMContextRef c = LLVMGetModuleContext(module);
    const bool is_double = LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMDoubleTypeKind;
    const unsigned lanes = LLVMGetVectorSize(type), bits = lanes * (is_double ? 64 : 32);
    LLVMValueRef arguments[6];
    unsigned count = 0;
    arguments[count++] = operands[0];
    if (row->form == BINARY)
        arguments[count++] = operands[1];
    if (row->form == UNARY_CODE)
        arguments[count++] = LLVMConstInt(LLVMInt32TypeInContext(c), row->code, false);
    arguments[count++] = LLVMConstNull(type);
    arguments[count++] = LLVMConstAllOnes(LLVMIntTypeInContext(c, lanes > 8 ? lanes : 8));
    if (bits == 512 && row->form != UNARY_PLAIN) // rounding: as the control register says
        arguments[count++] = LLVMConstInt(LLVMInt32TypeInContext(c), 4, false);
    char name[64];
    snprintf(name, sizeof name, "%s.p%c.%u", row->intrinsic, is_double ? 'd' : 's', bits);
    return weftc_target_intrinsic(module, b, name, NULL, arguments, count);
}

static LLVMValueRef table_part(const LLVMValueRef *table, unsigned count)
{
    LLVMValueRef elements[WEFTC_MATH_TABLE];
    for (unsigned k = 0; k < count; k++)
        elements[k] = table[k];
    return LLVMConstVector(elements, count);
}

// A table of 16 floats is one register of 512 bits or two of 256; one of doubles is two of 512.
static LLVMValueRef math_lookup(LLVMModuleRef module, LLVMBuilderRef b,
                                const LLVMValueRef table[WEFTC_MATH_TABLE], LLVMValueRef index)
{
    const bool is_double = LLVMGetTypeKind(LLVMTypeOf(table[0])) == LLVMDoubleTypeKind;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(index)), half = WEFTC_MATH_TABLE / 2;
    if (is_double && LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(index))) < 64)
        index = LLVMBuildZExt(
            b, index, LLVMVectorType(LLVMInt64TypeInContext(LLVMGetModuleContext(module)), lanes), "");
    if (lanes == WEFTC_MATH_TABLE) {
        LLVMValueRef one[] = {table_part(table, WEFTC_MATH_TABLE), index};
        return weftc_target_intrinsic(module, b, "llvm.x86.avx512.permvar.sf.512", NULL, one, 2);
    }
    LLVMValueRef two[] = {table_part(table, half), index, table_part(table + half, half)};
    return weftc_target_intrinsic(
        module, b, is_double ? "llvm.x86.avx512.vpermi2var.pd.512" : "llvm.x86.avx512.vpermi2var.ps.256",
        NULL, two, 3);
}

// ---- dot products of bytes ----

// VNNI: a part of AVX-512, or apart from it, for registers of 256 bits at most.
static bool has_vnni(const struct weftc_target *t)
{
    const bool whole = weftc_target_has(t, "avx512vnni") && weftc_target_has(t, "avx512vl");
    return whole || weftc_target_has(t, "avxvnni");
}

static unsigned dot_lanes(const struct weftc_target *t)
{
    if (has_vnni(t))
        return weftc_target_has(t, "avx512vnni") && t->native_width == 16 ? 16 : 8;
    return weftc_target_has(t, "avx512bw") && t->native_width == 16 ? 16
           : weftc_target_has(t, "avx2")                            ? 8
                                                                    : 4;
}

// Arguments of LLVM's intrinsics have the types that its version wants: words, pairs or bytes.
static LLVMValueRef of_lanes(LLVMModuleRef module, LLVMBuilderRef b, const char *name,
                             LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[3];
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
    LLVMGetParamTypes(LLVMGlobalGetValueType(f), types);
    for (unsigned k = 0; k < count; k++)
        arguments[k] = LLVMBuildBitCast(b, arguments[k], types[k], "");
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

// sum + the dot product of unsigned bytes x with signed bytes y
static LLVMValueRef vnni(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef sum, LLVMValueRef x,
                         LLVMValueRef y)
{
    char name[64];
    snprintf(name, sizeof name, "llvm.x86.avx512.vpdpbusd.%u", 32 * LLVMGetVectorSize(LLVMTypeOf(x)));
    LLVMValueRef arguments[] = {sum, x, y};
    return of_lanes(module, b, name, arguments, 3);
}

// Bytes of the other sign are shifted by 128: x y = (x + 128) y - 128 y, and x y = x (y - 128) + 128 x.
static LLVMValueRef dot_by_vnni(LLVMModuleRef module, LLVMBuilderRef b, struct weftc_dot_signs signs,
                                LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(type), half = all_of(type, 0x80808080);
    if (signs.x) {
        LLVMValueRef shift = vnni(module, b, zero, half, y);
        sum = LLVMBuildSub(b, sum, shift, "");
        return vnni(module, b, sum, LLVMBuildXor(b, x, half, ""), y);
    }
    if (signs.y)
        return vnni(module, b, sum, x, y);
    LLVMValueRef bytes = vnni(module, b, zero, x, all_of(type, 0x01010101));
    sum = LLVMBuildAdd(b, sum, LLVMBuildShl(b, bytes, all_of(type, 7), ""), "");
    return vnni(module, b, sum, x, LLVMBuildXor(b, y, half, ""));
}

// Bytes 0 and 2 (odd: 1 and 3) of each word, as two numbers of 16 bits.
static LLVMValueRef pairs(LLVMBuilderRef b, LLVMValueRef word, bool odd, bool is_signed)
{
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(word));
    LLVMTypeRef type = LLVMVectorType(LLVMInt16TypeInContext(c), 2 * LLVMGetVectorSize(LLVMTypeOf(word)));
    LLVMValueRef pair = LLVMBuildBitCast(b, word, type, ""), by = all_of(type, 8);
    if (!is_signed)
        return odd ? LLVMBuildLShr(b, pair, by, "") : LLVMBuildAnd(b, pair, all_of(type, 255), "");
    return LLVMBuildAShr(b, odd ? pair : LLVMBuildShl(b, pair, by, ""), by, "");
}

static LLVMValueRef dot(LLVMModuleRef module, LLVMBuilderRef b, const struct weftc_target *t,
                        struct weftc_dot_signs signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum)
{
    if (has_vnni(t))
        return dot_by_vnni(module, b, signs, x, y, sum);
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
    const char *name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                       : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                    : "llvm.x86.sse2.pmadd.wd";
    LLVMValueRef halves[2];
    for (int odd = 0; odd < 2; odd++) {
        LLVMValueRef arguments[] = {pairs(b, x, odd, signs.x), pairs(b, y, odd, signs.y)};
        halves[odd] = of_lanes(module, b, name, arguments, 2);
    }
    return LLVMBuildAdd(b, sum, LLVMBuildAdd(b, halves[0], halves[1], ""), "");
}

const struct weftc_target_ops weftc_target_x86_64 = {
    .levels = levels,
    .level_count = sizeof levels / sizeof *levels,
    .needed_feature = "64bit",
    .more_features = more_features,
    .disable_quadratic_pass = "disable-x86-domain-reassignment", // of integers to mask registers
    .machine_combiner = "x86-machine-combiner",
    .describe = describe,
    .instruction = instruction,
    .measured = measured,
    .permute = permute,
    .expand = expand,
    .deposit_bits = deposit_bits,
    .nontemporal_fence = nontemporal_fence,
    .math_lanes = math_lanes,
    .math = math,
    .math_lookup = math_lookup,
    .dot_lanes = dot_lanes,
    .dot = dot,
};
