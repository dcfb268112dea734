// Implements bridge/vectorize.h.
#include "compiler/bridge/vectorize.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

using namespace llvm;

// ---- control flow ----

// The type that decides how many instructions an operation takes; NULL: it takes none.
static Type *type_of_operation(const Instruction &i)
{
    if (isa<CmpInst>(i) || isa<CastInst>(i))
        return i.getOperand(0)->getType();
    const bool operation = isa<BinaryOperator>(i) || isa<UnaryOperator>(i) || isa<SelectInst>(i) ||
                           isa<ShuffleVectorInst>(i) || isa<InsertElementInst>(i) ||
                           isa<ExtractElementInst>(i) || (isa<IntrinsicInst>(i) && !i.getType()->isVoidTy());
    return operation ? i.getType() : nullptr;
}

// Does it only take away or add elements at the end, or copy one to all? No processor needs an instruction
// for the first; the second is none of the elements' operations.
static bool is_resizing(const Instruction &i)
{
    if (isa<InsertElementInst>(i))
        return isa<UndefValue>(i.getOperand(0));
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&i);
    return shuffle && (shuffle->isIdentityWithExtract() || shuffle->isIdentityWithPadding() ||
                       shuffle->isZeroEltSplat() || shuffle->isIdentity());
}

void weftc_bridge_count_elements(LLVMValueRef function, unsigned register_bits,
                                 struct weftc_bridge_elements *count)
{
    enum { LOOP_WEIGHT_BITS = 3, MAX_DEPTH = 4 };
    Function &f = *cast<Function>(unwrap(function));
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    *count = {};
    for (BasicBlock &b : f) {
        const uint64_t weight = uint64_t(1)
                                << LOOP_WEIGHT_BITS * std::min<unsigned>(loops.getLoopDepth(&b), MAX_DEPTH);
        for (Instruction &i : b) {
            Type *type = type_of_operation(i);
            if (!type)
                continue;
            auto *vector = dyn_cast<FixedVectorType>(type);
            const bool moves =
                isa<ShuffleVectorInst>(i) || isa<InsertElementInst>(i) || isa<ExtractElementInst>(i);
            // Of shuffles of shuffles LLVM makes one.
            if (isa<ShuffleVectorInst>(i) && i.hasOneUse() && isa<ShuffleVectorInst>(*i.user_begin()))
                continue;
            const unsigned bits = vector ? vector->getNumElements() * vector->getScalarSizeInBits() : 1;
            const uint64_t operations =
                weight * (moves ? 1 : std::max(1u, unsigned(divideCeil(bits, register_bits))));
            const uint64_t elements = moves ? 0 : weight * (vector ? vector->getNumElements() : 1);
            count->operations += operations;
            count->elements += elements;
            if ((!vector && !moves) || is_resizing(i))
                continue;
            count->operations_by_hand += operations;
            count->elements_by_hand += elements;
        }
    }
}

// ---- functions ----

LLVMValueRef weftc_bridge_clone_function(LLVMValueRef function, const char *name)
{
    ValueToValueMapTy map;
    Function *copy = CloneFunction(cast<Function>(unwrap(function)), map);
    copy->setName(name);
    copy->setLinkage(GlobalValue::InternalLinkage);
    return wrap(copy);
}

// Reductions of vectors, which LLVM's Scalarizer leaves, become operations on elements.
static void split_reductions(Function &f)
{
    SmallVector<IntrinsicInst *, 8> reductions;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i);
            call && call->getCalledFunction()->getName().starts_with("llvm.vector.reduce.") &&
            isa<FixedVectorType>(call->getArgOperand(call->arg_size() - 1)->getType()))
            reductions.push_back(call);
    for (IntrinsicInst *call : reductions) {
        const Intrinsic::ID id = call->getIntrinsicID();
        const bool starts = call->arg_size() == 2; // reductions of floats begin with a number
        Value *vector = call->getArgOperand(starts ? 1 : 0), *all = starts ? call->getArgOperand(0) : nullptr;
        const unsigned operation = getArithmeticReductionInstruction(id);
        IRBuilder<> b(call);
        if (isa<FPMathOperator>(call))
            b.setFastMathFlags(call->getFastMathFlags());
        for (unsigned k = 0; k < cast<FixedVectorType>(vector->getType())->getNumElements(); k++) {
            Value *one = b.CreateExtractElement(vector, k);
            if (!all)
                all = one;
            else if (operation == Instruction::ICmp || operation == Instruction::FCmp)
                all = b.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(id), all, one);
            else
                all = b.CreateBinOp(static_cast<Instruction::BinaryOps>(operation), all, one);
        }
        call->replaceAllUsesWith(all);
        call->eraseFromParent();
    }
}

