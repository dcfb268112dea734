// A SPIR-V module that is being rewritten for the translator. Mainly for downgrade*.c and constants.c; other
// files of spirv/ use only the numbers.
#ifndef WEFT_SPIRV_LOWER_H
#define WEFT_SPIRV_LOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_buf;

#define WEFT_SPIRV_MAX_BOUND \
    (4u << 20) // maximum number of ids in a module (§2.17); nested types could otherwise require any number

enum {
    OP_UNDEF = 1,
    OP_NAME = 5,
    OP_LINE = 8,
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_MEMORY_MODEL = 14,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_TYPE_VOID = 19,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_TYPE_FUNCTION = 33,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT_FALSE = 42,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_CONSTANT_NULL = 46,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_SPEC_CONSTANT_OP = 52,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_COPY_MEMORY_SIZED = 64,
    OP_ACCESS_CHAIN = 65,
    OP_IN_BOUNDS_ACCESS_CHAIN = 66,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_IN_BOUNDS_PTR_ACCESS_CHAIN = 70,
    OP_DECORATE = 71,
    OP_VECTOR_EXTRACT_DYNAMIC = 77,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
    OP_COPY_OBJECT = 83,
    OP_IMAGE_SAMPLE_EXPLICIT_LOD = 88,
    OP_IMAGE_FETCH = 95,
    OP_IMAGE_READ = 98,
    OP_IMAGE_WRITE = 99,
    OP_U_CONVERT = 113,
    OP_S_CONVERT = 114,
    OP_CONVERT_PTR_TO_U = 117,
    OP_CONVERT_U_TO_PTR = 120,
    OP_BITCAST = 124,
    OP_SNEGATE = 126,
    OP_IADD = 128,
    OP_ISUB = 130,
    OP_IMUL = 132,
    OP_UDIV = 134,
    OP_SDIV = 135,
    OP_UMOD = 137,
    OP_SREM = 138,
    OP_SMOD = 139,
    OP_IADD_CARRY = 149,
    OP_ISUB_BORROW = 150,
    OP_UMUL_EXTENDED = 151,
    OP_SMUL_EXTENDED = 152,
    OP_LOGICAL_EQUAL = 164,
    OP_LOGICAL_NOT_EQUAL = 165,
    OP_LOGICAL_OR = 166,
    OP_LOGICAL_AND = 167,
    OP_LOGICAL_NOT = 168,
    OP_SELECT = 169,
    OP_I_EQUAL = 170,
    OP_I_NOT_EQUAL = 171,
    OP_U_GREATER = 172,
    OP_S_GREATER = 173,
    OP_U_GREATER_EQUAL = 174,
    OP_S_GREATER_EQUAL = 175,
    OP_U_LESS = 176,
    OP_S_LESS = 177,
    OP_U_LESS_EQUAL = 178,
    OP_S_LESS_EQUAL = 179,
    OP_SHIFT_RIGHT_LOGICAL = 194,
    OP_SHIFT_RIGHT_ARITHMETIC = 195,
    OP_SHIFT_LEFT_LOGICAL = 196,
    OP_BITWISE_OR = 197,
    OP_BITWISE_XOR = 198,
    OP_BITWISE_AND = 199,
    OP_NOT = 200,
    OP_KERNEL_WORK_GROUP_SIZE = 295,
    OP_CONSTANT_PIPE_STORAGE = 323,
    OP_KERNEL_LOCAL_SIZE_FOR_SUB_GROUPS = 325,
    OP_KERNEL_MAX_NUM_SUB_GROUPS = 326,
    OP_TYPE_NAMED_BARRIER = 327,
    OP_NAMED_BARRIER_INITIALIZE = 328,
    OP_MEMORY_NAMED_BARRIER = 329,
    OP_EXECUTION_MODE_ID = 331,
    OP_COPY_LOGICAL = 400,
    OP_PTR_EQUAL = 401,
    OP_PTR_NOT_EQUAL = 402,
    OP_PTR_DIFF = 403,
    OP_SDOT = 4450,
    OP_UDOT = 4451,
    OP_SUDOT = 4452,
    OP_SDOT_ACC_SAT = 4453,
    OP_UDOT_ACC_SAT = 4454,
    OP_SUDOT_ACC_SAT = 4455,
    OP_READ_CLOCK = 5056,
    OP_DECORATE_STRING = 5632,
    OP_MEMBER_DECORATE_STRING = 5633,
    CAPABILITY_LINKAGE = 5,
    CAPABILITY_NAMED_BARRIER = 59,
    CAPABILITY_SHADER_CLOCK = 5055,
    DECORATION_BUILT_IN = 11,
    DECORATION_LINKAGE = 41,
    LINKAGE_IMPORT = 1,
    MODE_LOCAL_SIZE = 17,
    MODE_LOCAL_SIZE_HINT = 18,
    MODE_INITIALIZER = 33,
    MODE_FINALIZER = 34,
    MODE_SUB_GROUPS = 36,
    MODE_SUB_GROUPS_ID = 37,
    MODE_LOCAL_SIZE_ID = 38,
    MODE_LOCAL_SIZE_HINT_ID = 39,
    MODE_DENORM_PRESERVE = 4459,
    MODE_DENORM_FLUSH_TO_ZERO = 4460,
    MODE_SIGNED_ZERO_INF_NAN_PRESERVE = 4461,
    MODE_ROUNDING_RTE = 4462,
    MODE_ROUNDING_RTZ = 4463,
    MODE_ROUNDING_RTP = 5620, // SPV_INTEL_float_controls2
    MODE_ROUNDING_RTN = 5621,
    MODE_FLOATING_POINT_ALT = 5622,
};

