// In which order are the x and y loops better run? Row by row, a value that is the same for all work-items of
// a row is loaded once a row, into a register. With the loops interchanged, column by column, vectors that
// are the same in all rows are loaded once a column: the tile of the second matrix in a matrix product.
//
//     sum += a[y][0] * b[0][x] + a[y][1] * b[1][x] + ...   by rows: a is loaded once, by columns: b
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/workitem_loops/workitem_loops.h"

enum {
    MAX_STEPS = 12 // instructions from an address back to the ids that it is computed from
};

enum { OF_ROW = 1, OF_COLUMN = 2, OF_ANYTHING = 4 };

// The set of things that the value depends on.
static unsigned depends_on(const struct weftc_loops_body *body, LLVMValueRef value, unsigned steps)
{
    if (LLVMIsAArgument(value)) {
        unsigned first = LLVMCountParams(body->function) - body->primitive_count;
        for (unsigned i = 0; i < body->primitive_count; i++) {
            if (LLVMGetParam(body->function, first + i) != value)
                continue;
            if (body->primitives[i] == WEFTC_ITEM)
                return OF_ROW | OF_COLUMN;
            if (!weftc_primitive_varies(body->primitives[i]))
                return 0;
            return body->dims[i] == 0 ? OF_COLUMN : OF_ROW;
        }
        return 0;
    }
    if (!LLVMIsAInstruction(value))
        return 0;
    if (steps == 0 || LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsACallInst(value))
        return OF_ANYTHING;
    unsigned sum = 0;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value) && !(sum & OF_ANYTHING); k++)
        sum |= depends_on(body, LLVMGetOperand(value, k), steps - 1);
    return sum;
}

bool weftc_loops_interchanges(const struct weftc_loops_region *r)
{
    unsigned shared = 0;
    if (!r->lanes.function)
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(r->lanes.function); b; b = LLVMGetNextBasicBlock(b)) {
        if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b)) > 1)
            return false; // a value that is loaded in some rows only can't stay in a register for all
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            shared += LLVMIsALoadInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind &&
                      !LLVMGetVolatile(i) &&
                      depends_on(&r->lanes, LLVMGetOperand(i, 0), MAX_STEPS) == OF_COLUMN;
    }
    return shared >= WEFTC_MIN_SHARED;
}
