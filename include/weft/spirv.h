// What both sides of the protocol know of SPIR-V: byte order, framing and specialization constants. The
// translator handles the meaning of instructions (lib/compiler/spirv/translate.c). Implemented in
// lib/base/spirv.c. SPIR-V 1.6 §2.3 (physical layout), §2.17 (limits).
#ifndef WEFT_SPIRV_H
#define WEFT_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

#define WEFT_SPIRV_MAGIC 0x07230203u

struct weft_spirv_constant {
    uint32_t id;   // SpecId
    uint32_t size; // bytes of the value; 1 for a bool
    bool negates;  // its type is a signed integer
    size_t word;   // index of the first word of its instruction
};

struct weft_spirv {
    uint32_t *words; // in this machine's byte order
    size_t count;
    struct weft_spirv_constant *constants; // in the order in which the module declares them
    uint32_t constant_count;
};

// Reads a module of either byte order. The caller frees *out with weft_spirv_fini; after a failure it is
// empty. WEFT_DAMAGED: the module isn't well-formed, or its version is too new; *why is a sentence then. Any
// thread.
weft_status weft_spirv_read(struct weft_spirv *out, const void *il, size_t size, const char **why);
void weft_spirv_fini(struct weft_spirv *s);
// Bytes of the constant with this SpecId; 0: there is none.
uint32_t weft_spirv_constant_size(const struct weft_spirv *s, uint32_t id);
// Writes the value of the constant with this SpecId into the module. The value has weft_spirv_constant_size
// bytes.
void weft_spirv_specialize(struct weft_spirv *s, uint32_t id, const void *value);

#endif
