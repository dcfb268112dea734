"""The command `weft`, as users call it: on a good installation, and on several that are broken in one way each.

weft_command.py WEFT BUILD_DIR CRASHING_DRIVER PROGRAM HANGING_DRIVERS...

In a cross build WEFT and PROGRAM are scripts that start an emulator for AArch64. Then what needs this machine's programs
to load the driver is left out, and what measures its speed, and a copy of WEFT in another place.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

weft, build, crashing_driver, program, *hanging_drivers = sys.argv[1:]
vendors = os.path.join(build, "vendors")
with open(weft, "rb") as f:
    emulated = f.read(2) == b"#!"
LIMIT_S = 300 if emulated else 120
CPU = "cortex-a76" if emulated else "haswell"


def run(*arguments, command=None, **more):
    """(exit status, stdout, stderr)"""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OCL_", "OPENCL_"))}
    env.update(WEFT_CACHE_DIR=os.path.join(top, "cache"), OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors)
    env.update(more)
    env = {k: v for k, v in env.items() if v is not None}
    p = subprocess.run(command or [weft, *arguments], env=env, capture_output=True, text=True, timeout=LIMIT_S, cwd=top,
                       stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def put(path, text):
    path = os.path.join(top, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    return path


def check_usage():
    status, out, _ = run("--help")
    assert status == 0 and "weft doctor" in out, out
    for words in ((), ("nonsense",), ("env", "nonsense"), ("cache", "nonsense"), ("info", "x"), ("report",)):
        status, out, err = run(*words)
        assert status == 2 and not out and err, (words, status, out, err)
    for name in ("info", "doctor", "env", "cache", "report", "prof", "debug", "bench"):
        status, out, _ = run(name, "--help")
        assert status == 0 and out.startswith(f"usage: weft {name}"), out
    assert re.match(r"weft \d+\.\d+\.\d+", run("--version")[1])


def check_info():
    status, out, err = run("info", WEFT_THREADS="3")
    assert status == 0, err
    for wanted in (os.path.join(build, "lib/libweft.so"), os.path.join(build, "lib/weft/weftc"), vendors):
        assert re.search(rf"^.*\s{re.escape(wanted)}$", out, re.M), (wanted, out)
    assert re.search(r"^version +OpenCL \d\.\d Weft ", out, re.M), out
    assert re.search(r"^compute units +[1-9]", out, re.M), out
    assert re.search(r"^processor +\w", out, re.M), out
    assert re.search(r"^WEFT_THREADS +3  \(from the environment\)$", out, re.M), out
    # Files count as for the driver: the user's, with a section for this program and one for another.
    elsewhere = os.path.join(top, "elsewhere")
    conf = put("home/weft.conf", f"WEFT_CACHE_DIR = {elsewhere}\nWEFT_THREADS = 2\nWEFT_VF = 4\n[program other]\nWEFT_TIER = 1\n")
    os.makedirs(elsewhere)
    for more in ({"WEFT_CONF": conf}, {"XDG_CONFIG_HOME": os.path.dirname(conf)}):
        status, out, err = run("info", WEFT_CACHE_DIR=None, WEFT_THREADS="3", **more)
        assert re.search(rf"^folder +{elsewhere}$", out, re.M), out + err
        assert re.search(rf"^WEFT_CACHE_DIR +{elsewhere}  \(from {conf}:1\)$", out, re.M) and "WEFT_TIER" not in out, out
        assert re.search(r"^WEFT_THREADS +3  \(from the env", out, re.M) and re.search(rf"^WEFT_VF +4  \(from {conf}:3\)$", out, re.M), out
        assert run("cache", WEFT_CACHE_DIR=None, **more)[1].startswith(f"{elsewhere}: "), run("cache", WEFT_CACHE_DIR=None, **more)
        assert f"disk cache {elsewhere}\n" in run("doctor", WEFT_CACHE_DIR=None, **more)[1]
    assert elsewhere not in run("info", WEFT_CONF="none", XDG_CONFIG_HOME=os.path.dirname(conf))[1]


def check_prof():
    """program.c of tests/debugger: what its kernels do is known."""
    path = os.path.join(top, "profile.json")
    page = os.path.join(top, "profile.html")
    status, out, err = run("prof", "--json", "-o", path, "--html", page, "--", program, "", "twice", WEFT_TIER="2")
    assert status == 0 and out.count("result: ") == 1, (status, out, err)
    with open(path, encoding="ascii") as f:
        profile = json.load(f)
    assert profile["limits"]["gb_per_s"] > 0 and profile["limits"]["gflop_per_s"] > 0, profile
    kernels = {k["name"]: k for k in profile["kernels"]}
    assert set(kernels) == {"saxpy", "reverse", "branches", "types"}, kernels
    for k in kernels.values():
        assert (k["launches"], k["failed"], k["work_items"]) == (2, 0, 16 if k["name"] == "types" else 2048), k
        assert 0 < k["median_ns"] <= k["longest_ns"] and k["total_ns"] > 0 and k["compile_ns"] > 0 and k["lanes"] >= 1, k
        assert k["bound"] in ("launches", "latency", "memory", "caches", "compute") and k["advice"], k
        with open(k["source"], encoding="ascii") as f:
            assert "kernel void saxpy(" in f.read()
    # x, y and y again; a * x, and three sums
    assert (kernels["saxpy"]["bytes_per_item"], kernels["saxpy"]["operations_per_item"]) == (12, 4), kernels["saxpy"]
    assert (kernels["reverse"]["bytes_per_item"], kernels["reverse"]["operations_per_item"]) == (8, 0), kernels["reverse"]
    # every fourth work-item reads 10 floats and adds them up; all write one
    assert (kernels["branches"]["bytes_per_item"], kernels["branches"]["operations_per_item"]) == (14, 2.5), kernels["branches"]
    for k in kernels.values():
        assert (k["spilled_registers"] >= 0) == (not k["code"].startswith("quick")) and k["stack_bytes"] > 0, k
        assert sum(line["share"] for line in k["lines"]) > 0.999, k
    lines = {line["line"]: line for line in kernels["branches"]["lines"]}
    # line 35 is the sum of 10 floats, of every fourth work-item
    assert (lines[35]["bytes"], lines[35]["operations"]) == (10, 2.5) and lines[36]["bytes"] == 4, lines
    if kernels["branches"]["lanes"] > 4:
        assert 4 * kernels["branches"]["active_lanes"] == kernels["branches"]["lanes"] == 4 * lines[35]["active_lanes"], kernels["branches"]
    assert not kernels["saxpy"]["active_lanes"] and not kernels["saxpy"]["divergent_share"], kernels["saxpy"]
    ran = [s for s in profile["timeline"] if s["name"] == "branches" and s["what"] == "run"]
    assert len(ran) == 1 and sum(ran[0]["busy_ns"]) > 0 and len(ran[0]["busy_ns"]) <= 256, profile["timeline"]
    with open(page, encoding="utf-8") as f:
        text = f.read()
    assert "/*DATA*/" not in text and "kernel void saxpy(" in text, text[:2000]
    assert not re.search(r"(src|href)=|@import|url\(", text), "nothing is fetched"
    status, out, err = run("prof", program)
    assert status == 0 and re.search(r"^saxpy +1 .* 1024 .* \w+ +\d+ ", out, re.M) and re.search(r"^saxpy: \w", out, re.M), (out, err)
    assert "measuring" not in err, err  # the machine's limits were kept
    status, out, err = run("prof", "--", "/bin/sh", "-c", "exit 3")
    assert status == 3 and "no kernel ran" in err, (status, out, err)
    status, _, err = run("prof", "--", "/bin/sh", "-c", "kill -9 $$")
    assert status == 128 + 9 and "the program was killed" in err, (status, err)
    assert run("prof", "--", "/nonexistent")[0] == 127
    assert run("prof", "--", "/bin/true")[0] == 1
    status, _, err = run("prof", "--html", "/nowhere/page.html", "--", "/bin/sh", "-c", "echo it ran >&2")
    assert status == 1 and "/nowhere/page.html can't be written: No such" in err and "it ran" not in err, err
    assert run("prof")[0] == 2 and "no program to run" in run("prof")[2] and run("prof", "--nonsense", "true")[0] == 2


def check_prof_settings():
    """The program's settings are for the program: the machine's limits are measured without them."""
    timeline = os.path.join(top, "timeline.json")
    def prof(cache, **more):
        path = os.path.join(top, "limits.json")
        status, out, err = run("prof", "--json", "-o", path, "--", program, WEFT_CACHE_DIR=os.path.join(top, cache), **more)
        assert status == 0, out + err
        with open(path, encoding="ascii") as f:
            limits = json.load(f)["limits"]
        return limits, [n for n in os.listdir(os.path.join(top, cache)) if n.startswith("limits.")]

    usual, files = prof("limits1")
    # With these it would be a small part.
    slow, again = prof("limits2", WEFT_VF="1", WEFT_BUILD_OPTIONS="-cl-opt-disable", WEFT_TRACE=timeline, WEFT_TIER="1")
    assert slow["gflop_per_s"] > usual["gflop_per_s"] / 4, (slow, usual)
    assert len(files) == 1 and again == files, (files, again)
    with open(timeline, encoding="utf-8") as f:
        text = f.read()
    assert '"saxpy' in text and '"compute' not in text, text[:2000]
    # Settings that change what the machine can do have numbers of their own, which stay.
    threads, files = prof("limits1", WEFT_THREADS="1")
    assert len(files) == 2, files
    assert prof("limits1", WEFT_THREADS="1") == (threads, files) and prof("limits1")[0] == usual
    # weft cache clear removes them. What it leaves is not among the bytes.
    put("limits1/others", "x" * (8 << 20))
    folder = os.path.join(top, "limits1")
    status, out, err = run("cache", "clear", WEFT_CACHE_DIR=folder)
    assert status == 0 and float(re.search(r"; ([\d.]+) MiB; removed", out)[1]) < 8, out + err
    assert os.listdir(folder) == ["others"], os.listdir(folder)


def check_full():
    """What can't be written is said, and isn't taken for done."""
    if not pathlib.Path("/dev/full").is_char_device():
        return
    said = "can't be written"
    for words, name in ((["--version"], "standard output"), (["env"], "standard output"), (["cache", "--help"], "standard output"),
                        (["prof", "--json", program], "standard output"), (["prof", "-o", "/dev/full", program], "/dev/full"),
                        (["prof", "--html", "/dev/full", program], "/dev/full")):
        status, _, err = run(command=["/bin/sh", "-c", '"$@"' + (" >/dev/full" if name != "/dev/full" else ""), "sh", weft, *words])
        assert status == 1 and f"weft: {name} {said}" in err, (words, status, err)


def check_signals():
    """Ctrl-C is for the program while it runs, and for `weft` before and after."""
    page = os.path.join(top, "page.html")
    os.mkfifo(page)  # the program is over when `weft` waits here
    env = dict(os.environ, WEFT_CACHE_DIR=os.path.join(top, "cache"))
    p = subprocess.Popen([weft, "prof", "--html", page, "--", "/bin/sh", "-c", "echo started; sleep 0.5"], env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert p.stdout.readline() == b"started\n"
    os.kill(p.pid, signal.SIGINT)  # to `weft` alone, and the program is running
    start = time.monotonic()
    try:
        for _ in range(150):
            time.sleep(0.2)
            if p.poll() is not None:
                break
            if time.monotonic() - start > 1:
                os.kill(p.pid, signal.SIGINT)
        assert p.returncode == -signal.SIGINT and time.monotonic() - start > 0.5, p.returncode
    finally:
        p.kill()
        p.wait()
    # Who starts `weft` with Ctrl-C ignored, as nohup and shells in the background do, means the program, too.
    for ignored, wanted in ((False, 0), (True, 1)):
        p = subprocess.run([weft, "prof", "--", "/bin/grep", "SigIgn", "/proc/self/status"], env=env,
                           capture_output=True, text=True, timeout=LIMIT_S,
                           preexec_fn=lambda on=ignored: signal.signal(signal.SIGINT, signal.SIG_IGN if on else signal.SIG_DFL))
        assert int(re.search(r"SigIgn:\s*(\w+)", p.stdout)[1], 16) >> (signal.SIGINT - 1) & 1 == wanted, (ignored, p.stdout)


def check_bench():
    """This Weft beside a driver that crashes, some that hang, one that isn't there, and one that is no driver."""
    put("several/crash.icd", crashing_driver + "\n")
    put("several/gone.icd", "/nowhere/libother.so\n")
    put("several/none.icd", "libm.so.6\n")
    status, out, err = run("bench", "--only", "--patience", "8", os.path.join(top, "several"), *hanging_drivers)
    assert status == 0, out + err
    assert re.search(r"^A  Weft .*libweft.so\)$", out, re.M), out
    assert re.search(r"crashing_driver.so\)\n   it crashes when it is loaded \(signal \d+\)", out), out
    assert re.search(r"/nowhere/libother.so\)\n   /nowhere/libother.so: cannot open", out), out
    assert re.search(r"libm.so.6\)\n   it has no device", out), out
    for driver, when in zip(hanging_drivers, ("when it is loaded", "before the first case", "in launch")):
        name = r"\?" if when == "when it is loaded" else r"\? hangs"
        assert re.search(rf"^\w  {name} \({driver}\)\n   it hangs {when}: it was silent for 8 s$", out, re.M), out
    assert len(hanging_drivers) == 3, hanging_drivers
    names = re.findall(r"^(\w+) +[1-9][\d.]* [num]s(?: +-){6} +\w", out, re.M)
    assert len(names) == 10 and "mandelbrot" in names, out
    # What takes longer than two seconds is said.
    assert err == "".join(f"weft: measuring {d} ...\n" for d in (os.path.join(build, "lib/libweft.so"), *hanging_drivers)), err
    assert run("bench", "/nowhere")[0] == 1
    for words in (["--nonsense"], ["--patience"], ["--patience", "0"], ["--patience", "-1"], ["--patience", "1s"]):
        assert run("bench", *words)[0] == 2, words


