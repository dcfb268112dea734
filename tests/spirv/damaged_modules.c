// Modules that are damaged. The result is an error, a failed build whose log says why, or a program; and the
// next build works.
// timeout: 240
// env: WEFT_CACHE=0
#include "spirv.h"

#include <sys/stat.h>
#include <unistd.h>

static cl_int create_error(struct e2e *t, const struct module *m)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithIL(t->context, m->bytes, m->size, &error);
    if (p)
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(p != NULL, error == CL_SUCCESS);
    return error;
}

static void put_word(struct module *m, size_t at, cl_uint w)
{
    memcpy(m->bytes + 4 * at, &w, sizeof w);
}

TEST(bad_arguments_are_refused)
{
    struct e2e t = e2e_open();
    const struct module *m = read_module("saxpy");
    cl_int error = 1;
    CHECK(clCreateProgramWithIL(NULL, m->bytes, m->size, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK(clCreateProgramWithIL(t.context, NULL, m->size, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithIL(t.context, m->bytes, 0, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_VALUE);
    CHECK(clCreateProgramWithIL(t.context, NULL, 0, NULL) == NULL);
    e2e_close(&t);
}

TEST(what_is_no_module_is_refused_when_it_is_created)
{
    struct e2e t = e2e_open();
    const struct module good = *read_module("saxpy");
    struct module m = good;
    for (m.size = 1; m.size < 20; m.size++)
        CHECK_EQ(create_error(&t, &m), CL_INVALID_VALUE);
    m.size = good.size - 4; // the last instruction is missing, which is well-formed;
    CHECK_EQ(create_error(&t, &m), CL_SUCCESS);
    m.size = good.size - 2; // but not a part of a word
    CHECK_EQ(create_error(&t, &m), CL_INVALID_VALUE);
    static const struct {
        size_t word;
        cl_uint value;
    } damage[] = {
        {0, 0x07230204},                                                    // magic
        {1, 0x00020000}, {1, 0x00010700}, {1, 0x01010000}, {1, 0x00010001}, // versions
        {3, 0},          {3, 0xffffffff},                                   // bound
        {4, 1},                                                             // schema
        {5, 0},          {5, 0xffff0011},                                   // word count
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        m = good;
        put_word(&m, damage[i].word, damage[i].value);
        CHECK_EQ(create_error(&t, &m), CL_INVALID_VALUE);
    }
    CHECK_EQ(create_error(&t, &good), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_module_that_cannot_be_translated_fails_to_build)
{
    struct e2e t = e2e_open();
    struct module m = *read_module("saxpy");
    put_word(&m, 5, 0x00020000 | 0x7fff); // an instruction that nobody knows
    cl_program p = new_il(&t, &m);
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(e2e_log(&t, p), "SPIR-V") != NULL);
    CHECK(strstr(e2e_log(&t, p), "#0 0x") == NULL); // not the translator's stack
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}

// Some words set to other values, always the same ones.
TEST(damaged_modules_hurt_nobody)
{
    struct e2e t = e2e_open();
    const struct module good = *read_module("saxpy");
    unsigned seed = 1;
    int built = 0;
    for (int i = 0; i < 60; i++) {
        struct module m = good;
        seed = seed * 1664525u + 1013904223u;
        size_t at = 5 + (seed >> 8) % (m.size / 4 - 5);
        seed = seed * 1664525u + 1013904223u;
        put_word(&m, at, i % 3 ? seed >> 24 : seed);
        cl_int error = 1;
        cl_program p = clCreateProgramWithIL(t.context, m.bytes, m.size, &error);
        if (p) {
            error = clBuildProgram(p, 0, NULL, "", NULL, NULL);
            CHECK(error == CL_SUCCESS || error == CL_BUILD_PROGRAM_FAILURE);
            CHECK(error == CL_SUCCESS || strlen(e2e_log(&t, p)) > 0);
            built += error == CL_SUCCESS;
            CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
        } else {
            CHECK_EQ(error, CL_INVALID_VALUE);
        }
    }
    CHECK_LT(built, 60);
    cl_program p = new_il(&t, &good);
    build(&t, p, "");
    check_saxpy(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_works(&t, "");
    e2e_close(&t);
}

TEST(a_translator_that_fails_without_a_word_is_named)
{
    setenv("WEFT_LLVM_SPIRV", "/bin/false", 1);
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("saxpy"));
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(&t, p),
                   "the translator /bin/false failed with exit status 1 and didn't say why\n");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// Its files are in memory.
TEST(a_translator_that_never_stops_writing_is_stopped)
{
    char script[] = "/tmp/weft-translator-XXXXXX";
    static const char text[] = "#!/bin/sh\nexec cat /dev/zero\n";
    int fd = mkstemp(script);
    CHECK_GE(fd, 0);
    CHECK_EQ(write(fd, text, sizeof text - 1), sizeof text - 1);
    CHECK_EQ(fchmod(fd, 0700), 0);
    CHECK_EQ(close(fd), 0);
    setenv("WEFT_LLVM_SPIRV", script, 1);
    setenv("WEFT_CACHE", "0", 1);
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("saxpy"));
    CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    if (!strstr(e2e_log(&t, p), "File size limit exceeded"))
        FAIL("%s", e2e_log(&t, p));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(unlink(script), 0);
    e2e_close(&t);
}
