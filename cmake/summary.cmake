# What this build has, what it leaves out and why. scripts/build shows these lines.

# weft_part(WHAT VARIABLE YES NO): a line that says YES if the variable is true, and NO if it isn't.
function(weft_part what variable yes no)
  if(${variable})
    message(STATUS "Weft: ${what}: yes${yes}")
  else()
    message(STATUS "Weft: ${what}: no, ${no}")
  endif()
endfunction()

if(WEFT_COMPILER_DIR)
  message(STATUS "Weft: compiler: that in ${WEFT_COMPILER_DIR}")
elseif(WEFT_LLVM_SHARED)
  message(STATUS "Weft: compiler: LLVM ${LLVM_PACKAGE_VERSION}, its shared libraries")
else()
  message(STATUS "Weft: compiler: LLVM ${LLVM_PACKAGE_VERSION}, its static libraries")
endif()
weft_part("programs from SPIR-V" WEFT_LLVM_SPIRV ", with ${WEFT_LLVM_SPIRV}"
          "there is no llvm-spirv (WEFT_LLVM_SPIRV can name one at run time)")
weft_part("what is wrong with a SPIR-V module, in build logs" WEFT_SPIRV_VAL ", with ${WEFT_SPIRV_VAL}"
          "there is no spirv-val (of SPIRV-Tools)")
weft_part("tests" WEFT_TESTS "" "-DWEFT_TESTS=ON builds them")
weft_part("examples" WEFT_EXAMPLES "" "-DWEFT_EXAMPLES=ON builds them")
