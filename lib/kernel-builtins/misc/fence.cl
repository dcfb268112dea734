// mem_fence and its kin (6.13.8 of OpenCL C 1.2), atomic_work_item_fence (6.13.11 of 2.0 and later). On a CPU local and global memory are one,
// and a fence of all memory at the scope of the device is right for every flag and scope.
#include "../builtin.h"

void OVERLOAD mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_ACQ_REL);
}
void OVERLOAD read_mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_ACQUIRE);
}
void OVERLOAD write_mem_fence(cl_mem_fence_flags flags) {
  (void)flags;
  __c11_atomic_thread_fence(__ATOMIC_RELEASE);
}
void OVERLOAD atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  (void)flags;
  (void)scope;
  if (order == memory_order_seq_cst)
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
  else if (order != memory_order_relaxed)
    __c11_atomic_thread_fence(__ATOMIC_ACQ_REL);
}
