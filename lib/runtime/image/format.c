// Image formats: which are supported, and how a colour becomes a texel (OpenCL 2.2 §5.3.1.1, §5.3.2, §5.3.4,
// and the conversion rules of OpenCL C §6.12.14). Constant data only.
#include "runtime/image/format.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "weft/image.h"

#define ROW(order, type, bytes, coding, layout, both, depth) \
    {{CL_##order, CL_##type}, bytes, WEFT_IMAGE_##coding, WEFT_IMAGE_##layout, both, depth},

// Channel orders with n channels of all types. both: supported for read_write images.
#define FLOATS(order, n, layout, both)                       \
    ROW(order, UNORM_INT8, n, U8, layout, both, false)       \
    ROW(order, UNORM_INT16, 2 * n, U16, layout, both, false) \
    ROW(order, SNORM_INT8, n, S8, layout, both, false)       \
    ROW(order, SNORM_INT16, 2 * n, S16, layout, both, false) \
    ROW(order, HALF_FLOAT, 2 * n, HALF, layout, both, false) \
    ROW(order, FLOAT, 4 * n, FLOAT, layout, both, false)
#define INTEGERS(order, n, layout, both)                        \
    ROW(order, SIGNED_INT8, n, S8, layout, both, false)         \
    ROW(order, SIGNED_INT16, 2 * n, S16, layout, both, false)   \
    ROW(order, SIGNED_INT32, 4 * n, 32, layout, both, false)    \
    ROW(order, UNSIGNED_INT8, n, U8, layout, both, false)       \
    ROW(order, UNSIGNED_INT16, 2 * n, U16, layout, both, false) \
    ROW(order, UNSIGNED_INT32, 4 * n, 32, layout, both, false)
#define ALL(order, n, layout, both) FLOATS(order, n, layout, both) INTEGERS(order, n, layout, both)
// Channel orders of four channels of 8 bits.
#define BYTES(order)                                    \
    ROW(order, UNORM_INT8, 4, U8, order, false, false)  \
    ROW(order, SNORM_INT8, 4, S8, order, false, false)  \
    ROW(order, SIGNED_INT8, 4, S8, order, false, false) \
    ROW(order, UNSIGNED_INT8, 4, U8, order, false, false)
#define PACKED(order)                                      \
    ROW(order, UNORM_SHORT_565, 2, 565, RGB, false, false) \
    ROW(order, UNORM_SHORT_555, 2, 555, RGB, false, false) \
    ROW(order, UNORM_INT_101010, 4, 101010, RGB, false, false)

const struct weft_image_format weft_image_formats[] = {
    ALL(RGBA, 4, RGBA, true) ALL(R, 1, R, true) ALL(RG, 2, RG, true) ALL(A, 1, A, false) ALL(RA, 2, RA, false)
        FLOATS(INTENSITY, 1, INTENSITY, false) FLOATS(LUMINANCE, 1, LUMINANCE, false) BYTES(BGRA) BYTES(ARGB)
            BYTES(ABGR) PACKED(RGB) PACKED(RGBx) ROW(DEPTH, UNORM_INT16, 2, U16, R, false, true)
                ROW(DEPTH, FLOAT, 4, FLOAT, R, false, true)
                    ROW(sRGBA, UNORM_INT8, 4, SRGB, RGBA, false, false)
                        ROW(sBGRA, UNORM_INT8, 4, SRGB, BGRA, false, false)
                            ROW(R, UNSIGNED_INT_RAW10_EXT, 2, RAW10, R, false, false)
                                ROW(R, UNSIGNED_INT_RAW12_EXT, 2, RAW12, R, false, false)};
const size_t weft_image_format_count = sizeof weft_image_formats / sizeof weft_image_formats[0];

static bool is_packed(cl_channel_type t)
{
    return t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555 || t == CL_UNORM_INT_101010;
}

const char *weft_image_channel_name(cl_uint value)
{
#define NAME(name) {name, #name}
    static const struct {
        cl_uint value;
        const char *name;
    } names[] = {NAME(CL_R),
                 NAME(CL_A),
                 NAME(CL_RG),
                 NAME(CL_RA),
                 NAME(CL_RGB),
                 NAME(CL_RGBA),
                 NAME(CL_BGRA),
                 NAME(CL_ARGB),
                 NAME(CL_ABGR),
                 NAME(CL_INTENSITY),
                 NAME(CL_LUMINANCE),
                 NAME(CL_Rx),
                 NAME(CL_RGx),
                 NAME(CL_RGBx),
                 NAME(CL_DEPTH),
                 NAME(CL_sRGB),
                 NAME(CL_sRGBx),
                 NAME(CL_sRGBA),
                 NAME(CL_sBGRA),
                 NAME(CL_SNORM_INT8),
                 NAME(CL_SNORM_INT16),
                 NAME(CL_UNORM_INT8),
                 NAME(CL_UNORM_INT16),
                 NAME(CL_UNORM_INT24),
                 NAME(CL_UNORM_SHORT_565),
                 NAME(CL_UNORM_SHORT_555),
                 NAME(CL_UNORM_INT_101010),
                 NAME(CL_UNORM_INT_101010_2),
                 NAME(CL_SIGNED_INT8),
                 NAME(CL_SIGNED_INT16),
                 NAME(CL_SIGNED_INT32),
                 NAME(CL_UNSIGNED_INT8),
                 NAME(CL_UNSIGNED_INT16),
                 NAME(CL_UNSIGNED_INT32),
                 NAME(CL_HALF_FLOAT),
                 NAME(CL_FLOAT)};
#undef NAME
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++)
        if (names[i].value == value)
            return names[i].name;
    return NULL;
}

bool weft_image_format_is_valid(const cl_image_format *f)
{
    cl_channel_type t = f->image_channel_data_type;
    // "The channel order must be CL_R."
    if (t == CL_UNSIGNED_INT_RAW10_EXT || t == CL_UNSIGNED_INT_RAW12_EXT)
        return f->image_channel_order == CL_R;
    if (t < CL_SNORM_INT8 || t > CL_UNORM_INT_101010_2)
        return false;
    switch (f->image_channel_order) {
    case CL_R:
    case CL_Rx:
    case CL_A:
    case CL_RG:
    case CL_RGx:
    case CL_RA:
        return !is_packed(t) && t < CL_UNORM_INT24;
    case CL_RGBA: // "CL_UNORM_INT_101010_2 [...] The channel order must be CL_RGBA."
        return (!is_packed(t) && t < CL_UNORM_INT24) || t == CL_UNORM_INT_101010_2;
    // "CL_INTENSITY ... can only be used if channel data type = CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8,
    // CL_SNORM_INT16, CL_HALF_FLOAT, or CL_FLOAT." The specification says this of CL_LUMINANCE, too.
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return t <= CL_UNORM_INT16 || t == CL_HALF_FLOAT || t == CL_FLOAT;
    // "can only be used if channel data type = CL_UNORM_SHORT_565, CL_UNORM_SHORT_555 or CL_UNORM_INT_101010"
    case CL_RGB:
    case CL_RGBx:
        return is_packed(t);
    // "can only be used if channel data type = CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8 or
    // CL_UNSIGNED_INT8"
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
        return t == CL_UNORM_INT8 || t == CL_SNORM_INT8 || t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8;
    // "CL_DEPTH ... can only be used if channel data type = CL_UNORM_INT16 or CL_FLOAT"
    case CL_DEPTH:
        return t == CL_UNORM_INT16 || t == CL_FLOAT;
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
        return t == CL_UNORM_INT8;
    }
    return false;
}

const struct weft_image_format *weft_image_format_find(const cl_image_format *f, cl_mem_object_type type)
{
    for (size_t i = 0; i < weft_image_format_count; i++) {
        const struct weft_image_format *have = &weft_image_formats[i];
        if (have->cl.image_channel_order == f->image_channel_order &&
            have->cl.image_channel_data_type == f->image_channel_data_type)
            return weft_image_format_fits(have, type, CL_MEM_READ_ONLY) ? have : NULL;
    }
    return NULL;
}

bool weft_image_format_fits(const struct weft_image_format *f, cl_mem_object_type type, cl_mem_flags flags)
{
    if (f->depth && type != CL_MEM_OBJECT_IMAGE2D && type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return false;
    // Texels share bytes, so work-items that write them would have to synchronize.
    if (weft_image_format_group(f) > 1 && (type != CL_MEM_OBJECT_IMAGE2D || !(flags & CL_MEM_READ_ONLY)))
        return false;
    // "CL_ABGR is missing before version 2.0". So are the sRGB orders.
    if ((f->coding == WEFT_IMAGE_SRGB || f->order == WEFT_IMAGE_ABGR) && weft_cl_version() < 200)
        return false;
    return f->both || !(flags & CL_MEM_KERNEL_READ_AND_WRITE);
}

size_t weft_image_format_group(const struct weft_image_format *f)
{
    return f->coding == WEFT_IMAGE_RAW10 ? 4 : f->coding == WEFT_IMAGE_RAW12 ? 2 : 1;
}

size_t weft_image_format_group_bytes(const struct weft_image_format *f)
{
    const size_t texels = weft_image_format_group(f);
    return texels > 1 ? texels + 1 : f->texel_bytes;
}

size_t weft_image_pitch_unit(const struct weft_image_format *f)
{
    return weft_image_format_group(f) > 1 ? 1 : f->texel_bytes;
}

bool weft_image_format_bytes(const struct weft_image_format *f, size_t texels, size_t *bytes)
{
    return weft_mul_size(texels / weft_image_format_group(f), weft_image_format_group_bytes(f), bytes);
}

float weft_image_format_scale(const struct weft_image_format *f)
{
    switch (f->cl.image_channel_data_type) {
    case CL_UNORM_INT8:
        return f->coding == WEFT_IMAGE_SRGB ? 1 : 1.0f / 255;
    case CL_UNORM_INT16:
        return 1.0f / 65535;
    case CL_SNORM_INT8:
        return 1.0f / 127;
    case CL_SNORM_INT16:
        return 1.0f / 32767;
    default:
        return 1;
    }
}

// ---- A colour as a texel ----

// Rounds x to the nearest integer, ties to even, in every rounding mode. |x| must be far below 2^53.
static int64_t nearest(double x)
{
    int64_t n = (int64_t)x;
    double rest = x - (double)n; // exact
    bool odd = n & 1;
    if (rest > 0.5 || (rest == 0.5 && odd))
        return n + 1;
    return rest < -0.5 || (rest == -0.5 && odd) ? n - 1 : n;
}

// Rounds x, limited to [low, high]. 0 for NaN.
static int64_t rounded(float x, float low, float high)
{
    return isnan(x) ? 0 : nearest((double)(x < low ? low : x > high ? high : x));
}

// Converts to half precision, rounding to the nearest, ties to even.
static uint16_t half_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return (uint16_t)(sign | 0x7e00); // NaN
    if (rest >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00); // halfway or more between the largest half and 2^16
    // A subnormal half: a multiple of 2^-24.
    if (rest < 0x38800000) {
        float magnitude;
        memcpy(&magnitude, &rest, sizeof magnitude);
        return (uint16_t)(sign | (uint32_t)nearest((double)magnitude * 0x1p24));
    }
    uint32_t odd = rest >> 13 & 1;
    return (uint16_t)(sign | ((rest + 0xfff + odd - (112u << 23)) >> 13));
}

// The sRGB code with the nearest intensity.
static int64_t srgb_of(float linear)
{
    static const float intensities[] = {
#include "weft/srgb.inc"
    };
    int64_t low = 0, high = 255;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (linear > intensities[2 * middle + 1])
            low = middle + 1;
        else
            high = middle;
    }
    return isnan(linear) ? 0 : low;
}

