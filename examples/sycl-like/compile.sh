#!/bin/sh
# compile.sh SOURCE OUTPUT.spv [OPTION...]: compiles OpenCL C or C++ for OpenCL to SPIR-V 1.2.
# Clang makes bitcode, which the translator of the same LLVM takes. Exit status 77: no version of both is installed.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: compile.sh SOURCE OUTPUT.spv [OPTION...]" >&2
    exit 2
fi
for version in 19 18 17 16 15; do
    if command -v "clang-$version" >/dev/null && command -v "llvm-spirv-$version" >/dev/null; then
        source=$1
        output=$2
        shift 2
        "clang-$version" -c -O2 -target spir64 -emit-llvm "$@" "$source" -o "$output.bc"
        "llvm-spirv-$version" --spirv-max-version=1.2 "$output.bc" -o "$output"
        rm "$output.bc"
        exit 0
    fi
done
echo "compile.sh: clang-N and llvm-spirv-N of the same version are needed, as Debian's clang-15 and llvm-spirv-15" >&2
exit 77
