// write_imagef, write_imagei, write_imageui (OpenCL C 3.0 §6.15.15.5; conversions §8.3). Writes outside of
// the image are dropped.
#include "image.h"

// most: what encodes 1.
INLINE uint4 rounded(float4 v, float4 most, float least) {
  v *= most;
  v = (float4)(limited(v.x, least, most.x), limited(v.y, least, most.y), limited(v.z, least, most.z),
               limited(v.w, least, most.w));
  return AS(uint4, __builtin_convertvector(__builtin_elementwise_rint(v), int4));
}

static constant float intensities[] = {
#include "weft/srgb.inc"
};

// The code with the nearest intensity: the number of thresholds between codes that lie below it. NaN: 0. All
// channels are in one loop: unrolled, this was a third of a write's code.
INLINE uint4 srgb_codes(float4 v) {
  uint4 code = (uint4)(0);
#pragma nounroll
  for (uint step = 128; step; step >>= 1) {
    code.x += v.x > intensities[2 * (code.x + step) - 1] ? step : 0;
    code.y += v.y > intensities[2 * (code.y + step) - 1] ? step : 0;
    code.z += v.z > intensities[2 * (code.z + step) - 1] ? step : 0;
  }
  return code;
}
// Alpha has the same position in both orders.
INLINE uint4 of_srgb(float4 v) {
  return (uint4)(srgb_codes(v).xyz, rounded(v, 255.0f, 0.0f).w);
}

// NaN becomes 0, also where negative numbers are allowed.
INLINE float4 numeric(float4 v) {
  return (float4)(v.x == v.x ? v.x : 0.0f, v.y == v.y ? v.y : 0.0f, v.z == v.z ? v.z : 0.0f, v.w == v.w ? v.w : 0.0f);
}

// For each coding that rounds: what encodes 1 (in the second channel of 565 it has a bit more), the least
// number, and where the first two channels lie in packed texels.
struct encoding {
  float most, most_second, least;
  uint first, second;
};
static constant struct encoding encodings[] = {
    [WEFT_IMAGE_U8] = {255.0f, 255.0f, 0.0f, 0, 0},
    [WEFT_IMAGE_S8] = {127.0f, 127.0f, -128.0f, 0, 0},
    [WEFT_IMAGE_U16] = {65535.0f, 65535.0f, 0.0f, 0, 0},
    [WEFT_IMAGE_S16] = {32767.0f, 32767.0f, -32768.0f, 0, 0},
    [WEFT_IMAGE_565] = {31.0f, 63.0f, 0.0f, 11, 5},
    [WEFT_IMAGE_555] = {31.0f, 31.0f, 0.0f, 10, 5},
    [WEFT_IMAGE_101010] = {1023.0f, 1023.0f, 0.0f, 20, 10},
};

// Numbers of all codings that are rounded: one code, since most of it is the same.
INLINE uint4 bits_of_rounded(image im, float4 v) {
  const constant struct encoding *e = &encodings[im->coding];
  uint4 n = rounded(numeric(v), (float4)(e->most, e->most_second, e->most, e->most), e->least);
  switch (im->coding) {
  case WEFT_IMAGE_U8:
  case WEFT_IMAGE_S8:
    return of_bytes(n);
  case WEFT_IMAGE_U16:
  case WEFT_IMAGE_S16:
    return of_shorts(n);
  default:
    return (uint4)(n.x << e->first | n.y << e->second | n.z, 0, 0, 0);
  }
}

// A texel's bits, for the kinds that aren't common.
INLINE uint4 bits_of_floats(image im, float4 v) {
  v = AS(float4, arranged_for_memory(AS(uint4, v), im->order));
  switch (im->coding) {
  case WEFT_IMAGE_FLOAT:
    return AS(uint4, v);
  case WEFT_IMAGE_HALF:
    return of_shorts((uint4)(AS(ushort, (half)v.x), AS(ushort, (half)v.y), AS(ushort, (half)v.z), AS(ushort, (half)v.w)));
  case WEFT_IMAGE_SRGB:
    return of_bytes(of_srgb(v));
  default:
    return bits_of_rounded(im, v);
  }
}

INLINE uint4 bits_of_ints(image im, int4 v) {
  v = AS(int4, arranged_for_memory(AS(uint4, v), im->order));
  switch (im->coding) {
  case WEFT_IMAGE_S8:
    return of_bytes(AS(uint4, __builtin_elementwise_min(__builtin_elementwise_max(v, (int4)(-128)), (int4)(127))));
  case WEFT_IMAGE_S16:
    return of_shorts(AS(uint4, __builtin_elementwise_min(__builtin_elementwise_max(v, (int4)(-32768)), (int4)(32767))));
  default:
    return AS(uint4, v);
  }
}

