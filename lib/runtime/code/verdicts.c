// What autotuning decided (autotune.c) in the disk cache. An entry belongs to a kernel's best code on this
// processor: its key begins with that code's. It has a byte for each size class of launches: 0: nothing is
// decided; else 1 + the variant that won. Owns nothing.
#include "base/base.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/make_code.h"
#include "runtime/compiler/cache_folders.h"
#include "runtime/compiler/disk_cache.h"
#include "weft/kernel_abi.h"
#include "weft/status.h"

enum { VERSION = 1 }; // of the entry, and of what a verdict means

static struct weft_hash verdict_key(const struct weft_kernel_code *c)
{
    const struct weft_code_order own = weft_code_order_own(WEFT_LEVEL_FULL);
    const uint32_t version = VERSION;
    return weft_hash_bytes(weft_hash_str(weft_code_key(c, &own), "verdicts"), &version, sizeof version);
}

static bool has_verdicts(const struct weft_kernel_code *c)
{
    return weft_cache_enabled() && !c->tune_forever && !weft_config_uint(WEFT_CFG_VARIANT) &&
           weft_build_optimizes(c->build) && atomic_load(&c->autotunes);
}

// Loads the variant's code, unless somebody makes it already.
static bool load_variant(struct weft_kernel_code *c, uint32_t variant)
{
    struct weft_kernel_variant *v = &c->variants[variant - WEFT_VARIANT_DIM];
    const struct weft_code_order order = {.level = WEFT_LEVEL_FULL, .variant = variant, .into = v};
    uint32_t before = 0;
    if (!atomic_compare_exchange_strong(&v->attempt, &before, weft_attempt_of(WEFT_LEVEL_FULL, false)))
        return true;
    const bool found = weft_code_from_cache(c, &order);
    // If it isn't found, autotuning requests it.
    atomic_store(&v->attempt, found ? weft_attempt_of(WEFT_LEVEL_FULL, true) : 0);
    return found && atomic_load(&v->info);
}

static bool is_candidate(uint32_t variant)
{
    return variant == WEFT_VARIANT_ANY || variant == WEFT_VARIANT_NARROW || variant == WEFT_VARIANT_SCALAR;
}

// Short programs decide nothing, so nobody stores verdicts for them. The shared folders may be on a server
// that thousands of processes ask: that they have none is noted in the first one, or each start would ask.
static void note_none(const struct weft_kernel_code *c)
{
    struct weft_buf b = {0};
    for (uint32_t k = 0; k < WEFT_SIZE_CLASSES; k++)
        weft_put_u8(&b, 0);
    weft_cache_store(WEFT_CACHE_VERDICTS, verdict_key(c), &b, NULL);
}

void weft_verdicts_load(struct weft_kernel_code *c)
{
    uint8_t *bytes;
    size_t size;
    if (!has_verdicts(c))
        return;
    const weft_status status = weft_cache_load(WEFT_CACHE_VERDICTS, verdict_key(c), &bytes, &size);
    if (status == WEFT_NOT_FOUND && weft_cache_folder_count() > 1)
        note_none(c);
    if (status != WEFT_OK)
        return;
    for (uint32_t k = 0; k < WEFT_SIZE_CLASSES && size == WEFT_SIZE_CLASSES; k++) {
        const uint32_t variant = bytes[k] - 1u;
        if (bytes[k] && is_candidate(variant) && (variant == WEFT_VARIANT_ANY || load_variant(c, variant)))
            weft_autotune_decide(c, k, variant);
    }
    weft_free(bytes);
}

void weft_verdicts_store(struct weft_kernel_code *c)
{
    if (!has_verdicts(c))
        return;
    struct weft_buf b = {0};
    bool any = false;
    for (uint32_t k = 0; k < WEFT_SIZE_CLASSES; k++) {
        uint32_t variant;
        const bool decided = weft_autotune_verdict(c, k, &variant);
        weft_put_u8(&b, decided ? (uint8_t)(variant + 1) : 0);
        any = any || decided;
    }
    if (any && !b.failed)
        weft_cache_store(WEFT_CACHE_VERDICTS, verdict_key(c), &b, NULL);
    weft_buf_free(&b);
}
