// wait_group_events, prefetch (6.13.10). The first work-item of the group has done the copies when it reached
// their calls (generate.py, async_copy). So the wait only has to make them visible to the others.
#include "../builtin.h"

void OVERLOAD wait_group_events(int count, __private event_t *events) {
  (void)count;
  (void)events;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
void OVERLOAD wait_group_events(int count, __generic event_t *events) {
  (void)count;
  (void)events;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

#define PREFETCH(n, T)                                                                                                 \
  void OVERLOAD prefetch(const __global T##n *p, size_t count) {                                                       \
    (void)p;                                                                                                           \
    (void)count;                                                                                                       \
  }
FOR_WIDTHS(PREFETCH, char)
FOR_WIDTHS(PREFETCH, uchar)
FOR_WIDTHS(PREFETCH, short)
FOR_WIDTHS(PREFETCH, ushort)
FOR_WIDTHS(PREFETCH, int)
FOR_WIDTHS(PREFETCH, uint)
FOR_WIDTHS(PREFETCH, long)
FOR_WIDTHS(PREFETCH, ulong)
FOR_WIDTHS(PREFETCH, half)
FOR_WIDTHS(PREFETCH, float)
FOR_WIDTHS(PREFETCH, double)
