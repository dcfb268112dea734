"""Makes a wheel of an installed Weft: make.py TREE VERSION OUT_FOLDER [--here]. Prints its path.

--here: for this system only, so the binaries may need what they want. TREE is what `cmake --install` made. The tag is that of the
oldest glibc that all binaries run on. The same tree makes the same bytes.
"""
import base64
import csv
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import zipfile

tree, version, out, *options = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
BINARIES = ("lib/libweft.so", "lib/weft/weftc", "bin/weft")
DATA = ("lib/weft/builtins.pack", "lib/weft/support.a", "lib/weft/weft.conf")
ALLOWED = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so\.\d+|ld-linux[-\w]*\.so\.\d+")
METADATA = f"""Metadata-Version: 2.1
Name: weft-opencl
Version: {version}
Summary: Weft, an OpenCL platform for CPUs
License: MIT
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: License :: OSI Approved :: MIT License

`import weft_opencl` before PyOpenCL selects Weft where no other driver is set. `python -m weft_opencl -- PROGRAM` runs any
program on it.
"""


def glibc_of(path):
    """The newest version of glibc that the binary asks for, as (major, minor)."""
    said = subprocess.run(["readelf", "-VdW", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for needed in re.findall(r"\(NEEDED\).*\[([^]]+)\]", said):
        if not ALLOWED.fullmatch(needed) and needed not in OWN:
            sys.exit(f"{path} needs {needed}, which isn't on every system")
    return max(((int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", said)), default=(2, 0))


# The translator and its libraries, if they were made (packaging/wheel/translator.py).
SPIRV = "lib/weft/spirv"
if os.path.isdir(os.path.join(tree, SPIRV)):
    BINARIES += tuple(f"{SPIRV}/{name}" for name in sorted(os.listdir(os.path.join(tree, SPIRV))))
# hwloc, as packaging/wheel/hwloc makes it.
if os.path.exists(os.path.join(tree, "lib/weft/libhwloc.so.15")):
    BINARIES += ("lib/weft/libhwloc.so.15",)
OWN = {os.path.basename(path) for path in BINARIES}


def read(path):
    with open(path, "rb") as f:
        return f.read()


if options == ["--here"]:
    tag = f"py3-none-linux_{platform.machine()}"
else:
    glibc = max(glibc_of(os.path.join(tree, path)) for path in BINARIES)
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{platform.machine()}"
info = f"weft_opencl-{version}.dist-info"
files = {}
for name in "__init__.py", "__main__.py":
    files[f"weft_opencl/{name}"] = read(os.path.join(here, "weft_opencl", name)).replace(b"@VERSION@", version.encode())
for path in BINARIES + DATA:
    files[f"weft_opencl/{path}"] = read(os.path.join(tree, path))
# vendors_dir() writes the library's path into it. What a wheel lists is removed with the package.
files["weft_opencl/vendors/weft.icd"] = b"libweft.so\n"
documents = os.path.join(tree, "share/doc/weft")
for folder, _, names in os.walk(documents):
    for name in names:
        path = os.path.join(folder, name)
        files[f"{info}/licenses/{os.path.relpath(path, documents)}"] = read(path)
files[f"{info}/METADATA"] = METADATA.encode()
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
record = io.StringIO()
rows = csv.writer(record, lineterminator="\n")
for name, data in sorted(files.items()):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    rows.writerow([name, f"sha256={digest}", len(data)])
rows.writerow([f"{info}/RECORD", "", ""])
path = os.path.join(out, f"weft_opencl-{version}-{tag}.whl")
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1 if options else 9) as wheel:
    for name, data in [*sorted(files.items()), (f"{info}/RECORD", record.getvalue().encode())]:
        entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100755 if name.removeprefix("weft_opencl/") in BINARIES else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, data)
print(path)
