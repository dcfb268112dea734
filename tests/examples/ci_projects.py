"""examples/ci: the script builds and tests a Meson project, too. A failing test fails it and is in the results; so does a project
without tests. What it can't do is said before anything is built.

ci_projects.py EXAMPLES_DIR VENDORS     VENDORS: the folder with weft.icd
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

examples, vendors = map(os.path.abspath, sys.argv[1:])
NEEDED = "gcc libc6-dev make cmake meson pkg-config ocl-icd-opencl-dev opencl-c-headers ca-certificates libhwloc15 zlib1g libzstd1"


def run(*projects, opencl_vendors=vendors):
    env = {name: value for name, value in os.environ.items() if not name.startswith("DRIVER_") and name != "BUILD_DIR"}
    p = subprocess.run(["sh", os.path.join(examples, "ci/test-on-weft.sh"), *projects], env={**env, "OPENCL_VENDORS": opencl_vendors},
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(p.stdout, flush=True)
    return p


def change(path, old, new):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert text.count(old) == 1, (path, old)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))


def results():
    with open("meson-project/build/results.xml", encoding="utf-8") as f:
        return re.findall(r'<testsuite\b[^>]*\b(tests|failures)="(\d+)"[^>]*\b(tests|failures)="(\d+)"', f.read())


if subprocess.run(["dpkg", "-s", *NEEDED.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
    print("skip: the script would install packages")
    sys.exit(77)
with tempfile.TemporaryDirectory(prefix="weft-ci-") as folder:
    os.chdir(folder)
    os.mkdir("empty")
    for projects, where, said in (([], vendors, "no project is named"), (["empty"], vendors, "neither CMakeLists.txt nor meson.build"),
                                  (["meson-project"], "empty", "there is no *.icd in empty"),
                                  (["meson-project"], "/nowhere", "there is no *.icd in /nowhere")):
        shutil.copytree(os.path.join(examples, "meson-project"), "meson-project", dirs_exist_ok=True)
        p = run(*projects, opencl_vendors=where)
        assert p.returncode == 2 and said in p.stdout and "==" not in p.stdout, p.returncode
    for build, command in (("cmake-project", ["cmake", "-DOPENCL_VENDORS=/nowhere", "-B", "build", "-S"]),
                           ("meson-project", ["meson", "setup", "-Dopencl_vendors=/nowhere", "build"])):
        p = subprocess.run([*command, os.path.join(examples, build)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert p.returncode != 0 and "there is no *.icd in /nowhere" in p.stdout, p.stdout
        shutil.rmtree("build")
    for _ in range(2):  # the second time with a folder that is built
        p = run("meson-project")
        assert p.returncode == 0 and re.search(r"^Ok: +1\b", p.stdout, re.M) and results(), p.returncode
        print(results())
    change("meson-project/prefix_sum.c", "in[i] + in[i - distance]", "in[i] - in[i - distance]")
    p = run("meson-project")
    assert p.returncode == 1 and re.search(r"^Fail: +1\b", p.stdout, re.M) and "4096 numbers: WRONG" in p.stdout and results(), p.returncode
    print(results())
    change("meson-project/meson.build", "test('prefix_sum',", "set_variable('none',")
    change("meson-project/meson.build", ",\n     env: test_environment, timeout: 120)", ")")
    p = run("meson-project")
    assert p.returncode == 1 and "meson-project has no tests" in p.stdout, p.returncode
