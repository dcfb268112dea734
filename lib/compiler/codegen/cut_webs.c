// Variables that very many branches and loops change, one after the other: the x of two thousand `while (x >
// k) { ... }`. The register coalescer joins all their values in one register, join by join, and looks at all
// that it has joined before each time. In large functions such a variable goes through memory after each
// CUT_AFTER joins, at a place that isn't the first block of a loop. For the coalescer these are several
// variables. Stateless.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"

enum { LARGE = 4000, CUT_AFTER = 64 };

struct web {
    uint32_t parent; // itself: this is the web's number
    uint32_t phis;   // so far
    LLVMValueRef slot;
};

struct cutting {
    struct weftc_map number; // of a value
    struct weftc_edges edges;
    LLVMBasicBlockRef *blocks;
    uint32_t *position, *order; // of a block in reverse post-order; the block at a position
    uint32_t block_count;
    struct web *webs;
    uint32_t count, capacity;
    LLVMBuilderRef b;
};

static uint32_t web_of(struct cutting *c, uint32_t n)
{
    while (c->webs[n].parent != n) {
        c->webs[n].parent = c->webs[c->webs[n].parent].parent;
        n = c->webs[n].parent;
    }
    return n;
}

static uint32_t number_of(struct cutting *c, LLVMValueRef v)
{
    uint32_t n = weftc_map_get(&c->number, v);
    if (n != UINT32_MAX)
        return n;
    if (c->count == c->capacity) {
        const uint32_t capacity = c->capacity ? 2 * c->capacity : 256;
        struct web *larger = weft_realloc(c->webs, capacity * sizeof *larger);
        if (!larger)
            return UINT32_MAX;
        c->webs = larger;
        c->capacity = capacity;
    }
    if (!weftc_map_put(&c->number, v, c->count))
        return UINT32_MAX;
    c->webs[c->count] = (struct web){.parent = c->count};
    return c->count++;
}

static bool join_phis(struct cutting *c, LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i)) {
            const uint32_t phi = number_of(c, i);
            for (unsigned k = 0; phi != UINT32_MAX && k < LLVMCountIncoming(i); k++) {
                LLVMValueRef v = LLVMGetIncomingValue(i, k);
                if (!LLVMIsAInstruction(v))
                    continue;
                const uint32_t n = number_of(c, v);
                if (n == UINT32_MAX)
                    return false;
                c->webs[web_of(c, n)].parent = web_of(c, phi);
            }
            if (phi == UINT32_MAX)
                return false;
        }
    return true;
}

// Masks of lanes are bits, which many processors don't store as such.
static bool is_storable(LLVMTypeRef type)
{
    LLVMTypeRef element = weftc_element_of(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(element);
    if (kind == LLVMIntegerTypeKind)
        return LLVMGetIntTypeWidth(element) >= 8 && LLVMGetIntTypeWidth(element) <= 64;
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMPointerTypeKind;
}

static bool is_loop_header(const struct cutting *c, uint32_t b)
{
    for (uint32_t e = 0; e < weftc_in_count(&c->edges, b); e++) {
        const uint32_t from = c->position[weftc_ins(&c->edges, b)[e]];
        if (from != UINT32_MAX && from >= c->position[b])
            return true;
    }
    return false;
}

static void cut(struct cutting *c, LLVMValueRef f, LLVMValueRef phi, struct web *web)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    if (!web->slot) {
        LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
        web->slot = LLVMBuildAlloca(c->b, type, "");
    }
    LLVMValueRef at = phi;
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMPositionBuilderBefore(c->b, at);
    LLVMValueRef load = LLVMBuildLoad2(c->b, type, web->slot, "");
    LLVMSetVolatile(load, true); // or else it would be the stored value again
    LLVMReplaceAllUsesWith(phi, load);
    LLVMPositionBuilderBefore(c->b, load);
    LLVMBuildStore(c->b, phi, web->slot);
}

static bool order_blocks(struct cutting *c, LLVMValueRef f)
{
    c->block_count = LLVMCountBasicBlocks(f);
    c->blocks = weft_alloc_array(c->block_count, sizeof *c->blocks);
    c->position = weft_alloc_array(c->block_count, sizeof *c->position);
    c->order = weft_alloc_array(c->block_count, sizeof *c->order);
    if (!c->blocks || !c->position || !c->order)
        return false;
    LLVMGetBasicBlocks(f, c->blocks);
    if (weftc_edges_init(&c->edges, c->blocks, c->block_count) != WEFT_OK)
        return false;
    const uint32_t entry = weftc_edges_block(&c->edges, LLVMGetEntryBasicBlock(f));
    if (weftc_reverse_post_order(&c->edges, entry, c->block_count, c->position) != WEFT_OK)
        return false;
    for (uint32_t b = 0; b < c->block_count; b++)
        c->order[b] = UINT32_MAX;
    for (uint32_t b = 0; b < c->block_count; b++)
        if (c->position[b] != UINT32_MAX)
            c->order[c->position[b]] = b;
    return true;
}

static void cut_webs(struct cutting *c, LLVMValueRef f)
{
    for (uint32_t at = 0; at < c->block_count; at++) {
        const uint32_t b = c->order[at];
        if (b == UINT32_MAX)
            continue;
        LLVMValueRef i = LLVMGetFirstInstruction(c->blocks[b]);
        for (; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
            struct web *web = &c->webs[web_of(c, weftc_map_get(&c->number, i))];
            if (++web->phis < CUT_AFTER || !is_storable(LLVMTypeOf(i)) || is_loop_header(c, b))
                continue;
            web->phis = 0;
            cut(c, f, i, web);
            weftc_note_limit(LLVMGetGlobalParent(f), WEFTC_LIMIT_WEBS, true);
        }
    }
}

weft_status weftc_cut_webs(LLVMModuleRef module)
{
    bool ok = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && ok; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || weftc_function_size(f) < LARGE)
            continue;
        struct cutting c = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
        ok = order_blocks(&c, f) && join_phis(&c, f);
        if (ok)
            cut_webs(&c, f);
        LLVMDisposeBuilder(c.b);
        weftc_map_free(&c.number);
        weftc_edges_fini(&c.edges);
        weft_free(c.blocks);
        weft_free(c.position);
        weft_free(c.order);
        weft_free(c.webs);
    }
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
