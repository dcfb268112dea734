// The one fact about the target that the math built-ins ask for. weftc replaces the initialiser by 0 for a
// target without FMA before it optimises, so the condition never reaches machine code.
#ifndef WEFT_TARGET_HAS_FMA
#define WEFT_TARGET_HAS_FMA 1
#endif

extern constant uchar __weft_target_has_fma;
constant uchar __weft_target_has_fma = WEFT_TARGET_HAS_FMA;
