"""Makes the SPIR-V translator of this system a folder that works anywhere: translator.py LLVM_SPIRV OUT_FOLDER

The system's program needs LLVM's shared library, of 110 MB, and much that only that library needs. So a small library of the same
name is linked from LLVM's static ones. It has what the translator asks for and nothing else. The program finds what lies beside it.
Needs patchelf, and the static libraries of the translator's LLVM (Debian: llvm-15-dev for llvm-spirv-15).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, out = sys.argv[1:]
SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|librt)\.so\.\d+|ld-linux[-\w]*\.so\.\d+|linux-vdso\.so\.\d+")
KEPT = re.compile(r"libLLVMSPIRVLib\.so\..*|libstdc\+\+\.so\.\d+|libgcc_s\.so\.\d+")


def say(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def needed(path):
    return re.findall(r"NEEDED +(\S+)", say("objdump", "-p", path))


libraries = dict(re.findall(r"^\s*(\S+) => (/\S+)", say("ldd", program), re.M))
llvm = [name for name in libraries if re.fullmatch(r"libLLVM(-\d+)?\.so\.[\d.]+", name)]
if len(llvm) != 1:
    sys.exit(f"{program} isn't linked with LLVM's shared library: {sorted(libraries)}")
llvm = llvm[0]
kept = [name for name in libraries if KEPT.fullmatch(name)]
version = re.search(r"\d+", llvm).group()
config = f"/usr/lib/llvm-{version}/bin/llvm-config"
if not os.path.exists(config):
    sys.exit(f"there is no {config}: install llvm-{version}-dev")

os.makedirs(out, exist_ok=True)
files = [shutil.copy(program, os.path.join(out, "llvm-spirv"))]
for name in kept:
    files.append(shutil.copy(libraries[name], os.path.join(out, name)))

# The symbols that are asked for, by the name of their version.
asked = {}
for path in files:
    for symbol, node in re.findall(r" [Uvw] (\S+)@(LLVM_\S+)$", say("nm", "-D", path), re.M):
        asked.setdefault(node, set()).add(symbol)
# LLVM before 18 asks the terminal's description for colours. The translator writes to no terminal, so there is none.
NO_TERMINAL = """struct terminal;
int setupterm(const char *name, int file, int *error) { (void)name, (void)file; if (error) *error = 0; return -1; }
struct terminal *set_curterm(struct terminal *t) { (void)t; return 0; }
int del_curterm(struct terminal *t) { (void)t; return -1; }
int tigetnum(const char *name) { (void)name; return -1; }
"""
with tempfile.TemporaryDirectory() as scratch:
    terminal = os.path.join(scratch, "terminal.o")
    subprocess.run([shutil.which("cc") or "clang", "-fPIC", "-ffunction-sections", "-O2", "-x", "c", "-c", "-", "-o", terminal], input=NO_TERMINAL,
                   text=True, check=True)
    script, roots = os.path.join(scratch, "versions"), os.path.join(scratch, "roots")
    with open(script, "w", encoding="utf-8") as f:
        for node, symbols in sorted(asked.items()):
            f.write(f"{node} {{ global:\n" + "".join(f'"{s}";\n' for s in sorted(symbols)) + "local: *; };\n")
    with open(roots, "w", encoding="utf-8") as f:
        f.write("".join(f"-Wl,-u,{s}\n" for symbols in asked.values() for s in sorted(symbols)))
    small = os.path.join(out, llvm)
    link = subprocess.run([shutil.which(f"clang++-{version}") or "c++", "-shared", "-o", small, f"-Wl,-soname,{llvm}",
                    f"-Wl,--version-script={script}", "-Wl,--gc-sections", "-Wl,--as-needed", "-Wl,-z,defs", "-s", f"@{roots}",
                    "-Wl,--start-group", *say(config, "--link-static", "--libfiles", "all").split(), "-Wl,--end-group",
                    terminal, "-l:libz.a", "-l:libzstd.a", "-lpthread", "-ldl", "-lm"], stderr=subprocess.PIPE, text=True)
    if link.returncode:
        sys.exit(f"the library for the translator can't be linked:\n{link.stderr[-3000:]}")
files.append(small)
for path in files:
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", path], check=True)
    there = {os.path.basename(p) for p in files}
    for name in needed(path):
        if name not in there and not SYSTEM.fullmatch(name):
            sys.exit(f"{path} needs {name}, which isn't on every system")
print("\n".join(files))
