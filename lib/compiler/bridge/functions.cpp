// Functions of a module: inlining, parameters, attributes, and the address spaces of their pointers.
// Stateless.
#include "compiler/bridge/passes.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

void weftc_bridge_expand_constants(LLVMValueRef *globals, size_t count)
{
    SmallVector<Constant *, 16> list;
    for (size_t i = 0; i < count; i++)
        list.push_back(cast<Constant>(unwrap(globals[i])));
    convertUsersOfConstantsToInstructions(list);
}

// Does f cast a pointer to this address space from another one?
static bool casts_to_space(Function &f, unsigned space)
{
    for (BasicBlock &b : f)
        for (Instruction &i : b) {
            if (isa<AddrSpaceCastInst>(i) && i.getType()->getPointerAddressSpace() == space)
                return true;
            for (Value *v : i.operands())
                if (isa<ConstantExpr>(v) && v->getType()->isPointerTy() &&
                    v->getType()->getPointerAddressSpace() == space)
                    return true;
        }
    return false;
}

// Returns false if the instruction has no volatile flag, or if the flag already has this value.
static bool set_volatile(Instruction &i, bool value)
{
    auto set = [&](auto *access) {
        if (!access || access->isVolatile() == value)
            return false;
        access->setVolatile(value);
        return true;
    };
    return set(dyn_cast<LoadInst>(&i)) || set(dyn_cast<StoreInst>(&i)) || set(dyn_cast<AtomicRMWInst>(&i)) ||
           set(dyn_cast<AtomicCmpXchgInst>(&i));
}

void weftc_bridge_infer_spaces(LLVMValueRef function, unsigned generic)
{
    Function &f = *cast<Function>(unwrap(function));
    if (!casts_to_space(f, generic))
        return;
    PassBuilder builder;
    FunctionAnalysisManager analyses;
    builder.registerFunctionAnalyses(analyses);
    PassInstrumentationCallbacks none;
    analyses.registerPass([&] { return PassInstrumentationAnalysis(&none); });
    // The pass skips volatile accesses, because some targets have them only in one address space. So the flag
    // is removed for the time of the pass.
    SmallVector<Instruction *, 16> hidden;
    for (BasicBlock &b : f)
        for (Instruction &i : b)
            if (set_volatile(i, false))
                hidden.push_back(&i);
    InferAddressSpacesPass(generic).run(f, analyses);
    for (Instruction *i : hidden)
        set_volatile(*i, true);
}

bool weftc_bridge_inline(LLVMValueRef call)
{
    InlineFunctionInfo info;
    return InlineFunction(*cast<CallBase>(unwrap(call)), info, /*MergeAttributes=*/true).isSuccess();
}

// Collects variables and returns of a function whose blocks are to be moved into another function. Returns
// false if they can't be moved.
static bool find_parts(Function &f, SmallVectorImpl<AllocaInst *> &variables,
                       SmallVectorImpl<ReturnInst *> &returns)
{
    for (const Argument &a : f.args())
        if (a.hasPassPointeeByValueCopyAttr() || a.hasSwiftErrorAttr())
            return false;
    for (BasicBlock &b : f) {
        if (b.hasAddressTaken())
            return false;
        for (Instruction &i : b) {
            auto *call = dyn_cast<CallInst>(&i);
            if (call && call->isMustTailCall())
                return false;
            auto *variable = dyn_cast<AllocaInst>(&i);
            if (variable && !variable->isStaticAlloca())
                return false;
            if (variable)
                variables.push_back(variable);
        }
        if (auto *r = dyn_cast<ReturnInst>(b.getTerminator()))
            returns.push_back(r);
    }
    return !returns.empty();
}

static Value *join_returns(BasicBlock *after, ArrayRef<ReturnInst *> returns, Type *type)
{
    Value *result = nullptr;
    if (!type->isVoidTy() && returns.size() > 1) {
        PHINode *phi = PHINode::Create(type, static_cast<unsigned>(returns.size()), "", after->begin());
        for (ReturnInst *r : returns)
            phi->addIncoming(r->getReturnValue(), r->getParent());
        result = phi;
    } else {
        result = returns[0]->getReturnValue();
    }
    for (ReturnInst *r : returns) {
        BranchInst::Create(after, r->getParent());
        r->eraseFromParent();
    }
    return result;
}

static DebugLoc placed_at(const DebugLoc &l, DILocation *at, LLVMContext &c,
                          DenseMap<const MDNode *, MDNode *> &cache)
{
    DebugLoc whole = DebugLoc::appendInlinedAt(l, at, c, cache);
    return DILocation::get(c, l.getLine(), l.getCol(), l.getScope(), whole.get());
}

