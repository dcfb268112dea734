// printf of kernels: OpenCL 2.2 C §6.13.13.
#include "runtime/launch/printf.h"

#include <errno.h>
#include <locale.h>

#include "denied_call.h"
#include "harness.h"
#include "weft/fault.h"

static struct weft_buf blob;

static void add(enum weft_printf_kind kind, uint8_t size, uint16_t count, const void *data)
{
    struct weft_printf_arg head = {.kind = (uint8_t)kind, .size = size, .count = count};
    static const char zeros[8];
    weft_buf_append(&blob, &head, sizeof head);
    weft_buf_append(&blob, data, (size_t)size * count);
    weft_buf_append(&blob, zeros, (8 - (size_t)size * count % 8) % 8);
}

static void add_int(int v)
{
    add(WEFT_PRINTF_INT, 4, 1, &v);
}

static void add_double(double v)
{
    add(WEFT_PRINTF_FLOAT, 8, 1, &v);
}

// What the format gives with the arguments added since the last call.
static const char *print(const char *format)
{
    static char *text;
    struct weft_buf out = {0};
    weft_printf_format(&out, format, blob.data, blob.size);
    free(text);
    text = weft_buf_take(&out, NULL);
    weft_buf_free(&blob);
    return text;
}

TEST(integers)
{
    add_int(42);
    CHECK_STR(print("%d"), "42");
    add_int(-42);
    CHECK_STR(print("[%6d]"), "[   -42]");
    add_int(42);
    CHECK_STR(print("[%-6d]"), "[42    ]");
    add_int(42);
    CHECK_STR(print("[%+06d]"), "[+00042]");
    add_int(42);
    CHECK_STR(print("[% d]"), "[ 42]");
    add_int(42);
    CHECK_STR(print("[%8.5d]"), "[   00042]");
    add_int(-1);
    CHECK_STR(print("%u"), "4294967295");
    add_int(255);
    CHECK_STR(print("%#x"), "0xff");
    add_int(255);
    CHECK_STR(print("%#X"), "0XFF");
    add_int(8);
    CHECK_STR(print("%#o"), "010");
    add_int(-5);
    CHECK_STR(print("%i"), "-5");
    add_int(300);
    CHECK_STR(print("%hhd"), "44");
    add_int(-1);
    CHECK_STR(print("%hu"), "65535");
    int64_t big = INT64_MIN;
    add(WEFT_PRINTF_INT, 8, 1, &big);
    CHECK_STR(print("%ld"), "-9223372036854775808");
    add(WEFT_PRINTF_INT, 8, 1, &big);
    CHECK_STR(print("%lx"), "8000000000000000");
    add(WEFT_PRINTF_INT, 8, 1, &big);
    CHECK_STR(print("%zx"), "8000000000000000");
    add(WEFT_PRINTF_INT, 8, 1, &big);
    CHECK_STR(print("%td"), "-9223372036854775808");
    add(WEFT_PRINTF_INT, 8, 1, &big);
    CHECK_STR(print("[%-22zd]"), "[-9223372036854775808  ]");
    add_int('a');
    CHECK_STR(print("[%c][%%]"), "[a][%]");
    add_int('a');
    CHECK_STR(print("[%3c]"), "[  a]");
}

TEST(several_conversions_and_plain_text)
{
    add_int(1);
    add_double(2.5);
    add_int(3);
    CHECK_STR(print("a %d b %.1f c %d d\n"), "a 1 b 2.5 c 3 d\n");
    CHECK_STR(print("no conversion at all"), "no conversion at all");
    CHECK_STR(print(""), "");
}

TEST(floating_point)
{
    add_double(3.14159265);
    CHECK_STR(print("%f"), "3.141593");
    add_double(3.14159265);
    CHECK_STR(print("[%10.2f]"), "[      3.14]");
    add_double(3.14159265);
    CHECK_STR(print("[%-10.2f]"), "[3.14      ]");
    add_double(-3.5);
    CHECK_STR(print("[%08.2f]"), "[-0003.50]");
    add_double(1e10);
    CHECK_STR(print("%e"), "1.000000e+10");
    add_double(1e10);
    CHECK_STR(print("%G"), "1E+10");
    add_double(0.0001);
    CHECK_STR(print("%g"), "0.0001");
    add_double(1.0);
    CHECK_STR(print("%a"), "0x1p+0");
    add_double(-0.0);
    CHECK_STR(print("%f"), "-0.000000");
    add_double(5);
    CHECK_STR(print("%#.0f"), "5.");
    float f = 1.5f;
    add(WEFT_PRINTF_FLOAT, 4, 1, &f);
    CHECK_STR(print("%f"), "1.500000");
    uint16_t h[] = {0x3c00, 0xc000, 0x7c00, 0x0001};
    add(WEFT_PRINTF_FLOAT, 2, 4, h);
    CHECK_STR(print("%v4hg"), "1,-2,inf,5.96046e-08");
}

TEST(infinities_and_nan)
{
    add_double(INFINITY);
    CHECK_STR(print("%f"), "inf");
    add_double(-INFINITY);
    CHECK_STR(print("%F"), "-INF");
    add_double(NAN);
    CHECK_STR(print("%f"), "nan");
    add_double(-NAN);
    CHECK_STR(print("%e"), "nan");
    add_double(INFINITY);
    CHECK_STR(print("[%08.3f]"), "[     inf]");
    add_double(INFINITY);
    CHECK_STR(print("[%-8a]"), "[inf     ]");
}

