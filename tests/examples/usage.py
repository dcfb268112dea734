"""Examples that take a file refuse an option with a line and status 2, and write no file that is called like it. One whose file isn't
there says how to name it, and spirv what is no SPIR-V. Where there is no driver, they ask for it.

usage.py EXAMPLES_FOLDER PROGRAM...
"""
import os
import subprocess
import sys
import tempfile

examples, programs = sys.argv[1], sys.argv[2:]
READERS = {"reduction", "gemm", "spirv", "cpp-for-opencl", "sycl-like"}


def run(*command, **env):
    p = subprocess.run(command, cwd=folder, env=dict(os.environ, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=100)
    print(*command, f"status {p.returncode}", p.stdout, sep="\n", flush=True)
    return p


with tempfile.TemporaryDirectory(prefix="weft-usage-") as folder:
    for program in programs:
        name = os.path.basename(program)
        p = run(program, "--help")
        assert p.returncode == 2 and p.stdout.startswith(f"usage: {name} [") and not os.listdir(folder), name
        if name in READERS:
            p = run(program)
            assert p.returncode == 1 and "(start it in its folder, or name the file)" in p.stdout, name
        else:
            p = run(program, OCL_ICD_VENDORS="/nowhere", OPENCL_VENDOR_PATH="/nowhere")
            assert p.returncode == 1 and "(is a driver installed?)" in p.stdout, name
        if name == "spirv":
            p = run(program, os.path.join(examples, "spirv/filter.cl"))
            assert p.returncode == 1 and "filter.cl is no SPIR-V" in p.stdout, name
        if name == "cpp-for-opencl":
            p = run(program, "picture.png", os.path.join(examples, name), OCL_ICD_VENDORS="/nowhere", OPENCL_VENDOR_PATH="/nowhere")
            assert p.returncode == 1 and "(is a driver installed?)" in p.stdout, name
