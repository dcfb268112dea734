// Named barriers: the functions that OpNamedBarrierInitialize and OpMemoryNamedBarrier of SPIR-V become
// (spirv/downgrade_named_barriers.c). In a kernel with named barriers each work-item is a sub-group. All
// work-items of a group run on one thread, each until it has to wait, so nothing here is atomic.
#include "../builtin.h"
#include "weft/named_barrier.h"

// Lowered by the compiler (prepare/workitem_functions.c).
volatile __private uint *__weft_barrier_words(void);
__attribute__((convergent)) uint __weft_barrier_site(void); // index of this initialization in the kernel
__attribute__((convergent)) void __weft_barrier_yield(void); // lets other work-items run

static inline volatile __private uint *words_of(uint barrier)
{
    return __weft_barrier_words() + WEFT_BARRIER_FIRST + WEFT_BARRIER_EACH * (barrier & (WEFT_NAMED_BARRIER_MAX - 1));
}

// All work-items of the group come here together, so nobody waits any more at the barrier that was made here
// before.
uint __weft_named_barrier_make(uint sub_groups)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint made = __weft_barrier_site();
    words_of(made)[WEFT_BARRIER_COUNT] = sub_groups;
    return made;
}

static inline void fence(void)
{
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE, memory_order_acq_rel,
                           memory_scope_all_svm_devices);
}

void __weft_named_barrier_wait(uint named)
{
    volatile __private uint *of = words_of(named);
    uint phase = of[WEFT_BARRIER_PHASE], arrived = of[WEFT_BARRIER_ARRIVED] + 1;
    fence();
    if (arrived >= of[WEFT_BARRIER_COUNT]) {
        of[WEFT_BARRIER_ARRIVED] = 0;
        of[WEFT_BARRIER_PHASE] = phase + 1;
    } else {
        of[WEFT_BARRIER_ARRIVED] = arrived;
        do
            __weft_barrier_yield();
        while (of[WEFT_BARRIER_PHASE] == phase);
    }
    __weft_barrier_words()[WEFT_BARRIER_PROGRESS] = 1;
    fence();
}
