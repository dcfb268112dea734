// Arithmetic of intervals. Numbers of the kernel wrap: where a result may not fit, it has no ends
// (WEFTC_ENDLESS), which is found when the kernel runs.
#include "compiler/checker/intervals.h"

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"

LLVMValueRef weftc_interval_number(const struct weftc_intervals *u, int64_t n)
{
    return weftc_i64(u->c, (uint64_t)n);
}

static LLVMValueRef compare(const struct weftc_intervals *u, LLVMIntPredicate p, LLVMValueRef a,
                            LLVMValueRef b)
{
    return LLVMBuildICmp(u->b, p, a, b, "");
}

static LLVMValueRef choose(const struct weftc_intervals *u, LLVMValueRef condition, LLVMValueRef a,
                           LLVMValueRef b)
{
    return a == b ? a : LLVMBuildSelect(u->b, condition, a, b, "");
}

LLVMValueRef weftc_interval_least(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b)
{
    return choose(u, compare(u, LLVMIntSLT, a, b), a, b);
}

LLVMValueRef weftc_interval_most(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b)
{
    return choose(u, compare(u, LLVMIntSGT, a, b), a, b);
}

LLVMValueRef weftc_interval_is_below(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b)
{
    return compare(u, LLVMIntSLE, a, b);
}

static LLVMValueRef either(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(u->b, a, b, "");
}

static LLVMValueRef both(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(u->b, a, b, "");
}

static const struct weftc_interval nothing_known = {NULL, NULL};

static struct weftc_interval from_to(const struct weftc_intervals *u, int64_t low, int64_t high)
{
    return (struct weftc_interval){weftc_interval_number(u, low), weftc_interval_number(u, high)};
}

