"""WEFT_NUMA on a virtual machine with two NUMA nodes: where threads and memory are (numa_machine/guest.c).

numa_machine.py BUILD_DIR GUEST_PROGRAM

Needs qemu-system-x86_64, and the image of a Linux: WEFT_TEST_KERNEL, or one in /boot. The machine is emulated, so this takes
about a minute.
"""
import glob
import gzip
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile

build, guest = sys.argv[1:]
qemu = shutil.which("qemu-system-x86_64")
kernels = [os.environ["WEFT_TEST_KERNEL"]] if "WEFT_TEST_KERNEL" in os.environ else sorted(glob.glob("/boot/vmlinuz-*"))
kernels = [k for k in kernels if os.access(k, os.R_OK)]
if platform.machine() != "x86_64" or not qemu or not kernels:
    print("there is no qemu-system-x86_64, or no image of a Linux in /boot")
    sys.exit(77)


class Archive:
    """An initial file system, in the format of cpio that Linux reads (Documentation/driver-api/early-userspace)."""

    def __init__(self):
        self.data, self.known = bytearray(), set()

    def entry(self, name, mode, content=b""):
        fields = [len(self.known), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        self.data += b"070701" + b"".join(b"%08x" % f for f in fields) + name.encode() + b"\0"
        self.data += b"\0" * (-len(self.data) % 4)
        self.data += content
        self.data += b"\0" * (-len(self.data) % 4)

    def add(self, name, content, mode=0o755):
        name = name.lstrip("/")
        if name in self.known:
            return
        for i in [m.start() for m in re.finditer("/", name)]:
            if name[:i] not in self.known:
                self.known.add(name[:i])
                self.entry(name[:i], stat.S_IFDIR | 0o755)
        self.known.add(name)
        self.entry(name, stat.S_IFREG | mode, content)

    def copy(self, path, name=None):
        with open(path, "rb") as f:
            self.add(name or path, f.read())

    def end(self):
        self.entry("TRAILER!!!", 0)
        return gzip.compress(bytes(self.data), 1)


def libraries(path):
    """What the loader would load for a file, with the loader itself."""
    out = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.findall(r"(/\S+) \(0x", out)


def stripped(path, folder):
    out = os.path.join(folder, os.path.basename(path))
    tool = shutil.which("strip") or shutil.which("llvm-strip-19")
    if not tool or subprocess.run([tool, "-o", out, path]).returncode != 0:
        shutil.copy(path, out)
    return out


def make_file_system(folder):
    a, lib = Archive(), os.path.join(build, "lib")
    hwloc = re.search(r"libhwloc\.so\.15 .*=> (\S+)", subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, text=True).stdout)
    if not hwloc:
        print("hwloc isn't installed")
        sys.exit(77)
    weftc = stripped(os.path.join(lib, "weft/weftc"), folder)
    a.copy(guest, "/init")
    a.copy(os.path.join(lib, "libweft.so"), "/weft/libweft.so")
    a.copy(weftc, "/weft/weft/weftc")
    a.copy(os.path.join(lib, "weft/builtins.pack"), "/weft/weft/builtins.pack")
    a.add("/weft/vendors/weft.icd", b"/weft/libweft.so\n")
    for program in guest, os.path.join(lib, "libweft.so"), weftc, hwloc[1]:
        for library in libraries(program):
            a.copy(library)
    a.copy(hwloc[1])
    path = os.path.join(folder, "files.gz")
    with open(path, "wb") as f:
        f.write(a.end())
    return path


def run(files):
    command = [qemu, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "4,sockets=2,cores=2,threads=1", "-m", "2G",
               "-object", "memory-backend-ram,id=a,size=1G", "-object", "memory-backend-ram,id=b,size=1G",
               "-numa", "node,nodeid=0,cpus=0-1,memdev=a", "-numa", "node,nodeid=1,cpus=2-3,memdev=b",
               "-kernel", kernels[-1], "-initrd", files, "-nographic", "-no-reboot",
               "-append", "console=ttyS0 quiet panic=-1 numa_balancing=disable"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900).stdout


with tempfile.TemporaryDirectory(prefix="weft-numa-") as folder:
    said = run(make_file_system(folder)).decode(errors="replace").replace("\r", "")
print(said)
lines = said.splitlines()
assert "the machine ends" in said, "the machine didn't come to its end"
assert not [line for line in lines if line.startswith("FAIL")], "see above"
assert len([line for line in lines if line.startswith("ok ")]) == 22, "some checks weren't made"
