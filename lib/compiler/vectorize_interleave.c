// Memory accesses of groups (vectorize_groups.c). Each lane has its *part* of memory, made of words. NEAR: the
// parts lie at one small distance from each other, so whole vectors are loaded or stored, *pieces*, and words
// taken out of them or put into them by shuffles. LANES: each part is loaded or stored for itself, and parts are
// put together to pieces. A word is one member, or several small ones that shifts tell apart.
//
// Nothing is touched that no active lane owns: what lies between two parts only if both lanes are active, and
// what lies behind the last member of a part only within an aligned word that begins with the part's own bytes.
#include <string.h>

#include <llvm-c/Target.h>

#include "bridge_vectorize.h"
#include "vectorize.h"

enum { MOST_PIECES = 16, MOST_LANES = 64 };

struct part {
    LLVMValueRef words[MOST_PIECES]; // vectors over the lanes; NULL: of no interest
};

static bool is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static uint32_t power_above(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

LLVMValueRef weftc_vec_anchor(const struct weftc_vec_group *g)
{
    return g->members[g->store ? g->count - 1 : 0];
}

static LLVMValueRef address_of(LLVMValueRef i)
{
    return LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1);
}

static uint64_t anchor_offset(const struct weftc_vec_group *g)
{
    return g->offsets[g->store ? g->count - 1 : 0];
}

// ---- which way ----

// The largest word that holds whole members, divides `distance` and isn't read beyond what is the part's.
static uint32_t choose_word(const struct weftc_vec_group *g, uint64_t distance)
{
    if (g->element >= 4)
        return g->element;
    uint32_t word = 4;
    while (word > g->element &&
           (distance % word != 0 || (g->span % word != 0 && (g->store || g->align < word))))
        word /= 2;
    return word;
}

static bool block_is_full(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_flow *g = &v->s->flow;
    return g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))].full;
}

static bool plan_near(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                      struct weftc_vec_plan *plan)
{
    struct weftc_shape pointer = weftc_vec_shape(v, address_of(weftc_vec_anchor(g)));
    if (pointer.kind != WEFTC_STRIDED || pointer.stride < (int64_t)g->span)
        return false;
    uint64_t distance = (uint64_t)pointer.stride;
    uint32_t word = choose_word(g, distance);
    if (distance % word != 0 || distance / word > MOST_PIECES)
        return false;
    uint32_t stride = (uint32_t)(distance / word), words = (uint32_t)((g->span + word - 1) / word);
    // Masks of small words are slow but on the newest machines.
    if (stride > 1 && word < 4 && (!full || words < stride))
        return false;
    bool few = stride <= 4 || 2 * words >= stride;
    if (!few || (!is_power(stride) && stride > 7))
        return false;
    *plan = (struct weftc_vec_plan){WEFTC_WAY_NEAR, word, words, stride};
    return true;
}

struct weftc_vec_plan weftc_vec_plan(const struct weftc_vec *v, const struct weftc_vec_group *g)
{
    struct weftc_vec_plan plan = {WEFTC_WAY_SINGLY, g->element, 1, 0};
    bool full = block_is_full(v, weftc_vec_anchor(g));
    if (plan_near(v, g, full, &plan))
        return plan;
    uint32_t word = choose_word(g, 0), words = (uint32_t)((g->span + word - 1) / word);
    bool one = words == 1 && word >= 4; // there are instructions for that
    if (words > MOST_PIECES || (one && g->count == 1 && !(g->store && full)) || (g->store && !full && !one))
        return plan;
    return (struct weftc_vec_plan){WEFTC_WAY_LANES, word, words, 0};
}

// ---- shuffles ----

static LLVMTypeRef word_type(const struct weftc_vec *v, uint32_t word)
{
    return LLVMIntTypeInContext(v->c, 8 * word);
}

