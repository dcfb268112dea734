"""Examples find a device also if the first platform has none. Where there is none at all, they say so in a line.

any_platform.py VENDORS EXAMPLES_DIR [-- PROGRAM [ARGUMENT...]]...     VENDORS: the folder with weft.icd; PROGRAM: of a built example
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

vendors, examples, *rest = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
PROJECTS = {"cmake-project": "histogram", "meson-project": "prefix_sum"}
programs = [[]]
for word in rest:
    programs.append([]) if word == "--" else programs[-1].append(word)
programs = programs[1:]


def run(*command):
    # Debian's loader would sort platforms by their devices.
    env = dict(os.environ, OCL_ICD_VENDORS=folder, OPENCL_VENDOR_PATH=folder, OCL_ICD_PLATFORM_SORT="none", PYOPENCL_NO_CACHE="1")
    p = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       errors="replace", timeout=100)
    print(*command, f"status {p.returncode}", p.stdout, sep="\n", flush=True)
    return p


with tempfile.TemporaryDirectory(prefix="weft-platforms-") as folder:
    library = os.path.join(folder, "libnone.so")
    subprocess.run(["cc", "-shared", "-fPIC", os.path.join(here, "driver/no_device.c"), "-o", library], check=True)
    with open(os.path.join(folder, "0-none.icd"), "w", encoding="utf-8") as f:
        f.write(library + "\n")
    for project, name in PROJECTS.items():
        programs.append([os.path.join(folder, name + "_test")])
        sources = glob.glob(os.path.join(examples, project, "*.c"))
        subprocess.run(["cc", "-DCL_TARGET_OPENCL_VERSION=120", *sources, "-lOpenCL", "-o", programs[-1][0]], check=True)
    dask, notebook = ([PYTHON, os.path.join(examples, name)] for name in ("dask-images/dask-images.py", "pyopencl/reaction-diffusion.py"))
    for command in [*programs, dask, notebook]:
        p = run(*command)
        assert p.returncode in (1, 77) and (p.returncode == 77 or re.search("no OpenCL (?:CPU )?device", p.stdout)), command
        assert "Traceback" not in p.stdout and "terminate called" not in p.stdout, command
    shutil.copy(os.path.join(vendors, "weft.icd"), folder)
    for command in [*programs, notebook, [*dask, "--workers", "1"]]:
        p = run(*command)
        # 77: a machine with one processor, or a Python without PyOpenCL.
        assert p.returncode == 0 or (p.returncode == 77 and "skip" in p.stdout), command
