// What the driver is told of a place in the source (struct weft_check_site), and the branch around what may
// be wrong there.
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/llvm_helpers.h"
#include "weft/checker.h"

// Appends the line of the source, without blanks around it, and a NUL.
static void append_line(struct weft_buf *bytes, LLVMValueRef i, uint32_t line)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
    LLVMMetadataRef file = location ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
    unsigned length = 0;
    const char *at = file ? LLVMDIFileGetSource(file, &length) : NULL, *end = at + length;
    for (; at && line > 1; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (at && line) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        end = newline ? newline : end;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        weft_buf_append(bytes, at, (size_t)(end - at));
    }
    weft_buf_append(bytes, "", 1);
}

void weftc_check_append_site(struct weft_buf *bytes, LLVMValueRef i, struct weft_check_site head,
                             const char *name)
{
    unsigned length = 0;
    const char *file = LLVMGetDebugLocFilename(i, &length);
    head.line = LLVMGetDebugLocLine(i);
    head.column = LLVMGetDebugLocColumn(i);
    weft_buf_append(bytes, &head, offsetof(struct weft_check_site, text));
    weft_buf_append(bytes, file ? file : "", file ? length : 0);
    weft_buf_append(bytes, "", 1);
    weft_buf_append(bytes, name ? name : "", (name ? strlen(name) : 0) + 1);
    append_line(bytes, i, head.line);
}

LLVMBasicBlockRef weftc_check_branch_around(const struct weftc_check_marker *m, LLVMValueRef i,
                                            LLVMValueRef wrong, LLVMBasicBlockRef *instead)
{
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), right = weftc_bridge_split_block(i),
                      after = weftc_bridge_split_block(LLVMGetNextInstruction(i));
    *instead = LLVMInsertBasicBlockInContext(m->c, after, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(m->b, before);
    LLVMValueRef branch = LLVMBuildCondBr(m->b, wrong, *instead, right);
    weftc_set_unlikely(branch, true);
    weftc_check_not_followed(branch); // it isn't the program that decides there
    LLVMPositionBuilderAtEnd(m->b, *instead);
    LLVMPositionBuilderBefore(m->b, LLVMBuildBr(m->b, after));
    return after;
}
