// Launches of checked kernels (weft/checker.h): what their code asks the driver for, and what it reports.
#ifndef WEFT_RUNTIME_LAUNCH_CHECKS_H
#define WEFT_RUNTIME_LAUNCH_CHECKS_H

#include "runtime/checker/checker.h"
#include "runtime/launch/launch.h"

// ---- launch/check_calls.c ----
// Fill in the objects of the arguments of a checked kernel, when they are captured: from the kernel, or with
// local_sizes, bytes of each local argument; NULL: not known.
void weft_launch_capture_objects(struct weft_launch *l, const struct weft_kernel *k);
void weft_launch_find_objects(struct weft_launch *l, struct weft_context *context,
                              const uint64_t *local_sizes);
// The place of a site for a work-item with this global id. *object: the name of what is accessed; NULL: not
// wanted.
struct weft_finding_place weft_launch_place_of(const struct weft_check_site *s, const struct weft_ndrange *nd,
                                               const uint64_t id[3], const char **object);
// The global id of the work-item with this local linear id in the work-group with this linear number.
void weft_launch_item_ids(const struct weft_ndrange *nd, uint64_t group, uint64_t local, uint64_t id[3]);

// For API: the arguments are about to be captured. The kernel is locked.
void weft_launch_check_arguments(const struct weft_kernel *k);

// The name of the object that is accessed, as a noun with its article.
void weft_launch_describe_object(struct weft_buf *b, const struct weft_check_site *s, const char *name,
                                 const struct weft_kernel_meta *m);
// ---- launch/check_texels.c ----
// An access outside of an image, as a clause.
void weft_launch_describe_texel(struct weft_buf *b, const struct weft_launch *l,
                                const struct weft_check_site *s, const struct weft_check_event *e);

// ---- launch/check_places.c ----
// Have work-items of the group parted? All of them go on from one of the barriers then, some of them with
// values that they never computed. Nothing is said of what they do.
bool weft_launch_has_parted(const struct weft_running *r);

// ---- launch/check_shadow.c: UNINIT ----
// The objects' shadow and origins are found or made, and given back.
void weft_launch_find_shadow(struct weft_check_range *objects, struct weft_launch *l);
void weft_launch_drop_shadow(struct weft_launch *l);
// When a range begins: finds which arguments' memory is written (struct weft_check_range).
void weft_launch_find_written(const struct weft_launch *l);
// A range begins or ends; the group that runs next begins with local memory that isn't written.
void weft_launch_reset_local_shadow(struct weft_running *r);
void weft_launch_end_local_shadow(struct weft_running *r);
// Code that doesn't look what it writes has run.
void weft_launch_note_unchecked(const struct weft_launch *l);
// The requests WEFT_CALL_CHECK_LOCAL, _SHADOW, _MOVED.
uint64_t weft_launch_local_shadow(struct weft_running *r);
void weft_launch_shadow_at(const struct weft_launch *l, struct weft_running *r, uint64_t address,
                           uint64_t place[2]);
void weft_launch_moved(const struct weft_launch *l, const struct weft_running *r, uint64_t to,
                       const uint64_t from_and_size[2]);

// ---- launch/check_parts.c: API ----
// A launch is about to be submitted. When it is, it is reported if it uses parts of buffers as it mustn't.
// The result is freed with weft_free after that; it may be NULL.
struct weft_launch_parts;
struct weft_launch_parts *weft_launch_check_parts(struct weft_command *c);

// ---- launch/check_races.c: RACE ----
// A launch begins to look for races. False: no memory.
bool weft_launch_begin_races(struct weft_running *r);
// Before the first group, for RACE. bytes: of local memory. False: groups aren't all of the same size.
bool weft_launch_begin_groups(struct weft_running *r, size_t bytes);
// After a group that was prepared. True: none of those that follow needs that.
bool weft_launch_end_group(struct weft_running *r, bool quiet);
// The request WEFT_CALL_CHECK_LOCAL_TOUCH.
void weft_launch_note_local(struct weft_running *r, uint64_t address, uint64_t what);
void weft_launch_end_races(struct weft_running *r);
// ---- launch/check_order.c ----
// Of a launch whose arguments are captured: decides whether it is compared with others.
void weft_launch_compare(struct weft_command *c);
// Such a launch begins and ends. False: no memory; then it doesn't end.
bool weft_launch_begin_compared(struct weft_running *r);
void weft_launch_end_compared(struct weft_running *r);
// Another launch that a stamp is of. False: there is none. Valid until this launch ends.
struct weft_other_launch {
    const char *kernel;
    const struct weft_ndrange *nd;
    const void *sites;
    uint64_t group;
};
bool weft_launch_other_of(const struct weft_running *r, uint64_t stamp, struct weft_other_launch *out);
// ---- launch/check_races.c ----
// weft_kernel_host.touch and touch_store
void weft_host_touch(struct weft_exec *x, const void *sites, uint64_t address, uint64_t size, uint32_t what,
                     uint64_t item);
void weft_host_touch_store(struct weft_exec *x, const void *sites, uint64_t address, uint64_t value,
                           uint32_t what, uint64_t item);

// ---- launch/check_calls.c ----
// The requests WEFT_CALL_CHECK_* of weft_host_device_call.
uint64_t weft_host_check_call(struct weft_exec *x, uint32_t what, void *object, uint64_t number,
                              const void *pointer);

// ---- launch/check_unwritten.c: UNINIT ----
// Notes a store of a value that depends on memory that wasn't written. Returns its origin.
uint32_t weft_launch_note_store(const struct weft_launch *l, const struct weft_check_site *s,
                                const struct weft_check_event *e);
// Reports what depends on such memory.
void weft_launch_report_unwritten(const struct weft_launch *l, const struct weft_check_site *s,
                                  const struct weft_check_event *e);

#endif
