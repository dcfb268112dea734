// read_imagei and read_imageui (OpenCL C 3.0 §6.15.15.3, §6.15.15.4). Integers aren't filtered.
#include "image.h"

INLINE uint4 finished(image im, uint4 bits) {
  uint4 v;
  switch (im->coding) {
  case WEFT_IMAGE_U8:
    v = bytes_of(bits);
    break;
  case WEFT_IMAGE_S8:
    v = AS(uint4, signed_bytes_of(bits));
    break;
  case WEFT_IMAGE_U16:
    v = shorts_of(bits);
    break;
  case WEFT_IMAGE_S16:
    v = AS(uint4, signed_shorts_of(bits));
    break;
  default:
    v = bits;
  }
  return arranged(v, im->order, 1);
}

INLINE uint4 of_rgba8(uint bits) { return bytes_of((uint4)(bits, 0, 0, 0)); }

// ---- Packed texels (cl_ext_image_raw10_raw12) ----

INLINE bool is_raw(image im, int dims) { return dims == 2 && im->coding >= WEFT_IMAGE_RAW10; }

INLINE uint raw_of(image im, const global uchar *row, int x) {
  uint log = im->coding == WEFT_IMAGE_RAW10 ? 2 : 1, low = 8u >> log, k = (uint)x & ((1u << log) - 1);
  const global uchar *group = row + (x >> log) * ((1 << log) + 1);
  return (uint)group[k] << low | ((uint)group[1 << log] >> (k * low) & ((1u << low) - 1));
}

INLINE uint4 raw_texel_of(image im, struct place p) {
  uint v = 0;
  if (p.safe | p.in)
    v = raw_of(im, p.row, p.x);
  return (uint4)(p.in ? v : 0, 0, 0, 1);
}

// ---- Texels of any kind ----

INLINE uint4 texel_of(image im, int dims, struct place p) {
  switch (im->common) {
  case WEFT_IMAGE_RGBA8:
    return of_rgba8(word_of(p));
  case WEFT_IMAGE_RGBA32:
    return words4_of(p);
  case WEFT_IMAGE_R32:
    return (uint4)(word_of(p), 0, 0, 1);
  case WEFT_IMAGE_R8:
    return (uint4)(byte_of(p), 0, 0, 1);
  }
  if (is_raw(im, dims))
    return raw_texel_of(im, p);
  return finished(im, bits_of(im, p));
}

INLINE uint4 read_float(image im, sampler s, int dims, float4 c, int layer) {
  const struct spots at = nearest_spots(im, number_of(s), dims, scaled(im, number_of(s), dims, c));
  return texel_of(im, dims, corner_of(im, &at, layer, 0));
}

INLINE uint4 read_plain(image im, int dims, int4 c, int layer) {
  if (is_rgba8(im))
    return of_rgba8(word_of(place_at(im, false, dims, c.x, c.y, c.z, layer)));
  return texel_of(im, dims, place_inside(im, dims, c.x, c.y, c.z, layer));
}

INLINE uint4 read_int(image im, sampler s, int dims, int4 c, int layer) {
  if (!has_border(number_of(s)))
    return texel_of(im, dims, place_at(im, true, dims, c.x, c.y, c.z, layer));
  return read_plain(im, dims, c, layer);
}

// The names are Clang's mangled names: images and samplers are special types in the language.
#define READ_AS(NAME, T, IMAGE, INT, FLOAT, CI, CF, DIMS, AT, LAYER_I, LAYER_F)                                        \
  T r##NAME##_##IMAGE##_##INT(image im, sampler s, CI c) __asm__("_Z" #NAME #IMAGE "11ocl_sampler" #INT);              \
  T r##NAME##_##IMAGE##_##INT(image im, sampler s, CI c) {                                                             \
    return AS(T, read_int(im, s, DIMS, AT(int4, c), LAYER_I));                                                         \
  }                                                                                                                    \
  T r##NAME##_##IMAGE##_##FLOAT(image im, sampler s, CF c) __asm__("_Z" #NAME #IMAGE "11ocl_sampler" #FLOAT);          \
  T r##NAME##_##IMAGE##_##FLOAT(image im, sampler s, CF c) {                                                           \
    return AS(T, read_float(im, s, DIMS, AT(float4, c), LAYER_F));                                                     \
  }
#define PLAIN_AS(NAME, T, IMAGE, INT, CI, DIMS, AT, LAYER)                                                             \
  T p##NAME##_##IMAGE##_##INT(image im, CI c) __asm__("_Z" #NAME #IMAGE #INT);                                         \
  T p##NAME##_##IMAGE##_##INT(image im, CI c) { return AS(T, read_plain(im, DIMS, AT(int4, c), LAYER)); }              \
  T pl##NAME##_##IMAGE(image im, CI c, int lod) __asm__("_Z" #NAME #IMAGE #INT "i");                                   \
  T pl##NAME##_##IMAGE(image im, CI c, int lod) {                                                                      \
    im = level_of(im, lod);                                                                                            \
    return AS(T, read_plain(im, DIMS, AT(int4, c), LAYER));                                                            \
  }