struct weftc_interval weftc_interval_of_type(const struct weftc_intervals *u, unsigned bits)
{
    enum { SMALL = 16 }; // of larger numbers this would say nothing that helps
    return bits <= SMALL ? from_to(u, -((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1)
                         : nothing_known;
}

// i1: is the end none?
LLVMValueRef weftc_interval_is_endless(const struct weftc_intervals *u, struct weftc_interval a)
{
    LLVMValueRef low = compare(u, LLVMIntSLE, a.low, weftc_interval_number(u, -WEFTC_ENDLESS));
    return either(u, low, compare(u, LLVMIntSGE, a.high, weftc_interval_number(u, WEFTC_ENDLESS)));
}

// The interval, or one without ends.
struct weftc_interval weftc_interval_unless(const struct weftc_intervals *u, LLVMValueRef wrong,
                                            struct weftc_interval a)
{
    return (struct weftc_interval){choose(u, wrong, weftc_interval_number(u, -WEFTC_ENDLESS), a.low),
                                   choose(u, wrong, weftc_interval_number(u, WEFTC_ENDLESS), a.high)};
}

// i1: may numbers not fit into so many bits?
static LLVMValueRef exceeds(const struct weftc_intervals *u, struct weftc_interval a, unsigned bits)
{
    enum { WHOLE = 64 };
    if (bits >= WHOLE)
        return weftc_interval_is_endless(u, a);
    const int64_t half = (int64_t)1 << (bits - 1);
    LLVMValueRef low = compare(u, LLVMIntSLT, a.low, weftc_interval_number(u, -half));
    return either(u, low, compare(u, LLVMIntSGE, a.high, weftc_interval_number(u, half)));
}

// The result of an operation on a and b.
static struct weftc_interval result(const struct weftc_intervals *u, unsigned bits, LLVMValueRef wrong,
                                    struct weftc_interval r)
{
    return weftc_interval_unless(u, either(u, wrong, exceeds(u, r, bits)), r);
}

static struct weftc_interval add(const struct weftc_intervals *u, unsigned bits, struct weftc_interval a,
                                 struct weftc_interval b, bool subtract)
{
    const struct weftc_interval r = {
        subtract ? LLVMBuildSub(u->b, a.low, b.high, "") : LLVMBuildAdd(u->b, a.low, b.low, ""),
        subtract ? LLVMBuildSub(u->b, a.high, b.low, "") : LLVMBuildAdd(u->b, a.high, b.high, "")};
    return result(u, bits, either(u, weftc_interval_is_endless(u, a), weftc_interval_is_endless(u, b)), r);
}

static struct weftc_interval multiply(const struct weftc_intervals *u, unsigned bits, struct weftc_interval a,
                                      struct weftc_interval b)
{
    enum { FACTOR_BITS = 31 }; // so that products are below WEFTC_ENDLESS, or not by much above
    LLVMValueRef wrong = either(u, exceeds(u, a, FACTOR_BITS), exceeds(u, b, FACTOR_BITS));
    LLVMValueRef p = LLVMBuildMul(u->b, a.low, b.low, ""), q = LLVMBuildMul(u->b, a.low, b.high, ""),
                 r = LLVMBuildMul(u->b, a.high, b.low, ""), s = LLVMBuildMul(u->b, a.high, b.high, "");
    const struct weftc_interval product = {
        weftc_interval_least(u, weftc_interval_least(u, p, q), weftc_interval_least(u, r, s)),
        weftc_interval_most(u, weftc_interval_most(u, p, q), weftc_interval_most(u, r, s))};
    return result(u, bits, wrong, product);
}

static LLVMValueRef is_negative(const struct weftc_intervals *u, LLVMValueRef n)
{
    return compare(u, LLVMIntSLT, n, weftc_interval_number(u, 0));
}

static struct weftc_interval shift_left(const struct weftc_intervals *u, unsigned bits,
                                        struct weftc_interval a, struct weftc_interval by)
{
    enum { MOST = 30 };
    LLVMValueRef one = weftc_interval_number(u, 1), most = weftc_interval_number(u, MOST);
    LLVMValueRef wrong = either(u, is_negative(u, by.low), compare(u, LLVMIntSGT, by.high, most));
    // a shift by more would be undefined here too
    by.low = choose(u, wrong, weftc_interval_number(u, 0), by.low);
    by.high = choose(u, wrong, weftc_interval_number(u, 0), by.high);
    const struct weftc_interval factor = {LLVMBuildShl(u->b, one, by.low, ""),
                                          LLVMBuildShl(u->b, one, by.high, "")};
    return weftc_interval_unless(u, wrong, multiply(u, bits, a, factor));
}

static struct weftc_interval shift_right(const struct weftc_intervals *u, unsigned bits,
                                         struct weftc_interval a, struct weftc_interval by, bool no_sign)
{
    LLVMValueRef most = weftc_interval_number(u, bits - 1);
    LLVMValueRef wrong = either(u, is_negative(u, by.low), compare(u, LLVMIntSGT, by.high, most));
    by.low = choose(u, wrong, weftc_interval_number(u, 0), by.low);
    by.high = choose(u, wrong, weftc_interval_number(u, 0), by.high);
    struct weftc_interval r = {weftc_interval_least(u, LLVMBuildAShr(u->b, a.low, by.low, ""),
                                                    LLVMBuildAShr(u->b, a.low, by.high, "")),
                               weftc_interval_most(u, LLVMBuildAShr(u->b, a.high, by.low, ""),
                                                   LLVMBuildAShr(u->b, a.high, by.high, ""))};
    if (no_sign)
        wrong = either(u, wrong, is_negative(u, a.low));
    return weftc_interval_unless(u, either(u, wrong, weftc_interval_is_endless(u, a)), r);
}

// Only by numbers from 1 on, of numbers from 0 on.
static struct weftc_interval divide(const struct weftc_intervals *u, struct weftc_interval a,
                                    struct weftc_interval b)
{
    LLVMValueRef one = weftc_interval_number(u, 1);
    LLVMValueRef wrong = either(u, is_negative(u, a.low), compare(u, LLVMIntSLT, b.low, one));
    wrong = either(u, wrong, weftc_interval_is_endless(u, a));
    const struct weftc_interval r = {LLVMBuildUDiv(u->b, a.low, weftc_interval_most(u, b.high, one), ""),
                                     LLVMBuildUDiv(u->b, a.high, weftc_interval_most(u, b.low, one), "")};
    return weftc_interval_unless(u, wrong, r);
}

static struct weftc_interval rest(const struct weftc_intervals *u, struct weftc_interval a,
                                  struct weftc_interval b, bool no_sign)
{
    LLVMValueRef zero = weftc_interval_number(u, 0), one = weftc_interval_number(u, 1);
    if (!weftc_interval_is_known(b))
        return nothing_known;
    LLVMValueRef wrong = either(u, compare(u, LLVMIntSLT, b.low, one), weftc_interval_is_endless(u, b));
    LLVMValueRef most = LLVMBuildSub(u->b, b.high, one, "");
    struct weftc_interval r = {no_sign ? zero : LLVMBuildNeg(u->b, most, ""), most};
    if (weftc_interval_is_known(a)) {
        LLVMValueRef negative = is_negative(u, a.low);
        r.low = choose(u, negative, r.low, zero);
        r.high = choose(u, negative, r.high, weftc_interval_least(u, r.high, a.high));
    }
    return weftc_interval_unless(u, wrong, r);
}

// A number of which no bit is set that isn't set in one that isn't negative.
static struct weftc_interval mask(const struct weftc_intervals *u, struct weftc_interval a,
                                  struct weftc_interval b)
{
    const struct weftc_interval of[] = {a, b};
    struct weftc_interval r = nothing_known;
    for (unsigned k = 0; k < 2; k++) {
        if (!weftc_interval_is_known(of[k]))
            continue;
        LLVMValueRef negative = is_negative(u, of[k].low);
        struct weftc_interval one = weftc_interval_unless(
            u, negative, (struct weftc_interval){weftc_interval_number(u, 0), of[k].high});
        r.low = r.low ? weftc_interval_most(u, r.low, one.low) : one.low;
        r.high = r.high ? weftc_interval_least(u, r.high, one.high) : one.high;
    }
    return r;
}

// All bits below the highest one that is set.
static LLVMValueRef filled(const struct weftc_intervals *u, LLVMValueRef n)
{
    for (unsigned by = 1; by < 64; by *= 2)
        n = LLVMBuildOr(u->b, n, LLVMBuildLShr(u->b, n, weftc_interval_number(u, by), ""), "");
    return n;
}

// `or` and `xor` of numbers that aren't negative.
static struct weftc_interval unite(const struct weftc_intervals *u, struct weftc_interval a,
                                   struct weftc_interval b)
{
    LLVMValueRef wrong = either(u, is_negative(u, a.low), is_negative(u, b.low));
    wrong = either(u, wrong, either(u, weftc_interval_is_endless(u, a), weftc_interval_is_endless(u, b)));
    LLVMValueRef all = filled(u, LLVMBuildOr(u->b, a.high, b.high, ""));
    LLVMValueRef sum = LLVMBuildAdd(u->b, a.high, b.high, "");
    const struct weftc_interval r = {weftc_interval_number(u, 0), weftc_interval_least(u, all, sum)};
    return weftc_interval_unless(u, wrong, r);
}

struct weftc_interval weftc_interval_operate(const struct weftc_intervals *u, LLVMOpcode opcode,
                                             unsigned bits, struct weftc_interval a, struct weftc_interval b)
{
    if (opcode == LLVMAnd)
        return mask(u, a, b);
    if (opcode == LLVMURem || opcode == LLVMSRem)
        return rest(u, a, b, opcode == LLVMURem);
    if (!weftc_interval_is_known(a) || !weftc_interval_is_known(b))
        return weftc_interval_of_type(u, bits);
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
        return add(u, bits, a, b, opcode == LLVMSub);
    case LLVMMul:
        return multiply(u, bits, a, b);
    case LLVMShl:
        return shift_left(u, bits, a, b);
    case LLVMLShr:
    case LLVMAShr:
        return shift_right(u, bits, a, b, opcode == LLVMLShr);
    case LLVMUDiv:
    case LLVMSDiv:
        return divide(u, a, b);
    case LLVMOr:
    case LLVMXor:
        return unite(u, a, b);
    default:
        return weftc_interval_of_type(u, bits);
    }
}

struct weftc_interval weftc_interval_zero_extended(const struct weftc_intervals *u, unsigned from,
                                                   struct weftc_interval a)
{
    enum { SMALL = 16 };
    const int64_t most = from < 62 ? ((int64_t)1 << from) - 1 : WEFTC_ENDLESS;
    if (!weftc_interval_is_known(a))
        return (struct weftc_interval){weftc_interval_number(u, 0),
                                       from <= SMALL ? weftc_interval_number(u, most) : NULL};
    LLVMValueRef negative = is_negative(u, a.low);
    return (struct weftc_interval){choose(u, negative, weftc_interval_number(u, 0), a.low),
                                   choose(u, negative, weftc_interval_number(u, most), a.high)};
}

struct weftc_interval weftc_interval_truncated(const struct weftc_intervals *u, unsigned to,
                                               struct weftc_interval a)
{
    return weftc_interval_is_known(a) ? weftc_interval_unless(u, exceeds(u, a, to), a)
                                      : weftc_interval_of_type(u, to);
}

struct weftc_interval weftc_interval_join(const struct weftc_intervals *u, struct weftc_interval a,
                                          struct weftc_interval b)
{
    return (struct weftc_interval){a.low && b.low ? weftc_interval_least(u, a.low, b.low) : NULL,
                                   a.high && b.high ? weftc_interval_most(u, a.high, b.high) : NULL};
}

struct weftc_interval weftc_interval_choice(const struct weftc_intervals *u, bool greatest, bool no_sign,
                                            unsigned bits, struct weftc_interval a, struct weftc_interval b)
{
    struct weftc_interval r = nothing_known;
    if (no_sign) {
        if (!weftc_interval_is_known(a) || !weftc_interval_is_known(b))
            return weftc_interval_of_type(u, bits);
        r = weftc_interval_choice(u, greatest, false, bits, a, b);
        return weftc_interval_unless(u, either(u, is_negative(u, a.low), is_negative(u, b.low)), r);
    }
    if (greatest) {
        r.low = !a.low ? b.low : !b.low ? a.low : weftc_interval_most(u, a.low, b.low);
        r.high = a.high && b.high ? weftc_interval_most(u, a.high, b.high) : NULL;
    } else {
        r.low = a.low && b.low ? weftc_interval_least(u, a.low, b.low) : NULL;
        r.high = !a.high ? b.high : !b.high ? a.high : weftc_interval_least(u, a.high, b.high);
    }
    return r;
}

// ---- comparisons ----

static void at_most(const struct weftc_intervals *u, struct weftc_interval *a, LLVMValueRef n)
{
    a->high = a->high ? weftc_interval_least(u, a->high, n) : n;
}

static void at_least(const struct weftc_intervals *u, struct weftc_interval *a, LLVMValueRef n)
{
    a->low = a->low ? weftc_interval_most(u, a->low, n) : n;
}

// No end stays none.
static LLVMValueRef plus(const struct weftc_intervals *u, LLVMValueRef n, int64_t by)
{
    LLVMValueRef endless = weftc_interval_is_endless(u, (struct weftc_interval){n, n});
    return choose(u, endless, n, LLVMBuildAdd(u->b, n, weftc_interval_number(u, by), ""));
}

struct weftc_interval weftc_interval_where(const struct weftc_intervals *u, LLVMIntPredicate predicate,
                                           struct weftc_interval a, struct weftc_interval b)
{
    LLVMValueRef positive;
    switch (predicate) {
    case LLVMIntEQ:
        if (b.high)
            at_most(u, &a, b.high);
        if (b.low)
            at_least(u, &a, b.low);
        break;
    case LLVMIntNE:
        if (!weftc_interval_is_known(b))
            break;
        positive = compare(u, LLVMIntEQ, b.low, b.high);
        if (a.low)
            a.low =
                choose(u, both(u, positive, compare(u, LLVMIntEQ, a.low, b.low)), plus(u, a.low, 1), a.low);
        if (a.high)
            a.high = choose(u, both(u, positive, compare(u, LLVMIntEQ, a.high, b.low)), plus(u, a.high, -1),
                            a.high);
        break;
    case LLVMIntSLT:
    case LLVMIntSLE:
        if (b.high)
            at_most(u, &a, plus(u, b.high, predicate == LLVMIntSLT ? -1 : 0));
        break;
    case LLVMIntSGT:
    case LLVMIntSGE:
        if (b.low)
            at_least(u, &a, plus(u, b.low, predicate == LLVMIntSGT ? 1 : 0));
        break;
    case LLVMIntULT:
    case LLVMIntULE:
        if (!weftc_interval_is_known(b))
            break;
        positive = compare(u, LLVMIntSGE, b.low, weftc_interval_number(u, 0));
        at_most(u, &a,
                choose(u, positive, plus(u, b.high, predicate == LLVMIntULT ? -1 : 0),
                       weftc_interval_number(u, WEFTC_ENDLESS)));
        at_least(u, &a,
                 choose(u, positive, weftc_interval_number(u, 0), weftc_interval_number(u, -WEFTC_ENDLESS)));
        break;
    case LLVMIntUGT:
    case LLVMIntUGE:
        if (!weftc_interval_is_known(b) || !a.low)
            break;
        positive = both(u, compare(u, LLVMIntSGE, b.low, weftc_interval_number(u, 0)),
                        compare(u, LLVMIntSGE, a.low, weftc_interval_number(u, 0)));
        at_least(u, &a, choose(u, positive, plus(u, b.low, predicate == LLVMIntUGT ? 1 : 0), a.low));
        break;
    default:
        break;
    }
    return a;
}
