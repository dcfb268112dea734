// read_imagef (OpenCL C 3.0 §6.15.15.3, §6.15.15.4; filters §8.2; conversions §8.3).
#include "image.h"

static constant float intensities[] = {
#include "weft/srgb.inc"
};

INLINE float4 of_halves(uint4 s) {
  return (float4)(AS(half, (ushort)s.x), AS(half, (ushort)s.y), AS(half, (ushort)s.z), AS(half, (ushort)s.w));
}
INLINE float4 of_srgb(uint4 b) {
  return (float4)(intensities[2 * b.x], intensities[2 * b.y], intensities[2 * b.z], (float)b.w * (1.0f / 255));
}
INLINE float4 of_565(uint x) {
  return (float4)((float)(x >> 11) * (1.0f / 31), (float)(x >> 5 & 63) * (1.0f / 63), (float)(x & 31) * (1.0f / 31), 0.0f);
}
INLINE float4 of_555(uint x) {
  return (float4)((float)(x >> 10 & 31), (float)(x >> 5 & 31), (float)(x & 31), 0.0f) * (1.0f / 31);
}
INLINE float4 of_101010(uint x) {
  return (float4)((float)(x >> 20 & 1023), (float)(x >> 10 & 1023), (float)(x & 1023), 0.0f) * (1.0f / 1023);
}

// The numbers of `count` texels, not yet multiplied by im->scale. One switch serves all of them. The lowest
// signed number means -1, as the one above it does.
INLINE void numbers_of(image im, int count, const __private uint4 *bits, __private float4 *v) {
#define EACH(number)                                                                                                   \
  _Pragma("unroll") for (int k = 0; k < count; k++) v[k] = number;                                                     \
  break
  switch (im->coding) {
  case WEFT_IMAGE_U8:
    EACH(__builtin_convertvector(bytes_of(bits[k]), float4));
  case WEFT_IMAGE_FLOAT:
    EACH(AS(float4, bits[k]));
  case WEFT_IMAGE_S8:
    EACH(__builtin_elementwise_max(__builtin_convertvector(signed_bytes_of(bits[k]), float4), (float4)(-127.0f)));
  case WEFT_IMAGE_U16:
    EACH(__builtin_convertvector(shorts_of(bits[k]), float4));
  case WEFT_IMAGE_S16:
    EACH(__builtin_elementwise_max(__builtin_convertvector(signed_shorts_of(bits[k]), float4), (float4)(-32767.0f)));
  case WEFT_IMAGE_HALF:
    EACH(of_halves(shorts_of(bits[k])));
  case WEFT_IMAGE_SRGB:
    EACH(of_srgb(bytes_of(bits[k])));
  case WEFT_IMAGE_565:
    EACH(of_565(bits[k].x));
  case WEFT_IMAGE_555:
    EACH(of_555(bits[k].x));
  default:
    EACH(of_101010(bits[k].x));
  }
#undef EACH
}

INLINE float4 finished(image im, float4 numbers) {
  return AS(float4, arranged(AS(uint4, numbers * im->scale), im->order, 0x3f800000));
}

INLINE float4 numbers_of_rgba8(uint bits) { return __builtin_convertvector(bytes_of((uint4)(bits, 0, 0, 0)), float4); }
INLINE float4 of_rgba8(uint bits) { return numbers_of_rgba8(bits) * (1.0f / 255); }

INLINE float4 texel_of(image im, struct place p) {
  switch (im->common) {
  case WEFT_IMAGE_RGBA8:
    return of_rgba8(word_of(p));
  case WEFT_IMAGE_BGRA8:
    return of_rgba8(word_of(p)).zyxw;
  case WEFT_IMAGE_RGBA32:
    return AS(float4, words4_of(p));
  case WEFT_IMAGE_R32:
    return (float4)(AS(float, word_of(p)), 0, 0, 1);
  case WEFT_IMAGE_RGBA16F:
    return of_halves(shorts_of(words2_of(p)));
  case WEFT_IMAGE_R8:
    return (float4)((float)byte_of(p) * (1.0f / 255), 0, 0, 1);
  }
  uint4 bits = bits_of(im, p);
  float4 v;
  numbers_of(im, 1, &bits, &v);
  return finished(im, v);
}

