// read_imageh and write_imageh (cl_khr_fp16): the functions of float, with their colours rounded or widened.
#include "image.h"

// The names are Clang's mangled names: images and samplers are special types in the language.
#define READ_HALF(IMAGE, WHERE, C, ...)                                                                                \
  float4 f_##IMAGE##WHERE(image im, __VA_ARGS__ C c) __asm__("_Z11read_imagef" #IMAGE #WHERE);                         \
  half4 h_##IMAGE##WHERE(image im, __VA_ARGS__ C c) __asm__("_Z11read_imageh" #IMAGE #WHERE);
#define READ_SAMPLED(IMAGE, WHERE, C)                                                                                  \
  READ_HALF(IMAGE, 11ocl_sampler##WHERE, C, sampler s, )                                                               \
  half4 h_##IMAGE##11ocl_sampler##WHERE(image im, sampler s, C c) {                                                    \
    return __builtin_convertvector(f_##IMAGE##11ocl_sampler##WHERE(im, s, c), half4);                                  \
  }
#define READ_PLAIN(IMAGE, WHERE, C)                                                                                    \
  READ_HALF(IMAGE, WHERE, C)                                                                                           \
  half4 h_##IMAGE##WHERE(image im, C c) { return __builtin_convertvector(f_##IMAGE##WHERE(im, c), half4); }
#define WRITE(IMAGE, WHERE, C)                                                                                         \
  void wf_##IMAGE##WHERE(image im, C c, float4 v) __asm__("_Z12write_imagef" #IMAGE #WHERE "Dv4_f");                   \
  void wh_##IMAGE##WHERE(image im, C c, half4 v) __asm__("_Z12write_imageh" #IMAGE #WHERE "Dv4_Dh");                   \
  void wh_##IMAGE##WHERE(image im, C c, half4 v) { wf_##IMAGE##WHERE(im, c, __builtin_convertvector(v, float4)); }

#define SAMPLED(RO, INT, FLOAT, CI, CF) READ_SAMPLED(RO, INT, CI) READ_SAMPLED(RO, FLOAT, CF)
#define UNSAMPLED(RO, WO, RW, INT, CI)                                                                                 \
  READ_PLAIN(RO, INT, CI) READ_PLAIN(RW, INT, CI) WRITE(WO, INT, CI) WRITE(RW, INT, CI)

SAMPLED(14ocl_image1d_ro, i, f, int, float)
SAMPLED(20ocl_image1d_array_ro, Dv2_i, Dv2_f, int2, float2)
SAMPLED(14ocl_image2d_ro, Dv2_i, Dv2_f, int2, float2)
SAMPLED(20ocl_image2d_array_ro, Dv4_i, Dv4_f, int4, float4)
SAMPLED(14ocl_image3d_ro, Dv4_i, Dv4_f, int4, float4)
UNSAMPLED(14ocl_image1d_ro, 14ocl_image1d_wo, 14ocl_image1d_rw, i, int)
UNSAMPLED(21ocl_image1d_buffer_ro, 21ocl_image1d_buffer_wo, 21ocl_image1d_buffer_rw, i, int)
UNSAMPLED(20ocl_image1d_array_ro, 20ocl_image1d_array_wo, 20ocl_image1d_array_rw, Dv2_i, int2)
UNSAMPLED(14ocl_image2d_ro, 14ocl_image2d_wo, 14ocl_image2d_rw, Dv2_i, int2)
UNSAMPLED(20ocl_image2d_array_ro, 20ocl_image2d_array_wo, 20ocl_image2d_array_rw, Dv4_i, int4)
UNSAMPLED(14ocl_image3d_ro, 14ocl_image3d_wo, 14ocl_image3d_rw, Dv4_i, int4)