static void encode_channel(const struct weft_image_format *f, const void *color, size_t from, size_t channel,
                           unsigned char *texel)
{
    float x;
    int32_t i;
    uint32_t u;
    memcpy(&x, (const unsigned char *)color + 4 * from, 4);
    memcpy(&i, &x, 4);
    memcpy(&u, &x, 4);
    int64_t value;
    switch (f->cl.image_channel_data_type) {
    case CL_UNORM_INT8:
        value = f->coding == WEFT_IMAGE_SRGB && from < 3 ? srgb_of(x) : rounded(x * 255, 0, 255);
        break;
    case CL_UNORM_INT16:
        value = rounded(x * 65535, 0, 65535);
        break;
    case CL_SNORM_INT8:
        value = rounded(x * 127, -128, 127);
        break;
    case CL_SNORM_INT16:
        value = rounded(x * 32767, -32768, 32767);
        break;
    case CL_SIGNED_INT8:
        value = i < INT8_MIN ? INT8_MIN : i > INT8_MAX ? INT8_MAX : i;
        break;
    case CL_SIGNED_INT16:
        value = i < INT16_MIN ? INT16_MIN : i > INT16_MAX ? INT16_MAX : i;
        break;
    case CL_UNSIGNED_INT8:
        value = u > UINT8_MAX ? UINT8_MAX : u;
        break;
    case CL_UNSIGNED_INT16:
        value = u > UINT16_MAX ? UINT16_MAX : u;
        break;
    case CL_HALF_FLOAT:
        value = half_of(x);
        break;
    default:
        value = u;
    }
    switch (f->coding) {
    case WEFT_IMAGE_U8:
    case WEFT_IMAGE_S8:
    case WEFT_IMAGE_SRGB:
        texel[channel] = (unsigned char)value;
        break;
    case WEFT_IMAGE_32:
    case WEFT_IMAGE_FLOAT:
        u = (uint32_t)value;
        memcpy(texel + 4 * channel, &u, 4);
        break;
    default: {
        uint16_t s = (uint16_t)value;
        memcpy(texel + 2 * channel, &s, 2);
    }
    }
}

