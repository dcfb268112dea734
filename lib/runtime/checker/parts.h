// Buffers and sub-buffers that have bytes in common, for API: a kernel that writes one of them mustn't use
// the other, and neither may another kernel that isn't in order with it (OpenCL 3.0 §5.2.1). Any thread may
// call.
#ifndef WEFT_RUNTIME_CHECKER_PARTS_H
#define WEFT_RUNTIME_CHECKER_PARTS_H

#include <stdbool.h>
#include <stdint.h>

struct weft_order;

// An object that a launch uses.
struct weft_part {
    const void *root, *object; // the buffer that has the storage, and the object itself: only compared
    uint64_t first, end;       // addresses
    uint32_t argument;
    bool writes;
};

// The first two of a launch's parts that mustn't be used together. False: there are none.
bool weft_parts_clash(const struct weft_part *parts, uint32_t count, uint32_t which[2]);
// A launch that isn't in order with an earlier one, by the order of both. The name is valid until it ends.
struct weft_parts_clash {
    uint32_t part; // of the launch
    struct weft_part with;
    const char *kernel; // of the earlier one; never freed
};
// A launch has been submitted. True: it uses a part that an earlier one uses, too, and nothing orders the
// two.
bool weft_parts_enter(const struct weft_part *parts, uint32_t count, const char *kernel,
                      const struct weft_order *order, struct weft_parts_clash *clash);
// A buffer ends.
void weft_parts_forget(const void *root);

#endif
