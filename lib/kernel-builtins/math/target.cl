// Constants that tell the math built-ins what the target has. weftc replaces the initialisers before it
// optimises. So the conditions on them never reach machine code.
#ifndef WEFT_TARGET_HAS_FMA
#define WEFT_TARGET_HAS_FMA 1
#endif
#ifndef WEFT_TARGET_HAS_MATH_PRIMITIVES
#define WEFT_TARGET_HAS_MATH_PRIMITIVES 0
#endif
#ifndef WEFT_TARGET_HAS_ESTIMATES
#define WEFT_TARGET_HAS_ESTIMATES 1
#endif
#ifndef WEFT_TARGET_HAS_FP16
#define WEFT_TARGET_HAS_FP16 0
#endif

extern constant uchar __weft_target_has_fma;
constant uchar __weft_target_has_fma = WEFT_TARGET_HAS_FMA;

extern constant uchar __weft_target_has_math_primitives;
constant uchar __weft_target_has_math_primitives = WEFT_TARGET_HAS_MATH_PRIMITIVES;

extern constant uchar __weft_target_has_estimates;
constant uchar __weft_target_has_estimates = WEFT_TARGET_HAS_ESTIMATES;

extern constant uchar __weft_target_has_fp16;
constant uchar __weft_target_has_fp16 = WEFT_TARGET_HAS_FP16;

// 1 if the program was built with -cl-fast-relaxed-math. weftc sets this one too.
extern constant uchar __weft_relaxed_math;
constant uchar __weft_relaxed_math = 0;
