// Outcomes that components report to each other. Only the runtime turns them into OpenCL error codes.
#ifndef WEFT_STATUS_H
#define WEFT_STATUS_H

// X(name, text for people)
#define WEFT_STATUS_LIST(X)                                    \
    X(OK, "success")                                           \
    X(NO_MEMORY, "out of memory")                              \
    X(NO_RESOURCES, "out of resources")                        \
    X(INVALID, "invalid value")                                \
    X(INVALID_OPTIONS, "invalid build options")                \
    X(BUILD_FAILED, "the program does not compile")            \
    X(LINK_FAILED, "the program does not link")                \
    X(UNSUPPORTED, "not supported")                            \
    X(DAMAGED, "damaged data")                                 \
    X(STALE, "made by another version or for another machine") \
    X(IO, "input/output error")                                \
    X(TIMEOUT, "time limit exceeded")                          \
    X(CRASHED, "the compiler process ended unexpectedly")      \
    X(NOT_FOUND, "not found")                                  \
    X(INTERNAL, "internal error")

typedef enum weft_status {
#define WEFT_STATUS_ENUM(name, text) WEFT_##name,
    WEFT_STATUS_LIST(WEFT_STATUS_ENUM)
#undef WEFT_STATUS_ENUM
} weft_status;

// The sentence for a status; never NULL. Any thread.
const char *weft_status_text(weft_status s);

#endif
