// Copies of lines and planes (cl_khr_extended_async_copies), and their order
// (cl_khr_async_work_group_copy_fence). The first work-item of the group copies when it reaches the call,
// like all async copies (generate.py, async_copy). So copies happen in program order without a fence. All
// lengths and offsets are in elements.
#include "../builtin.h"

void OVERLOAD async_work_group_copy_fence(cl_mem_fence_flags flags) { (void)flags; }

#define DEFINE(TO, FROM)                                                                                               \
  static inline void OVERLOAD copy_line(TO uchar *to, const FROM uchar *from, size_t bytes) {                          \
    size_t i = 0;                                                                                                      \
    for (; bytes - i >= 16; i += 16)                                                                                   \
      vstore16(vload16(0, from + i), 0, to + i);                                                                       \
    for (; i < bytes; i++)                                                                                             \
      to[i] = from[i];                                                                                                 \
  }                                                                                                                    \
  event_t OVERLOAD async_work_group_copy_3D3D(TO void *to, size_t to_offset, const FROM void *from,                    \
                                              size_t from_offset, size_t element, size_t elements, size_t lines,       \
                                              size_t planes, size_t from_line, size_t from_plane, size_t to_line,      \
                                              size_t to_plane, event_t event) {                                        \
    if ((get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0)                                                    \
      for (size_t z = 0; z < planes; z++)                                                                              \
        for (size_t y = 0; y < lines; y++)                                                                             \
          copy_line((TO uchar *)to + (to_offset + z * to_plane + y * to_line) * element,                               \
                    (const FROM uchar *)from + (from_offset + z * from_plane + y * from_line) * element,               \
                    elements * element);                                                                               \
    return event;                                                                                                      \
  }                                                                                                                    \
  event_t OVERLOAD async_work_group_copy_2D2D(TO void *to, size_t to_offset, const FROM void *from,                    \
                                              size_t from_offset, size_t element, size_t elements, size_t lines,       \
                                              size_t from_line, size_t to_line, event_t event) {                       \
    return async_work_group_copy_3D3D(to, to_offset, from, from_offset, element, elements, lines, 1, from_line, 0,     \
                                      to_line, 0, event);                                                              \
  }
DEFINE(__local, __global)
DEFINE(__global, __local)
