// Programs and kernels.
//
// A build makes one immutable struct weft_build (reference-counted): metadata of all kernels and, one by one,
// their code. A program points to the current build of each of its devices, mostly the same; kernels keep the
// builds that they were created from.
#ifndef WEFT_RUNTIME_PROGRAM_H
#define WEFT_RUNTIME_PROGRAM_H

#include "runtime/compiler/compile_queue.h"
#include "runtime/memory/memory.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/spirv.h"

enum weft_code_state {
    WEFT_CODE_NONE,
    WEFT_CODE_QUEUED,
    WEFT_CODE_COMPILING,
    WEFT_CODE_READY,
    WEFT_CODE_FAILED
};

// Where quickly made code is replaced by better code, once it is used enough.
enum weft_better_state {
    WEFT_BETTER_NONE, // no better code is to be had; or not yet known
    WEFT_BETTER_POSSIBLE, // the code is of the quick kind; after ASKED: there was no memory for better, or the like
    WEFT_BETTER_ASKED,
    WEFT_BETTER_DONE // info is the better code's, unless that couldn't be made
};

// Code in another form (kernel_abi.h) than the kernel's own: made when launches that gain by it run, and used by
// these alone. It takes over as better code does.
struct weft_kernel_form {
    struct weft_kernel_code *code;
    uint32_t form;                               // enum weft_form
    uint32_t group[3];                           // as weft_kernel_request has it
    const struct weft_kernel_info *_Atomic info; // NULL: there is none, yet or at all
    _Atomic bool asked, done;                    // done: the attempt to make it is over
    void *module;                                // dlopen handle
    struct weft_compile_job job;
};

// Code for launches whose work-groups are all of one size (ADR 22).
struct weft_kernel_sized {
    struct weft_kernel_sized *next; // constant once it is in the list
    struct weft_kernel_form form;
};

// The code of one kernel of a build; lives as long as the build.
struct weft_kernel_code {
    const struct weft_kernel_meta *meta;
    struct weft_build *build;
    _Atomic uint32_t state; // enum weft_code_state; READY is final, and FAILED unless `again`
    struct weft_park ready;
    // When READY: of the best code that there is, which may change once, under launches that run. All but
    // `run`, vector_width and stack_bytes is the same in both.
    const struct weft_kernel_info *_Atomic info;
    const struct weft_kernel_info *first; // when READY: of the code that it became READY with
    void *modules[2];                     // dlopen handles: of the first code, of the better one
    uint8_t *elf;                         // the best code's bytes, for CL_PROGRAM_BINARIES; NULL: quick code
    size_t elf_size;
    _Atomic weft_status error;        // of the last attempt, when it is over
    char *_Atomic log;                // when FAILED for ever, without a line's end; written once
    bool again;                       // FAILED for now: the next request tries again; under the build's lock
    enum weft_compile_priority asked; // the highest priority of a request; under the build's lock
    _Atomic uint64_t ahead_ns; // what making it took, when nobody waited for it nor has launched it since
    struct weft_compile_job job;
    struct weft_code_waiter *waiters; // commands that start when it is final; under the build's lock
    struct weft_code_waiter *told;    // those of an attempt that is over, until they are told; likewise
    bool passing;                     // what `again` will be: the job's
    _Atomic uint32_t cost;            // measured: ns for 1024 work-items; 0: not yet known
    _Atomic uint32_t better;          // enum weft_better_state
    _Atomic uint32_t launches;        // until better code is asked for
    _Atomic bool better_wanted;
    _Atomic uint64_t
        retry_at; // weft_time_now's: when there was no memory for better code or a form. 0: there was
    struct weft_compile_job better_job;
    struct weft_kernel_form forms[WEFT_FORM_EAGER + 1 - WEFT_FORM_ROWS];
    bool each_size;                          // WEFT_FORM=5: launches wait for code for their size of groups
    bool by_turns;                           // WEFT_FORM=6: ranges run in any code of a trial, for ever
    bool waits;                              // one of the two
    _Atomic uint32_t better_ms;              // what the best code took to make, about
    struct weft_kernel_sized *_Atomic sized; // grows at its front, under the build's lock
    // The size of groups with which the kernel runs most (size_key), and how long it has run with that and not with others, in
    // ns of one thread. Hints: threads may lose each other's.
    _Atomic uint64_t usual_size, usual_ns;
    _Atomic bool tries;                      // its code is doubtful, or by_turns; known when there is code
    struct weft_kernel_trial *_Atomic trial; // of code whose own is doubtful; NULL: it hasn't begun
    _Atomic uint64_t doubtful_ns;            // how long the kernel has run until it does, a hint likewise
};

