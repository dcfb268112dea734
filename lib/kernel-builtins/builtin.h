// What every source of the built-in functions includes. No definitions, only the lists of types that families
// are made of.
#ifndef WEFT_BUILTIN_H
#define WEFT_BUILTIN_H

#define OVERLOAD __attribute__((overloadable))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define AS(type, x) __builtin_astype(x, type)

// F(type, width suffix) for the vector widths, and for the scalar too: N is empty, 2, 3, 4, 8 or 16.
#define FOR_VECTORS(F, ...) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__) F(8, __VA_ARGS__) F(16, __VA_ARGS__)
#define FOR_WIDTHS(F, ...) F(, __VA_ARGS__) FOR_VECTORS(F, __VA_ARGS__)

// F(n, type, its unsigned type, its signed type, bits) for each integer type and width.
#define FOR_INTEGERS(F)                                                                                                \
  FOR_WIDTHS(F, char, uchar, char, 8)                                                                                  \
  FOR_WIDTHS(F, uchar, uchar, char, 8)                                                                                 \
  FOR_WIDTHS(F, short, ushort, short, 16)                                                                              \
  FOR_WIDTHS(F, ushort, ushort, short, 16)                                                                             \
  FOR_WIDTHS(F, int, uint, int, 32)                                                                                    \
  FOR_WIDTHS(F, uint, uint, int, 32)                                                                                   \
  FOR_WIDTHS(F, long, ulong, long, 64)                                                                                 \
  FOR_WIDTHS(F, ulong, ulong, long, 64)

#endif
