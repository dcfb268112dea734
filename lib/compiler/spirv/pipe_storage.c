// Pipes that a module declares in program-scope storage (capability PipeStorage, SPIR-V 1.1 §3.32.20). The
// translator turns each OpConstantPipeStorage into a variable of three numbers, and calls a function that
// makes a pipe of it. Here the variable becomes an empty pipe with the layout of include/weft/pipe.h, and the
// function returns its argument. Stateless.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/ir.h"
#include "compiler/spirv/spirv.h"
#include "weft/pipe.h"

#define MAKER "__spirv_CreatePipeFromPipeStorage_"
#define STORAGE_TYPE "spirv.ConstantPipeStorage" // LLVM may append a number
#define PACKETS_ALIGN 128u                       // alignment of the largest built-in type
#define HEADER_WORDS (sizeof(struct weft_pipe) / 4)
#define MAX_PIPE_BYTES (64u << 20) // maximum size of a pipe

enum { SIZE, ALIGNMENT, CAPACITY, NUMBERS };

// Reads the three numbers of pipe storage. Returns false if the variable isn't pipe storage.
static bool storage_of(LLVMValueRef variable, uint64_t numbers[NUMBERS])
{
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    LLVMValueRef init = LLVMGetInitializer(variable);
    if (!name || strncmp(name, STORAGE_TYPE, sizeof STORAGE_TYPE - 1) != 0 || !init ||
        LLVMCountStructElementTypes(type) != NUMBERS)
        return false;
    for (unsigned i = 0; i < NUMBERS; i++) {
        LLVMValueRef number = LLVMGetAggregateElement(init, i);
        if (!number || !LLVMIsAConstantInt(number) || LLVMGetIntTypeWidth(LLVMTypeOf(number)) > 64)
            return false;
        numbers[i] = LLVMConstIntGetZExtValue(number);
    }
    return true;
}

// Returns an empty pipe: the header, the sequence numbers 0, 1, ... of all places, and space for packets.
// NULL: memory is exhausted.
static LLVMValueRef empty_pipe(LLVMContextRef c, const uint64_t numbers[NUMBERS], uint32_t places,
                               uint64_t begin)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(c);
    uint64_t words = begin / 4;
    LLVMValueRef *head = weft_alloc_array(words, sizeof *head);
    if (!head)
        return NULL;
    const struct weft_pipe pipe = {.packet_size = (uint32_t)numbers[SIZE],
                                   .max_packets = (uint32_t)numbers[CAPACITY],
                                   .mask = places - 1,
                                   .packets_begin = (uint32_t)begin};
    uint32_t fixed[HEADER_WORDS];
    memcpy(fixed, &pipe, sizeof fixed);
    for (uint64_t i = 0; i < words; i++) {
        uint64_t place = i - HEADER_WORDS;
        head[i] = LLVMConstInt(word, i < HEADER_WORDS ? fixed[i] : place < places ? place : 0, false);
    }
    LLVMTypeRef room = LLVMArrayType2(LLVMInt8TypeInContext(c), places * numbers[SIZE]);
    LLVMValueRef parts[] = {LLVMConstArray2(word, head, words), LLVMConstNull(room)};
    weft_free(head);
    return LLVMConstStructInContext(c, parts, 2, false);
}

static weft_status make_pipe(LLVMModuleRef module, LLVMValueRef storage, const uint64_t numbers[NUMBERS],
                             struct weft_buf *log)
{
    uint64_t capacity = numbers[CAPACITY], places = 1;
    if (numbers[SIZE] && numbers[SIZE] < MAX_PIPE_BYTES && capacity && capacity < MAX_PIPE_BYTES)
        while (places < capacity)
            places *= 2;
    uint64_t begin =
        (sizeof(struct weft_pipe) + 4 * places + PACKETS_ALIGN - 1) / PACKETS_ALIGN * PACKETS_ALIGN;
    if (places < capacity || !capacity || !numbers[SIZE] || begin + places * numbers[SIZE] > MAX_PIPE_BYTES) {
        weft_buf_printf(
            log,
            "error: the module has a pipe of %llu packets of %llu bytes; a pipe can have 1 to %u bytes\n",
            (unsigned long long)capacity, (unsigned long long)numbers[SIZE], MAX_PIPE_BYTES);
        return WEFT_BUILD_FAILED;
    }
    LLVMValueRef empty = empty_pipe(LLVMGetModuleContext(module), numbers, (uint32_t)places, begin);
    if (!empty)
        return WEFT_NO_MEMORY;
    LLVMValueRef pipe = LLVMAddGlobalInAddressSpace(module, LLVMTypeOf(empty), "pipe", WEFTC_SPACE_GLOBAL);
    LLVMSetInitializer(pipe, empty);
    LLVMSetLinkage(pipe, LLVMInternalLinkage);
    LLVMSetAlignment(pipe, PACKETS_ALIGN);
    LLVMReplaceAllUsesWith(storage, pipe);
    LLVMDeleteGlobal(storage);
    return WEFT_OK;
}

static void define_maker(LLVMValueRef f)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    if (!LLVMIsDeclaration(f) || LLVMCountParams(f) != 1 ||
        LLVMGetReturnType(type) != LLVMTypeOf(LLVMGetParam(f, 0)))
        return;
    LLVMContextRef c = LLVMGetTypeContext(type);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
    LLVMBuildRet(b, LLVMGetParam(f, 0));
    LLVMDisposeBuilder(b);
    LLVMSetLinkage(f, LLVMInternalLinkage);
}

weft_status weftc_spirv_make_pipes(LLVMModuleRef module, struct weft_buf *log)
{
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (strstr(LLVMGetValueName2(f, &length), MAKER))
            define_maker(f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module), next; g && status == WEFT_OK; g = next) {
        uint64_t numbers[NUMBERS];
        next = LLVMGetNextGlobal(g);
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == WEFTC_SPACE_GLOBAL && storage_of(g, numbers))
            status = make_pipe(module, g, numbers, log);
    }
    return status;
}
