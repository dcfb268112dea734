// Messages and frames: what is put comes out again, and damage never gets further than a status.
#include "base/base.h"
#include "harness.h"
#include "weft/fault_location.h"
#include "weft/protocol.h"

#include <pthread.h>
#include <sys/socket.h>

static struct weft_build_request sample_build(struct weft_header *headers)
{
    headers[0] = (struct weft_header){(char[]){"a.h"}, (char[]){"A"}, 1};
    return (struct weft_build_request){.compile_only = true,
                                       .source = (char *)(uintptr_t)"x\0y",
                                       .source_size = 3,
                                       .options = (char *)(uintptr_t)"-w",
                                       .directory = (char *)(uintptr_t)"/d",
                                       .header_count = 1,
                                       .headers = headers};
}

TEST(a_build_request_survives_the_trip)
{
    struct weft_header headers[1];
    static char name[] = "a.h", text[] = "A";
    struct weft_build_request m = sample_build(headers), out;
    headers[0] = (struct weft_header){name, text, 1};
    struct weft_buf b = {0};
    weft_build_request_put(&b, &m);
    CHECK(!b.failed);
    CHECK_EQ(weft_build_request_get(&out, b.data, b.size), WEFT_OK);
    CHECK(out.compile_only);
    CHECK_EQ(out.source_size, 3);
    CHECK_MEM(out.source, "x\0y", 4);
    CHECK_STR(out.options, "-w");
    CHECK_STR(out.directory, "/d");
    CHECK_EQ(out.header_count, 1);
    CHECK_STR(out.headers[0].name, "a.h");
    CHECK_STR(out.headers[0].source, "A");
    weft_build_request_fini(&out);
    weft_buf_free(&b);
}

TEST(a_kernel_reply_survives_the_trip)
{
    static uint8_t code[] = {1, 2, 3};
    static char log[] = "fine";
    struct weft_kernel_reply m = {.log = log, .code = code, .code_size = 3}, out;
    struct weft_buf b = {0};
    weft_kernel_reply_put(&b, &m);
    CHECK_EQ(weft_kernel_reply_get(&out, b.data, b.size), WEFT_OK);
    CHECK_EQ(out.status, WEFT_OK);
    CHECK_STR(out.log, "fine");
    CHECK_EQ(out.code_size, 3);
    CHECK_MEM(out.code, code, 3);
    weft_kernel_reply_fini(&out);
    weft_buf_free(&b);
}

TEST(a_request_for_the_place_of_a_fault_survives_the_trip)
{
    static char kernel[] = "k", options[] = "-g";
    static const uint8_t bitcode[] = {1, 2, 3, 4};
    static struct weft_locate_request m, out;
    m.kernel = (struct weft_kernel_request){
        .kernel = kernel, .options = options, .bitcode = bitcode, .bitcode_size = sizeof bitcode};
    m.code_hash[1] = 7;
    m.state.instruction = 0x1234;
    m.state.registers[WEFT_FAULT_REGISTERS - 1] = 99;
    m.state.stack_begin = 0x5000;
    m.state.stack_bytes = 3;
    memcpy(m.state.stack, "abc", 3);
    struct weft_buf b = {0};
    weft_locate_request_put(&b, &m);
    CHECK(!b.failed);
    CHECK_EQ(weft_locate_request_get(&out, b.data, b.size), WEFT_OK);
    CHECK_STR(out.kernel.kernel, "k");
    CHECK_EQ(out.kernel.bitcode_size, sizeof bitcode);
    CHECK_EQ(out.code_hash[1], 7);
    CHECK_EQ(out.state.instruction, 0x1234);
    CHECK_EQ(out.state.registers[WEFT_FAULT_REGISTERS - 1], 99);
    CHECK_EQ(out.state.stack_bytes, 3);
    CHECK_MEM(out.state.stack, "abc", 3);
    weft_locate_request_fini(&out);
    for (size_t n = 0; n < b.size; n++) {
        CHECK_EQ(weft_locate_request_get(&out, b.data, n), WEFT_DAMAGED);
        b.data[n] ^= 0xff;
        if (weft_locate_request_get(&out, b.data, b.size) == WEFT_OK)
            weft_locate_request_fini(&out);
        b.data[n] ^= 0xff;
    }
    weft_buf_free(&b);
}

