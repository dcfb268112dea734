// Which steps of the rewriting of a SPIR-V module the translator needs, and which instructions are whose.
// Stateless.
#include <stdint.h>

#include "base/base.h"
#include "compiler/spirv/downgrade.h"

// By step: the first version of the translator (that of LLVM) that needs it no more. Versions 15, 17, 18, 19
// and 21 were tried: of those between, the older one's answer stands. ALL: each version that was tried needs
// it.
// Where the version isn't known, all steps are taken; they do no harm with a new translator.
#define ALL 1000u
static const unsigned first_without[WEFT_SPIRV_STEPS] = {
    [WEFT_SPIRV_LOWER_LOGICAL_COPIES] = 17,  [WEFT_SPIRV_LOWER_POINTERS] = 17,
    [WEFT_SPIRV_LOWER_COPIES] = 17,          [WEFT_SPIRV_LOWER_STRINGS] = 17,
    [WEFT_SPIRV_LOWER_CLOCKS] = 19,
    [WEFT_SPIRV_LOWER_QUERIES] = ALL, // they aren't OpenCL C's questions (weft/device_call.h)
    [WEFT_SPIRV_LOWER_PIPE_STORAGE] = 17,
    [WEFT_SPIRV_LOWER_NAMED_BARRIERS] = ALL, // OpenCL C has none
    [WEFT_SPIRV_LOWER_MODES] = 17,           [WEFT_SPIRV_LOWER_NAMES] = ALL,
    [WEFT_SPIRV_LOWER_NULLS] = 17,           [WEFT_SPIRV_LOWER_CONSTRUCTION] = ALL,
    [WEFT_SPIRV_LOWER_COMPONENTS] = ALL,     [WEFT_SPIRV_LOWER_SHUFFLES] = 17,
    [WEFT_SPIRV_LOWER_WIDE_RESULTS] = ALL,   [WEFT_SPIRV_LOWER_DOT_PRODUCTS] = ALL,
    [WEFT_SPIRV_LOWER_PARTS] = ALL,          [WEFT_SPIRV_LOWER_IMAGE_HINTS] = 21,
};

uint32_t weft_spirv_steps(void)
{
    uint32_t steps = 0;
    for (unsigned s = 0; s < WEFT_SPIRV_STEPS; s++)
        if (weft_spirv_translator_version() < first_without[s])
            steps |= 1u << s;
    return steps;
}

enum weft_spirv_step weft_spirv_step_of(const uint32_t *i, uint32_t n)
{
    switch (opcode_of(i[0])) {
    case OP_NAME:
    case OP_DECORATE:
        return WEFT_SPIRV_LOWER_NAMES;
    case OP_DECORATE_STRING:
    case OP_MEMBER_DECORATE_STRING:
        return WEFT_SPIRV_LOWER_STRINGS;
    case OP_CAPABILITY:
        return n == 2 && i[1] == CAPABILITY_NAMED_BARRIER ? WEFT_SPIRV_LOWER_NAMED_BARRIERS
                                                          : WEFT_SPIRV_LOWER_CLOCKS;
    case OP_TYPE_NAMED_BARRIER:
    case OP_NAMED_BARRIER_INITIALIZE:
    case OP_MEMORY_NAMED_BARRIER:
        return WEFT_SPIRV_LOWER_NAMED_BARRIERS;
    case OP_EXTENSION:
    case OP_READ_CLOCK:
        return WEFT_SPIRV_LOWER_CLOCKS;
    case OP_COPY_MEMORY:
    case OP_COPY_MEMORY_SIZED:
        return WEFT_SPIRV_LOWER_COPIES;
    case OP_COPY_LOGICAL:
        return WEFT_SPIRV_LOWER_LOGICAL_COPIES;
    case OP_PTR_EQUAL:
    case OP_PTR_NOT_EQUAL:
    case OP_PTR_DIFF:
        return WEFT_SPIRV_LOWER_POINTERS;
    case OP_EXECUTION_MODE:
    case OP_EXECUTION_MODE_ID:
        return WEFT_SPIRV_LOWER_MODES;
    case OP_KERNEL_LOCAL_SIZE_FOR_SUB_GROUPS:
    case OP_KERNEL_MAX_NUM_SUB_GROUPS:
        return WEFT_SPIRV_LOWER_QUERIES;
    case OP_CONSTANT_PIPE_STORAGE:
        return WEFT_SPIRV_LOWER_PIPE_STORAGE;
    case OP_CONSTANT_NULL:
        return WEFT_SPIRV_LOWER_NULLS;
    case OP_COMPOSITE_CONSTRUCT:
        return WEFT_SPIRV_LOWER_CONSTRUCTION;
    case OP_COMPOSITE_EXTRACT:
    case OP_COMPOSITE_INSERT:
        return WEFT_SPIRV_LOWER_COMPONENTS;
    case OP_VECTOR_SHUFFLE:
        return WEFT_SPIRV_LOWER_SHUFFLES;
    case OP_IADD_CARRY:
    case OP_ISUB_BORROW:
    case OP_UMUL_EXTENDED:
    case OP_SMUL_EXTENDED:
        return WEFT_SPIRV_LOWER_WIDE_RESULTS;
    case OP_LOAD:
    case OP_ACCESS_CHAIN:
    case OP_IN_BOUNDS_ACCESS_CHAIN:
    case OP_PTR_ACCESS_CHAIN:
    case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
        return WEFT_SPIRV_LOWER_PARTS;
    case OP_IMAGE_SAMPLE_EXPLICIT_LOD:
    case OP_IMAGE_FETCH:
    case OP_IMAGE_READ:
    case OP_IMAGE_WRITE:
        return WEFT_SPIRV_LOWER_IMAGE_HINTS;
    default:
        return WEFT_SPIRV_LOWER_DOT_PRODUCTS;
    }
}
