// Kernels in which denormal floats are zero (-cl-denorms-are-zero, OpenCL 3.0 §5.8.6.2).
//
// The front end gives the functions of a program LLVM's attribute for it. Whether a kernel may run so is
// decided once for all its code: the processor's mode holds for all that the kernel calls, and on x86-64 for
// doubles too.
#ifndef WEFTC_DENORMALS_H
#define WEFTC_DENORMALS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

// The value of LLVM's attribute denormal-fp-math-f32: results and operands.
#define WEFTC_DENORMALS_ARE_ZERO "preserve-sign,preserve-sign"

// Marks a function that was built with -cl-denorms-are-zero, or will run so.
void weftc_flush_denormals(LLVMValueRef f);

// Decides it for a module with one kernel and what it reaches of its program, before built-in functions are
// linked, and sets WEFTC_FLUSHES_DENORMALS. A kernel flushes if all these functions were built with the
// option, and none of them computes with doubles, whose denormals are kept.
void weftc_decide_denormals(LLVMModuleRef module);
// Makes LLVM fold constants in all functions of the module as the processor computes. Stages add functions,
// so it is called before each.
void weftc_apply_denormals(LLVMModuleRef module);

#endif
