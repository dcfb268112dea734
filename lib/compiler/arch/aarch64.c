// AArch64: NEON, with what later versions of the architecture add to it, and SVE where its registers are
// wider than NEON's. It has run under QEMU's user emulation only, never on real hardware.
//
// SVE's registers have a length that code needn't know. Here it is known: vectors of a kernel have as many
// elements as its lanes, and LLVM makes SVE code of them (aarch64-sve-vector-bits-min). Only where it knows
// the exact length does LLVM have instructions for shuffles. At 128 bits it makes NEON code.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include <llvm-c/Core.h>

#include "base/arch/arch.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/codegen.h"

// ---- what a processor has ----

// What the system says that programs may use: the bits of AT_HWCAP and AT_HWCAP2, as Linux defines them.
// LLVM asks for some of them only. What a hypervisor hides isn't there, whatever the processor's name says.
static void host_features(char *out, size_t size)
{
    static const struct {
        unsigned long capability, capability2;
        const char *feature;
    } rows[] = {
        {1ul << 1, 0, "neon"},    {1ul << 3, 0, "aes"},      {1ul << 6, 0, "sha2"},
        {1ul << 7, 0, "crc"},     {1ul << 8, 0, "lse"},      {1ul << 10, 0, "fullfp16"},
        {1ul << 12, 0, "rdm"},    {1ul << 13, 0, "jsconv"},  {1ul << 14, 0, "complxnum"},
        {1ul << 15, 0, "rcpc"},   {1ul << 17, 0, "sha3"},    {1ul << 20, 0, "dotprod"},
        {1ul << 22, 0, "sve"},    {1ul << 23, 0, "fp16fml"}, {0, 1ul << 1, "sve2"},
        {0, 1ul << 8, "fptoint"}, {0, 1ul << 13, "i8mm"},    {0, 1ul << 14, "bf16"},
    };
    const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    size_t used = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && used < size; i++) {
        const bool there = (first & rows[i].capability) || (second & rows[i].capability2);
        used += (size_t)snprintf(out + used, size - used, "%s%c%s", i ? "," : "", there ? '+' : '-',
                                 rows[i].feature);
    }
}

// The bits of SVE's registers, 256 or 512. 0: vectors are NEON's. What the system gives programs is asked for
// on this machine only; of another one the processor's name says it.
static unsigned wide_sve_bits(const struct weftc_target *t)
{
    static const struct {
        const char *cpu;
        unsigned bits;
    } wide[] = {{"neoverse-v1", 256}, {"neoverse-512tvb", 256}, {"a64fx", 512}};
    if (!weftc_target_has(t, "sve"))
        return 0;
    if (!t->by_name)
        return weft_arch_vector_bytes() > 16 ? 8 * weft_arch_vector_bytes() : 0;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcmp(t->cpu, wide[i].cpu) == 0)
            return wide[i].bits;
    return 0;
}

static void describe(struct weftc_target *t)
{
    const unsigned bits = wide_sve_bits(t);
    weftc_bridge_keep_number("aarch64-sve-vector-bits-min", bits);
    weftc_bridge_keep_number("aarch64-sve-vector-bits-max", bits);
    t->native_width = bits ? bits / 32 : 4;
    t->vector_registers = 32;
    t->permutes = WEFTC_PERMUTES_16_BYTES | (bits ? WEFTC_PERMUTES_MEMORY | WEFTC_PERMUTES_MASKED : 0);
    t->has_fma = true;
    t->fuses = true;
    t->has_fp16 = weftc_target_has(t, "fullfp16");
    t->converts_halves = true;
}

// A gather's lanes are those of the widest register. weftc_target_prices knows twice as many from it.
static const char *instruction(const struct weftc_target *t, enum weftc_operation o)
{
    static const char *const neon[WEFTC_OPERATION_COUNT] = {
        [WEFTC_DIVIDE_FLOAT] = "FDIVv4f32", [WEFTC_DIVIDE_DOUBLE] = "FDIVv2f64",
        [WEFTC_ROOT_FLOAT] = "FSQRTv4f32",  [WEFTC_ROOT_DOUBLE] = "FSQRTv2f64",
        [WEFTC_MULTIPLY_INT] = "MULv4i32",
    };
    static const char *const sve[WEFTC_OPERATION_COUNT] = {
        [WEFTC_DIVIDE_FLOAT] = "FDIV_ZPmZ_S",     [WEFTC_DIVIDE_DOUBLE] = "FDIV_ZPmZ_D",
        [WEFTC_ROOT_FLOAT] = "FSQRT_ZPmZ_S",      [WEFTC_ROOT_DOUBLE] = "FSQRT_ZPmZ_D",
        [WEFTC_MULTIPLY_INT] = "MUL_ZPmZ_S",      [WEFTC_GATHER_8] = "GLD1W_SXTW_SCALED",
        [WEFTC_GATHER_16] = "GLD1W_SXTW_SCALED",  [WEFTC_SCATTER_8] = "SST1W_SXTW_SCALED",
        [WEFTC_SCATTER_16] = "SST1W_SXTW_SCALED",
    };
    const bool other_half = t->native_width == 8 && (o == WEFTC_GATHER_16 || o == WEFTC_SCATTER_16);
    return t->native_width == 4 ? neon[o] : other_half ? NULL : sve[o];
}

