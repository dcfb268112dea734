"""`scripts/bench --list` names the cases where nothing is built, and builds nothing. It names those that the program has.

bench_list.py SOURCE_DIR WEFT_BENCH"""
import os
import shutil
import subprocess
import sys
import tempfile

top, program = (os.path.abspath(p) for p in sys.argv[1:])


def output(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


with tempfile.TemporaryDirectory(prefix="weft-bench-list-") as tree:
    os.mkdir(os.path.join(tree, "scripts"))
    script = shutil.copy(os.path.join(top, "scripts/bench"), os.path.join(tree, "scripts"))
    os.symlink(os.path.join(top, "tests"), os.path.join(tree, "tests"))
    for globs in [], ["math_*"], ["build_1*", "scan"]:
        listed = output(sys.executable, script, "--list", *globs).splitlines()
        listed = [line for line in listed if not line.startswith("clinfo_")]
        own = output(program, "--list", *globs).splitlines()
        assert own and listed == own, f"{globs}: only one of scripts/bench and weft-bench lists\n" + "\n".join(sorted({*listed} ^ {*own}))
    assert not os.path.exists(os.path.join(tree, "build")), "scripts/bench --list builds something"
