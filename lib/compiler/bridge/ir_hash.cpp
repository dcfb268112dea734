// A kernel's identity: a hash of the IR that it reaches. Two kernels that could become different code have
// different hashes. The hash doesn't depend on what else the program contains. Names of values, of strings
// and of other private variables contain numbers that count over the whole module. So these names are not
// hashed, but the contents are.
#include "compiler/bridge/ir_hash.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

extern "C" {
#include "base/base.h"
}

using namespace llvm;

namespace
{

// Collects words and hashes them all at the end, since most items are a single number.
class hasher
{
    SmallVector<uint64_t, 256> words;

  public:
    void number(uint64_t v)
    {
        words.push_back(v);
    }
    void bytes(const void *p, size_t n)
    {
        size_t start = words.size();
        words.push_back(n);
        words.resize(start + 1 + (n + 7) / 8);
        if (n)
            memcpy(&words[start + 1], p, n);
    }
    void text(StringRef s)
    {
        bytes(s.data(), s.size());
    }
    void hash(weft_hash h)
    {
        number(h.lo);
        number(h.hi);
    }
    void integer(const APInt &v)
    {
        number(v.getBitWidth());
        bytes(v.getRawData(), v.getNumWords() * sizeof(uint64_t));
    }
    weft_hash get() const
    {
        return weft_hash_bytes({0, 0}, words.data(), words.size() * sizeof(uint64_t));
    }
};

// The hash of one function (or variable), and what it refers to.
struct function_facts {
    weft_hash own;
    SetVector<const Function *> callees;
    SetVector<const GlobalVariable *> variables;
};

class module_hasher
{
    const DataLayout &layout;
    const ArrayRef<const char *> kinds; // of a kernel's metadata that affects its code
    SmallVector<StringRef, 8> scopes;
    DenseMap<const Type *, weft_hash> types;
    DenseMap<AttributeSet, weft_hash> attributes;
    DenseMap<const Metadata *, weft_hash> nodes;
    DenseMap<const Function *, std::unique_ptr<function_facts>> functions;
    DenseMap<const GlobalVariable *, std::unique_ptr<function_facts>> initializers;

    weft_hash type(const Type *t);
    weft_hash attribute_set(AttributeSet set);
    weft_hash metadata(const Metadata *md, unsigned depth);
    void attribute_list(hasher &h, AttributeList list);
    void constant(hasher &h, const Constant *c, function_facts &facts);
    void operand(hasher &h, const Value *v, const DenseMap<const Value *, uint64_t> &local,
                 function_facts &facts);
    void details(hasher &h, const Instruction &i);
    void attached(hasher &h, const Instruction &i);

