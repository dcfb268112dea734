// Small helpers over llvm-c that every stage uses. They have no state and know nothing of OpenCL.
#ifndef WEFTC_LLVM_HELPERS_H
#define WEFTC_LLVM_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weft_buf;
struct weftc_kernel_options;
struct weftc_target;

// ---- types and constants ----
static inline LLVMValueRef weftc_i64(LLVMContextRef c, uint64_t v)
{
    return LLVMConstInt(LLVMInt64TypeInContext(c), v, false);
}
static inline LLVMValueRef weftc_i32(LLVMContextRef c, uint32_t v)
{
    return LLVMConstInt(LLVMInt32TypeInContext(c), v, false);
}
// The element type of a vector type, or the type itself if it isn't a vector.
static inline LLVMTypeRef weftc_element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}
// The number as a constant of an integer type, or in all elements of a vector of integers.
LLVMValueRef weftc_constant(LLVMTypeRef type, uint64_t number);
// The bits of a number of this type: an integer, half, float or double. 0: it is something else.
unsigned weftc_number_bits(LLVMTypeRef type);
// Is v a constant vector of integers that has the same number, *number, in all elements?
bool weftc_is_splat(LLVMValueRef v, uint64_t *number);
static inline bool weftc_is_power(uint64_t n) // a power of two, or 0
{
    return (n & (n - 1)) == 0;
}
static inline bool weftc_is_division(LLVMOpcode opcode) // of integers
{
    return opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
}
// Arithmetic, shifts, bits, conversions, comparisons of integers, and choices; no division.
bool weftc_is_integer_operation(LLVMOpcode opcode);

// ---- instructions ----
// Asks `instead` for each instruction of a module, which may build what replaces it. NULL: it stays.
void weftc_replace_instructions(LLVMModuleRef module, LLVMValueRef (*instead)(void *context, LLVMValueRef i),
                                void *context);

// The line of the instruction in the file that the function is in. Of what is inlined from another file,
// which a source has included, it is the line of the call. 0: unknown.
unsigned weftc_source_line(LLVMValueRef instruction);

// ---- functions and calls ----
// The definition of the kernel options->name, or NULL.
LLVMValueRef weftc_find_kernel(LLVMModuleRef module, const struct weftc_kernel_options *options);
bool weftc_calls(LLVMValueRef value, const char *name); // is `value` a direct call of the function `name`?
// Returns the function that `value` calls directly. NULL: it isn't a call, or the call is indirect.
LLVMValueRef weftc_callee(LLVMValueRef value);
// Of an instruction or a constant expression. LLVMRet for other values: no value comes of that.
LLVMOpcode weftc_opcode(LLVMValueRef value);
bool weftc_is_lifetime(LLVMValueRef value); // llvm.lifetime.start or .end
bool weftc_is_pure(LLVMValueRef f);         // f accesses no memory
bool weftc_only_reads(LLVMValueRef f);      // f accesses no memory, or only reads it
size_t weftc_instruction_count(LLVMModuleRef module);
size_t weftc_function_size(LLVMValueRef f); // in instructions
// Cuts blocks of more than `longest` instructions into pieces of about `piece`. Returns whether it cut any.
bool weftc_cut_long_blocks(LLVMValueRef f, size_t longest, size_t piece);
size_t weftc_largest_function(LLVMModuleRef module); // in instructions

// ---- attributes and metadata ----
#define WEFTC_OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
// The value of the attribute `memory` for a function that only reads memory.
#define WEFTC_MEMORY_READ 0x15
void weftc_add_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name, uint64_t value);
// Gives a new function the processor, and what follows from it, of another one.
void weftc_copy_target(LLVMValueRef to, LLVMValueRef from);
// for a declaration: no side effects, and the result depends only on the arguments
void weftc_add_pure_attributes(LLVMValueRef f);
void weftc_call_attribute(LLVMValueRef call, const char *name);
void weftc_remove_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name);
void weftc_set_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef node);
// A conditional branch hardly ever takes its first way, or its second one.
void weftc_set_unlikely(LLVMValueRef branch, bool first);

// ---- passes ----
// Runs a textual pass pipeline. Returns WEFT_INTERNAL after a message in log if LLVM rejects the pipeline.
weft_status weftc_run_passes(LLVMModuleRef module, const struct weftc_target *target, const char *pipeline,
                             struct weft_buf *log);

// ---- vectors of three elements ----
// Is it a vector of so many numbers? Not of bits.
bool weftc_has_elements(LLVMValueRef value, unsigned count);
// A vector of three or four elements as one of four, of which the last is the third: for memory that has room
// for four (OpenCL C 3.0 §6.1.5).
LLVMValueRef weftc_with_fourth(LLVMBuilderRef b, LLVMValueRef value);

#endif
