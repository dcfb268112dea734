// What both sides of the protocol know of SPIR-V: the order of its bytes, its framing, and its specialization
// constants. What the instructions mean is the translator's business (lib/compiler/spirv/translate.c). Implemented in
// lib/base/spirv.c. SPIR-V 1.6 §2.3 (physical layout), §2.17 (limits).
#ifndef WEFT_SPIRV_H
#define WEFT_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

#define WEFT_SPIRV_MAGIC 0x07230203u
#define WEFT_SPIRV_NEWEST_MINOR \
    4u // of version 1: what the translator of the oldest LLVM that Weft takes reads

struct weft_spirv_constant {
    uint32_t id;   // SpecId
    uint32_t size; // bytes of its value; 1 for a bool
    bool negates;  // of a signed type
    size_t word;   // where its instruction begins
};

struct weft_spirv {
    uint32_t *words; // in this machine's order
    size_t count;
    struct weft_spirv_constant *constants; // in the order of the module
    uint32_t constant_count;
};

// Reads a module of either byte order. WEFT_DAMAGED: it is none that is well-formed, or of a version that is too new;
// *why is a sentence then. *out is the caller's, weft_spirv_fini, and empty after a failure.
weft_status weft_spirv_read(struct weft_spirv *out, const void *il, size_t size, const char **why);
void weft_spirv_fini(struct weft_spirv *s);
// Bytes of the constant with this SpecId; 0: there is none.
uint32_t weft_spirv_constant_size(const struct weft_spirv *s, uint32_t id);
// Writes the value, of as many bytes as that, into the module.
void weft_spirv_specialize(struct weft_spirv *s, uint32_t id, const void *value);

#endif
