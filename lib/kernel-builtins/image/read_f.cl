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

// The numbers of a texel, not yet multiplied by im->scale. The lowest signed number means -1, as the one
// above it does.
INLINE float4 numbers_of(image im, uint4 bits) {
  switch (im->coding) {
  case WEFT_IMAGE_U8:
    return __builtin_convertvector(bytes_of(bits), float4);
  case WEFT_IMAGE_FLOAT:
    return AS(float4, bits);
  case WEFT_IMAGE_S8:
    return __builtin_elementwise_max(__builtin_convertvector(signed_bytes_of(bits), float4), (float4)(-127.0f));
  case WEFT_IMAGE_U16:
    return __builtin_convertvector(shorts_of(bits), float4);
  case WEFT_IMAGE_S16:
    return __builtin_elementwise_max(__builtin_convertvector(signed_shorts_of(bits), float4), (float4)(-32767.0f));
  case WEFT_IMAGE_HALF:
    return of_halves(shorts_of(bits));
  case WEFT_IMAGE_SRGB:
    return of_srgb(bytes_of(bits));
  case WEFT_IMAGE_565:
    return of_565(bits.x);
  case WEFT_IMAGE_555:
    return of_555(bits.x);
  default:
    return of_101010(bits.x);
  }
}

INLINE float4 finished(image im, float4 numbers) {
  return AS(float4, arranged(AS(uint4, numbers * im->scale), im->order, 0x3f800000));
}

// The numbers of an RGBA8 texel, of which green is multiplied by 2^8 and blue by 2^16: that saves shifts, and
// rounds like the numbers themselves. rgba8_scale takes it back.
INLINE float4 stretched_rgba8(uint bits) {
  return __builtin_convertvector((uint4)(bits & 0xff, bits & 0xff00, bits & 0xff0000, bits >> 24), float4);
}
static constant float4 rgba8_scale = (float4)(1.0f / 255, 1.0f / 255 / 256, 1.0f / 255 / 65536, 1.0f / 255);
INLINE float4 of_rgba8(uint bits) { return stretched_rgba8(bits) * rgba8_scale; }

// Both orders of eight-bit channels share their code.
INLINE float4 in_order(image im, float4 v) { return im->common == WEFT_IMAGE_BGRA8 ? v.zyxw : v; }

// A texel of a common kind.
INLINE float4 common_texel_of(image im, struct place p) {
  switch (im->common) {
  case WEFT_IMAGE_RGBA8:
  case WEFT_IMAGE_BGRA8:
    return in_order(im, of_rgba8(word_of(p)));
  case WEFT_IMAGE_RGBA32:
    return AS(float4, words4_of(p));
  case WEFT_IMAGE_R32:
    return (float4)(AS(float, word_of(p)), 0, 0, 1);
  case WEFT_IMAGE_RGBA16F:
    return of_halves(shorts_of(words2_of(p)));
  default: // WEFT_IMAGE_R8
    return (float4)((float)byte_of(p) * (1.0f / 255), 0, 0, 1);
  }
}

