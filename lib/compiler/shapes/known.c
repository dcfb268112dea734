// Looks up the shape of a value in the results of the analysis.
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"

static struct weftc_shape of_parameter(const struct weftc_shapes *s, LLVMValueRef parameter)
{
    unsigned k = 0;
    while (LLVMGetParam(s->flow.function, k) != parameter)
        k++;
    return s->parameters[k];
}

struct weftc_shape weftc_shape_of(const struct weftc_shapes *s, LLVMValueRef value)
{
    if (s->parameters && LLVMIsAArgument(value))
        return of_parameter(s, value);
    uint32_t n = LLVMIsAInstruction(value) ? weftc_map_get(&s->number, value) : UINT32_MAX;
    if (n != UINT32_MAX)
        return s->shapes[n];
    struct weftc_shape shape = {.kind = WEFTC_UNIFORM, .exact = true, .max = UINT64_MAX};
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        shape.max = LLVMConstIntGetZExtValue(value);
    return shape;
}
