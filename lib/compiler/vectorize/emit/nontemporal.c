// Stores that may be non-temporal (vectorize/access/nontemporal.c decides which): each is emitted in two
// ways, through the caches and past them. The launch, and where the bytes lie, decide which way a vector
// iteration goes.
#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/nontemporal.h"
#include "compiler/vectorize/emit/emit.h"

unsigned weftc_vec_fork(struct weftc_emission *em, LLVMValueRef store, LLVMValueRef place,
                        struct weftc_vec_fork *fork)
{
    *fork = (struct weftc_vec_fork){0};
    if (!weftc_vec_access(em->v, store)->nontemporal)
        return 1;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c);
    LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    for (unsigned k = 0; k < 2; k++)
        fork->ways[k] = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    fork->after = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    // Two branches: the first one goes the same way in all of a launch.
    LLVMValueRef temporal = weftc_primitive_build(em->b, em->module, WEFTC_TEMPORAL_STORES, 0);
    LLVMBuildCondBr(em->b, LLVMBuildICmp(em->b, LLVMIntEQ, temporal, weftc_i32(em->c, 0), ""), ask,
                    fork->ways[0]);
    LLVMPositionBuilderAtEnd(em->b, ask);
    LLVMValueRef low =
        LLVMBuildTrunc(em->b, LLVMBuildPtrToInt(em->b, place, LLVMInt64TypeInContext(em->c), ""), i32, "");
    LLVMValueRef within = LLVMBuildAnd(em->b, low, weftc_i32(em->c, WEFTC_CACHE_LINE - 1), "");
    LLVMValueRef whole = LLVMBuildICmp(em->b, LLVMIntEQ, within, weftc_i32(em->c, 0), "");
    LLVMBuildCondBr(em->b, whole, fork->ways[1], fork->ways[0]);
    return 2;
}

void weftc_vec_take(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way)
{
    if (fork->after)
        LLVMPositionBuilderAtEnd(em->b, fork->ways[way]);
}

void weftc_vec_mark_store(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way,
                          LLVMValueRef store)
{
    if (!fork->after)
        return;
    if (way == 1) {
        LLVMMetadataRef one = LLVMValueAsMetadata(weftc_i32(em->c, 1));
        weftc_set_metadata(store, "nontemporal", LLVMMDNodeInContext2(em->c, &one, 1));
        LLVMSetAlignment(store, WEFTC_CACHE_LINE);
    } else if (LLVMGetAlignment(store) >= WEFTC_CACHE_LINE) {
        // If both stores were equal, LLVM would make them one and forget the mark.
        LLVMSetAlignment(store, WEFTC_CACHE_LINE / 2);
    }
}

void weftc_vec_join(struct weftc_emission *em, const struct weftc_vec_fork *fork)
{
    if (!fork->after)
        return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(em->b, fork->ways[k]);
        LLVMBuildBr(em->b, fork->after);
    }
    LLVMPositionBuilderAtEnd(em->b, fork->after);
}

void weftc_vec_store_all(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place)
{
    struct weftc_vec_fork fork;
    unsigned ways = weftc_vec_fork(em, i, place, &fork);
    for (unsigned way = 0; way < ways; way++) {
        weftc_vec_take(em, &fork, way);
        LLVMValueRef store = LLVMBuildStore(em->b, vector, place);
        LLVMSetAlignment(store, LLVMGetAlignment(i));
        weftc_bridge_copy_access(store, i);
        weftc_vec_mark_store(em, &fork, way, store);
    }
    weftc_vec_join(em, &fork);
}
