// What LLVM knows of a processor by its name. LLVM's C API has no call for it.
#include "compiler/bridge/codegen.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

char *weft_bridge_cpu_features(const char *triple, const char *cpu, const char *needed)
{
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(triple, error);
    if (!target)
        return nullptr;
    // First ask with the triple only: LLVM prints to stderr if asked for a processor that it doesn't know.
    std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "", ""));
    if (!any || !any->isCPUStringValid(cpu))
        return nullptr;
    std::unique_ptr<MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, cpu, ""));
    if (!info)
        return nullptr;
    std::string all;
    bool fits = !needed;
    for (const SubtargetFeatureKV &f : info->getAllProcessorFeatures()) {
        if (!info->getFeatureBits().test(f.Value))
            continue;
        fits = fits || StringRef(f.Key) == needed;
        all += all.empty() ? "+" : ",+";
        all += f.Key;
    }
    return fits ? strdup(all.c_str()) : nullptr;
}