// The sum of the corners' numbers, each times its weight.
INLINE float4 blended(int dims, const __private float4 *v, float x, float y, float z) {
  float4 sum = (float4)(0.0f);
#pragma unroll
  for (int k = 0; k < 1 << dims; k++) {
    float weight = k & 1 ? x : 1.0f - x;
    if (dims > 1)
      weight *= k >> 1 & 1 ? y : 1.0f - y;
    if (dims > 2)
      weight *= k >> 2 & 1 ? z : 1.0f - z;
    sum = k ? mad((float4)(weight), v[k], sum) : weight * v[k];
  }
  return sum;
}

// Loads two neighbouring RGBA8 texels of a row, which has two at least, with one load.
INLINE void pair_of_rgba8(const global uchar *row, int n, struct spot x, __private uint *texels) {
  int base = within(x.at[0], 0, n - 2);
  ulong both = *(const global ulong_anywhere *)(row + 4 * (long)base);
  uint low = (uint)both, high = (uint)(both >> 32);
  texels[0] = x.at[0] == base ? low : high;
  texels[1] = x.at[1] == base ? low : high;
}

INLINE float4 read_filtered(image im, uint s, int dims, float4 c, int layer) {
  struct spot x = linear(s, c.x, im->size[0]), y = {{0, 0}, {true, true}, 0}, z = y;
  if (dims > 1)
    y = linear(s, c.y, im->size[1]);
  if (dims > 2)
    z = linear(s, c.z, im->size[2]);
  const int corners = 1 << dims;
  uint4 bits[8];
  float4 v[8];
  if (is_rgba8(im)) {
    uint texels[8];
    if (!is_repeat(s) & (im->size[0] > 1)) {
#pragma unroll
      for (int k = 0; k < corners; k += 2)
        pair_of_rgba8(row_of(im, y.at[k >> 1 & 1], z.at[k >> 2 & 1], layer), im->size[0], x, texels + k);
    } else {
#pragma unroll
      for (int k = 0; k < corners; k++)
        texels[k] =
            ((const global uint_anywhere *)row_of(im, y.at[k >> 1 & 1], z.at[k >> 2 & 1], layer))[x.at[k & 1]];
    }
#pragma unroll
    for (int k = 0; k < corners; k++)
      v[k] = numbers_of_rgba8((x.in[k & 1] & y.in[k >> 1 & 1] & z.in[k >> 2 & 1]) ? texels[k] : 0);
    return blended(dims, v, x.part, y.part, z.part) * (1.0f / 255);
  }
  // One switch serves all of them; see load_bits.
#define EACH(load)                                                                                                     \
  _Pragma("unroll") for (int k = 0; k < corners; k++) {                                                                \
    const global uchar *row = row_of(im, y.at[k >> 1 & 1], z.at[k >> 2 & 1], layer);                                   \
    int at = x.at[k & 1];                                                                                              \
    bits[k] = load;                                                                                                    \
  }                                                                                                                    \
  break
  switch (im->texel_bytes) {
  case 4:
    EACH((uint4)(((const global uint_anywhere *)row)[at], 0, 0, 0));
  case 16:
    EACH(((const global uint4_anywhere *)row)[at]);
  case 8:
    EACH((uint4)(((const global uint2_anywhere *)row)[at], 0, 0));
  case 2:
    EACH((uint4)(((const global ushort_anywhere *)row)[at], 0, 0, 0));
  default:
    EACH((uint4)(row[at], 0, 0, 0));
  }
#undef EACH
  if (has_border(s)) {
#pragma unroll
    for (int k = 0; k < corners; k++)
      bits[k] = (x.in[k & 1] & y.in[k >> 1 & 1] & z.in[k >> 2 & 1]) ? bits[k] : (uint4)(0);
  }
  numbers_of(im, corners, bits, v);
  return finished(im, blended(dims, v, x.part, y.part, z.part));
}

INLINE float4 read_float(image im, sampler smp, int dims, float4 c, int layer) {
  uint s = number_of(smp);
  if (s & WEFT_SAMPLER_LINEAR)
    return read_filtered(im, s, dims, c, layer);
  return texel_of(im, place_near(im, s, dims, c, layer));
}