// Elements at[0..count) of a and b; negative: any.
static LLVMValueRef shuffle(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, const int *at,
                            unsigned count)
{
    LLVMValueRef numbers[MOST_LANES];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(v->c);
    for (unsigned k = 0; k < count; k++)
        numbers[k] = at[k] < 0 ? LLVMGetPoison(i32) : LLVMConstInt(i32, (uint64_t)at[k], false);
    if (!b)
        b = LLVMGetPoison(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(v->b, a, b, LLVMConstVector(numbers, count), "");
}

static LLVMValueRef every_second(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, int first)
{
    int at[MOST_LANES];
    for (unsigned k = 0; k < v->lanes; k++)
        at[k] = first + 2 * (int)k;
    return shuffle(v, a, b, at, v->lanes);
}

// Word j of all lanes out of the pieces, for a number of them that is no power of two.
static LLVMValueRef pick_word(struct weftc_vec *v, LLVMValueRef *pieces, unsigned n, unsigned j)
{
    LLVMValueRef result = NULL;
    for (unsigned p = 0; p < n; p++) {
        int at[MOST_LANES];
        bool any = false;
        for (unsigned k = 0; k < v->lanes; k++) {
            unsigned flat = k * n + j;
            at[k] = flat / v->lanes < p ? (int)k : -1;
            if (flat / v->lanes == p) {
                at[k] = (int)(flat % v->lanes + (result ? v->lanes : 0));
                any = true;
            }
        }
        if (any)
            result = shuffle(v, result ? result : pieces[p], result ? pieces[p] : NULL, at, v->lanes);
    }
    return result;
}

// Pieces hold word 0 of lane 0, word 1 of lane 0 ... `wanted`: a bit for each word.
static void take_apart(struct weftc_vec *v, LLVMValueRef *pieces, unsigned n, uint64_t wanted,
                       LLVMValueRef *words)
{
    if (n == 1) {
        words[0] = pieces[0];
        return;
    }
    if (!is_power(n)) {
        for (unsigned j = 0; j < n; j++)
            if (wanted >> j & 1)
                words[j] = pick_word(v, pieces, n, j);
        return;
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        LLVMValueRef half[MOST_PIECES], found[MOST_PIECES] = {NULL};
        uint64_t of_half = 0;
        for (unsigned j = 0; 2 * j + odd < n; j++)
            of_half |= (wanted >> (2 * j + odd) & 1) << j;
        if (of_half == 0)
            continue;
        for (unsigned k = 0; k < n / 2; k++)
            half[k] = every_second(v, pieces[2 * k], pieces[2 * k + 1], (int)odd);
        take_apart(v, half, n / 2, of_half, found);
        for (unsigned j = 0; 2 * j + odd < n; j++)
            words[2 * j + odd] = found[j];
    }
}

// The way back.
static void put_together(struct weftc_vec *v, LLVMValueRef *words, unsigned n, LLVMValueRef *pieces)
{
    int at[MOST_LANES];
    if (n == 1) {
        pieces[0] = words[0];
        return;
    }
    if (!is_power(n)) {
        for (unsigned p = 0; p < n; p++) {
            LLVMValueRef sum = NULL;
            for (unsigned j = 0; j < n; j++) {
                for (unsigned k = 0; k < v->lanes; k++) {
                    unsigned flat = p * v->lanes + k;
                    at[k] = flat % n < j ? (int)k : -1;
                    if (flat % n == j)
                        at[k] = (int)(flat / n + (sum ? v->lanes : 0));
                }
                sum = shuffle(v, sum ? sum : words[j], sum ? words[j] : NULL, at, v->lanes);
            }
            pieces[p] = sum;
        }
        return;
    }
    LLVMValueRef half[2][MOST_PIECES], made[2][MOST_PIECES];
    for (unsigned odd = 0; odd < 2; odd++) {
        for (unsigned j = 0; j < n / 2; j++)
            half[odd][j] = words[2 * j + odd];
        put_together(v, half[odd], n / 2, made[odd]);
    }
    for (unsigned k = 0; k < n; k++) {
        unsigned first = k % 2 ? v->lanes / 2 : 0;
        for (unsigned e = 0; e < v->lanes; e++)
            at[e] = (int)(first + e / 2 + (e % 2 ? v->lanes : 0));
        pieces[k] = shuffle(v, made[0][k / 2], made[1][k / 2], at, v->lanes);
    }
}

// ---- members and words ----

static LLVMValueRef as_integers(struct weftc_vec *v, LLVMValueRef vector, uint32_t bytes)
{
    LLVMTypeRef type = LLVMVectorType(word_type(v, bytes), v->lanes);
    return LLVMTypeOf(vector) == type ? vector : LLVMBuildBitCast(v->b, vector, type, "");
}

static LLVMValueRef splat_of(struct weftc_vec *v, LLVMTypeRef integer, uint64_t value)
{
    return weftc_vec_splat(v, v->b, LLVMConstInt(integer, value, false));
}

static void set_members(struct weftc_vec *v, const struct weftc_vec_group *g, uint32_t word,
                        const struct part *part)
{
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = part->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        if (shift)
            value = LLVMBuildLShr(v->b, value, splat_of(v, word_type(v, word), shift), "");
        if (word > g->element)
            value = LLVMBuildTrunc(v->b, value, LLVMVectorType(word_type(v, g->element), v->lanes), "");
        LLVMTypeRef type = weftc_vec_type(v, LLVMTypeOf(g->members[k]));
        if (LLVMTypeOf(value) != type)
            value = LLVMBuildBitCast(v->b, value, type, "");
        weftc_vec_set_vector(v, g->members[k], value);
    }
}