TEST(the_place_of_a_fault_survives_the_trip)
{
    static char log[] = "", file[] = "k.cl";
    struct weft_locate_reply m = {.log = log,
                                  .location = {.file = file,
                                               .line = 12,
                                               .known = {true, false, true},
                                               .first = {16, 0, 3},
                                               .last = {31, 0, 3}}},
                             out;
    struct weft_buf b = {0};
    weft_locate_reply_put(&b, &m);
    CHECK_EQ(weft_locate_reply_get(&out, b.data, b.size), WEFT_OK);
    CHECK_STR(out.location.file, "k.cl");
    CHECK_EQ(out.location.line, 12);
    CHECK(out.location.known[0] && !out.location.known[1] && out.location.known[2]);
    CHECK_EQ(out.location.last[0], 31);
    weft_locate_reply_fini(&out);
    for (size_t n = 0; n < b.size; n++)
        CHECK_EQ(weft_locate_reply_get(&out, b.data, n), WEFT_DAMAGED);
    weft_buf_free(&b);
    m.location.first[0] = 32; // after the last one
    weft_locate_reply_put(&b, &m);
    CHECK_EQ(weft_locate_reply_get(&out, b.data, b.size), WEFT_DAMAGED);
    weft_buf_free(&b);
}

TEST(success_without_code_is_damage)
{
    static char log[] = "";
    struct weft_kernel_reply m = {.log = log}, out;
    struct weft_buf b = {0};
    weft_kernel_reply_put(&b, &m);
    CHECK_EQ(weft_kernel_reply_get(&out, b.data, b.size), WEFT_DAMAGED);
    weft_buf_free(&b);
}

TEST(a_program_reply_survives_the_trip)
{
    static char log[] = "warning", path[] = "/x.h", target[] = "t", options[] = "-g", name[] = "k",
                nothing[] = "";
    static uint8_t bitcode[] = "BC";
    struct weft_arg_meta arg = {.name = name,
                                .type_name = name,
                                .kind = WEFT_ARG_VALUE,
                                .addr_qual = WEFT_ADDR_PRIVATE,
                                .access_qual = WEFT_ACCESS_NONE,
                                .size = 4,
                                .align = 4};
    struct weft_kernel_meta kernel = {.name = name,
                                      .attributes = nothing,
                                      .vec_type_hint = nothing,
                                      .args_size = 8,
                                      .arg_count = 1,
                                      .args = &arg};
    struct weft_dependency dependency = {path, WEFT_DEPENDENCY_ABSENT, 5, 6};
    struct weft_program_reply m = {.log = log,
                                   .program = {.binary_type = WEFT_BINARY_EXECUTABLE,
                                               .target = target,
                                               .options = options,
                                               .bitcode = bitcode,
                                               .bitcode_size = 2,
                                               .kernel_count = 1,
                                               .kernels = &kernel},
                                   .uses_time_macros = true,
                                   .dependency_count = 1,
                                   .dependencies = &dependency},
                              out;
    struct weft_buf b = {0};
    weft_program_reply_put(&b, &m);
    CHECK(!b.failed);
    CHECK_EQ(weft_program_reply_get(&out, b.data, b.size), WEFT_OK);
    CHECK_STR(out.log, "warning");
    CHECK_EQ(out.program.kernel_count, 1);
    CHECK_STR(out.program.kernels[0].args[0].name, "k");
    CHECK(out.uses_time_macros);
    CHECK_EQ(out.dependency_count, 1);
    CHECK_EQ(out.dependencies[0].kind, WEFT_DEPENDENCY_ABSENT);
    CHECK_STR(out.dependencies[0].path, "/x.h");
    CHECK_EQ(out.dependencies[0].hash_hi, 6);
    weft_program_reply_fini(&out);

    // Every shorter message, and every message with one byte changed, is an error or is another valid one;
    // neither reads outside of it (the sanitizers watch).
    for (size_t n = 0; n < b.size; n++) {
        CHECK_EQ(weft_program_reply_get(&out, b.data, n), WEFT_DAMAGED);
        b.data[n] ^= 0xff;
        if (weft_program_reply_get(&out, b.data, b.size) == WEFT_OK)
            weft_program_reply_fini(&out);
        b.data[n] ^= 0xff;
    }
    weft_buf_free(&b);
}

TEST(every_cut_of_a_build_request_is_damage)
{
    struct weft_header headers[1];
    static char name[] = "a.h", text[] = "A";
    struct weft_build_request m = sample_build(headers), out;
    headers[0] = (struct weft_header){name, text, 1};
    struct weft_buf b = {0};
    weft_build_request_put(&b, &m);
    for (size_t n = 0; n < b.size; n++)
        CHECK_EQ(weft_build_request_get(&out, b.data, n), WEFT_DAMAGED);
    weft_put_u8(&b, 0);
    CHECK_EQ(weft_build_request_get(&out, b.data, b.size), WEFT_DAMAGED);
    weft_buf_free(&b);
}

