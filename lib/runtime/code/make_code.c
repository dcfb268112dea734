// Making the code of kernels: the cache key, the places where code is found, the request to a compiler, and
// how the code becomes the kernel's. More than 500 lines, since each step hands on what the one before has
// found.
#include "runtime/code/make_code.h"

#include <string.h>

#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/compiler/disk_cache.h"
#include "runtime/compiler/reproducer.h"
#include "runtime/code/build_result.h"
#include "runtime/code/counting.h"
#include "runtime/code/module.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "runtime/perf/jitdump.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/status.h"
#include "weft/trace.h"

struct weft_code_order weft_code_order_own(enum weft_code_level level)
{
    uint64_t variant = weft_config_uint(WEFT_CFG_VARIANT);
    return (struct weft_code_order){
        .level = level, .variant = variant < WEFT_VARIANTS ? (uint32_t)variant : WEFT_VARIANT_ANY};
}

struct weft_code_order weft_code_order_lanes(struct weft_kernel_code *c)
{
    struct weft_code_order o = weft_code_order_own(WEFT_LEVEL_LANES);
    const uint32_t seen = atomic_load_explicit(&c->along, memory_order_relaxed); // a hint
    if ((seen != 1u << 1 && seen != 1u << 2) || weft_config_uint(WEFT_CFG_VARIANT))
        return o;
    const uint32_t along = seen >> 1;
    o.variant = WEFT_VARIANT_DIM + along;
    if (WEFT_UNLIKELY(weft_profile_is_on())) // before a launch can run the code
        weft_counting_make(c, along);
    return o;
}

// Kernels whose IR has the same hash share code, even across programs.
struct weft_hash weft_code_key(const struct weft_kernel_code *c, const struct weft_code_order *o)
{
    const struct weft_build *b = c->build;
    struct weft_hash h = weft_hash_str(weft_cache_identity(), c->meta->name);
    const uint32_t *required = c->meta->reqd_work_group_size;
    uint64_t parts[] = {c->meta->hash_lo, c->meta->hash_hi, b->optimize_off, b->debug,
                        b->relaxed,       o->level,         o->variant,      required[0],
                        required[1],      required[2],      b->zero_private};
    h = weft_hash_bytes(h, parts, sizeof parts);
    if (o->group)
        h = weft_hash_bytes(h, o->group, 3 * sizeof *o->group);
    // weftc reported no hash; or the code names the program's source, too
    if (b->debug || b->check || (!c->meta->hash_lo && !c->meta->hash_hi)) {
        h = weft_hash_bytes(h, b->object.bitcode, b->object.bitcode_size);
        h = weft_hash_str(h, b->options);
    }
    return h;
}

// ---- In the timeline, and for perf ----

// Which code of the kernel that is, as `saxpy full dim1 16x16x1`. The caller frees it. NULL: no memory.
static char *describe(const struct weft_kernel_code *c, const struct weft_code_order *o)
{
    static const char *const levels[] = {"quick", "lanes", "full"};
    struct weft_buf b = {0};
    weft_buf_printf(&b, "%s %s", c->meta->name, levels[o->level]);
    if (o->variant >= WEFT_VARIANT_DIM && o->variant < WEFT_VARIANT_SCALAR)
        weft_buf_printf(&b, " dim%u", o->variant - WEFT_VARIANT_DIM);
    else if (o->variant != WEFT_VARIANT_ANY)
        weft_buf_puts(&b, o->variant == WEFT_VARIANT_SCALAR ? " scalar" : " narrow");
    if (o->group)
        weft_buf_printf(&b, " %ux%ux%u", o->group[0], o->group[1], o->group[2]);
    return weft_buf_take(&b, NULL);
}

