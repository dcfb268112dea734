"""Programs run where the system calls of Linux 5.1 and later don't exist: kernels, images, faults, programs from SPIR-V.

linux_4_18.py BUILD_DIR TEST_PROGRAM...
"""
import os
import re
import subprocess
import sys
import tempfile

import call_filter

build, *programs = sys.argv[1:]
if not call_filter.works(call_filter.as_linux_4_18):
    print("no filter of system calls is allowed here")
    sys.exit(77)
# The filter does what it should: this call is in every Linux since 5.9.
tried = "import ctypes; l = ctypes.CDLL(None, use_errno=True); l.syscall(436, 900, 900, 0); print(ctypes.get_errno())"
env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_") or k.startswith("WEFT_TEST_")}
env.update(OCL_ICD_VENDORS=os.path.join(build, "vendors"), OPENCL_VENDOR_PATH=os.path.join(build, "vendors"), WEFT_CACHE="0", WEFT_CONF="none")


def run(*command, **more):
    p = subprocess.run(command, env=dict(env, **more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                       preexec_fn=call_filter.as_linux_4_18)
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout, p.stderr


assert run(sys.executable, "-c", tried)[0].strip() == "38", "the filter lets close_range through"
for program in programs:
    out, said = run(program, WEFT_LOG="warn")
    assert re.search(r"^ok ", out, re.M) and not re.search(r"^not ok ", out, re.M), out
    # What is missing there is nothing that a user could mend, so nobody is warned of it.
    assert "not implemented" not in said, said
