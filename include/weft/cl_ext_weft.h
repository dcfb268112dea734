// Declarations that Debian 12's OpenCL headers are too old to have, each behind a guard. Include after
// CL/cl_ext.h.
#ifndef CL_EXT_WEFT_H
#define CL_EXT_WEFT_H

// cl_khr_icd 2.0.0
#ifndef CL_ICD2_TAG_KHR
#if INTPTR_MAX == INT32_MAX
#define CL_ICD2_TAG_KHR ((intptr_t)0x434C3331)
#else
#define CL_ICD2_TAG_KHR ((intptr_t)0x4F50454E434C3331)
#endif
#endif

#endif
