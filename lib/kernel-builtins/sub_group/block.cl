// Blocks of memory, a row of one element of each work-item of a sub-group after the other (cl_intel_subgroups and its kin, SPV_INTEL_subgroups).
// The pointer is the same for all of them. Not reported: the accesses to images are missing.
#include "../builtin.h"

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