char *weft_code_list(const struct weft_kernel_code *c)
{
    static const char *const levels[] = {"quick", "lanes", "full"};
    struct weft_buf b = {0};
    weft_buf_puts(&b, levels[atomic_load(&c->level)]);
    for (size_t i = 0; i < WEFT_COUNT_OF(c->variants); i++) {
        const struct weft_kernel_variant *v = &c->variants[i];
        if (!atomic_load(&v->info))
            continue;
        if (v->variant >= WEFT_VARIANT_DIM && v->variant < WEFT_VARIANT_SCALAR)
            weft_buf_printf(&b, ", dim%u", v->variant - WEFT_VARIANT_DIM);
        else
            weft_buf_puts(&b, v->variant == WEFT_VARIANT_SCALAR ? ", scalar" : ", narrow");
    }
    for (const struct weft_size_variant *s = atomic_load(&c->size_variants); s; s = s->next)
        if (atomic_load(&s->variant.info))
            weft_buf_printf(&b, ", %ux%ux%u", s->variant.group[0], s->variant.group[1], s->variant.group[2]);
    return weft_buf_take(&b, NULL);
}

// The processor of a target's identity (compiler/arch/target.c), which begins triple/processor/.
static int processor_of(const char *target, const char **name)
{
    const char *slash = target ? strchr(target, '/') : NULL;
    *name = slash ? slash + 1 : "";
    return (int)strcspn(*name, "/");
}

// Tells the timeline and perf of code that has been loaded.
static void announce(const struct weft_kernel_code *c, const struct weft_code_order *o,
                     const struct weft_kernel_info *info, const uint8_t *elf, size_t size)
{
    const bool perf = weft_perf_is_on();
    if (!weft_trace_is_on() && !perf)
        return;
    const char *processor;
    const int length = processor_of(c->build->object.target, &processor);
    char *which = describe(c, o);
    char *what = weft_format("%s, %u lanes, %.*s", which ? which : c->meta->name, info->vector_width, length,
                             processor);
    const char *name = what ? what : c->meta->name;
    weft_trace_code(info, name);
    if (weft_trace_is_on())
        weft_trace_point(WEFT_TRACE_CODE, weft_trace_name("code ready"), c->trace_name, weft_trace_name(name),
                         size);
    if (perf)
        weft_perf_add_code(elf, size, info, name);
    weft_free(what);
    weft_free(which);
}

static void trace_step(enum weft_trace_kind kind, uint64_t since, const char *name,
                       const struct weft_kernel_code *c, const struct weft_code_order *o, weft_status status)
{
    if (!weft_trace_is_on())
        return;
    char *which = describe(c, o);
    if (kind == WEFT_TRACE_BUILD)
        weft_trace_end(kind, since, weft_trace_name(name), c->trace_name, weft_trace_name(which),
                       (uint64_t)(int64_t)status);
    else
        weft_trace_point(kind, weft_trace_name(name), c->trace_name, weft_trace_name(which), 0);
    weft_free(which);
}

// ---- Taking code over ----

// The kernel's own code has lanes along another dimension for now. Launches keep it as that variant when
// own code of a higher level has lanes along dimension 0.
static void share_with_variant(struct weft_kernel_variant *v, const struct weft_kernel_info *info)
{
    atomic_store_explicit(&v->of_level[WEFT_LEVEL_LANES], info, memory_order_relaxed); // as in adopt
    // release: pairs with the acquire in weft_kernel_code_of_variant.
    atomic_store_explicit(&v->info, info->vector_width > 1 ? info : NULL, memory_order_release);
    atomic_store(&v->attempt, weft_attempt_of(WEFT_LEVEL_LANES, true));
}

