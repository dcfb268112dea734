// Lazily read bitcode, and linking it. LLVM's C API can do neither by halves.
#include "bridge.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Transforms/IPO/Internalize.h>

extern "C" {
#include "../base/base.h"
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

// The globals that a constant names, itself included.
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

bool weft_bridge_keep_reached(LLVMModuleRef module, const LLVMValueRef *roots, size_t count)
{
    Module &m = *unwrap(module);
    SetVector<GlobalValue *> reached;
    SmallPtrSet<const Constant *, 32> seen;
    for (size_t i = 0; i < count; i++)
        reached.insert(unwrap<GlobalValue>(roots[i]));
    for (size_t i = 0; i < reached.size(); i++) {
        GlobalValue *g = reached[i];
        if (Error error = g->materialize()) {
            consumeError(std::move(error));
            return false;
        }
        if (auto *f = dyn_cast<Function>(g))
            collect_function(*f, seen, reached);
        else if (auto *v = dyn_cast<GlobalVariable>(g); v && v->hasInitializer())
            collect(v->getInitializer(), seen, reached);
        else if (auto *a = dyn_cast<GlobalAlias>(g))
            collect(a->getAliasee(), seen, reached);
    }
    // The rest may refer to each other in circles: first every tie is cut, then they go.
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
    if (Error error = m.materializeAll()) {
        consumeError(std::move(error));
        return false;
    }
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
