# Checked: nix-instantiate --parse (Debian's nix-bin). Not built: there is no nixpkgs on the machines of this project.
# nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

let
  llvm = pkgs.llvmPackages_19;
in
llvm.stdenv.mkDerivation {
  pname = "weft-opencl";
  version = "0.2.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = [ pkgs.cmake pkgs.ninja pkgs.python3 llvm.clang llvm.lld ];
  buildInputs = [
    llvm.llvm.dev
    llvm.libclang.dev
    llvm.lld.dev
    pkgs.hwloc
    pkgs.libxml2
    pkgs.zlib
    pkgs.zstd
    pkgs.opencl-headers
    pkgs.ocl-icd
  ];

  # Nix finds libraries by their paths, so the vendor file has the library's.
  cmakeFlags = [
    "-DWEFT_LLVM=19"
    "-DWEFT_LLVM_SHARED=ON"
    "-DWEFT_TESTS=OFF"
    "-DWEFT_EXAMPLES=OFF"
    "-DWEFT_ICD_VENDORS_DIR=${placeholder "out"}/etc/OpenCL/vendors"
    "-DWEFT_LLVM_SPIRV=${pkgs.spirv-llvm-translator}/bin/llvm-spirv"
  ];

  meta = {
    description = "An OpenCL platform for CPUs";
    license = pkgs.lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
