// What a kernel knows of an image and of a sampler: the contract between the runtime, which describes the image, and the
// built-in functions (lib/kernel-builtins/image), which are OpenCL C and include this too.
//
// The argument block has the address of a struct weft_image for an image, and for a sampler its number of 32 bits in
// 64: the sum of the CLK_* constants of OpenCL C. The description lives as long as the image object, and doesn't change.
#ifndef WEFT_IMAGE_H
#define WEFT_IMAGE_H

#ifdef __OPENCL_C_VERSION__
typedef int weft_image_int;
typedef uint weft_image_uint;
typedef long weft_image_long;
typedef ulong weft_image_ulong;
#else
#include <stdint.h>
typedef int32_t weft_image_int;
typedef uint32_t weft_image_uint;
typedef int64_t weft_image_long;
typedef uint64_t weft_image_ulong;
#endif

// How the channels of a texel are coded. Those of 8 and 16 bits of one kind of function (read_imagef, read_imagei,
// read_imageui) differ in what the numbers are multiplied with only: weft_image.scale.
enum weft_image_coding {
    WEFT_IMAGE_U8,  // of UNORM_INT8, UNSIGNED_INT8
    WEFT_IMAGE_S8,  // of SNORM_INT8, SIGNED_INT8
    WEFT_IMAGE_U16, // likewise
    WEFT_IMAGE_S16,
    WEFT_IMAGE_32, // of 32-bit integers
    WEFT_IMAGE_HALF,
    WEFT_IMAGE_FLOAT,
    WEFT_IMAGE_SRGB, // 8 bits; alpha is linear
    WEFT_IMAGE_565,
    WEFT_IMAGE_555,
    WEFT_IMAGE_101010,
    // Texels of 10 bits, four in five bytes, or of 12, two in three: the upper 8 bits of each, then a byte with the lower bits, those of
    // the first texel lowest. 2D images that kernels read by read_imageui.
    WEFT_IMAGE_RAW10,
    WEFT_IMAGE_RAW12,
};

// Where the channels of a texel in memory, first to fourth, belong; in a vector (r, g, b, a) the others are 0, and alpha
// is 1.
enum weft_image_order {
    WEFT_IMAGE_RGBA,
    WEFT_IMAGE_R, // also DEPTH
    WEFT_IMAGE_RG,
    WEFT_IMAGE_RGB,
    WEFT_IMAGE_BGRA,
    WEFT_IMAGE_ARGB,
    WEFT_IMAGE_ABGR,
    WEFT_IMAGE_A,
    WEFT_IMAGE_RA,
    WEFT_IMAGE_INTENSITY, // r = g = b = a
    WEFT_IMAGE_LUMINANCE, // r = g = b
};

// What most images have, and kernels have quicker code for.
enum weft_image_common {
    WEFT_IMAGE_UNCOMMON,
    WEFT_IMAGE_RGBA8, // WEFT_IMAGE_U8 in the order WEFT_IMAGE_RGBA
};

struct weft_image {
    weft_image_ulong data;         // the address of texel (0, 0, 0)
    weft_image_long row_pitch;     // bytes
    weft_image_long slice_pitch;   // bytes from a slice, or from a layer of an array, to the next
    weft_image_int size[3];        // texels; 1 in dimensions that the image doesn't have
    weft_image_int layers;         // of an array; else 1
    weft_image_uint texel_bytes;   // 1, 2, 4, 8 or 16; of RAW10 and RAW12 1, by which all stays within a row
    weft_image_uint coding;        // enum weft_image_coding
    weft_image_uint order;         // enum weft_image_order
    float scale;                   // what a coded number times this is; 1 for integers and floats
    weft_image_uint channel_order; // the host API's numbers, for the queries in kernels
    weft_image_uint channel_data_type;
    weft_image_uint common; // enum weft_image_common
    weft_image_int levels;  // of a mipmapped image, whose level k is described k places on; else 1
};

// Samplers, as Clang and the host's objects code them.
enum {
    WEFT_SAMPLER_NORMALIZED = 1,
    WEFT_SAMPLER_ADDRESSING = 0xe,
    WEFT_SAMPLER_NONE = 0,
    WEFT_SAMPLER_CLAMP_TO_EDGE = 2,
    WEFT_SAMPLER_CLAMP = 4,
    WEFT_SAMPLER_REPEAT = 6,
    WEFT_SAMPLER_MIRRORED_REPEAT = 8,
    WEFT_SAMPLER_NEAREST = 0x10,
    WEFT_SAMPLER_LINEAR = 0x20,
    WEFT_SAMPLER_MIP_LINEAR = 0x40, // between two levels of a mipmapped image
    // The levels that a sampler object takes at least, and what there is between the most and all of them: two numbers of 16 bits, in
    // parts of a level. A constant sampler has zeros there, which limit nothing.
    WEFT_SAMPLER_LOD_MIN_SHIFT = 32,
    WEFT_SAMPLER_LOD_MAX_SHIFT = 48,
    WEFT_SAMPLER_LOD_PARTS = 2048,
    WEFT_SAMPLER_LOD_MAX = 0xffff,
};

#endif