  public:
    module_hasher(const Module &m, ArrayRef<const char *> kinds) : layout(m.getDataLayout()), kinds(kinds)
    {
        m.getContext().getSyncScopeNames(scopes);
    }
    const function_facts &function(const Function *f);
    const function_facts &variable(const GlobalVariable *g);
    uint64_t size_of(const GlobalVariable *g) const
    {
        return layout.getTypeAllocSize(g->getValueType());
    }
    uint64_t align_of(const GlobalVariable *g) const
    {
        return g->getAlign().value_or(layout.getABITypeAlign(g->getValueType())).value();
    }
};

weft_hash module_hasher::type(const Type *t)
{
    auto known = types.find(t);
    if (known != types.end())
        return known->second;
    hasher h;
    h.number(t->getTypeID());
    if (auto *i = dyn_cast<IntegerType>(t)) {
        h.number(i->getBitWidth());
    } else if (auto *p = dyn_cast<PointerType>(t)) {
        h.number(p->getAddressSpace());
    } else if (auto *a = dyn_cast<ArrayType>(t)) {
        h.number(a->getNumElements());
    } else if (auto *v = dyn_cast<VectorType>(t)) {
        h.number(v->getElementCount().getKnownMinValue());
    } else if (auto *s = dyn_cast<StructType>(t)) {
        h.number(s->isPacked());
    } else if (auto *f = dyn_cast<FunctionType>(t)) {
        h.number(f->isVarArg());
    } else if (auto *x = dyn_cast<TargetExtType>(t)) {
        h.text(x->getName());
        for (unsigned n : x->int_params())
            h.number(n);
    }
    h.number(t->getNumContainedTypes());
    for (const Type *inner : t->subtypes())
        h.hash(type(inner));
    return types[t] = h.get();
}

weft_hash module_hasher::attribute_set(AttributeSet set)
{
    auto [at, fresh] = attributes.try_emplace(set, weft_hash{0, 0});
    if (!fresh)
        return at->second;
    hasher h;
    for (Attribute a : set) {
        if (a.isStringAttribute()) {
            h.text(a.getKindAsString());
            h.text(a.getValueAsString());
            continue;
        }
        h.number(a.getKindAsEnum());
        if (a.isIntAttribute())
            h.number(a.getValueAsInt());
        else if (a.isTypeAttribute() && a.getValueAsType())
            h.hash(type(a.getValueAsType()));
        else if (!a.isEnumAttribute())
            h.text(a.getAsString());
    }
    return attributes[set] = h.get();
}

void module_hasher::attribute_list(hasher &h, AttributeList list)
{
    for (unsigned i : list.indexes()) {
        AttributeSet set = list.getAttributes(i);
        if (!set.hasAttributes())
            continue;
        h.number(i);
        h.hash(attribute_set(set));
    }
}

// Nodes may be cyclic (loops, debug information). Beyond a depth that only cyclic nodes reach, only the kind
// of node counts.
weft_hash module_hasher::metadata(const Metadata *md, unsigned depth)
{
    if (!md)
        return {0, 0};
    auto known = nodes.find(md);
    if (known != nodes.end())
        return known->second;
    hasher h;
    h.number(md->getMetadataID());
    if (auto *s = dyn_cast<MDString>(md)) {
        h.text(s->getString());
    } else if (auto *c = dyn_cast<ConstantAsMetadata>(md)) {
        function_facts unused;
        constant(h, c->getValue(), unused);
    } else if (auto *l = dyn_cast<DILocation>(md)) {
        h.number(l->getLine());
        h.number(l->getColumn());
    } else if (auto *d = dyn_cast<DINode>(md)) {
        if (auto *v = dyn_cast<DIVariable>(d))
            h.text(v->getName());
    } else if (auto *n = dyn_cast<MDNode>(md)) {
        h.number(n->getNumOperands());
        if (depth < 16)
            for (const MDOperand &operand : n->operands())
                h.hash(operand.get() == md ? weft_hash{1, 1} : metadata(operand.get(), depth + 1));
    }
    // A hash computed at a greater depth may be incomplete, so only those of depth 0 are cached.
    if (depth == 0)
        nodes[md] = h.get();
    return h.get();
}

void module_hasher::constant(hasher &h, const Constant *c, function_facts &facts)
{
    h.number(c->getValueID());
    h.hash(type(c->getType()));
    if (auto *f = dyn_cast<Function>(c)) {
        facts.callees.insert(f);
        h.text(f->getName());
    } else if (auto *g = dyn_cast<GlobalVariable>(c)) {
        facts.variables.insert(g);
        // Private names contain a number that counts over the module. The order of first use identifies the
        // variable instead.
        if (!g->hasPrivateLinkage())
            h.text(g->getName());
        else
            h.number(static_cast<uint64_t>(std::distance(
                facts.variables.begin(), std::find(facts.variables.begin(), facts.variables.end(), g))));
    } else if (auto *g = dyn_cast<GlobalValue>(c)) {
        h.text(g->getName());
    } else if (auto *i = dyn_cast<ConstantInt>(c)) {
        h.integer(i->getValue());
    } else if (auto *f = dyn_cast<ConstantFP>(c)) {
        h.integer(f->getValueAPF().bitcastToAPInt());
    } else if (auto *d = dyn_cast<ConstantDataSequential>(c)) {
        h.text(d->getRawDataValues());
    } else {
        if (auto *e = dyn_cast<ConstantExpr>(c)) {
            h.number(e->getOpcode());
            h.number(e->getRawSubclassOptionalData());
            if (auto *gep = dyn_cast<GEPOperator>(e))
                h.hash(type(gep->getSourceElementType()));
        }
        h.number(c->getNumOperands());
        for (const Use &use : c->operands())
            if (auto *inner = dyn_cast<Constant>(use.get()))
                constant(h, inner, facts);
    }
}

void module_hasher::operand(hasher &h, const Value *v, const DenseMap<const Value *, uint64_t> &local,
                            function_facts &facts)
{
    if (auto *c = dyn_cast<Constant>(v)) {
        h.number(0);
        constant(h, c, facts);
    } else if (auto *m = dyn_cast<MetadataAsValue>(v)) {
        h.number(1);
        h.hash(metadata(m->getMetadata(), 0));
    } else if (auto *a = dyn_cast<InlineAsm>(v)) {
        h.number(2);
        h.text(a->getAsmString());
        h.text(a->getConstraintString());
    } else {
        h.number(3);
        h.number(local.lookup(v));
    }
}

// Hashes what an instruction has besides opcode, type, flags and operands.
void module_hasher::details(hasher &h, const Instruction &i)
{
    auto scope = [&](SyncScope::ID id) { h.text(id < scopes.size() ? scopes[id] : ""); };
    if (auto *x = dyn_cast<AllocaInst>(&i)) {
        h.hash(type(x->getAllocatedType()));
        h.number(x->getAlign().value());
    } else if (auto *x = dyn_cast<LoadInst>(&i)) {
        h.number(x->getAlign().value() << 8 | static_cast<uint64_t>(x->getOrdering()) << 1 | x->isVolatile());
        scope(x->getSyncScopeID());
    } else if (auto *x = dyn_cast<StoreInst>(&i)) {
        h.number(x->getAlign().value() << 8 | static_cast<uint64_t>(x->getOrdering()) << 1 | x->isVolatile());
        scope(x->getSyncScopeID());
    } else if (auto *x = dyn_cast<GetElementPtrInst>(&i)) {
        h.hash(type(x->getSourceElementType()));
    } else if (auto *x = dyn_cast<CmpInst>(&i)) {
        h.number(x->getPredicate());
    } else if (auto *x = dyn_cast<CallBase>(&i)) {
        h.number(x->getCallingConv());
        h.hash(type(x->getFunctionType()));
        attribute_list(h, x->getAttributes());
        if (auto *call = dyn_cast<CallInst>(&i))
            h.number(call->getTailCallKind());
        for (unsigned b = 0; b < x->getNumOperandBundles(); b++)
            h.text(x->getOperandBundleAt(b).getTagName());
    } else if (auto *x = dyn_cast<ExtractValueInst>(&i)) {
        for (unsigned n : x->indices())
            h.number(n);
    } else if (auto *x = dyn_cast<InsertValueInst>(&i)) {
        for (unsigned n : x->indices())
            h.number(n);
    } else if (auto *x = dyn_cast<ShuffleVectorInst>(&i)) {
        for (int n : x->getShuffleMask())
            h.number(static_cast<uint64_t>(n));
    } else if (auto *x = dyn_cast<AtomicRMWInst>(&i)) {
        h.number(x->getAlign().value() << 16 | static_cast<uint64_t>(x->getOperation()) << 8 |
                 static_cast<uint64_t>(x->getOrdering()) << 1 | x->isVolatile());
        scope(x->getSyncScopeID());
    } else if (auto *x = dyn_cast<AtomicCmpXchgInst>(&i)) {
        h.number(x->getAlign().value() << 16 | static_cast<uint64_t>(x->getSuccessOrdering()) << 8 |
                 static_cast<uint64_t>(x->getFailureOrdering()) << 2 | (x->isWeak() ? 2u : 0u) |
                 x->isVolatile());
        scope(x->getSyncScopeID());
    } else if (auto *x = dyn_cast<FenceInst>(&i)) {
        h.number(static_cast<uint64_t>(x->getOrdering()));
        scope(x->getSyncScopeID());
    }
}

void module_hasher::attached(hasher &h, const Instruction &i)
{
    if (!i.hasMetadata())
        return;
    SmallVector<std::pair<unsigned, MDNode *>, 4> all;
    i.getAllMetadata(all);
    for (auto [kind, node] : all) {
        h.number(kind);
        h.hash(metadata(node, 0));
    }
}

const function_facts &module_hasher::function(const Function *f)
{
    auto known = functions.find(f);
    if (known != functions.end())
        return *known->second;
    auto facts = std::make_unique<function_facts>();
    hasher h;
    h.text(f->getName());
    h.hash(type(f->getFunctionType()));
    h.number(f->getCallingConv());
    attribute_list(h, f->getAttributes());
    for (const char *name : kinds)
        if (const MDNode *required = f->getMetadata(name)) {
            h.text(name);
            h.hash(metadata(required, 0));
        }

    // Values are identified by their number in the function.
    DenseMap<const Value *, uint64_t> local;
    for (const Argument &a : f->args())
        local[&a] = local.size() + 1;
    for (const BasicBlock &b : *f) {
        local[&b] = local.size() + 1;
        for (const Instruction &i : b)
            local[&i] = local.size() + 1;
    }
    for (const BasicBlock &b : *f) {
        h.number(b.size());
        for (const Instruction &i : b) {
            h.number(i.getOpcode());
            h.number(i.getRawSubclassOptionalData());
            h.hash(type(i.getType()));
            h.number(i.getNumOperands());
            for (const Use &use : i.operands())
                operand(h, use.get(), local, *facts);
            if (auto *phi = dyn_cast<PHINode>(&i))
                for (const BasicBlock *from : phi->blocks())
                    h.number(local.lookup(from));
            details(h, i);
            attached(h, i);
        }
    }
    facts->own = h.get();
    return *(functions[f] = std::move(facts));
}

const function_facts &module_hasher::variable(const GlobalVariable *g)
{
    auto known = initializers.find(g);
    if (known != initializers.end())
        return *known->second;
    auto facts = std::make_unique<function_facts>();
    hasher h;
    h.hash(type(g->getValueType()));
    h.number(g->getAddressSpace());
    h.number(g->isConstant());
    h.number(align_of(g));
    if (!g->hasPrivateLinkage())
        h.text(g->getName());
    if (g->hasInitializer())
        constant(h, g->getInitializer(), *facts);
    if (g->hasMetadata()) { // the offset of a program-scope variable
        SmallVector<std::pair<unsigned, MDNode *>, 4> all;
        g->getAllMetadata(all);
        for (auto &entry : all)
            h.hash(metadata(entry.second, 0));
    }
    facts->own = h.get();
    return *(initializers[g] = std::move(facts));
}

} // namespace

