// What a gather or a scatter takes, which both the count of work (work.c) and the estimate of time
// (prices.c) ask for. Stateless.
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/arch/prices.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/prices.h"

enum {
    MAX_STEPS = 8, // instructions of an address that are followed
    WAYS = 8,      // of the first cache
};

// Does each lane's address have a part that is its number times one that is unknown before the launch, as in
// a[i * n + k]?
static bool is_row(const struct weftc_vec *v, LLVMValueRef value, unsigned depth)
{
    if (!LLVMIsAInstruction(value) || depth == MAX_STEPS || weftc_vec_shape(v, value).kind != WEFTC_VARYING)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMMul:
        return weftc_vec_is_scalar(v, LLVMGetOperand(value, 0)) &&
               weftc_vec_is_scalar(v, LLVMGetOperand(value, 1));
    case LLVMGetElementPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMSExt:
    case LLVMZExt:
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
            if (is_row(v, LLVMGetOperand(value, k), depth + 1))
                return true;
        return false;
    default:
        return false;
    }
}

static enum weftc_operation scattered_operation(bool store, uint32_t lanes)
{
    return lanes <= 4   ? store ? WEFTC_SCATTER_4 : WEFTC_GATHER_4
           : lanes <= 8 ? store ? WEFTC_SCATTER_8 : WEFTC_GATHER_8
           : store      ? WEFTC_SCATTER_16
                        : WEFTC_GATHER_16;
}

static bool is_gather(enum weftc_access_kind kind)
{
    return kind == WEFTC_ACCESS_GATHER || kind == WEFTC_ACCESS_ALIGNED;
}

bool weftc_vec_reads_crowded_rows(const struct weftc_vec *v, LLVMValueRef i)
{
    return LLVMIsALoadInst(i) && is_gather(weftc_vec_access(v, i)->kind) && v->lanes > WAYS &&
           is_row(v, LLVMGetOperand(i, 0), 0);
}

struct weftc_vec_price weftc_vec_scattered_price(const struct weftc_vec *v, bool store)
{
    enum { MOST = 16 };
    const enum weftc_operation o = scattered_operation(store, v->lanes);
    struct weftc_vec_price price = {v->prices[o].latency, v->prices[o].work};
    price.work *= v->lanes > MOST ? v->lanes / MOST : 1;
    return price;
}
