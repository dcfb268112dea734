"""`scripts/bench --list` names the program's cases, and builds nothing: where the program isn't built it says so and fails.

bench_list.py SOURCE_DIR WEFT_BENCH"""
import os
import shutil
import subprocess
import sys
import tempfile

top, program = (os.path.abspath(p) for p in sys.argv[1:])


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


with tempfile.TemporaryDirectory(prefix="weft-bench-list-") as tree:
    os.mkdir(os.path.join(tree, "scripts"))
    script = shutil.copy(os.path.join(top, "scripts/bench"), os.path.join(tree, "scripts"))
    os.symlink(os.path.join(top, "tests"), os.path.join(tree, "tests"))
    unbuilt = run(sys.executable, script, "--list")
    assert unbuilt.returncode != 0 and "scripts/build" in unbuilt.stderr and not unbuilt.stdout, unbuilt
    assert not os.path.exists(os.path.join(tree, "build")), "scripts/bench --list builds something"
    folder = os.path.join(tree, "build/release/tests/bench")
    os.makedirs(folder)
    os.symlink(program, os.path.join(folder, "weft-bench"))
    for globs in [], ["math_*"], ["build_1*", "scan"]:
        listed = [line for line in run(sys.executable, script, "--list", *globs).stdout.splitlines() if not line.startswith("clinfo_")]
        own = run(program, "--list", *globs).stdout.splitlines()
        assert own and listed == own, f"{globs}: {sorted({*listed} ^ {*own})}"
