// Programs: source, intermediate language or binaries, and what the last order to build has come to on each device.
//
// The folder turns programs into kernels with code. In come checked orders (build_program.h), arguments of kernels (kernel.h), and what
// launches tell about how long code runs (kernel_variants.h). Out go builds (build_result.h), which never change, and the machine code
// that suits a launch best so far (kernel_code.h), made in the background by compilers that compiler/ asks. It must not know how a
// launch is made or run: what launches do with a build's variables, it does through weft_variables_ops. It calls compiler/, command/
// and core/, and retains the memory objects that are arguments.
#ifndef WEFT_RUNTIME_PROGRAM_H
#define WEFT_RUNTIME_PROGRAM_H

#include <pthread.h>

#include "runtime/core/context.h"
#include "runtime/program/build_result.h"
#include "runtime/program/release_callback.h"
#include "weft/spirv.h"

// What an order (a build, compile or link) has come to, for those of the program's devices that have the same inputs.
// Under the program's lock, but for refs.
struct weft_outcome {
    _Atomic uint32_t refs; // of the devices' places
    cl_build_status status;
    struct weft_build *build; // a ref; NULL: it isn't over, or failed
    char *options;            // as given; NULL: none
    char *log;                // NULL: empty
    char *told_log;           // the whole of it when its size was asked for last; NULL: it wasn't
};

// What a program has for one of its devices.
struct weft_program_place {
    struct weft_outcome *outcome; // of the last order, a ref; NULL: there was none. Under the program's lock
    struct weft_build *loaded;    // what clCreateProgramWithBinary was given; a ref
};

struct weft_program {
    struct weft_object obj;
    struct weft_context *context; // a ref
    cl_uint device_count;
    struct weft_device **devices;      // a ref each
    struct weft_program_place *places; // one for each of them
    char *source;                      // NULL: not created from source
    size_t source_size;
    void *il; // as clCreateProgramWithIL was given it; NULL: not created from IL
    size_t il_size;
    pthread_mutex_t lock;                    // what follows, and the outcomes
    struct weft_spirv spirv;                 // of il, with the specialization constants as set
    struct weft_program_callback *callbacks; // clSetProgramReleaseCallback
    struct weft_destructor_callback farewell;
    _Atomic uint32_t kernel_handles; // attached kernels: CL_INVALID_OPERATION for clBuildProgram
};

// Without source or binary yet. NULL: no memory.
struct weft_program *weft_program_create(struct weft_context *c, cl_uint device_count,
                                         struct weft_device *const *devices);
// Devices that are listed several times are the program's once, with what was loaded for the first. Before anybody else knows it.
void weft_program_unite_devices(struct weft_program *p);
// The place of a device in the program's lists; device_count: it is none of the program's.
cl_uint weft_program_place_of(const struct weft_program *p, const struct weft_device *d);
// Makes it a program of intermediate language, of which it keeps a copy. CL_INVALID_VALUE: that isn't well-formed.
cl_int weft_program_set_il(struct weft_program *p, const void *il, size_t size);
// clSetProgramSpecializationConstant, for a program of intermediate language.
cl_int weft_program_specialize(struct weft_program *p, cl_uint id, size_t size, const void *value);
cl_int weft_program_add_release_callback(struct weft_program *p, weft_program_notify notify, void *user);
// What came of the last build for the nth device; of its parent's if there was none, whose executable it takes then. NULL: there was
// none. An order whose options were refused is none, though its place has a log of it. Under the lock.
struct weft_outcome *weft_program_outcome_locked(const struct weft_program *p, cl_uint nth);
// The build that counts now for the nth device: the last one if it succeeded; what was loaded if there was none. NULL: there is none.
// Under the lock.
struct weft_build *weft_program_current_locked(const struct weft_program *p, cl_uint nth);
// The build that counts now for any device: a sub-device without one takes over its parent's. A ref, the caller's; NULL: there is none.
struct weft_build *weft_program_current(struct weft_program *p, const struct weft_device *d);
// The builds that count now, one for each device: of its own, or of its own or its parent's the executable with which kernels are made.
// NULL, or a ref of the caller's. NULL for all: no memory.
struct weft_build **weft_program_builds(struct weft_program *p, bool executable);
void weft_program_builds_free(const struct weft_program *p, struct weft_build **builds); // NULL is fine
bool weft_program_has_any(const struct weft_program *p, struct weft_build *const *builds);
// Whether any of its executables has kernels that initialize variables, or finalize them.
void weft_program_ask_variables(struct weft_program *p, bool *initializes, bool *finalizes);
// With one ref. NULL: no memory.
struct weft_outcome *weft_outcome_create(cl_build_status status, const char *options);
void weft_outcome_unref(struct weft_outcome *o, bool here); // here: weft_build_disuse_here. NULL is fine

// For kinds.c.
void weft_program_destroy(struct weft_object *o);
struct weft_destructor_callback *weft_program_farewell(struct weft_object *o);
void weft_program_after_fork(struct weft_object *o);

#endif
