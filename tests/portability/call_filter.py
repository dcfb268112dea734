"""Older Linux, as far as its system calls go: a filter under which calls don't exist. For a process and all that it runs."""
import ctypes
import errno
import platform
import struct
import subprocess

NO_NEW_PRIVS, SECCOMP, MODE_FILTER = 38, 22, 2
LOAD_NUMBER, IS_AT_LEAST, IS_EQUAL, RETURN, FAIL, ALLOW = 0x20, 0x35, 0x15, 0x06, 0x00050000, 0x7fff0000
# Since Linux 5.1, new calls have the same numbers for all processors, from here on. Linux 4.18 has none.
FIRST_OF_5_1 = 424
CLOSE_RANGE = 436


def install(test, number):
    rules = b"".join(struct.pack("HBBI", *rule) for rule in
                     ((LOAD_NUMBER, 0, 0, 0), (test, 0, 1, number), (RETURN, 0, 0, FAIL | errno.ENOSYS), (RETURN, 0, 0, ALLOW)))
    kept = ctypes.create_string_buffer(rules, len(rules))
    program = struct.pack("HxxxxxxP", len(rules) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SECCOMP, MODE_FILTER, program):
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def without_close_range():
    """Linux before 5.9. For preexec_fn, as the next one; raises where filters aren't allowed."""
    install(IS_EQUAL, CLOSE_RANGE)


def as_linux_4_18():
    """Without the calls of Linux 5.1 and later."""
    install(IS_AT_LEAST, FIRST_OF_5_1)


def works(before):
    if platform.machine() not in ("x86_64", "aarch64"):
        return False
    try:
        return subprocess.run(["true"], preexec_fn=before).returncode == 0
    except subprocess.SubprocessError:
        return False