#define WEFT_SPIRV_HEADER_WORDS 5u

// What is known of an id, mostly about its name.
enum {
    WEFT_SPIRV_FUNCTION = 1,
    WEFT_SPIRV_PUBLIC = 2,   // of an entry point, or exported
    WEFT_SPIRV_NAMELESS = 4, // its OpName also belongs to another function, so it is left out
    WEFT_SPIRV_HIDDEN = 8,   // exported under the name of an entry point; the export is left out
    WEFT_SPIRV_BUILT_IN = 16,
    WEFT_SPIRV_PART = 32, // a pointer to a component of a built-in variable
};

#define WEFT_SPIRV_CLOCKS 6 // three scopes; for each, a scalar and a vector of two

// Steps of the rewriting. steps.c has a table of the translators that need each one.
enum weft_spirv_step {
    WEFT_SPIRV_LOWER_LOGICAL_COPIES,
    WEFT_SPIRV_LOWER_POINTERS,
    WEFT_SPIRV_LOWER_COPIES,
    WEFT_SPIRV_LOWER_STRINGS,
    WEFT_SPIRV_LOWER_CLOCKS,
    WEFT_SPIRV_LOWER_QUERIES,
    WEFT_SPIRV_LOWER_PIPE_STORAGE,
    WEFT_SPIRV_LOWER_NAMED_BARRIERS,
    WEFT_SPIRV_LOWER_MODES,
    WEFT_SPIRV_LOWER_NAMES,
    WEFT_SPIRV_LOWER_NULLS,
    WEFT_SPIRV_LOWER_CONSTRUCTION,
    WEFT_SPIRV_LOWER_COMPONENTS,
    WEFT_SPIRV_LOWER_SHUFFLES,
    WEFT_SPIRV_LOWER_WIDE_RESULTS,
    WEFT_SPIRV_LOWER_DOT_PRODUCTS,
    WEFT_SPIRV_LOWER_PARTS,
    WEFT_SPIRV_LOWER_IMAGE_HINTS,
    WEFT_SPIRV_STEPS,
};

struct lowering {
    const uint32_t *words;
    size_t count;
    uint32_t steps;   // bit by step: the translator needs it
    uint32_t bound;   // the module's number of ids
    uint32_t next;    // the next new id
    uint32_t *type;   // type of each value, by id; 0: not known
    size_t *defined;  // by id: the position of the instruction that defines a type or constant; 0: not known
    uint32_t *shifts; // by integer type: id of the first constant that was made for it; 0: none
    uint8_t *names;   // by id: WEFT_SPIRV_FUNCTION and so on
    bool has_parts;
    uint32_t address;    // id of the 64-bit integer type; 0: none yet
    uint32_t one;        // the constant 1 of this type; 0: none yet
    uint32_t queries[2]; // the constants WEFT_ASK_LOCAL_SIZE and WEFT_ASK_SUB_GROUPS of this type
    uint32_t std;        // OpenCL.std; 0: not imported yet
    uint32_t clocks[WEFT_SPIRV_CLOCKS];       // functions that read clocks; 0: not called
    uint32_t clock_result[WEFT_SPIRV_CLOCKS]; // types of their results
    struct weft_spirv_barriers {
        uint32_t type, count_type,
            nothing;         // types of named barriers, of their counts, and void; 0: not known
        uint32_t make, wait; // functions; 0: not called
    } barriers;
    struct weft_buf *out;
};

static inline uint32_t opcode_of(uint32_t head)
{
    return head & 0xffff;
}

// spirv/steps.c. The steps that the translator needs, a bit each.
uint32_t weft_spirv_steps(void);
// The step that replaces the instruction, if it is one that has to be replaced.
enum weft_spirv_step weft_spirv_step_of(const uint32_t *i, uint32_t n);

