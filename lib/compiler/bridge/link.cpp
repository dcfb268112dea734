// Reads bitcode lazily, and links lazily read modules. LLVM's C API can do this only for complete modules.
#include "compiler/bridge/link.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Utils/Cloning.h>

extern "C" {
#include "base/base.h"
}

using namespace llvm;

LLVMModuleRef weft_bridge_read_lazily(LLVMContextRef context, const void *bitcode, size_t size,
                                      char **message)
{
    *message = nullptr;
    MemoryBufferRef bytes(StringRef(static_cast<const char *>(bitcode), size), "program");
    Expected<std::unique_ptr<Module>> module = getLazyBitcodeModule(bytes, *unwrap(context), true);
    if (!module) {
        *message = weft_strdup(toString(module.takeError()).c_str());
        return nullptr;
    }
    return wrap(module->release());
}

// Collects the globals that a constant refers to, including itself.
static void collect(const Constant *c, SmallPtrSetImpl<const Constant *> &seen,
                    SetVector<GlobalValue *> &found)
{
    SmallVector<const Constant *, 16> work{c};
    while (!work.empty()) {
        const Constant *at = work.pop_back_val();
        if (!seen.insert(at).second)
            continue;
        if (auto *g = dyn_cast<GlobalValue>(at)) {
            found.insert(const_cast<GlobalValue *>(g));
            continue;
        }
        for (const Use &use : at->operands())
            if (auto *inner = dyn_cast<Constant>(use.get()))
                work.push_back(inner);
    }
}

static void collect_function(const Function &f, SmallPtrSetImpl<const Constant *> &seen,
                             SetVector<GlobalValue *> &found)
{
    for (const BasicBlock &b : f)
        for (const Instruction &i : b)
            for (const Use &use : i.operands())
                if (auto *c = dyn_cast<Constant>(use.get()))
                    collect(c, seen, found);
}

// Collects the roots and what they reach, and reads bodies and initializers. Returns an error if the bitcode
// is damaged.
static Error collect_reached(const LLVMValueRef *roots, size_t count, SetVector<GlobalValue *> &reached)
{
    SmallPtrSet<const Constant *, 32> seen;
    for (size_t i = 0; i < count; i++)
        reached.insert(unwrap<GlobalValue>(roots[i]));
    for (size_t i = 0; i < reached.size(); i++) {
        GlobalValue *g = reached[i];
        if (Error error = g->materialize())
            return error;
        if (auto *f = dyn_cast<Function>(g))
            collect_function(*f, seen, reached);
        else if (auto *v = dyn_cast<GlobalVariable>(g); v && v->hasInitializer())
            collect(v->getInitializer(), seen, reached);
        else if (auto *a = dyn_cast<GlobalAlias>(g))
            collect(a->getAliasee(), seen, reached);
    }
    return Error::success();
}

static bool failed(Error error, char **message)
{
    if (!error)
        return false;
    *message = weft_strdup(toString(std::move(error)).c_str());
    return true;
}

bool weft_bridge_keep_reached(LLVMModuleRef module, const LLVMValueRef *roots, size_t count, char **message)
{
    Module &m = *unwrap(module);
    SetVector<GlobalValue *> reached;
    *message = nullptr;
    if (failed(collect_reached(roots, count, reached), message))
        return false;
    // The rest may have cyclic references: delete all bodies and initializers first, then the globals.
    SmallVector<GlobalValue *, 64> doomed;
    for (GlobalValue &g : m.global_values())
        if (!reached.contains(&g))
            doomed.push_back(&g);
    for (GlobalValue *g : doomed) {
        if (auto *f = dyn_cast<Function>(g)) {
            f->deleteBody();
            f->setIsMaterializable(false);
        } else if (auto *v = dyn_cast<GlobalVariable>(g)) {
            v->setInitializer(nullptr);
        }
    }
    for (GlobalValue *g : doomed) {
        g->removeDeadConstantUsers();
        g->replaceAllUsesWith(PoisonValue::get(g->getType()));
        g->eraseFromParent();
    }
    return !failed(m.materializeAll(), message);
}

namespace
{

// Copies globals of one module to another one of the same context. The first module doesn't change.
class Copier
{
    Module &into;
    ValueToValueMapTy map;
    SmallVector<std::pair<GlobalValue *, GlobalValue *>, 16> unfinished; // {from, to}

