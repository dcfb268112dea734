// Finds interleave groups: plain accesses of one block whose addresses differ by constants, such as the
// elements of a float4 or the fields of a structure. The loads of a group happen together at the first of
// them, its stores at the last. So nothing may come between them that could tell the difference *within one
// work-item*. The order of accesses of different work-items is for barriers to settle.
//
// Only accesses that would be gathered or scattered are in groups. A group may have one member.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"

enum { MAX_TERMS = 6, MAX_OPEN = 8, MAX_PASSED = 16, MAX_NEAR = 16, MAX_DEPTH = 8 };

// An address is base + the sum of value * scale + offset, with values extended to 64 bits.
struct term {
    LLVMValueRef value;
    bool unsigned_;
    uint64_t scale;
};
struct place {
    LLVMValueRef base;
    struct term terms[MAX_TERMS];
    unsigned count;
    uint64_t offset;
    bool known;
};

struct access {
    LLVMValueRef i;
    struct place place;
    uint64_t size;
};

struct open {
    struct weftc_vec_group group;
    struct place place; // of the member that was found first
    bool store;
    unsigned met[WEFTC_MAX_MEMBERS];  // the position of each member among the block's accesses
    struct access passed[MAX_PASSED]; // in a group of loads: writes that come after the first member
    unsigned passed_count;
};

struct finder {
    struct weftc_vec *v;
    struct open *open; // MAX_OPEN of them
    unsigned open_count;
    unsigned now; // the position of the current access in its block
    struct weftc_step *steps;
    unsigned step_capacity;
};

// ---- addresses ----

static bool constant_operand(LLVMValueRef i, uint64_t *value)
{
    LLVMValueRef c = LLVMGetOperand(i, 1);
    if (!LLVMIsAConstantInt(c) || LLVMGetIntTypeWidth(LLVMTypeOf(c)) > 64)
        return false;
    *value = (uint64_t)LLVMConstIntGetSExtValue(c);
    return true;
}

static bool add_term(struct place *p, LLVMValueRef value, bool unsigned_, uint64_t scale)
{
    for (unsigned k = 0; k < p->count; k++) {
        if (p->terms[k].value == value && p->terms[k].unsigned_ == unsigned_) {
            p->terms[k].scale += scale;
            return true;
        }
    }
    if (p->count == MAX_TERMS)
        return false;
    p->terms[p->count++] = (struct term){value, unsigned_, scale};
    return true;
}

// Adds value * scale. A value of less than 64 bits is taken apart only where it doesn't wrap.
static bool add_value(struct place *p, LLVMValueRef value, bool unsigned_, uint64_t scale, unsigned depth)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
    uint64_t c;
    if (LLVMIsAConstantInt(value) && bits <= 64) {
        p->offset +=
            scale * (unsigned_ ? LLVMConstIntGetZExtValue(value) : (uint64_t)LLVMConstIntGetSExtValue(value));
        return true;
    }
    if (!LLVMIsAInstruction(value) || depth == 0)
        return add_term(p, value, unsigned_ && bits < 64, scale);
    bool exact = bits == 64;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMSExt:
        if (bits == 64)
            return add_value(p, LLVMGetOperand(value, 0), false, scale, depth - 1);
        break;
    case LLVMZExt:
        if (bits == 64)
            return add_value(p, LLVMGetOperand(value, 0), !LLVMGetNNeg(value), scale, depth - 1);
        break;
    case LLVMOr:
        if (!LLVMGetIsDisjoint(value))
            break;
        return add_value(p, LLVMGetOperand(value, 0), unsigned_, scale, depth - 1) &&
               add_value(p, LLVMGetOperand(value, 1), unsigned_, scale, depth - 1);
    case LLVMAdd:
        if (!exact && !(unsigned_ ? LLVMGetNUW(value) : LLVMGetNSW(value)))
            break;
        return add_value(p, LLVMGetOperand(value, 0), unsigned_, scale, depth - 1) &&
               add_value(p, LLVMGetOperand(value, 1), unsigned_, scale, depth - 1);
    case LLVMMul:
    case LLVMShl:
        if ((!exact && !(unsigned_ ? LLVMGetNUW(value) : LLVMGetNSW(value))) || !constant_operand(value, &c))
            break;
        if (opcode == LLVMShl && c >= bits - 1)
            break;
        if (opcode == LLVMMul && !exact && unsigned_)
            break; // the constant was read as a signed number
        return add_value(p, LLVMGetOperand(value, 0), unsigned_, scale * (opcode == LLVMShl ? 1ull << c : c),
                         depth - 1);
    default:
        break;
    }
    return add_term(p, value, unsigned_ && bits < 64, scale);
}

