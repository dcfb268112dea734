// Where the program's source has a function: the front end leaves that in the module, for messages.
#include <string.h>

#include "compiler/bridge/bridge.h"
#include "compiler/compiler.h"
#include "compiler/ir/module_facts.h"

const char *weftc_place_of(LLVMModuleRef module, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    const unsigned count = LLVMGetNamedMetadataNumOperands(module, weftc_fact_name(WEFTC_PLACES));
    LLVMValueRef *all = weft_alloc_array(count ? count : 1, sizeof *all);
    const char *place = "";
    if (all)
        LLVMGetNamedMetadataOperands(module, weftc_fact_name(WEFTC_PLACES), all);
    for (unsigned i = 0; all && i < count; i++) {
        LLVMValueRef pair[2];
        if (LLVMGetMDNodeNumOperands(all[i]) != 2)
            continue;
        LLVMGetMDNodeOperands(all[i], pair);
        unsigned size[2];
        const char *text[2];
        for (int k = 0; k < 2; k++)
            text[k] = pair[k] ? LLVMGetMDString(pair[k], &size[k]) : NULL;
        if (text[0] && text[1] && size[0] == length && memcmp(text[0], name, length) == 0)
            place = text[1]; // where several programs have it, one of them
    }
    weft_free(all);
    return place;
}
