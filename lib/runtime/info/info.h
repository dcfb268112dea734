// The rows of info/*.def as the cases of a switch over param_name, each answered by the one writer.
//
// The folder holds rows alone, one file for each query of OpenCL: a name, the type of its answer, and an expression over the object that
// is asked. api/ turns them into answers (core/query.h), tests/ into tests. There is no code here, and nothing is included by a row.
//
// The expressions in the rows use the name of the object that the .def file's head gives. The same rows make
// the tests (tests/api/api.h), which need only the names and the types. A name that the version of OpenCL that is
// reported lacks (since.def) is no case: `break` leaves the switch, behind which unknown names are refused.
//
// Included before each .def, also within functions: who includes it includes info/since.h, core/query.h and api/api.h at its head.
//
// WEFT_INFO_VALUE(name, type, expression)            one value
// WEFT_INFO_STRING(name, expression)                 a NUL-terminated string
// WEFT_INFO_ARRAY(name, type, pointer, count)        count values; count may be 0

// Told where an entry point answers; one that has a function for it tells what that returns.
#define WEFT_INFO_ANSWER(answer) \
    (__builtin_strncmp(__func__, "weft_", 5) == 0 ? WEFT_ANSWER(NULL, answer) : (answer))
#define WEFT_INFO_VALUE(name, type, expression) \
    case name:                                  \
        if (WEFT_INFO_LACKS(name))              \
            break;                              \
        return WEFT_INFO_ANSWER(WEFT_INFO(type, expression));
#define WEFT_INFO_STRING(name, expression) \
    case name:                             \
        if (WEFT_INFO_LACKS(name))         \
            break;                         \
        return WEFT_INFO_ANSWER(WEFT_INFO_STR(expression));
#define WEFT_INFO_ARRAY(name, type, pointer, count)                                              \
    case name: {                                                                                 \
        if (WEFT_INFO_LACKS(name))                                                               \
            break;                                                                               \
        const type *array = (pointer);                                                           \
        return WEFT_INFO_ANSWER(weft_info_write(array, (count) * sizeof(type), param_value_size, \
                                                param_value, param_value_size_ret));             \
    }