// Gives the instructions of a function that is moved to the place of a call their places in the source there,
// like LLVM's inliner. A call without a place has no debug information around it.
static void move_places(Function &f, const CallInst &call)
{
    const DebugLoc &there = call.getDebugLoc();
    if (!there)
        return;
    LLVMContext &c = f.getContext();
    DILocation *at =
        DILocation::getDistinct(c, there.getLine(), there.getCol(), there.getScope(), there.getInlinedAt());
    DenseMap<const MDNode *, MDNode *> cache;
    for (BasicBlock &b : f)
        for (Instruction &i : b) {
            i.setDebugLoc(i.getDebugLoc() ? placed_at(i.getDebugLoc(), at, c, cache) : there);
            updateLoopMetadataDebugLocations(i,
                                             [&](Metadata *m) -> Metadata * { // a loop knows its place, too
                                                 auto *l = dyn_cast_or_null<DILocation>(m);
                                                 return l ? placed_at(l, at, c, cache).get() : m;
                                             });
        }
}

bool weftc_bridge_inline_only_call(LLVMValueRef value, bool exactly)
{
    auto *call = dyn_cast<CallInst>(unwrap(value));
    Function *f = call ? call->getCalledFunction() : nullptr;
    SmallVector<AllocaInst *, 8> variables;
    SmallVector<ReturnInst *, 8> returns;
    if (!f || f == call->getFunction() || f->isDeclaration() || !f->hasLocalLinkage() || !f->hasOneUse() ||
        f->isVarArg() || f->getSubprogram() || f->hasPersonalityFn() || call->hasOperandBundles() ||
        f->getFunctionType() != call->getFunctionType() || !find_parts(*f, variables, returns))
        return false;
    if (exactly &&
        (!variables.empty() || any_of(f->args(), [](const Argument &a) { return a.hasNoAliasAttr(); })))
        return false;
    move_places(*f, *call);
    Function *into = call->getFunction();
    BasicBlock *before = call->getParent(), *first = &f->getEntryBlock();
    BasicBlock *after = before->splitBasicBlock(call);
    before->getTerminator()->eraseFromParent();
    for (Argument &a : f->args())
        a.replaceAllUsesWith(call->getArgOperand(a.getArgNo()));
    into->splice(after->getIterator(), f);
    BranchInst::Create(first, before);
    for (AllocaInst *variable : variables)
        variable->moveBefore(into->getEntryBlock(), into->getEntryBlock().begin());
    // The callees may now get pointers to variables of the surrounding function, so no call may be a tail
    // call.
    for (BasicBlock *b = first; b != after; b = b->getNextNode())
        for (Instruction &i : *b)
            if (auto *inner = dyn_cast<CallInst>(&i))
                inner->setTailCallKind(CallInst::TCK_None);
    Value *result = join_returns(after, returns, f->getReturnType());
    if (result)
        call->replaceAllUsesWith(result);
    call->eraseFromParent();
    f->eraseFromParent();
    return true;
}

LLVMValueRef weftc_bridge_add_parameters(LLVMValueRef function, const LLVMTypeRef *types, size_t count)
{
    Function *f = cast<Function>(unwrap(function));
    SmallVector<Type *, 16> params(f->getFunctionType()->params());
    for (size_t i = 0; i < count; i++)
        params.push_back(unwrap(types[i]));
    auto *type = FunctionType::get(f->getReturnType(), params, false);
    Function *extended = Function::Create(type, f->getLinkage(), 0, "", f->getParent());
    extended->copyAttributesFrom(f);
    extended->takeName(f);
    extended->splice(extended->begin(), f);
    for (unsigned i = 0; i < f->arg_size(); i++) {
        extended->getArg(i)->takeName(f->getArg(i));
        f->getArg(i)->replaceAllUsesWith(extended->getArg(i));
    }
    f->replaceAllUsesWith(extended);
    f->eraseFromParent();
    return wrap(extended);
}

void weftc_bridge_copy_attributes(LLVMValueRef to, LLVMValueRef from)
{
    cast<Function>(unwrap(to))->setAttributes(cast<Function>(unwrap(from))->getAttributes());
}

void weftc_bridge_drop_noalias(LLVMValueRef function, bool captured)
{
    // With LLVM's default limit, a pointer with more than a hundred uses counts as captured. Unrolled kernels
    // have that many.
    const unsigned most_uses = 10000;
    for (Argument &a : cast<Function>(unwrap(function))->args())
        if (a.hasNoAliasAttr() && (!captured || versions::may_be_captured(&a, most_uses)))
            a.removeAttr(Attribute::NoAlias);
}