static bool run_on(LLVMValueRef function, LLVMTargetMachineRef machine, const char *pipeline, bool scalarize)
{
    PassBuilder builder(reinterpret_cast<TargetMachine *>(machine));
    LoopAnalysisManager lam;
    FunctionAnalysisManager fam;
    CGSCCAnalysisManager cam;
    ModuleAnalysisManager mam;
    builder.registerLoopAnalyses(lam);
    builder.registerFunctionAnalyses(fam);
    builder.registerCGSCCAnalyses(cam);
    builder.registerModuleAnalyses(mam);
    builder.crossRegisterProxies(lam, fam, cam, mam);
    FunctionPassManager passes;
    if (scalarize) {
        split_reductions(*cast<Function>(unwrap(function)));
        ScalarizerPassOptions options;
        options.ScalarizeVariableInsertExtract = true;
        options.ScalarizeLoadStore = true;
        passes.addPass(ScalarizerPass(options));
    }
    if (Error error = builder.parsePassPipeline(passes, pipeline)) {
        consumeError(std::move(error));
        return false;
    }
    passes.run(*cast<Function>(unwrap(function)), fam);
    return true;
}

bool weftc_bridge_scalarize(LLVMValueRef function, LLVMTargetMachineRef machine, const char *pipeline)
{
    return run_on(function, machine, pipeline, true);
}

bool weftc_bridge_run_on(LLVMValueRef function, LLVMTargetMachineRef machine, const char *pipeline)
{
    return run_on(function, machine, pipeline, false);
}

namespace
{
// The analyses that LLVM needs to unroll loops of a function.
struct Unroller {
    DominatorTree dominators;
    LoopInfo loops;
    AssumptionCache assumptions;
    TargetLibraryInfoImpl names;
    TargetLibraryInfo library;
    ScalarEvolution evolution;
    TargetTransformInfo costs;
    OptimizationRemarkEmitter remarks;

    Unroller(Function &f, LLVMTargetMachineRef machine)
        : Unroller(f, *reinterpret_cast<TargetMachine *>(machine))
    {
    }
    Unroller(Function &f, TargetMachine &target)
        : dominators(f), loops(dominators), assumptions(f), names(target.getTargetTriple()),
          library(names, &f), evolution(f, library, assumptions, dominators, loops),
          costs(target.getTargetTransformInfo(f)), remarks(&f)
    {
    }
    LoopUnrollResult unroll(Loop *loop, UnrollLoopOptions options, Loop **remainder = nullptr)
    {
        options.Force = true;
        return UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &costs, &remarks,
                          true, remainder);
    }
};
} // namespace

void weftc_bridge_unroll(LLVMValueRef branch, LLVMTargetMachineRef machine, unsigned iterations,
                         unsigned max_complete, const char *mark)
{
    auto *latch = cast<Instruction>(unwrap(branch))->getParent();
    Function &f = *latch->getParent();
    Unroller all(f, machine);
    Loop *loop = all.loops.getLoopFor(latch);
    if (!loop || loop->getLoopLatch() != latch)
        return;
    unsigned trips = all.evolution.getSmallConstantTripCount(loop);
    if (trips && trips <= 64 && trips * latch->size() <= max_complete)
        iterations = trips;
    while (trips && trips % iterations)
        iterations /= 2;
    if (iterations < 2)
        return;
    UnrollLoopOptions options{};
    options.Count = iterations;
    options.Runtime = true;
    options.AllowExpensiveTripCount = true;
    Loop *remainder = nullptr;
    if (all.unroll(loop, options, &remainder) != LoopUnrollResult::PartiallyUnrolled)
        return;
    // With many iterations unrolled, the remainder loop also has many iterations, and short rows run only
    // that loop. So it is unrolled, too.
    Loop *last = nullptr;
    options.Count = 4;
    if (remainder && iterations > 4)
        all.unroll(remainder, options, &last);
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(f.getContext()), iterations));
    for (Loop *l : {loop, remainder, last})
        if (l && l->getLoopLatch())
            l->getLoopLatch()->getTerminator()->setMetadata(mark, MDNode::get(f.getContext(), number));
}

// Does the loop access private memory or a table of constants, such that the offset is known for each of its
// iterations?
static bool accesses_known_offsets(const Loop &loop, ScalarEvolution &evolution)
{
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            const Value *pointer = getLoadStorePointerOperand(&i);
            if (!pointer || loop.isLoopInvariant(pointer))
                continue;
            const Value *object = getUnderlyingObject(pointer);
            const auto *table = dyn_cast<GlobalVariable>(object);
            if (!isa<AllocaInst>(object) && !(table && table->isConstant()))
                continue;
            const auto *place = dyn_cast<SCEVAddRecExpr>(
                evolution.removePointerBase(evolution.getSCEV(const_cast<Value *>(pointer))));
            if (place && place->getLoop() == &loop && isa<SCEVConstant>(place->getStart()) &&
                place->isAffine() && isa<SCEVConstant>(place->getOperand(1)))
                return true;
        }
    return false;
}