def check_env():
    status, out, err = run("env")
    assert status == 0, err
    script = put("env.sh", f"{out}\nprintf '%s' \"$OCL_ICD_VENDORS\"")
    assert run(command=["sh", script], OCL_ICD_VENDORS="", OPENCL_VENDOR_PATH="")[1] == vendors
    # The programs of this build are found by their names, also where another folder has a program of that
    # name. What is found already stays where it is.
    if not emulated:
        other = os.path.dirname(put("other/weft", "#!/bin/sh\n"))
        os.chmod(os.path.join(other, "weft"), 0o755)
        programs = [os.path.realpath(p) for p in (weft, os.path.join(build, "lib/weft/weftc"))]
        for path in "/usr/bin:/bin", f"{other}:/usr/bin:/bin":
            found = put("found.sh", run("env", PATH=path)[1] + "command -v weft\ncommand -v weftc\nprintf '%s' \"$PATH\"")
            lines = run(command=["/bin/sh", found], PATH=path)[1].splitlines()
            assert [os.path.realpath(p) for p in lines[:2]] == programs and lines[2].endswith(":" + path), lines
            assert "export PATH=" not in run("env", PATH=lines[2])[1], lines
            assert "export PATH=" in run("env", PATH=f"{other}:{lines[2]}")[1], lines
    if shutil.which("clinfo") and not emulated:
        listed = put("list.sh", f"{out}\nclinfo -l")
        out = run(command=["sh", listed], OCL_ICD_VENDORS="", OPENCL_VENDOR_PATH="")[1]
        assert "Weft" in out, out


