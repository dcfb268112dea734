// work_group_broadcast (OpenCL C 3.0 §6.15.16).
#include "group.h"

#define BROADCAST(T, ...)                                                                                              \
  static inline T broadcast_##T(T x, size_t from) {                                                                    \
    __private T *row = group_row(sizeof(T)), *slot = __weft_group_slot();                                                \
    row[get_local_linear_id()] = x;                                                                                    \
    __weft_single_item_barrier();                                                                                             \
    *slot = row[from < group_items() ? from : 0];                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return *slot;                                                                                                      \
  }                                                                                                                    \
  T OVERLOAD work_group_broadcast(T x, size_t id) { return broadcast_##T(x, id); }                                     \
  T OVERLOAD work_group_broadcast(T x, size_t id_x, size_t id_y) {                                                     \
    return broadcast_##T(x, id_y * get_local_size(0) + id_x);                                                          \
  }                                                                                                                    \
  T OVERLOAD work_group_broadcast(T x, size_t id_x, size_t id_y, size_t id_z) {                                        \
    return broadcast_##T(x, (id_z * get_local_size(1) + id_y) * get_local_size(0) + id_x);                             \
  }
FOR_GROUP_TYPES(BROADCAST)

half OVERLOAD work_group_broadcast(half x, size_t id) { return (half)broadcast_float(x, id); }
half OVERLOAD work_group_broadcast(half x, size_t id_x, size_t id_y) { return (half)work_group_broadcast((float)x, id_x, id_y); }
half OVERLOAD work_group_broadcast(half x, size_t id_x, size_t id_y, size_t id_z) {
  return (half)work_group_broadcast((float)x, id_x, id_y, id_z);
}