bool weftc_bridge_unroll_known_places(LLVMValueRef function, LLVMTargetMachineRef machine, unsigned max_size,
                                      unsigned max_total)
{
    Unroller all(*cast<Function>(unwrap(function)), machine);
    bool changed = false;
    // This needs a variable: reverse() of a temporary would leave a dangling reference.
    auto list = all.loops.getLoopsInPreorder();
    for (Loop *loop : reverse(list)) { // inner loops first
        const unsigned max = std::min(max_size, max_total);
        unsigned size = 0;
        for (BasicBlock *block : loop->isInnermost() ? loop->blocks() : ArrayRef<BasicBlock *>())
            size += block->size();
        if (size == 0 || 2 * size > max)
            continue;
        const unsigned iterations = all.evolution.getSmallConstantTripCount(loop);
        if (iterations < 2 || iterations > 64 || iterations * size > max || !loop->isLoopSimplifyForm() ||
            !loop->isSafeToClone() || (hasUnrollTransformation(loop) & TM_Disable) ||
            !accesses_known_offsets(*loop, all.evolution))
            continue;
        UnrollLoopOptions options{};
        options.Count = iterations;
        if (all.unroll(loop, options) == LoopUnrollResult::Unmodified)
            continue;
        changed = true;
        max_total -= iterations * size;
    }
    return changed;
}

// ---- instructions ----

void weftc_bridge_copy_flags(LLVMValueRef to, LLVMValueRef from)
{
    if (auto *i = dyn_cast<Instruction>(unwrap(to)))
        i->copyIRFlags(unwrap(from));
}

bool weftc_bridge_same_operation(LLVMValueRef a, LLVMValueRef b)
{
    auto *one = dyn_cast<Instruction>(unwrap(a)), *other = dyn_cast<Instruction>(unwrap(b));
    if (!one || !other || one->getRawSubclassOptionalData() != other->getRawSubclassOptionalData())
        return false;
    auto *call = dyn_cast<CallBase>(one), *other_call = dyn_cast<CallBase>(other);
    if (call && other_call && call->getCalledOperand() != other_call->getCalledOperand())
        return false;
    return one->isSameOperationAs(other);
}

void weftc_bridge_drop_flags(LLVMValueRef value)
{
    if (auto *i = dyn_cast<Instruction>(unwrap(value)))
        i->dropPoisonGeneratingAnnotations();
}

void weftc_bridge_copy_access(LLVMValueRef to, LLVMValueRef from)
{
    auto *i = dyn_cast<Instruction>(unwrap(to));
    if (!i)
        return;
    static const unsigned kinds[] = {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope,
                                     LLVMContext::MD_noalias, LLVMContext::MD_invariant_load,
                                     LLVMContext::MD_nontemporal};
    i->copyMetadata(*cast<Instruction>(unwrap(from)), kinds);
}

// `weft.math.NAME.T` maps scalars to a scalar. `weft.math.NAME.T.vN` does the same for each element of
// vectors. For a table look-up only the first operand, the index, becomes a vector.
static Function *widen_math(CallBase *call, unsigned width, uint32_t *scalar_operands)
{
    Function *scalar = call->getCalledFunction();
    SmallVector<Type *, 4> types;
    *scalar_operands = 0;
    for (unsigned k = 0; k < call->arg_size(); k++) {
        Type *type = call->getArgOperand(k)->getType();
        bool table = k > 0 && call->arg_size() > 2;
        if (table)
            *scalar_operands |= 1u << k;
        types.push_back(table ? type : VectorType::get(type, width, false));
    }
    auto *type = FunctionType::get(VectorType::get(call->getType(), width, false), types, false);
    auto name = (scalar->getName() + ".v" + Twine(width)).str();
    auto *wide = cast<Function>(call->getModule()->getOrInsertFunction(name, type).getCallee());
    wide->setAttributes(AttributeList::get(wide->getContext(), scalar->getAttributes().getFnAttrs(), {}, {}));
    return wide;
}