static void find_place(struct finder *f, LLVMValueRef pointer, struct place *p)
{
    *p = (struct place){.base = pointer, .known = true};
    while (LLVMIsAGetElementPtrInst(p->base) && LLVMGetTypeKind(LLVMTypeOf(p->base)) == LLVMPointerTypeKind) {
        unsigned operands = (unsigned)LLVMGetNumOperands(p->base);
        if (operands > f->step_capacity) {
            struct weftc_step *larger = weft_realloc(f->steps, operands * sizeof *larger);
            if (!larger) {
                f->v->no_memory = true;
                return;
            }
            f->steps = larger;
            f->step_capacity = operands;
        }
        unsigned count = weftc_gep_steps(f->v->s->layout, p->base, f->steps);
        for (unsigned k = 0; k < count && p->known; k++) {
            p->offset += f->steps[k].offset;
            if (f->steps[k].index)
                p->known = add_value(p, f->steps[k].index, false, f->steps[k].scale, MAX_DEPTH);
        }
        p->base = LLVMGetOperand(p->base, 0);
    }
}

static bool same_but_for_offset(const struct place *a, const struct place *b)
{
    if (!a->known || !b->known || a->base != b->base || a->count != b->count)
        return false;
    for (unsigned k = 0; k < a->count; k++) {
        unsigned m = 0;
        while (m < b->count &&
               (a->terms[k].value != b->terms[m].value || a->terms[k].unsigned_ != b->terms[m].unsigned_))
            m++;
        if (m == b->count || a->terms[k].scale != b->terms[m].scale)
            return false;
    }
    return true;
}

// The private memory that the access is in, if its address doesn't escape; UINT32_MAX for all other memory.
static uint32_t private_of(const struct finder *f, const struct access *a)
{
    return weftc_is_soa(f->v->s, a->place.base) ? weftc_map_get(&f->v->s->private_of, a->place.base)
                                                : UINT32_MAX;
}

static bool may_meet(const struct finder *f, const struct access *a, const struct access *b)
{
    if (private_of(f, a) != private_of(f, b) || weftc_bridge_never_alias(a->i, b->i))
        return false;
    if (!same_but_for_offset(&a->place, &b->place))
        return true;
    int64_t distance = (int64_t)(b->place.offset - a->place.offset);
    return distance < (int64_t)a->size && -distance < (int64_t)b->size;
}

// ---- groups ----

static struct weftc_vec_group *append(struct weftc_vec *v, const struct weftc_vec_group *group)
{
    if (v->group_count == v->group_capacity) {
        uint32_t capacity = v->group_capacity ? 2 * v->group_capacity : 16;
        struct weftc_vec_group *larger = weft_realloc(v->groups, capacity * sizeof *larger);
        if (!larger) {
            v->no_memory = true;
            return NULL;
        }
        v->groups = larger;
        v->group_capacity = capacity;
    }
    struct weftc_vec_group *added = &v->groups[v->group_count];
    *added = *group;
    for (uint32_t k = 0; k < group->count; k++)
        if (!weftc_map_put(&v->group_of, group->members[k], v->group_count))
            v->no_memory = true;
    v->group_count++;
    return added;
}

