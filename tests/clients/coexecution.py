"""examples/coexecution on Weft and Debian's PoCL: both compute the same. Without Weft, or without a second platform, it says so.

coexecution.py PROGRAM VENDORS_DIR"""
import os
import sys
import tempfile
from common import expect, run, skip

program, vendors = sys.argv[1:]
POCL = "/etc/OpenCL/vendors/pocl.icd"


def example(folder, *options):
    return run([program, *options], timeout=300, env={"OCL_ICD_VENDORS": folder, "OPENCL_VENDOR_PATH": folder})


status, out, err = example(vendors)
expect(status == 77 and "there is no second platform" in err, f"alone: exit status {status}", out + err)
with tempfile.TemporaryDirectory(prefix="weft-coexecution-") as folder:
    if not os.path.exists(POCL):
        skip("PoCL isn't installed")
    os.symlink(POCL, os.path.join(folder, "pocl.icd"))
    status, out, err = example(folder, "--scaling")
    expect(status == 1 and "there is no platform Weft" in err, f"scaling without Weft: exit status {status}", out + err)
    os.symlink(os.path.join(vendors, "weft.icd"), os.path.join(folder, "weft.icd"))
    status, out, err = example(folder)
    expect(status == 0 and "the results are equal" in out, f"two devices: exit status {status}", out + err)
    expect("Weft: " in out and "Portable Computing Language: " in out, "the devices aren't named", out)