// Takes ownership of *elf on success. why: as in weft_module_load.
static weft_status adopt(struct weft_kernel_code *c, uint8_t *elf, size_t size,
                         const struct weft_code_order *o, char **why)
{
    void *module;
    const struct weft_kernel_info *info;
    weft_status status = weft_module_load(elf, size, c->meta->name, c->build->debug, &module, &info, why);
    if (status != WEFT_OK)
        return status;
    if (c->first && info->local_static_bytes != c->first->local_static_bytes) {
        weft_module_unload(module); // the arguments of launches under way are laid out for the first code
        return WEFT_DAMAGED;
    }
    announce(c, o, info, elf, size);
    if (c->first)
        // The new code is measured afresh. relaxed: no other data depends on it.
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed);
    if (o->into) {
        o->into->modules[o->level] = module;
        // relaxed: only compared. Code that runs was published before.
        atomic_store_explicit(&o->into->of_level[o->level], info, memory_order_relaxed);
        // release: pairs with the acquire in weft_kernel_code_of_variant. A variant that should have lanes
        // but is scalar is useless.
        bool useful = info->vector_width > 1 || o->variant == WEFT_VARIANT_SCALAR;
        atomic_store_explicit(&o->into->info, useful ? info : NULL, memory_order_release);
        weft_free(elf);
        return WEFT_OK;
    }
    c->modules[o->level] = module;
    // relaxed: only compared. Code that runs was published before.
    atomic_store_explicit(&c->of_level[o->level], info, memory_order_relaxed);
    const bool along = o->variant != weft_code_order_own(o->level).variant && !info->sub_groups;
    if (along)
        share_with_variant(&c->variants[o->variant - WEFT_VARIANT_DIM], info);
    if (!c->first)
        c->first = info;
    // relaxed: the rules that read it work with either level.
    atomic_store_explicit(&c->level, o->level, memory_order_relaxed);
    atomic_store_explicit(&c->spent_ns, 0, memory_order_relaxed);
    // relaxed: a launch that doesn't see it yet just doesn't autotune.
    const bool in_doubt = info->autotune_candidates && weft_build_optimizes(c->build) && !along;
    atomic_store_explicit(&c->autotunes, in_doubt || c->tune_forever, memory_order_relaxed);
    // release: pairs with the acquire in weft_kernel_code_info.
    atomic_store_explicit(&c->info, info, memory_order_release);
    if (o->level != WEFT_LEVEL_FULL) {
        weft_free(elf);
    } else {
        c->elf = elf;
        c->elf_size = size;
    }
    return WEFT_OK;
}

static bool adopt_from_binary(struct weft_kernel_code *c)
{
    if (!c->meta->code)
        return false;
    char *target = weft_compiler_target();
    bool same = target && strcmp(target, c->build->object.target) == 0;
    weft_free(target);
    uint8_t *copy = same ? weft_memdup(c->meta->code, c->meta->code_size) : NULL;
    if (!copy)
        return false;
    struct weft_code_order own = weft_code_order_own(WEFT_LEVEL_FULL);
    if (adopt(c, copy, c->meta->code_size, &own, NULL) == WEFT_OK)
        return true;
    weft_free(copy);
    return false;
}

bool weft_code_from_cache(struct weft_kernel_code *c, const struct weft_code_order *o)
{
    uint8_t *elf;
    size_t size;
    if (!weft_cache_enabled() ||
        weft_cache_load(WEFT_CACHE_KERNEL, weft_code_key(c, o), &elf, &size) != WEFT_OK)
        return false;
    if (adopt(c, elf, size, o, NULL) == WEFT_OK) {
        trace_step(WEFT_TRACE_CACHE_HIT, 0, "code from the cache", c, o, WEFT_OK);
        return true;
    }
    weft_free(elf);
    return false;
}

// The log for a failure that isn't the kernel's fault: what happened, and how to reproduce it. Frees `what`.
// The caller frees the result.
static char *explain(struct weft_kernel_code *c, char *what)
{
    char *again = weft_reproducer_sentence(c->build->object.bitcode, c->build->object.bitcode_size,
                                           c->meta->name, c->build->options);
    char *log = weft_format("%s %s", what ? weft_code_cut_line_end(what) : "The compiler failed.",
                            again ? again : "");
    weft_free(again);
    weft_free(what);
    return log;
}

