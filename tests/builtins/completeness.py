#!/usr/bin/env python3
"""Checks that builtins.pack defines every built-in function that a program may call.

usage: completeness.py --clang CLANG --pack builtins.pack --features features.def

What a program may call is every prototype of Clang's opencl-c.h, under the extensions and features that features.def
offers, for each version of OpenCL C. The prototypes are made definitions and compiled, so that Clang mangles the names. What the
compiler lowers itself is listed here and must not be in the pack.
"""
import argparse
import re
import struct
import subprocess
import sys
import tempfile

VERSIONS = ["CL1.0", "CL1.1", "CL1.2", "CL3.0"]
LOWERED = re.compile(
    r"_Z\d+(get_(global_id|local_id|group_id|global_size|local_size|enqueued_local_size|num_groups|global_offset|work_dim|"
    r"global_linear_id|local_linear_id|(max_)?sub_group_size|(enqueued_)?num_sub_groups|sub_group_(local_)?id)|barrier|"
    r"work_group_barrier|sub_group_barrier|(read_|write_)?mem_fence|atomic_work_item_fence|get_fence)([jv]|PU3AS4)")
# Images of several samples: no row of features.def, so no program may use them. Blocks that are written to
# images that are read only: a misprint in the header (cl_intel_subgroups_short).
NOT_OFFERED = re.compile(r"\bimage\w*_msaa_\w*t\b|\bget_image_num_samples\b|block_write\w*\([^)]*read_only")
# Clang's header names these types in two ways; the definitions would be the same function.
SAME = {"atomic_uintptr_t": "atomic_ulong", "atomic_intptr_t": "atomic_long", "atomic_size_t": "atomic_ulong",
        "atomic_ptrdiff_t": "atomic_long", "uintptr_t": "ulong", "intptr_t": "long", "ptrdiff_t": "long",
        "size_t": "ulong"}


def symbols(path):
    with open(path, "rb") as file:
        pack = file.read()
    magic, version, _, count, _, table, strings, size = struct.unpack_from("<4sIIIQQQQ", pack)
    if (magic, version, size) != (b"WBPK", 2, len(pack)):
        sys.exit(f"{path}: not a builtins.pack of version 2")
    names = []
    for index in range(count):
        offset = strings + struct.unpack_from("<I", pack, table + 8 * index)[0]
        names.append(pack[offset:pack.index(b"\0", offset)])
    if names != sorted(set(names)):
        sys.exit(f"{path}: the symbols aren't sorted and unique")
    return {name.decode() for name in names}


def offered(path):
    with open(path, encoding="ascii") as file:
        return re.findall(r"^WEFT_(?:\w+_)?(?:EXTENSION|FEATURE)\((\w+),", file.read(), re.M)


def run(arguments, **options):
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if result.returncode:
        sys.exit(f"{' '.join(arguments)}\n{result.stderr[:4000]}")
    return result.stdout


def prototypes(clang, version, features):
    """The mangled names of every function that the header declares."""
    language = [clang, "-target", "spir64", "-x", "cl", f"-cl-std={version}", "-cl-no-stdinc", "-Xclang",
                "-cl-ext=-all," + ",".join("+" + name for name in features)]
    # Clang's header offers everything to SPIR; this target isn't meant.
    language += ["-U__SPIR__", "-U__SPIR64__", *(f"-D{name}=1" for name in features if version == "CL3.0")]
    text = run([*language, "-w", "-E", "-P", "-include", "opencl-c-base.h", "-include", "opencl-c.h", "/dev/null"])
    start = text.rindex("\n", 0, text.index("__attribute__((overloadable))"))
    types, declarations = text[:start], re.sub(r"\s*\n\s*", " ", text[start:])
    declarations = re.sub(r"#pragma OPENCL EXTENSION \w+ ?: ?\w+", "", declarations)
    for name, canonical in SAME.items():
        declarations = re.sub(rf"\b{name}\b", canonical, declarations)
    definitions = [d.strip() + " { __builtin_trap(); }" for d in declarations.split(";")
                   if "overloadable" in d and not NOT_OFFERED.search(d)]
    if len(definitions) < 5000:
        sys.exit(f"only {len(definitions)} prototypes of {version} were found: does the header look different now?")
    with tempfile.NamedTemporaryFile("w", suffix=".cl") as file:
        file.write(types + "\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" + "\n".join(dict.fromkeys(definitions)) + "\n")
        file.flush()
        ir = run([*language, "-w", "-O0", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", file.name])
    return set(re.findall(r"^define [^@]*@(\w+)\(", ir, re.M))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--pack", required=True)
    parser.add_argument("--features", required=True)
    options = parser.parse_args()
    have, features, failed = symbols(options.pack), offered(options.features), False
    for version in VERSIONS:
        wanted = prototypes(options.clang, version, features)
        missing = sorted(name for name in wanted - have if not LOWERED.match(name))
        print(f"{version}: {len(wanted)} functions, {len(missing)} missing")
        for name in missing[:20]:
            print(f"  missing {name}")
        failed |= bool(missing)
    twice = sorted(name for name in have if LOWERED.match(name))
    for name in twice:
        print(f"  lowered by the compiler, yet in the pack: {name}")
    sys.exit(1 if failed or twice else 0)


if __name__ == "__main__":
    main()
