# Toolchain file for AArch64 with Debian's packages in a folder: scripts/build aarch64 says which one, as WEFT_CROSS_ROOT.
# Clang and lld are this machine's; headers and libraries are the folder's. What the build runs of Weft's own programs, and
# the tests, run in QEMU's user emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(NOT WEFT_CROSS_ROOT)
  set(WEFT_CROSS_ROOT $ENV{CROSS_ROOT})
endif()
if(NOT IS_DIRECTORY "${WEFT_CROSS_ROOT}")
  message(FATAL_ERROR "WEFT_CROSS_ROOT has to name the folder that scripts/cross-root aarch64 fills")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_CROSS_ROOT)

set(WEFT_LLVM 19)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_SYSROOT ${WEFT_CROSS_ROOT})
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()

set(CMAKE_FIND_ROOT_PATH ${WEFT_CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()

# This machine's Clang for the built-in functions; LLVM's folder in the root has one that doesn't run here.
find_program(WEFT_CLANG clang-${WEFT_LLVM} REQUIRED)
if(WEFT_COMPILER_DIR)
  # Without a weftc of its own, the build asks this machine's LLVM for its version and links nothing of it.
  set(LLVM_DIR /usr/lib/llvm-${WEFT_LLVM}/lib/cmake/llvm)
else()
  # No translator of SPIR-V: the root has none, and weftc would look for this machine's path when it is installed.
  set(WEFT_LLVM_SPIRV "" CACHE FILEPATH "the translator of SPIR-V")
endif()

find_program(WEFT_EMULATOR NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${WEFT_EMULATOR} -L ${WEFT_CROSS_ROOT})
