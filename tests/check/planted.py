#!/usr/bin/env python3
"""The checker finds what is planted, and nothing else.

usage: planted.py RUN_KERNELS VENDORS [--short | --cpus NAME,NAME] FILE.cl...

Each file has kernels with faults and kernels without. A line with a fault ends with `// FAULT kind`, or `// FAULT kind
N ...` if lines N of the file are as good, since the fault has several places. A line may have several such marks. A kernel whose name ends with _ok has no fault.
Everything is run at each level of code, and without optimisation; what can have lanes, with several numbers of them; and
as SPIR-V with debug information, where a Clang and a translator of the same version are there. --short: optimised code
only, and with one number of lanes. --cpus: for these processors instead of those of x86-64 that this machine can run."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FAULT = re.compile(r"FAULT (\w+)((?: \d+)*)")
# Settings, and options of the build.
LEVELS = [({"WEFT_TIER": t}, "") for t in "123"] + [({"WEFT_TIER": "2"}, "-cl-opt-disable")]
WITH_LANES = "bounds,align,arith,barrier,uninit"
# With lanes a barrier may be missing where nothing else shows: so races are looked for without uninit.
RACES = "race,barrier"
LANES = [({"WEFT_TIER": "2", "WEFT_CHECK": WITH_LANES, "WEFT_VF": n}, "") for n in ("2", "4", "8", "16")]
LANES += [(dict(s, WEFT_CHECK=RACES), o) for s, o in LANES]
CPUS = ("nehalem", "haswell")
HANGS_AFTER = 240  # seconds: much longer than any run takes, also in an emulator


def planted_in(path, kinds=None):
    """{(kind, lines at which it may be found)}, of these kinds"""
    found = set()
    with open(path) as f:
        for number, line in enumerate(f, 1):
            for m in FAULT.finditer(line):
                if not kinds or m.group(1) in kinds:
                    found.add((m.group(1), frozenset([number] + [int(n) for n in m.group(2).split()])))
    return found


def parts_of(path):
    """What is to be named besides the kinds: `PARTS word,word` in the first line."""
    with open(path) as f:
        m = re.search(r"PARTS (\S+)", f.readline())
    return "," + m.group(1) if m else ""


def options_of(path):
    """Options of the build: `OPTIONS word` in the first line."""
    with open(path) as f:
        m = re.search(r"OPTIONS (\S+)", f.readline())
    return m.group(1) if m else ""


def can_run(cpu):
    with open("/proc/cpuinfo") as f:
        flags = f.read()
    return {"haswell": " avx2 " in flags and " fma " in flags, "nehalem": " sse4_2 " in flags}[cpu]


def where_it_hangs(pid):
    """The stacks of a process's threads, or else what the kernel says of them."""
    debugger = shutil.which("lldb-19") or shutil.which("lldb")
    if debugger:
        try:
            return subprocess.run([debugger, "-p", str(pid), "--batch", "-o", "bt all"], capture_output=True, text=True, timeout=60).stdout
        except subprocess.TimeoutExpired:
            pass
    said = []
    for thread in sorted(os.listdir("/proc/%d/task" % pid)):
        words = []
        for name in ("comm", "wchan", "syscall"):
            try:
                with open("/proc/%d/task/%s/%s" % (pid, thread, name)) as f:
                    words.append(f.read().strip())
            except OSError:
                pass
        said.append(" ".join([thread] + words))
    return "\n".join(said)


def finish(process):
    """Waits for it. A program that hangs is ended, and fails with the stacks of its threads."""
    try:
        out, err = process.communicate(timeout=HANGS_AFTER)
    except subprocess.TimeoutExpired:
        stacks = where_it_hangs(process.pid)
        process.kill()
        out, err = process.communicate()
        err += "it hung:\n" + stacks
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run(program, vendors, path, settings, options, folder, parts):
    report = os.path.join(folder, "report")
    if os.path.exists(report):
        os.remove(report)
    env = dict(os.environ, OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CHECK="all", WEFT_CONF="none",
               WEFT_CHECK_REPORT=report, WEFT_CACHE_DIR=os.path.join(folder, "cache"))
    env.update(settings)
    env["WEFT_CHECK"] += parts
    done = finish(subprocess.Popen([program, path, options], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    if done.returncode:
        return done, None
    with open(report) as f:
        return done, [json.loads(line) for line in f]


def as_spirv(path, folder):
    """The file as SPIR-V; None: nothing here makes it."""
    for version in range(15, 30):
        clang, translator = shutil.which("clang-%d" % version), shutil.which("llvm-spirv-%d" % version)
        if clang and translator:
            bitcode, module = (os.path.join(folder, os.path.basename(path)[:-2] + e) for e in ("bc", "spv"))
            subprocess.run([clang, "-x", "cl", "-cl-std=CL2.0", "-target", "spir64", "-Xclang", "-finclude-default-header",
                            "-gline-tables-only", "-O0", "-cl-kernel-arg-info", "-emit-llvm", "-c", path, "-o", bitcode], check=True)
            subprocess.run([translator, bitcode, "-o", module], check=True)
            return module
    return None


def main():
    program, vendors, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    levels, lanes, short, cpus = LEVELS, LANES, files[0] == "--short", None
    if short:
        files, levels, lanes = files[1:], [LEVELS[1]], [LANES[2], LANES[2 + len(LANES) // 2]]
    else:
        if files[0] == "--cpus":
            cpus, files = files[1].split(","), files[2:]
        lanes = lanes + [({"WEFT_TIER": "2", "WEFT_CHECK": kinds, "WEFT_CPU": cpu}, "")
                         for kinds in (WITH_LANES, RACES) for cpu in cpus or filter(can_run, CPUS)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            kinds = {kind for kind, _ in planted_in(path)}
            runs = [(path, s, o) for s, o in levels]
            runs += [(path, s, o) for s, o in lanes if s["WEFT_CHECK"] == (RACES if "race" in kinds else WITH_LANES)
                     and ("race" in kinds or kinds <= set(WITH_LANES.split(",")))]
            module = None if short or options_of(path) else as_spirv(path, folder)
            if module:
                runs.append((module, {"WEFT_TIER": "2"}, ""))
            for source, settings, options in runs:
                done, findings = run(program, vendors, source, settings, (options + " " + options_of(path)).strip(), folder, parts_of(path))
                where = " ".join([os.path.basename(source)] + ["%s=%s" % s for s in settings.items()] + [options])
                if findings is None:
                    print("%s: exit status %d\n%s" % (where, done.returncode, done.stderr))
                    failed += 1
                    continue
                looked_for = settings["WEFT_CHECK"].split(",") if "WEFT_CHECK" in settings else None
                missing = planted_in(path, looked_for)
                count = len(missing)
                for f in findings:
                    fits = [p for p in missing if p[0] == f["kind"] and f["line"] in p[1]]
                    known = any(p[0] == f["kind"] and f["line"] in p[1] for p in planted_in(path))
                    missing -= set(fits)
                    if not known or f["kernel"].endswith("_ok"):
                        print("%s: false alarm: %s:%d %s: %s" % (where, f["kind"], f["line"], f["kernel"], f["message"]))
                        failed += 1
                for kind, lines in sorted(missing, key=str):
                    print("%s: not found: %s in line %s" % (where, kind, " or ".join(map(str, sorted(lines)))))
                    failed += 1
                print("%s: %d planted, %d found" % (where, count, count - len(missing)))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
