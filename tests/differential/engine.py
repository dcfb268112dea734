"""Runs programs of the differential tests on Weft at any vector width, or as host code, and compares the results."""
import concurrent.futures
import os
import platform
import re
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PRELUDE = open(os.path.join(HERE, "kernels/prelude.h")).read()
WIDTHS = (2, 4, 8, 16, 32)
VARIANTS = ("auto", "dim0", "dim1", "dim2", "scalar", "exact-size", "tune")  # values of WEFT_VARIANT
# The processors that all machines are tested for, as far as they can run the code: SSE4.2, AVX2 with fma,
# AVX-512. With each, what /proc/cpuinfo must name.
TARGETS = {
    "nehalem": ("cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"),
    "haswell": ("abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"),
    "skylake-avx512": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
# Those of a cross build for AArch64, and with each what the emulator is to be (QEMU_CPU): it has all
# instructions, and SVE's registers are as long as the target's. NEON alone, with arithmetic of halves and dot
# products, with SVE2 of 128 bits beside it; SVE of 256 and of 512 bits.
EMULATED_TARGETS = {
    "cortex-a72": "max",
    "neoverse-n1": "max",
    "neoverse-n2": "max,sve128=on",
    "neoverse-v1": "max,sve256=on",
    "a64fx": "max,sve512=on",
}
RECORD = struct.Struct("<IIiiQ")
SUMS = 64 * 4


class Failure(Exception):
    """A run that gave no results: the driver or the compiler says why."""


def lacking(target, cpuinfo):
    """The first of the target's features that the text of /proc/cpuinfo doesn't name, or None. A target needs what those before it need."""
    line = re.search(r"^flags\s*:(.*)$", cpuinfo, re.M)
    has = line[1].split() if line else []
    for name, features in TARGETS.items():
        missing = next((f for f in features if f not in has), None)
        if missing or name == target:
            return missing


def emulated(build):
    """What starts the runner of a cross build (weft_startable in tests/CMakeLists.txt), or None: the build is for this machine."""
    path = os.path.join(build, "emulated/differential_runner")
    return path if os.path.exists(path) else None


def targets(build):
    """Those of TARGETS whose code this machine runs; says what is left out, and why."""
    if emulated(build):
        return list(EMULATED_TARGETS)
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"skipped: {', '.join(TARGETS)}: the machine is no x86-64")
        return []
    with open("/proc/cpuinfo") as f:
        cpuinfo = f.read()
    missing = {name: lacking(name, cpuinfo) for name in TARGETS}
    for name in filter(missing.get, missing):
        print(f"skipped: {name}: the machine has no {missing[name]}")
    return [name for name in TARGETS if not missing[name]]


class Engine:
    def __init__(self, build, jobs=2):
        """build: the build tree that holds runner, vendors and weftc. For a cross build, WEFT_WEFTC names the compiler."""
        self.build = build
        self.runner = emulated(build) or os.path.join(build, "tests/differential/differential_runner")
        self.folder = tempfile.TemporaryDirectory(prefix="weft-differential-")
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.serial = 0

    def path(self, suffix):
        self.serial += 1
        return os.path.join(self.folder.name, f"{self.serial}{suffix}")

    def write(self, text):
        """Stores a program, with the prelude before it."""
        path = self.path(".cl")
        with open(path, "w") as f:
            f.write(PRELUDE + text)
        return path

    def weft(self, program, width, cpu=None, options="", timeout=300, tier=2, variant=0, interleave=0):
        """Returns the results of all launches, as bytes. tier: WEFT_TIER; 2: fully optimised code from the first launch on.
        variant: an index into VARIANTS, the values of WEFT_VARIANT; 0: the variant that suits a launch, as soon as it exists; 5: code
        for its work-group size; 6: narrow code (eight lanes) and the default code by turns. interleave: WEFT_INTERLEAVE; 2, 4: this
        interleave count. If either is set, and with 32 lanes, stores are non-temporal where they can be."""
        env = dict(os.environ, OCL_ICD_VENDORS=os.path.join(self.build, "vendors"), WEFT_VF=str(width), WEFT_CACHE="0", WEFT_TIER=str(tier),
                   WEFT_VARIANT=VARIANTS[variant], WEFT_INTERLEAVE=str(interleave),
                   WEFT_NONTEMPORAL="always" if variant or interleave or width == 32 else "never")
        if cpu:
            env["WEFT_CPU"] = cpu
        if emulated(self.build):
            env["QEMU_CPU"] = EMULATED_TARGETS.get(cpu, "max")
        return self.results([self.runner, program, None, options], env, timeout)

    def host(self, program, executable, timeout=300):
        return self.results([executable, program, None], os.environ, timeout)

    def results(self, command, env, timeout):
        out = self.path(".bin")
        command[2] = out
        try:
            p = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"not done after {timeout} s")
        if p.returncode:
            raise Failure(f"status {p.returncode}: " + p.stdout.decode(errors="replace")[-2000:])
        with open(out, "rb") as f:
            data = f.read()
        os.unlink(out)
        return data

    def compile_host(self, program, names, cpu=None):
        """The program as host code: Clang's OpenCL front end for cpu, or this machine; none of Weft. None of names: not to be run."""
        table = self.path(".c")
        with open(table, "w") as f:
            for name in filter(None, names):
                f.write(f"void {name}(const void *, void *, void *, void *);\n")
            f.write("void (*const host_kernels[])(const void *, void *, void *, void *) = {" + ", ".join(n or "0" for n in names) + "};\n")
        objects = [self.path(".o"), self.path(".o"), self.path(".o")]
        clang = os.environ.get("WEFT_HOST_CLANG", "clang-19")
        march = f"-march={cpu or 'native'}"
        cl = [clang, "-x", "cl", "-cl-std=CL1.2", "-Xclang", "-fdeclare-opencl-builtins", "-Xclang", "-finclude-default-header",
              "-w", "-O1", march]
        front, middle = self.path(".ll"), self.path(".ll")
        emit = cl + ["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", program, "-o", front]
        command(emit)
        with open(front) as f:
            text = fused(f.read())
        if text is None:
            command(emit + ["-ffp-contract=off"])
            middle = front
        else:
            with open(middle, "w") as f:
                f.write(text)
        command([clang, "-w", "-O1", march, "-c", middle, "-o", objects[0]])
        command(cl + ["-c", os.path.join(HERE, "host_builtins.cl"), "-o", objects[1]])
        command([clang, "-w", "-O1", "-c", table, "-o", objects[2]])
        objects.append(self.path(".o"))
        command([clang, "-O1", "-c", os.path.join(HERE, "host.c"), "-o", objects[3]])
        executable = self.path(".host")
        command([clang, *objects, "-static", "-Wl,--unresolved-symbols=ignore-all", "-lm", "-o", executable])
        return executable


