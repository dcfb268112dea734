// cl_khr_external_semaphore with opaque descriptors: one semaphore in several contexts and processes, who
// owns a descriptor, which descriptors are errors, and what other processes may do to one.
#include "denied_call.h"
#include "semaphore_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const cl_properties exportable[] = {CL_SEMAPHORE_TYPE_KHR,
                                           CL_SEMAPHORE_TYPE_BINARY_KHR,
                                           CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                           CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                           CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                           0};

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static semaphore new_exportable(void)
{
    cl_int err = 1;
    semaphore s = f.clCreateSemaphoreWithPropertiesKHR(context, exportable, &err);
    OK(err);
    return s;
}

static int fd_of(semaphore s)
{
    int fd = -1;
    size_t size = 0;
    OK(f.clGetSemaphoreHandleForTypeKHR(s, the_device(), CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof fd, &fd,
                                        &size));
    CHECK_EQ(size, sizeof fd);
    CHECK(is_open(fd));
    return fd;
}

static semaphore import(cl_context c, int fd, cl_int want)
{
    const cl_properties p[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                               CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (cl_properties)fd, 0};
    cl_int err = 1;
    semaphore s = f.clCreateSemaphoreWithPropertiesKHR(c, p, &err);
    CHECK_EQ(err, want);
    CHECK_EQ(s != NULL, want == CL_SUCCESS);
    return s;
}

static void signal_it(cl_command_queue q, semaphore s)
{
    OK(f.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
    OK(clFlush(q));
}

static void wait_for(cl_command_queue q, semaphore s)
{
    OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
    OK(clFinish(q));
}

TEST(is_reported)
{
    char names[8192];
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_external_semaphore ") &&
          strstr(names, "cl_khr_external_semaphore_opaque_fd "));
    const cl_uint of_device[] = {CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                 CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR},
                  of_platform[] = {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                   CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
    for (int i = 0; i < 2; i++) {
        cl_uint type = 0;
        size_t size = 0;
        OK(clGetDeviceInfo(the_device(), of_device[i], sizeof type, &type, &size));
        CHECK(size == sizeof type && type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
        type = 0;
        OK(clGetPlatformInfo(the_platform(), of_platform[i], sizeof type, &type, &size));
        CHECK(size == sizeof type && type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    }
}

// Is it still the file that it was? Another thread may have opened a file of this number since it was closed.
static bool is_file(int fd, const struct stat *before)
{
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_dev == before->st_dev && now.st_ino == before->st_ino;
}

TEST(what_is_imported_is_the_same_semaphore)
{
    open_all();
    cl_context other = new_context();
    cl_command_queue q = new_queue(context, 0), p = new_queue(other, 0);
    semaphore s = new_exportable();
    const int fd = fd_of(s), again = fd_of(s);
    struct stat file;
    CHECK_NE(fd, again);
    CHECK(fstat(fd, &file) == 0 && is_file(again, &file));
    signal_it(q, s);
    OK(clFinish(q));
    semaphore here = import(context, fd, CL_SUCCESS), there = import(other, again, CL_SUCCESS);
    CHECK(!is_file(fd, &file) && !is_file(again, &file)); // they were the driver's
    CHECK(payload_of(here) == 1 && payload_of(there) == 1);
    wait_for(p, there);
    CHECK(payload_of(s) == 0 && payload_of(here) == 0);
    for (int i = 0; i < 200; i++) { // a wait that is parked
        cl_event waited;
        OK(f.clEnqueueWaitSemaphoresKHR(q, 1, i % 2 ? &s : &here, NULL, 0, NULL, &waited));
        OK(clFlush(q));
        CHECK_NE(status_of(waited), CL_COMPLETE);
        signal_it(p, there);
        OK(clWaitForEvents(1, &waited));
        OK(clReleaseEvent(waited));
        CHECK_EQ(payload_of(s), 0);
    }
    // Two of one are one, beside one of this process alone.
    semaphore own = new_semaphore(), three[] = {s, own, here};
    cl_event waited;
    OK(f.clEnqueueWaitSemaphoresKHR(q, 3, three, NULL, 0, NULL, &waited));
    OK(clFlush(q));
    signal_it(p, there);
    OK(clFinish(p));
    CHECK_NE(status_of(waited), CL_COMPLETE);
    CHECK_EQ(payload_of(s), 1);
    cl_command_queue signaler = new_queue(context, 0);
    signal_it(signaler, own);
    OK(clFinish(q));
    CHECK(payload_of(s) == 0 && payload_of(own) == 0);
    OK(clReleaseEvent(waited));
    // The exporter's end is nobody else's.
    OK(f.clReleaseSemaphoreKHR(s));
    signal_it(p, there);
    wait_for(q, here);
    OK(f.clReleaseSemaphoreKHR(own));
    OK(f.clReleaseSemaphoreKHR(here));
    OK(f.clReleaseSemaphoreKHR(there));
    OK(clReleaseCommandQueue(signaler));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(p));
    OK(clReleaseContext(other));
    OK(clReleaseContext(context));
}

static cl_int ask_semaphore(void *s, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return f.clGetSemaphoreInfoKHR(s, name, size, value, size_ret);
}

TEST(queries)
{
    static const struct query_row rows[] = {
#include "runtime/info/semaphore.def"
    };
    open_all();
    semaphore s = new_exportable(), plain = new_semaphore(), imported = import(context, fd_of(s), CL_SUCCESS);
    const semaphore all[] = {s, plain, imported};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        check_queries(ask_semaphore, all[i], rows, COUNT_OF(rows), CL_INVALID_SEMAPHORE_KHR);
        cl_uint type = 0;
        cl_bool can = 77;
        size_t size = 77;
        OK(f.clGetSemaphoreInfoKHR(all[i], CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof type, &type, &size));
        CHECK_EQ(size, i == 0 ? sizeof type : 0);
        CHECK_EQ(type, i == 0 ? CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR : 0);
        OK(f.clGetSemaphoreInfoKHR(all[i], CL_SEMAPHORE_EXPORTABLE_KHR, sizeof can, &can, NULL));
        CHECK_EQ(can, i == 0 ? CL_TRUE : CL_FALSE);
    }
    cl_properties reported[8];
    size_t size;
    OK(f.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof reported, reported, &size));
    CHECK_EQ(size, sizeof exportable);
    CHECK(memcmp(reported, exportable, size) == 0);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(f.clReleaseSemaphoreKHR(all[i]));
    OK(clReleaseContext(context));
}

