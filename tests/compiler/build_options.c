// The table of build options: which are valid, which are errors, how words are split. OpenCL 3.0 §5.8.6.
#include "base/base.h"
#include "harness.h"
#include "weft/protocol.h"

static struct weft_build_options parse_ok(const char *text, enum weft_option_use use)
{
    struct weft_build_options o;
    char *reason;
    weft_status status = weft_build_options_parse(&o, text, use, &reason);
    if (status != WEFT_OK)
        FAIL("'%s' is refused: %s", text, reason ? reason : "no memory");
    return o;
}

TEST(every_option_of_the_specification_is_accepted_and_so_are_names_of_warnings)
{
    static const char *const all[] = {"-D X",
                                      "-DX",
                                      "-D X=1",
                                      "-DX=1",
                                      "-D 'F(x)=x'",
                                      "-I dir",
                                      "-Idir",
                                      "-cl-single-precision-constant",
                                      "-cl-denorms-are-zero",
                                      "-cl-fp32-correctly-rounded-divide-sqrt",
                                      "-cl-opt-disable",
                                      "-cl-strict-aliasing",
                                      "-cl-uniform-work-group-size",
                                      "-cl-no-subgroup-ifp",
                                      "-cl-mad-enable",
                                      "-cl-no-signed-zeros",
                                      "-cl-unsafe-math-optimizations",
                                      "-cl-finite-math-only",
                                      "-cl-fast-relaxed-math",
                                      "-w",
                                      "-Werror",
                                      "-Wall",
                                      "-Wno-unused-variable",
                                      "-Werror=unused",
                                      "-cl-std=CL1.1",
                                      "-cl-std=CL1.2",
                                      "-cl-std=CL2.0",
                                      "-cl-std=CL3.0",
                                      "-cl-kernel-arg-info",
                                      "-g",
                                      "-cl-ext=+cl_khr_fp64,-cl_khr_fp16"};
    for (size_t i = 0; i < WEFT_COUNT_OF(all); i++) {
        struct weft_build_options o = parse_ok(all[i], WEFT_OPTIONS_BUILD);
        CHECK_EQ(o.arg_count, 1);
        weft_build_options_fini(&o);
        o = parse_ok(all[i], WEFT_OPTIONS_COMPILE);
        weft_build_options_fini(&o);
    }
}

TEST(unknown_and_dangerous_options_are_refused)
{
    static const char *const all[] = {"-foo",
                                      "foo",
                                      "-Xclang",
                                      "-mllvm",
                                      "-fplugin=x.so",
                                      "-o x",
                                      "-include x.h",
                                      "@file",
                                      "-cl-std=CL9.9",
                                      "-cl-std=",
                                      "-cl-ext=cl_khr_fp64",
                                      "-cl-ext=+",
                                      "-D",
                                      "-I",
                                      "-D 1X",
                                      "-D \"\"",
                                      "-create-library",
                                      "-cl-fast",
                                      "-cl-fast-relaxed-mathx",
                                      "-W",
                                      "-W=x",
                                      "-Wa@file",
                                      "-Wl,/tmp/x",
                                      "-O3",
                                      "-",
                                      "\"-D X"};
    for (size_t i = 0; i < WEFT_COUNT_OF(all); i++) {
        struct weft_build_options o;
        char *reason;
        if (weft_build_options_parse(&o, all[i], WEFT_OPTIONS_BUILD, &reason) != WEFT_INVALID_OPTIONS)
            FAIL("'%s' passes", all[i]);
        CHECK(reason != NULL && strlen(reason) > 0);
        CHECK_EQ(o.arg_count, 0);
        weft_free(reason);
    }
}

TEST(flags_are_set_and_the_last_standard_wins)
{
    struct weft_build_options o = parse_ok(
        " -cl-std=CL1.1\t-g -w\n-cl-opt-disable -cl-std=CL3.0 -cl-fast-relaxed-math ", WEFT_OPTIONS_BUILD);
    CHECK_EQ(o.cl_std, 300);
    CHECK(o.debug);
    CHECK(o.no_warnings);
    CHECK(o.opt_disable);
    CHECK(o.fast_relaxed_math);
    CHECK(!o.mad_enable);
    CHECK_EQ(o.arg_count, 6);
    weft_build_options_fini(&o);
}

TEST(words_are_split_and_unquoted)
{
    struct weft_build_options o = parse_ok(
        "-D \"A=b c\" -DB='\"q\"' -D C=\\\"x\\\" -I \"with space\" -I a\\ b -D D=x\\y", WEFT_OPTIONS_BUILD);
    static const char *const expected[] = {"-DA=b c",      "-DB=\"q\"", "-DC=\"x\"",
                                           "-Iwith space", "-Ia b",     "-DD=x\\y"};
    CHECK_EQ(o.arg_count, WEFT_COUNT_OF(expected));
    for (uint32_t i = 0; i < o.arg_count; i++)
        CHECK_STR(o.args[i], expected[i]);
    weft_build_options_fini(&o);
}

TEST(the_reason_names_what_is_wrong)
{
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"-D", "value"}, {"-D 1x", "1x"}, {"-D \"X", "quote"}, {"\"-w", "quote"}, {"-nothing", "-nothing"}};
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        struct weft_build_options o;
        char *reason;
        CHECK_EQ(weft_build_options_parse(&o, bad[i].text, WEFT_OPTIONS_BUILD, &reason),
                 WEFT_INVALID_OPTIONS);
        if (!reason || !strstr(reason, bad[i].word))
            FAIL("'%s' is refused with: %s", bad[i].text, reason ? reason : "nothing");
        weft_free(reason);
    }
}

TEST(nothing_is_no_option)
{
    struct weft_build_options o = parse_ok(NULL, WEFT_OPTIONS_BUILD);
    CHECK_EQ(o.arg_count, 0);
    weft_build_options_fini(&o);
    o = parse_ok("  \t ", WEFT_OPTIONS_LINK);
    CHECK_EQ(o.arg_count, 0);
    weft_build_options_fini(&o);
}

TEST(link_options_are_their_own)
{
    struct weft_build_options o = parse_ok("-create-library -enable-link-options", WEFT_OPTIONS_LINK);
    CHECK(o.create_library);
    CHECK(o.enable_link_options);
    weft_build_options_fini(&o);
    char *reason;
    static const char *const bad[] = {"-D X",  "-cl-std=CL1.2",        "-w",
                                      "-Wall", "-enable-link-options", "-cl-opt-disable"};
    for (size_t i = 0; i < WEFT_COUNT_OF(bad); i++) {
        if (weft_build_options_parse(&o, bad[i], WEFT_OPTIONS_LINK, &reason) != WEFT_INVALID_OPTIONS)
            FAIL("'%s' passes", bad[i]);
        weft_free(reason);
    }
}

TEST(no_allocation_may_fail_unnoticed)
{
    static const char text[] = "-D A=1 -I x -cl-std=CL1.2 -cl-fast-relaxed-math -D B";
    for (uint64_t n = 1;; n++) {
        struct weft_build_options o;
        char *reason;
        weft_alloc_fail_at(n);
        weft_status status = weft_build_options_parse(&o, text, WEFT_OPTIONS_BUILD, &reason);
        weft_alloc_fail_at(0);
        if (status == WEFT_OK) {
            CHECK_EQ(o.arg_count, 5);
            weft_build_options_fini(&o);
            CHECK_GT(n, 5);
            return;
        }
        CHECK_EQ(status, WEFT_NO_MEMORY);
        CHECK_EQ(o.arg_count, 0);
        weft_free(reason);
    }
}
