"""Weft, an OpenCL platform for CPUs, for the programs of a Python environment.

    import weft_opencl        # selects Weft where the environment names no other driver; before pyopencl
    import pyopencl

    python -m weft_opencl -- PROGRAM ...       runs any program on Weft
    weft_opencl.vendors_dir()                  a folder for OCL_ICD_VENDORS

Loaders of OpenCL find drivers through the environment. The loader that PyOpenCL's wheel brings is one of them, so that neither
this package nor PyOpenCL writes into the other's folder.
"""
import atexit
import hashlib
import os
import shutil
import tempfile

__version__ = "@VERSION@"
_HERE = os.path.dirname(os.path.abspath(__file__))
# ocl-icd reads the first, Khronos's loader the first and the second, old ones of both the third.
VARIABLES = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH")


def library():
    """The path of libweft.so. Loaders take it in place of a folder."""
    return os.path.join(_HERE, "lib", "libweft.so")


def environment():
    """The variables that select this Weft in another process."""
    return {"OCL_ICD_VENDORS": library(), "OCL_ICD_FILENAMES": library()}


def selected_by_others():
    """Does the environment name a driver or a folder of drivers already?"""
    return any(os.environ.get(name) for name in VARIABLES)


def select():
    """Selects this Weft in this process, whatever the environment says. Call it before OpenCL is first used."""
    for name in VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(environment())


def _write(folder):
    """Makes folder/weft.icd, which names the library. Another process may do the same at the same time."""
    path, text = os.path.join(folder, "weft.icd"), library() + "\n"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.stat(folder).st_uid != os.getuid() and not os.path.exists(path):
        raise PermissionError(folder)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return folder
    descriptor, new = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(new, 0o644)
    os.replace(new, path)
    return folder


def vendors_dir():
    """A folder with a vendor file that names this library: beside it, or where that can't be written in the user's cache, or a
    folder that lasts as long as this process. If the package is moved, the file is written anew."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    place = hashlib.sha256(library().encode()).hexdigest()[:16]
    for folder in (os.path.join(_HERE, "vendors"), os.path.join(cache, "weft-opencl", place)):
        try:
            return _write(folder)
        except OSError:
            continue
    folder = tempfile.mkdtemp(prefix="weft-opencl-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _write(folder)


if not selected_by_others():
    select()