static void encode_packed(const struct weft_image_format *f, const void *color, unsigned char *texel)
{
    float c[3];
    memcpy(c, color, sizeof c);
    if (f->coding == WEFT_IMAGE_101010) {
        uint32_t u = (uint32_t)rounded(c[0] * 1023, 0, 1023) << 20 |
                     (uint32_t)rounded(c[1] * 1023, 0, 1023) << 10 | (uint32_t)rounded(c[2] * 1023, 0, 1023);
        memcpy(texel, &u, sizeof u);
        return;
    }
    bool six = f->coding == WEFT_IMAGE_565;
    float green = six ? 63 : 31;
    uint16_t s = (uint16_t)(rounded(c[0] * 31, 0, 31) << (six ? 11 : 10) |
                            rounded(c[1] * green, 0, green) << 5 | rounded(c[2] * 31, 0, 31));
    memcpy(texel, &s, sizeof s);
}

static void encode_raw(const struct weft_image_format *f, const void *color, unsigned char *group)
{
    const size_t texels = weft_image_format_group(f), low = 8 / texels; // bits of each texel in the last byte
    const uint32_t maximum = (1u << (8 + low)) - 1;
    uint32_t u;
    memcpy(&u, color, sizeof u);
    u = u > maximum ? maximum : u;
    group[texels] = 0;
    for (size_t i = 0; i < texels; i++) {
        group[i] = (unsigned char)(u >> low);
        group[texels] |= (unsigned char)((u & ((1u << low) - 1)) << (i * low));
    }
}

