// The processor that machine code is for, and the list of what a port of the compiler provides.
//
// struct weftc_target says what one processor can do. struct weftc_target_ops is what Weft knows about a
// family of processors that LLVM doesn't: names, numbers, and instructions that LLVM IR has no word for. A
// family has one file here, <family>.c, and nothing else in lib/compiler knows which family it is. CMake
// chooses the family, the same one as for lib/base/arch. Only the target weftc-for-aarch64 makes code for
// other machines than the one that it runs on. All families are compiled in each build, so that none of them
// gets out of date.
//
// Every member of weftc_target_ops may be NULL or 0, except for `describe`. The code then does without. A
// family that has no file here gets portable.c, which lacks everything. It works on any processor that LLVM
// can make code for.
#ifndef WEFTC_TARGET_H
#define WEFTC_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/arch/prices.h"
#include "weft/status.h"

// Which elements of registers the target can take by number, in one instruction each
// (weftc_target_ops.permute).
enum {
    WEFTC_PERMUTES_16_BYTES = 1,     // of a register of 16 bytes
    WEFTC_PERMUTES_8_WORDS = 2,      // of a register of 8 words of 32 bits
    WEFTC_PERMUTES_512 = 4,          // of one or two registers of 512 bits, elements of 32 and 64 bits
    WEFTC_PERMUTES_512_SHORTS = 8,   // the same registers, elements of 16 bits
    WEFTC_PERMUTES_512_BYTES = 16,   // the same registers, elements of 8 bits
    WEFTC_PERMUTES_512_WINDOWS = 32, // with WEFTC_PERMUTES_512: `expand` of 16 words, and `deposit_bits`
    WEFTC_PERMUTES_MEMORY = 64,      // of memory: words of 32 bits are gathered by an instruction
    // All accesses of memory take a mask, and so do gathers: also those of bytes and of words of 16 bits.
    WEFTC_PERMUTES_MASKED = 128
};

struct weftc_target {
    LLVMTargetMachineRef machine;
    char *cpu, *features; // LLVM's name, and LLVM's list of features: "+a,-b"
    char *identity;
    struct weftc_prices *prices; // weftc_target_prices
    bool by_name; // a setting chose it, or code is for another machine: only its name and features are known

    // ---- what weftc_target_ops.describe fills in ----
    uint32_t native_width; // lanes of 32 bits in the widest vector register
    uint32_t vector_registers;
    unsigned permutes;       // WEFTC_PERMUTES_*
    bool has_mask_registers; // masks of lanes have registers of their own
    bool halves_registers;   // an operation on the widest register takes as long as two on its halves
    bool has_fma;         // a fused multiply-add of floats and doubles, which built-in functions may rely on
    bool fuses;           // products and sums of floats and doubles are best rounded together
    bool has_fp16;        // arithmetic of halves
    bool converts_halves; // from and to floats, by instructions
    bool has_math_primitives; // weftc_target_ops has math_lanes, math and math_lookup
    bool has_estimates;       // weftc_target_ops has math_lanes and math, for estimates of floats
    // An operand in memory can be one number for all elements of a register of 512 bits.
    bool has_broadcast_operands;
    // A scalar conversion from integer to float waits for the old value of the register that it writes to.
    bool converts_into_old_vector;
};

// Primitives of the math built-ins: codegen/math_intrinsics.c says what each computes.
enum weftc_math {
    WEFTC_MATH_SCALE,
    WEFTC_MATH_EXPONENT,
    WEFTC_MATH_MANTISSA,
    WEFTC_MATH_LOG_MANTISSA,
    WEFTC_MATH_RSQRT,
    WEFTC_MATH_RECIPROCAL,
    WEFTC_MATH_LOOKUP, // one of WEFTC_MATH_TABLE constants
};
enum { WEFTC_MATH_TABLE = 16 };

// Which operands of a dot product have signed bytes. If only one has, it is y.
struct weftc_dot_signs {
    bool x, y;
};

// What Weft knows about a family of processors. Functions that make code put it where the builder b stands,
// in `module`.
struct weftc_target_ops {
    // LLVM's names of processors that have all of a level of weft_arch_level (lib/base/arch/arch.h), by
    // level. levels[0] is NULL.
    const char *const *levels;
    int level_count;
    // LLVM's name of the feature that a processor needs to run 64-bit code. NULL: all processors of the
    // family do.
    const char *needed_feature;
    // LLVM's features, as "+a,-b", that the system says this machine's processors have or lack, where LLVM
    // doesn't ask. Written to out. NULL: LLVM knows them all.
    void (*host_features)(char *out, size_t size);
    // LLVM's features, as "+a,-b", that a processor gets besides its own; NULL: none.
    const char *(*more_features)(const char *cpu, const char *features);
    // LLVM's option that turns off a pass of its code generator which is quadratic in the size of a function.
    const char *disable_quadratic_pass;
    // LLVM's option for the pass that rearranges sums and products. NULL: the family has no such option.
    const char *machine_combiner;

    // The assembly of an instruction that raises SIGILL, for traps. NULL: LLVM's own does.
    const char *trap;

