// Programs: source, intermediate language or binaries, and the outcome of the last order to build on each
// device.
// This folder turns programs into builds and kernels. Its input: checked orders (build_program.h), and
// arguments of kernels (kernel.h). Its output: outcomes of orders with their builds (code/build_result.h),
// and kernels with their arguments packed. The folder must not know how a launch is made or run, nor how
// machine code is made. It calls code/, compiler/, device/ and core/, and retains the memory objects and
// samplers that are arguments.
#ifndef WEFT_RUNTIME_PROGRAM_H
#define WEFT_RUNTIME_PROGRAM_H

#include <pthread.h>

#include "runtime/device/context.h"
#include "runtime/code/build_result.h"
#include "runtime/code/release_callback.h"
#include "weft/spirv.h"

// The outcome of an order (a build, compile or link) for those devices of the program that have the same
// inputs. Under the program's lock, except for refs.
struct weft_outcome {
    _Atomic uint32_t refs; // one for each device that has this outcome
    cl_build_status status;
    struct weft_build *build; // a reference. NULL: the build is under way or has failed
    char *options;            // as the application gave them. NULL: none
    char *log;                // NULL: empty
    char *reported_log;       // the whole log whose size was last reported. NULL: no size was reported
};

// The state of the program for one of its devices.
struct weft_program_place {
    // of the last order; a reference. NULL: there was none. Under the program's lock
    struct weft_outcome *outcome;
    struct weft_build *loaded; // what clCreateProgramWithBinary got; a reference
};

struct weft_program {
    struct weft_object obj;
    struct weft_context *context; // a reference
    cl_uint device_count;
    struct weft_device **devices;      // a reference to each
    struct weft_program_place *places; // one for each device
    char *source;                      // NULL: the program wasn't created from source
    size_t source_size;
    void *il; // what clCreateProgramWithIL got. NULL: the program wasn't created from IL
    size_t il_size;
    pthread_mutex_t lock;                    // guards the following members, and the outcomes
    struct weft_spirv spirv;                 // the IL with the specialization constants that are set
    struct weft_program_callback *callbacks; // clSetProgramReleaseCallback
    struct weft_destructor_callback destructor;
    // number of attached kernels. If there are any, clBuildProgram returns CL_INVALID_OPERATION
    _Atomic uint32_t kernel_handles;
};

// Creates a program without source or binary. NULL: no memory.
struct weft_program *weft_program_create(struct weft_context *c, cl_uint device_count,
                                         struct weft_device *const *devices);
// Removes repeated devices from the list. What was loaded for the first of equal devices counts. To be called
// before the program has other users.
void weft_program_unite_devices(struct weft_program *p);
// The index of a device in the program's list; device_count if it isn't one of the program's devices.
cl_uint weft_program_place_of(const struct weft_program *p, const struct weft_device *d);
// Sets the intermediate language, which is copied. CL_INVALID_VALUE: it isn't well-formed.
cl_int weft_program_set_il(struct weft_program *p, const void *il, size_t size);
// clSetProgramSpecializationConstant, for a program of intermediate language. CL_INVALID_SPEC_ID,
// CL_INVALID_VALUE.
cl_int weft_program_specialize(struct weft_program *p, cl_uint id, size_t size, const void *value);
cl_int weft_program_add_release_callback(struct weft_program *p, weft_program_notify notify, void *user);
// The outcome of the last build for the nth device. If there was none, that of its parent device, whose
// executable it then uses. NULL: there was none. An order whose options were rejected doesn't count, though
// its log is kept. Under the lock.
struct weft_outcome *weft_program_outcome_locked(const struct weft_program *p, cl_uint nth);
// The current build for any device: a sub-device without one uses its parent's. The caller owns the
// reference. NULL: there is none. Takes the lock.
struct weft_build *weft_program_current(struct weft_program *p, const struct weft_device *d);
// The current builds, one for each device. If `executable` is set: the executables that kernels are created
// from, for each device its own or its parent's. Each element is NULL or a reference. The caller frees the
// array with weft_program_builds_free. Returns NULL if there is no memory.
struct weft_build **weft_program_builds(struct weft_program *p, bool executable);
void weft_program_builds_free(const struct weft_program *p, struct weft_build **builds); // builds may be NULL
bool weft_program_has_any(const struct weft_program *p, struct weft_build *const *builds);
// Sets whether any of the program's executables has kernels that initialize or finalize variables.
void weft_program_ask_variables(struct weft_program *p, bool *initializes, bool *finalizes);
// Creates an outcome with one reference. options are copied. NULL: no memory.
struct weft_outcome *weft_outcome_create(cl_build_status status, const char *options);
// Gives back a reference. o may be NULL. here: the last one may end the build with weft_build_disuse_here.
void weft_outcome_unref(struct weft_outcome *o, bool here);

// Functions of the object's kind, for kinds.c.
void weft_program_destroy(struct weft_object *o);
struct weft_destructor_callback *weft_program_destructor_callback(struct weft_object *o);
void weft_program_after_fork(struct weft_object *o);

#endif
