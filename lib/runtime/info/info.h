// Turns the rows of info/*.def into cases of a switch over param_name. Each case answers the query with the
// one writer (core/query.h).
// This folder has only rows, one file for each query of OpenCL. A row has a name, the type of the answer, and
// an expression over the object that is queried. api/ turns rows into answers, and the tests turn them into
// tests (tests/api/api.h), which need only the names and the types. There is no other code here, and rows
// include nothing.
// The expressions use the name of the object that the head of the .def file gives. Names that the reported
// OpenCL version lacks (since.def) are no cases: `break` leaves the switch, and the code after it rejects
// unknown names.
// To be included before each .def, also within functions. The including file must include info/since.h,
// core/query.h and api/api.h first.
// WEFT_INFO_VALUE(name, type, expression)            one value
// WEFT_INFO_STRING(name, expression)                 a NUL-terminated string
// WEFT_INFO_ARRAY(name, type, pointer, count)        count values; count may be 0

// Reports the error if the switch is in an entry point. If it is in another function, the entry point that
// calls it reports what it returns.
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
