// What libweft.so and `weftc --serve` say to each other, over a stream socket pair. Requests are answered in
// order, one at a time; either side treats the other's bytes as untrusted. Implemented in
// lib/base/protocol.c.
//
// Life: the client spawns weftc with the socket as descriptor 3; weftc sends HELLO; the client sends
// requests; when the socket closes weftc ends at once. A time-out or a malformed frame: the client kills it
// (pid from HELLO).
#ifndef WEFT_PROTOCOL_H
#define WEFT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/status.h"

#define WEFT_PROTOCOL_MAGIC 0x31435457u
#define WEFT_PROTOCOL_VERSION 7u
#define WEFT_PROTOCOL_FD 3
// A request in a file: u32 this, u32 WEFT_PROTOCOL_VERSION, u32 enum weft_message, the payload.
#define WEFT_REPLAY_MAGIC 0x52435457u
#define WEFT_PROTOCOL_MAX_FRAME (1ull << 31)

enum weft_message {
    WEFT_MSG_HELLO = 1,   // weftc -> client: struct weft_hello
    WEFT_MSG_BUILD,       // struct weft_build_request: front end for a source
    WEFT_MSG_LINK,        // struct weft_link_request: several compiled programs into one
    WEFT_MSG_PROGRAM,     // answer to BUILD and LINK: struct weft_program_reply
    WEFT_MSG_KERNEL,      // struct weft_kernel_request: machine code of one kernel
    WEFT_MSG_KERNEL_CODE, // answer: struct weft_kernel_reply
    // Last words of a weftc that dies of a signal, sent by its handler in place of an answer: payload is the signal's number,
    // u32, and where it came from, u32: 0, from what weftc did; 1, from outside. One that dies without them was
    // killed (SIGKILL).
    WEFT_MSG_CRASH,
};

struct weft_frame { // 24 bytes on the wire, little-endian
    uint32_t magic;
    uint16_t version;
    uint16_t type;     // enum weft_message
    uint64_t size;     // bytes of payload that follow
    uint64_t checksum; // of the payload: both sides are of one machine
};

struct weft_hello {
    uint32_t pid;
    char *target;   // identity of the target this weftc generates code for (weft_program_object.target)
    char *identity; // version of Weft, LLVM and the built-ins: part of every cache key
};

struct weft_header { // clCompileProgram's embedded headers
    char *name;
    char *source;
    size_t size;
};

struct weft_build_request {
    bool compile_only; // clCompileProgram: unresolved functions are fine
    bool spirv;        // the source is SPIR-V in this machine's order
    char *source;      // any bytes
    size_t source_size;
    char *options;   // the application's, verbatim
    char *directory; // the application's current directory: relative -I and #include "" start there
    // What diagnostics call the source, whose #include "" start beside it. NULL: it has no name. Not transmitted:
    // sources of the API have none.
    const char *name;
    uint32_t header_count;
    struct weft_header *headers;
};

// What the answer to a source owes to the file system.
enum weft_dependency_kind {
    WEFT_DEPENDENCY_CONTENT, // a file that was read: what it held
    WEFT_DEPENDENCY_PRESENT, // a file that was looked for and not read: that it was there
    WEFT_DEPENDENCY_ABSENT,  // a file or folder that was looked for: that it was not there
};
struct weft_dependency {
    char *path; // absolute
    uint32_t kind;
    uint64_t hash_lo, hash_hi; // of the content; else 0
};

struct weft_program_reply {
    uint32_t status;                    // weft_status
    char *log;                          // build log; "" when there is nothing to say
    struct weft_program_object program; // when status is WEFT_OK
    bool names_the_time; // __DATE__ and the like: the same request may be answered otherwise the next time
    uint32_t dependency_count;
    struct weft_dependency *dependencies;
};

struct weft_link_request {
    char *options;
    bool create_library;
    uint32_t input_count;
    struct weft_program_object *inputs; // bitcode and metadata, no code
};

struct weft_kernel_request {
    char *kernel;
    char *options;         // of the program's build (-cl-opt-disable, -g)
    uint32_t vector_width; // 0: the machine's choice
    bool quick;            // code that is soon there rather than fast
    uint32_t form;         // enum weft_variant
    // Not 0: only for launches whose work-groups are all of this size, and whose global ids are below 2^31.
    uint32_t group[3];
    const uint8_t *bitcode; // of the program
    size_t bitcode_size;
};

