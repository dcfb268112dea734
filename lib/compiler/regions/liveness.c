// Liveness across barriers: walks backwards from each use of a value to its definition, and notes the
// barriers on the way. Only values that are used outside their own block are walked, so the time is about
// proportional to the size of the live ranges.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"

static void push(struct weftc_walk *w, uint32_t block)
{
    if (w->stamp[block] == w->now)
        return;
    w->stamp[block] = w->now;
    w->stack[w->depth++] = block;
}

static void begin(struct weftc_walk *w)
{
    w->now++;
    w->depth = 0;
}

bool weftc_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef value,
                       struct weftc_barrier_sets *sets, uint32_t of)
{
    uint32_t home = weftc_block_of_instruction(g, value);
    bool across = false;
    begin(w);
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user)) {
            uint32_t block = weftc_block_of_instruction(g, user);
            if (block != home)
                push(w, block);
            continue;
        }
        // A PHI uses the value at the end of the incoming block.
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
            uint32_t from = weftc_block_of(g, LLVMGetIncomingBlock(user, k));
            if (LLVMGetIncomingValue(user, k) == value && from != home)
                push(w, from);
        }
    }
    // The stack holds blocks at whose start the value is live.
    while (w->depth > 0) {
        uint32_t at = w->stack[--w->depth];
        const struct weftc_block *b = &g->blocks[at];
        if (b->barrier != UINT32_MAX) {
            weftc_into_set(sets, of, b->barrier);
            across = true;
        }
        for (uint32_t e = 0; e < weftc_in_count(&g->edges, at); e++) {
            uint32_t from = weftc_ins(&g->edges, at)[e];
            if (from != home)
                push(w, from);
        }
    }
    return across;
}

// ---- memory of allocas ----

struct accesses {
    LLVMValueRef *list; // the alloca, and every instruction that uses an address made from it
    size_t count, capacity;
    bool escapes; // the address is stored or merged, so its users aren't known
};

static bool note(struct accesses *a, LLVMValueRef i)
{
    if (a->count == a->capacity) {
        size_t capacity = a->capacity ? 2 * a->capacity : 16;
        LLVMValueRef *larger = weft_realloc(a->list, capacity * sizeof *larger);
        if (!larger)
            return false;
        a->list = larger;
        a->capacity = capacity;
    }
    a->list[a->count++] = i;
    return true;
}

static bool is_lifetime_mark(LLVMValueRef i, bool *start)
{
    LLVMValueRef f = weftc_callee(i);
    if (!f || !LLVMGetIntrinsicID(f))
        return false;
    const char *name = LLVMGetValueName(f);
    if (strncmp(name, "llvm.lifetime.", 14) != 0)
        return false;
    *start = strncmp(name + 14, "start", 5) == 0;
    return true;
}

static bool is_address(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMAlloca || opcode == LLVMGetElementPtr || opcode == LLVMBitCast;
}

// Follows the address of the alloca. Afterwards the list has the alloca, the addresses made from it, and the
// instructions that access it.
static bool find_accesses(struct accesses *a, LLVMValueRef alloca)
{
    if (!note(a, alloca))
        return false;
    for (size_t at = 0; at < a->count; at++) {
        LLVMValueRef address = a->list[at];
        if (!is_address(address))
            continue; // it is an access
        for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            switch (LLVMGetInstructionOpcode(user)) {
            case LLVMGetElementPtr:
            case LLVMBitCast:
            case LLVMLoad:
            case LLVMAtomicRMW:
            case LLVMAtomicCmpXchg:
            case LLVMICmp:
                break;
            case LLVMStore:
                a->escapes |= LLVMGetOperand(user, 0) == address;
                break;
            case LLVMCall: {
                LLVMValueRef f = weftc_callee(user);
                // The result of an intrinsic may be the address too, as that of llvm.ptrmask.
                a->escapes |= !f || LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind ||
                              (!LLVMGetIntrinsicID(f) && !weftc_calls(user, WEFTC_PRINTF) &&
                               !weftc_calls(user, WEFTC_ENQUEUE));
                break;
            }
            default:
                a->escapes = true;
            }
            if (!note(a, user))
                return false;
        }
    }
    return true;
}

// Is the memory accessed in the block before its lifetime starts there? `accesses` holds the accessing
// instructions and their blocks. *starts: the lifetime starts in the block before any access.
static bool wanted_at_start(LLVMBasicBlockRef block, const struct weftc_map *accesses, bool *starts)
{
    *starts = false;
    if (weftc_map_get(accesses, block) == UINT32_MAX)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (weftc_map_get(accesses, i) == UINT32_MAX)
            continue;
        bool start;
        if (!is_lifetime_mark(i, &start))
            return true;
        if (start) {
            *starts = true;
            return false;
        }
    }
    return false;
}

