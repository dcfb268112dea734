// Block reads and writes (cl_intel_subgroups and related extensions, SPV_INTEL_subgroups). A block is a
// sequence of rows; a row has one element for each work-item of a sub-group. All work-items pass the same
// pointer. In an image, a row of the block is a part of a row of the image. Reads outside of the image return
// its edge; writes there are dropped.
#include "../image/image.h"

#define ROWS_(p, size) (p)[0 * (size)]
#define ROWS_2(p, size) (p)[0], (p)[size]
#define ROWS_4(p, size) ROWS_2(p, size), ROWS_2((p) + 2 * (size), size)
#define ROWS_8(p, size) ROWS_4(p, size), ROWS_4((p) + 4 * (size), size)
#define ROWS_16(p, size) ROWS_8(p, size), ROWS_8((p) + 8 * (size), size)

#define WRITE_(p, size, x) (p)[0 * (size)] = (x);
#define WRITE_2(p, size, x)                                                                                            \
  (p)[0] = (x).lo;                                                                                                     \
  (p)[size] = (x).hi;
#define WRITE_4(p, size, x) WRITE_2(p, size, (x).lo) WRITE_2((p) + 2 * (size), size, (x).hi)
#define WRITE_8(p, size, x) WRITE_4(p, size, (x).lo) WRITE_4((p) + 4 * (size), size, (x).hi)
#define WRITE_16(p, size, x) WRITE_8(p, size, (x).lo) WRITE_8((p) + 8 * (size), size, (x).hi)

#define BLOCK(n, SPACE, T, suffix)                                                                                     \
  T##n OVERLOAD intel_sub_group_block_read##suffix##n(const SPACE T *p) {                                              \
    size_t size = get_max_sub_group_size();                                                                            \
    p += get_sub_group_local_id();                                                                                     \
    return (T##n)(ROWS_##n(p, size));                                                                                  \
  }                                                                                                                    \
  void OVERLOAD intel_sub_group_block_write##suffix##n(SPACE T *p, T##n x) {                                           \
    size_t size = get_max_sub_group_size();                                                                            \
    p += get_sub_group_local_id();                                                                                     \
    WRITE_##n(p, size, x)                                                                                              \
  }
#define BLOCKS_IN(SPACE, T, suffix)                                                                                    \
  BLOCK(, SPACE, T, suffix)                                                                                            \
  BLOCK(2, SPACE, T, suffix) BLOCK(4, SPACE, T, suffix) BLOCK(8, SPACE, T, suffix) BLOCK(16, SPACE, T, suffix)
#define BLOCKS(T, suffix) BLOCKS_IN(__global, T, suffix) BLOCKS_IN(__local, T, suffix)

BLOCKS(uint, )
BLOCKS(uint, _ui)
BLOCKS(ushort, _us)
BLOCKS(uchar, _uc)
BLOCKS(ulong, _ul)

// ---- Images: addressed in bytes, whatever a texel is ----

// Is a block of this many lines completely within the image?
INLINE bool is_within(image im, int2 at, int lines, int bytes) {
  int row = im->size[0] * (int)im->texel_bytes, columns = bytes * (int)get_max_sub_group_size();
  return at.x >= 0 && columns <= row && at.x <= row - columns && at.y >= 0 && lines <= im->size[1] &&
         at.y <= im->size[1] - lines;
}

// Clamps far coordinates. Outside of the image only the side matters, and sums of clamped coordinates don't
// overflow.
INLINE int2 not_far(int2 at) {
  enum { FAR = 1 << 28 };
  return (int2)(within(at.x, -FAR, FAR), within(at.y, -FAR, FAR));
}

#define IMAGE_ROW(T)                                                                                                   \
  typedef T T##_anywhere_ __attribute__((aligned(1)));                                                                 \
  INLINE T inside_read_##T(image im, int x, int y) {                                                                   \
    return *(const global T##_anywhere_ *)(row_of(im, y, 0, 0) + x);                                                   \
  }                                                                                                                    \
  INLINE void inside_write_##T(image im, int x, int y, T value) {                                                      \
    *(global T##_anywhere_ *)(row_of(im, y, 0, 0) + x) = value;                                                        \
  }                                                                                                                    \
  INLINE T edge_read_##T(image im, int x, int y) {                                                                     \
    int last = im->size[0] * (int)im->texel_bytes - (int)sizeof(T);                                                    \
    return last < 0 ? 0 : inside_read_##T(im, within(x, 0, last), within(y, 0, im->size[1] - 1));                      \
  }                                                                                                                    \
  INLINE void edge_write_##T(image im, int x, int y, T value) {                                                        \
    int last = im->size[0] * (int)im->texel_bytes - (int)sizeof(T);                                                    \
    if (x >= 0 && x <= last && is_below(y, im->size[1]))                                                               \
      inside_write_##T(im, x, y, value);                                                                               \
  }
IMAGE_ROW(uchar)
IMAGE_ROW(ushort)
IMAGE_ROW(uint)
IMAGE_ROW(ulong)

