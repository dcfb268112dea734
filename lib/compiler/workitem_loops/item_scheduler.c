// Kernels with named barriers. Their sub-groups, of one work-item each, wait for some others, while the rest
// goes on to other barriers or arrives more often. So there is no region that all work-items run next. A row
// of the state arena has, for each work-item, the region where it goes on. `run` has this loop:
//
//     do
//         for each work-item that isn't done: unless it waits for the whole group, run its region
//     while any work-item has made progress
//
// A region that starts at a named barrier (WEFTC_YIELD) checks each time whether the barrier lets it through.
// Work-items that wait for the whole group are held until all do. Then one work-item runs the single-item
// region, if there is one, and all are released for one iteration. If no work-item makes progress and not all
// wait for the whole group, they are stuck for ever, and the host is told.
//
// Regions are the same functions as in other kernels (regions/regions.c), but every value that lives across a
// barrier has a spill row.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/workitem_loops/workitem_loops.h"
#include "weft/device_call.h"
#include "weft/kernel_abi.h"
#include "weft/named_barrier.h"

enum { DONE = 0 }; // as the functions of regions return it
#define BEGINS UINT32_MAX
#define NOWHERE (UINT32_MAX - 1)

struct schedule {
    struct weftc_loops *l;
    const LLVMValueRef *base, *size;
    LLVMTypeRef i32;
    LLVMValueRef words, row;
    // Stack slots of run, which become registers.
    LLVMValueRef next; // the region where the work-item that has just run goes on
    // in this iteration: work-items that aren't done; those of them that wait for the whole group
    LLVMValueRef live, held;
    LLVMValueRef held_at;  // the region of one of those that wait for the whole group
    LLVMValueRef released; // work-items that wait for the whole group go on in this iteration
    LLVMValueRef from,
        to; // work-items at region `from` are at region `to`, because one has run `from` for all
};

static void set(struct schedule *s, LLVMValueRef slot, uint32_t value)
{
    LLVMBuildStore(s->l->b, weftc_i32(s->l->c, value), slot);
}

static LLVMValueRef get(struct schedule *s, LLVMValueRef slot)
{
    return LLVMBuildLoad2(s->l->b, s->i32, slot, "");
}

static LLVMValueRef is(struct schedule *s, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(s->l->b, LLVMIntEQ, a, b, "");
}

static void count_one(struct schedule *s, LLVMValueRef slot, LLVMValueRef condition)
{
    LLVMValueRef one = LLVMBuildZExt(s->l->b, condition, s->i32, "");
    LLVMBuildStore(s->l->b, LLVMBuildAdd(s->l->b, get(s, slot), one, ""), slot);
}

// Sets the word that says whether any work-item has made progress. The built-in functions write it too.
static void set_progress(struct schedule *s, uint32_t value)
{
    LLVMSetVolatile(LLVMBuildStore(s->l->b, weftc_i32(s->l->c, value), s->words), true);
}

static void begin_group(struct schedule *s)
{
    struct weftc_loops *l = s->l;
    uint64_t barriers = weftc_module_number(l->module, WEFTC_BARRIER_COUNT);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(l->c);
    LLVMValueRef items = LLVMBuildMul(l->b, LLVMBuildMul(l->b, s->size[0], s->size[1], ""), s->size[2], "");
    LLVMValueRef offset = weftc_i64(l->c, weftc_module_number(l->module, WEFTC_SCHEDULE_ROW));
    offset = LLVMBuildMul(l->b, offset, l->at.value[WEFTC_STATE_ROWS][0], "");
    s->row = LLVMBuildInBoundsGEP2(l->b, i8, l->at.value[WEFTC_STATE][0], &offset, 1, "");
    LLVMBuildMemSet(l->b, s->words, LLVMConstInt(i8, 0, false),
                    weftc_i64(l->c, 4 * (WEFT_BARRIER_FIRST + WEFT_BARRIER_EACH * barriers)), 4);
    LLVMBuildMemSet(l->b, s->row, LLVMConstInt(i8, BEGINS & 0xff, false),
                    LLVMBuildMul(l->b, items, weftc_i64(l->c, 4), ""), 4);
    set(s, s->released, 0);
    set(s, s->held_at, NOWHERE);
    set(s, s->from, NOWHERE);
    set(s, s->to, NOWHERE);
}

// Builds the code for the work-item with these ids in one iteration. The builder is after it then.
static weft_status build_item(struct schedule *s, const LLVMValueRef local[3], LLVMValueRef item)
{
    struct weftc_loops *l = s->l;
    LLVMValueRef place = LLVMBuildInBoundsGEP2(l->b, s->i32, s->row, &item, 1, ""), at = get(s, place);
    at = LLVMBuildSelect(l->b, is(s, at, get(s, s->from)), get(s, s->to), at, "");
    LLVMValueRef released = LLVMBuildICmp(l->b, LLVMIntNE, get(s, s->released), weftc_i32(l->c, 0), "");
    LLVMBasicBlockRef waiting = weftc_loops_block(l, "waiting"), after = weftc_loops_block(l, "");
    LLVMValueRef where = LLVMBuildSwitch(l->b, at, waiting, l->region_count + 1);
    LLVMAddCase(where, weftc_i32(l->c, DONE), after);
    weft_status status = WEFT_OK;
    for (unsigned i = 0; i < l->region_count && status == WEFT_OK; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        if (weftc_region_is_single_item(r->scalar.function))
            continue;
        bool yields = weftc_region_yields(r->scalar.function);
        LLVMBasicBlockRef reached = weftc_loops_block(l, "item"), runs = reached;
        LLVMAddCase(where, weftc_i32(l->c, i ? i : BEGINS), reached);
        LLVMPositionBuilderAtEnd(l->b, reached);
        if (i && !yields) {
            runs = weftc_loops_block(l, "");
            LLVMBuildCondBr(l->b, released, runs, waiting);
            LLVMPositionBuilderAtEnd(l->b, runs);
        }
        if (!yields)
            set_progress(s, 1);
        status = weftc_loops_item(l, r, local, item, s->base, s->next);
        LLVMValueRef next = get(s, s->next);
        LLVMBuildStore(l->b, next, place);
        count_one(s, s->live, LLVMBuildICmp(l->b, LLVMIntNE, next, weftc_i32(l->c, DONE), ""));
        LLVMBuildBr(l->b, after);
    }
    LLVMPositionBuilderAtEnd(l->b, waiting);
    LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(l->c), 1, false);
    count_one(s, s->live, yes);
    count_one(s, s->held, yes);
    LLVMBuildStore(l->b, at, s->held_at);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    return status;
}

