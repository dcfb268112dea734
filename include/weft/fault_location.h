// What is known of a fault of kernel code, and where in the program it was.
//
// The driver keeps no tables that map instructions to work-items: they would cost time in each compile and be
// needed hardly ever. After a fault it asks weftc to compile the same kernel once more, with debug
// information (WEFT_MSG_LOCATE of weft/protocol.h). The code is the same, so the debug information describes
// the code that faulted, too.
#ifndef WEFT_FAULT_LOCATION_H
#define WEFT_FAULT_LOCATION_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/protocol.h"
#include "weft/status.h"

// General registers, as DWARF numbers them for the processor.
#define WEFT_FAULT_REGISTERS 32 // WEFT_ARCH_REGISTERS
// Bytes of the stack that are kept, from the stack pointer's red zone on.
#define WEFT_FAULT_STACK_BYTES 4096

// The state of a thread whose kernel has faulted.
struct weft_fault_state {
    uint64_t instruction; // program counter. 0: the state isn't known
    uint64_t base;        // of the code object that contains it: where its address 0 is
    uint64_t registers[WEFT_FAULT_REGISTERS];
    uint64_t stack_begin; // address of stack[0]
    uint32_t stack_bytes;
    uint8_t stack[WEFT_FAULT_STACK_BYTES];
};

struct weft_location {
    char *file;            // of the source. NULL: not known
    uint32_t line, column; // line 0: not known
    // The instruction worked on work-items from `first` to `last` of each dimension where `known` is set,
    // both included. They are counted from the first work-item of weft_exec.current_group. They may lie in a
    // later group, where that is the first one of several that run together. `last` may lie beyond the last
    // work-item of the launch.
    bool known[3];
    uint64_t first[3], last[3];
};

struct weft_locate_request {
    struct weft_kernel_request kernel; // what the code that faulted was compiled from
    uint64_t code_hash[2];             // of that code (weft_code_hash_loaded)
    struct weft_fault_state state;
};

struct weft_locate_reply {
    uint32_t status; // weft_status. WEFT_STALE: this weftc compiles the kernel to other code
    char *log;
    struct weft_location location; // valid if status is WEFT_OK
};

// Like the functions of the same kind in weft/protocol.h. Implemented in lib/base/fault/location.c.
void weft_locate_request_put(struct weft_buf *b, const struct weft_locate_request *m);
weft_status weft_locate_request_get(struct weft_locate_request *out, const void *payload, size_t size);
void weft_locate_request_fini(struct weft_locate_request *m);
void weft_locate_reply_put(struct weft_buf *b, const struct weft_locate_reply *m);
weft_status weft_locate_reply_get(struct weft_locate_reply *out, const void *payload, size_t size);
void weft_locate_reply_fini(struct weft_locate_reply *m);

// The hash of a code object's executable segments. weft_code_hash_of_file: of an ELF file in memory; returns
// false if it is malformed. weft_code_hash_loaded: of the object that the dynamic linker has loaded at
// `base`, with these program headers.
bool weft_code_hash_of_file(const void *elf, size_t size, uint64_t hash[2]);
void weft_code_hash_loaded(uintptr_t base, const Elf64_Phdr *headers, size_t count, uint64_t hash[2]);

#endif
