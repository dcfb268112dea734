// Which stores may be non-temporal (vectorize/access/nontemporal.c). Whether a kernel may have such stores
// depends on all of its regions, so that is found before any of them is vectorized.
#ifndef WEFTC_VECTORIZE_NONTEMPORAL_H
#define WEFTC_VECTORIZE_NONTEMPORAL_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

struct weftc_access;
struct weftc_shapes;
struct weftc_vec;

enum { WEFTC_CACHE_LINE = 64 }; // bytes; only whole lines go past the caches

struct weftc_nontemporal { // what is known of a kernel
    struct weftc_nontemporal_argument {
        bool loaded;     // the kernel reads the memory that it points to
        uint32_t stride; // bytes from one work-item's accesses to the next one's; 0: unknown
    } *arguments;
    uint32_t count; // of the kernel's arguments; 0: no store may be non-temporal
};
// To be called when all regions are there. The caller frees *s whatever the outcome.
weft_status weftc_nontemporal_find(LLVMModuleRef module, struct weftc_nontemporal *s);
void weftc_nontemporal_free(struct weftc_nontemporal *s);
// The bytes of arrays that a work-item accesses; 0 if no function has non-temporal stores.
uint32_t weftc_nontemporal_bytes(const struct weftc_nontemporal *s, LLVMModuleRef module);
// Between barriers, a region that loads much may have its loops interchanged (workitem_loops/loop_order.c). A
// region with non-temporal stores can't, and one that loads much is hardly limited by memory.
bool weftc_loads_little(const struct weftc_shapes *s);
// Notes in v->nontemporal how far apart the work-items' accesses are.
void weftc_vec_note_nontemporal(const struct weftc_vec *v);
// A step of weftc_vec_classify: may access i, whose kind is settled in *a, be a non-temporal store?
bool weftc_vec_find_nontemporal(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a);
// Has v's function, which is classified, a store that may be non-temporal?
bool weftc_vec_has_nontemporal(const struct weftc_vec *v);

#endif
