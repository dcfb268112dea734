// The rules of the ladder (ladder.h, ADR 38). tests/runtime/ladder/simulator.py has the same rules, and plays
// recorded programs with them. Owns nothing. All numbers are hints, which pair with nothing: relaxed
// throughout this file.
#include "runtime/code/ladder.h"

#include <stdatomic.h>

#include "base/base.h"
#include "runtime/code/build_result.h"
#include "weft/kernel_abi.h"

enum {
    MANY_ITEMS = 32768, // a launch of so many work-items makes code with lanes worthwhile at once
    SLOW_NS = 200000,   // so does a range that takes longer
    // A compile with lanes takes as many times the processor time of a quick one, and a full one as many
    // times that of one with lanes (110 kernels of OpenCV: 8 and 2 to 4).
    LANES_FACTOR = 8,
    FULL_FACTOR = 3,
    GUESSED_QUICK_US = 3000, // of a kernel whose quick code came from the disk cache
    // Clocks of processor time may be coarse. What seems to have taken less wasn't measured.
    MIN_MEASURED_US = 500,
    // Kernels whose code with lanes takes longer get full code at once: its compile would be too late.
    MAX_LANES_MS = 1000,
    // Full code is made when the kernel has run with lanes for so many times its compile. Most full code is
    // hardly faster than code with lanes, and while it is made, launches have a processor less.
    FULL_SHARE = 4,
    // Where a processor is idle, better code is made when the kernel has run in its present code for this
    // part of the compile. Kernels that are launched a few times only never get there.
    EARLY_FACTOR = 16,
    // A launch uses all processors. Of a few none is idle then, and a compile takes its processor from the
    // launch; of many it takes a small part.
    MANY_PROCESSORS = 8,
    GUESSED_ITEM_NS = 32, // processor time of a work-item in quick code
    // A launch waits for code with lanes if that takes at most so many times as long to compile as the launch
    // would run in quick code. It loses little where others follow: quick code gets a sixth done of what code
    // with lanes does in the same time, and takes the compile its processor.
    WAIT_FACTOR = 16,
    // On few processors a later launch does so by what the kernel has cost with it: what is launched twice is
    // often launched many times.
    WAIT_AGAIN_FACTOR = 128,
    // A launch goes without quick code if it would wait for code with lanes even if that took so many times
    // longer than its program's size says.
    SURE_FACTOR = 2,
    // What a compile with lanes takes for each byte of the program's bitcode, in OpenCV's programs.
    LANES_NS_OF_BYTE = 5000,
    // A kernel that hasn't been used for so long gets no better code.
    UNUSED_NS = 2000000000,
};
#define FRESH_NS 100000000u // what a kernel has cost counts half when it hasn't been used for so long

static uint64_t measured_us(const struct weft_kernel_code *c, enum weft_code_level level)
{
    uint64_t us = atomic_load_explicit(&c->compile_us[level], memory_order_relaxed);
    return us >= MIN_MEASURED_US ? us : 0;
}

uint64_t weft_ladder_compile_ns(const struct weft_kernel_code *c, enum weft_code_level level)
{
    uint64_t us = measured_us(c, level);
    if (us || level == WEFT_LEVEL_QUICK)
        return 1000 * (us ? us : GUESSED_QUICK_US);
    uint64_t below = weft_ladder_compile_ns(c, (enum weft_code_level)(level - 1));
    return below * (level == WEFT_LEVEL_LANES ? LANES_FACTOR : FULL_FACTOR);
}

void weft_ladder_note_compile(struct weft_kernel_code *c, enum weft_code_level level, uint32_t us)
{
    atomic_store_explicit(&c->compile_us[level], us ? us : 1, memory_order_relaxed);
}

enum weft_code_level weft_ladder_next(const struct weft_kernel_code *c)
{
    if (!weft_kernel_code_is_quick(c) || atomic_load_explicit(&c->no_lanes, memory_order_relaxed) ||
        weft_ladder_compile_ns(c, WEFT_LEVEL_LANES) > 1000000ull * MAX_LANES_MS)
        return WEFT_LEVEL_FULL;
    return WEFT_LEVEL_LANES;
}

bool weft_ladder_pays_early(const struct weft_kernel_code *c, enum weft_code_level level, uint64_t spent)
{
    return spent >= weft_ladder_compile_ns(c, level) / EARLY_FACTOR;
}

static bool has_many_processors(void)
{
    return weft_compiler_count() >= MANY_PROCESSORS;
}