def check_doctor():
    status, out, err = run("doctor")
    assert status == 0 and "WRONG" not in out and "Nothing is wrong" in out, out + err
    assert "(this Weft)" in out and "programs see the platform Weft" in out, out
    assert re.search(r"^ok +a kernel was built and run", out, re.M), out

    # One vendor file instead of a folder.
    out = run("doctor", OCL_ICD_VENDORS=os.path.join(vendors, "weft.icd"), OPENCL_VENDOR_PATH="")[1]
    assert re.search(r"^ok +.*/weft.icd: .*(this Weft)", out, re.M) and "there is no folder" not in out, out

    def wrong(pattern, **more):
        status, out, err = run("doctor", **more)
        assert status == 1 and re.search(rf"^WRONG +.*{pattern}", out, re.M), (pattern, status, out, err)
        return out

    empty = os.path.join(top, "empty")
    os.mkdir(empty)
    wrong(r"eval \"\$\(weft env\)\"", OCL_ICD_VENDORS=empty, OPENCL_VENDOR_PATH=empty)
    # One of the variables is right, so the message names the other one.
    for good, bad in (("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"), ("OPENCL_VENDOR_PATH", "OCL_ICD_VENDORS")):
        out = wrong(f"{bad}={empty} doesn't lead to this Weft", **{good: vendors, bad: empty})
        assert f"{good}={vendors} doesn't" not in out and "(this Weft)" in out, out
    put("gone/other.icd", "/nowhere/libother.so\n")
    gone = os.path.join(top, "gone")
    out = wrong("names /nowhere/libother.so, which isn't there", OCL_ICD_VENDORS=gone, OPENCL_VENDOR_PATH=gone)
    assert "don't see Weft" in out, out
    put("crash/other.icd", crashing_driver + "\n")
    crash = os.path.join(top, "crash")
    out = wrong("one of the drivers above crashes", OCL_ICD_VENDORS=crash, OPENCL_VENDOR_PATH=crash)
    assert re.search(r"^ok +a kernel was built and run", out, re.M), out  # and it goes on
    put("hang/other.icd", hanging_drivers[0] + "\n")
    hang = os.path.join(top, "hang")
    status, out, err = run("doctor", "--patience", "3", OCL_ICD_VENDORS=hang, OPENCL_VENDOR_PATH=hang)
    assert status == 1 and re.search("^WRONG +listing the platforms took more than 3 s: one of the drivers above hangs", out, re.M), out + err
    assert "listing the platforms ..." in err and re.search(r"^ok +a kernel was built and run", out, re.M), out + err
    for words in (["--nonsense"], ["--patience"], ["--patience", "0"], ["3"]):
        assert run("doctor", *words)[0] == 2, words
    # The cache that other tests have filled would serve without a compiler.
    out = wrong("the compiler /nowhere/weftc can't be run", WEFT_WEFTC="/nowhere/weftc", WEFT_CACHE="0")
    assert re.search(r"^WRONG +a program can't be built", out, re.M), out
    open_to_all = os.path.join(top, "open")
    os.mkdir(open_to_all)
    os.chmod(open_to_all, 0o777)
    wrong("chmod go-w", WEFT_CACHE_DIR=open_to_all)
    wrong("foo isn't used: it must be an absolute path", WEFT_CACHE_DIR="foo")
    wrong("none can be made in /proc", WEFT_CACHE_DIR="/proc/weft")
    wrong("OCL_ICD_FILENAMES names /nowhere/libx.so, which can't be read", OCL_ICD_FILENAMES="/nowhere/libx.so")
    # Damaged files. The disk cache, which has the kernel, hides nothing.
    shutil.copytree(os.path.join(build, "lib"), os.path.join(top, "damaged/lib"))
    os.makedirs(os.path.join(top, "damaged/bin"))
    shutil.copy(weft, os.path.join(top, "damaged/bin/weft"))
    damaged = os.path.join(top, "damaged/lib/libweft.so")
    put("damaged/vendors/weft.icd", damaged + "\n")

    def damaged_doctor(file, size, pattern):
        whole = os.path.join(build, "lib", file)
        with open(whole, "rb") as f, open(os.path.join(top, "damaged/lib", file), "wb") as to:
            to.write(f.read(size))
        vendor = os.path.join(top, "damaged/vendors")
        status, out, err = run(command=[os.path.join(top, "damaged/bin/weft"), "doctor"], OCL_ICD_VENDORS=vendor, OPENCL_VENDOR_PATH=vendor)
        assert status == 1 and re.search(rf"^WRONG +{pattern}", out, re.M) and out.rstrip().endswith("wrong."), (file, out, err)
        shutil.copy(whole, os.path.join(top, "damaged/lib", file))

    damaged_doctor("weft/builtins.pack", 100000, "a program can't be built.*builtins.pack")
    damaged_doctor("libweft.so", 200000, "(Weft ends with signal|the driver can't be opened)")
    loader = put("loader/libOpenCL.so.1", "no library")
    wrong("the OpenCL loader can't be opened", LD_LIBRARY_PATH=os.path.dirname(loader))
    file = put("file", "")
    wrong("it is no folder", WEFT_CACHE_DIR=file)
    wrong(f"none can be made in {file}", WEFT_CACHE_DIR=os.path.join(file, "of", "weft"))
    first = os.path.join(top, "cache")
    wrong(f"the shared disk cache {open_to_all} isn't used: it must belong", WEFT_CACHE_DIR=f"{first}:{open_to_all}")
    wrong("the shared disk cache /nowhere isn't used: it can't be read", WEFT_CACHE_DIR=f"{first}:/nowhere")


