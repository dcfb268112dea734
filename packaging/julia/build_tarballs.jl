# Checked: its version, by hand otherwise. Not built: Julia and BinaryBuilder aren't on the machines of this project.
# julia packaging/julia/build_tarballs.jl x86_64-linux-gnu-cxx11
using BinaryBuilder

name = "Weft"
version = v"0.2.0"
sources = [DirectorySource(joinpath(@__DIR__, "..", ".."); target = "weft")]

# weftc is linked with LLVM's static libraries. OpenCL.jl finds the driver by its path.
script = raw"""
cd ${WORKSPACE}/srcdir/weft
cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=${prefix} \
    -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TARGET_TOOLCHAIN} -DLLVM_DIR=${prefix}/lib/cmake/llvm \
    -DWEFT_LLVM_SPIRV= -DWEFT_TESTS=OFF -DWEFT_EXAMPLES=OFF -DWEFT_ICD_VENDORS_DIR=${prefix}/etc/OpenCL/vendors
cmake --build build -j${nproc}
cmake --install build
install_license LICENSE
"""

platforms = [Platform("x86_64", "linux"; libc = "glibc"), Platform("aarch64", "linux"; libc = "glibc")]
platforms = expand_cxxstring_abis(platforms)
products = [LibraryProduct("libweft", :libweft; dont_dlopen = true), FileProduct("lib/weft/weftc", :weftc)]
dependencies = [
    BuildDependency(PackageSpec(name = "LLVM_full_jll", version = v"19")),
    BuildDependency("OpenCL_Headers_jll"),
    Dependency("Hwloc_jll"),
    Dependency("Zlib_jll"),
    Dependency("Zstd_jll"),
    Dependency("XML2_jll"),
]

build_tarballs(ARGS, name, version, sources, script, platforms, products, dependencies;
               julia_compat = "1.10", preferred_gcc_version = v"12")