static weft_status build_items(struct schedule *s)
{
    struct weftc_loops *l = s->l;
    LLVMValueRef zero = weftc_i64(l->c, 0), one = weftc_i64(l->c, 1);
    struct weftc_loop x, y, z;
    weftc_loop_open(l, &z, zero, "z");
    weftc_loop_open(l, &y, zero, "y");
    LLVMValueRef row = weftc_loops_add(l, LLVMBuildMul(l->b, z.index, s->size[1], ""), y.index);
    LLVMValueRef first = LLVMBuildMul(l->b, row, s->size[0], "");
    weftc_loop_open(l, &x, zero, "x");
    const LLVMValueRef local[3] = {x.index, y.index, z.index};
    weft_status status = build_item(s, local, weftc_loops_add(l, first, x.index));
    weftc_loop_close(l, &x, weftc_loops_add(l, x.index, one), s->size[0]);
    weftc_loop_close(l, &y, weftc_loops_add(l, y.index, one), s->size[1]);
    weftc_loop_close(l, &z, weftc_loops_add(l, z.index, one), s->size[2]);
    return status;
}

// Builds the code for the case that all work-items wait for the whole group.
static weft_status build_release(struct schedule *s, LLVMBasicBlockRef iteration)
{
    struct weftc_loops *l = s->l;
    weft_status status = WEFT_OK;
    set(s, s->released, 1);
    LLVMValueRef where = LLVMBuildSwitch(l->b, get(s, s->held_at), iteration, l->region_count);
    for (unsigned i = 1; i < l->region_count && status == WEFT_OK; i++) {
        struct weftc_loops_region *r = &l->regions[i];
        if (!weftc_region_is_single_item(r->scalar.function))
            continue;
        LLVMBasicBlockRef single_item = weftc_loops_block(l, "single_item");
        LLVMAddCase(where, weftc_i32(l->c, i), single_item);
        LLVMPositionBuilderAtEnd(l->b, single_item);
        status = weftc_loops_single_item(l, r, s->base, s->next);
        set(s, s->from, i);
        LLVMBuildStore(l->b, get(s, s->next), s->to);
        LLVMBuildBr(l->b, iteration);
    }
    return status;
}

// Reports to the host that the group is stuck, and returns from run.
static void build_stuck(struct weftc_loops *l)
{
    weftc_loops_device_call(l, WEFT_CALL_STUCK);
    LLVMBuildRetVoid(l->b);
}

weft_status weftc_loops_scheduled(struct weftc_loops *l, const LLVMValueRef base[3],
                                  const LLVMValueRef size[3])
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->c);
    struct schedule s = {
        .l = l, .base = base, .size = size, .i32 = i32, .words = l->at.value[WEFTC_GROUP_BARRIERS][0]};
    LLVMValueRef *slots[] = {&s.next, &s.live, &s.held, &s.held_at, &s.released, &s.from, &s.to};
    for (size_t i = 0; i < WEFT_COUNT_OF(slots); i++)
        *slots[i] = weftc_loops_slot(l, i32);
    LLVMBasicBlockRef iteration = weftc_loops_block(l, "iteration"),
                      no_progress = weftc_loops_block(l, "no_progress"), wait = weftc_loops_block(l, "wait"),
                      release = weftc_loops_block(l, "release"), stuck = weftc_loops_block(l, "stuck"),
                      done = weftc_loops_block(l, "done");
    begin_group(&s);
    LLVMBuildBr(l->b, iteration);

    LLVMPositionBuilderAtEnd(l->b, iteration);
    set_progress(&s, 0);
    set(&s, s.live, 0);
    set(&s, s.held, 0);
    weft_status status = build_items(&s);
    set(&s, s.released, 0);
    set(&s, s.from, NOWHERE);
    LLVMValueRef progress = get(&s, s.words);
    LLVMSetVolatile(progress, true);
    LLVMBuildCondBr(l->b, is(&s, progress, weftc_i32(l->c, 0)), no_progress, iteration);

    LLVMPositionBuilderAtEnd(l->b, no_progress);
    LLVMBuildCondBr(l->b, is(&s, get(&s, s.live), weftc_i32(l->c, 0)), done, wait);
    LLVMPositionBuilderAtEnd(l->b, wait);
    LLVMBuildCondBr(l->b, is(&s, get(&s, s.live), get(&s, s.held)), release, stuck);
    LLVMPositionBuilderAtEnd(l->b, release);
    if (status == WEFT_OK)
        status = build_release(&s, iteration);
    LLVMPositionBuilderAtEnd(l->b, stuck);
    build_stuck(l);
    LLVMPositionBuilderAtEnd(l->b, done);
    return status;
}
