// Every source of the built-in functions includes this. It has no definitions, only the lists of types and
// widths from which families of functions are made.
#ifndef WEFT_BUILTIN_H
#define WEFT_BUILTIN_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

// The bits of x as a `type`. (as_type() accepts no type that a macro makes.)
#define AS(type, x) __builtin_astype(x, type)

// Converts x to another element type, as C does. CONVERT_##n, where n may be empty.
#define CONVERT_(x, type) ((type)(x))
#define CONVERT_2(x, type) __builtin_convertvector(x, type)
#define CONVERT_3(x, type) __builtin_convertvector(x, type)
#define CONVERT_4(x, type) __builtin_convertvector(x, type)
#define CONVERT_8(x, type) __builtin_convertvector(x, type)
#define CONVERT_16(x, type) __builtin_convertvector(x, type)

// F(n, ...) for each vector width, and for the scalar, where n is empty.
#define FOR_VECTORS(F, ...) \
    F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(8, __VA_ARGS__) F(16, __VA_ARGS__)
#define FOR_WIDTHS(F, ...) F(, __VA_ARGS__) FOR_VECTORS(F, __VA_ARGS__)

// F(n, type, its unsigned type, its signed type, bits) for each integer type. EACH: FOR_WIDTHS or
// FOR_VECTORS.
#define FOR_EACH_INTEGER(EACH, F)      \
    EACH(F, char, uchar, char, 8)      \
    EACH(F, uchar, uchar, char, 8)     \
    EACH(F, short, ushort, short, 16)  \
    EACH(F, ushort, ushort, short, 16) \
    EACH(F, int, uint, int, 32)        \
    EACH(F, uint, uint, int, 32)       \
    EACH(F, long, ulong, long, 64)     \
    EACH(F, ulong, ulong, long, 64)
#define FOR_INTEGERS(F) FOR_EACH_INTEGER(FOR_WIDTHS, F)
#define FOR_INTEGER_VECTORS(F) FOR_EACH_INTEGER(FOR_VECTORS, F)

// F(n, type, integer type of the same size) for each floating-point type.
#define FOR_EACH_FLOAT(EACH, F) EACH(F, half, short) EACH(F, float, int) EACH(F, double, long)

// F(n, type, type to compute in). Halves are computed as floats and rounded once.
#define FOR_EACH_COMPUTED(EACH, F) EACH(F, half, float) EACH(F, float, float) EACH(F, double, double)

// The vector (g(x.s0), g(x.s1) ...).
#define MAP_2(V, g, x) ((V)(g((x).s0), g((x).s1)))
#define MAP_3(V, g, x) ((V)(g((x).s0), g((x).s1), g((x).s2)))
#define MAP_4(V, g, x) ((V)(g((x).s0), g((x).s1), g((x).s2), g((x).s3)))
#define MAP_8(V, g, x) \
    ((V)(g((x).s0), g((x).s1), g((x).s2), g((x).s3), g((x).s4), g((x).s5), g((x).s6), g((x).s7)))
#define MAP_16(V, g, x)                                                                                     \
    ((V)(g((x).s0), g((x).s1), g((x).s2), g((x).s3), g((x).s4), g((x).s5), g((x).s6), g((x).s7), g((x).s8), \
         g((x).s9), g((x).sa), g((x).sb), g((x).sc), g((x).sd), g((x).se), g((x).sf)))

#endif