# Files of cgroups that lie over the system's, in a namespace of the process: v1 or v2, as the system has
# them.
CGROUPS = r"""
mount -t tmpfs none /sys/fs/cgroup || exit 77
while read -r _ _ _ _ at rest; do
    case $rest in
    *' - cgroup2 '*) mkdir -p "$at"; echo 150000 100000 >"$at/cpu.max"; echo 314572800 >"$at/memory.max" ;;
    *' - cgroup '*) mkdir -p "$at"; echo 100000 >"$at/cpu.cfs_period_us"; echo 150000 >"$at/cpu.cfs_quota_us"
        echo 314572800 >"$at/memory.limit_in_bytes" ;;
    esac
done </proc/self/mountinfo
exec "$1" doctor
"""


def check_cgroup():
    if not shutil.which("unshare") or not re.search(" - cgroup2? ", open("/proc/self/mountinfo", encoding="utf-8").read()):
        return
    status, out, err = run(command=["unshare", "-rm", "/bin/sh", "-c", CGROUPS, "sh", weft])
    if out:  # otherwise namespaces are forbidden
        assert status == 0 and re.search("^note +a cgroup's quota gives this process the time of at most 2 processors$", out, re.M), out + err
        assert re.search("^note +a cgroup limits the memory of this process to 300 MiB$", out, re.M), out + err