INLINE uint4 bits_of_uints(image im, uint4 v) {
  v = arranged_for_memory(v, im->order);
  switch (im->coding) {
  case WEFT_IMAGE_U8:
    return of_bytes(__builtin_elementwise_min(v, (uint4)(255)));
  case WEFT_IMAGE_U16:
    return of_shorts(__builtin_elementwise_min(v, (uint4)(65535)));
  default:
    return v;
  }
}

// Both orders of eight-bit channels share their code. v: numbers of a byte.
INLINE uint word_in_order(image im, uint4 v) {
  const uint first = im->common == WEFT_IMAGE_BGRA8 ? v.z : v.x, third = v.x ^ v.z ^ first;
  return first | v.y << 8 | third << 16 | v.w << 24;
}

// The numbers of channels that are unsigned bytes.
INLINE uint4 bytes_of_floats(float4 v) { return rounded(v, 255.0f, 0.0f); }
INLINE uint4 bytes_of_ints(int4 v) { return AS(uint4, v) & 0xff; } // no common image has signed ones
INLINE uint4 bytes_of_uints(uint4 v) { return __builtin_elementwise_min(v, (uint4)(255)); }

// Stores a texel of a kind that isn't common. All images of 16 bytes are common.
INLINE void store_uncommon(image im, global uchar *row, int x, uint4 bits) {
  switch (im->texel_bytes) {
  case 4:
    ((global uint_anywhere *)row)[x] = bits.x;
    break;
  case 8:
    ((global uint2_anywhere *)row)[x] = bits.xy;
    break;
  case 2:
    ((global ushort_anywhere *)row)[x] = (ushort)bits.x;
    break;
  default:
    row[x] = (uchar)bits.x;
  }
}

// Common kinds come first: one branch leads to their store.
#define WRITE_TEXEL(KIND, V)                                                                                           \
  INLINE void write_##KIND(image im, int dims, int4 c, int layer, V v) {                                               \
    if (!(is_in(im, dims, c.x, c.y, c.z) & is_below(layer, im->layers)))                                               \
      return;                                                                                                          \
    global uchar *row = row_of(im, dims < 2 ? 0 : c.y, dims < 3 ? 0 : c.z, layer);                                     \
    switch (im->common) {                                                                                              \
    case WEFT_IMAGE_RGBA8:                                                                                             \
    case WEFT_IMAGE_BGRA8:                                                                                             \
      ((global uint_anywhere *)row)[c.x] = word_in_order(im, bytes_of_##KIND(v));                                      \
      break;                                                                                                           \
    case WEFT_IMAGE_RGBA32:                                                                                            \
      ((global uint4_anywhere *)row)[c.x] = AS(uint4, v);                                                              \
      break;                                                                                                           \
    case WEFT_IMAGE_R32:                                                                                               \
      ((global uint_anywhere *)row)[c.x] = AS(uint4, v).x;                                                             \
      break;                                                                                                           \
    case WEFT_IMAGE_R8:                                                                                                \
      row[c.x] = (uchar)bytes_of_##KIND(v).x;                                                                          \
      break;                                                                                                           \
    default:                                                                                                           \
      store_uncommon(im, row, c.x, bits_of_##KIND(im, v));                                                             \
    }                                                                                                                  \
  }
WRITE_TEXEL(floats, float4)
WRITE_TEXEL(ints, int4)
WRITE_TEXEL(uints, uint4)

// The names are Clang's mangled names: images are special types in the language. SAME: the abbreviation in a
// mangled name if the second parameter type equals the first.
#define WRITE_AS(NAME, V, CODE, KIND, IMAGE, INT, CI, DIMS, AT, LAYER)                                                 \
  void w##NAME##_##IMAGE(image im, CI c, V v) __asm__("_Z" #NAME #IMAGE #INT CODE);                                    \
  void w##NAME##_##IMAGE(image im, CI c, V v) {                                                                        \
    write_##KIND(im, DIMS, AT(int4, c), LAYER, v);                                                                     \
  }
#define WRITE_ONE(SAME, ...)                                                                                           \
  WRITE_AS(12write_imagef, float4, "Dv4_f", floats, __VA_ARGS__)                                                       \
  WRITE_AS(12write_imagei, int4, SAME, ints, __VA_ARGS__)                                                              \
  WRITE_AS(13write_imageui, uint4, "Dv4_j", uints, __VA_ARGS__)
