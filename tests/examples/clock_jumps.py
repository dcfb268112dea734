"""Examples that measure times don't mind that somebody sets the clock: a library before theirs sets the time of day back each time
that it is asked for. The times are still positive.

clock_jumps.py -- PROGRAM [ARGUMENT...] [-- PROGRAM...]
"""
import os
import re
import subprocess
import sys
import tempfile

LIBRARY = r"""
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long back;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    long status = syscall(SYS_clock_gettime, clock, t);
    if (clock == CLOCK_REALTIME)
        t->tv_sec -= 10 * __atomic_add_fetch(&back, 1, __ATOMIC_RELAXED);
    return (int)status;
}

int timespec_get(struct timespec *t, int base)
{
    return clock_gettime(CLOCK_REALTIME, t) ? 0 : base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
"""
programs = [[]]
for word in sys.argv[1:]:
    programs.append([]) if word == "--" else programs[-1].append(word)
programs, bad = programs[1:], []
assert programs
with tempfile.TemporaryDirectory(prefix="weft-clock-") as folder:
    library = os.path.join(folder, "libclock.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=LIBRARY, text=True, check=True)
    for command in programs:
        p = subprocess.run(command, cwd=folder, env=dict(os.environ, LD_PRELOAD=library), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=100)
        print(*command, f"status {p.returncode}", p.stdout, sep="\n", flush=True)
        if p.returncode == 77:  # a machine with one processor
            continue
        times = re.findall(r"(-?\d+\.\d+) (?:ms|GFlop/s|Mpixel/s)", p.stdout)
        if p.returncode != 0 or not times or min(map(float, times)) < 0:
            bad.append(command[0])
if bad:
    sys.exit(f"these measure with a clock that can be set: {bad}")