static void everywhere(const struct weftc_cfg *g, struct weftc_barrier_sets *sets, uint32_t of)
{
    for (uint32_t i = 0; i < g->barrier_count; i++)
        weftc_into_set(sets, of, i);
}

// The analysis of one variable: the accesses to it, and where they are.
struct question {
    const struct weftc_cfg *g;
    struct weftc_walk *w;
    struct accesses accesses;
    struct weftc_map map; // accessing instructions, and their blocks
    uint8_t *before;      // by barrier: an access may run before it
};

static bool is_access(const struct question *q, size_t i)
{
    return weftc_map_get(&q->map, q->accesses.list[i]) != UINT32_MAX;
}

static bool map_accesses(struct question *q)
{
    for (size_t i = 1; i < q->accesses.count; i++) {
        LLVMValueRef access = q->accesses.list[i];
        if (!is_address(access) && (!weftc_map_put(&q->map, access, 1) ||
                                    !weftc_map_put(&q->map, LLVMGetInstructionParent(access), 1)))
            return false;
    }
    return true;
}

// Walks forwards from the accesses, to the barriers that come after one. Returns false if there is no access.
static bool find_barriers_after(struct question *q)
{
    struct weftc_walk *w = q->w;
    begin(w);
    for (size_t i = 1; i < q->accesses.count; i++)
        if (is_access(q, i))
            push(w, weftc_block_of_instruction(q->g, q->accesses.list[i]));
    bool any = w->depth > 0;
    while (w->depth > 0) {
        uint32_t at = w->stack[--w->depth];
        const struct weftc_block *b = &q->g->blocks[at];
        if (b->barrier != UINT32_MAX)
            q->before[b->barrier] = 1;
        for (uint32_t e = 0; e < weftc_out_count(&q->g->edges, at); e++)
            push(w, weftc_outs(&q->g->edges, at)[e]);
    }
    return any;
}

// Walks backwards from the accesses that need the value from before their block.
static bool find_barriers_across(struct question *q, struct weftc_barrier_sets *sets, uint32_t of)
{
    const struct weftc_cfg *g = q->g;
    struct weftc_walk *w = q->w;
    bool live = false, starts;
    begin(w);
    for (size_t i = 1; i < q->accesses.count; i++) {
        if (!is_access(q, i))
            continue;
        uint32_t block = weftc_block_of_instruction(g, q->accesses.list[i]);
        if (w->stamp[block] != w->now && wanted_at_start(g->blocks[block].block, &q->map, &starts))
            push(w, block);
    }
    while (w->depth > 0) {
        uint32_t at = w->stack[--w->depth];
        const struct weftc_block *b = &g->blocks[at];
        if (b->barrier != UINT32_MAX && q->before[b->barrier]) {
            weftc_into_set(sets, of, b->barrier);
            live = true;
        }
        for (uint32_t e = 0; e < weftc_in_count(&g->edges, at); e++) {
            uint32_t from = weftc_ins(&g->edges, at)[e];
            if (wanted_at_start(g->blocks[from].block, &q->map, &starts) || !starts)
                push(w, from);
        }
    }
    return live;
}

weft_status weftc_memory_live_across(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                     struct weftc_barrier_sets *sets, uint32_t of, bool *live)
{
    struct question q = {.g = g, .w = w};
    weft_status status = WEFT_NO_MEMORY;
    *live = false;
    if (!find_accesses(&q.accesses, alloca))
        goto done;
    if (q.accesses.escapes) {
        everywhere(g, sets, of);
        *live = g->barrier_count > 0;
        status = WEFT_OK;
        goto done;
    }
    q.before = weft_alloc_array((size_t)g->barrier_count + 1, 1);
    if (!q.before || !map_accesses(&q))
        goto done;
    *live = find_barriers_after(&q) && find_barriers_across(&q, sets, of);
    status = WEFT_OK;
done:
    weftc_map_free(&q.map);
    weft_free(q.accesses.list);
    weft_free(q.before);
    return status;
}

weft_status weftc_remat_addresses(const struct weftc_cfg *g, struct weftc_walk *w, LLVMValueRef alloca,
                                  struct weftc_barrier_sets *scratch, uint32_t of)
{
    struct accesses a = {0};
    weft_status status = find_accesses(&a, alloca) ? WEFT_OK : WEFT_NO_MEMORY;
    // An address that is made from another comes later in the list. It is copied first, since its copies use
    // the other address too.
    for (size_t i = a.count; i-- > 1 && status == WEFT_OK;)
        if (is_address(a.list[i]) && weftc_live_across(g, w, a.list[i], scratch, of))
            status = weftc_remat(a.list[i], false);
    weft_free(a.list);
    return status;
}
