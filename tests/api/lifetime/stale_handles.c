// One thread releases the last reference of a handle while another retains it, without a reference of its
// own. The retain gives a reference or an error, and nothing is destroyed twice. A handle whose place another
// object is being made in is invalid until that object is complete.
// labels: stress
// env: WEFT_CACHE=0
#include "api/program_fixture.h"

enum { THREADS = 4 };

static atomic_bool stop;
static atomic_int retained, refused;

static void run_for_a_while(void *(*release)(void *), void *(*use)(void *))
{
    pthread_t threads[2 * THREADS];
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, i < THREADS ? release : use, NULL), 0);
    sleep_ms(1500);
    atomic_store(&stop, true);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

// ---- Retaining ----

static cl_context _Atomic shown[THREADS];
static atomic_int at;

static void *make_and_release(void *arg)
{
    const cl_device_id d = the_device();
    const int mine = atomic_fetch_add(&at, 1);
    while (!atomic_load(&stop)) {
        cl_int err = 1;
        cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &err);
        OK(err);
        atomic_store(&shown[mine], c);
        OK(clReleaseContext(c));
    }
    return arg;
}

static void *retain_and_release(void *arg)
{
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        cl_context c = atomic_load(&shown[i % THREADS]);
        if (!c)
            continue;
        const cl_int err = clRetainContext(c);
        if (err)
            CHECK_EQ(err, CL_INVALID_CONTEXT);
        else
            OK(clReleaseContext(c));
        atomic_fetch_add(err ? &refused : &retained, 1);
    }
    return arg;
}

TEST(an_object_retained_while_it_is_released_is_destroyed_once)
{
    run_for_a_while(make_and_release, retain_and_release);
    CHECK_GE(atomic_load(&refused), 1);
    // The pool is whole: no two contexts are one.
    cl_context many[256];
    for (size_t i = 0; i < COUNT_OF(many); i++) {
        many[i] = new_context();
        for (size_t n = 0; n < i; n++)
            CHECK(many[n] != many[i]);
    }
    for (size_t i = 0; i < COUNT_OF(many); i++)
        OK(clReleaseContext(many[i]));
}

// ---- What is being made ----

enum { BYTES = 128 << 20 };

static cl_context context;
static cl_mem _Atomic stale;

// Nobody gets a handle of what this makes: its contents aren't all there, which is found after a while.
static void *make_in_vain(void *host)
{
    cl_mem m = new_buffer(context, 64);
    OK(clReleaseMemObject(m));
    atomic_store(&stale, m);
    for (int i = 0; i < 3; i++) {
        cl_int err = 1;
        CHECK(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, host, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_HOST_PTR);
    }
    atomic_store(&stop, true);
    return NULL;
}

TEST(what_is_being_made_is_no_object_yet)
{
    context = new_context();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *host = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(host != MAP_FAILED);
    CHECK_EQ(mprotect(host + BYTES - page, page, PROT_NONE), 0);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, make_in_vain, host), 0);
    while (!atomic_load(&stop)) {
        cl_mem m = atomic_load(&stale);
        size_t size;
        if (m)
            CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL), CL_INVALID_MEM_OBJECT);
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(munmap(host, BYTES), 0);
    OK(clReleaseContext(context));
}