TEST(vectors)
{
    int i4[] = {1, -2, 3, 4};
    add(WEFT_PRINTF_INT, 4, 4, i4);
    CHECK_STR(print("%v4hld"), "1,-2,3,4");
    add(WEFT_PRINTF_INT, 4, 4, i4);
    CHECK_STR(print("[%v4hlx]"), "[1,fffffffe,3,4]");
    float f4[] = {1, 2, 3, 4};
    add(WEFT_PRINTF_FLOAT, 4, 4, f4);
    CHECK_STR(print("f4 = %2.2v4hlf\n"), "f4 = 1.00,2.00,3.00,4.00\n");
    unsigned char uc4[] = {0xfa, 0xfb, 0xfc, 0xfd};
    add(WEFT_PRINTF_INT, 1, 4, uc4);
    CHECK_STR(print("uc4 = %#v4hhx\n"), "uc4 = 0xfa,0xfb,0xfc,0xfd\n");
    add(WEFT_PRINTF_INT, 1, 4, uc4);
    CHECK_STR(print("%v4hhd"), "-6,-5,-4,-3");
    unsigned short us3[] = {0x1234, 0x8765, 0xffff};
    add(WEFT_PRINTF_INT, 2, 3, us3);
    CHECK_STR(print("unsigned short = %#v3hx"), "unsigned short = 0x1234,0x8765,0xffff");
    int64_t l2[] = {1, -1};
    add(WEFT_PRINTF_INT, 8, 2, l2);
    CHECK_STR(print("%v2ld"), "1,-1");
    double d2[] = {0.5, NAN};
    add(WEFT_PRINTF_FLOAT, 8, 2, d2);
    CHECK_STR(print("%5.1v2lf"), "  0.5,  nan");
    int i16[16];
    for (int i = 0; i < 16; i++)
        i16[i] = i;
    add(WEFT_PRINTF_INT, 4, 16, i16);
    CHECK_STR(print("%v16hld"), "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
}

TEST(strings_and_pointers)
{
    const char *s = "weft";
    add(WEFT_PRINTF_POINTER, 8, 1, &s);
    CHECK_STR(print("%s"), "weft");
    add(WEFT_PRINTF_POINTER, 8, 1, &s);
    CHECK_STR(print("[%6s]"), "[  weft]");
    add(WEFT_PRINTF_POINTER, 8, 1, &s);
    CHECK_STR(print("[%-6.2s]"), "[we    ]");
    const void *p = (const void *)0xabc;
    add(WEFT_PRINTF_POINTER, 8, 1, &p);
    CHECK_STR(print("%p"), "0xabc");
    const char *null = NULL;
    add(WEFT_PRINTF_POINTER, 8, 1, &null);
    CHECK_STR(print("%s"), "(null)");
    char *longer = malloc(100000);
    memset(longer, 'y', 99999);
    longer[99999] = '\0';
    add(WEFT_PRINTF_POINTER, 8, 1, &longer);
    CHECK_EQ(strlen(print("%s")), 99999u);
    free(longer);
}

TEST(a_bad_string_pointer_is_survived)
{
    const char *bad = (const char *)0x1234;
    add(WEFT_PRINTF_POINTER, 8, 1, &bad);
    CHECK_STR(print("[%s]"), "[]");
    bad = (const char *)UINTPTR_MAX;
    add(WEFT_PRINTF_POINTER, 8, 1, &bad);
    CHECK_STR(print("[%s]"), "[]");
}

TEST(a_bad_string_pointer_is_survived_where_looking_is_forbidden)
{
    DENY_CALL(SYS_process_vm_readv, EPERM);
    weft_fault_install();
    const char *good = "string", *bad = (const char *)0x1234;
    add(WEFT_PRINTF_POINTER, 8, 1, &good);
    CHECK_STR(print("[%s]"), "[string]");
    add(WEFT_PRINTF_POINTER, 8, 1, &bad);
    CHECK_STR(print("[%s]"), "[]");
}

TEST(formats_and_arguments_that_do_not_fit)
{
    CHECK_STR(print("[%d]"), "[]"); // no argument
    add_double(1.0);
    CHECK_STR(print("[%d]"), "[]");
    add_int(1);
    CHECK_STR(print("[%f]"), "[]");
    add_int(1);
    CHECK_STR(print("[%n]"), "[%n]");
    CHECK_STR(print("%"), "%");
    CHECK_STR(print("%5"), "%5");
    add_int(1);
    CHECK_STR(print("[%v5d]"), "[%v5d]");
    add_int(7);
    CHECK_EQ(strlen(print("%999999999d")), 4096u); // cut, not a gigabyte
}

TEST(damaged_blobs_are_survived)
{
    uint64_t state = 1;
    for (int round = 0; round < HARNESS_SCALE(20000); round++) {
        add_int(5);
        add_double(2.5);
        int i4[] = {1, 2, 3, 4};
        add(WEFT_PRINTF_INT, 4, 4, i4);
        for (int n = 0; n < 3; n++)
            blob.data[harness_random(&state) % blob.size] ^= (uint8_t)(1u << harness_random(&state) % 8);
        blob.size -= harness_random(&state) % 20;
        CHECK(print("%d %f %v4hld %s %c") != NULL);
    }
}

TEST(the_locale_of_the_application_does_not_matter)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        setlocale(LC_ALL, ""); // whatever there is
    add_double(0.5);
    CHECK_STR(print("%.1f"), "0.5");
}
