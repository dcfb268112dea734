// Do lanes pay in a region that is written with OpenCL's vectors, and mostly accesses memory? In scalar code
// one instruction loads, stores or adds a whole vector. Lanes take vectors apart: a load of float4 becomes
// four loads for all lanes, and shuffles until each register has one element of each lane. Most processors
// begin one shuffle a cycle, beside two or three other instructions. vectorize/cost/work.c counts a vector in
// scalar code as so many numbers, and all instructions as equal.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

enum {
    UNIT = 16,             // of an instruction
    OPERATION = 2,         // quarters of a cycle
    REGISTER_BY_HAND = 16, // bytes that an access of scalar code has at once
    // Lanes pay if the work of all lanes at once is at most so many percent of that of the work-items one by
    // one. Measured with OpenCV's filters of uchar3 on Zen's first, which lose at 105 and more; for others
    // by LLVM's models: with Haswell's they lose at 86, with Zen 3's those at 64 gain.
    PERCENT = 75,
    SHUFFLED = 2, // the usual estimate decides if less than one part in so many is groups that are shuffled
};

struct sums {
    uint64_t vector, shuffled, scalar; // in sixteenths of an instruction; vector with what is shuffled
};

// Of a group's accesses and shuffles, counted at its insert position.
static struct sums of_group(const struct weftc_vec *v, const struct weftc_target *target,
                            const struct weftc_vec_group *g)
{
    const struct weftc_vec_plan *plan = &g->plan;
    const uint64_t shuffle = v->prices[WEFTC_SHUFFLE].work * UNIT / OPERATION;
    const uint64_t halves = target->halves_registers ? 2 : 1;
    const uint64_t bytes = (uint64_t)plan->words * plan->word;
    const uint64_t packed = plan->word > g->element ? 2 * g->count : 0;
    const uint64_t vector = (plan->stride + packed) * halves * UNIT + weftc_vec_shuffles(plan) * shuffle;
    return (struct sums){.vector = vector,
                         .shuffled = plan->stride > 1 ? vector : 0,
                         .scalar = v->lanes * ((bytes + REGISTER_BY_HAND - 1) / REGISTER_BY_HAND) * UNIT};
}

static struct sums of_instruction(const struct weftc_vec *v, const struct weftc_target *target,
                                  uint32_t by_hand, LLVMValueRef i)
{
    const struct weftc_access *a = weftc_vec_access(v, i);
    if (a->kind == WEFTC_ACCESS_INTERLEAVED && a->group->count > 1)
        return i == weftc_vec_insert_position(a->group) ? of_group(v, target, a->group)
                                                        : (struct sums){0, 0, 0};
    const struct weftc_vec_work work = weftc_vec_works(v, i);
    if (a->kind != WEFTC_ACCESS_NONE || weftc_vec_is_scalar(v, i))
        return (struct sums){UNIT * work.vector, 0, UNIT * work.scalar};
    return (struct sums){UNIT * work.vector * (target->halves_registers ? 2 : 1), 0,
                         UNIT * work.scalar * WEFTC_BY_HAND_UNIT / by_hand};
}

bool weftc_vec_is_mostly_shuffled(const struct weftc_vec *v, const struct weftc_target *target,
                                  uint32_t by_hand, struct weftc_vec_bound *bound)
{
    struct sums all = {0, 0, 0};
    if (target->has_mask_registers) // with AVX-512, filters of uchar4 gain
        return false;
    for (uint32_t n = 0; n < v->s->count; n++) {
        LLVMValueRef i = v->s->instructions[n];
        const uint32_t block = weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i));
        const uint64_t weight = weftc_vec_weight(v, block);
        const struct sums one = of_instruction(v, target, by_hand, i);
        all.vector += weight * one.vector;
        all.shuffled += weight * one.shuffled;
        all.scalar += weight * one.scalar;
    }
    weft_log(WEFT_LOG_DEBUG,
             "%u lanes beside vectors of %.1f elements: %llu at once, %llu of it shuffled, %llu one by one",
             v->lanes, by_hand / 16.0, (unsigned long long)all.vector, (unsigned long long)all.shuffled,
             (unsigned long long)all.scalar);
    if (100 * all.vector <= PERCENT * all.scalar || SHUFFLED * all.shuffled < all.vector)
        return false;
    *bound = weftc_vec_bound(v->lanes, all.vector, all.scalar, v->lanes * PERCENT / 10);
    return true;
}