struct weft_build {
    _Atomic uint32_t refs;
    pthread_mutex_t lock;              // states leaving NONE, waiters, binary, variables
    struct weft_program_object object; // metadata and bitcode
    char *options;                     // for code generation
    bool optimize_off, debug, relaxed,
        zero_private;            // what of them changes the code of a kernel whose IR is the same
    bool free_bits;              // the options let the optimiser choose the bits of results
    bool initializes, finalizes; // one of its kernels does
    bool quick_first;            // kernels get quickly made code at first,
    bool better_then;            // and better code when they are used
    uint32_t kernel_count;
    struct weft_kernel_code *code;    // one for each of object.kernels
    struct weft_variables *variables; // launch/program_variables.c
    // Where it finalizes: programs, kernels and launches, and when there are none, who is called after that.
    _Atomic uint32_t users;
    _Atomic bool closing; // it waits for the thread for callbacks
    struct weft_callback close;
    struct weft_program_callback *callbacks; // of the program that is gone
    uint8_t *binary;                         // CL_PROGRAM_BINARIES, made when first asked for
    size_t binary_size;
};

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
    struct weft_farewell farewell;
    _Atomic uint32_t kernel_handles; // attached kernels: CL_INVALID_OPERATION for clBuildProgram
};

struct weft_kernel_arg {
    bool set;
    bool pointer;            // an SVM pointer, which is in the block
    cl_mem_object_type type; // of mem
    struct weft_mem
        *mem; // not retained until enqueue, as the spec demands, and checked there; in a keeper a ref
    size_t local_size;
};

struct weft_kernel {
    struct weft_object obj;
    struct weft_program *program; // a ref
    struct weft_build *build;     // a ref
    struct weft_kernel_code *code;
    const struct weft_kernel_meta *meta;
    // The program's context when this code is for all of its devices, so that a launch needs to look no further; else NULL.
    const struct weft_context *everywhere;
    // Where the code isn't the same for all of the program's devices, what is launched on each: this kernel, a hidden one that takes over
    // this one's arguments (a ref, one for all devices of the same code), or NULL: there is no code for it. Else NULL.
    struct weft_kernel **on;
    uint32_t on_count;
    bool keeper;                   // a command buffer's own: it holds the memory objects
    pthread_mutex_t lock;          // arguments
    unsigned char *args;           // packed block, meta->args_size bytes; a local argument's slot is not used
    struct weft_kernel_arg *arg;   // meta->arg_count
    _Atomic uint32_t args_missing; // arguments not yet set; written under the lock
    uint32_t mem_args;             // arguments that are memory objects
    uint32_t local_args, queue_args;
    uint32_t args_align;      // largest alignment of an argument
    uint64_t local_arg_bytes; // of all local arguments, each rounded up to WEFT_LOCAL_ALIGN
    // The local size last chosen for an enqueue without one, and for what.
    uint32_t chosen_dim;
    size_t chosen_global[3], chosen_local[3];
};

// ---- program/build_result.c ----

// Takes *object over (and zeroes it); options may be NULL. NULL: no memory, and *object is freed.
struct weft_build *weft_build_create(struct weft_program_object *object, const char *options,
                                     const struct weft_context *context);
void weft_build_ref(struct weft_build *b);
void weft_build_unref(struct weft_build *b); // NULL is fine
// The same for its program, kernels and launches. The last of them to go has what finalizes its variables run: here, in a
// clRelease of the application's, else on the thread for callbacks.
void weft_build_use(struct weft_build *b);
void weft_build_disuse(struct weft_build *b);      // NULL is fine
void weft_build_disuse_here(struct weft_build *b); // the same, and here in any case
struct weft_kernel_code *weft_build_find(struct weft_build *b, const char *kernel); // NULL: none of that name
// The build's own log (NULL: none), and behind it a line for each kernel whose code couldn't be made, which is known after the build
// only: in *room, the caller's to free, if there is such a one. NULL: no memory. Any thread.
const char *weft_build_whole_log(const struct weft_build *b, const char *own, struct weft_buf *room);
// The bytes of CL_PROGRAM_BINARIES: metadata, bitcode, and the code of those kernels that anyone has asked
// for (waited for here), but for those whose code was put off because nobody launches so many. Made once; lives as long as the build. No lock held.
weft_status weft_build_binary(struct weft_build *b, const uint8_t **bytes, size_t *size);

// ---- launch/program_variables.c ----