TEST(errors_of_properties)
{
    open_all();
    semaphore s = new_exportable();
    const int handle = fd_of(s);
    const cl_properties kind = CL_SEMAPHORE_TYPE_KHR, binary_kind = CL_SEMAPHORE_TYPE_BINARY_KHR,
                        export = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                        type = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd = (cl_properties)handle;
    const struct {
        cl_properties p[10];
        cl_int error;
    } rows[] = {
        {{kind, binary_kind, export, type, type, 0, 0}, CL_INVALID_VALUE},
        {{kind, binary_kind, export, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0, 0}, CL_INVALID_PROPERTY},
        {{kind, binary_kind, export, type, 0, export, type, 0, 0}, CL_INVALID_PROPERTY},
        {{kind, binary_kind, type, fd, type, fd, 0}, CL_INVALID_PROPERTY},
        {{kind, binary_kind, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd, 0}, CL_INVALID_PROPERTY},
        {{kind, binary_kind, type, fd, export, type, 0, 0}, CL_INVALID_OPERATION},
        {{kind, binary_kind, type, fd, export, 0, 0}, CL_INVALID_OPERATION},
        {{type, fd, 0}, CL_INVALID_VALUE},
        {{export, type, 0, 0}, CL_INVALID_VALUE},
        {{kind, binary_kind, type, (cl_properties)-1, 0}, CL_INVALID_PROPERTY},
        {{kind, binary_kind, type, fd + ((cl_properties)1 << 32), 0}, CL_INVALID_PROPERTY},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cl_int err = 1;
        CHECK(f.clCreateSemaphoreWithPropertiesKHR(context, rows[i].p, &err) == NULL);
        if (err != rows[i].error)
            FAIL("row %zu gives %d, not %d", i, err, rows[i].error);
        CHECK(is_open(handle));
    }
    const cl_properties to_nothing[] = {kind, binary_kind, export, 0, 0};
    cl_int err = 1;
    semaphore none = f.clCreateSemaphoreWithPropertiesKHR(context, to_nothing, &err), imported;
    OK(err);
    imported = import(context, handle, CL_SUCCESS);
    // The handle's own errors.
    cl_device_id d = the_device();
    int got = -7;
    size_t size = 0;
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, NULL, (cl_uint)type, sizeof got, &got, NULL),
             CL_INVALID_DEVICE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, d, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, sizeof got, &got, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, d, (cl_uint)type, sizeof got - 1, &got, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(none, d, (cl_uint)type, sizeof got, &got, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(imported, d, (cl_uint)type, sizeof got, &got, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(got, -7);
    OK(f.clGetSemaphoreHandleForTypeKHR(s, d, (cl_uint)type, 0, NULL, &size));
    CHECK_EQ(size, sizeof(int));
    OK(f.clGetSemaphoreHandleForTypeKHR(s, d, (cl_uint)type, 0, NULL, NULL));
    OK(f.clReleaseSemaphoreKHR(imported));
    OK(f.clReleaseSemaphoreKHR(none));
    OK(f.clReleaseSemaphoreKHR(s));
    OK(clReleaseContext(context));
}

static int memory_file(size_t bytes, const void *content, int seals)
{
    int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CHECK(fd >= 0);
    CHECK_EQ(ftruncate(fd, (off_t)bytes), 0);
    CHECK(pwrite(fd, content, bytes < 4096 ? bytes : 4096, 0) >= 0);
    CHECK_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

// Whoever gives an application a descriptor for a semaphore may give it anything.
TEST(descriptors_that_are_no_semaphores)
{
    enum { FIXED = F_SEAL_SHRINK | F_SEAL_GROW };
    static char page[4096];
    open_all();
    semaphore s = new_exportable();
    const int real = fd_of(s);
    CHECK_EQ(pread(real, page, sizeof page, 0), sizeof page);
    char path[64], torn[4096];
    memcpy(torn, page, sizeof torn);
    torn[3] ^= 1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", real);
    int pipes[2];
    CHECK_EQ(pipe(pipes), 0);
    const int rows[] = {
        memory_file(4096, page, 0),                    // may be cut short, and whoever touches it then dies
        memory_file(4096, page, F_SEAL_GROW),          // the same
        memory_file(8192, page, FIXED),                // of another size
        memory_file(100, page, FIXED),                 //
        memory_file(0, page, FIXED),                   //
        memory_file(4096, torn, FIXED),                // something else
        memory_file(4096, page, FIXED | F_SEAL_WRITE), // can't be signaled
        open(path, O_RDONLY | O_CLOEXEC),              // the same
        pipes[0],
        pipes[1],
        open("/dev/zero", O_RDWR | O_CLOEXEC),
        open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const cl_properties p[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                   CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, (cl_properties)rows[i], 0};
        cl_int err = 1;
        CHECK(rows[i] >= 0);
        if (f.clCreateSemaphoreWithPropertiesKHR(context, p, &err) || err != CL_INVALID_PROPERTY)
            FAIL("row %zu gives %d", i, err);
        CHECK(is_open(rows[i])); // it is still the application's
    }
    import(context, 1000000, CL_INVALID_PROPERTY);
    import(context, INT32_MAX, CL_INVALID_PROPERTY);
    OK(f.clReleaseSemaphoreKHR(s));
    OK(clReleaseContext(context));
}

TEST(what_others_do_to_a_semaphore)
{
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore s = new_exportable();
    const int fd = fd_of(s);
    // It can't be cut short, nor sealed against signals.
    CHECK_NE(ftruncate(fd, 0), 0);
    CHECK_NE(ftruncate(fd, 1 << 20), 0);
    CHECK_NE(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
    unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(at != MAP_FAILED);
    memset(at, 0xff, 4096);
    CHECK_EQ(payload_of(s), 1);
    wait_for(q, s);
    CHECK_EQ(payload_of(s), 0);
    memset(at, 0xff, 4096);
    CHECK_EQ(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
    CHECK_EQ(payload_of(s), 0);
    signal_it(q, s);
    wait_for(q, s);
    OK(f.clReleaseSemaphoreKHR(s));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

TEST(an_application_that_closes_what_it_did_not_open)
{
    if (HARNESS_TSAN)
        SKIP("ThreadSanitizer doesn't know of threads with a table of descriptors of their own");
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore s = new_exportable(), imported = import(context, fd_of(s), CL_SUCCESS);
    const int probe = fd_of(s);
    for (int fd = 3; fd < probe; fd++)
        (void)close(fd);
    int got = -7, mine[64];
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, the_device(), CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof got,
                                              &got, NULL),
             CL_OUT_OF_RESOURCES);
    CHECK_EQ(got, -7);
    for (size_t i = 0; i < COUNT_OF(mine); i++) // among them Weft's number
        CHECK((mine[i] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0);
    signal_it(q, imported);
    wait_for(q, s);
    OK(f.clReleaseSemaphoreKHR(s));
    OK(f.clReleaseSemaphoreKHR(imported));
    for (size_t i = 0; i < COUNT_OF(mine); i++)
        CHECK(is_open(mine[i]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

// ---- Between processes. They are forked before OpenCL is there. ----

static void send_fd(int to, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {
        .head = {.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    struct iovec one = {&byte, 1};
    const struct msghdr m = {
        .msg_iov = &one, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    CHECK_EQ(sendmsg(to, &m, 0), 1);
    CHECK_EQ(close(fd), 0);
}

static int receive_fd(int from)
{
    char byte;
    int fd;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec one = {&byte, 1};
    struct msghdr m = {
        .msg_iov = &one, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    CHECK_EQ(recvmsg(from, &m, MSG_CMSG_CLOEXEC), 1);
    memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
    return fd;
}

struct peer {
    pid_t id;
    int line;
};

static struct peer start(void (*run)(int line, int which), int which)
{
    int line[2];
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line), 0);
    const pid_t id = fork();
    CHECK(id >= 0);
    if (id == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(line[0]);
        run(line[1], which);
        _exit(0);
    }
    close(line[1]);
    return (struct peer){id, line[0]};
}

static void ends_well(struct peer p)
{
    int status = -1;
    CHECK_EQ(waitpid(p.id, &status, 0), p.id);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

enum { ITERATIONS = 300 };

static void answer(int line, int which)
{
    (void)which;
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore question = import(context, receive_fd(line), CL_SUCCESS),
              reply = import(context, receive_fd(line), CL_SUCCESS);
    for (int i = 0; i < ITERATIONS; i++) {
        OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &question, NULL, 0, NULL, NULL));
        signal_it(q, reply);
    }
    OK(clFinish(q));
}

static void ask(void)
{
    struct peer p = start(answer, 0);
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore question = new_exportable(), reply = new_exportable();
    send_fd(p.line, fd_of(question));
    send_fd(p.line, fd_of(reply));
    for (int i = 0; i < ITERATIONS; i++) {
        signal_it(q, question);
        wait_for(q, reply);
    }
    ends_well(p);
    CHECK(payload_of(question) == 0 && payload_of(reply) == 0);
    OK(f.clReleaseSemaphoreKHR(question));
    OK(f.clReleaseSemaphoreKHR(reply));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

TEST(processes_wait_for_each_other)
{
    ask();
}

// Linux before 5.16, and sandboxes that don't know the call.
TEST(where_the_kernel_waits_for_one_word_only)
{
    DENY_CALL(SYS_futex_waitv, ENOSYS);
    ask();
}

// Each wants two, one in this order and one in that.
static void want_both(int line, int which)
{
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore s[3];
    for (int i = 0; i < 3; i++)
        s[i] = import(context, receive_fd(line), CL_SUCCESS);
    const semaphore both[] = {s[which], s[1 - which]};
    for (int i = 0; i < ITERATIONS; i++) {
        OK(f.clEnqueueWaitSemaphoresKHR(q, 2, both, NULL, 0, NULL, NULL));
        signal_it(q, s[2]);
    }
    OK(clFinish(q));
}

TEST(of_those_who_want_several_one_gets_all)
{
    enum { PEERS = 2 };
    struct peer peers[PEERS];
    for (int i = 0; i < PEERS; i++)
        peers[i] = start(want_both, i);
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = new_exportable();
        for (int k = 0; k < PEERS; k++)
            send_fd(peers[k].line, fd_of(s[i]));
    }
    for (int i = 0; i < PEERS * ITERATIONS; i++) {
        OK(f.clEnqueueSignalSemaphoresKHR(q, 2, s, NULL, 0, NULL, NULL));
        wait_for(q, s[2]);
        CHECK(payload_of(s[0]) == 0 && payload_of(s[1]) == 0);
    }
    for (int i = 0; i < PEERS; i++)
        ends_well(peers[i]);
    for (int i = 0; i < 3; i++)
        OK(f.clReleaseSemaphoreKHR(s[i]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

static void hang(int line, int which)
{
    (void)which;
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore s = import(context, receive_fd(line), CL_SUCCESS),
              never = import(context, receive_fd(line), CL_SUCCESS);
    signal_it(q, s);
    wait_for(q, never);
}

// It leaves nothing taken: whoever is left can use the semaphore.
TEST(a_process_that_dies)
{
    struct peer p = start(hang, 0);
    open_all();
    cl_command_queue q = new_queue(context, 0), signaler = new_queue(context, 0);
    semaphore s = new_exportable(), never = new_exportable();
    send_fd(p.line, fd_of(s));
    send_fd(p.line, fd_of(never));
    wait_for(q, s);
    cl_event waited;
    OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, &waited));
    OK(clFlush(q));
    CHECK_EQ(kill(p.id, SIGKILL), 0);
    int status;
    CHECK_EQ(waitpid(p.id, &status, 0), p.id);
    CHECK_NE(status_of(waited), CL_COMPLETE);
    signal_it(signaler, s);
    OK(clFinish(q));
    OK(clReleaseEvent(waited));
    OK(f.clReleaseSemaphoreKHR(s));
    OK(f.clReleaseSemaphoreKHR(never));
    OK(clReleaseCommandQueue(signaler));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

// More than one call of the kernel can wait for (128).
enum { CROWD = 300 };

static void signal_crowd(int line, int which)
{
    (void)which;
    open_all();
    cl_command_queue q = new_queue(context, 0);
    for (int i = 0; i < CROWD; i++) {
        semaphore s = import(context, receive_fd(line), CL_SUCCESS);
        signal_it(q, s);
        OK(clFinish(q));
        OK(f.clReleaseSemaphoreKHR(s));
    }
}

TEST(hundreds_at_once)
{
    static semaphore s[CROWD];
    struct peer p = start(signal_crowd, 0);
    open_all();
    cl_command_queue q = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int i = 0; i < CROWD; i++) {
        s[i] = new_exportable();
        OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &s[i], NULL, 0, NULL, NULL));
    }
    OK(clFlush(q));
    for (int i = CROWD; i-- > 0;)
        send_fd(p.line, fd_of(s[i]));
    OK(clFinish(q));
    ends_well(p);
    for (int i = 0; i < CROWD; i++) {
        CHECK_EQ(payload_of(s[i]), 0);
        OK(f.clReleaseSemaphoreKHR(s[i]));
    }
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

// A wait that nobody ends holds up neither its process's end nor anybody else.
static void leave(int line, int which)
{
    (void)which;
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore never = import(context, receive_fd(line), CL_SUCCESS);
    OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &never, NULL, 0, NULL, NULL));
    OK(clFlush(q));
    usleep(20000);
    exit(0);
}

TEST(a_process_that_ends_while_it_waits)
{
    struct peer p = start(leave, 0);
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore never = new_exportable();
    send_fd(p.line, fd_of(never));
    ends_well(p);
    signal_it(q, never);
    wait_for(q, never);
    OK(f.clReleaseSemaphoreKHR(never));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

// The objects of a process that uses OpenCL are its forked child's, too, and such a semaphore is one in both.
TEST(a_forked_child_has_the_same_semaphore)
{
    open_all();
    cl_command_queue q = new_queue(context, 0);
    semaphore there = new_exportable(), back = new_exportable();
    signal_it(q, back); // the thread that waits is there when the process is forked
    wait_for(q, back);
    cl_event waited;
    OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &back, NULL, 0, NULL, &waited));
    OK(clFlush(q));
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        cl_command_queue mine = new_queue(context, 0);
        wait_for(mine, there);
        signal_it(mine, back);
        OK(clFinish(mine));
        _exit(0);
    }
    CHECK_NE(status_of(waited), CL_COMPLETE);
    cl_command_queue signaler = new_queue(context, 0);
    signal_it(signaler, there);
    OK(clFinish(q));
    OK(clReleaseEvent(waited));
    ends_well((struct peer){child, -1});
    CHECK(payload_of(there) == 0 && payload_of(back) == 0);
    OK(f.clReleaseSemaphoreKHR(there));
    OK(f.clReleaseSemaphoreKHR(back));
    OK(clReleaseCommandQueue(signaler));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}