#define READ(...) READ_AS(11read_imagei, int4, __VA_ARGS__) READ_AS(12read_imageui, uint4, __VA_ARGS__)
#define PLAIN(...) PLAIN_AS(11read_imagei, int4, __VA_ARGS__) PLAIN_AS(12read_imageui, uint4, __VA_ARGS__)
#define AT1(V, c) (V)(c, 0, 0, 0)
#define AT1A(V, c) (V)((c).x, 0, 0, 0)
#define AT2(V, c) (V)(c, 0, 0)
#define AT4(V, c) c

READ(14ocl_image1d_ro, i, f, int, float, 1, AT1, 0, 0)
READ(20ocl_image1d_array_ro, Dv2_i, Dv2_f, int2, float2, 1, AT1A, layer_of(im, c.y), layer_at(im, c.y))
READ(14ocl_image2d_ro, Dv2_i, Dv2_f, int2, float2, 2, AT2, 0, 0)
READ(20ocl_image2d_array_ro, Dv4_i, Dv4_f, int4, float4, 2, AT4, layer_of(im, c.z), layer_at(im, c.z))
READ(14ocl_image3d_ro, Dv4_i, Dv4_f, int4, float4, 3, AT4, 0, 0)

#define PLAIN_BOTH(RO, RW, ...) PLAIN(RO, __VA_ARGS__) PLAIN(RW, __VA_ARGS__)
PLAIN_BOTH(14ocl_image1d_ro, 14ocl_image1d_rw, i, int, 1, AT1, 0)
PLAIN_BOTH(21ocl_image1d_buffer_ro, 21ocl_image1d_buffer_rw, i, int, 1, AT1, 0)
PLAIN_BOTH(20ocl_image1d_array_ro, 20ocl_image1d_array_rw, Dv2_i, int2, 1, AT1A, layer_of(im, c.y))
PLAIN_BOTH(14ocl_image2d_ro, 14ocl_image2d_rw, Dv2_i, int2, 2, AT2, 0)
PLAIN_BOTH(20ocl_image2d_array_ro, 20ocl_image2d_array_rw, Dv4_i, int4, 2, AT4, layer_of(im, c.z))
PLAIN_BOTH(14ocl_image3d_ro, 14ocl_image3d_rw, Dv4_i, int4, 3, AT4, 0)

// Integers of two levels aren't blended.
#define LEVEL_AS(NAME, T, IMAGE, C, G, CT, GT, DIMS, AT, ATG, LAYER)                                                   \
  T l##NAME##_##IMAGE(image im, sampler s, CT c, float lod) __asm__("_Z" #NAME #IMAGE "11ocl_sampler" C "f");          \
  T l##NAME##_##IMAGE(image im, sampler s, CT c, float lod) {                                                          \
    return AS(T, read_float(nearest_level(im, level_within(im, s, lod)), s, DIMS, AT(float4, c), LAYER));              \
  }                                                                                                                    \
  T s##NAME##_##IMAGE(image im, sampler s, CT c, GT dx, GT dy) __asm__("_Z" #NAME #IMAGE "11ocl_sampler" C G);         \
  T s##NAME##_##IMAGE(image im, sampler s, CT c, GT dx, GT dy) {                                                       \
    float lod = level_of_gradients(im, s, DIMS, ATG(float4, dx), ATG(float4, dy));                                     \
    return AS(T, read_float(nearest_level(im, level_within(im, s, lod)), s, DIMS, AT(float4, c), LAYER));              \
  }
#define LEVEL_BOTH(...) LEVEL_AS(11read_imagei, int4, __VA_ARGS__) LEVEL_AS(12read_imageui, uint4, __VA_ARGS__)
#define LEVEL(RO, RW, ...) LEVEL_BOTH(RO, __VA_ARGS__) LEVEL_BOTH(RW, __VA_ARGS__)

LEVEL(14ocl_image1d_ro, 14ocl_image1d_rw, "f", "ff", float, float, 1, AT1, AT1, 0)
LEVEL(20ocl_image1d_array_ro, 20ocl_image1d_array_rw, "Dv2_f", "ff", float2, float, 1, AT1A, AT1, layer_at(im, c.y))
LEVEL(14ocl_image2d_ro, 14ocl_image2d_rw, "Dv2_f", "S1_S1_", float2, float2, 2, AT2, AT2, 0)
LEVEL(20ocl_image2d_array_ro, 20ocl_image2d_array_rw, "Dv4_f", "Dv2_fS2_", float4, float2, 2, AT4, AT2, layer_at(im, c.z))
LEVEL(14ocl_image3d_ro, 14ocl_image3d_rw, "Dv4_f", "S1_S1_", float4, float4, 3, AT4, AT4, 0)
