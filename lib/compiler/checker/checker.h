// The checker's part of the compiler (weft/checker.h, ADR 44): code that looks for faults of the kernel while
// it runs.
//
// It is added in two steps. weftc_check_mark runs first of all passes, while the code still does all that the
// program says: later passes take away what has no effect, such as a store beyond the end of an array. Each
// access that may be wrong gets a branch around it, on a call that says whether it is wrong. After inlining,
// weftc_check_expand finds the object that each pointer was made from, and replaces these calls by code.
//
// The folder knows the address spaces and the primitives. It doesn't know the stages.
#ifndef WEFTC_CHECKER_H
#define WEFTC_CHECKER_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "weft/checker.h"
#include "weft/status.h"

// Notes which functions are the program's own. Before built-in functions are linked to it.
void weftc_check_own(LLVMModuleRef module);
// Adds the calls for a set of kinds. Every kind but BARRIER.
void weftc_check_mark(LLVMModuleRef module, uint32_t kinds);
// The same for BARRIER, when barriers are primitives.
void weftc_check_mark_barriers(LLVMModuleRef module, LLVMValueRef kernel);
// The same for UNINIT, after inlining and before variables become values (checker/uninit.c). zeros: private
// variables begin with zeros.
weft_status weftc_check_follow_values(LLVMModuleRef module, const struct weftc_target *target,
                                      LLVMValueRef kernel, bool zeros, struct weft_buf *log);
// Replaces them. The kernel is the only function that has any.
weft_status weftc_check_expand(LLVMModuleRef module, LLVMValueRef kernel, uint32_t kinds);

// ---- the calls in between (checker/mark.c) ----
// i1(ptr pointer, i64 size, i32 align, i32 access): is the access wrong? Pure.
#define WEFTC_CHECK_ACCESS "weft.check.access"
// void(the same): says so to the driver
#define WEFTC_CHECK_REPORT "weft.check.report"
// void(ptr pointer, i64 size, i32 align, i32 access): the access is done by what follows
#define WEFTC_CHECK_TOUCH "weft.check.touch"
// void(the same): a work-item may do such an access to local memory (checker/races/same_groups.c)
#define WEFTC_CHECK_ALIKE "weft.check.alike"
// void(i32 fault, i64 number, i32 bits): says so of an operation
#define WEFTC_CHECK_OPERATION "weft.check.operation"
// void(ptr image, i64 x and y, i64 z and level, i32 set of WEFT_TEXEL_*): says so of coordinates of an image
#define WEFTC_CHECK_TEXEL "weft.check.texel"
// void(): the work-item has come to a barrier, or to the end of the kernel
#define WEFTC_CHECK_ARRIVAL "weft.check.arrival"
// void(ptr variable, ptr shadow, ptr origins): where a private variable has its shadow, if its address is
// used in ways that only later passes resolve
#define WEFTC_CHECK_SHADOW_OF "weft.check.shadow_of"
// The constant with the names of the private variables that have numbers (checker/uninit.c)
#define WEFTC_CHECK_NAMES "weft.check.names"
// void(i32 origin, i32 enum weft_check_use): what runs next depends on memory that nobody has written
#define WEFTC_CHECK_UNWRITTEN "weft.check.unwritten"
// MemorySanitizer's: {ptr shadow, ptr origins}(ptr address), a family; void(i32 origin); i32(i32 origin)
#define WEFTC_MSAN_METADATA "__msan_metadata_ptr_for_"
#define WEFTC_MSAN_WARNING "__msan_warning"
#define WEFTC_MSAN_CHAIN "__msan_chain_origin"

// ---- checker/asks.c ----
// MemorySanitizer leaves the instruction as it is, and takes its result for written.
void weftc_check_not_followed(LLVMValueRef i);

// ---- checker/uninit.c ----
// Is it one of the calls WEFTC_MSAN_METADATA?
bool weftc_check_asks_for_shadow(LLVMValueRef i);

// ---- checker/used.c ----
// Is it a call that the marker has put before a call of a built-in function, to ask whether an argument of
// that is written?
bool weftc_check_is_used(LLVMValueRef i);
// Before MemorySanitizer runs: replaces such a call by an empty piece of assembly, whose operands it looks
// at.
void weftc_check_ask_of_used(LLVMBuilderRef b, LLVMValueRef call);
// Is it such a piece of assembly?
bool weftc_check_asks_of_used(LLVMValueRef i);
// Behind MemorySanitizer: removes them.
void weftc_check_forget_used(LLVMValueRef kernel);