static bool is_lack_of_resources(weft_status status)
{
    return status == WEFT_NO_MEMORY || status == WEFT_NO_RESOURCES;
}

// Asks a compiler and, if that one dies, another one. What killed the first may be over, for instance a lack
// of memory in the machine.
static weft_status ask_with_retry(struct weft_kernel_code *c, const struct weft_buf *request,
                                  enum weft_compile_priority priority, uint8_t **payload, size_t *size,
                                  char **why)
{
    weft_status status =
        weft_compiler_ask(WEFT_MSG_KERNEL, request, WEFT_MSG_KERNEL_CODE, priority, payload, size, why);
    if (status != WEFT_CRASHED || weft_compile_queue_is_ending())
        return status;
    weft_log(WEFT_LOG_WARN, "the compiler died at kernel %s; another one tries once more: %s", c->meta->name,
             *why ? *why : "");
    weft_free(*why);
    status = weft_compiler_ask(WEFT_MSG_KERNEL, request, WEFT_MSG_KERNEL_CODE, priority, payload, size, why);
    if (status == WEFT_CRASHED) {
        char *both =
            weft_format("%s That was the second attempt.", *why ? *why : "The compiler ended unexpectedly.");
        weft_free(*why);
        *why = both;
    }
    return status;
}

// The request for a kernel's code. It points into c.
static struct weft_kernel_request request_for(const struct weft_kernel_code *c,
                                              const struct weft_code_order *o)
{
    struct weft_kernel_request q = {.kernel = c->meta->name,
                                    .options = c->build->options,
                                    .vector_width = (uint32_t)weft_config_uint(WEFT_CFG_VF),
                                    .level = o->level,
                                    .variant = o->variant,
                                    .bitcode = c->build->object.bitcode,
                                    .bitcode_size = c->build->object.bitcode_size};
    if (o->group)
        memcpy(q.group, o->group, sizeof q.group);
    return q;
}

static weft_status compile(struct weft_kernel_code *c, const struct weft_code_order *o,
                           enum weft_compile_priority priority, struct weft_code_failure *f,
                           struct weft_cache_claim *claim)
{
    struct weft_buf request = {0};
    struct weft_kernel_request q = request_for(c, o);
    // Code with lanes in place of quick code gains much, and so do lanes along the dimension that has the
    // work-items. Full code and the variants that autotuning measures seldom do.
    q.background = priority == WEFT_COMPILE_BETTER ||
                   (priority == WEFT_COMPILE_SOON && o->into && o->variant == WEFT_VARIANT_NARROW);
    weft_kernel_request_put(&request, &q);
    uint8_t *payload;
    size_t size;
    char *why;
    uint64_t since = weft_time_now();
    weft_status status = ask_with_retry(c, &request, priority, &payload, &size, &why);
    trace_step(WEFT_TRACE_BUILD, since, "compile", c, o, status);
    weft_buf_free(&request);
    // relaxed: a hint. The time includes the wait for a compiler.
    if (o->level == WEFT_LEVEL_FULL)
        atomic_store_explicit(&c->better_ms, (uint32_t)((weft_time_now() - since) / 1000000),
                              memory_order_relaxed);
    f->transient = is_lack_of_resources(status);
    if (status != WEFT_OK && weft_compile_queue_is_ending()) {
        f->log = why; // the compiler is being stopped: nothing is wrong with the kernel
        return WEFT_NO_RESOURCES;
    }
    if (status != WEFT_OK) {
        bool wanted = weft_reproducer_wanted(status) && status != WEFT_NO_MEMORY; // this process lacks memory
        f->log = wanted ? explain(c, why) : why;
        return status;
    }
    struct weft_kernel_reply reply = {0};
    status = weft_kernel_reply_get(&reply, payload, size);
    weft_free(payload);
    if (status == WEFT_OK && !o->into)
        weft_ladder_note_compile(c, o->level, reply.cpu_us);
    f->transient = is_lack_of_resources(status);
    if (status == WEFT_OK)
        status = (weft_status)reply.status; // weftc's own lack of memory arrives here
    if (status != WEFT_OK) {
        f->log = weft_reproducer_wanted(status) ? explain(c, reply.log) : reply.log;
        reply.log = NULL;
    } else {
        struct weft_buf copy = {0};
        if (weft_cache_enabled())
            weft_buf_append(&copy, reply.code, reply.code_size);
        status = adopt(c, reply.code, reply.code_size, o, &f->log);
        f->transient = is_lack_of_resources(status);
        if (status == WEFT_OK) {
            reply.code = NULL;
            if (copy.size)
                weft_cache_store(WEFT_CACHE_KERNEL, weft_code_key(c, o), &copy, claim);
        }
        weft_buf_free(&copy);
    }
    weft_kernel_reply_fini(&reply);
    // WEFT_IO: the code couldn't be stored. The program isn't to blame.
    return status == WEFT_IO ? WEFT_NO_RESOURCES : status;
}