// f(im, x, y, ...) for consecutive y.
#define LINES_(f, im, x, y) f(im, x, y)
#define LINES_2(f, im, x, y) f(im, x, y), f(im, x, (y) + 1)
#define LINES_4(f, im, x, y) LINES_2(f, im, x, y), LINES_2(f, im, x, (y) + 2)
#define LINES_8(f, im, x, y) LINES_4(f, im, x, y), LINES_4(f, im, x, (y) + 4)
#define LINES_16(f, im, x, y) LINES_8(f, im, x, y), LINES_8(f, im, x, (y) + 8)
#define PUT_(f, im, x, y, v) f(im, x, y, v);
#define PUT_2(f, im, x, y, v)                                                                                          \
  f(im, x, y, (v).lo);                                                                                                 \
  f(im, x, (y) + 1, (v).hi);
#define PUT_4(f, im, x, y, v) PUT_2(f, im, x, y, (v).lo) PUT_2(f, im, x, (y) + 2, (v).hi)
#define PUT_8(f, im, x, y, v) PUT_4(f, im, x, y, (v).lo) PUT_4(f, im, x, (y) + 4, (v).hi)
#define PUT_16(f, im, x, y, v) PUT_8(f, im, x, y, (v).lo) PUT_8(f, im, x, (y) + 8, (v).hi)

// The names are Clang's mangled names: images are special types in the language. CODE: the mangled type of
// the data.
#define IMAGE_READ(n, T, NAME, IMAGE)                                                                                  \
  T##n r##NAME##_##IMAGE(image im, int2 at) __asm__("_Z" #NAME #IMAGE "Dv2_i");                                        \
  T##n r##NAME##_##IMAGE(image im, int2 at) {                                                                          \
    at = not_far(at);                                                                                                  \
    int x = at.x + (int)(get_sub_group_local_id() * sizeof(T));                                                        \
    if (is_within(im, at, sizeof(T##n) / sizeof(T), sizeof(T)))                                                        \
      return (T##n)(LINES_##n(inside_read_##T, im, x, at.y));                                                          \
    return (T##n)(LINES_##n(edge_read_##T, im, x, at.y));                                                              \
  }
#define IMAGE_WRITE(n, T, NAME, IMAGE, CODE)                                                                           \
  void w##NAME##_##IMAGE(image im, int2 at, T##n v) __asm__("_Z" #NAME #IMAGE "Dv2_i" CODE);                           \
  void w##NAME##_##IMAGE(image im, int2 at, T##n v) {                                                                  \
    at = not_far(at);                                                                                                  \
    int x = at.x + (int)(get_sub_group_local_id() * sizeof(T));                                                        \
    if (is_within(im, at, sizeof(T##n) / sizeof(T), sizeof(T))) {                                                      \
      PUT_##n(inside_write_##T, im, x, at.y, v)                                                                        \
    } else {                                                                                                           \
      PUT_##n(edge_write_##T, im, x, at.y, v)                                                                          \
    }                                                                                                                  \
  }
#define IMAGE_BLOCK(n, T, READ, WRITE, CODE)                                                                           \
  IMAGE_READ(n, T, READ, 14ocl_image2d_ro)                                                                             \
  IMAGE_READ(n, T, READ, 14ocl_image2d_rw)                                                                             \
  IMAGE_WRITE(n, T, WRITE, 14ocl_image2d_wo, CODE)                                                                     \
  IMAGE_WRITE(n, T, WRITE, 14ocl_image2d_rw, CODE)

IMAGE_BLOCK(, uint, 26intel_sub_group_block_read, 27intel_sub_group_block_write, "j")
IMAGE_BLOCK(2, uint, 27intel_sub_group_block_read2, 28intel_sub_group_block_write2, "Dv2_j")
IMAGE_BLOCK(4, uint, 27intel_sub_group_block_read4, 28intel_sub_group_block_write4, "Dv4_j")
IMAGE_BLOCK(8, uint, 27intel_sub_group_block_read8, 28intel_sub_group_block_write8, "Dv8_j")
// For names that end in three letters, for each length.
#define IMAGE_BLOCKS(T, ending, code)                                                                                  \
  IMAGE_BLOCK(, T, 29intel_sub_group_block_read##ending, 30intel_sub_group_block_write##ending, code)                  \
  IMAGE_BLOCK(2, T, 30intel_sub_group_block_read##ending##2, 31intel_sub_group_block_write##ending##2, "Dv2_" code)    \
  IMAGE_BLOCK(4, T, 30intel_sub_group_block_read##ending##4, 31intel_sub_group_block_write##ending##4, "Dv4_" code)    \
  IMAGE_BLOCK(8, T, 30intel_sub_group_block_read##ending##8, 31intel_sub_group_block_write##ending##8, "Dv8_" code)    \
  IMAGE_BLOCK(16, T, 31intel_sub_group_block_read##ending##16, 32intel_sub_group_block_write##ending##16, "Dv16_" code)
IMAGE_BLOCKS(uint, _ui, "j")
IMAGE_BLOCKS(ushort, _us, "t")
IMAGE_BLOCKS(uchar, _uc, "h")
IMAGE_BLOCKS(ulong, _ul, "m")