static void get_members(struct weftc_vec *v, const struct weftc_vec_group *g, uint32_t word,
                        struct part *part)
{
    LLVMTypeRef type = word_type(v, word), wide = LLVMVectorType(type, v->lanes);
    for (uint32_t k = 0; k < g->count; k++) {
        LLVMValueRef value = weftc_vec_vector(v, LLVMGetOperand(g->members[k], 0));
        value = as_integers(v, value, g->element);
        LLVMValueRef *to = &part->words[g->offsets[k] / word];
        uint64_t shift = 8 * (g->offsets[k] % word);
        // A part that nobody set is poison, and must not take the others with it.
        if (word > g->element)
            value = LLVMBuildZExt(v->b, LLVMBuildFreeze(v->b, value, ""), wide, "");
        if (shift)
            value = LLVMBuildShl(v->b, value, splat_of(v, type, shift), "");
        *to = *to ? LLVMBuildOr(v->b, *to, value, "") : value;
    }
}

// ---- memory ----

static void describe(LLVMValueRef access, const struct weftc_vec_group *g)
{
    weftc_bridge_copy_access(access, g->members[0]);
    for (uint32_t k = 1; k < g->count; k++)
        weftc_bridge_join_access(access, g->members[k]);
}

static LLVMValueRef at_bytes(struct weftc_vec *v, LLVMValueRef pointer, uint64_t bytes)
{
    LLVMValueRef by = weftc_i64(v->c, bytes);
    return bytes ? LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), pointer, &by, 1, "") : pointer;
}

static unsigned align_at(const struct weftc_vec_group *g, uint64_t bytes)
{
    uint64_t both = bytes | g->align;
    return (unsigned)(both & (0 - both));
}

static LLVMValueRef call_masked(struct weftc_vec *v, const char *name, LLVMTypeRef type, LLVMTypeRef pointer,
                                LLVMValueRef *arguments)
{
    LLVMTypeRef types[] = {type, pointer};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, types, 2);
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, 4, "");
}

// Which elements of piece p may be touched; NULL: all. *none: none is of interest. What lies between two parts
// may be read; it is never written.
static LLVMValueRef piece_mask(struct weftc_vec *v, const struct weftc_vec_plan *plan, unsigned p, bool store,
                               bool *none)
{
    bool holes = store && plan->words < plan->stride;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(v->c);
    LLVMValueRef mask = weftc_vec_mask(v), elements[MOST_LANES];
    unsigned end = (v->lanes - 1) * plan->stride + plan->words; // behind the last part
    *none = p * v->lanes >= end;
    if (mask) {
        if (plan->stride == 1)
            return mask;
        int at[MOST_LANES];
        for (unsigned k = 0; k < v->lanes; k++) {
            unsigned flat = p * v->lanes + k;
            at[k] = (int)(flat % plan->stride < plan->words ? flat / plan->stride : v->lanes);
        }
        return shuffle(v, mask, LLVMConstNull(LLVMTypeOf(mask)), at, v->lanes);
    }
    if ((p + 1) * v->lanes <= end && !holes)
        return NULL;
    for (unsigned k = 0; k < v->lanes; k++) {
        unsigned flat = p * v->lanes + k;
        bool touched = flat < end && (!holes || flat % plan->stride < plan->words);
        elements[k] = LLVMConstInt(i1, touched, false);
    }
    return LLVMConstVector(elements, v->lanes);
}