// The offset of the word that has the origin of a byte.
LLVMValueRef weftc_check_word_of(LLVMBuilderRef b, LLVMValueRef offset);

// The object that a pointer was made from (checker/places.c).
struct weftc_check_place {
    LLVMValueRef offset; // i64: bytes from the object's first byte to where the pointer points
    LLVMValueRef length; // i64: bytes of the object. NULL: it isn't known, and nothing is wrong
    const char *name;    // of the variable; "" or NULL: none
    uint32_t kind;       // enum weft_check_object
    uint32_t object;     // an argument's number
};
struct weftc_check_places;
// Owned by the caller; freed with weftc_check_places_free. NULL: no memory.
struct weftc_check_places *weftc_check_places_new(LLVMModuleRef module, LLVMValueRef kernel);
void weftc_check_places_free(struct weftc_check_places *places);
// Adds code that computes the place, directly behind what makes the pointer. NULL: no memory.
const struct weftc_check_place *weftc_check_place_of(struct weftc_check_places *places, LLVMValueRef pointer);

// The declaration of a call of this folder's, or of a primitive with side effects, of this type if the module
// has none yet.
LLVMValueRef weftc_check_declare(LLVMModuleRef module, const char *name, LLVMTypeRef type);
// ---- checker/shadow.c ----
// Replaces such a call for memory that isn't a private variable used directly. False: no memory.
bool weftc_check_expand_shadow(LLVMModuleRef module, LLVMValueRef kernel, struct weftc_check_places *places,
                               LLVMValueRef call);
// Removes such a call: what it is asked of is written, and stays so.
void weftc_check_take_as_written(LLVMValueRef call);
// Before any is replaced: removes calls WEFTC_MSAN_CHAIN of values that stay in the work-group: a value is
// told of where it decides something, or leaves the kernel. Until then it keeps the origin that it has.
void weftc_check_forget_chains(LLVMValueRef kernel);
// When all are replaced: removes the calls WEFTC_CHECK_SHADOW_OF.
void weftc_check_forget_shadow(LLVMModuleRef module);

// ---- checker/touches.c: RACE ----
struct weftc_check_touches;
// Is it a call that stands before an access of which races are looked for (WEFTC_CHECK_TOUCH)?
bool weftc_check_is_touch(LLVMValueRef i);
// Before the first of these calls is replaced. NULL: no memory. Freed by weftc_check_touches_end.
struct weftc_check_touches *weftc_check_touches_begin(LLVMModuleRef module, LLVMValueRef kernel);
// Replaces a call WEFTC_CHECK_TOUCH. False: no memory.
bool weftc_check_expand_touch(struct weftc_check_touches *t, struct weftc_check_places *places,
                              LLVMValueRef call);
// When all are replaced. False: no memory, then or before.
bool weftc_check_touches_end(struct weftc_check_touches *t);

// A number that stays the same while the kernel runs, of the driver's table of objects: member `index` of it,
// at the builder's position.
LLVMValueRef weftc_check_object_number(LLVMBuilderRef b, LLVMModuleRef module, uint64_t index);

// The work-item's local linear id, at the builder's position.
LLVMValueRef weftc_check_item(LLVMBuilderRef b, LLVMModuleRef module);

// ---- checker/written.c: API ----
// The arguments below 32 that the kernel writes to, as bits. What is done through pointers in memory isn't
// known.
uint32_t weftc_check_written(LLVMValueRef kernel);

// ---- checker/sites.c ----
// Appends what the driver is told of the instruction's place in the source: a struct weft_check_site.
void weftc_check_append_site(struct weft_buf *bytes, LLVMValueRef i, struct weft_check_site head,
                             const char *name);

// Calls weft_kernel_host.device_call. The builder's position is where. Pointers are of any space.
LLVMValueRef weftc_check_device_call(LLVMBuilderRef b, LLVMModuleRef module, uint32_t what,
                                     LLVMValueRef object, LLVMValueRef number, LLVMValueRef pointer);
// An alloca of count 64-bit numbers at the start of the kernel.
LLVMValueRef weftc_check_numbers(LLVMValueRef kernel, unsigned count);

#endif
