// Group-shape independence: can anything in a kernel depend on how the index space is cut into work-groups?
// If nothing can, the runtime may run other groups than the launch asks for.
#ifndef WEFTC_GROUP_INDEPENDENCE_H
#define WEFTC_GROUP_INDEPENDENCE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"

// Can nothing in the kernel depend on the groups? Call it before primitives become parameters.
bool weftc_is_group_shape_independent(LLVMModuleRef module);
// Does the primitive's value depend on how the index space is cut?
bool weftc_depends_on_groups(enum weftc_primitive p);
// Is one of the function's first arguments local memory?
bool weftc_takes_local_memory(LLVMValueRef f, unsigned argument_count);

#endif
