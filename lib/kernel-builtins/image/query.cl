// Queries of images (OpenCL C 3.0 §6.15.15.6).
#include "image.h"

#define QUERY(T, NAME, IMAGE, value)                                                                                   \
  T q##NAME##_##IMAGE(image im) __asm__("_Z" #NAME #IMAGE);                                                            \
  T q##NAME##_##IMAGE(image im) { return value; }

#define FOR_ACCESS(F, N, IMAGE) F(N##IMAGE##_ro) F(N##IMAGE##_wo) F(N##IMAGE##_rw)

#define EVERY(IMAGE)                                                                                                   \
  QUERY(int, 15get_image_width, IMAGE, im->size[0])                                                                    \
  QUERY(int, 27get_image_channel_data_type, IMAGE, (int)im->channel_data_type)                                         \
  QUERY(int, 23get_image_channel_order, IMAGE, (int)im->channel_order)
#define LEVELS(IMAGE) QUERY(int, 24get_image_num_mip_levels, IMAGE, im->levels)
#define TALL(IMAGE) QUERY(int, 16get_image_height, IMAGE, im->size[1])
#define FLAT(IMAGE) QUERY(int2, 13get_image_dim, IMAGE, (int2)(im->size[0], im->size[1]))
#define LAYERED(IMAGE) QUERY(size_t, 20get_image_array_size, IMAGE, (size_t)im->layers)
#define SOLID(IMAGE)                                                                                                   \
  QUERY(int, 15get_image_depth, IMAGE, im->size[2])                                                                    \
  QUERY(int4, 13get_image_dim, IMAGE, (int4)(im->size[0], im->size[1], im->size[2], 0))

FOR_ACCESS(EVERY, 14, ocl_image1d)
FOR_ACCESS(EVERY, 21, ocl_image1d_buffer)
FOR_ACCESS(EVERY, 20, ocl_image1d_array)
FOR_ACCESS(EVERY, 14, ocl_image2d)
FOR_ACCESS(EVERY, 20, ocl_image2d_array)
FOR_ACCESS(EVERY, 20, ocl_image2d_depth)
FOR_ACCESS(EVERY, 26, ocl_image2d_array_depth)
FOR_ACCESS(EVERY, 14, ocl_image3d)

FOR_ACCESS(LEVELS, 14, ocl_image1d)
FOR_ACCESS(LEVELS, 20, ocl_image1d_array)
FOR_ACCESS(LEVELS, 14, ocl_image2d)
FOR_ACCESS(LEVELS, 20, ocl_image2d_array)
FOR_ACCESS(LEVELS, 20, ocl_image2d_depth)
FOR_ACCESS(LEVELS, 26, ocl_image2d_array_depth)
FOR_ACCESS(LEVELS, 14, ocl_image3d)

FOR_ACCESS(TALL, 14, ocl_image2d)
FOR_ACCESS(TALL, 20, ocl_image2d_array)
FOR_ACCESS(TALL, 20, ocl_image2d_depth)
FOR_ACCESS(TALL, 26, ocl_image2d_array_depth)
FOR_ACCESS(TALL, 14, ocl_image3d)

FOR_ACCESS(FLAT, 14, ocl_image2d)
FOR_ACCESS(FLAT, 20, ocl_image2d_array)
FOR_ACCESS(FLAT, 20, ocl_image2d_depth)
FOR_ACCESS(FLAT, 26, ocl_image2d_array_depth)

FOR_ACCESS(LAYERED, 20, ocl_image1d_array)
FOR_ACCESS(LAYERED, 20, ocl_image2d_array)
FOR_ACCESS(LAYERED, 26, ocl_image2d_array_depth)

FOR_ACCESS(SOLID, 14, ocl_image3d)
