// What LLVM knows of a processor by its name, which its C API doesn't tell.
#include "compiler/bridge/codegen.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

char *weft_bridge_cpu_features(const char *triple, const char *cpu)
{
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(triple, error);
    if (!target)
        return nullptr;
    // Of the triple alone first: asked for a processor that it doesn't know, LLVM writes to stderr.
    std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "", ""));
    if (!any || !any->isCPUStringValid(cpu))
        return nullptr;
    std::unique_ptr<MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, cpu, ""));
    if (!info)
        return nullptr;
    std::string all;
    bool wide = !Triple(triple).isX86();
    for (const SubtargetFeatureKV &f : info->getAllProcessorFeatures()) {
        if (!info->getFeatureBits().test(f.Value))
            continue;
        wide = wide || StringRef(f.Key) == "64bit";
        all += all.empty() ? "+" : ",+";
        all += f.Key;
    }
    return wide ? strdup(all.c_str()) : nullptr;
}
