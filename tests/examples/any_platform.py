"""Examples for several machines find a device also if the first platform has none.

any_platform.py VENDORS MPIRUN MPI_HEAT DASK_IMAGES     VENDORS: the folder with weft.icd
"""
import os
import shutil
import subprocess
import sys
import tempfile

vendors, mpirun, heat, dask = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
CODE = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("dask_images", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
print([len(p.get_devices()) for p in program.cl.get_platforms()], program.Pipeline(0, 1).units)
"""


def run(*command):
    # Debian's loader would sort platforms by their devices.
    env = dict(os.environ, OCL_ICD_VENDORS=folder, OPENCL_VENDOR_PATH=folder, OCL_ICD_PLATFORM_SORT="none", PYOPENCL_NO_CACHE="1")
    p = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace", timeout=100)
    print(p.stdout, flush=True)
    return p


with tempfile.TemporaryDirectory(prefix="weft-platforms-") as folder:
    library = os.path.join(folder, "libnone.so")
    subprocess.run(["cc", "-shared", "-fPIC", os.path.join(here, "driver/no_device.c"), "-o", library], check=True)
    with open(os.path.join(folder, "0-none.icd"), "w", encoding="utf-8") as f:
        f.write(library + "\n")
    shutil.copy(os.path.join(vendors, "weft.icd"), folder)
    p = run(mpirun, "-np", "1", heat, "20")
    assert p.returncode == 0 and "the result is right" in p.stdout, p.returncode
    p = run(PYTHON, "-c", CODE, dask)
    if p.returncode == 77:
        sys.exit(77)
    assert p.returncode == 0 and p.stdout.startswith("[0, 1] "), p.returncode
