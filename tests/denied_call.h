// A seccomp filter that denies a system call: what an older kernel lacks (ENOSYS), or a sandbox forbids
// (EPERM).
#ifndef WEFT_TESTS_DENIED_CALL_H
#define WEFT_TESTS_DENIED_CALL_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness.h"

// From now on the call fails with this error in all threads of the process and in its children. Filters add
// up, and can't be removed. Returns false, with errno set, where there are no such filters.
HARNESS_UNUSED static bool deny_call(int number, int error)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#define DENY_CALL(number, error)                                                \
    do {                                                                        \
        if (!deny_call(number, error))                                          \
            SKIP("no filter of system calls is allowed here: errno %d", errno); \
    } while (0)

#endif