// The address of lane 0's part.
static LLVMValueRef near_base(struct weftc_vec *v, const struct weftc_vec_group *g)
{
    LLVMValueRef pointer = weftc_vec_scalar(v, address_of(weftc_vec_anchor(g)));
    return at_bytes(v, pointer, 0 - anchor_offset(g));
}

static void load_near(struct weftc_vec *v, const struct weftc_vec_group *g, const struct weftc_vec_plan *plan,
                      uint64_t wanted, struct part *part)
{
    LLVMTypeRef type = LLVMVectorType(word_type(v, plan->word), v->lanes);
    LLVMValueRef base = near_base(v, g), pieces[MOST_PIECES];
    for (unsigned p = 0; p < plan->stride; p++) {
        bool none;
        uint64_t bytes = (uint64_t)p * v->lanes * plan->word;
        LLVMValueRef mask = piece_mask(v, plan, p, false, &none), place = at_bytes(v, base, bytes);
        unsigned align = align_at(g, bytes);
        if (none) {
            pieces[p] = LLVMGetPoison(type);
            continue;
        }
        if (mask) {
            LLVMValueRef arguments[] = {place, weftc_i32(v->c, align), mask, LLVMGetPoison(type)};
            pieces[p] = call_masked(v, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
        } else {
            pieces[p] = LLVMBuildLoad2(v->b, type, place, "");
            LLVMSetAlignment(pieces[p], align);
        }
        describe(pieces[p], g);
    }
    take_apart(v, pieces, plan->stride, wanted, part->words);
}

static void store_near(struct weftc_vec *v, const struct weftc_vec_group *g,
                       const struct weftc_vec_plan *plan, struct part *part)
{
    LLVMValueRef base = near_base(v, g), pieces[MOST_PIECES];
    for (unsigned j = plan->words; j < plan->stride; j++)
        part->words[j] = LLVMGetPoison(LLVMTypeOf(part->words[0]));
    put_together(v, part->words, plan->stride, pieces);
    for (unsigned p = 0; p < plan->stride; p++) {
        bool none;
        uint64_t bytes = (uint64_t)p * v->lanes * plan->word;
        LLVMValueRef mask = piece_mask(v, plan, p, true, &none), place = at_bytes(v, base, bytes), store;
        unsigned align = align_at(g, bytes);
        if (none)
            continue;
        if (mask) {
            LLVMValueRef arguments[] = {pieces[p], place, weftc_i32(v->c, align), mask};
            store = call_masked(v, "llvm.masked.store", LLVMTypeOf(pieces[p]), LLVMTypeOf(place), arguments);
        } else {
            store = LLVMBuildStore(v->b, pieces[p], place);
            LLVMSetAlignment(store, align);
        }
        describe(store, g);
    }
}

// ---- lane by lane ----

// The addresses of all lanes' parts, as a vector. Lanes that are off get that of one that is on, when `safe`.
static LLVMValueRef part_addresses(struct weftc_vec *v, const struct weftc_vec_group *g, bool safe)
{
    LLVMValueRef pointer = address_of(weftc_vec_anchor(g)), mask = weftc_vec_mask(v);
    LLVMValueRef vector = weftc_vec_vector(v, pointer);
    if (mask && safe) {
        LLVMTypeRef bits = LLVMIntTypeInContext(v->c, v->lanes);
        unsigned id = LLVMLookupIntrinsicID("llvm.cttz", strlen("llvm.cttz"));
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, &bits, 1);
        LLVMValueRef arguments[] = {weftc_vec_bits(v, mask),
                                    LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false)};
        LLVMValueRef first = LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, 2, "");
        first = LLVMBuildIntCast2(v->b, first, LLVMInt64TypeInContext(v->c), false, "");
        LLVMValueRef lane = weftc_vec_lane(v, pointer, first);
        vector = LLVMBuildSelect(v->b, mask, vector, weftc_vec_splat(v, v->b, lane), "");
    }
    if (anchor_offset(g) == 0)
        return vector;
    LLVMValueRef by = weftc_vec_splat(v, v->b, weftc_i64(v->c, 0 - anchor_offset(g)));
    return LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), vector, &by, 1, "");
}

