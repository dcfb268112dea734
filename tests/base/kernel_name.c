// The first kernel of a source, among what looks like one.
#include "base/text/kernel_name.h"

#include "base/base.h"
#include "harness.h"

static void check_name(const char *source, const char *wanted)
{
    char *name = weft_first_kernel_name(source);
    CHECK_STR(name ? name : "(none)", wanted);
    weft_free(name);
}

TEST(the_first_kernel_is_found)
{
    check_name("kernel void f(global int *a) {}", "f");
    check_name("int g(int x) { return x; }\n__kernel\nvoid  f (void) {} kernel void h() {}", "f");
    check_name("static kernel void f_2(int a) {}", "f_2");
}

TEST(attributes_are_no_names)
{
    check_name("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f() {}", "f");
    check_name("kernel void __attribute__((vec_type_hint(float4))) f() {}", "f");
    check_name("__attribute__((noinline)) int g() { return 1; } kernel void f() {}", "f");
}

TEST(comments_texts_and_lines_of_the_preprocessor_are_skipped)
{
    check_name("// kernel void old()\n/* kernel void older() */ kernel void f() {}", "f");
    check_name("// joined \\\nkernel void old()\nkernel void f() {}", "f");
    check_name("#define MAKE(n) kernel void n() {}\nkernel void f() {}", "f");
    check_name("#define MAKE(n) \\\n    kernel void n() {}\nkernel void f() {}", "f");
    check_name("constant char t[] = \"\\\" kernel void t()\"; kernel void f() {}", "f");
    check_name("constant char c = '\"'; kernel void f() {} constant char d = '\"';", "f");
    check_name("kernel /* void g() */ void // void h()\n f(void) {}", "f");
}

TEST(other_uses_of_the_word_are_none)
{
    check_name("float kernel_size(int x); kernel void f() {}", "f");
    check_name("struct s { int kernel; }; void g(struct s *p) { p->kernel = (1); } kernel void f() {}", "f");
    check_name("", "(none)");
    check_name("kernel", "(none)");
    check_name("kernel (", "(none)");
    check_name("kernel __attribute__((", "(none)");
    check_name("void f() {} /* kernel void g()", "(none)");
    check_name("\"kernel void g() {}", "(none)");
}
