// Replaces types throughout a module. For prepare, all pointers get one address space. For the front end,
// pipes, images and samplers, whose types only SPIR-V knows, become pointers and integers (weft/pipe.h,
// weft/image.h).
#include "compiler/bridge/passes.h"
#include "weft/image.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

using namespace llvm;

namespace
{

// Maps each type to another one. `leaf` maps types that contain no other types; it returns NULL for those
// that stay. If all pointers become one type (flattens), constant casts between address spaces are replaced
// by their operand.
class Retyper final : public ValueMapTypeRemapper, public ValueMaterializer
{
  public:
    ValueToValueMapTy map;
    Type *(*const leaf)(Type *);
    const bool flattens;

    Retyper(Type *(*leaf)(Type *), bool flattens) : leaf(leaf), flattens(flattens)
    {
    }

    Type *remapType(Type *t) override
    {
        auto found = types.find(t);
        if (found != types.end())
            return found->second;
        Type *result = retype(t);
        types[t] = result;
        return result;
    }

    Value *materialize(Value *v) override
    {
        auto *e = flattens ? dyn_cast<ConstantExpr>(v) : nullptr;
        if (!e || e->getOpcode() != Instruction::AddrSpaceCast)
            return nullptr;
        return constant(e->getOperand(0));
    }

    Constant *constant(Constant *c)
    {
        return MapValue(c, map, RF_NoModuleLevelChanges, this, this);
    }

  private:
    DenseMap<Type *, Type *> types;

    Type *retype(Type *t)
    {
        LLVMContext &c = t->getContext();
        if (Type *other = leaf(t))
            return other;
        if (auto *a = dyn_cast<ArrayType>(t))
            return ArrayType::get(remapType(a->getElementType()), a->getNumElements());
        if (auto *v = dyn_cast<VectorType>(t))
            return VectorType::get(remapType(v->getElementType()), v->getElementCount());
        if (auto *f = dyn_cast<FunctionType>(t)) {
            SmallVector<Type *, 8> params;
            for (Type *p : f->params())
                params.push_back(remapType(p));
            return FunctionType::get(remapType(f->getReturnType()), params, f->isVarArg());
        }
        auto *s = dyn_cast<StructType>(t);
        if (!s || s->isOpaque())
            return t;
        SmallVector<Type *, 8> elements;
        bool changed = false;
        for (Type *e : s->elements()) {
            elements.push_back(remapType(e));
            changed |= elements.back() != e;
        }
        if (!changed)
            return t;
        if (s->isLiteral())
            return StructType::get(c, elements, s->isPacked());
        return StructType::create(c, elements, s->getName(), s->isPacked());
    }
};

} // namespace

static void retype_global(Retyper &types, Module &m, GlobalVariable &g)
{
    Type *type = types.remapType(g.getValueType());
    auto *replacement = new GlobalVariable(m, type, g.isConstant(), g.getLinkage(), nullptr, "", nullptr,
                                           g.getThreadLocalMode(), types.flattens ? 0 : g.getAddressSpace());
    replacement->copyAttributesFrom(&g);
    if (MDNode *described = g.getMetadata(LLVMContext::MD_dbg))
        replacement->setMetadata(LLVMContext::MD_dbg, described);
    replacement->takeName(&g);
    types.map[&g] = replacement;
}

static void retype_declaration(Retyper &types, Module &m, Function &f)
{
    auto *type = cast<FunctionType>(types.remapType(f.getFunctionType()));
    if (type == f.getFunctionType())
        return;
    Function *replacement = Function::Create(type, f.getLinkage(), 0, "", &m);
    replacement->copyAttributesFrom(&f);
    // Not with takeName: a function that is an intrinsic must be renamed by setName to notice it.
    std::string name = f.getName().str();
    f.setName("");
    replacement->setName(name);
    if (replacement->isIntrinsic()) {
        if (auto renamed = Intrinsic::remangleIntrinsicFunction(replacement)) {
            replacement->eraseFromParent();
            replacement = *renamed;
        }
    }
    types.map[&f] = replacement;
}

// Returns the replacement of f, still without a body.
static Function *retype_signature(Retyper &types, Module &m, Function &f)
{
    auto *type = cast<FunctionType>(types.remapType(f.getFunctionType()));
    Function *flattened = Function::Create(type, f.getLinkage(), 0, "", &m);
    flattened->copyAttributesFrom(&f);
    // byval and similar attributes contain a type.
    AttributeList attributes = flattened->getAttributes();
    for (unsigned index : attributes.indexes())
        for (unsigned kind = Attribute::FirstTypeAttr; kind <= Attribute::LastTypeAttr; kind++)
            if (Type *t = attributes.getAttributeAtIndex(index, Attribute::AttrKind(kind)).getValueAsType())
                attributes = attributes.replaceAttributeTypeAtIndex(
                    m.getContext(), index, Attribute::AttrKind(kind), types.remapType(t));
    flattened->setAttributes(attributes);
    flattened->takeName(&f);
    for (unsigned i = 0; i < f.arg_size(); i++) {
        flattened->getArg(i)->setName(f.getArg(i)->getName());
        types.map[f.getArg(i)] = flattened->getArg(i);
    }
    SmallVector<std::pair<unsigned, MDNode *>, 8> attachments;
    f.getAllMetadata(attachments);
    for (auto &a : attachments)
        flattened->setMetadata(a.first, a.second);
    types.map[&f] = flattened;
    return flattened;
}