// Turns an open group into groups of v. Offsets count from the lowest member from here on.
static void finish_group(struct finder *f, const struct open *o)
{
    struct weftc_vec_group group = {.store = o->store, .element = o->group.element};
    bool taken[WEFTC_MAX_MEMBERS] = {false};
    // A store may leave no hole, so each unbroken run of members is a group of its own.
    for (uint32_t left = o->group.count; left > 0 && !f->v->no_memory; left -= group.count) {
        uint64_t low = 0, end; // any offset is possible, ~0 too, so none can stand for "none"
        bool found = false;
        for (uint32_t k = 0; k < o->group.count; k++) {
            if (taken[k] || (found && (int64_t)(o->group.offsets[k] - low) >= 0))
                continue;
            low = o->group.offsets[k];
            found = true;
        }
        bool grows = true;
        for (end = low; grows && o->store;) {
            grows = false;
            for (uint32_t k = 0; k < o->group.count; k++)
                if (!taken[k] && o->group.offsets[k] == end) {
                    end += o->group.element;
                    grows = true;
                }
        }
        group.count = 0;
        group.span = 0;
        for (uint32_t k = 0; k < o->group.count; k++) {
            uint64_t offset = o->group.offsets[k] - low;
            if (taken[k] || (o->store && offset >= end - low))
                continue;
            taken[k] = true;
            group.members[group.count] = o->group.members[k];
            group.offsets[group.count++] = offset;
            if (offset + group.element > group.span)
                group.span = offset + group.element;
            if (offset == 0)
                group.align = LLVMGetAlignment(o->group.members[k]);
        }
        append(f->v, &group);
    }
}

static void close_group(struct finder *f, unsigned at)
{
    finish_group(f, &f->open[at]);
    f->open_count--;
    memmove(&f->open[at], &f->open[at + 1], (f->open_count - at) * sizeof f->open[0]);
}

static void close_all(struct finder *f)
{
    while (f->open_count > 0)
        close_group(f, 0);
}

static bool meets_member(const struct finder *f, const struct open *o, const struct access *a)
{
    struct access member = {.place = o->place, .size = o->group.element};
    for (uint32_t k = 0; k < o->group.count; k++) {
        member.i = o->group.members[k];
        member.place.offset = o->group.offsets[k];
        if (may_meet(f, &member, a))
            return true;
    }
    return false;
}

// Closes the groups whose members may not be moved across `a`.
static void pass(struct finder *f, const struct access *a, bool store, const struct open *except)
{
    for (unsigned k = f->open_count; k-- > 0;) {
        struct open *o = &f->open[k];
        if (o == except || (!o->store && !store))
            continue;
        if (meets_member(f, o, a) || (!o->store && o->passed_count == MAX_PASSED)) {
            close_group(f, k);
            if (except > o)
                except--;
        } else if (!o->store) {
            o->passed[o->passed_count++] = *a;
        }
    }
}

// The group `store` has got another member, so its stores happen at that one. Members that came before the
// group `load` began now happen after its loads: they are remembered as passed. False: there is no room for
// them.
static bool remember_moved(struct open *load, const struct open *store)
{
    for (uint32_t k = 0; k < store->group.count; k++) {
        bool moved = store->met[k] < load->met[0];
        for (unsigned n = 0; n < load->passed_count && moved; n++)
            moved = load->passed[n].i != store->group.members[k];
        if (!moved)
            continue;
        if (load->passed_count == MAX_PASSED)
            return false;
        struct access *a = &load->passed[load->passed_count++];
        *a = (struct access){store->group.members[k], store->place, store->group.element};
        a->place.offset = store->group.offsets[k];
    }
    return true;
}

static struct open *begun_by(struct finder *f, LLVMValueRef first)
{
    unsigned k = 0;
    while (k < f->open_count && f->open[k].group.members[0] != first)
        k++;
    return k < f->open_count ? &f->open[k] : NULL;
}

static void move_members(struct finder *f, LLVMValueRef first)
{
    for (unsigned k = f->open_count; k-- > 0;)
        if (!f->open[k].store && !remember_moved(&f->open[k], begun_by(f, first)))
            close_group(f, k);
}

