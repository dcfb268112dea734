// Small helpers over llvm-c that every stage uses. They have no state, and know nothing of OpenCL.
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
// A vector's element, and of what is none the type itself.
static inline LLVMTypeRef weftc_element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}
static inline bool weftc_is_power(uint64_t n) // of two, or 0
{
    return (n & (n - 1)) == 0;
}
static inline bool weftc_is_division(LLVMOpcode opcode) // of whole numbers
{
    return opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
}

// ---- functions and calls ----
LLVMValueRef weftc_find_kernel(LLVMModuleRef module, const struct weftc_kernel_options *options);
bool weftc_calls(LLVMValueRef value, const char *name); // `value` is a direct call of the function `name`
// The function that `value` calls directly; NULL when it isn't a call or the callee isn't known.
LLVMValueRef weftc_callee(LLVMValueRef value);
bool weftc_is_lifetime(LLVMValueRef value); // a mark of where a variable's life begins or ends
bool weftc_is_pure(LLVMValueRef f);         // f touches no memory
bool weftc_only_reads(LLVMValueRef f);      // f touches no memory, or reads it
size_t weftc_instruction_count(LLVMModuleRef module);
size_t weftc_function_size(LLVMValueRef f);          // in instructions
size_t weftc_largest_function(LLVMModuleRef module); // in instructions

// ---- attributes and metadata ----
#define WEFTC_OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)
// The attribute `memory` of a function: it reads, and does nothing else.
#define WEFTC_MEMORY_READ 0x15
void weftc_add_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name, uint64_t value);
void weftc_add_pure_attributes(LLVMValueRef f); // a declared one: no side effects, and its result is known
void weftc_call_attribute(LLVMValueRef call, const char *name);
void weftc_remove_attribute(LLVMValueRef f, LLVMAttributeIndex at, const char *name);
void weftc_set_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef node);

// ---- passes ----
// Runs a textual pass pipeline. WEFT_INTERNAL (and a line in log) when LLVM refuses it.
weft_status weftc_run_passes(LLVMModuleRef module, const struct weftc_target *target, const char *pipeline,
                             struct weft_buf *log);

#endif
