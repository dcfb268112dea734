// The protocol's messages in both directions, and its frames. What is read is written back, and then read as
// the same.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "weft/protocol.h"

#define ROUND_TRIP(type, get, put, fini)                              \
    static void type##_trip(const void *data, size_t size)            \
    {                                                                 \
        struct weft_##type one, two;                                  \
        if (get(&one, data, size) != WEFT_OK)                         \
            return;                                                   \
        struct weft_buf first = {0}, second = {0};                    \
        put(&first, &one);                                            \
        FUZZ_CHECK(!first.failed);                                    \
        FUZZ_CHECK(get(&two, first.data, first.size) == WEFT_OK);     \
        put(&second, &two);                                           \
        FUZZ_CHECK(second.size == first.size);                        \
        FUZZ_CHECK(memcmp(first.data, second.data, first.size) == 0); \
        fini(&one);                                                   \
        fini(&two);                                                   \
        weft_buf_free(&first);                                        \
        weft_buf_free(&second);                                       \
    }
ROUND_TRIP(hello, weft_hello_get, weft_hello_put, weft_hello_fini)
ROUND_TRIP(build_request, weft_build_request_get, weft_build_request_put, weft_build_request_fini)
ROUND_TRIP(link_request, weft_link_request_get, weft_link_request_put, weft_link_request_fini)
ROUND_TRIP(program_reply, weft_program_reply_get, weft_program_reply_put, weft_program_reply_fini)
ROUND_TRIP(kernel_request, weft_kernel_request_get, weft_kernel_request_put, weft_kernel_request_fini)
ROUND_TRIP(kernel_reply, weft_kernel_reply_get, weft_kernel_reply_put, weft_kernel_reply_fini)

static void frame(const uint8_t *data, size_t size)
{
    int pair[2];
    if (size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return;
    FUZZ_CHECK(send(pair[1], data, size, MSG_DONTWAIT) == (ssize_t)size);
    shutdown(pair[1], SHUT_WR);
    uint16_t type;
    uint8_t *payload = NULL;
    size_t got = 0;
    weft_status status = weft_frame_receive(pair[0], 1000, &type, &payload, &got);
    FUZZ_CHECK(status != WEFT_OK || (payload && got <= size) || got == 0);
    if (status == WEFT_OK)
        weft_free(payload);
    close(pair[0]);
    close(pair[1]);
}

bool fuzz_seed(unsigned number, uint8_t *out, size_t *size)
{
    struct weft_buf b = {0};
    char *text = (char[]){"text"};
    switch (number) {
    case 0:
        weft_hello_put(&b, &(struct weft_hello){.pid = 7, .target = text, .identity = text});
        break;
    case 1:
        weft_build_request_put(&b, &(struct weft_build_request){
                                       .source = text, .source_size = 4, .options = text, .directory = text});
        break;
    case 2:
        weft_kernel_request_put(&b, &(struct weft_kernel_request){.kernel = text,
                                                                  .options = text,
                                                                  .group = {8, 4, 2},
                                                                  .bitcode = (uint8_t *)text,
                                                                  .bitcode_size = 4});
        break;
    case 3:
        weft_program_reply_put(&b, &(struct weft_program_reply){.status = WEFT_BUILD_FAILED, .log = text});
        break;
    case 4:
        weft_kernel_reply_put(
            &b, &(struct weft_kernel_reply){.log = text, .code = (uint8_t *)text, .code_size = 4});
        break;
    case 5:
        weft_link_request_put(&b, &(struct weft_link_request){.options = text});
        break;
    case 6: {
        int pair[2];
        struct weft_buf payload = {0};
        weft_put_str(&payload, "payload");
        FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        FUZZ_CHECK(weft_frame_send(pair[0], WEFT_MSG_BUILD, &payload) == WEFT_OK);
        ssize_t n = recv(pair[1], out + 1, FUZZ_SEED_MOST - 1, 0);
        FUZZ_CHECK(n > 0);
        out[0] = 6;
        *size = (size_t)n + 1;
        weft_buf_free(&payload);
        close(pair[0]);
        close(pair[1]);
        return true;
    }
    default:
        return false;
    }
    FUZZ_CHECK(!b.failed && b.size < FUZZ_SEED_MOST);
    out[0] = (uint8_t)number;
    memcpy(out + 1, b.data, b.size);
    *size = b.size + 1;
    weft_buf_free(&b);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const messages[])(const void *, size_t) = {hello_trip,          build_request_trip,
                                                             kernel_request_trip, program_reply_trip,
                                                             kernel_reply_trip,   link_request_trip};
    if (size == 0)
        return 0;
    if (data[0] % 7 == 6)
        frame(data + 1, size - 1);
    else
        messages[data[0] % 7](data + 1, size - 1);
    return 0;
}