// ---- spirv/downgrade_module.c ----

// Declares that another module defines the function `id` under this name.
void weft_spirv_import(struct lowering *l, uint32_t id, const char *name);
void weft_spirv_emit(struct lowering *l, uint32_t op, const uint32_t *operands, uint32_t count);

#define EMIT(l, op, ...)                                    \
    weft_spirv_emit(l, op, (const uint32_t[]){__VA_ARGS__}, \
                    (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

// Returns the type of a value; 0: not known.
uint32_t weft_spirv_type_of(const struct lowering *l, uint32_t id);

// Returns the instruction that defines a type or a constant number, and sets *n to its length in words. NULL:
// not known.
const uint32_t *weft_spirv_definition(const struct lowering *l, uint32_t id, uint32_t *n);

// If `type` is an integer type or a vector of integers: sets *scalar to the integer type, *width to its bits
// and *components to the vector's length (1 for a scalar), and returns true.
bool weft_spirv_integers(const struct lowering *l, uint32_t type, uint32_t *scalar, uint32_t *width,
                         uint32_t *components);

// spirv/constants.c. Positions of the definitions of types and constants, by id (0: not known).
struct weft_spirv_constants {
    const uint32_t *words;
    const size_t *defined;
    size_t *found; // the array `defined` if weft_spirv_find_constants made it; the caller frees it
    uint32_t bound;
};
bool weft_spirv_is_number(const uint32_t *i); // is the instruction one of the supported constants?
// Finds the constants, unless out->found is set. Returns false if memory is exhausted.
bool weft_spirv_find_constants(const uint32_t *words, size_t count, struct weft_spirv_constants *out);
// Evaluates a constant. Returns false, with *value = 0, if it isn't known or has more than 32 bits.
bool weft_spirv_number(const struct weft_spirv_constants *of, uint32_t id, uint32_t *value);

// spirv/downgrade_names.c. Call learn_name for each instruction, then find_names once (false: memory is
// exhausted). Then is_useless_name says if an instruction gives a name that must be left out.
void weft_spirv_learn_name(struct lowering *l, const uint32_t *i, uint32_t n);
bool weft_spirv_find_names(struct lowering *l);
bool weft_spirv_is_useless_name(const struct lowering *l, const uint32_t *i, uint32_t n);

// spirv/downgrade_named_barriers.c. Call learn_barrier for each instruction. is_barrier: may lower_barrier
// replace this instruction? import_barriers writes the import decorations of the functions; declare_barriers
// declares the functions, before the first function. lower_barrier returns false if the instruction stays.
void weft_spirv_learn_barrier(struct lowering *l, const uint32_t *i, uint32_t n);
bool weft_spirv_is_barrier(const uint32_t *i, uint32_t n);
void weft_spirv_import_barriers(struct lowering *l);
void weft_spirv_declare_barriers(struct lowering *l);
bool weft_spirv_lower_barrier(struct lowering *l, const uint32_t *i, uint32_t n);

// spirv/downgrade_execution_modes.c. is_mode: is the instruction an execution mode that the translator
// doesn't know? lower_mode writes a replacement, or nothing; it returns false if the instruction stays.
bool weft_spirv_is_mode(const uint32_t *i, uint32_t n);
bool weft_spirv_lower_mode(struct lowering *l, const uint32_t *i, uint32_t n);

// spirv/downgrade_values.c. Is the instruction replaced by lower_value, if its operands are known?
bool weft_spirv_is_value(const struct lowering *l, const uint32_t *i, uint32_t n);
// Call prepare_value for each instruction, before the first function: it makes the constants that lower_value
// uses. lower_value writes the replacement of an instruction; it returns false if the instruction stays.
void weft_spirv_prepare_value(struct lowering *l, const uint32_t *i, uint32_t n);
bool weft_spirv_lower_value(struct lowering *l, const uint32_t *i, uint32_t n);

// spirv/downgrade_builtin_variables.c. Call learn_part for each instruction, then find_parts once. is_part:
// does lower_part replace this instruction?
void weft_spirv_learn_part(struct lowering *l, size_t at, uint32_t n);
void weft_spirv_find_parts(struct lowering *l);
bool weft_spirv_is_part(const struct lowering *l, const uint32_t *i, uint32_t n);
void weft_spirv_lower_part(struct lowering *l, const uint32_t *i);

// Writes instructions that build a composite of these parts, with result `id`. The parts of a vector may be
// vectors. Returns false, without writing anything, if a part isn't known.
bool weft_spirv_construct(struct lowering *l, uint32_t type, uint32_t id, const uint32_t *parts,
                          uint32_t count);

#endif