static weft_bridge_reach reach_of(module_hasher &hashes, const Function *kernel)
{
    // In the order of discovery, which depends only on the code.
    SetVector<const Function *> functions;
    SetVector<const GlobalVariable *> variables;
    functions.insert(kernel);
    hasher h;
    uint64_t local = 0;
    auto add = [&](const function_facts &facts) {
        h.hash(facts.own);
        functions.insert(facts.callees.begin(), facts.callees.end());
        variables.insert(facts.variables.begin(), facts.variables.end());
    };
    for (size_t f = 0, v = 0; f < functions.size() || v < variables.size();) {
        if (f < functions.size()) {
            add(hashes.function(functions[f++]));
            continue;
        }
        const GlobalVariable *g = variables[v++];
        add(hashes.variable(g));
        if (g->getAddressSpace() == 3)
            local = alignTo(local, Align(hashes.align_of(g))) + hashes.size_of(g);
    }
    bool enqueues = false;
    for (const Function *f : functions)
        enqueues |= f->isDeclaration() && (f->getName().starts_with("__enqueue_kernel_") ||
                                           f->getName().starts_with("_Z14enqueue_marker"));
    weft_hash all = h.get();
    return {all.lo, all.hi, local, enqueues};
}

void weft_bridge_reach_of(LLVMModuleRef module, const LLVMValueRef *kernels, size_t count,
                          const char *const *kinds, size_t kind_count, struct weft_bridge_reach *out)
{
    module_hasher hashes(*unwrap(module), ArrayRef(kinds, kind_count));
    for (size_t i = 0; i < count; i++)
        out[i] = reach_of(hashes, unwrap<Function>(kernels[i]));
}