void weftc_bridge_join_access(LLVMValueRef to, LLVMValueRef from)
{
    auto *i = dyn_cast<Instruction>(unwrap(to));
    auto *other = cast<Instruction>(unwrap(from));
    if (!i)
        return;
    const unsigned flags[] = {LLVMContext::MD_invariant_load, LLVMContext::MD_nontemporal};
    auto of = [](Instruction *k, unsigned kind) { return k->getMetadata(kind); };
    i->dropUnknownNonDebugMetadata(
        {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias, flags[0], flags[1]});
    // What is left holds for both accesses.
    i->setMetadata(LLVMContext::MD_tbaa,
                   MDNode::getMostGenericTBAA(of(i, LLVMContext::MD_tbaa), of(other, LLVMContext::MD_tbaa)));
    i->setMetadata(LLVMContext::MD_alias_scope,
                   MDNode::getMostGenericAliasScope(of(i, LLVMContext::MD_alias_scope),
                                                    of(other, LLVMContext::MD_alias_scope)));
    i->setMetadata(LLVMContext::MD_noalias,
                   MDNode::intersect(of(i, LLVMContext::MD_noalias), of(other, LLVMContext::MD_noalias)));
    for (unsigned kind : flags)
        if (!of(other, kind))
            i->setMetadata(kind, nullptr);
}

// Is there a domain in which all alias scopes of `a` are in the noalias list of `b`?
static bool scopes_never_alias(const Instruction &a, const Instruction &b)
{
    const MDNode *scopes = a.getMetadata(LLVMContext::MD_alias_scope);
    const MDNode *never = b.getMetadata(LLVMContext::MD_noalias);
    if (!scopes || !never)
        return false;
    auto domain = [](const Metadata *scope) { return AliasScopeNode(cast<MDNode>(scope)).getDomain(); };
    return any_of(scopes->operands(), [&](const MDOperand &one) {
        return all_of(scopes->operands(), [&](const MDOperand &scope) {
            return domain(scope) != domain(one) || is_contained(never->operands(), scope);
        });
    });
}

bool weftc_bridge_never_alias(LLVMValueRef a, LLVMValueRef b)
{
    const auto &i = *cast<Instruction>(unwrap(a)), &k = *cast<Instruction>(unwrap(b));
    return scopes_never_alias(i, k) || scopes_never_alias(k, i);
}

bool weftc_bridge_touches_memory(LLVMValueRef value)
{
    const auto *i = dyn_cast<Instruction>(unwrap(value));
    return i && i->mayReadOrWriteMemory();
}

LLVMValueRef weftc_bridge_masked_access(LLVMBuilderRef builder, const char *name, LLVMTypeRef type,
                                        LLVMTypeRef pointer, LLVMValueRef arguments[4])
{
    const Intrinsic::ID id = LLVMLookupIntrinsicID(name, strlen(name));
    const bool stores = id == Intrinsic::masked_store || id == Intrinsic::masked_scatter;
    SmallVector<Value *, 4> all;
    for (unsigned k = 0; k < 4; k++)
        all.push_back(unwrap(arguments[k]));
    IRBuilderBase &b = *unwrap(builder);
    Function *f =
        versions::declare_intrinsic(b.GetInsertBlock()->getModule(), id, {unwrap(type), unwrap(pointer)});
    return wrap(versions::call_masked(b, f, all, stores ? 1 : 0));
}

unsigned weftc_bridge_masked_alignment(LLVMValueRef call, bool stores)
{
    return static_cast<unsigned>(
        versions::alignment_of_masked(*cast<CallBase>(unwrap(call)), stores ? 1 : 0));
}

LLVMValueRef weftc_bridge_masked_mask(LLVMValueRef call, bool stores)
{
    return wrap(versions::mask_of_masked(*cast<CallBase>(unwrap(call)), stores ? 1 : 0));
}

LLVMValueRef weftc_bridge_widen_intrinsic(LLVMValueRef value, unsigned width, uint32_t *scalar_operands)
{
    if (auto *plain = dyn_cast<CallInst>(unwrap(value));
        plain && plain->getCalledFunction() && plain->arg_size() <= 32 &&
        plain->getCalledFunction()->getName().starts_with(WEFTC_MATH_PREFIX))
        return wrap(widen_math(plain, width, scalar_operands));
    auto *call = dyn_cast<IntrinsicInst>(unwrap(value));
    if (!call || call->arg_size() > 32)
        return nullptr;
    Intrinsic::ID id = call->getIntrinsicID();
    if (!isTriviallyVectorizable(id) || call->getType()->isStructTy())
        return nullptr;
    SmallVector<Type *, 4> types;
    if (versions::names_type_of_argument(id, -1))
        types.push_back(VectorType::get(call->getType(), width, false));
    *scalar_operands = 0;
    for (unsigned k = 0; k < call->arg_size(); k++) {
        Type *type = call->getArgOperand(k)->getType();
        bool scalar = versions::takes_scalar(id, k);
        if (scalar)
            *scalar_operands |= 1u << k;
        if (versions::names_type_of_argument(id, static_cast<int>(k)))
            types.push_back(scalar ? type : VectorType::get(type, width, false));
    }
    return wrap(versions::declare_intrinsic(call->getModule(), id, types));
}