    // Fills in what struct weftc_target says about a processor, from t->cpu and t->features.
    void (*describe)(struct weftc_target *t);

    // LLVM's name of the instruction that does the operation. NULL: there is none.
    const char *(*instruction)(const struct weftc_target *t, enum weftc_operation o);
    // The price of the operation, where it was measured because LLVM's is wrong. False: it wasn't.
    bool (*measured)(const struct weftc_target *t, enum weftc_operation o, struct weftc_price *out);

    // Element k of the result is element index[k] of `low`, or of `low` and `high` one after the other where
    // high isn't NULL. Only the low bits of the index count. All three vectors have the same integer type,
    // one that t->permutes has. NULL: there is no such instruction for this type and number of registers.
    LLVMValueRef (*permute)(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high,
                            LLVMValueRef index);
    // Where the mask, a vector of i1, is on: the elements of `vector` from the first one on, in order.
    // Elsewhere 0.
    LLVMValueRef (*expand)(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef vector, LLVMValueRef mask);
    // The low bits of `bits`, in order, at the places where `places` has ones; elsewhere 0. Both are i32.
    LLVMValueRef (*deposit_bits)(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef bits,
                                 LLVMValueRef places);
    // Non-temporal stores before it are visible to every thread that sees a store after it. NULL: the
    // vectorizer makes no non-temporal stores.
    void (*nontemporal_fence)(LLVMModuleRef module, LLVMBuilderRef b);
    // The clock that kernels read, an i64. NULL: LLVM's cycle counter.
    LLVMValueRef (*clock)(LLVMModuleRef module, LLVMBuilderRef b);

    // The primitives of the math built-ins: all three functions, the first two, or none. What is asked for is
    // what t->has_math_primitives and t->has_estimates say: the second is about WEFTC_MATH_RSQRT and
    // WEFTC_MATH_RECIPROCAL of floats.
    // The minimum and maximum number of elements that one instruction takes for this primitive; powers of
    // two.
    void (*math_lanes)(const struct weftc_target *t, enum weftc_math primitive, bool is_double, unsigned *min,
                       unsigned *max);
    // The primitive, any but WEFTC_MATH_LOOKUP, of vectors of that many elements. Only WEFTC_MATH_SCALE has
    // operands[1].
    LLVMValueRef (*math)(LLVMModuleRef module, LLVMBuilderRef b, const struct weftc_target *t,
                         enum weftc_math primitive, const LLVMValueRef operands[2]);
    // Element k of the result is table[index[k] % WEFTC_MATH_TABLE]. The table is of constants, floats or
    // doubles. The index is a vector of i32, for doubles also of i64.
    LLVMValueRef (*math_lookup)(LLVMModuleRef module, LLVMBuilderRef b,
                                const LLVMValueRef table[WEFTC_MATH_TABLE], LLVMValueRef index);

    // Dot products of bytes (codegen/dot_products.c): both functions, or none.
    // The maximum number of words that one call of `dot` takes, a power of two of at least 4. 0: products of
    // single bytes are as good.
    unsigned (*dot_lanes)(const struct weftc_target *t);
    // Element k of the result is sum[k] and the dot product of the four bytes of x[k] with those of y[k],
    // exactly. All are vectors of i32.
    LLVMValueRef (*dot)(LLVMModuleRef module, LLVMBuilderRef b, const struct weftc_target *t,
                        struct weftc_dot_signs signs, LLVMValueRef x, LLVMValueRef y, LLVMValueRef sum);
};

// Those of the family that weftc is built for. CMake names them as WEFTC_TARGET_OPS: weftc_target_<family>.
extern const struct weftc_target_ops *const weftc_target_ops;

// ---- arch/target.c ----
// Determines the processor to make code for. cpu_override: LLVM's name of one. NULL: this machine's
// processor (any of the family, where code is for other machines), limited to `level` if that isn't 0. The
// level is what weft_arch_level has found in the process that runs the code: under a tool such as Valgrind it
// may be lower than the processor's. *t is the caller's (weftc_target_fini), and zeroed on an error.
weft_status weftc_target_init(struct weftc_target *t, const char *cpu_override, int level);
void weftc_target_fini(struct weftc_target *t);
// True when products and sums of this type, or of vectors of it, are best rounded together.
bool weftc_target_fuses(const struct weftc_target *t, LLVMTypeRef type);
// Sets the constants of lib/kernel-builtins/math/target.cl in a module that is linked with built-in
// functions. Must run before the optimiser. relaxed: the program was built with -cl-fast-relaxed-math.
void weftc_target_describe(const struct weftc_target *t, LLVMModuleRef module, bool relaxed);

// ---- arch/family_helpers.c ----
// Does the processor have the feature, by LLVM's name?
bool weftc_target_has(const struct weftc_target *t, const char *feature);
// Builds a call of LLVM's intrinsic. overload: the type that the intrinsic is overloaded on; NULL: it isn't
// overloaded.
LLVMValueRef weftc_target_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name,
                                    LLVMTypeRef overload, LLVMValueRef *arguments, unsigned count);

#endif