def check_moved():
    """A copy of the installation knows its own library, and that no vendor file names it."""
    for name in ("bin", "lib/weft"):
        os.makedirs(os.path.join(top, "moved", name))
    shutil.copy(weft, os.path.join(top, "moved/bin/weft"))
    shutil.copy(os.path.join(build, "lib/libweft.so"), os.path.join(top, "moved/lib/libweft.so"))
    moved = os.path.join(top, "moved/bin/weft")
    status, out, _ = run(command=[moved, "env"])
    library = "".join(f"export {name}='{top}/moved/lib/libweft.so'\n" for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"))
    assert status == 0 and out == f"{library}export PATH='{top}/moved/bin':\"$PATH\"\n", out
    put("moved/etc/OpenCL/vendors/weft.icd", os.path.join(top, "moved/lib/libweft.so"))
    status, out, _ = run(command=[moved, "env"])
    assert status == 0 and os.path.join(top, "moved/etc/OpenCL/vendors") in out, out
    status, out, _ = run(command=[moved, "doctor"])
    assert status == 1 and re.search(r"^WRONG +the compiler .*moved/lib/weft/weftc can't be run", out, re.M), out
    os.remove(os.path.join(top, "moved/lib/libweft.so"))
    status, _, err = run(command=[moved, "info"])
    assert status == 1 and "libweft.so isn't where it should be" in err, err


def check_cache():
    folder = os.path.join(top, "cache")
    assert run(command=[program])[0] == 0
    entries = [n for n in os.listdir(folder) if re.fullmatch(r"[pkv][0-9a-f]{32}", n)]
    assert entries, os.listdir(folder)  # of the program
    counted = re.search(r"(\d+) programs, (\d+) kernels, (\d+) verdicts", run("cache")[1])
    assert sum(int(n) for n in counted.groups()) == len(entries), (counted[0], entries)
    listed = run("cache", "list")[1]
    assert all(name in listed for name in entries), listed
    status, out, _ = run("cache", "verify")
    assert status == 0 and "all are whole" in out, out
    with open(os.path.join(folder, entries[0]), "r+b") as f:
        f.seek(-1, os.SEEK_END)
        last = f.read(1)
        f.seek(-1, os.SEEK_END)
        f.write(bytes([last[0] ^ 1]))
    status, out, _ = run("cache", "verify")
    assert status == 1 and f"damaged: {entries[0]}" in out, out
    put("cache/crash/kept", "a reproducer")
    # A folder behind the first is counted and read, and kept.
    shared = os.path.join(top, "shared")
    shutil.copytree(folder, shared)
    both = f"{folder}:{shared}"
    assert len(re.findall(r"^/.* programs", run("cache", WEFT_CACHE_DIR=both)[1], re.M)) == 2
    assert run("info", WEFT_CACHE_DIR=both)[1].count("also read") == 1
    assert re.search(r"^ok +shared disk cache", run("doctor", WEFT_CACHE_DIR=both)[1], re.M)
    assert run("cache", "clear", WEFT_CACHE_DIR=both)[0] == 0
    assert entries[1:] == [n for n in entries[1:] if os.path.exists(os.path.join(shared, n))]
    assert os.listdir(folder) == ["crash"], os.listdir(folder)
    assert "There is no cache folder" in run("cache", WEFT_CACHE_DIR=os.path.join(top, "none"))[1]


def check_report():
    source = put("k.cl", "kernel void first(global float *a)\n{\n    size_t i = get_global_id(0);\n    a[i] *= 2;\n}\n"
                         "kernel void second(global float *a, global const int *at)\n{\n"
                         "    size_t i = get_global_id(0);\n    a[i] = a[at[i]];\n}\n")
    status, out, err = run("report", source, WEFT_CPU=CPU)
    assert status == 0 and "kernel first" in out, out + err
    assert re.search(r"^ +4   +a\[i\] \*= 2;\n +\| load of 4 bytes: consecutive", out, re.M), out
    assert "\x1b" not in out, "no colours in a file"
    out = run("report", "-k", "second", source, WEFT_CPU=CPU)[1]
    assert re.search(r"^ +9   +a\[i\] = a\[at\[i\]\];\n(?: +\|.*\n)* +\| load of 4 bytes: gather", out, re.M), out
    assert "a[i] *= 2" not in out, out
    # The whole kernel, from the line with its name to its last one, and nothing of the others.
    source = put("far.cl", "kernel void far(global float *a)\n{\n    size_t i = get_global_id(0);\n\n    // far below\n\n"
                           "    a[i] *= 2;\n}\nkernel void other(global float *a)\n{\n    a[0] = 1;\n}\n")
    out = run("report", source, WEFT_CPU=CPU)[1]
    assert re.search(r"^ +1   kernel void far\(", out, re.M) and re.search(r"^ +8   }$", out, re.M) and "void other" not in out, out
    # Options with their values behind them, and a first kernel below what looks like one.
    defined = put("defined.cl", "// kernel void old(global float *a)\nkernel __attribute__((reqd_work_group_size(N, 1, 1))) void named(global float *a)\n"
                                "{\n    a[get_global_id(0)] = N;\n}\n")
    for words in (("-D", "N=4", defined), (defined, "-D", "N=4"), ("-I", top, "-U", "M", "-DN=4", defined), ("-D", "N=4", "-k", "named", defined)):
        status, out, err = run("report", *words, WEFT_CPU=CPU)
        assert status == 0 and "kernel named" in out and "store of 4 bytes: consecutive" in out, (words, out, err)
    # What an included file does is told of the line that calls it.
    put("part.h", "\n" * 20 + "float part(global float *a, global const int *at, size_t i)\n{\n    return a[at[i]];\n}\n")
    source = put("including.cl", '#include "part.h"\nkernel void k(global float *a, global const int *at)\n{\n    size_t i = get_global_id(0);\n'
                                 "    a[i] = 1 + part(a, at, i);\n}\n")
    status, out, err = run("report", source, f"-I{top}", WEFT_CPU=CPU)
    assert re.search(r"^ +5   +a\[i\] = 1 \+ part\(a, at, i\);\n(?: +\|.*\n)* +\| load of 4 bytes: gather", out, re.M), out + err
    status, out, err = run("report", put("wrong.cl", "kernel void k(global float *a) { a[0] = b; }\n"))
    assert status == 1 and "undeclared identifier 'b'" in err, out + err
    assert run("report", "/nowhere/k.cl")[0] == 1


with tempfile.TemporaryDirectory(prefix="weft-command-") as top:
    check_usage()
    check_info()
    check_env()
    check_doctor()
    check_cgroup()
    check_cache()
    check_report()
    if not emulated:
        check_prof()
        check_prof_settings()
    check_full()
    check_signals()
    check_bench()
    if not emulated:
        check_moved()
