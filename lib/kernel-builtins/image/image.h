// Reading and writing texels (OpenCL C 3.0 §6.15.15, §8). An image is its descriptor in constant memory, a
// sampler is a number (include/weft/image.h). Both are usually the same for all work-items. So tests of them
// are uniform branches, which stay branches when the vectorizer widens the rest. A texel is read in three
// stages:
//
//   bits          up to four 32-bit words; this depends only on the size of the texel
//   numbers       one for each channel in memory; filters work on these
//   (r, g, b, a)
//
// Memory outside of an image is never accessed, whatever the coordinates are.
#ifndef WEFT_BUILTIN_IMAGE_H
#define WEFT_BUILTIN_IMAGE_H

#include "../builtin.h"
#include "weft/image.h"

typedef const constant struct weft_image *image;
typedef const constant void *sampler;

#define INLINE static inline __attribute__((always_inline))

// An image may use host memory that isn't aligned.
typedef ushort ushort_anywhere __attribute__((aligned(1)));
typedef uint uint_anywhere __attribute__((aligned(1)));
typedef ulong ulong_anywhere __attribute__((aligned(1)));
typedef uint2 uint2_anywhere __attribute__((aligned(1)));
typedef uint4 uint4_anywhere __attribute__((aligned(1)));

INLINE uint number_of(sampler s)
{
    return (uint)(ulong)s;
}

// ---- Addresses ----

// The address of a row of texels, in a layer of an array.
INLINE global uchar *row_of(image im, int y, int z, int layer)
{
    return (global uchar *)im->data + ((long)y * im->row_pitch + (long)(z + layer) * im->slice_pitch);
}

