#!/usr/bin/env python3
"""Sessions of debuggers with kernels that are built with -g -cl-opt-disable (docs/debugging.md). Skipped where the debugger
isn't installed, or where this system doesn't let one process trace another.

usage: sessions.py PROGRAM WEFT GDB-SCRIPT SESSION"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, weft, script, session = sys.argv[1:]
SKIPPED = 77
LIMIT_S = 100
OPTIONS = "-g -cl-opt-disable"
folder = tempfile.TemporaryDirectory()
cache = os.path.join(folder.name, "cache")
env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
env.update({"WEFT_CONF": "none", "WEFT_CACHE_DIR": cache, "LC_ALL": "C", "DEBUGINFOD_URLS": "", "HOME": folder.name})


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def debugger(name, *others):
    for each in (name, *others):
        if shutil.which(each):
            return each
    return skip(f"there is no {name}")


def run(command, **more):
    p = subprocess.run(command, env=env, cwd=folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=LIMIT_S, **more)
    for denied in ("ptrace: Operation not permitted", "Could not trace the inferior", "Couldn't get registers: Operation not permitted"):
        if denied in p.stdout:
            skip("this system lets no process trace another")
    return p.stdout


def gdb(commands, arguments, with_script=True):
    """What each command printed, with the command before it."""
    path = os.path.join(folder.name, "commands.gdb")
    first = ["set debuginfod enabled off"] if "debuginfod" in run(["gdb", "--batch", "-ex", "help set debuginfod"]) else []
    first += ["set width 0", "set height 0", "set confirm off", "set breakpoint pending on", "set print thread-events off"]
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(first + ([f"source {script}"] if with_script else []) + commands) + "\n")
    return run(["gdb", "-q", "-batch", "-nx", "-x", path, *arguments])


def holds(pattern, text):
    assert re.search(pattern, text, re.M), f"{pattern!r} isn't in:\n{text}"


def check_gdb():
    debugger("gdb")
    out = gdb(["break saxpy if gid0 == 1000", "tbreak scale if gid0 == 1000", "run", "info args", "print $gid", "print v", "print v[1]",
               "print x[i]", "echo lid0=\\n", "print lid0", "next", "next", "continue", "print product", "backtrace", "up", "info locals",
               "print part", "delete", "tbreak saxpy.cl:15 if gid0 == 1001", "continue", "print i", "print s", "set var s = 100000",
               "finish", "step", "step", "print gid0",
               "tbreak saxpy.cl:25 if gid0 == 70", "continue", "print tile", "weft ids", "weft items own", "backtrace", "print n", "print 'program.c'::y[1001]", "continue"],
              ["--args", program, OPTIONS])
    holds(r'hit Breakpoint 1, saxpy \(a=3, .*\) at saxpy\.cl:10$', out)
    holds(r"^a = 3$", out)
    holds(r"^\$1 = \{1000, 0, 0\}$", out)
    holds(r"^\$2 = \(1, 2, 3, 4\)$", out)
    holds(r"^\$3 = 2$", out)
    holds(r"^lid0=\n\$5 = 40$", out)
    holds(r"^12\t    for \(int k = 0; k < 4; k\+\+\)$", out)
    holds(r"hit Temporary breakpoint 2, scale \(a=3, x=1000\) at saxpy\.cl:3$", out)
    holds(r"^#1 .*saxpy \(a=3, .*\) at saxpy\.cl:14\n#2 .*saxpy\.run \(\) at saxpy\.cl:7\n(#.*\n)+#\d+ .*(start_thread|clFinish)", out)
    holds(r"^part = \{0, 1000, 2000, 3000\}$", out)
    holds(r"^gid0 = 1000$", out)
    holds(r"hit Temporary breakpoint 3, saxpy .* at saxpy\.cl:15$", out)
    holds(r"^\$\d+ = 1001\n\$\d+ = 3003$", out)
    holds(r"^\$\d+ = 1002$", out)  # stepping beyond the end of a work-item goes to the next one
    holds(r"hit Temporary breakpoint 4, reverse\.after_barrier_1 \(data=.*, n=5\) at saxpy\.cl:25$", out)
    holds(r"^\$\d+ = \{64, 65, 66, 67, .*, 126, 127\}$", out)
    holds(r"^gid \(70, 0, 0\)  lid \(6, 0, 0\)  group \(1, 0, 0\)  gsize \(1024, 1, 1\)  lsize \(64, 1, 1\)$", out)
    for item in range(64):
        holds(rf"^{item},0,0: {64 + item}" + ("   <- here$" if item == 6 else "$"), out)
    holds(r"^#0 .*reverse\.after_barrier_1 .*\n#1 .*reverse\.run \(\) at saxpy\.cl:18$", out)
    holds(r"^\$\d+ = 105007$", out)  # with the s that was set
    holds(r"^result: 58 8002 68 70126$", out)
    holds(r"exited normally", out)


def check_types():
    debugger("gdb")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.c"), encoding="ascii") as f:
        text = f.read()
    line = text[text.index('"float scale'):text.index("// here")].count("\\n") + 1
    out = gdb([f"tbreak saxpy.cl:{line} if gid0 == 3 && gid1 == 1", "run", "print by_value.p[1]", "print s", "print c", "print d", "print h", "print matrix",
               "print flag", "print scratch[2]", "print table", "print second - out", "print $gid", "print $group", "continue"],
              ["--args", program, OPTIONS])
    values = ["{x = 7.5, y = 0, tags = {1, 2, 3}}",
              "{p = {{x = 0, y = 0, tags = {0, 0, 0}}, {x = 7.5, y = 0, tags = {1, 2, 1}}}, colour = (9, 8, 7, 6)}",
              "(1, 2, 3)", "2.5", "(0.5, 1, 2, 3)", "{{1, 2, 3}, {4, 5, 6}}", "true", "(2, 2, 2, 2)", "{1, 2, 3, 4}", "1", "{3, 1, 0}", "{0, 1, 0}"]
    for number, value in enumerate(values, 1):
        holds(rf"^\${number} = {re.escape(value)}$", out)


def check_attach():
    """A debugger comes when the code has long been loaded; and one that reads a core file."""
    debugger("gdb")
    alone = {**env, "WEFT_THREADS": "1"}  # the thread that waits runs the kernel
    p = subprocess.Popen([program, OPTIONS, "wait"], env=alone, cwd=folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert p.stdout.readline() == "waiting\n"
        core = os.path.join(folder.name, "core")
        out = gdb(["break saxpy.cl:15 if gid0 == 100", "info breakpoints", "set var go = 1", "continue", "print s", "backtrace",
                   f"generate-core-file {core}", "delete", "detach"], ["-p", str(p.pid)])
        assert "<PENDING>" not in out, out
        holds(r"hit Breakpoint 1, saxpy \(a=3, .*\) at saxpy\.cl:15$", out)
        holds(r"^\$1 = 300$", out)
        holds(r"^#\d+ .*(clFinish|start_thread) \(", out)
        assert p.wait(LIMIT_S) == 0
    finally:
        p.kill()
        p.wait()
    out = gdb(["backtrace", "print part", "weft ids", "info source"], [program, core])
    holds(r"^#0 .*saxpy \(a=3, .*\) at saxpy\.cl:15$", out)
    holds(r"^\$1 = \{0, 100, 200, 300\}$", out)
    holds(r"^gid \(100, 0, 0\) ", out)
    holds(rf"^Located in {re.escape(os.path.realpath(cache))}/debug/[0-9a-f]+/saxpy\.cl$", out.replace(cache, os.path.realpath(cache)))


def check_optimized():
    """With -g alone, lines are known, and the code is as fast as ever. Without -g no file is written."""
    debugger("gdb")
    # Also by the kernel's name, though it is inlined into its loops.
    out = gdb(["break saxpy", "run", "backtrace", "delete", "continue"], ["--args", program, "-g"])
    holds(r"hit Breakpoint 1(\.\d)?, saxpy \(\) at saxpy\.cl:\d+$", out)
    holds(r"^#1 .* saxpy\.run \(\)", out)
    holds(r"^result: 58 8002 68 70126$", out)
    out = gdb(["break saxpy.cl:15", "run", "backtrace", "delete", "continue"], ["--args", program, "-g"])
    holds(r"hit Breakpoint 1(\.\d)?, saxpy \(\) at saxpy\.cl:15$", out)
    holds(r"^result: 58 8002 68 70126$", out)
    shutil.rmtree(cache)
    out = run([program])
    holds(r"^result: 58 8002 68 70126$", out)
    assert os.listdir(cache) and not os.path.exists(os.path.join(cache, "debug")), os.listdir(cache)


def check_lldb():
    lldb = debugger("lldb", "lldb-19", "lldb-18", "lldb-17", "lldb-16")
    commands = ["breakpoint set -f saxpy.cl -l 15 -c 'gid0 == 100'", "run", "frame variable a i part s gid0", "thread backtrace -c 2",
                "breakpoint delete -f", "continue"]
    arguments = [x for c in commands for x in ("-o", c)]
    out = run([lldb, "-x", "-b", *arguments, "--", program, OPTIONS])
    if "'A' packet returned an error" in out or "failed to launch" in out or "Cannot launch" in out:
        skip("this system doesn't let lldb start a program")
    holds(r"stop reason = breakpoint 1", out)
    holds(r"\(float\) a = 3$", out)
    holds(r"\(int\) i = 100$", out)
    holds(r"\(float\) s = 300$", out)
    holds(r"saxpy.* at saxpy\.cl:15", out)
    holds(r"^result: 58 8002 68 70126$", out)


def check_command():
    """weft debug: the program knows nothing of -g."""
    debugger("gdb")
    p = subprocess.run([weft, "debug", "--", program, ""], env=env, cwd=folder.name, text=True, timeout=LIMIT_S, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, input="set width 0\ntbreak saxpy if gid0 == 1000\nrun\nprint $gid\nprint a\nkill\nquit\n")
    if "Operation not permitted" in p.stdout:
        skip("this system lets no process trace another")
    holds(r"saxpy \(a=3, .*\) at saxpy\.cl:10$", p.stdout)
    holds(r"^(\(gdb\) )*\$1 = \{1000, 0, 0\}$", p.stdout)
    holds(r"^(\(gdb\) )*\$2 = 3$", p.stdout)
    # lldb, whatever it is called.
    own = os.path.join(folder.name, "bin")
    os.mkdir(own)
    p = subprocess.run([weft, "debug", "--lldb", program], env={**env, "PATH": own}, capture_output=True, text=True, check=False)
    assert (p.returncode, p.stderr) == (1, "weft: lldb can't be run: No such file or directory\n"), p
    with open(os.path.join(own, "lldb-17"), "w", encoding="ascii") as f:
        f.write('#!/bin/sh\necho "$WEFT_BUILD_OPTIONS: $*"\n')
    os.chmod(f.name, 0o755)
    p = subprocess.run([weft, "debug", "--lldb", "--", program, "x"], env={**env, "PATH": own}, capture_output=True, text=True, check=False)
    assert (p.returncode, p.stdout) == (0, f"{OPTIONS}: -- {program} x\n"), p
    for words in ((), ("--nonsense", program)):
        assert subprocess.run([weft, "debug", *words], env=env, capture_output=True, check=False).returncode == 2


{"command": check_command, "gdb": check_gdb, "types": check_types, "attach": check_attach, "optimized": check_optimized, "lldb": check_lldb}[session]()
