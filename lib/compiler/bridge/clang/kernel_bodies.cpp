// From version 21 on, Clang makes two functions of a kernel k: the kernel itself, which only calls
// __clang_ocl_kern_imp_k, and that one, which has the code and which other kernels call. Weft's stages know a
// kernel as one function. So the code goes back into the kernel, as older versions of Clang leave it.
#include "compiler/bridge/clang/parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

using namespace llvm;

static const char prefix[] = "__clang_ocl_kern_imp_";

// Puts the code of `body` into `kernel`, which has the same parameters.
static void take_code(Function *kernel, Function *body)
{
    kernel->deleteBody(); // this also takes linkage and debug information
    kernel->setLinkage(body->getLinkage());
    kernel->splice(kernel->end(), body);
    for (unsigned i = 0; i < kernel->arg_size(); i++) {
        kernel->getArg(i)->takeName(body->getArg(i));
        body->getArg(i)->replaceAllUsesWith(kernel->getArg(i));
    }
    kernel->copyMetadata(body, 0);
    DISubprogram *place = body->getSubprogram();
    body->setSubprogram(nullptr); // it belongs to one function
    kernel->setSubprogram(place);
}

void weft_join_kernel_bodies(Module &module)
{
    for (Function &body : make_early_inc_range(module)) {
        StringRef name = body.getName();
        if (!name.consume_front(prefix))
            continue;
        if (DISubprogram *place = body.getSubprogram())
            place->replaceLinkageName(nullptr);
        Function *kernel = module.getFunction(name);
        if (kernel && !body.isDeclaration()) {
            if (kernel->getFunctionType() != body.getFunctionType())
                continue;
            take_code(kernel, &body);
        }
        if (kernel) {
            body.replaceAllUsesWith(kernel);
            body.eraseFromParent();
        } else { // declared here, defined in another program
            body.setName(name);
            kernel = &body;
        }
        kernel->setCallingConv(CallingConv::SPIR_KERNEL);
        kernel->removeFnAttr(Attribute::AlwaysInline);
        for (User *user : kernel->users())
            if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == kernel)
                call->setCallingConv(CallingConv::SPIR_KERNEL);
    }
}