static void retype_body(Retyper &types, Function &from, Function &to)
{
    to.splice(to.begin(), &from);
    RemapFunction(to, types.map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals, &types, &types);
    if (!types.flattens)
        return;
    SmallVector<Instruction *, 16> casts;
    for (BasicBlock &b : to)
        for (Instruction &i : b)
            if (isa<AddrSpaceCastInst>(i))
                casts.push_back(&i);
    for (Instruction *i : casts) {
        i->replaceAllUsesWith(i->getOperand(0));
        i->eraseFromParent();
    }
}

static void retype_module(Module &m, Retyper &types)
{
    SmallVector<GlobalVariable *, 16> globals;
    for (GlobalVariable &g : m.globals())
        if ((types.flattens && g.getAddressSpace() != 0) ||
            types.remapType(g.getValueType()) != g.getValueType())
            globals.push_back(&g);
    SmallVector<Function *, 16> declarations, definitions, retyped;
    for (Function &f : m)
        (f.isDeclaration() ? declarations : definitions).push_back(&f);
    for (GlobalVariable *g : globals)
        retype_global(types, m, *g);
    for (Function *d : declarations)
        retype_declaration(types, m, *d);
    for (GlobalVariable *g : globals)
        if (g->hasInitializer())
            cast<GlobalVariable>(types.map[g])->setInitializer(types.constant(g->getInitializer()));
    for (Function *f : definitions)
        retyped.push_back(retype_signature(types, m, *f));
    for (size_t i = 0; i < definitions.size(); i++)
        retype_body(types, *definitions[i], *retyped[i]);
    for (Function *f : definitions)
        f->eraseFromParent();
    for (GlobalVariable *g : globals) {
        g->removeDeadConstantUsers();
        if (g->use_empty())
            g->eraseFromParent();
    }
    for (Function *d : declarations)
        if (types.map.count(d) && d->use_empty())
            d->eraseFromParent();
}

void weftc_bridge_flatten_address_spaces(LLVMModuleRef module)
{
    Retyper types(
        [](Type *t) -> Type * { return t->isPointerTy() ? PointerType::get(t->getContext(), 0) : nullptr; },
        true);
    retype_module(*unwrap(module), types);
}

// ---- pipes, queues, events of queues, images, samplers ----

static Type *object_leaf(Type *t)
{
    auto *x = dyn_cast<TargetExtType>(t);
    if (x && (x->getName() == "spirv.Pipe" || x->getName() == "spirv.Queue" ||
              x->getName() == "spirv.DeviceEvent"))
        return PointerType::get(t->getContext(), 1);
    if (x && x->getName() == "spirv.ReserveId")
        return Type::getInt64Ty(t->getContext());
    if (x && (x->getName() == "spirv.Image" || x->getName() == "spirv.Sampler"))
        return PointerType::get(t->getContext(), 2);
    return nullptr;
}

// Clang turns a constant sampler into a call with its number. Replaces such calls by the number.
static void lower_samplers(Module &m)
{
    Function *f = m.getFunction("__translate_sampler_initializer");
    if (!f || !f->isDeclaration())
        return;
    for (User *user : make_early_inc_range(f->users())) {
        auto *call = dyn_cast<CallInst>(user);
        auto *number =
            call && call->arg_size() == 1 ? dyn_cast<ConstantInt>(call->getArgOperand(0)) : nullptr;
        if (!number)
            continue;
        Constant *wide = ConstantInt::get(Type::getInt64Ty(m.getContext()), number->getZExtValue());
        call->replaceAllUsesWith(ConstantExpr::getIntToPtr(wide, call->getType()));
        call->eraseFromParent();
    }
    if (f->use_empty())
        f->eraseFromParent();
}

// An image parameter always points to a weft_image.
static void mark_images(Function &f, const char *image)
{
    LLVMContext &c = f.getContext();
    for (Argument &a : f.args()) {
        auto *x = dyn_cast<TargetExtType>(a.getType());
        if (!x || x->getName() != "spirv.Image")
            continue;
        f.addParamAttr(a.getArgNo(), Attribute::get(c, image));
        f.addParamAttr(a.getArgNo(), Attribute::getWithDereferenceableBytes(c, sizeof(weft_image)));
        f.addParamAttr(a.getArgNo(), Attribute::getWithAlignment(c, Align(alignof(weft_image))));
    }
}

void weft_bridge_lower_objects(LLVMModuleRef module, const char *image)
{
    Module &m = *unwrap(module);
    bool found = false;
    for (Function &f : m) {
        found |= object_leaf(f.getReturnType()) != nullptr;
        for (Argument &a : f.args())
            found |= object_leaf(a.getType()) != nullptr;
    }
    if (!found)
        return;
    for (Function &f : m)
        if (!f.isDeclaration())
            mark_images(f, image);
    Retyper types(object_leaf, false);
    retype_module(m, types);
    lower_samplers(m);
}
