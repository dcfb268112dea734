// What a kernel knows of an image and of a sampler. The runtime fills in the descriptor. The built-in
// functions read it (lib/kernel-builtins/image); they are OpenCL C and include this file too.
//
// In the argument block an image is the address of a struct weft_image. A sampler is a 32-bit number,
// extended to 64 bits: the sum of OpenCL C's CLK_* constants. A descriptor lives as long as the image object
// and never changes.
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

// How the channels of a texel are encoded. Encodings of 8 and 16 bits that are read by the same function
// (read_imagef, read_imagei, read_imageui) differ only in the factor: weft_image.scale.
enum weft_image_coding {
    WEFT_IMAGE_U8,  // UNORM_INT8, UNSIGNED_INT8
    WEFT_IMAGE_S8,  // SNORM_INT8, SIGNED_INT8
    WEFT_IMAGE_U16, // UNORM_INT16, UNSIGNED_INT16
    WEFT_IMAGE_S16,
    WEFT_IMAGE_32, // 32-bit integers
    WEFT_IMAGE_HALF,
    WEFT_IMAGE_FLOAT,
    WEFT_IMAGE_SRGB, // 8 bits; alpha is linear
    WEFT_IMAGE_565,
    WEFT_IMAGE_555,
    WEFT_IMAGE_101010,
    // RAW10: four texels of 10 bits in five bytes. RAW12: two texels of 12 bits in three bytes. First come
    // the upper 8 bits of each texel, then one byte with the lower bits, the first texel's lowest. For 2D
    // images, which kernels read by read_imageui.
    WEFT_IMAGE_RAW10,
    WEFT_IMAGE_RAW12,
};

// Which channels a texel has, in the order in which they lie in memory. In the vector (r, g, b, a) missing
// colours are 0 and a missing alpha is 1.
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

// Common kinds of images, for which kernels have faster code. A kernel has a second body for RGBA8.
enum weft_image_common {
    WEFT_IMAGE_UNCOMMON,
    // WEFT_IMAGE_U8 in the order WEFT_IMAGE_RGBA. This one, WEFT_IMAGE_BGRA8 and WEFT_IMAGE_R32 have two
    // texels in a row at least, and less than 2^31 bytes in a slice.
    WEFT_IMAGE_RGBA8,
    WEFT_IMAGE_RGBA32,  // WEFT_IMAGE_32 or WEFT_IMAGE_FLOAT in the order WEFT_IMAGE_RGBA
    WEFT_IMAGE_R32,     // WEFT_IMAGE_32 or WEFT_IMAGE_FLOAT in the order WEFT_IMAGE_R
    WEFT_IMAGE_RGBA16F, // WEFT_IMAGE_HALF in the order WEFT_IMAGE_RGBA
    WEFT_IMAGE_R8,      // WEFT_IMAGE_U8 in the order WEFT_IMAGE_R
    WEFT_IMAGE_BGRA8,   // WEFT_IMAGE_U8 in the order WEFT_IMAGE_BGRA
};

struct weft_image {
    weft_image_ulong data;       // the address of texel (0, 0, 0)
    weft_image_long row_pitch;   // bytes
    weft_image_long slice_pitch; // bytes from a slice, or from a layer of an array, to the next
    weft_image_int size[3];      // texels; 1 in dimensions that the image doesn't have
    weft_image_int layers;       // of an array; else 1
    // 1, 2, 4, 8 or 16; 1 for RAW10 and RAW12, so that accesses stay within a row.
    weft_image_uint texel_bytes;
    weft_image_uint coding;        // enum weft_image_coding
    weft_image_uint order;         // enum weft_image_order
    float scale;                   // value = encoded number * scale; 1 for integers and floats
    weft_image_uint channel_order; // as in the host's API; for queries in kernels
    weft_image_uint channel_data_type;
    weft_image_uint common; // enum weft_image_common
    // Levels of a mipmapped image; the descriptor of level k is k elements further on; else 1.
    weft_image_int levels;
    float extent[3]; // `size` as floats: coordinates are multiplied by it and clamped to it
};

// Bits of a sampler, as Clang and the runtime's sampler objects encode them.
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
    // Two 16-bit numbers, in 1/WEFT_SAMPLER_LOD_PARTS of a level. The first is the sampler object's minimum
    // level of detail. The second is the value WEFT_SAMPLER_LOD_MAX minus its maximum level of detail. A
    // constant sampler has zeros here, which limit nothing.
    WEFT_SAMPLER_LOD_MIN_SHIFT = 32,
    WEFT_SAMPLER_LOD_MAX_SHIFT = 48,
    WEFT_SAMPLER_LOD_PARTS = 2048,
    WEFT_SAMPLER_LOD_MAX = 0xffff,
};

#endif
