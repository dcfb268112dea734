// Values of a function: constants, loads, and atomic operations on memory of one thread. Stateless.
#include "compiler/bridge/passes.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

using namespace llvm;

LLVMValueRef weftc_bridge_demote(LLVMValueRef instruction)
{
    return wrap(DemoteRegToStack(*cast<Instruction>(unwrap(instruction))));
}

size_t weftc_bridge_replace_loads(LLVMValueRef pointer, uint64_t offset, uint32_t value)
{
    Value *base = unwrap(pointer);
    const DataLayout &layout = cast<Argument>(base)->getParent()->getParent()->getDataLayout();
    SmallVector<std::pair<Value *, uint64_t>, 32> places = {{base, 0}};
    SmallVector<LoadInst *, 32> loads;
    while (!places.empty()) {
        auto [place, at] = places.pop_back_val();
        for (User *user : place->users()) {
            APInt by(layout.getIndexTypeSizeInBits(place->getType()), 0);
            auto *gep = dyn_cast<GEPOperator>(user);
            auto *load = dyn_cast<LoadInst>(user);
            if (gep && gep->getPointerOperand() == place && gep->accumulateConstantOffset(layout, by))
                places.push_back({gep, at + by.getZExtValue()});
            else if (load && at == offset && load->getType()->isIntegerTy(32))
                loads.push_back(load);
        }
    }
    for (LoadInst *load : loads) {
        load->replaceAllUsesWith(ConstantInt::get(load->getType(), value));
        load->eraseFromParent();
    }
    return loads.size();
}

bool weftc_bridge_comes_before(LLVMValueRef a, LLVMValueRef b)
{
    return cast<Instruction>(unwrap(a))->comesBefore(cast<Instruction>(unwrap(b)));
}

bool weftc_bridge_constant_offset(LLVMValueRef pointer, LLVMValueRef base, uint64_t *offset)
{
    const Value *from = unwrap(base), *to = unwrap(pointer);
    const DataLayout &layout = cast<Instruction>(from)->getModule()->getDataLayout();
    APInt by(layout.getIndexTypeSizeInBits(to->getType()), 0);
    const Value *found = to->stripAndAccumulateConstantOffsets(layout, by, /*AllowNonInbounds=*/true);
    *offset = by.getZExtValue();
    return found == from;
}

LLVMValueRef weftc_bridge_constant_global(LLVMValueRef pointer, uint64_t *offset)
{
    Value *to = unwrap(pointer);
    auto *global = dyn_cast<GlobalVariable>(getUnderlyingObject(to));
    if (!global || !global->isConstant() || !global->hasDefinitiveInitializer())
        return nullptr;
    const DataLayout &layout = global->getDataLayout();
    APInt by(layout.getIndexTypeSizeInBits(to->getType()), 0);
    if (to->stripAndAccumulateConstantOffsets(layout, by, /*AllowNonInbounds=*/true) != global)
        return nullptr;
    *offset = by.getZExtValue();
    return wrap(global);
}

bool weftc_bridge_constant_bytes(LLVMValueRef constant, LLVMTargetDataRef layout, uint64_t offset,
                                 uint64_t count, uint8_t *bytes)
{
    Constant *c = cast<Constant>(unwrap(constant));
    const DataLayout &data = *unwrap(layout);
    if (offset + count < offset || offset + count > data.getTypeAllocSize(c->getType()))
        return false;
    Type *i8 = Type::getInt8Ty(c->getContext());
    for (uint64_t k = 0; k < count; k++) {
        Constant *byte = ConstantFoldLoadFromConst(c, i8, APInt(64, offset + k), data);
        if (auto *number = dyn_cast_or_null<ConstantInt>(byte))
            bytes[k] = (uint8_t)number->getZExtValue();
        else if (!byte || !isa<UndefValue>(byte))
            return false;
    }
    return true;
}

bool weftc_bridge_is_fixed_load(LLVMValueRef instruction)
{
    auto *load = dyn_cast<LoadInst>(unwrap(instruction));
    return load && load->isSimple() && load->hasMetadata(LLVMContext::MD_invariant_load) &&
           isDereferenceableAndAlignedPointer(load->getPointerOperand(), load->getType(), load->getAlign(),
                                              load->getDataLayout());
}

// The access group isn't copied, because work-items may access the same memory here.
static void copy_aliasing(Instruction *to, const Instruction &from)
{
    static const unsigned kinds[] = {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                                     LLVMContext::MD_noalias};
    to->copyMetadata(from, kinds);
}

static void lower(AtomicRMWInst *i)
{
    IRBuilder<> b(i);
    LoadInst *old = b.CreateAlignedLoad(i->getType(), i->getPointerOperand(), i->getAlign());
    Value *sum = buildAtomicRMWValue(i->getOperation(), b, old, i->getValOperand());
    copy_aliasing(old, *i);
    copy_aliasing(b.CreateAlignedStore(sum, i->getPointerOperand(), i->getAlign()), *i);
    i->replaceAllUsesWith(old);
    i->eraseFromParent();
}

static void lower(AtomicCmpXchgInst *i)
{
    IRBuilder<> b(i);
    Type *type = i->getCompareOperand()->getType();
    LoadInst *old = b.CreateAlignedLoad(type, i->getPointerOperand(), i->getAlign());
    Value *same = b.CreateICmpEQ(old, i->getCompareOperand());
    Value *value = b.CreateSelect(same, i->getNewValOperand(), old);
    copy_aliasing(old, *i);
    copy_aliasing(b.CreateAlignedStore(value, i->getPointerOperand(), i->getAlign()), *i);
    Value *result = b.CreateInsertValue(PoisonValue::get(i->getType()), old, 0);
    i->replaceAllUsesWith(b.CreateInsertValue(result, same, 1));
    i->eraseFromParent();
}

void weftc_bridge_lower_own_atomics(LLVMModuleRef module)
{
    for (Function &f : *unwrap(module))
        for (BasicBlock &block : f)
            for (Instruction &i : make_early_inc_range(block)) {
                auto *rmw = dyn_cast<AtomicRMWInst>(&i);
                auto *exchange = dyn_cast<AtomicCmpXchgInst>(&i);
                if (rmw && rmw->getSyncScopeID() == SyncScope::SingleThread)
                    lower(rmw);
                else if (exchange && exchange->getSyncScopeID() == SyncScope::SingleThread)
                    lower(exchange);
            }
}