// `vector` with its elements [first, first + count) from `from`, or from the scalar when count is 1.
static LLVMValueRef with_elements(struct weftc_vec *v, LLVMValueRef vector, unsigned size, LLVMValueRef from,
                                  unsigned first, unsigned count)
{
    if (count == 1)
        return LLVMBuildInsertElement(v->b, vector, from, weftc_i64(v->c, first), "");
    int at[MOST_LANES];
    for (unsigned k = 0; k < size; k++)
        at[k] = k < count ? (int)k : -1;
    from = shuffle(v, from, NULL, at, size);
    for (unsigned k = 0; k < size; k++)
        at[k] = (int)(k < first ? k : k - first + size);
    return first ? shuffle(v, vector, from, at, size) : from;
}

// A lane's part, in as few loads as there are powers of two in its number of words.
static LLVMValueRef load_part(struct weftc_vec *v, const struct weftc_vec_group *g,
                              const struct weftc_vec_plan *plan, LLVMValueRef place)
{
    LLVMTypeRef word = word_type(v, plan->word);
    unsigned size = power_above(plan->words);
    LLVMValueRef part = NULL;
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef load = LLVMBuildLoad2(v->b, chunk == 1 ? word : LLVMVectorType(word, chunk),
                                           at_bytes(v, place, bytes), "");
        LLVMSetAlignment(load, align_at(g, bytes));
        describe(load, g);
        if (chunk == size)
            return load;
        if (!part)
            part = LLVMGetPoison(LLVMVectorType(word, size));
        part = with_elements(v, part, size, load, done, chunk);
    }
    return part;
}

static void store_part(struct weftc_vec *v, const struct weftc_vec_group *g,
                       const struct weftc_vec_plan *plan, LLVMValueRef part, LLVMValueRef place)
{
    unsigned size = power_above(plan->words);
    for (unsigned done = 0, chunk; done < plan->words; done += chunk) {
        chunk = size;
        while (chunk > plan->words - done)
            chunk /= 2;
        LLVMValueRef value = part;
        if (chunk == 1 && size > 1) {
            value = LLVMBuildExtractElement(v->b, part, weftc_i64(v->c, done), "");
        } else if (chunk < size) {
            int at[MOST_LANES];
            for (unsigned k = 0; k < chunk; k++)
                at[k] = (int)(done + k);
            value = shuffle(v, part, NULL, at, chunk);
        }
        uint64_t bytes = (uint64_t)done * plan->word;
        LLVMValueRef store = LLVMBuildStore(v->b, value, at_bytes(v, place, bytes));
        LLVMSetAlignment(store, align_at(g, bytes));
        describe(store, g);
    }
}

static LLVMValueRef joined(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef b, unsigned each)
{
    int at[MOST_LANES];
    for (unsigned k = 0; k < 2 * each; k++)
        at[k] = (int)k;
    return shuffle(v, a, b, at, 2 * each);
}

static LLVMValueRef lane_place(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef addresses,
                               unsigned lane)
{
    if (addresses)
        return LLVMBuildExtractElement(v->b, addresses, weftc_i64(v->c, lane), "");
    LLVMValueRef place = weftc_vec_lane_address(v, address_of(weftc_vec_anchor(g)), lane);
    return at_bytes(v, place, 0 - anchor_offset(g));
}

static void load_lanes(struct weftc_vec *v, const struct weftc_vec_group *g,
                       const struct weftc_vec_plan *plan, uint64_t wanted, struct part *part)
{
    LLVMTypeRef word = word_type(v, plan->word), type = LLVMVectorType(word, v->lanes);
    unsigned size = power_above(plan->words), lanes = v->lanes;
    LLVMValueRef mask = weftc_vec_mask(v), parts[MOST_LANES], pieces[MOST_PIECES];
    if (plan->words == 1 && plan->word >= 4) {
        LLVMValueRef addresses = part_addresses(v, g, false);
        LLVMValueRef arguments[] = {addresses, weftc_i32(v->c, g->align), mask ? mask : weftc_vec_true(v),
                                    LLVMGetPoison(type)};
        part->words[0] = call_masked(v, "llvm.masked.gather", type, LLVMTypeOf(addresses), arguments);
        describe(part->words[0], g);
        return;
    }
    LLVMValueRef addresses = mask ? part_addresses(v, g, true) : NULL;
    for (unsigned k = 0; k < lanes; k++)
        parts[k] = load_part(v, g, plan, lane_place(v, g, addresses, k));
    if (size == 1) {
        LLVMValueRef all = LLVMGetPoison(type);
        for (unsigned k = 0; k < lanes; k++)
            all = LLVMBuildInsertElement(v->b, all, parts[k], weftc_i64(v->c, k), "");
        part->words[0] = all;
        return;
    }
    if (size > lanes) { // a part is several pieces
        int at[MOST_LANES];
        for (unsigned p = 0; p < size; p++) {
            for (unsigned k = 0; k < lanes; k++)
                at[k] = (int)(p * lanes % size + k);
            pieces[p] = shuffle(v, parts[p * lanes / size], NULL, at, lanes);
        }
    } else {
        unsigned count = lanes;
        for (unsigned each = size; each < lanes; each *= 2, count /= 2)
            for (unsigned k = 0; k < count / 2; k++)
                parts[k] = joined(v, parts[2 * k], parts[2 * k + 1], each);
        memcpy(pieces, parts, count * sizeof *parts);
    }
    take_apart(v, pieces, size, wanted, part->words);
}