// Where the program-scope variables of a build that has some are on this device: made when first asked for, for as long as
// the build lives. NULL: no memory. Any thread; no lock held.
void *weft_build_variables(struct weft_build *b, struct weft_device *d);
// Runs what initializes the variables on this device, unless that has been done, and waits for it. The caller uses the build
// (weft_build_use). An error: why it couldn't be run, the same at each call if it had begun; else it is tried again. Any thread that may
// wait; no lock of the build held.
cl_int weft_build_initialize(struct weft_build *b, struct weft_context *context, struct weft_device *d);
// Where that was done: runs what finalizes them, and waits for it; then they are as they were at first. What fails is told. As above.
void weft_build_finalize(struct weft_build *b);
bool weft_build_wants_finalizing(struct weft_build *b);
void weft_build_variables_free(struct weft_build *b); // when the build goes
// In a child of fork: who was initializing exists in the parent only. What it had begun is begun anew.
void weft_build_free_turns(struct weft_build *b);

// ---- program/kernel_code.c ----

// Of a new build, zeroed before.
void weft_kernel_code_init(struct weft_kernel_code *code, struct weft_build *build,
                           const struct weft_kernel_meta *meta);
// When the build goes.
void weft_kernel_code_fini(struct weft_kernel_code *code);
// Sees to it that the code is made, at least at this priority; at WEFT_COMPILE_LATER only if not too much has been made
// for nothing. Does not wait. No lock held.
void weft_kernel_code_request(struct weft_kernel_code *code, enum weft_compile_priority priority);
// Is it FAILED, and another request wouldn't help?
bool weft_kernel_code_has_failed(struct weft_kernel_code *code);
// Waits until the code is READY or FAILED. WEFT_OK with code->info set, or why not.
weft_status weft_kernel_code_wait(struct weft_kernel_code *code);
// The same, and until there is better code, or it can't be made, or not now.
weft_status weft_kernel_code_wait_best(struct weft_kernel_code *code);
// A launch is enqueued: one of many work-items, or one that isn't the first, makes better code worth its
// making.
void weft_kernel_code_note_launch(struct weft_kernel_code *code, uint64_t items);
// Has better code made, if the kernel has quick code, now or when it has it. Does not wait. No lock held.
void weft_kernel_code_improve(struct weft_kernel_code *code, enum weft_compile_priority priority);
static inline bool weft_kernel_code_can_improve(const struct weft_kernel_code *code)
{
    // relaxed: a hint; weft_kernel_code_improve decides.
    return atomic_load_explicit(&code->better, memory_order_relaxed) == WEFT_BETTER_POSSIBLE;
}
// Are its launches to be noted (weft_kernel_code_note_launch)? While they may lead to better code, and the first of code
// that was made before anybody asked for it.
static inline bool weft_kernel_code_notes_launches(const struct weft_kernel_code *code)
{
    // relaxed: hints, which pair with nothing; weft_kernel_code_note_launch decides.
    return code->waits || weft_kernel_code_can_improve(code) ||
           atomic_load_explicit(&code->ahead_ns, memory_order_relaxed) != 0;
}
static inline const struct weft_kernel_info *weft_kernel_code_info(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in program/kernel_code.c's adopt.
    return atomic_load_explicit(&code->info, memory_order_acquire);
}
// The code in this form, from WEFT_FORM_ROWS on. NULL: there is none yet, in which case it will be made once the
// kernel's own code is as good as it gets, or it isn't worth having. Does not wait. No lock held.
const struct weft_kernel_info *weft_kernel_code_in_form(struct weft_kernel_code *code, uint32_t form);
// The code for a launch with these groups, of a kernel whose own code is `own`. NULL: there is none, or not for such a launch.
const struct weft_kernel_info *weft_kernel_code_sized(struct weft_kernel_code *code,
                                                      const struct weft_kernel_info *own,
                                                      const struct weft_ndrange *nd);
// A launch with these groups, of code `own`, runs for so long on one thread: when that has become much, code for its size of
// groups is made.
// Does not wait. No lock held.
void weft_kernel_code_note_time(struct weft_kernel_code *code, const struct weft_kernel_info *own,
                                const struct weft_ndrange *nd, uint64_t ns);
// Where launches wait for such code (weft_kernel_code.each_size): makes it, unless it is there.
void weft_kernel_code_wait_sized(struct weft_kernel_code *code, const struct weft_ndrange *nd);
// An event in `context` (a user event, one ref, the caller's) that becomes complete when the code is READY or
// FAILED. NULL: no memory.
struct weft_command *weft_kernel_code_event(struct weft_kernel_code *code, struct weft_context *context);
static inline bool weft_kernel_code_is_final(const struct weft_kernel_code *code)
{
    // acquire: pairs with the release in program/kernel_code.c's finish; info, error and log are written before.
    return atomic_load_explicit(&code->state, memory_order_acquire) >= WEFT_CODE_READY;
}