static bool fits(const struct finder *f, const struct open *o, const struct access *a, bool store)
{
    if (o->store != store || o->group.element != a->size || o->group.count == WEFTC_MAX_MEMBERS ||
        !same_but_for_offset(&o->place, &a->place))
        return false;
    int64_t low = 0, high = 0;
    for (uint32_t k = 0; k < o->group.count; k++) {
        int64_t distance = (int64_t)(o->group.offsets[k] - a->place.offset);
        if (distance % (int64_t)a->size != 0 || (store && distance == 0))
            return false;
        low = distance < low ? distance : low;
        high = distance > high ? distance : high;
    }
    int64_t span = high - low + (int64_t)a->size;
    struct weftc_shape pointer = weftc_vec_shape(f->v, LLVMGetOperand(a->i, store ? 1 : 0));
    // Consecutive vectors of 16 longs or doubles may stay in the order of memory.
    if (span > WEFTC_USUAL_SPAN &&
        (pointer.kind != WEFTC_STRIDED || pointer.stride != 2 * WEFTC_USUAL_SPAN || span > pointer.stride))
        return false;
    // a[i] and a[i + 1] of float4: each is a few whole vectors. Together, the lanes' segments would overlap,
    // and each would be loaded for itself.
    if (pointer.kind == WEFTC_STRIDED && pointer.stride > 0 && pointer.stride <= MAX_NEAR &&
        pointer.stride % 4 == 0 && span > pointer.stride)
        return false;
    for (unsigned k = 0; k < o->passed_count; k++)
        if (may_meet(f, &o->passed[k], a))
            return false;
    return true;
}

static void join_or_open(struct finder *f, const struct access *a, bool store)
{
    struct open *o = NULL;
    for (unsigned k = 0; k < f->open_count && !o; k++)
        if (fits(f, &f->open[k], a, store))
            o = &f->open[k];
    LLVMValueRef first = o ? o->group.members[0] : NULL;
    pass(f, a, store, o);
    if (o && store)
        move_members(f, first);
    if (o)
        o = begun_by(f, first); // it moves down when groups before it close
    if (!o) {
        if (f->open_count == MAX_OPEN)
            close_group(f, 0);
        o = &f->open[f->open_count++];
        o->group = (struct weftc_vec_group){.element = (uint32_t)a->size};
        o->place = a->place;
        o->store = store;
        o->passed_count = 0;
    }
    o->met[o->group.count] = f->now;
    o->group.members[o->group.count] = a->i;
    o->group.offsets[o->group.count++] = a->place.offset;
}

static void look_at(struct finder *f, LLVMValueRef i)
{
    bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);
    if (!load && !store) {
        if (weftc_bridge_touches_memory(i) && !weftc_vec_is_hint(i))
            close_all(f);
        return;
    }
    const enum weftc_access_kind kind = weftc_vec_access(f->v, i)->kind;
    if (kind == WEFTC_ACCESS_SERIAL) {
        close_all(f);
        return;
    }
    f->now++;
    LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
    struct access a = {.i = i, .size = LLVMStoreSizeOfType(f->v->s->layout, type)};
    find_place(f, LLVMGetOperand(i, load ? 0 : 1), &a.place);
    bool grouped = kind == WEFTC_ACCESS_GATHER && LLVMGetTypeKind(type) != LLVMPointerTypeKind &&
                   !weftc_is_soa(f->v->s, LLVMGetOperand(i, load ? 0 : 1));
    if (grouped)
        join_or_open(f, &a, store);
    else
        pass(f, &a, store, NULL);
}

void weftc_vec_find_groups(struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    struct finder f = {.v = v, .open = weft_alloc_array(MAX_OPEN, sizeof *f.open)};
    if (!f.open) {
        v->no_memory = true;
        return;
    }
    for (uint32_t b = 0; b < g->block_count && !v->no_memory; b++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i && !v->no_memory;
             i = LLVMGetNextInstruction(i))
            look_at(&f, i);
        close_all(&f);
    }
    weft_free(f.open);
    weft_free(f.steps);
}

struct weftc_vec_group *weftc_vec_group_of(const struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t at = weftc_map_get(&v->group_of, i);
    return at == UINT32_MAX ? NULL : &v->groups[at];
}

LLVMValueRef weftc_vec_insert_position(const struct weftc_vec_group *g)
{
    return g->members[g->store ? g->count - 1 : 0];
}

uint64_t weftc_group_insert_offset(const struct weftc_vec_group *g)
{
    return g->offsets[g->store ? g->count - 1 : 0];
}