INLINE float4 read_plain(image im, int dims, int4 c, int layer) {
  if (is_rgba8(im))
    return of_rgba8(word_of(place_at(im, false, dims, c.x, c.y, c.z, layer)));
  return texel_of(im, place_inside(im, dims, c.x, c.y, c.z, layer));
}

INLINE float4 read_int(image im, sampler smp, int dims, int4 c, int layer) {
  if (!has_border(number_of(smp)))
    return texel_of(im, place_at(im, true, dims, c.x, c.y, c.z, layer));
  return read_plain(im, dims, c, layer);
}

INLINE float4 read_level(image im, sampler smp, int dims, float4 c, int layer, float lod) {
  lod = level_within(im, smp, lod);
  if (!(number_of(smp) & WEFT_SAMPLER_MIP_LINEAR))
    return read_float(nearest_level(im, lod), smp, dims, c, layer);
  int below = (int)lod;
  float part = lod - (float)below;
  float4 low = read_float(im + below, smp, dims, c, layer),
         high = read_float(im + within(below + 1, 0, im->levels - 1), smp, dims, c, layer);
  return part > 0.0f ? (1.0f - part) * low + part * high : low;
}

// The names are Clang's mangled names: images and samplers are special types in the language.
#define READ(T, IMAGE, INT, FLOAT, CI, CF, MEMBER, DIMS, AT, LAYER_I, LAYER_F)                                         \
  T read_f_##IMAGE##_##INT(image im, sampler s, CI c) __asm__("_Z11read_imagef" #IMAGE "11ocl_sampler" #INT);          \
  T read_f_##IMAGE##_##INT(image im, sampler s, CI c) { return read_int(im, s, DIMS, AT(int4, c), LAYER_I)MEMBER; }    \
  T read_f_##IMAGE##_##FLOAT(image im, sampler s, CF c) __asm__("_Z11read_imagef" #IMAGE "11ocl_sampler" #FLOAT);      \
  T read_f_##IMAGE##_##FLOAT(image im, sampler s, CF c) {                                                              \
    return read_float(im, s, DIMS, AT(float4, c), LAYER_F)MEMBER;                                                      \
  }
#define PLAIN(T, IMAGE, INT, CI, MEMBER, DIMS, AT, LAYER)                                                              \
  T plain_f_##IMAGE##_##INT(image im, CI c) __asm__("_Z11read_imagef" #IMAGE #INT);                                    \
  T plain_f_##IMAGE##_##INT(image im, CI c) { return read_plain(im, DIMS, AT(int4, c), LAYER)MEMBER; }                 \
  /* SPIR-V alone has it: OpImageRead with a level */                                                                  \
  T plain_level_f_##IMAGE(image im, CI c, int lod) __asm__("_Z11read_imagef" #IMAGE #INT "i");                         \
  T plain_level_f_##IMAGE(image im, CI c, int lod) {                                                                   \
    im = level_of(im, lod);                                                                                            \
    return read_plain(im, DIMS, AT(int4, c), LAYER)MEMBER;                                                             \
  }
#define AT1(V, c) (V)(c, 0, 0, 0)
#define AT1A(V, c) (V)((c).x, 0, 0, 0)
#define AT2(V, c) (V)(c, 0, 0)
#define AT4(V, c) c
#define NONE

READ(float4, 14ocl_image1d_ro, i, f, int, float, NONE, 1, AT1, 0, 0)
READ(float4, 20ocl_image1d_array_ro, Dv2_i, Dv2_f, int2, float2, NONE, 1, AT1A, layer_of(im, c.y), layer_at(im, c.y))
READ(float4, 14ocl_image2d_ro, Dv2_i, Dv2_f, int2, float2, NONE, 2, AT2, 0, 0)
READ(float4, 20ocl_image2d_array_ro, Dv4_i, Dv4_f, int4, float4, NONE, 2, AT4, layer_of(im, c.z), layer_at(im, c.z))
READ(float4, 14ocl_image3d_ro, Dv4_i, Dv4_f, int4, float4, NONE, 3, AT4, 0, 0)
READ(float, 20ocl_image2d_depth_ro, Dv2_i, Dv2_f, int2, float2, .x, 2, AT2, 0, 0)
READ(float, 26ocl_image2d_array_depth_ro, Dv4_i, Dv4_f, int4, float4, .x, 2, AT4, layer_of(im, c.z), layer_at(im, c.z))

