"""CLBlast's own tests (Debian's clblast-tests): BLAS routines tuned and compiled for the device, checked against the host's BLAS."""
import re
import sys
from common import expect, need, run

ROUTINES = {
    "vectors": "xaxpy xdot xdotc xnrm2 xasum xamax xswap xscal xhad xaxpybatched",
    "matrix_vector": "xgemv xgbmv xhemv xsymv xtrmv xtrsv xger xher2 xspr",
    "matrices": "xgemm xsymm xherk xsyr2k xtrmm xtrsm xgemmbatched xgemmstridedbatched",
    "other": "xomatcopy xim2col",
}

# Where CLBlast's own tests of half fail on every driver that supports it (PoCL too, about as often): the
# first reads indices as halves, the others multiply by an alpha for which the margin is too small, with
# random data.
UNJUDGED = {"xamax": "iHAMAX", "xaxpybatched": "HAXPYBATCHED", "xgemmbatched": "HGEMMBATCHED",
            "xgemmstridedbatched": "HGEMMSTRIDEDBATCHED"}

need("clblast_test_xaxpy")
for routine in ROUTINES[sys.argv[1]].split():
    status, out, err = run([need(f"clblast_test_{routine}")])
    expect(status == 0 or routine in UNJUDGED, f"{routine}: exit status {status}", (out + err)[-4000:])
    out = re.sub(r"\x1b\[[0-9;]*m", "", out)
    parts = re.split(r"(?m)^\* Starting tests for the '(\w+)' routine", out)
    out = parts[0] + "".join(text for name, text in zip(parts[1::2], parts[2::2]) if name != UNJUDGED.get(routine))
    passed = sum(int(n) for n in re.findall(r"(\d+) test\(s\) passed", out))
    failed = sum(int(n) for n in re.findall(r"(\d+) test\(s\) failed", out))
    print(f"{routine}: {passed} passed, {failed} failed")
    expect("Running on OpenCL device" in out, f"{routine} found no device", out[-4000:])
    expect(passed > 0 and failed == 0, f"{routine}: {failed} failed", out[-8000:])
