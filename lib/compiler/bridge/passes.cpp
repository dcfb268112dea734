// Implements bridge/passes.h. The file has more than 500 lines: it contains many small, unrelated functions.

#include "compiler/bridge/passes.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

// ---- metadata ----

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

// ---- module ----

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
        for (Instruction &i : b)
            i.setDebugLoc(i.getDebugLoc() ? placed_at(i.getDebugLoc(), at, c, cache) : there);
}

bool weftc_bridge_inline_only_call(LLVMValueRef value)
{
    auto *call = dyn_cast<CallInst>(unwrap(value));
    Function *f = call ? call->getCalledFunction() : nullptr;
    SmallVector<AllocaInst *, 8> variables;
    SmallVector<ReturnInst *, 8> returns;
    if (!f || f == call->getFunction() || f->isDeclaration() || !f->hasLocalLinkage() || !f->hasOneUse() ||
        f->isVarArg() || f->getSubprogram() || f->hasPersonalityFn() || call->hasOperandBundles() ||
        f->getFunctionType() != call->getFunctionType() || !find_parts(*f, variables, returns))
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
        if (a.hasNoAliasAttr() && (!captured || PointerMayBeCaptured(&a, true, true, most_uses)))
            a.removeAttr(Attribute::NoAlias);
}

// ---- control flow ----

LLVMBasicBlockRef weftc_bridge_split_block(LLVMValueRef instruction)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    return wrap(i->getParent()->splitBasicBlock(i));
}

