"""What a program needs: a Python with its modules, commands, libraries. The virtual environment is made here too.

A module of programs says it with IMPORTS (modules of Python), PYPI (the packages that have them), COMMANDS, LIBRARIES
(sonames), and DEBIAN (the packages that have those two).
"""
import ctypes
import importlib
import os
import shutil
import subprocess
import sys

DEBIAN_PYTHON = "/usr/bin/python3"  # Debian's modules belong to it, whichever Python runs this


def load(name):
    return importlib.import_module(f"programs.{name}")


def venv_python(folder):
    return os.path.join(folder, "bin/python")


def has(python, modules):
    """Whether this Python finds all of these modules. They aren't imported: some look for devices when they are."""
    if not python or not shutil.which(python):
        return False
    code = "import sys, importlib.util as u; sys.exit(any(u.find_spec(m) is None for m in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *modules], stderr=subprocess.DEVNULL).returncode == 0


def python_for(program, venv):
    """The Python that has what the program imports, or None."""
    wanted = getattr(program, "IMPORTS", [])
    return next((p for p in (venv_python(venv), DEBIAN_PYTHON, sys.executable) if has(p, wanted)), None)


def absent_library(name):
    try:
        ctypes.CDLL(name)
    except OSError:
        return True
    return False


def missing(program, venv):
    """Why the program can't be measured, or None."""
    absent = [c for c in getattr(program, "COMMANDS", []) if not shutil.which(c)]
    absent += [n for n in getattr(program, "LIBRARIES", []) if absent_library(n)]
    if absent:
        return f"{', '.join(absent)} missing; Debian: apt-get install {' '.join(program.DEBIAN)}"
    if not python_for(program, venv):
        return (f"no Python has {', '.join(program.IMPORTS)}; "
                f"python3 -m venv {venv} && {venv}/bin/pip install {' '.join(map(repr, program.PYPI))}")
    return None


def install(programs, venv):
    """Makes the virtual environment, and puts into it what the programs lack. Failures are only reported: `missing` then says
    what to do by hand."""
    wanted = sorted({package for p in programs if not python_for(p, venv) for package in getattr(p, "PYPI", [])})
    if not wanted:
        return
    print(f"scripts/bench: installing {', '.join(wanted)} from PyPI into {venv}", file=sys.stderr)
    if not os.path.exists(venv_python(venv)):
        if subprocess.run([sys.executable, "-m", "venv", venv], stdout=sys.stderr).returncode != 0:
            print("scripts/bench: no virtual environment could be made (Debian: python3-venv)", file=sys.stderr)
            return
    for package in wanted:  # one by one: one that can't be had doesn't keep the others away
        pip = [venv_python(venv), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        if subprocess.run(pip, stdout=sys.stderr).returncode != 0:
            print(f"scripts/bench: {package} could not be installed. Without a network, copy a virtual environment\n"
                  f"  that has it from another machine, or its wheels (pip download there, pip install --no-index\n"
                  f"  --find-links FOLDER here), and name it with --venv.", file=sys.stderr)
