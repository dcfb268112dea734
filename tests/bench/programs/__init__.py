"""Real programs as benchmarks: what `scripts/bench --opencv` and `scripts/bench --clients` run.

Each module of NAMES measures one program. ../README.md has their interface and says how to add one. The other modules:

  measure.py     times calls, in the process that measures
  __main__.py    that process: python -m programs NAME
  needs.py       finds a Python that has what a module imports, and makes the virtual environment
  run.py         runs programs on all sides in turn
  table.py       figures, ratios, means
  report.py      the two options of scripts/bench
"""

OPENCV = "opencv"
CLIENTS = ["hashcat", "clblast", "vkfft", "clesperanto", "lightgbm", "openmm", "gputools", "tinygrad", "pyopencl"]
NAMES = [OPENCV, *CLIENTS]

# Programs that belong here, and that neither Debian nor PyPI has in a form that runs OpenCL.
ABSENT = {
    "SHOC": "no package in Debian or PyPI",
    "PolyBench": "no package in Debian or PyPI with its OpenCL kernels",
    "Rodinia": "no package in Debian or PyPI",
    "PRPLL": "no package in Debian or PyPI",
    "FluidX3D": "no package in Debian or PyPI",
}