struct weft_kernel_reply {
    uint32_t status;
    char *log;
    uint8_t *code; // ELF shared object, kernel_abi.h
    size_t code_size;
};

// Each `put` appends the payload to a buffer (check buf.failed); each `get` decodes one, WEFT_DAMAGED when it
// is malformed, and on success the caller owns *out and frees it with `fini` (which accepts zeroed structs).
// weft_kernel_request.bitcode, decoded, points into the payload.
struct weft_buf;
void weft_hello_put(struct weft_buf *b, const struct weft_hello *m);
weft_status weft_hello_get(struct weft_hello *out, const void *payload, size_t size);
void weft_hello_fini(struct weft_hello *m);
void weft_build_request_put(struct weft_buf *b, const struct weft_build_request *m);
weft_status weft_build_request_get(struct weft_build_request *out, const void *payload, size_t size);
void weft_build_request_fini(struct weft_build_request *m);
void weft_link_request_put(struct weft_buf *b, const struct weft_link_request *m);
weft_status weft_link_request_get(struct weft_link_request *out, const void *payload, size_t size);
void weft_link_request_fini(struct weft_link_request *m);
void weft_program_reply_put(struct weft_buf *b, const struct weft_program_reply *m);
weft_status weft_program_reply_get(struct weft_program_reply *out, const void *payload, size_t size);
void weft_program_reply_fini(struct weft_program_reply *m);
void weft_kernel_request_put(struct weft_buf *b, const struct weft_kernel_request *m);
weft_status weft_kernel_request_get(struct weft_kernel_request *out, const void *payload, size_t size);
void weft_kernel_request_fini(struct weft_kernel_request *m);
void weft_kernel_reply_put(struct weft_buf *b, const struct weft_kernel_reply *m);
weft_status weft_kernel_reply_get(struct weft_kernel_reply *out, const void *payload, size_t size);
void weft_kernel_reply_fini(struct weft_kernel_reply *m);

// One whole frame. timeout_ms < 0 waits for ever; else WEFT_TIMEOUT, after which the stream is of no more
// use. send: async-signal-safe, waits for ever for a reader; EPIPE and the like are WEFT_CRASHED, never a
// signal. receive: *payload is the caller's (weft_free); WEFT_CRASHED (closed), WEFT_DAMAGED. When the other
// side closed before it answered anything, errno is ECONNRESET if it hadn't read all that was sent to it, and
// 0 if it had.
weft_status weft_frame_send(int fd, enum weft_message type, const struct weft_buf *payload);
weft_status weft_frame_send_within(int fd, int64_t timeout_ms, enum weft_message type,
                                   const struct weft_buf *payload);
weft_status weft_frame_receive(int fd, int64_t timeout_ms, uint16_t *type, uint8_t **payload, size_t *size);

// ---- Build options (lib/base/build_options.c), parsed on both sides: the client refuses bad ones before it
// asks, weftc turns them into the front end's arguments. OpenCL 3.0 §5.8.6. ----

enum weft_option_use { WEFT_OPTIONS_BUILD, WEFT_OPTIONS_COMPILE, WEFT_OPTIONS_LINK };

struct weft_build_options {
    char **args; // accepted arguments, unquoted, in order ("-D", "X=1" joined as "-DX=1")
    uint32_t arg_count;
    uint32_t cl_std; // 100, 110, 120, 200, 300; 0: not given
    bool cpp;        // C++ for OpenCL, of the version that is compatible with OpenCL C 2.0 or 3.0
    bool opt_disable, strict_aliasing, debug, no_warnings, warnings_as_errors, mad_enable, fast_relaxed_math,
        finite_math_only, unsafe_math, denorms_are_zero, no_signed_zeros, single_precision_constant,
        correctly_rounded_divide_sqrt, uniform_work_group_size, create_library, enable_link_options, report,
        zero_private;
};
// WEFT_INVALID_OPTIONS: *reason is a sentence naming the option (the caller's, weft_free).
weft_status weft_build_options_parse(struct weft_build_options *out, const char *text,
                                     enum weft_option_use use, char **reason);
void weft_build_options_fini(struct weft_build_options *o);

#endif
