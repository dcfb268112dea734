"""clinfo asks every query there is: one platform and one device, and no query error."""
import re
from common import expect, need, run

need("clinfo")
status, out, err = run(["clinfo"])
expect(status == 0, f"exit status {status}", out + err)
expect(re.search(r"Number of platforms\s+1\b", out), "not one platform", out)
expect(re.search(r"Platform Name\s+Weft", out), "the platform is not Weft", out)
expect(re.search(r"Device Type\s+CPU", out), "no CPU device", out)
bad = [l for l in out.splitlines() if re.search(r"<.*(error|CL_INVALID|CL_OUT_OF).*>|error -?\d+", l, re.I)]
expect(not bad, "query errors:\n" + "\n".join(bad))
expect(not err.strip(), "complaints on stderr", err)

# A loader of OpenCL 3.0 has no functions of 3.1, as README.md says: clinfo notes that, and not of a platform
# of 3.0.
note = "only supports OpenCL 3.0"
loader_is_older = bool(re.search(r"ICD loader Profile\s+OpenCL 3\.0", out))
expect((note in out) == loader_is_older, "the note on the loader's version", out)
status, out, err = run(["clinfo"], env={"WEFT_CL_VERSION": "3.0"})
expect(status == 0 and note not in out + err, "a note on the version, of a platform of 3.0", out + err)

status, out, err = run(["clinfo", "--raw"])
expect(status == 0 and "CL_DEVICE_NAME" in out, "clinfo --raw failed", out + err)
bad = [l for l in out.splitlines() if re.search(r"CL_INVALID|CL_OUT_OF|error", l)]
expect(not bad, "raw query errors:\n" + "\n".join(bad))