// program/code_module.c.
// Maps an ELF object. WEFT_DAMAGED, WEFT_STALE (another ABI version), WEFT_NO_MEMORY; WEFT_IO, of which *why says more, if
// why isn't NULL (the caller's, perhaps NULL; NULL otherwise).
weft_status weft_module_load(const uint8_t *elf, size_t size, const char *name, void **module,
                             const struct weft_kernel_info **info, char **why);
void weft_module_unload(void *module); // NULL is fine; none of its code may be running

// ---- program/program.c ----

typedef void(CL_CALLBACK *weft_program_notify)(cl_program program, void *user);

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
// One of the builds that the callbacks waited for has been finalized: calls them all and frees the list, if it was the last. NULL is fine.
void weft_program_call_back(struct weft_program_callback *list);
cl_int weft_program_add_release_callback(struct weft_program *p, weft_program_notify notify, void *user);
// What came of the last build for the nth device; of its parent's if there was none, whose executable it takes then. NULL: there was
// none. An order whose options were refused is none, though its place has a log of it. Under the lock.
struct weft_outcome *weft_program_outcome_locked(const struct weft_program *p, cl_uint nth);
// The build that counts now for the nth device: the last one if it succeeded; what was loaded if there was none. NULL: there is none.
// Under the lock.
struct weft_build *weft_program_current_locked(const struct weft_program *p, cl_uint nth);
// The same for any device: a sub-device without one takes over its parent's. A ref, the caller's; NULL: there is none.
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

// ---- program/build_program.c ----

enum weft_build_kind { WEFT_DO_BUILD, WEFT_DO_COMPILE, WEFT_DO_LINK };

struct weft_build_order {
    enum weft_build_kind kind;
    struct weft_program *program;
    cl_uint device_count; // of the program's; 0: for all of them
    struct weft_device *const *devices;
    const char *options;  // NULL: none
    cl_uint header_count; // WEFT_DO_COMPILE
    struct weft_program *const *headers;
    const char *const *header_names;
    cl_uint input_count; // WEFT_DO_LINK
    struct weft_program *const *inputs;
    weft_program_notify notify; // NULL: wait
    void *user;
};
// CL_SUCCESS: done, or with notify under way. Otherwise the error of clBuildProgram, clCompileProgram or
// clLinkProgram. begun: false when the build could not begin; the program is then as it was, and notify isn't
// called.
cl_int weft_program_build(const struct weft_build_order *order, bool *begun);

// ---- program/kernel.c ----

// Of one of the executables (weft_program_builds, or the one of a program of one device). CL_OUT_OF_HOST_MEMORY; CL_INVALID_OPERATION: one of
// them has meanwhile been replaced, by a build that another thread has begun. Consumes nothing.
cl_int weft_kernel_create(struct weft_program *p, struct weft_build *const *builds,
                          struct weft_kernel_code *code, struct weft_kernel **k);
// The same by its name. CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_KERNEL_NAME, CL_INVALID_KERNEL_DEFINITION too.
cl_int weft_kernel_create_named(struct weft_program *p, struct weft_build *const *builds, const char *name,
                                struct weft_kernel **k);
// The kernels that may be created of so many executables, one after the other; at first all but these two is 0. NULL: that was the last.
struct weft_kernel_list {
    struct weft_build *const *builds;
    cl_uint count;
    cl_uint build; // which comes next
    uint32_t kernel;
};
struct weft_kernel_code *weft_kernel_list_next(struct weft_kernel_list *l);
// Has its code, and that for other devices, made ahead of need (weft_kernel_code_request).
void weft_kernel_prepare(struct weft_kernel *k);
struct weft_kernel *weft_kernel_clone(struct weft_kernel *k);
// What is to be launched on that device, or asked about it, with the arguments that k has now; lives as long as k. NULL: there is no code
// for it.
struct weft_kernel *weft_kernel_on(struct weft_kernel *k, const struct weft_device *d);
// The same, and it holds the memory objects that are its arguments; those that are gone count as not set.
struct weft_kernel *weft_kernel_clone_keeper(struct weft_kernel *k);
// CL_INVALID_KERNEL_ARGS, which names an argument that isn't set; there is one.
cl_int weft_kernel_lacks_arg(struct weft_kernel *k);
cl_int weft_kernel_lacks_arg_locked(const struct weft_kernel *k);
// clSetKernelArg after its checks.
cl_int weft_kernel_set_arg(struct weft_kernel *k, cl_uint index, size_t size, const void *value);
// clSetKernelArgSVMPointer after its checks.
void weft_kernel_set_pointer(struct weft_kernel *k, cl_uint index, const void *value);
// Bytes of local memory that a group needs: variables and local arguments as set.
cl_ulong weft_kernel_local_bytes(struct weft_kernel *k);

#endif