INLINE int within(int x, int low, int high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

// Clamps x. NaN becomes low.
INLINE float limited(float x, float low, float high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

INLINE int layer_of(image im, int layer)
{
    return within(layer, 0, im->layers - 1);
}
INLINE int layer_at(image im, float layer)
{
    return (int)__builtin_elementwise_rint(limited(layer, 0.0f, (float)(im->layers - 1)));
}

// ---- Bits ----

INLINE uint4 load_bits(image im, const global uchar *row, int x)
{
    switch (im->texel_bytes) {
    case 4:
        return (uint4)(((const global uint_anywhere *)row)[x], 0, 0, 0);
    case 16:
        return ((const global uint4_anywhere *)row)[x];
    case 8:
        return (uint4)(((const global uint2_anywhere *)row)[x], 0, 0);
    case 2:
        return (uint4)(((const global ushort_anywhere *)row)[x], 0, 0, 0);
    default:
        return (uint4)(row[x], 0, 0, 0);
    }
}

INLINE uint4 bytes_of(uint4 bits)
{
    return (uint4)(bits.x & 0xff, bits.x >> 8 & 0xff, bits.x >> 16 & 0xff, bits.x >> 24);
}
INLINE int4 signed_bytes_of(uint4 bits)
{
    int x = (int)bits.x;
    return (int4)(x << 24 >> 24, x << 16 >> 24, x << 8 >> 24, x >> 24);
}
INLINE uint4 shorts_of(uint4 bits)
{
    return (uint4)(bits.x & 0xffff, bits.x >> 16, bits.y & 0xffff, bits.y >> 16);
}
INLINE int4 signed_shorts_of(uint4 bits)
{
    int x = (int)bits.x, y = (int)bits.y;
    return (int4)(x << 16 >> 16, x >> 16, y << 16 >> 16, y >> 16);
}
INLINE uint4 of_bytes(uint4 v)
{
    return (uint4)((v.x & 0xff) | (v.y & 0xff) << 8 | (v.z & 0xff) << 16 | v.w << 24, 0, 0, 0);
}
INLINE uint4 of_shorts(uint4 v)
{
    return (uint4)((v.x & 0xffff) | v.y << 16, (v.z & 0xffff) | v.w << 16, 0, 0);
}

// ---- Channels ----

// Sorts the channels from their order in memory. Missing colours are 0, a missing alpha is `one`.
INLINE uint4 arranged(uint4 v, uint order, uint one)
{
    switch (order) {
    case WEFT_IMAGE_RGBA:
        return v;
    case WEFT_IMAGE_R:
        return (uint4)(v.x, 0, 0, one);
    case WEFT_IMAGE_RG:
        return (uint4)(v.xy, 0, one);
    case WEFT_IMAGE_RGB:
        return (uint4)(v.xyz, one);
    case WEFT_IMAGE_BGRA:
        return v.zyxw;
    case WEFT_IMAGE_ARGB:
        return v.yzwx;
    case WEFT_IMAGE_ABGR:
        return v.wzyx;
    case WEFT_IMAGE_A:
        return (uint4)(0, 0, 0, v.x);
    case WEFT_IMAGE_RA:
        return (uint4)(v.x, 0, 0, v.y);
    case WEFT_IMAGE_INTENSITY:
        return v.xxxx;
    default:
        return (uint4)(v.xxx, one);
    }
}

INLINE uint4 arranged_for_memory(uint4 v, uint order)
{
    switch (order) {
    case WEFT_IMAGE_BGRA:
        return v.zyxw;
    case WEFT_IMAGE_ARGB:
        return v.wxyz;
    case WEFT_IMAGE_ABGR:
        return v.wzyx;
    case WEFT_IMAGE_A:
        return v.wwww;
    case WEFT_IMAGE_RA:
        return v.xwww;
    default:
        return v;
    }
}

// ---- Addressing ----

INLINE int is_below(int x, int n)
{
    return (uint)x < (uint)n;
}

// What a coordinate selects in one direction: one texel, or two and the position between them (0: the first,
// 1: the second). If `in` is false the texel is the border, which is 0 in all channels that are in memory.
// Its place is within the image all the same. first: of two texels, the first. It may be outside: in [-2, n].
struct spot {
    int at[2];
    bool in[2];
    float part;
    int first;
};

INLINE bool is_repeat(uint s)
{
    return (s & WEFT_SAMPLER_ADDRESSING) == WEFT_SAMPLER_REPEAT;
}
INLINE bool is_mirrored(uint s)
{
    return (s & WEFT_SAMPLER_ADDRESSING) == WEFT_SAMPLER_MIRRORED_REPEAT;
}
INLINE bool has_border(uint s)
{
    return (s & WEFT_SAMPLER_ADDRESSING) == WEFT_SAMPLER_CLAMP;
}

// A coordinate of a repeating mode, as a part of the image: in [0, 1].
INLINE float repeated(float c)
{
    return c - __builtin_elementwise_floor(c);
}
INLINE float mirrored(float c)
{
    return __builtin_elementwise_abs(c - 2.0f * __builtin_elementwise_rint(0.5f * c));
}
INLINE float as_is(float c)
{
    return c;
}

// The coordinates in texels. There is one branch for all directions, since each branch is repeated for every
// read.
INLINE float4 scaled(image im, uint s, int dims, float4 c)
{
    float4 u = c;
#define SCALED(part)                                   \
    u.x = part(c.x) * im->extent[0];                   \
    u.y = dims > 1 ? part(c.y) * im->extent[1] : 0.0f; \
    u.z = dims > 2 ? part(c.z) * im->extent[2] : 0.0f
    if (is_repeat(s)) {
        SCALED(repeated);
    } else if (is_mirrored(s)) {
        SCALED(mirrored);
    } else if (s & WEFT_SAMPLER_NORMALIZED) {
        SCALED(as_is);
    }
#undef SCALED
    return u;
}

// The texel at u, a coordinate in texels, of an image that has border around it.
INLINE struct spot nearest_or_border(float u, int n, float extent)
{
    int i = (int)__builtin_elementwise_floor(limited(u, -1.0f, extent));
    bool in = is_below(i, n);
    return (struct spot){{in ? i : 0, 0}, {in, true}, 0, 0};
}

INLINE struct spot nearest(uint s, float u, int n, float extent)
{
    int i = (int)limited(u, 0.0f, extent);
    return (struct spot){{i < n ? i : is_repeat(s) ? 0 : n - 1, 0}, {true, true}, 0, 0};
}

// The two texels around u. Beyond two texels before the image everything is border or edge.
INLINE struct spot linear(uint s, float u, int n, float extent)
{
    struct spot r;
    u = limited(u - 0.5f, -2.0f, extent);
    const float below = __builtin_elementwise_floor(u);
    int i = (int)below;
    i = (is_repeat(s) & (i < 0)) ? i + n : i;
    r.first = i;
    r.part = u - below;
    r.at[0] = within(i, 0, n - 1);
    const int next = within(i + 1, 0, n - 1);
    r.at[1] = (is_repeat(s) & (i + 1 >= n)) ? 0 : next;
    r.in[0] = !has_border(s) | is_below(i, n);
    r.in[1] = !has_border(s) | is_below(i + 1, n);
    return r;
}

// The descriptor of a level. If the image doesn't have that level, its own descriptor.
INLINE image level_of(image im, int lod)
{
    return is_below(lod, im->levels) ? im + lod : im;
}

INLINE int is_in(image im, int dims, int x, int y, int z)
{
    return is_below(x, im->size[0]) & ((dims < 2) | is_below(y, im->size[1])) &
           ((dims < 3) | is_below(z, im->size[2]));
}

// Where a texel is. If `in` is false the texel is border, and the place is within the image only if `safe` is
// true.
struct place {
    const global uchar *row;
    int x;
    bool in, safe;
};

// The place at integer coordinates in `dims` directions. edge: outside the image its edge is repeated;
// otherwise there is border. Neighbouring work-items read neighbouring texels, and the compiler may assume
// that most of them aren't at an edge. So the coordinates are clamped, and there is a single load for all.
INLINE struct place place_at(image im, bool edge, int dims, int x, int y, int z, int layer)
{
    int row = dims < 2 ? 0 : within(y, 0, im->size[1] - 1),
        slice = dims < 3 ? 0 : within(z, 0, im->size[2] - 1);
    struct place p = {row_of(im, row, slice, layer), within(x, 0, im->size[0] - 1),
                      edge || is_in(im, dims, x, y, z), true};
    return p;
}

// The place at integer coordinates of an image that has border around it. Only work-items inside the image
// load, which takes less code than clamped coordinates do.
INLINE struct place place_inside(image im, int dims, int x, int y, int z, int layer)
{
    struct place p = {row_of(im, dims < 2 ? 0 : y, dims < 3 ? 0 : z, layer), x, is_in(im, dims, x, y, z),
                      false};
    return p;
}

// What a sampler selects in each direction. A direction that the image doesn't have selects the first texel.
struct spots {
    struct spot x, y, z;
};

#define IN_EACH_DIRECTION(find, ...)                                          \
    r.x = find(__VA_ARGS__ u.x, im->size[0], im->extent[0]);                  \
    r.y = dims > 1 ? find(__VA_ARGS__ u.y, im->size[1], im->extent[1]) : one; \
    r.z = dims > 2 ? find(__VA_ARGS__ u.z, im->size[2], im->extent[2]) : one

// u: coordinates in texels. One branch serves all directions, as in scaled.
INLINE struct spots nearest_spots(image im, uint s, int dims, float4 u)
{
    const struct spot one = {{0, 0}, {true, true}, 0, 0};
    struct spots r;
    if (has_border(s)) {
        IN_EACH_DIRECTION(nearest_or_border);
    } else {
        IN_EACH_DIRECTION(nearest, s, );
    }
    return r;
}

INLINE struct spots linear_spots(image im, uint s, int dims, float4 u)
{
    const struct spot one = {{0, 0}, {true, true}, 0, 0};
    struct spots r;
    IN_EACH_DIRECTION(linear, s, );
    return r;
}

// The corners of a filter: bits 0 to 2 of `corner` choose the second texel in x, y and z.
INLINE bool is_inside(const __private struct spots *at, int corner)
{
    return at->x.in[corner & 1] & at->y.in[corner >> 1 & 1] & at->z.in[corner >> 2 & 1];
}

INLINE struct place corner_of(image im, const __private struct spots *at, int layer, int corner)
{
    struct place p = {row_of(im, at->y.at[corner >> 1 & 1], at->z.at[corner >> 2 & 1], layer),
                      at->x.at[corner & 1], is_inside(at, corner), true};
    return p;
}

INLINE uint4 bits_of(image im, struct place p)
{
    uint4 bits = (uint4)(0);
    if (p.safe | p.in)
        bits = load_bits(im, p.row, p.x);
    return p.in ? bits : (uint4)(0);
}

// Four words of 32 bits.
INLINE uint4 words4_of(struct place p)
{
    uint4 bits = (uint4)(0);
    if (p.safe | p.in)
        bits = ((const global uint4_anywhere *)p.row)[p.x];
    return p.in ? bits : (uint4)(0);
}

// Two words of 32 bits, and zeros.
INLINE uint4 words2_of(struct place p)
{
    uint2 bits = (uint2)(0);
    if (p.safe | p.in)
        bits = ((const global uint2_anywhere *)p.row)[p.x];
    return p.in ? (uint4)(bits, 0, 0) : (uint4)(0);
}

INLINE uint word_of(struct place p)
{
    uint bits = 0;
    if (p.safe | p.in)
        bits = ((const global uint_anywhere *)p.row)[p.x];
    return p.in ? bits : 0;
}

INLINE uint byte_of(struct place p)
{
    uint bits = 0;
    if (p.safe | p.in)
        bits = p.row[p.x];
    return p.in ? bits : 0;
}

// ---- Levels of mipmapped images (cl_khr_mipmap_image) ----
// The descriptor of level k lies k elements after the image's own.

// Clamps a level of detail to the sampler's and the image's range. NaN becomes the lowest level.
INLINE float level_within(image im, sampler smp, float lod)
{
    ulong s = (ulong)smp;
    float low = (float)(s >> WEFT_SAMPLER_LOD_MIN_SHIFT & WEFT_SAMPLER_LOD_MAX),
          high = (float)(WEFT_SAMPLER_LOD_MAX - (s >> WEFT_SAMPLER_LOD_MAX_SHIFT));
    lod = limited(lod, low * (1.0f / WEFT_SAMPLER_LOD_PARTS), high * (1.0f / WEFT_SAMPLER_LOD_PARTS));
    return limited(lod, 0.0f, (float)(im->levels - 1));
}

// The nearest level; exactly between two levels, the lower one.
INLINE image nearest_level(image im, float lod)
{
    return im + ((int)__builtin_elementwise_ceil(lod + 0.5f) - 1);
}

INLINE float squared_length(image im, uint s, int dims, float4 d)
{
    if (s & WEFT_SAMPLER_NORMALIZED)
        d *= (float4)(im->extent[0], im->extent[1], im->extent[2], 0.0f);
    return d.x * d.x + (dims > 1 ? d.y * d.y : 0.0f) + (dims > 2 ? d.z * d.z : 0.0f);
}

// The level of detail at which the distance of texels equals that of the coordinates: the logarithm of the
// longer gradient.
INLINE float level_of_gradients(image im, sampler smp, int dims, float4 dx, float4 dy)
{
    float x = squared_length(im, number_of(smp), dims, dx), y = squared_length(im, number_of(smp), dims, dy);
    return 0.5f * log2(x > y ? x : y);
}

// ---- The most common texels: four bytes in the order r, g, b, a ----
// If all images of a kernel have such texels, a separate version of the kernel runs, in which is_rgba8 is
// constant (prepare/image_versions.c).

INLINE bool is_rgba8(image im)
{
    return im->common == WEFT_IMAGE_RGBA8;
}

#endif