// LLVM's model has a gather of eight words begin in each cycle. But each word is a load of its own, and three
// loads or two stores begin in a cycle: a bound, not a measurement.
static bool measured(const struct weftc_target *t, enum weftc_operation o, struct weftc_price *out)
{
    const bool gather = o == WEFTC_GATHER_8, scatter = o == WEFTC_SCATTER_8;
    if (t->native_width != 8 || (!gather && !scatter))
        return false;
    *out = gather ? (struct weftc_price){44, 11} : (struct weftc_price){40, 16};
    return true;
}

// ---- single instructions ----

static LLVMValueRef all_of(LLVMTypeRef vector, uint64_t number)
{
    LLVMValueRef elements[16];
    const unsigned count = LLVMGetVectorSize(vector);
    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstInt(LLVMGetElementType(vector), number, false);
    return LLVMConstVector(elements, count);
}

// tbl gives 0 for an index beyond the table.
static LLVMValueRef permute(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high,
                            LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(low);
    if (high || LLVMGetIntTypeWidth(LLVMGetElementType(type)) != 8 || LLVMGetVectorSize(type) != 16)
        return NULL;
    LLVMValueRef arguments[] = {low, LLVMBuildAnd(b, index, all_of(type, 15), "")};
    return weftc_target_intrinsic(module, b, "llvm.aarch64.neon.tbl1", type, arguments, 2);
}

// ---- dot products of bytes ----

static unsigned dot_lanes(const struct weftc_target *t)
{
    return weftc_target_has(t, "dotprod") ? 4 : 0;
}

// sum + the dot product of x with y: name is udot, sdot, or usdot, whose x alone is unsigned.
static LLVMValueRef dot_instruction(LLVMModuleRef module, LLVMBuilderRef b, const char *name,
                                    LLVMValueRef sum, LLVMValueRef x, LLVMValueRef y)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef types[] = {LLVMTypeOf(sum), LLVMVectorType(LLVMInt8TypeInContext(c), 16)};
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), types, 2);
    LLVMValueRef arguments[] = {sum, LLVMBuildBitCast(b, x, types[1], ""),
                                LLVMBuildBitCast(b, y, types[1], "")};
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, 3, "");
}

// Without usdot, the unsigned bytes x become signed: x y = (x - 128) y + 128 y.
static LLVMValueRef dot(LLVMModuleRef module, LLVMBuilderRef b, const struct weftc_target *t,
                        struct weftc_dot_signs signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum)
{
    static const char signed_name[] = "llvm.aarch64.neon.sdot";
    if (signs.x == signs.y)
        return dot_instruction(module, b, signs.x ? signed_name : "llvm.aarch64.neon.udot", sum, x, y);
    if (weftc_target_has(t, "i8mm"))
        return dot_instruction(module, b, "llvm.aarch64.neon.usdot", sum, x, y);
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef bytes =
        dot_instruction(module, b, signed_name, LLVMConstNull(type), all_of(type, 0x01010101), y);
    sum = LLVMBuildAdd(b, sum, LLVMBuildShl(b, bytes, all_of(type, 7), ""), "");
    return dot_instruction(module, b, signed_name, sum, LLVMBuildXor(b, x, all_of(type, 0x80808080), ""), y);
}

// No clock of its own: LLVM 19 reads cntvct_el0 as the cycle counter, and has no code for its steady counter.
const struct weftc_target_ops weftc_target_aarch64 = {
    .host_features = host_features,
    .trap = "udf #0",
    .describe = describe,
    .instruction = instruction,
    .measured = measured,
    .permute = permute,
    .dot_lanes = dot_lanes,
    .dot = dot,
};