void weftc_bridge_post_dominators(LLVMValueRef f, const LLVMBasicBlockRef *blocks, size_t count,
                                  uint32_t *ipdom)
{
    PostDominatorTree tree(*cast<Function>(unwrap(f)));
    DenseMap<BasicBlock *, uint32_t> index;
    for (size_t i = 0; i < count; i++)
        index[unwrap(blocks[i])] = static_cast<uint32_t>(i);
    for (size_t i = 0; i < count; i++) {
        auto *node = tree.getNode(unwrap(blocks[i]));
        auto *parent = node ? node->getIDom() : nullptr;
        BasicBlock *block = parent ? parent->getBlock() : nullptr;
        ipdom[i] = block ? index.lookup(block) : UINT32_MAX;
    }
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

size_t weftc_bridge_max_loops(LLVMModuleRef module)
{
    size_t max_loops = 0;
    for (Function &f : *unwrap(module)) {
        if (f.isDeclaration())
            continue;
        DominatorTree tree(f);
        max_loops = std::max<size_t>(max_loops, LoopInfo(tree).getLoopsInPreorder().size());
    }
    return max_loops;
}

// A part of a function: its blocks, the outside values that it uses, and the block that it exits to.
struct Part {
    SmallPtrSet<BasicBlock *, 32> blocks;
    SmallSetVector<Value *, 32> inputs;
    BasicBlock *exit = nullptr;
};

// Examines a part. Returns false if it can't become a function without a result.
static bool examine(Part &part, ArrayRef<BasicBlock *> blocks)
{
    part.blocks.insert(blocks.begin(), blocks.end());
    auto outside = [&](User *user) { return !part.blocks.contains(cast<Instruction>(user)->getParent()); };
    for (BasicBlock *block : blocks) {
        if (block->isEntryBlock() || (block != blocks[0] && any_of(predecessors(block), [&](BasicBlock *p) {
                                          return !part.blocks.contains(p);
                                      })))
            return false;
        for (Instruction &i : *block) {
            if (isa<AllocaInst>(i) || isa<ReturnInst>(i) || any_of(i.users(), outside))
                return false;
            for (Value *operand : i.operands()) {
                auto *other = dyn_cast<Instruction>(operand);
                if (isa<Argument>(operand) || (other && !part.blocks.contains(other->getParent())))
                    part.inputs.insert(operand);
            }
        }
        for (BasicBlock *to : successors(block)) {
            if (part.blocks.contains(to))
                continue;
            if (part.exit && part.exit != to)
                return false;
            part.exit = to;
        }
    }
    return part.exit && part.exit->phis().empty() && blocks[0]->phis().empty();
}

static Function *outline(Part &part, ArrayRef<BasicBlock *> blocks)
{
    Function *from = blocks[0]->getParent();
    LLVMContext &c = from->getContext();
    SmallVector<Type *, 32> types;
    for (Value *input : part.inputs)
        types.push_back(input->getType());
    auto *function = Function::Create(FunctionType::get(Type::getVoidTy(c), types, false),
                                      GlobalValue::InternalLinkage, from->getAddressSpace(),
                                      from->getName() + "." + blocks[0]->getName(), from->getParent());
    function->setAttributes(AttributeList::get(c, from->getAttributes().getFnAttrs(), AttributeSet(), {}));
    auto *call = BasicBlock::Create(c, "", from, blocks[0]);
    CallInst::Create(function, part.inputs.getArrayRef(), "", call)->setDoesNotThrow();
    BranchInst::Create(part.exit, call);
    SmallVector<BasicBlock *, 4> before;
    for (BasicBlock *p : predecessors(blocks[0]))
        if (!part.blocks.contains(p))
            before.push_back(p);
    for (BasicBlock *p : before)
        p->getTerminator()->replaceSuccessorWith(blocks[0], call);

    auto *entry = BasicBlock::Create(c, "", function), *end = BasicBlock::Create(c, "", function);
    BranchInst::Create(blocks[0], entry);
    ReturnInst::Create(c, end);
    DenseMap<Value *, Value *> here;
    for (size_t k = 0; k < part.inputs.size(); k++)
        here[part.inputs[k]] = function->getArg((unsigned)k);
    for (BasicBlock *block : blocks) {
        function->splice(end->getIterator(), from, block->getIterator());
        for (Instruction &i : *block)
            for (Use &operand : i.operands())
                if (Value *argument = here.lookup(operand))
                    operand.set(argument);
        block->getTerminator()->replaceSuccessorWith(part.exit, end);
    }
    return function;
}

// Not with LLVM's CodeExtractor: for each part it visits all uses of the part's inputs in the function, so
// its time is quadratic.
bool weftc_bridge_outline(const LLVMBasicBlockRef *blocks, const size_t *counts, size_t parts,
                          LLVMValueRef *functions)
{
    for (size_t i = 0; i < parts; blocks += counts[i++]) {
        SmallVector<BasicBlock *, 16> list;
        for (size_t k = 0; k < counts[i]; k++)
            list.push_back(unwrap(blocks[k]));
        Part part;
        if (!examine(part, list))
            return false;
        functions[i] = wrap(outline(part, list));
    }
    return true;
}

void weftc_bridge_take_branch(LLVMValueRef branch)
{
    auto *br = cast<BranchInst>(unwrap(branch));
    BasicBlock *from = br->getParent(), *to = br->getSuccessor(0), *other = br->getSuccessor(1);
    if (other != to)
        other->removePredecessor(from);
    BranchInst::Create(to, br->getIterator());
    br->eraseFromParent();
    removeUnreachableBlocks(*from->getParent());
}

void weftc_bridge_remove_unreachable(LLVMValueRef f)
{
    removeUnreachableBlocks(*cast<Function>(unwrap(f)));
}

// ---- values ----

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

// ---- copies of a part of a function ----

void weftc_bridge_copy_blocks(LLVMValueRef into, const LLVMBasicBlockRef *blocks, size_t count,
                              const LLVMValueRef *from, const LLVMValueRef *to, size_t mapped,
                              LLVMBasicBlockRef *copies)
{
    Function *f = cast<Function>(unwrap(into));
    ValueToValueMapTy map;
    for (size_t i = 0; i < mapped; i++)
        map[unwrap(from[i])] = unwrap(to[i]);
    SmallPtrSet<BasicBlock *, 32> part;
    for (size_t i = 0; i < count; i++) {
        BasicBlock *copy = CloneBasicBlock(unwrap(blocks[i]), map, "", f);
        map[unwrap(blocks[i])] = copy;
        part.insert(unwrap(blocks[i]));
        copies[i] = wrap(copy);
    }
    for (size_t i = 0; i < count; i++) {
        for (Instruction &instruction : *unwrap(copies[i])) {
            if (auto *phi = dyn_cast<PHINode>(&instruction))
                for (unsigned k = phi->getNumIncomingValues(); k-- > 0;)
                    if (!part.count(phi->getIncomingBlock(k)))
                        phi->removeIncomingValue(k, false);
            RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
        }
    }
}