TEST(a_lying_count_allocates_nothing)
{
    struct weft_buf b = {0};
    weft_put_str(&b, "");
    weft_put_u8(&b, 0);
    weft_put_u32(&b, UINT32_MAX);
    struct weft_link_request out;
    CHECK_EQ(weft_link_request_get(&out, b.data, b.size), WEFT_DAMAGED);
    weft_buf_free(&b);
}

// ---- Frames ----

static void make_pair(int pair[2])
{
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

static void *send_big(void *arg)
{
    struct weft_buf b = {0};
    for (uint32_t i = 0; i < 2000000; i++)
        weft_put_u32(&b, i);
    weft_status status = weft_frame_send(*(int *)arg, WEFT_MSG_BUILD, &b);
    weft_buf_free(&b);
    return (void *)(uintptr_t)status;
}

TEST(a_frame_larger_than_the_socket_arrives_whole)
{
    int pair[2];
    make_pair(pair);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, send_big, &pair[0]), 0);
    uint16_t type;
    uint8_t *payload;
    size_t size;
    CHECK_EQ(weft_frame_receive(pair[1], 20000, &type, &payload, &size), WEFT_OK);
    CHECK_EQ(type, WEFT_MSG_BUILD);
    CHECK_EQ(size, 8000000);
    struct weft_reader r = weft_reader_of(payload, size);
    for (uint32_t i = 0; i < 2000000; i++)
        CHECK_EQ(weft_get_u32(&r), i);
    weft_free(payload);
    void *status;
    pthread_join(thread, &status);
    CHECK_EQ((uintptr_t)status, WEFT_OK);
}

TEST(silence_times_out_and_a_closed_end_is_reported)
{
    int pair[2];
    make_pair(pair);
    uint16_t type;
    uint8_t *payload;
    size_t size;
    double start = harness_seconds();
    CHECK_EQ(weft_frame_receive(pair[1], 50, &type, &payload, &size), WEFT_TIMEOUT);
    CHECK_GE(harness_seconds() - start, 0.045);
    close(pair[0]);
    CHECK_EQ(weft_frame_receive(pair[1], 1000, &type, &payload, &size), WEFT_CRASHED);
    CHECK_EQ(weft_frame_receive(pair[1], -1, &type, &payload, &size), WEFT_CRASHED);
    struct weft_buf b = {0};
    weft_put_u32(&b, 1);
    CHECK_EQ(weft_frame_send(pair[1], WEFT_MSG_BUILD, &b), WEFT_CRASHED);
    weft_buf_free(&b);
}

TEST(a_reader_that_does_not_read_times_out)
{
    int pair[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    struct weft_buf b = {.size = 8u << 20, .capacity = 8u << 20};
    b.data = weft_zalloc(b.size);
    CHECK(b.data);
    CHECK_EQ(weft_frame_send_within(pair[0], 50, WEFT_MSG_BUILD, &b), WEFT_TIMEOUT);
    close(pair[1]);
    CHECK_EQ(weft_frame_send_within(pair[0], 50, WEFT_MSG_BUILD, &b), WEFT_CRASHED);
    weft_buf_free(&b);
    close(pair[0]);
}

TEST(a_frame_with_any_byte_changed_is_refused)
{
    int pair[2];
    make_pair(pair);
    struct weft_buf b = {0};
    weft_put_str(&b, "payload");
    CHECK_EQ(weft_frame_send(pair[0], WEFT_MSG_BUILD, &b), WEFT_OK);
    uint8_t frame[64];
    ssize_t n = recv(pair[1], frame, sizeof frame, 0);
    CHECK_EQ(n, (ssize_t)(24 + b.size));
    weft_buf_free(&b);
    for (ssize_t i = 0; i < n; i++) {
        if (i == 6 || i == 7) // the type: any is a frame
            continue;
        int to[2];
        make_pair(to);
        frame[i] ^= 0x10;
        CHECK_EQ(send(to[0], frame, (size_t)n, 0), n);
        close(to[0]);
        frame[i] ^= 0x10;
        uint16_t type;
        uint8_t *payload;
        size_t size;
        weft_status status = weft_frame_receive(to[1], 1000, &type, &payload, &size);
        // A size that grew waits for bytes that never come.
        CHECK(status == WEFT_DAMAGED || status == WEFT_CRASHED);
        close(to[1]);
    }
}
