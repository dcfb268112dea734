// What LLVM knows of a processor by its name. LLVM's C API has no call for it.
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetMachine.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

using namespace llvm;

char *weft_bridge_cpu_features(const char *triple, const char *cpu, const char *needed)
{
    std::string error;
    const versions::triple wanted(triple);
    const Target *target = TargetRegistry::lookupTarget(wanted, error);
    if (!target)
        return nullptr;
    // First ask with the triple only: LLVM prints to stderr if asked for a processor that it doesn't know.
    std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(wanted, "", ""));
    if (!any || !any->isCPUStringValid(cpu))
        return nullptr;
    std::unique_ptr<MCSubtargetInfo> info(target->createMCSubtargetInfo(wanted, cpu, ""));
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

static uint16_t quarters(double cycles)
{
    return static_cast<uint16_t>(std::min(std::round(4 * cycles), 65535.0));
}

void weft_bridge_instruction_timings(LLVMTargetMachineRef machine, const char *const *names,
                                     struct weft_bridge_timing *timings, size_t count)
{
    const auto *target = reinterpret_cast<const TargetMachine *>(machine);
    const MCInstrInfo *instructions = target->getMCInstrInfo();
    const MCSubtargetInfo *info = target->getMCSubtargetInfo();
    const MCSchedModel &model = info->getSchedModel();
    StringMap<size_t> wanted;
    for (size_t k = 0; k < count; k++) {
        timings[k] = {};
        if (names[k])
            wanted[names[k]] = k;
    }
    if (!model.hasInstrSchedModel())
        return;
    for (unsigned opcode = 0; opcode < instructions->getNumOpcodes(); opcode++) {
        auto found = wanted.find(instructions->getName(opcode));
        if (found == wanted.end())
            continue;
        const MCSchedClassDesc *c = model.getSchedClassDesc(instructions->get(opcode).getSchedClass());
        if (!c->isValid() || c->isVariant())
            continue;
        timings[found->second] = {true, quarters(MCSchedModel::computeInstrLatency(*info, *c)),
                                  quarters(MCSchedModel::getReciprocalThroughput(*info, *c))};
    }
}