    GlobalValue *create(GlobalValue &g)
    {
        if (auto *f = dyn_cast<Function>(&g)) {
            Function *made =
                Function::Create(f->getFunctionType(), f->getLinkage(), f->getAddressSpace(), "", &into);
            made->copyAttributesFrom(f);
            return made;
        }
        auto &v = cast<GlobalVariable>(g);
        auto *made = new GlobalVariable(into, v.getValueType(), v.isConstant(), v.getLinkage(), nullptr, "",
                                        nullptr, v.getThreadLocalMode(), v.getAddressSpace());
        made->copyAttributesFrom(&v);
        return made;
    }

    void finish(GlobalValue &from, GlobalValue &to)
    {
        if (auto *v = dyn_cast<GlobalVariable>(&from)) {
            auto &made = cast<GlobalVariable>(to);
            made.setInitializer(MapValue(v->getInitializer(), map));
            SmallVector<std::pair<unsigned, MDNode *>, 4> nodes; // offset of a program-scope variable
            v->getAllMetadata(nodes);
            for (auto &[kind, node] : nodes)
                made.addMetadata(kind, *MapMetadata(node, map));
            return;
        }
        auto &source = cast<Function>(from);
        auto &copy = cast<Function>(to);
        for (auto [a, b] : zip(source.args(), copy.args()))
            map[&a] = &b;
        SmallVector<ReturnInst *, 4> returns;
        CloneFunctionInto(&copy, &source, map, CloneFunctionChangeType::ClonedModule, returns);
    }

  public:
    explicit Copier(Module &into) : into(into)
    {
    }

    void declare(GlobalValue &g)
    {
        GlobalValue *there = g.hasLocalLinkage() ? nullptr : into.getNamedValue(g.getName());
        if (there && there->hasLocalLinkage()) { // an unrelated global that happens to have the same name
            there->setName(g.getName() + ".own");
            there = nullptr;
        }
        if (there && (g.isDeclaration() || !there->isDeclaration())) {
            map[&g] = there;
            return;
        }
        GlobalValue *made = create(g);
        if (there) {
            made->takeName(there);
            there->replaceAllUsesWith(made);
            there->eraseFromParent();
        } else {
            made->setName(g.getName());
        }
        map[&g] = made;
        if (!g.isDeclaration())
            unfinished.push_back({&g, made});
    }

    void finish()
    {
        for (auto [from, to] : unfinished)
            finish(*from, *to);
    }

    void copy_named_metadata(const Module &from)
    {
        for (const NamedMDNode &list : from.named_metadata())
            for (const MDNode *node : list.operands())
                into.getOrInsertNamedMetadata(list.getName())->addOperand(MapMetadata(node, map));
    }
};

} // namespace

bool weft_bridge_copy_reached(LLVMModuleRef into, LLVMModuleRef from, const LLVMValueRef *roots, size_t count)
{
    SetVector<GlobalValue *> reached;
    if (Error error = collect_reached(roots, count, reached)) {
        consumeError(std::move(error));
        return false;
    }
    for (GlobalValue *g : reached)
        if (!isa<Function>(g) && !isa<GlobalVariable>(g))
            return false;
    Copier copier(*unwrap(into));
    for (GlobalValue *g : reached)
        copier.declare(*g);
    copier.finish();
    return true;
}

bool weft_bridge_copy_description(LLVMModuleRef into, LLVMModuleRef from)
{
    Module &a = *unwrap(into), &b = *unwrap(from);
    if (Error error = b.materializeMetadata()) {
        consumeError(std::move(error));
        return false;
    }
    a.setDataLayout(b.getDataLayout());
    a.setTargetTriple(b.getTargetTriple());
    a.setSourceFileName(b.getSourceFileName());
    Copier(a).copy_named_metadata(b);
    return true;
}

void weft_bridge_delete_body(LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    f->deleteBody();
    f->setIsMaterializable(false);
}

void weft_bridge_drop_module_metadata(LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    while (!m.named_metadata_empty())
        m.eraseNamedMetadata(&*m.named_metadata_begin());
}

void weft_bridge_drop_named_metadata(LLVMModuleRef module, const char *name)
{
    if (NamedMDNode *there = unwrap(module)->getNamedMetadata(name))
        there->eraseFromParent();
}

bool weft_bridge_link(LLVMModuleRef module, const LLVMModuleRef *sources, size_t count, bool only_needed)
{
    Linker linker(*unwrap(module));
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        std::unique_ptr<Module> source(unwrap(sources[i]));
        ok = ok &&
             !linker.linkInModule(std::move(source), only_needed ? Linker::LinkOnlyNeeded : Linker::None);
    }
    return ok;
}

void weft_bridge_internalize(LLVMModuleRef module, bool (*keep)(void *arg, const char *name), void *arg)
{
    internalizeModule(*unwrap(module),
                      [&](const GlobalValue &g) { return keep(arg, g.getName().str().c_str()); });
}
