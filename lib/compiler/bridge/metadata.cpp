// Metadata of instructions, loops and modules. Stateless.
#include "compiler/bridge/passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

using namespace llvm;

LLVMMetadataRef weftc_bridge_alias_scope(LLVMContextRef c, LLVMMetadataRef domain, const char *name)
{
    MDBuilder builder(*unwrap(c));
    if (!domain)
        return wrap(builder.createAnonymousAliasScopeDomain(name));
    return wrap(builder.createAnonymousAliasScope(cast<MDNode>(unwrap(domain)), name));
}

LLVMMetadataRef weftc_bridge_distinct_node(LLVMContextRef c)
{
    return wrap(MDNode::getDistinct(*unwrap(c), {}));
}

void weftc_bridge_append_metadata(LLVMValueRef instruction, const char *kind, LLVMMetadataRef list)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    unsigned id = i->getContext().getMDKindID(kind);
    i->setMetadata(id, MDNode::concatenate(i->getMetadata(id), cast<MDNode>(unwrap(list))));
}

void weftc_bridge_loop_properties(LLVMValueRef branch, LLVMMetadataRef group, unsigned vector_width)
{
    Instruction *i = cast<Instruction>(unwrap(branch));
    LLVMContext &c = i->getContext();
    SmallVector<Metadata *, 4> properties;
    properties.push_back(nullptr); // the node itself
    auto add = [&](const char *name, Metadata *value) {
        properties.push_back(MDNode::get(c, {MDString::get(c, name), value}));
    };
    if (group)
        add("llvm.loop.parallel_accesses", unwrap(group));
    if (vector_width) {
        Type *i32 = Type::getInt32Ty(c);
        add("llvm.loop.vectorize.width", ConstantAsMetadata::get(ConstantInt::get(i32, vector_width)));
        if (vector_width == 1)
            add("llvm.loop.interleave.count", ConstantAsMetadata::get(ConstantInt::get(i32, 1)));
    }
    MDNode *loop = MDNode::getDistinct(c, properties);
    loop->replaceOperandWith(0, loop);
    i->setMetadata(LLVMContext::MD_loop, loop);
}

static void set_unroll_property(LLVMValueRef branch, const char *what)
{
    Instruction *i = cast<Instruction>(unwrap(branch));
    LLVMContext &c = i->getContext();
    SmallVector<Metadata *, 4> properties;
    properties.push_back(nullptr); // the node itself
    MDNode *old = i->getMetadata(LLVMContext::MD_loop);
    for (unsigned k = 1; old && k < old->getNumOperands(); k++) {
        const MDNode *property = dyn_cast<MDNode>(old->getOperand(k));
        const MDString *name =
            property && property->getNumOperands() ? dyn_cast<MDString>(property->getOperand(0)) : nullptr;
        if (name && name->getString().starts_with("llvm.loop.unroll"))
            return;
        properties.push_back(old->getOperand(k));
    }
    properties.push_back(MDNode::get(c, {MDString::get(c, what)}));
    MDNode *loop = MDNode::getDistinct(c, properties);
    loop->replaceOperandWith(0, loop);
    i->setMetadata(LLVMContext::MD_loop, loop);
}

void weftc_bridge_keep_rolled(LLVMValueRef branch)
{
    set_unroll_property(branch, "llvm.loop.unroll.runtime.disable");
}

void weftc_bridge_never_unroll(LLVMValueRef branch)
{
    set_unroll_property(branch, "llvm.loop.unroll.disable");
}

void weftc_bridge_keep_only_lines(LLVMModuleRef module)
{
    stripNonLineTableDebugInfo(*unwrap(module));
}

LLVMValueRef weftc_bridge_last_operand(LLVMModuleRef module, const char *name)
{
    const NamedMDNode *list = unwrap(module)->getNamedMetadata(name);
    if (!list || list->getNumOperands() == 0)
        return nullptr;
    MDNode *last = list->getOperand(list->getNumOperands() - 1);
    return wrap(MetadataAsValue::get(last->getContext(), last));
}
