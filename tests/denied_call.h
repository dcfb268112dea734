// Seccomp filters that deny a system call, since an older kernel lacks it (ENOSYS) or a sandbox forbids it
// (EPERM), or new threads.
#ifndef WEFT_TESTS_DENIED_CALL_H
#define WEFT_TESTS_DENIED_CALL_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

// Adds the filter to all threads of the process, and to its children. Filters can't be removed. Returns
// false, with errno set, where there are no such filters.
static bool add_filter(struct sock_fprog program)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

// From now on the call fails with this error. Returns false as add_filter does.
HARNESS_UNUSED static bool deny_call(int number, int error)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return add_filter((struct sock_fprog){sizeof rules / sizeof rules[0], rules});
}

// From now on no thread can be started, as at a limit of a container; processes can. A filter can't read the
// flags of clone3, so that fails as on an older kernel, and the C library calls clone. Returns false as
// add_filter does.
HARNESS_UNUSED static bool deny_threads(void)
{
    // The flags are clone's first argument; their low half is enough.
    const unsigned low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + low),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return deny_call(SYS_clone3, ENOSYS) &&
           add_filter((struct sock_fprog){sizeof rules / sizeof rules[0], rules});
}

#define DENY_CALL(number, error)                                                \
    do {                                                                        \
        if (!deny_call(number, error))                                          \
            SKIP("no filter of system calls is allowed here: errno %d", errno); \
    } while (0)

#endif