weft_status weft_code_compile(struct weft_kernel_code *c, const struct weft_code_order *o,
                              enum weft_compile_priority priority, struct weft_code_failure *f)
{
    struct weft_cache_claim claim = {.kind = WEFT_CACHE_KERNEL};
    if (weft_cache_enabled() && weft_cache_await(WEFT_CACHE_KERNEL, weft_code_key(c, o), &claim) &&
        weft_code_from_cache(c, o))
        return WEFT_OK;
    const weft_status status = compile(c, o, priority, f, &claim);
    weft_cache_unclaim(&claim);
    return status;
}

// A program that was built elsewhere may not have checked the processor yet.
static void check_processor(void)
{
    char *target = weft_config_str(WEFT_CFG_CPU) ? weft_compiler_target() : NULL;
    weft_compiler_check_processor(target);
    weft_free(target);
}

// The work-items of the largest launch that has been enqueued; 0: none has.
static uint64_t largest_launch(const struct weft_kernel_code *c)
{
    return atomic_load_explicit(&c->largest_launch, memory_order_relaxed); // a hint, which pairs with nothing
}

// Makes code with lanes before anything runs. Returns false if it can't be made: then the kernel has, or
// gets, quick code.
static bool make_lanes(struct weft_kernel_code *c)
{
    struct weft_code_order lanes = weft_code_order_lanes(c);
    struct weft_code_failure f = {0};
    if (weft_code_from_cache(c, &lanes))
        return true;
    const weft_status status = weft_code_compile(c, &lanes, weft_code_asked_priority(c), &f);
    if (status != WEFT_OK && !f.transient)
        atomic_store(&c->no_lanes, true);
    weft_free(f.log);
    return status == WEFT_OK;
}

weft_status weft_code_make(struct weft_kernel_code *c, struct weft_code_failure *f)
{
    if (WEFT_UNLIKELY(weft_profile_is_on()))
        weft_counting_make(c, weft_variant_dimension(weft_code_order_own(WEFT_LEVEL_FULL).variant));
    check_processor();
    struct weft_code_order full = weft_code_order_own(WEFT_LEVEL_FULL),
                           first = weft_code_order_own(c->build->first_level);
    if (adopt_from_binary(c) || weft_code_from_cache(c, &full))
        return WEFT_OK;
    weft_status status = WEFT_OK;
    // An earlier process may have left code with lanes.
    struct weft_code_order lanes = weft_code_order_lanes(c);
    bool made = (c->build->better_later && weft_code_from_cache(c, &lanes)) ||
                (first.level != WEFT_LEVEL_FULL && weft_code_from_cache(c, &first));
    // Kernels are often launched a moment after they were created, while the cache was looked at.
    if (!made && c->build->better_later && weft_ladder_skips_quick(c, largest_launch(c)))
        made = make_lanes(c);
    if (!made)
        status = weft_code_compile(c, &first, weft_code_asked_priority(c), f);
    if (status == WEFT_OK && c->build->better_later) {
        if (weft_ladder_waits_for_lanes(c, largest_launch(c)))
            make_lanes(c);
        atomic_store(&c->better, WEFT_BETTER_POSSIBLE);
    }
    return status;
}