// Has the kernel run in code with lanes for so long that full code pays? Soon if a launch wants another
// variant, which comes after full code: lanes along another dimension may be many times as fast.
static bool has_paid(const struct weft_kernel_code *c, uint64_t spent)
{
    if (spent / FULL_SHARE >= weft_ladder_compile_ns(c, WEFT_LEVEL_FULL))
        return true;
    return weft_ladder_pays_early(c, WEFT_LEVEL_FULL, spent) &&
           (atomic_load_explicit(&c->variant_wanted, memory_order_relaxed) ||
            (has_many_processors() && weft_compile_queue_has_idle_processor()));
}

bool weft_ladder_next_pays(const struct weft_kernel_code *c)
{
    return weft_kernel_code_is_quick(c) ||
           has_paid(c, atomic_load_explicit(&c->spent_ns, memory_order_relaxed));
}

static uint64_t add(struct weft_kernel_code *c, uint64_t ns)
{
    uint64_t sum = atomic_load_explicit(&c->spent_ns, memory_order_relaxed) + ns;
    atomic_store_explicit(&c->spent_ns, sum, memory_order_relaxed);
    return sum;
}

// The processor time of a launch of so many work-items, by what others have taken. unknown: that of a
// work-item where none has.
static uint64_t launch_ns(const struct weft_kernel_code *c, uint64_t items, uint64_t unknown)
{
    const uint64_t cost = atomic_load_explicit(&c->cost, memory_order_relaxed), most = UINT64_MAX / 1024;
    if (!cost)
        return items < most ? items * unknown : most;
    return items < most / cost ? cost * items / 1024 : most;
}

bool weft_ladder_note_launch(struct weft_kernel_code *c, uint64_t items)
{
    const uint32_t before = atomic_fetch_add_explicit(&c->launches, 1, memory_order_relaxed);
    if (items > atomic_load_explicit(&c->largest_launch, memory_order_relaxed))
        atomic_store_explicit(&c->largest_launch, items, memory_order_relaxed);
    uint64_t spent = add(c, launch_ns(c, items, 0));
    atomic_store_explicit(&c->used_at, weft_time_coarse(), memory_order_relaxed);
    if (weft_kernel_code_is_quick(c))
        return before > 0 || items >= MANY_ITEMS;
    return has_paid(c, spent);
}

bool weft_ladder_waits_for_lanes(const struct weft_kernel_code *c, uint64_t items)
{
    if (weft_ladder_next(c) != WEFT_LEVEL_LANES)
        return false;
    const uint64_t compile = weft_ladder_compile_ns(c, WEFT_LEVEL_LANES);
    const uint64_t launch = launch_ns(c, items, GUESSED_ITEM_NS);
    const uint64_t spent = atomic_load_explicit(&c->spent_ns, memory_order_relaxed);
    return launch >= compile / WAIT_FACTOR ||
           (spent && !has_many_processors() && spent + launch >= compile / WAIT_AGAIN_FACTOR);
}

bool weft_ladder_skips_quick(const struct weft_kernel_code *c, uint64_t items)
{
    const uint64_t usual = 1000ull * GUESSED_QUICK_US * LANES_FACTOR,
                   by_size = c->build->object.bitcode_size * LANES_NS_OF_BYTE,
                   compile = usual > by_size ? usual : by_size;
    return compile <= 1000000ull * MAX_LANES_MS &&
           launch_ns(c, items, GUESSED_ITEM_NS) / SURE_FACTOR >= compile / WAIT_FACTOR;
}

bool weft_ladder_note_range(struct weft_kernel_code *c, uint64_t ns, uint64_t now)
{
    atomic_store_explicit(&c->used_at, now, memory_order_relaxed);
    // The launch has announced what it takes, if the cost was known.
    bool announced = atomic_load_explicit(&c->launches, memory_order_relaxed) > 1;
    uint64_t spent = announced ? atomic_load_explicit(&c->spent_ns, memory_order_relaxed) : add(c, ns);
    if (weft_kernel_code_is_quick(c) && ns > SLOW_NS)
        return true;
    return has_paid(c, spent);
}

uint64_t weft_ladder_gain(const struct weft_kernel_code *c, uint64_t now)
{
    uint64_t used = atomic_load_explicit(&c->used_at, memory_order_relaxed);
    uint64_t age = now > used ? now - used : 0;
    if (age > UNUSED_NS)
        return 0;
    uint64_t spent = atomic_load_explicit(&c->spent_ns, memory_order_relaxed);
    uint64_t compile = weft_ladder_compile_ns(c, weft_ladder_next(c)) / 1000 + 1;
    uint64_t gain = spent / (1 + age / FRESH_NS) / compile;
    return gain ? gain : 1;
}