void weft_image_format_encode(const struct weft_image_format *f, const void *color, unsigned char texel[16])
{
    // For each channel in memory, the component of the colour that it stores. 4: no further channel.
    static const unsigned char from[][4] = {
        [WEFT_IMAGE_RGBA] = {0, 1, 2, 3}, [WEFT_IMAGE_R] = {0, 4},          [WEFT_IMAGE_RG] = {0, 1, 4},
        [WEFT_IMAGE_RGB] = {0, 1, 2, 4},  [WEFT_IMAGE_BGRA] = {2, 1, 0, 3}, [WEFT_IMAGE_ARGB] = {3, 0, 1, 2},
        [WEFT_IMAGE_ABGR] = {3, 2, 1, 0}, [WEFT_IMAGE_A] = {3, 4},          [WEFT_IMAGE_RA] = {0, 3, 4},
        [WEFT_IMAGE_INTENSITY] = {0, 4},  [WEFT_IMAGE_LUMINANCE] = {0, 4},
    };
    if (is_packed(f->cl.image_channel_data_type)) {
        encode_packed(f, color, texel);
        return;
    }
    if (weft_image_format_group(f) > 1) {
        encode_raw(f, color, texel);
        return;
    }
    for (size_t i = 0; i < 4 && from[f->order][i] < 4; i++)
        encode_channel(f, color, from[f->order][i], i, texel);
}
