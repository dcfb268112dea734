// Can anything in a kernel tell how the index space is cut into work-groups? Where nothing can, groups may be run as others than the
// launch has them.
#ifndef WEFTC_GROUP_INDEPENDENCE_H
#define WEFTC_GROUP_INDEPENDENCE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"

// Before primitives become parameters: can nothing in the kernel tell?
bool weftc_is_group_shape_independent(LLVMModuleRef module);
// Does the primitive's value depend on how the index space is cut?
bool weftc_tells_groups_apart(enum weftc_primitive p);
// Is one of the function's first arguments local memory?
bool weftc_takes_local_memory(LLVMValueRef f, unsigned argument_count);

#endif
