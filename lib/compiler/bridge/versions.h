// What LLVM's versions 19 to 22 call differently. Nothing else in this folder asks for the version, but
// clang/versions.h, which is the same for Clang.
#ifndef WEFT_BRIDGE_VERSIONS_H
#define WEFT_BRIDGE_VERSIONS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#if LLVM_VERSION_MAJOR >= 21
#include <llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h>
#else
#include <llvm/DebugInfo/DWARF/DWARFExpression.h>
#endif

namespace versions
{

#if LLVM_VERSION_MAJOR >= 20
using target_machine = llvm::TargetMachine; // the class that sets up the passes of code generation
#else
using target_machine = llvm::LLVMTargetMachine;
#endif

#if LLVM_VERSION_MAJOR >= 22
using triple = llvm::Triple; // what a target is looked up by
#else
using triple = llvm::StringRef;
#endif

inline bool may_be_captured(const llvm::Value *pointer, unsigned most_uses)
{
#if LLVM_VERSION_MAJOR >= 21
    return llvm::PointerMayBeCaptured(pointer, /*ReturnCaptures=*/true, most_uses);
#else
    return llvm::PointerMayBeCaptured(pointer, /*ReturnCaptures=*/true, /*StoreCaptures=*/true, most_uses);
#endif
}

// Is the type of an argument of an intrinsic part of its name? -1: the type of its result.
inline bool names_type_of_argument(llvm::Intrinsic::ID id, int argument)
{
#if LLVM_VERSION_MAJOR >= 20
    return llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, argument, nullptr);
#else
    return llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, argument);
#endif
}

// Does the vector form of an intrinsic take this argument as a scalar?
inline bool takes_scalar(llvm::Intrinsic::ID id, unsigned argument)
{
#if LLVM_VERSION_MAJOR >= 20
    return llvm::isVectorIntrinsicWithScalarOpAtArg(id, argument, nullptr);
#else
    return llvm::isVectorIntrinsicWithScalarOpAtArg(id, argument);
#endif
}

inline llvm::Function *declare_intrinsic(llvm::Module *module, llvm::Intrinsic::ID id,
                                         llvm::ArrayRef<llvm::Type *> types)
{
#if LLVM_VERSION_MAJOR >= 20
    return llvm::Intrinsic::getOrInsertDeclaration(module, id, types);
#else
    return llvm::Intrinsic::getDeclaration(module, id, types);
#endif
}

// Calls an intrinsic of an access under a mask. The alignment comes after the pointer; from LLVM 22 on, it is
// an attribute.
inline llvm::CallInst *call_masked(llvm::IRBuilderBase &b, llvm::Function *f,
                                   llvm::SmallVectorImpl<llvm::Value *> &arguments, unsigned pointer)
{
#if LLVM_VERSION_MAJOR >= 22
    const auto *align = llvm::cast<llvm::ConstantInt>(arguments[pointer + 1]);
    arguments.erase(arguments.begin() + pointer + 1);
    llvm::CallInst *call = b.CreateCall(f, arguments);
    call->addParamAttr(pointer, llvm::Attribute::getWithAlignment(f->getContext(), align->getAlignValue()));
    return call;
#else
    return b.CreateCall(f, arguments);
#endif
}

// What such a call has: the alignment, and the mask. pointer: the pointer's place among the arguments.
inline uint64_t alignment_of_masked(const llvm::CallBase &call, unsigned pointer)
{
#if LLVM_VERSION_MAJOR >= 22
    return call.getParamAlign(pointer).valueOrOne().value();
#else
    return llvm::cast<llvm::ConstantInt>(call.getArgOperand(pointer + 1))->getZExtValue();
#endif
}
inline llvm::Value *mask_of_masked(const llvm::CallBase &call, unsigned pointer)
{
    return call.getArgOperand(pointer + (LLVM_VERSION_MAJOR >= 22 ? 1 : 2));
}

// From LLVM 21 on, there is no other form of debug information.
inline void make_debug_records(llvm::Module &m)
{
#if LLVM_VERSION_MAJOR < 21
    if (!m.IsNewDbgInfoFormat)
        m.convertToNewDbgValues();
#endif
}

} // namespace versions

#endif
