// RUN: --emit=prepare -k by_element
// RUN: --check-prefix=WHOLE --emit=prepare -k by_vector
// RUN: --check-prefix=TWO --emit=prepare -k eight
// RUN: --check-prefix=NONE --emit=prepare -k no_dot_products
// Sums of four products of bytes become dot products; their bytes are loaded as words.

// CHECK: [[X:%.*]] = load i32, ptr
// CHECK: [[Y:%.*]] = load i32, ptr
// CHECK: [[DOT:%.*]] = call i32 @weft.math.dot.ss(i32 [[X]], i32 [[Y]])
// CHECK-NOT: mul
// CHECK: add i32 {{(%n, )?}}[[DOT]]
// CHECK: ret
kernel void by_element(global const char4 *a, global const char4 *b, global int *out, int n)
{
    size_t i = get_global_id(0);
    char4 x = a[i], y = b[i];
    out[i] = x.z * y.z + x.y * y.y + n + (x.w * y.w + x.x * y.x);
}

// The operand with signed bytes is the second one.
// WHOLE: [[X:%.*]] = load i32, ptr
// WHOLE: [[Y:%.*]] = load i32, ptr
// WHOLE: call i32 @weft.math.dot.us(i32 [[Y]], i32 [[X]])
// WHOLE: ret
kernel void by_vector(global const char4 *a, global const uchar4 *b, global int *out)
{
    size_t i = get_global_id(0);
    int4 p = convert_int4(a[i]) * convert_int4(b[i]);
    out[i] = p.x + p.y + p.z + p.w;
}

// TWO: call i32 @weft.math.dot.uu
// TWO: call i32 @weft.math.dot.uu
// TWO-NOT: mul
// TWO: ret
kernel void eight(global const uchar8 *a, global const uchar8 *b, global int *out)
{
    size_t i = get_global_id(0);
    int8 p = convert_int8(a[i]) * convert_int8(b[i]);
    out[i] = p.s0 + p.s1 + p.s2 + p.s3 + p.s4 + p.s5 + p.s6 + p.s7;
}

// Bytes of unlike places; only three products; a product that is used twice.
// NONE-NOT: weft.math.dot
// NONE: ret
kernel void no_dot_products(global const char4 *a, global const char4 *b, global int *out)
{
    size_t i = get_global_id(0);
    char4 x = a[i], y = b[i];
    out[3 * i] = x.x * y.y + x.y * y.x + x.z * y.z + x.w * y.w;
    out[3 * i + 1] = x.x * y.x + x.y * y.y + x.z * y.z;
    int shared = y.w * y.w;
    out[3 * i + 2] = y.x * y.x + y.y * y.y + y.z * y.z + shared * 5 + shared;
}