static void store_lanes(struct weftc_vec *v, const struct weftc_vec_group *g,
                        const struct weftc_vec_plan *plan, struct part *part)
{
    LLVMValueRef mask = weftc_vec_mask(v), pieces[MOST_PIECES];
    unsigned size = power_above(plan->words), lanes = v->lanes;
    if (mask) {
        LLVMValueRef addresses = part_addresses(v, g, false);
        LLVMValueRef arguments[] = {part->words[0], addresses, weftc_i32(v->c, g->align), mask};
        describe(call_masked(v, "llvm.masked.scatter", LLVMTypeOf(part->words[0]), LLVMTypeOf(addresses),
                             arguments),
                 g);
        return;
    }
    if (size > 1) {
        for (unsigned j = plan->words; j < size; j++)
            part->words[j] = LLVMGetPoison(LLVMTypeOf(part->words[0]));
        put_together(v, part->words, size, pieces);
    }
    for (unsigned k = 0; k < lanes; k++) {
        LLVMValueRef place = lane_place(v, g, NULL, k), value;
        int at[MOST_LANES];
        if (size == 1) {
            value = LLVMBuildExtractElement(v->b, part->words[0], weftc_i64(v->c, k), "");
        } else if (size > lanes) {
            value = pieces[k * size / lanes];
            for (unsigned p = 1, each = lanes; p < size / lanes; p++, each += lanes) {
                int wide[MOST_LANES];
                for (unsigned e = 0; e < each + lanes; e++)
                    wide[e] = e < lanes ? (int)e : -1;
                LLVMValueRef next = pieces[k * size / lanes + p];
                next = shuffle(v, next, NULL, wide, each);
                for (unsigned e = 0; e < each + lanes; e++)
                    at[e] = (int)e;
                value = shuffle(v, value, next, at, each + lanes);
            }
        } else {
            for (unsigned e = 0; e < size; e++)
                at[e] = (int)(k * size % lanes + e);
            value = shuffle(v, pieces[k * size / lanes], NULL, at, size);
        }
        store_part(v, g, plan, value, place);
    }
}

// ---- the accesses ----

void weftc_vec_group_load(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef i)
{
    if (i != weftc_vec_anchor(g))
        return;
    struct weftc_vec_plan plan = weftc_vec_plan(v, g);
    struct part part = {{NULL}};
    uint64_t wanted = 0;
    for (uint32_t k = 0; k < g->count; k++)
        wanted |= 1ull << (g->offsets[k] / plan.word);
    if (plan.way == WEFTC_WAY_NEAR)
        load_near(v, g, &plan, wanted, &part);
    else
        load_lanes(v, g, &plan, wanted, &part);
    set_members(v, g, plan.word, &part);
}

void weftc_vec_group_store(struct weftc_vec *v, const struct weftc_vec_group *g, LLVMValueRef i)
{
    if (i != weftc_vec_anchor(g))
        return;
    struct weftc_vec_plan plan = weftc_vec_plan(v, g);
    struct part part = {{NULL}};
    get_members(v, g, plan.word, &part);
    if (plan.way == WEFTC_WAY_NEAR)
        store_near(v, g, &plan, &part);
    else
        store_lanes(v, g, &plan, &part);
}