INLINE float4 texel_of(image im, struct place p) {
  return im->common ? common_texel_of(im, p) : finished(im, numbers_of(im, bits_of(im, p)));
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

// ---- Filters ----

// The corners of a filter, for texels of four bytes. Two neighbouring texels are one load. Images of these
// kinds have two texels in a row at least, and offsets in a slice are below 2^31 (is_read_in_pairs in
// runtime/image/image.c).
INLINE void words_of_corners(image im, uint s, int dims, struct spots at, int layer, __private uint *texels) {
  const int corners = 1 << dims, n = im->size[0], pitch = (int)im->row_pitch, first = at.x.first;
  const int column = 4 * within(first, 0, n - 2);
#pragma unroll
  for (int k = 0; k < corners; k += 2) {
    const global uchar *slice = row_of(im, 0, at.z.at[k >> 2 & 1], layer);
    const ulong both = *(const global ulong_anywhere *)(slice + (at.y.at[k >> 1 & 1] * pitch + column));
    const uint low = (uint)both, high = (uint)(both >> 32);
    texels[k] = first > n - 2 ? high : low;
    texels[k + 1] = first < 0 ? low : high;
  }
  if (is_repeat(s) && first > n - 2) { // the row begins anew
#pragma unroll
    for (int k = 1; k < corners; k += 2)
      texels[k] = *(const global uint_anywhere *)(row_of(im, 0, at.z.at[k >> 2 & 1], layer) +
                                                  at.y.at[k >> 1 & 1] * pitch);
  }
  if (has_border(s)) {
#pragma unroll
    for (int k = 0; k < corners; k++)
      texels[k] = is_inside(&at, k) ? texels[k] : 0;
  }
}

INLINE float4 filtered_words(image im, uint s, int dims, struct spots at, int layer) {
  uint texels[8];
  float4 v[8];
  words_of_corners(im, s, dims, at, layer, texels);
  if (im->common == WEFT_IMAGE_R32) {
#pragma unroll
    for (int k = 0; k < 1 << dims; k++)
      v[k] = (float4)(AS(float, texels[k]), 0, 0, 0);
    return (float4)(blended(dims, v, at.x.part, at.y.part, at.z.part).x, 0, 0, 1);
  }
#pragma unroll
  for (int k = 0; k < 1 << dims; k++)
    v[k] = stretched_rgba8(texels[k]);
  return in_order(im, blended(dims, v, at.x.part, at.y.part, at.z.part) * rgba8_scale);
}

INLINE uint nearest_rgba8(image im, struct spots at, int layer) {
  const int offset = at.y.at[0] * (int)im->row_pitch + 4 * at.x.at[0];
  const uint texel = *(const global uint_anywhere *)(row_of(im, 0, at.z.at[0], layer) + offset);
  return is_inside(&at, 0) ? texel : 0;
}

// Common kinds of few instructions, all texels at once; *done is false for others.
INLINE float4 filtered_common(image im, uint s, int dims, struct spots at, int layer, __private bool *done) {
  float4 v[8];
#define BLENDED(number)                                                                                                \
  _Pragma("unroll") for (int k = 0; k < 1 << dims; k++) {                                                              \
    const struct place p = corner_of(im, &at, layer, k);                                                               \
    v[k] = number;                                                                                                     \
  }                                                                                                                    \
  v[0] = blended(dims, v, at.x.part, at.y.part, at.z.part)
  *done = true;
  switch (im->common) {
  case WEFT_IMAGE_RGBA8:
  case WEFT_IMAGE_BGRA8:
  case WEFT_IMAGE_R32:
    return filtered_words(im, s, dims, at, layer);
  case WEFT_IMAGE_RGBA32:
    BLENDED(AS(float4, words4_of(p)));
    return v[0];
  case WEFT_IMAGE_R8:
    BLENDED((float4)((float)byte_of(p), 0, 0, 0));
    return (float4)(v[0].x * (1.0f / 255), 0, 0, 1);
  }
#undef BLENDED
  *done = false;
  return (float4)(0.0f);
}

// A direction of a filter in a loop over its texels: the next texel, and the one after it.
struct turn {
  int at, other;
  bool in, other_in;
  float weight, other_weight;
};

INLINE struct turn first_of(struct spot s) {
  return (struct turn){s.at[0], s.at[1], s.in[0], s.in[1], 1.0f - s.part, s.part};
}

INLINE struct turn next_of(struct turn t) {
  return (struct turn){t.other, t.at, t.other_in, t.in, t.other_weight, t.weight};
}

// Texels of any format: one, or those that a linear filter takes. The code for one is long, so all of them
// share it, in loops.
INLINE float4 sampled(image im, uint s, int dims, struct spots at, int layer) {
  struct turn x = first_of(at.x), y = first_of(at.y), z = first_of(at.z);
  float4 sum = (float4)(-0.0f); // what -0 is added to stays as it is
#pragma nounroll
  for (int k = 0; k < (dims > 2 ? 2 : 1); k++, z = next_of(z)) {
#pragma nounroll
    for (int j = 0; j < (dims > 1 ? 2 : 1); j++, y = next_of(y)) {
#pragma nounroll
      for (int i = 0; i < 2; i++, x = next_of(x)) {
        const float one = x.weight, two = dims > 1 ? one * y.weight : one, weight = dims > 2 ? two * z.weight : two;
        const bool in = x.in & ((dims < 2) | y.in) & ((dims < 3) | z.in);
        const struct place p = {row_of(im, y.at, z.at, layer), x.at, in, true};
        sum = mad((float4)(weight), numbers_of(im, bits_of(im, p)), sum);
        if (!(s & WEFT_SAMPLER_LINEAR))
          return finished(im, sum);
      }
    }
  }
  return finished(im, sum);
}

INLINE float4 read_float(image im, sampler smp, int dims, float4 c, int layer) {
  const uint s = number_of(smp);
  const float4 u = scaled(im, s, dims, c);
  const struct spots at = s & WEFT_SAMPLER_LINEAR ? linear_spots(im, s, dims, u) : nearest_spots(im, s, dims, u);
  bool done = false;
  if (s & WEFT_SAMPLER_LINEAR) {
    const float4 v = filtered_common(im, s, dims, at, layer, &done);
    if (done)
      return v;
  } else if (is_rgba8(im) || im->common == WEFT_IMAGE_BGRA8) {
    return in_order(im, of_rgba8(nearest_rgba8(im, at, layer)));
  } else if (im->common) {
    return common_texel_of(im, corner_of(im, &at, layer, 0));
  }
  return sampled(im, s, dims, at, layer);
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
