// The module that Clang makes, in one form whatever its version is: the one of version 19.
#include "compiler/bridge/clang/parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

using namespace llvm;

// ---- kernels ----

// From version 21 on, Clang makes two functions of a kernel k: the kernel itself, which only calls
// __clang_ocl_kern_imp_k, and that one, which has the code and which other kernels call. Weft's stages know a
// kernel as one function. So the code goes back into the kernel.
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

static void join_kernel_bodies(Module &module)
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

// ---- null pointers ----

// From version 20 on, the null pointer of an address space is that of the generic one, cast.
static Constant *with_plain_nulls(Constant *c)
{
    if (!isa<ConstantExpr, ConstantAggregate>(c))
        return c;
    if (const auto *cast = dyn_cast<ConstantExpr>(c);
        cast && cast->getOpcode() == Instruction::AddrSpaceCast && cast->getOperand(0)->isNullValue())
        return Constant::getNullValue(c->getType());
    SmallVector<Constant *, 8> operands;
    bool changed = false;
    for (Value *operand : c->operands()) {
        operands.push_back(with_plain_nulls(cast<Constant>(operand)));
        changed = changed || operands.back() != operand;
    }
    if (!changed)
        return c;
    if (auto *expression = dyn_cast<ConstantExpr>(c))
        return expression->getWithOperands(operands);
    if (auto *structure = dyn_cast<StructType>(c->getType()))
        return ConstantStruct::get(structure, operands);
    if (auto *array = dyn_cast<ArrayType>(c->getType()))
        return ConstantArray::get(array, operands);
    return ConstantVector::get(operands);
}

static void use_plain_nulls(Module &module)
{
    for (GlobalVariable &g : module.globals())
        if (g.hasInitializer())
            g.setInitializer(with_plain_nulls(g.getInitializer()));
    for (Function &f : module)
        for (Instruction &i : instructions(f))
            for (Use &operand : i.operands())
                if (auto *c = dyn_cast<Constant>(operand))
                    operand.set(with_plain_nulls(c));
}

void weft_normalize(Module &module)
{
    join_kernel_bodies(module);
    use_plain_nulls(module);
}
