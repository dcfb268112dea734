// The slow path of the lock that is one word. Owns nothing.
#include "base/arch/arch.h"
#include "scheduler/internal.h"

void weft_mutex_lock_slow(struct weft_mutex *m)
{
    for (int i = 0; i < 100; i++) {
        uint32_t free = 0;
        // Acquire: pairs with the release in unlock.
        if (atomic_load_explicit(&m->state, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_weak_explicit(&m->state, &free, 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        weft_arch_relax();
    }
    // From now on the word is 2, so the holder wakes a sleeper. That may cause a needless wake-up.
    while (atomic_exchange_explicit(&m->state, 2, memory_order_acquire) != 0)
        weft_futex_wait(&m->state, 2, -1);
}
