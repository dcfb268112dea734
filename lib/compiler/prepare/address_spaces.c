// Facts that address spaces carry, written as metadata before the spaces are flattened; and the layout of
// __local variables in the group's local memory.
//
// LLVM's vectorizer and alias analyses need flat pointers: they give up when they compare pointers of
// different address spaces. But the spaces carry facts. Memory of different spaces never overlaps. Constant
// memory never changes while a kernel runs. Two work-items' accesses outside private memory don't conflict
// between two barriers: if they do and aren't atomic, that is a data race, which is undefined.
//
// A work-group runs on one thread. So no other thread can interrupt a read-modify-write of local or private
// memory. Such an atomic is marked "single thread" here. The vectorizer still treats it as an atomic.
// optimize then makes a plain load and store of it (weftc_bridge_lower_own_atomics).
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

enum { SPACES = 4 }; // private, global, constant, local; a generic pointer may point to three of them

struct access_info {
    LLVMMetadataRef only[SPACES];        // alias.scope list of an access to this space
    LLVMMetadataRef others[1 << SPACES]; // noalias list of an access to this set of spaces; NULL: empty
    LLVMMetadataRef items;               // the access group of accesses that work-items may do in any order
    LLVMMetadataRef empty;
};

static void make_access_info(LLVMModuleRef module, struct access_info *info)
{
    static const char *const names[SPACES] = {"private", "global", "constant", "local"};
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMMetadataRef domain = weftc_bridge_alias_scope(c, NULL, "spaces"), scopes[SPACES];
    for (unsigned s = 0; s < SPACES; s++) {
        scopes[s] = weftc_bridge_alias_scope(c, domain, names[s]);
        info->only[s] = LLVMMDNodeInContext2(c, &scopes[s], 1);
    }
    for (unsigned set = 0; set < 1u << SPACES; set++) {
        LLVMMetadataRef list[SPACES];
        unsigned count = 0;
        for (unsigned s = 0; s < SPACES; s++)
            if (!(set >> s & 1))
                list[count++] = scopes[s];
        info->others[set] = count && set ? LLVMMDNodeInContext2(c, list, count) : NULL;
    }
    info->items = weftc_bridge_distinct_node(c);
    info->empty = LLVMMDNodeInContext2(c, NULL, 0);
    LLVMAddNamedMetadataOperand(module, weftc_fact_name(WEFTC_ITEMS_GROUP),
                                LLVMMetadataAsValue(c, info->items));
    LLVMMetadataRef private[] = {info->only[WEFTC_SPACE_PRIVATE], info->others[1u << WEFTC_SPACE_PRIVATE]};
    for (unsigned i = 0; i < WEFT_COUNT_OF(private); i++)
        LLVMAddNamedMetadataOperand(module, weftc_fact_name(WEFTC_PRIVATE_ACCESS),
                                    LLVMMetadataAsValue(c, private[i]));
}

// The set of spaces that a pointer operand may point to; 0: any space.
static unsigned spaces_of(LLVMValueRef pointer)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    return space < SPACES ? 1u << space : 0;
}

static void relax_atomic(LLVMValueRef i, unsigned set)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const unsigned own = 1u << WEFTC_SPACE_LOCAL | 1u << WEFTC_SPACE_PRIVATE;
    if (set == 0 || (set & ~own) || (opcode != LLVMAtomicRMW && opcode != LLVMAtomicCmpXchg))
        return;
    LLVMSetAtomicSingleThread(i, true);
    LLVMSetVolatile(i, false); // the parameters of the built-in functions are volatile
}

static void annotate(LLVMValueRef i, const struct access_info *info)
{
    unsigned set;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        set = spaces_of(LLVMGetOperand(i, 0));
        break;
    case LLVMStore:
        set = spaces_of(LLVMGetOperand(i, 1));
        break;
    case LLVMCall: {
        const bool copy = LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i);
        if (!copy && !LLVMIsAMemSetInst(i))
            return;
        set = spaces_of(LLVMGetOperand(i, 0));
        if (copy) {
            unsigned source = spaces_of(LLVMGetOperand(i, 1));
            set = set && source ? set | source : 0;
        }
        break;
    }
    default:
        return;
    }
    if (set == 0)
        return;
    relax_atomic(i, set);
    if (info->others[set])
        weftc_bridge_append_metadata(i, "noalias", info->others[set]);
    for (unsigned s = 0; s < SPACES; s++)
        if (set == 1u << s)
            weftc_bridge_append_metadata(i, "alias.scope", info->only[s]);
    if (!(set & 1u << WEFTC_SPACE_PRIVATE))
        weftc_set_metadata(i, "llvm.access.group", info->items);
    if (set == 1u << WEFTC_SPACE_CONSTANT && LLVMGetInstructionOpcode(i) == LLVMLoad && !LLVMGetVolatile(i))
        weftc_set_metadata(i, "invariant.load", info->empty);
}

void weftc_prepare_access_info(LLVMValueRef kernel)
{
    struct access_info info;
    make_access_info(LLVMGetGlobalParent(kernel), &info);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            annotate(i, &info);
}

static uint64_t local_align(LLVMTargetDataRef layout, LLVMValueRef g)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    uint64_t align = LLVMGetAlignment(g);
    if (align == 0)
        align = LLVMABIAlignmentOfType(layout, type);
    // Large variables begin at a cache line, which suits vector accesses.
    return LLVMABISizeOfType(layout, type) >= 64 && align < 64 ? 64 : align;
}

// Gives each __local variable a place in the group's local memory, variables with large alignment first. So
// the total size doesn't depend on the order of the variables in the module. That matters because launches
// that were laid out for a kernel's quick code also run its better code, and the two compiles may have read
// the program in different ways.
weft_status weftc_prepare_local_memory(LLVMModuleRef module, LLVMValueRef kernel)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    size_t count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        count++;
    LLVMValueRef *variables = weft_alloc_array(count ? count : 1, sizeof *variables);
    if (!variables)
        return WEFT_NO_MEMORY;
    count = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == WEFTC_SPACE_LOCAL)
            variables[count++] = g;
    weftc_bridge_expand_constants(variables, count);

    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    uint64_t offset = 0, max_align = 1;
    for (size_t i = 0; i < count; i++)
        max_align =
            local_align(layout, variables[i]) > max_align ? local_align(layout, variables[i]) : max_align;
    for (uint64_t align = max_align; align; align /= 2) {
        for (size_t i = 0; i < count; i++) {
            LLVMValueRef g = variables[i];
            if (!LLVMGetFirstUse(g) || local_align(layout, g) != align)
                continue;
            uint64_t size = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(g));
            LLVMValueRef base = weftc_primitive_build(b, module, WEFTC_LOCAL_MEMORY, 0);
            LLVMValueRef index = weftc_i64(c, offset);
            LLVMValueRef place = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(c), base, &index, 1, "");
            LLVMReplaceAllUsesWith(g, LLVMBuildAddrSpaceCast(b, place, LLVMTypeOf(g), LLVMGetValueName(g)));
            offset += (size + align - 1) & ~(align - 1);
        }
    }
    for (size_t i = 0; i < count; i++)
        LLVMDeleteGlobal(variables[i]);
    LLVMDisposeBuilder(b);
    weft_free(variables);
    weftc_module_number_set(module, WEFTC_LOCAL_BYTES, offset);
    return WEFT_OK;
}