#define PLAIN_BOTH(T, RO, RW, ...) PLAIN(T, RO, __VA_ARGS__) PLAIN(T, RW, __VA_ARGS__)
PLAIN_BOTH(float4, 14ocl_image1d_ro, 14ocl_image1d_rw, i, int, NONE, 1, AT1, 0)
PLAIN_BOTH(float4, 21ocl_image1d_buffer_ro, 21ocl_image1d_buffer_rw, i, int, NONE, 1, AT1, 0)
PLAIN_BOTH(float4, 20ocl_image1d_array_ro, 20ocl_image1d_array_rw, Dv2_i, int2, NONE, 1, AT1A, layer_of(im, c.y))
PLAIN_BOTH(float4, 14ocl_image2d_ro, 14ocl_image2d_rw, Dv2_i, int2, NONE, 2, AT2, 0)
PLAIN_BOTH(float4, 20ocl_image2d_array_ro, 20ocl_image2d_array_rw, Dv4_i, int4, NONE, 2, AT4, layer_of(im, c.z))
PLAIN_BOTH(float4, 14ocl_image3d_ro, 14ocl_image3d_rw, Dv4_i, int4, NONE, 3, AT4, 0)
PLAIN_BOTH(float, 20ocl_image2d_depth_ro, 20ocl_image2d_depth_rw, Dv2_i, int2, .x, 2, AT2, 0)
PLAIN_BOTH(float, 26ocl_image2d_array_depth_ro, 26ocl_image2d_array_depth_rw, Dv4_i, int4, .x, 2, AT4, layer_of(im, c.z))

#define LEVEL_AS(T, IMAGE, C, G, CT, GT, MEMBER, DIMS, AT, ATG, LAYER)                                                 \
  T level_f_##IMAGE(image im, sampler s, CT c, float lod) __asm__("_Z11read_imagef" #IMAGE "11ocl_sampler" C "f");     \
  T level_f_##IMAGE(image im, sampler s, CT c, float lod) {                                                            \
    return read_level(im, s, DIMS, AT(float4, c), LAYER, lod)MEMBER;                                                   \
  }                                                                                                                    \
  T slope_f_##IMAGE(image im, sampler s, CT c, GT dx, GT dy)                                                           \
      __asm__("_Z11read_imagef" #IMAGE "11ocl_sampler" C G);                                                           \
  T slope_f_##IMAGE(image im, sampler s, CT c, GT dx, GT dy) {                                                         \
    float lod = level_of_gradients(im, s, DIMS, ATG(float4, dx), ATG(float4, dy));                                     \
    return read_level(im, s, DIMS, AT(float4, c), LAYER, lod)MEMBER;                                                   \
  }
#define LEVEL(T, RO, RW, ...) LEVEL_AS(T, RO, __VA_ARGS__) LEVEL_AS(T, RW, __VA_ARGS__)

LEVEL(float4, 14ocl_image1d_ro, 14ocl_image1d_rw, "f", "ff", float, float, NONE, 1, AT1, AT1, 0)
LEVEL(float4, 20ocl_image1d_array_ro, 20ocl_image1d_array_rw, "Dv2_f", "ff", float2, float, NONE, 1, AT1A, AT1, layer_at(im, c.y))
LEVEL(float4, 14ocl_image2d_ro, 14ocl_image2d_rw, "Dv2_f", "S1_S1_", float2, float2, NONE, 2, AT2, AT2, 0)
LEVEL(float4, 20ocl_image2d_array_ro, 20ocl_image2d_array_rw, "Dv4_f", "Dv2_fS2_", float4, float2, NONE, 2, AT4, AT2, layer_at(im, c.z))
LEVEL(float4, 14ocl_image3d_ro, 14ocl_image3d_rw, "Dv4_f", "S1_S1_", float4, float4, NONE, 3, AT4, AT4, 0)
LEVEL(float, 20ocl_image2d_depth_ro, 20ocl_image2d_depth_rw, "Dv2_f", "S1_S1_", float2, float2, .x, 2, AT2, AT2, 0)
LEVEL(float, 26ocl_image2d_array_depth_ro, 26ocl_image2d_array_depth_rw, "Dv4_f", "Dv2_fS2_", float4, float2, .x, 2, AT4, AT2,
      layer_at(im, c.z))