def command(line):
    p = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if p.returncode:
        raise Failure(p.stdout[-3000:])


def fused(text):
    """Returns Clang's code for the host, with every sum of a product that may be rounded once (FP_CONTRACT) rounded once. Returns
    None if the processor that it is for has no such instruction: Weft rounds twice there. LLVM would decide for each sum on its own,
    and would round twice if the factors turn out to be constant. Weft decides before LLVM sees the sums (prepare/fp_contract.c)."""
    if re.search(r'"target-features"="[^"]*\+fma4?[,"]', text):
        known = set(re.findall(r"^declare .*@(llvm\.fma\.\w+)", text, re.M))
        text = re.sub(r"^declare .*@llvm\.fmuladd\.(\w+).*\n", lambda m: "" if "llvm.fma." + m[1] in known else m[0], text, flags=re.M)
        return text.replace("@llvm.fmuladd.", "@llvm.fma.")
    return None


def records(data):
    """{(kernel, launch, placement): (status, out, sums)}"""
    found, at = {}, 0
    while at < len(data):
        kernel, launch, placement, status, size = RECORD.unpack_from(data, at)
        at += RECORD.size
        found[kernel, launch, placement] = (status, data[at:at + size], data[at + size:at + size + SUMS])
        at += size + SUMS
    return found


def differences(reference, data):
    """[(kernel, sentence)], one a kernel: where data is not what the reference is."""
    if reference == data:
        bad = {}
    else:
        bad = {}
        want, got = records(reference), records(data)
        for key in want:
            if want[key] == got.get(key) or key[0] in bad:
                continue
            where = f"launch {key[1]}, buffers at the {'end' if key[2] else 'front'} of their pages"
            if key not in got:
                bad[key[0]] = f"{where}: no result"
                continue
            (status, out, sums), (status2, out2, sums2) = want[key], got[key]
            if status2 != status:
                bad[key[0]] = f"{where}: {status_text(status2)}"
            else:
                name, a, b = ("out", out, out2) if out != out2 else ("sums", sums, sums2)
                i = next(i for i in range(0, len(a), 4) if a[i:i + 4] != b[i:i + 4])
                count = sum(a[j:j + 4] != b[j:j + 4] for j in range(0, len(a), 4))
                bad[key[0]] = (f"{where}: {name}[{i // 4}] is 0x{int.from_bytes(b[i:i + 4], 'little'):x}, not "
                               f"0x{int.from_bytes(a[i:i + 4], 'little'):x}; {count} of {len(a) // 4} words differ")
    for key, (status, _, _) in records(data).items():
        if status and key[0] not in bad:
            bad[key[0]] = f"launch {key[1]}: {status_text(status)}"
    return sorted(bad.items())


def status_text(status):
    return "a write outside of its buffers" if status == 1 else f"error {status}" if status else "it ran, though the reference did not"


def kernel_names(text):
    return [line.split()[1] for line in text.splitlines() if line.startswith("//: ")]
