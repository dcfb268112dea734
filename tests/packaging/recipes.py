"""The recipes in packaging/ are well-formed, as far as the tools here can say, and fit this version and CMake's options.

recipes.py SOURCE_DIR VERSION
"""
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile

top, version = sys.argv[1:]
folder = os.path.join(top, "packaging")
RECIPES = ("rpm/weft.spec", "arch/PKGBUILD", "conda/meta.yaml", "spack/package.py", "nix/default.nix", "julia/build_tarballs.jl",
           "action/action.yml", "container/Containerfile")
VERSIONS = {"rpm/weft.spec": r"^Version: +(\S+)$", "arch/PKGBUILD": r"^pkgver=(\S+)$", "conda/meta.yaml": r'set version = "(.*)"',
            "nix/default.nix": r'^  version = "(.*)";$', "julia/build_tarballs.jl": r'^version = v"(.*)"$'}


def read(*path):
    with open(os.path.join(top, *path), encoding="utf-8") as f:
        return f.read()


def ask(command, text=None):
    p = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout


cmake = "".join(read(path) for path in ("CMakeLists.txt", "icd/CMakeLists.txt", "cmake/llvm.cmake"))
options = set(re.findall(r"(?:option\(|set\(|find_program\()(WEFT_\w+)", cmake))
for name in RECIPES:
    text = read("packaging", name)
    assert "Checked: " in text.split("\n")[0], f"{name} doesn't say what was checked"
    unknown = {o for o in re.findall(r'-D(WEFT_\w+)=|define\w*\("(WEFT_\w+)"', text) for o in o if o} - options
    assert not unknown, f"{name}: CMake knows no {unknown}"
for name, pattern in VERSIONS.items():
    found = re.search(pattern, read("packaging", name), re.M)
    assert found and found.group(1) == version, f"{name} has another version than {version}"

recipe = read("packaging/spack/package.py")
names = [n.name for n in ast.parse(recipe).body if isinstance(n, ast.ClassDef)]
assert names == ["WeftOpencl"], names
shown = ask(["bash", "-c", f'set -eu; . "$1"; echo "$pkgname $pkgver ${{#makedepends[@]}}"; type build package >/dev/null', "bash",
             os.path.join(folder, "arch/PKGBUILD")])
assert shown.startswith(f"weft-opencl {version} "), shown

missing = []
if shutil.which("rpmspec"):
    with tempfile.TemporaryDirectory() as home:
        said = ask(["rpmspec", "-D", f"_topdir {home}", "-P", os.path.join(folder, "rpm/weft.spec")])
    assert f"Source0:        weft-{version}.tar.xz" in said, said
else:
    missing.append("rpmspec")
if shutil.which("nix-instantiate"):
    assert "mkDerivation" in ask(["nix-instantiate", "--parse", "-"], read("packaging/nix/default.nix"))
else:
    missing.append("nix-instantiate")
if shutil.which("yamllint"):
    ask(["yamllint", "-d", "{extends: default, rules: {line-length: disable}}", os.path.join(folder, "action/action.yml")])
else:
    missing.append("yamllint")
try:
    import yaml
except ImportError:
    missing.append("python3-yaml")
else:
    steps = yaml.safe_load(read("packaging/action/action.yml"))["runs"]["steps"]
    for step in steps:
        ask(["bash", "-n"], step["run"])
    # What Jinja would put there isn't YAML.
    lines = [re.sub(r"\{\{.*?\}\}", "x", line) for line in read("packaging/conda/meta.yaml").split("\n") if not line.startswith("{%")]
    parts = yaml.safe_load("\n".join(lines))
    assert parts["package"]["name"] == "weft-opencl" and parts["requirements"]["run"], parts
if missing:
    print("not checked further, for lack of: " + ", ".join(missing))
