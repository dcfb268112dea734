"""The largest kernels that we know of compile in bounded time: hashcat_builds.py WEFTC. All kernels of two of hashcat's files, of up to
35,000 instructions, fully optimised. What is measured is the compiler's processor time, which a busy machine changes little; the bound
is ten times what it takes (docs/compiler.md), because what it stands against is growth with the square of a kernel's size, or worse.
"""
import os
import resource
import sys
import tempfile
from common import expect, need, run, skip

FOLDER = "/usr/share/hashcat/OpenCL"
FILES = ("m01800-pure.cl", "m20710_a3-optimized.cl")
MAX_SECONDS = 60  # seconds
# As hashcat builds them for a processor.
OPTIONS = ["-D", "KERNEL_STATIC", "-D", f"INCLUDE_PATH={FOLDER}", "-I", FOLDER, "-D", "XM2S(x)=#x", "-D", "M2S(x)=XM2S(x)",
           "-D", "DGST_R0=0", "-D", "DGST_R1=1", "-D", "DGST_R2=2", "-D", "DGST_R3=3", "-D", "DGST_ELEM=16", "-D", "LOCAL_MEM_TYPE=2",
           "-D", "VENDOR_ID=64", "-D", "CUDA_ARCH=0", "-D", "HAS_ADD=0", "-D", "VECT_SIZE=1", "-D", "DEVICE_TYPE=2", "-D", "KERN_TYPE=0",
           "-D", "_unroll", "-w", "-cl-std=CL1.2"]

weftc = sys.argv[1]
need("hashcat")
for name in FILES:
    source = os.path.join(FOLDER, name)
    if not os.path.exists(source):
        skip(f"{source} isn't there: another version of hashcat")
    with tempfile.TemporaryDirectory(prefix="weft-hashcat-") as folder:
        made = os.path.join(folder, "made.weft")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        status, out, err = run([weftc, *OPTIONS, source, "-o", made])
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        expect(status == 0, f"{name}: exit status {status}", out + err)
        print(f"{name}: {seconds:.1f} s of processor time, {os.path.getsize(made)} bytes", flush=True)
        expect(seconds < MAX_SECONDS, f"{name}: more than {MAX_SECONDS} s")
