// cross, dot, length, distance, normalize and their fast_ versions (6.13.5), computed in the type of the
// operands.
//
// length and normalize must not overflow or underflow unless the result does. This is done without a branch:
// the sum of squares decides whether the vector must be scaled by a power of two, and a second sum is
// computed from the scaled vector.
#include "../builtin.h"

// Sums with fused products if the machine has them.
#define SUM_(x, y) ((x) * (y))
#define SUM_2(x, y) ((x).s0 * (y).s0 + (x).s1 * (y).s1)
#define SUM_3(x, y) ((x).s0 * (y).s0 + (x).s1 * (y).s1 + (x).s2 * (y).s2)
#define SUM_4(x, y) ((x).s0 * (y).s0 + (x).s1 * (y).s1 + (x).s2 * (y).s2 + (x).s3 * (y).s3)
#define FOR_SMALL(F, ...) F(, __VA_ARGS__) F(2, __VA_ARGS__) F(3, __VA_ARGS__) F(4, __VA_ARGS__)

#define DOT(n, T)                                                                                                      \
  T OVERLOAD dot(T##n x, T##n y) {                                                                                     \
    _Pragma("OPENCL FP_CONTRACT ON") return SUM_##n(x, y);                                                             \
  }
FOR_SMALL(DOT, float)
FOR_SMALL(DOT, double)

#define CROSS(T)                                                                                                       \
  T##3 OVERLOAD cross(T##3 x, T##3 y) { return x.yzx * y.zxy - x.zxy * y.yzx; }                                        \
  T##4 OVERLOAD cross(T##4 x, T##4 y) { return (T##4)(cross(x.xyz, y.xyz), (T)0); }
CROSS(float)
CROSS(double)

// up * (the greatest number that needs scaling up) must be far from overflow. up * (the smallest denormal),
// squared, must be normal.
struct scale_float {
  float small, big, up, down;
};
static constant const struct scale_float for_float = {0x1p-96f, 0x1p96f, 0x1p100f, 0x1p-100f};
struct scale_double {
  double small, big, up, down;
};
static constant const struct scale_double for_double = {0x1p-800, 0x1p800, 0x1p700, 0x1p-700};

#define LENGTH(n, T, I)                                                                                                \
  T OVERLOAD length(T##n x) {                                                                                          \
    T sum = dot(x, x);                                                                                                 \
    T scale = sum < for_##T.small ? for_##T.up : sum > for_##T.big ? for_##T.down : (T)1;                              \
    T unscale = sum < for_##T.small ? for_##T.down : sum > for_##T.big ? for_##T.up : (T)1;                            \
    x *= scale;                                                                                                        \
    return __builtin_elementwise_sqrt(dot(x, x)) * unscale;                                                            \
  }                                                                                                                    \
  T OVERLOAD distance(T##n x, T##n y) { return length(x - y); }
#define LENGTH_SCALAR(T)                                                                                               \
  T OVERLOAD length(T x) { return __builtin_elementwise_abs(x); }                                                      \
  T OVERLOAD distance(T x, T y) { return __builtin_elementwise_abs(x - y); }
LENGTH_SCALAR(half)
LENGTH_SCALAR(float)
LENGTH_SCALAR(double)
LENGTH(2, float, int)
LENGTH(3, float, int)
LENGTH(4, float, int)
LENGTH(2, double, long)
LENGTH(3, double, long)
LENGTH(4, double, long)

// If an element is infinite, infinite elements count as one and finite ones as zero. If the sum is zero, the
// vector is zero and is returned unchanged. Elements far smaller than the length keep their bits: a vector is
// scaled down only for the sum, and scaled itself after the division.
#define NORMALIZE(n, T, I)                                                                                             \
  T##n OVERLOAD normalize(T##n x) {                                                                                    \
    T sum = dot(x, x);                                                                                                 \
    T up = sum < for_##T.small ? for_##T.up : (T)1, down = sum > for_##T.big ? for_##T.down : (T)1;                    \
    x *= up;                                                                                                           \
    T##n scaled = x * down;                                                                                            \
    T##n infinite = __builtin_elementwise_copysign(                                                                    \
        __builtin_elementwise_abs(x) == (T##n)((T)INFINITY) ? (T##n)((T)1) : (T##n)((T)0), x);                         \
    bool any_infinite = dot(scaled, scaled) == (T)INFINITY;                                                            \
    x = (I##n)(any_infinite ? -1 : 0) ? infinite : x;                                                                  \
    scaled = (I##n)(any_infinite ? -1 : 0) ? infinite : scaled;                                                        \
    down = any_infinite ? (T)1 : down;                                                                                 \
    sum = dot(scaled, scaled);                                                                                         \
    return x * (sum == (T)0 ? (T)1 : (T)1 / __builtin_elementwise_sqrt(sum)) * down;                                   \
  }
NORMALIZE(2, float, int)
NORMALIZE(3, float, int)
NORMALIZE(4, float, int)
NORMALIZE(2, double, long)
NORMALIZE(3, double, long)
NORMALIZE(4, double, long)
#define NORMALIZE_SCALAR(T)                                                                                            \
  T OVERLOAD normalize(T x) {                                                                                          \
    T one = __builtin_elementwise_copysign((T)1, x);                                                                   \
    return x == x && x != (T)0 ? one : x;                                                                              \
  }
NORMALIZE_SCALAR(half)
NORMALIZE_SCALAR(float)
NORMALIZE_SCALAR(double)

// Halves are summed as floats, where the squares can't overflow, and rounded once.
#define HALF_DOT(n, unused)                                                                                            \
  half OVERLOAD dot(half##n x, half##n y) { return (half)dot(CONVERT_##n(x, float##n), CONVERT_##n(y, float##n)); }
FOR_SMALL(HALF_DOT, )
#define HALF_LENGTH(n)                                                                                                 \
  static inline half length_of##n(float##n x) { return (half)__builtin_elementwise_sqrt(dot(x, x)); }                     \
  half OVERLOAD length(half##n x) { return length_of##n(CONVERT_##n(x, float##n)); }                                   \
  half OVERLOAD distance(half##n x, half##n y) {                                                                       \
    return length_of##n(CONVERT_##n(x, float##n) - CONVERT_##n(y, float##n));                                          \
  }                                                                                                                    \
  half##n OVERLOAD normalize(half##n x) { return CONVERT_##n(normalize(CONVERT_##n(x, float##n)), half##n); }
HALF_LENGTH(2)
HALF_LENGTH(3)
HALF_LENGTH(4)
half3 OVERLOAD cross(half3 x, half3 y) {
  return CONVERT_3(cross(CONVERT_3(x, float3), CONVERT_3(y, float3)), half3);
}
half4 OVERLOAD cross(half4 x, half4 y) {
  return CONVERT_4(cross(CONVERT_4(x, float4), CONVERT_4(y, float4)), half4);
}

#define FAST(n)                                                                                                        \
  float OVERLOAD fast_length(float##n x) { return __builtin_elementwise_sqrt(dot(x, x)); }                             \
  float OVERLOAD fast_distance(float##n x, float##n y) { return fast_length(x - y); }                                  \
  float##n OVERLOAD fast_normalize(float##n x) {                                                                       \
    float sum = dot(x, x);                                                                                             \
    return x * (sum == 0.0f ? 1.0f : 1.0f / __builtin_elementwise_sqrt(sum));                                          \
  }
FAST(2)
FAST(3)
FAST(4)
float OVERLOAD fast_length(float x) { return length(x); }
float OVERLOAD fast_distance(float x, float y) { return distance(x, y); }
float OVERLOAD fast_normalize(float x) { return normalize(x); }