#define WRITE(SAME, WO, RW, ...) WRITE_ONE(SAME, WO, __VA_ARGS__) WRITE_ONE(SAME, RW, __VA_ARGS__)
#define DEPTH(WO, RW, ...)                                                                                             \
  WRITE_AS(12write_imagef, float, "f", floats, WO, __VA_ARGS__)                                                        \
  WRITE_AS(12write_imagef, float, "f", floats, RW, __VA_ARGS__)
#define AT1(V, c) (V)(c, 0, 0, 0)
#define AT1A(V, c) (V)((c).x, 0, 0, 0)
#define AT2(V, c) (V)(c, 0, 0)
#define AT4(V, c) c

WRITE("Dv4_i", 14ocl_image1d_wo, 14ocl_image1d_rw, i, int, 1, AT1, 0)
WRITE("Dv4_i", 21ocl_image1d_buffer_wo, 21ocl_image1d_buffer_rw, i, int, 1, AT1, 0)
WRITE("Dv4_i", 20ocl_image1d_array_wo, 20ocl_image1d_array_rw, Dv2_i, int2, 1, AT1A, c.y)
WRITE("Dv4_i", 14ocl_image2d_wo, 14ocl_image2d_rw, Dv2_i, int2, 2, AT2, 0)
WRITE("S0_", 20ocl_image2d_array_wo, 20ocl_image2d_array_rw, Dv4_i, int4, 2, AT4, c.z)
WRITE("S0_", 14ocl_image3d_wo, 14ocl_image3d_rw, Dv4_i, int4, 3, AT4, 0)
DEPTH(20ocl_image2d_depth_wo, 20ocl_image2d_depth_rw, Dv2_i, int2, 2, AT2, 0)
DEPTH(26ocl_image2d_array_depth_wo, 26ocl_image2d_array_depth_rw, Dv4_i, int4, 2, AT4, c.z)

// Writes to a level of a mipmapped image. Does nothing if the image doesn't have that level.
#define LEVEL_AS(NAME, V, CODE, KIND, IMAGE, INT, CI, DIMS, AT, LAYER)                                                 \
  void l##NAME##_##IMAGE(image im, CI c, int lod, V v) __asm__("_Z" #NAME #IMAGE #INT "i" CODE);                       \
  void l##NAME##_##IMAGE(image im, CI c, int lod, V v) {                                                               \
    if (is_below(lod, im->levels))                                                                                     \
      write_##KIND(im + lod, DIMS, AT(int4, c), LAYER, v);                                                             \
  }
#define LEVEL_ONE(SAME, ...)                                                                                           \
  LEVEL_AS(12write_imagef, float4, "Dv4_f", floats, __VA_ARGS__)                                                       \
  LEVEL_AS(12write_imagei, int4, SAME, ints, __VA_ARGS__)                                                              \
  LEVEL_AS(13write_imageui, uint4, "Dv4_j", uints, __VA_ARGS__)
#define LEVEL(SAME, WO, RW, ...) LEVEL_ONE(SAME, WO, __VA_ARGS__) LEVEL_ONE(SAME, RW, __VA_ARGS__)
#define LEVEL_DEPTH(WO, RW, ...)                                                                                       \
  LEVEL_AS(12write_imagef, float, "f", floats, WO, __VA_ARGS__)                                                        \
  LEVEL_AS(12write_imagef, float, "f", floats, RW, __VA_ARGS__)

LEVEL("Dv4_i", 14ocl_image1d_wo, 14ocl_image1d_rw, i, int, 1, AT1, 0)
LEVEL("Dv4_i", 20ocl_image1d_array_wo, 20ocl_image1d_array_rw, Dv2_i, int2, 1, AT1A, c.y)
LEVEL("Dv4_i", 14ocl_image2d_wo, 14ocl_image2d_rw, Dv2_i, int2, 2, AT2, 0)
LEVEL("S0_", 20ocl_image2d_array_wo, 20ocl_image2d_array_rw, Dv4_i, int4, 2, AT4, c.z)
LEVEL("S0_", 14ocl_image3d_wo, 14ocl_image3d_rw, Dv4_i, int4, 3, AT4, 0)
LEVEL_DEPTH(20ocl_image2d_depth_wo, 20ocl_image2d_depth_rw, Dv2_i, int2, 2, AT2, 0)
LEVEL_DEPTH(26ocl_image2d_array_depth_wo, 26ocl_image2d_array_depth_rw, Dv4_i, int4, 2, AT4, c.z)
