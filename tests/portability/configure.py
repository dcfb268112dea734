"""What `cmake` says and writes on other people's systems. Nothing is built; the C files are only checked by GCC.

configure.py SOURCE_DIR BUILD_DIR
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

top, build = sys.argv[1:]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def configure(folder, *options):
    """A folder without a translator of SPIR-V, and what CMake said."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("CMAKE_")}
    p = subprocess.run(["cmake", "-G", "Ninja", "-S", top, "-B", folder, "-DWEFT_TESTS=OFF", "-DWEFT_LLVM_SPIRV=", *options], env=env,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


def cached(name):
    return re.search(rf"^{name}:\w+=(.*)$", read(os.path.join(build, "CMakeCache.txt")), re.M)[1]


def commands(folder):
    return json.loads(read(os.path.join(folder, "compile_commands.json")))


def check(entry):
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at:at + 2]
    words.remove("-c")
    # The build makes prelude.inc and entry_points.inc. Headers that packages of their own bring are traps.
    words += ["-isystem", traps, "-fsyntax-only", "-Werror"]
    words += ["-I", os.path.join(build, "lib/compiler"), "-I", os.path.join(build, "tests/icd")]
    done = subprocess.run(words, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory(prefix="weft-configure-") as scratch:
    ours = [f"-DCMAKE_C_COMPILER={cached('CMAKE_C_COMPILER')}", f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}"]

    # Without SPIR-V it is configured, and says so. Warnings are no errors. The folder of libraries is that of
    # docs/install.md.
    folder = os.path.join(scratch, "usr")
    code, said = configure(folder, "-DCMAKE_INSTALL_PREFIX=/usr", *ours)
    assert code == 0, said
    assert re.search(r"^-- Weft: programs from SPIR-V: no", said, re.M), said
    assert re.search(r"^-- Weft: compiler: LLVM \d+\.\d+\.\d+, its static libraries$", said, re.M), said
    assert re.search(r"^-- Weft: tests: no", said, re.M) and re.search(r"^-- Weft: examples: yes$", said, re.M), said
    assert not any("-Werror" in e["command"] for e in commands(folder)), "-Werror without WEFT_WERROR"
    assert "/usr/lib/libweft.so" in said + read(os.path.join(folder, "icd/cmake_install.cmake")).replace("${CMAKE_INSTALL_PREFIX}", "/usr"), \
        "libweft.so isn't installed in lib"
    code, said = configure(folder, "-DWEFT_WERROR=ON")
    assert code == 0 and all("-Werror" in e["command"] for e in commands(folder) if e["file"].endswith(".c")), said

    # What is needed and isn't there is named, with the packages that have it.
    for missing, package in ("-DWEFT_HAS_HWLOC_HEADER=", "libhwloc-dev"), ("-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON", "libpng-dev"):
        code, said = configure(os.path.join(scratch, package), missing, *ours)
        assert code != 0 and package in said, said

    # GCC, with the tests.
    if shutil.which("gcc") and shutil.which("g++"):
        folder = os.path.join(scratch, "gcc")
        code, said = configure(folder, "-DWEFT_TESTS=ON", "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++")
        assert code == 0, said
        traps = os.path.join(scratch, "traps")
        for name in "sanitizer/asan_interface.h", "sanitizer/tsan_interface.h", "valgrind/valgrind.h", "valgrind/memcheck.h":
            os.makedirs(os.path.dirname(os.path.join(traps, name)), exist_ok=True)
            with open(os.path.join(traps, name), "w") as f:
                f.write("#error a package that Weft doesn't ask for has this header\n")
        jobs = {e["file"]: e for e in commands(folder) if e["file"].endswith(".c") and not e["file"].startswith(scratch)}
        wrong = 0
        with concurrent.futures.ThreadPoolExecutor(min(os.cpu_count(), 8)) as pool:
            for path, (code, out) in zip(jobs, pool.map(check, jobs.values())):
                if code:
                    wrong += 1
                    print(f"{path}: GCC\n{out}")
        print(f"GCC: {len(jobs)} files, {wrong} fail")
        assert not wrong
    else:
        print("gcc or g++ isn't installed: not tried")

# The commit is that of Weft's own checkout, or none; the file is written only when it changes.
with tempfile.TemporaryDirectory(prefix="weft-version-") as scratch:
    out = os.path.join(scratch, "version.c")

    def version(source, git):
        subprocess.run(["cmake", f"-DSOURCE={source}", f"-DGIT={git}", f"-DOUT={out}", "-P", os.path.join(top, "cmake/write_version.cmake")],
                       check=True)
        return read(out)

    git = shutil.which("git") or ""
    assert '"+' not in version(scratch, git) and '"+' not in version(os.path.join(top, "lib"), git) and '"+' not in version(top, "")
    own = version(top, git)
    os.utime(out, (1, 1))
    assert version(top, git) == own and os.stat(out).st_mtime == 1
    is_checkout = git and os.path.exists(os.path.join(top, ".git")) and \
        subprocess.run([git, "-C", top, "rev-parse", "HEAD"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    assert bool(re.search(r'"\+[0-9a-f]{10,}(-dirty)?"', own)) == bool(is_checkout), own

# CI's script makes warnings errors.
assert re.search(r"^werror=\S*ON", read(os.path.join(top, "scripts/test")), re.M)

# Recipes for users don't turn the tests off in a folder that scripts/build and ctest use.
for page in ["README.md", *(os.path.join("docs", n) for n in os.listdir(os.path.join(top, "docs")) if n.endswith(".md"))]:
    found = re.search(r"preset (?!install\b)\w+ -DWEFT_TESTS=OFF", read(os.path.join(top, page)))
    assert not found, f"{page}: {found[0]}"
presets = {p["name"]: p for p in json.loads(read(os.path.join(top, "CMakePresets.json")))["configurePresets"]}
assert presets["install"]["cacheVariables"]["WEFT_TESTS"] == "OFF"
