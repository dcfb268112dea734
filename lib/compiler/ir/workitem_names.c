// The mangled names of the functions of OpenCL that the compiler itself lowers, and a check of their types.
// prepare/workitem_functions.c lowers the calls. link checks the types before that.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/workitem_names.h"

static const struct weftc_workitem_name names[] = {
    {"_Z13get_global_idj", WEFTC_WORKITEM_VALUE, WEFTC_GLOBAL_ID, 0, 1},
    {"_Z12get_local_idj", WEFTC_WORKITEM_VALUE, WEFTC_LOCAL_ID, 0, 1},
    {"_Z12get_group_idj", WEFTC_WORKITEM_VALUE, WEFTC_GROUP_ID, 0, 1},
    {"_Z15get_global_sizej", WEFTC_WORKITEM_VALUE, WEFTC_GLOBAL_SIZE, 1, 1},
    {"_Z14get_local_sizej", WEFTC_WORKITEM_VALUE, WEFTC_LOCAL_SIZE, 1, 1},
    {"_Z23get_enqueued_local_sizej", WEFTC_WORKITEM_VALUE, WEFTC_FULL_LOCAL_SIZE, 1, 1},
    {"_Z14get_num_groupsj", WEFTC_WORKITEM_VALUE, WEFTC_NUM_GROUPS, 1, 1},
    {"_Z17get_global_offsetj", WEFTC_WORKITEM_VALUE, WEFTC_GLOBAL_OFFSET, 0, 1},
    {"_Z12get_work_dimv", WEFTC_WORKITEM_VALUE, WEFTC_WORK_DIM, WEFTC_NO_DIMENSION, 0},
    {"_Z19get_local_linear_idv", WEFTC_WORKITEM_VALUE, WEFTC_ITEM, WEFTC_NO_DIMENSION, 0},
    {"_Z18get_sub_group_sizev", WEFTC_WORKITEM_VALUE, WEFTC_SUB_GROUP_ITEMS, WEFTC_NO_DIMENSION, 0},
    {"_Z22get_max_sub_group_sizev", WEFTC_WORKITEM_VALUE, WEFTC_MAX_SUB_GROUP_SIZE, WEFTC_NO_DIMENSION, 0},
    {"_Z18get_num_sub_groupsv", WEFTC_WORKITEM_VALUE, WEFTC_NUM_SUB_GROUPS, WEFTC_NO_DIMENSION, 0},
    {"_Z27get_enqueued_num_sub_groupsv", WEFTC_WORKITEM_VALUE, WEFTC_FULL_NUM_SUB_GROUPS, WEFTC_NO_DIMENSION,
     0},
    {"_Z16get_sub_group_idv", WEFTC_WORKITEM_VALUE, WEFTC_SUB_GROUP_ID, WEFTC_NO_DIMENSION, 0},
    {"_Z22get_sub_group_local_idv", WEFTC_WORKITEM_VALUE, WEFTC_LANE, WEFTC_NO_DIMENSION, 0},
    {"_Z20get_global_linear_idv", WEFTC_WORKITEM_LINEAR_ID, 0, WEFTC_NO_DIMENSION, 0},
    {"_Z7barrierj", WEFTC_WORKITEM_BARRIER, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z18work_group_barrierj", WEFTC_WORKITEM_BARRIER, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z18work_group_barrierj12memory_scope", WEFTC_WORKITEM_BARRIER, 0, WEFTC_NO_DIMENSION, 2},
    {"_Z17sub_group_barrierj", WEFTC_WORKITEM_SUB_GROUP_BARRIER, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z17sub_group_barrierj12memory_scope", WEFTC_WORKITEM_SUB_GROUP_BARRIER, 0, WEFTC_NO_DIMENSION, 2},
    {"_Z9mem_fencej", WEFTC_WORKITEM_FENCE, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z14read_mem_fencej", WEFTC_WORKITEM_FENCE, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z15write_mem_fencej", WEFTC_WORKITEM_FENCE, 0, WEFTC_NO_DIMENSION, 1},
    {"_Z22atomic_work_item_fencej12memory_order12memory_scope", WEFTC_WORKITEM_ORDERED_FENCE, 0,
     WEFTC_NO_DIMENSION, 3},
};

const struct weftc_workitem_name *weftc_workitem_name(const char *name)
{
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++)
        if (strcmp(name, names[i].name) == 0)
            return &names[i];
    return NULL;
}

// Does the type have exactly `count` parameters, all 32-bit integers?
static bool takes_numbers(LLVMTypeRef type, unsigned count)
{
    LLVMTypeRef parameters[3];
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != count || count > 3)
        return false;
    LLVMGetParamTypes(type, parameters);
    for (unsigned i = 0; i < count; i++)
        if (parameters[i] != LLVMInt32TypeInContext(LLVMGetTypeContext(type)))
            return false;
    return true;
}

// Does the type have one pointer parameter, as get_fence and to_global have, and this kind of result?
static bool takes_pointer(LLVMTypeRef type, LLVMTypeKind result)
{
    LLVMTypeRef parameter;
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) != 1)
        return false;
    LLVMGetParamTypes(type, &parameter);
    return LLVMGetTypeKind(parameter) == LLVMPointerTypeKind &&
           LLVMGetTypeKind(LLVMGetReturnType(type)) == result;
}

// Is the first parameter a pointer? A declaration without a prototype takes anything.
static bool takes_text(LLVMTypeRef type)
{
    LLVMTypeRef parameters[16];
    unsigned count = LLVMCountParamTypes(type);
    if (count > WEFT_COUNT_OF(parameters))
        return false;
    LLVMGetParamTypes(type, parameters);
    return count == 0 || LLVMGetTypeKind(parameters[0]) == LLVMPointerTypeKind;
}

bool weftc_is_lowered_as_declared(LLVMValueRef f)
{
    const char *name = LLVMGetValueName(f);
    LLVMTypeRef type = LLVMGlobalGetValueType(f), result = LLVMGetReturnType(type);
    LLVMContextRef c = LLVMGetTypeContext(type);
    const struct weftc_workitem_name *known = weftc_workitem_name(name);
    if (known) {
        LLVMTypeRef wanted = known->kind == WEFTC_WORKITEM_VALUE ? weftc_primitive_type(c, known->primitive)
                             : known->kind == WEFTC_WORKITEM_LINEAR_ID ? LLVMInt64TypeInContext(c)
                                                                       : LLVMVoidTypeInContext(c);
        return result == wanted && takes_numbers(type, known->numbers);
    }
    if (strcmp(name, "printf") == 0)
        return takes_text(type);
    if (strncmp(name, "__to_", 5) == 0)
        return takes_pointer(type, LLVMPointerTypeKind);
    if (strncmp(name, "_Z9get_fence", 12) == 0)
        return takes_pointer(type, LLVMIntegerTypeKind);
    return true;
}
