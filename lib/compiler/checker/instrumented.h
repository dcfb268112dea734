// Shared by the files that follow what nobody has written: uninit.c and private_shadow.c.
#ifndef WEFTC_CHECKER_INSTRUMENTED_H
#define WEFTC_CHECKER_INSTRUMENTED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { WEFTC_ORIGIN_WORD = 4 }; // bytes that share an origin

// A private variable, and the variables for its shadow and its origins.
struct weftc_shadowed {
    LLVMValueRef memory, shadow, origins;
};

struct weftc_instrumented {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    LLVMTypeRef i8, i32, i64, pointer;
    struct weftc_map index; // of an alloca in `variable`
    struct weftc_shadowed *variable;
    uint32_t count, capacity;
    struct weft_buf names; // of the variables that have numbers, each closed by a NUL
    uint32_t named;
    bool zeros; // private variables begin with zeros
};

// The name of a function that is only declared; "": the instruction isn't a call of one.
static inline const char *weftc_shadow_callee(LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    return f && LLVMIsDeclaration(f) ? LLVMGetValueName(f) : "";
}
static inline bool weftc_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// ---- checker/asks.c ----
// weftc_check_not_followed. Returns the instruction.
LLVMValueRef weftc_shadow_not_followed(LLVMValueRef i);
// Builds a call of one of MemorySanitizer's functions, or of one like it.
LLVMValueRef weftc_shadow_call(struct weftc_instrumented *u, const char *name, LLVMTypeRef result,
                               LLVMValueRef argument);
// Asks for the shadow and the origins of memory, as MemorySanitizer does.
void weftc_shadow_ask(struct weftc_instrumented *u, bool store, LLVMValueRef address, LLVMValueRef *shadow,
                      LLVMValueRef *origins);

// ---- checker/padding.c ----
// After a copy of a structure, the bytes between its members are taken as written.
void weftc_shadow_close_gaps(struct weftc_instrumented *u, LLVMValueRef copy);

// ---- checker/private_shadow.c ----
// Follows a pointer back over indices and casts.
LLVMValueRef weftc_shadow_base(LLVMValueRef pointer);
// Is it an alloca of a size that is known?
bool weftc_shadow_has_size(LLVMValueRef v);
// The variable of such an alloca, which it gets when it is asked for first. NULL: no memory.
const struct weftc_shadowed *weftc_shadow_variable(struct weftc_instrumented *u, LLVMValueRef memory);
// The shadow and the origins at a pointer into the variable, at the builder's position.
void weftc_shadow_place_in(struct weftc_instrumented *u, const struct weftc_shadowed *v, LLVMValueRef pointer,
                           LLVMValueRef place[2]);
// Replaces a request for shadow if it is that of a variable. False: no memory.
bool weftc_shadow_of_variable(struct weftc_instrumented *u, LLVMValueRef call);
// Replaces a call that says that a variable begins. False: no memory.
bool weftc_shadow_begin_variable(struct weftc_instrumented *u, LLVMValueRef call, bool written);

#endif