// ---- Where a fault was ----

// Is it the variant's code? *level is set to the level of that.
static bool is_of_variant(const struct weft_kernel_variant *v, const struct weft_kernel_info *info,
                          enum weft_code_level *level)
{
    for (size_t k = 0; k < WEFT_COUNT_OF(v->of_level); k++)
        if (atomic_load_explicit(&v->of_level[k], memory_order_relaxed) == info) {
            *level = (enum weft_code_level)k;
            return true;
        }
    return false;
}

// The order that made this code of the kernel. weftc may have raised the level of own code.
static struct weft_code_order order_of(struct weft_kernel_code *c, const struct weft_kernel_info *info)
{
    struct weft_code_order o = weft_code_order_own(WEFT_LEVEL_FULL);
    for (size_t level = 0; level < WEFT_COUNT_OF(c->of_level); level++)
        if (atomic_load_explicit(&c->of_level[level], memory_order_relaxed) == info)
            o.level = (enum weft_code_level)level;
    struct weft_kernel_variant *found = NULL;
    for (size_t i = 0; i < WEFT_COUNT_OF(c->variants); i++)
        if (is_of_variant(&c->variants[i], info, &o.level))
            found = &c->variants[i];
    for (struct weft_size_variant *v = atomic_load(&c->size_variants); v; v = v->next)
        if (is_of_variant(&v->variant, info, &o.level))
            found = &v->variant;
    if (found) {
        o.variant = found->variant;
        o.group = found->group[0] ? found->group : NULL;
    }
    return o;
}

static weft_status ask_location(struct weft_kernel_code *c, const struct weft_code_order *o,
                                struct weft_locate_request *q, struct weft_location *location)
{
    struct weft_buf request = {0};
    q->kernel = request_for(c, o);
    weft_locate_request_put(&request, q);
    uint8_t *payload;
    size_t size;
    char *why;
    weft_status status = weft_compiler_ask(WEFT_MSG_LOCATE, &request, WEFT_MSG_LOCATION, WEFT_COMPILE_WANTED,
                                           &payload, &size, &why);
    weft_buf_free(&request);
    if (status != WEFT_OK) {
        weft_free(why);
        return status;
    }
    struct weft_locate_reply reply;
    status = weft_locate_reply_get(&reply, payload, size);
    weft_free(payload);
    if (status != WEFT_OK)
        return status;
    status = (weft_status)reply.status;
    *location = reply.location;
    reply.location.file = NULL;
    weft_locate_reply_fini(&reply);
    return status;
}

bool weft_code_locate(struct weft_kernel_code *c, const struct weft_kernel_info *info,
                      struct weft_fault_state *state, struct weft_location *location)
{
    *location = (struct weft_location){0};
    struct weft_locate_request *q = weft_zalloc(sizeof *q);
    if (!q || !weft_module_of_code(state->instruction, &state->base, q->code_hash)) {
        weft_free(q);
        return false;
    }
    q->state = *state;
    struct weft_code_order o = order_of(c, info);
    weft_status status = ask_location(c, &o, q, location);
    if (status == WEFT_STALE && o.level != WEFT_LEVEL_FULL) {
        o.level = WEFT_LEVEL_FULL;
        status = ask_location(c, &o, q, location);
    }
    weft_log(WEFT_LOG_DEBUG, "kernel %s: the place of the fault: %s", c->meta->name,
             weft_status_text(status));
    weft_free(q);
    return status == WEFT_OK;
}
