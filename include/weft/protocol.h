// The protocol between libweft.so and `weftc --serve`, over a stream socket pair. weftc answers requests in
// order, one at a time. Each side treats the other's bytes as untrusted. Implemented in lib/base/protocol.c.
//
// The client starts weftc with the socket as descriptor 3. weftc sends HELLO. The client sends requests.
// weftc ends as soon as the socket is closed. After a time-out or a malformed frame the client kills weftc,
// by the pid from HELLO.
#ifndef WEFT_PROTOCOL_H
#define WEFT_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/status.h"

#define WEFT_PROTOCOL_MAGIC 0x31435457u
#define WEFT_PROTOCOL_VERSION 10u // increase it with every change of a message
#define WEFT_PROTOCOL_FD 3
// The head of a file that holds a request (a reproducer): u32 this, u32 WEFT_PROTOCOL_VERSION, u32 enum
// weft_message, then the payload.
#define WEFT_REPLAY_MAGIC 0x52435457u
#define WEFT_PROTOCOL_MAX_FRAME (1ull << 31)

enum weft_message {
    WEFT_MSG_HELLO = 1,   // weftc -> client: struct weft_hello
    WEFT_MSG_BUILD,       // struct weft_build_request: run the front end on a source
    WEFT_MSG_LINK,        // struct weft_link_request: link several compiled programs into one
    WEFT_MSG_PROGRAM,     // answer to BUILD and LINK: struct weft_program_reply
    WEFT_MSG_KERNEL,      // struct weft_kernel_request: generate machine code of one kernel
    WEFT_MSG_KERNEL_CODE, // answer: struct weft_kernel_reply
    WEFT_MSG_LOCATE,      // struct weft_locate_request (fault_location.h): find the place of a fault
    WEFT_MSG_LOCATION,    // answer: struct weft_locate_reply
    // The signal handler of a dying weftc sends this instead of an answer. Payload: u32 number of the signal,
    // u32 its origin: 0: weftc itself raised it; 1: another process sent it. A weftc that dies without this
    // message was killed by SIGKILL.
    WEFT_MSG_CRASH,
};

struct weft_frame { // 24 bytes on the wire, little-endian
    uint32_t magic;
    uint16_t version;
    uint16_t type;     // enum weft_message
    uint64_t size;     // bytes of payload that follow
    uint64_t checksum; // of the payload; both sides run on the same machine
};

struct weft_hello {
    uint32_t pid;
    char *target;   // identity of the target that this weftc generates code for (weft_program_object.target)
    char *identity; // versions of Weft, LLVM and the built-in functions: a part of every cache key
};

struct weft_header { // an embedded header of clCompileProgram
    char *name;
    char *source;
    size_t size;
};

struct weft_build_request {
    bool compile_only; // clCompileProgram: unresolved functions are fine
    bool spirv;        // the source is SPIR-V, in this machine's byte order
    char *source;      // any bytes
    size_t source_size;
    char *options;   // as the application passed them
    char *directory; // the application's current directory, where relative -I and #include "" start
    // Name of the source in diagnostics; its #include "" start in the folder of that file. NULL: no name. Not
    // transmitted: sources that come through the API have no name.
    const char *name;
    // The file that debug information names as the source; embedded headers lie beside it. Without a slash it
    // is a name only, of no file. "": none
    char *debug_path;
    uint32_t header_count;
    struct weft_header *headers;
};

// What the answer to a build depends on in the file system.
enum weft_dependency_kind {
    WEFT_DEPENDENCY_CONTENT, // a file that was read: the hash of its content
    WEFT_DEPENDENCY_PRESENT, // a file that was looked for but not read: it exists
    WEFT_DEPENDENCY_ABSENT,  // a file or folder that was looked for: it doesn't exist
};
struct weft_dependency {
    char *path; // absolute
    uint32_t kind;
    uint64_t hash_lo, hash_hi; // of the content; else 0
};

struct weft_program_reply {
    uint32_t status;                    // weft_status
    char *log;                          // build log; "" if it is empty
    struct weft_program_object program; // valid if status is WEFT_OK
    // The source uses __DATE__ or the like, so the same request may get another answer the next time.
    bool uses_time_macros;
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
    char *options;         // of the program's build, such as -cl-opt-disable, -g
    uint32_t vector_width; // 0: the machine's choice
    uint32_t level;        // enum weft_code_level
    uint32_t variant;      // enum weft_variant
    bool background;       // nobody waits, so the program's own threads come first
    // Not 0: the code is needed only for launches whose work-groups all have this size and whose global ids
    // are below 2^31.
    uint32_t group[3];
    const uint8_t *bitcode; // of the program
    size_t bitcode_size;
};

struct weft_kernel_reply {
    uint32_t status;
    char *log;
    uint8_t *code; // ELF shared object, kernel_abi.h
    size_t code_size;
    uint32_t cpu_us; // processor time that the compile took, in microseconds
};

// Each `put` appends a payload to a buffer; check buf.failed afterwards. Each `get` decodes a payload, and
// returns WEFT_DAMAGED if it is malformed. After success the caller owns *out and frees it with `fini`, which
// also accepts zeroed structs. In a decoded weft_kernel_request, bitcode points into the payload.
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

// Send or receive one whole frame. timeout_ms: negative: wait for ever. After WEFT_TIMEOUT the stream can't
// be used any more.
//
// send: async-signal-safe. Waits for ever for the reader. EPIPE and the like are reported as WEFT_CRASHED and
// never raise a signal.
//
// receive: *payload is the caller's (weft_free). WEFT_CRASHED: the other side has closed the socket;
// WEFT_DAMAGED: malformed. If it closed before any byte of an answer, errno is ECONNRESET if it had not read
// all that was sent to it, and 0 if it had.
weft_status weft_frame_send(int fd, enum weft_message type, const struct weft_buf *payload);
weft_status weft_frame_send_within(int fd, int64_t timeout_ms, enum weft_message type,
                                   const struct weft_buf *payload);
weft_status weft_frame_receive(int fd, int64_t timeout_ms, uint16_t *type, uint8_t **payload, size_t *size);

// ---- Build options (lib/base/build_options.c): OpenCL 3.0 §5.8.6. Both sides parse them. The client rejects
// bad options before it sends a request. weftc turns them into arguments of the front end. ----

enum weft_option_use { WEFT_OPTIONS_BUILD, WEFT_OPTIONS_COMPILE, WEFT_OPTIONS_LINK };

struct weft_build_options {
    char **args; // accepted arguments in order, without quotes ("-D", "X=1" becomes "-DX=1")
    uint32_t arg_count;
    uint32_t cl_std; // 100, 110, 120, 200, 300; 0: no -cl-std
    bool cpp;        // C++ for OpenCL, in the version that is compatible with OpenCL C 2.0 or 3.0
    bool opt_disable, strict_aliasing, debug, no_warnings, warnings_as_errors, mad_enable, fast_relaxed_math,
        finite_math_only, unsafe_math, denorms_are_zero, no_signed_zeros, single_precision_constant,
        correctly_rounded_divide_sqrt, uniform_work_group_size, create_library, enable_link_options, report,
        zero_private, lines, count;
    uint32_t check; // -weft-check: a set of kinds (weft/checker.h)
    // denorms_are_zero is set for unsafe_math and fast_relaxed_math, too.
};
// WEFT_INVALID_OPTIONS: *reason is a sentence that names the option; the caller frees it with weft_free.
weft_status weft_build_options_parse(struct weft_build_options *out, const char *text,
                                     enum weft_option_use use, char **reason);
void weft_build_options_fini(struct weft_build_options *o);

#endif
