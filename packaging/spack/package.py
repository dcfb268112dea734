# Checked: it is Python. Not built: Spack isn't on the machines of this project.
# spack repo add FOLDER (with packages/weft-opencl/package.py), spack dev-build -d CHECKOUT weft-opencl@main
from spack.package import *


class WeftOpencl(CMakePackage):
    """An OpenCL platform for CPUs."""

    license("MIT")
    version("main")

    variant("shared_llvm", default=True, description="link weftc with shared LLVM")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.8:", type="build")
    depends_on("llvm@19:22 +clang +lld +polly")
    depends_on("llvm +link_llvm_dylib", when="+shared_llvm")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("libxml2")
    depends_on("hwloc@2:")
    depends_on("opencl-c-headers", type="build")
    depends_on("ocl-icd", type=("build", "link", "run"))
    depends_on("spirv-llvm-translator", type=("build", "run"), when="platform=linux")

    generator("ninja")
    provides("opencl@3.0")

    def cmake_args(self):
        return [
            self.define_from_variant("WEFT_LLVM_SHARED", "shared_llvm"),
            self.define("WEFT_TESTS", False),
            self.define("WEFT_EXAMPLES", False),
            self.define("WEFT_LLVM", str(self.spec["llvm"].version.up_to(1))),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("OCL_ICD_VENDORS", self.prefix.etc.OpenCL.vendors)
