// Machine code: LLVM makes an object file, the facts about its stack are written into weft_kernel_info, and
// lld makes an ELF shared object of it.
#include <elf.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/codegen.h"
#include "compiler/bridge/passes.h"
#include "compiler/codegen/codegen.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/region_functions.h"
#include "weft/checker.h"
#include "weft/kernel_abi.h"

// ---- the parts of the object file that are needed: sections, symbols, .stack_sizes ----
// LLVM made the file, but offsets are checked.

struct object {
    uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    unsigned section_count;
    const char *names;
    size_t names_size;
};

static bool in_file(const struct object *o, uint64_t offset, uint64_t size)
{
    return offset <= o->size && size <= o->size - offset;
}

static bool open_object(struct object *o)
{
    Elf64_Ehdr header;
    if (o->size < sizeof header)
        return false;
    memcpy(&header, o->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shoff % _Alignof(Elf64_Shdr) != 0 ||
        !in_file(o, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)) ||
        header.e_shstrndx >= header.e_shnum)
        return false;
    o->sections = (const Elf64_Shdr *)(const void *)(o->bytes + header.e_shoff);
    o->section_count = header.e_shnum;
    const Elf64_Shdr *names = &o->sections[header.e_shstrndx];
    if (!in_file(o, names->sh_offset, names->sh_size) || names->sh_size == 0)
        return false;
    o->names = (const char *)o->bytes + names->sh_offset;
    o->names_size = names->sh_size;
    return o->names[o->names_size - 1] == '\0';
}

static bool section_named(const struct object *o, const Elf64_Shdr *s, const char *name)
{
    return s->sh_name < o->names_size && strcmp(o->names + s->sh_name, name) == 0;
}

// Reads one entry of .stack_sizes: an address and a ULEB128 size. Returns false at the end.
static bool next_frame(const uint8_t **at, const uint8_t *end, uint64_t *size)
{
    if ((size_t)(end - *at) <= sizeof(uint64_t))
        return false;
    *at += sizeof(uint64_t);
    *size = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift < 64)
            *size |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    *size += 64; // for the return address and alignment
    return true;
}

// The sum of all frames bounds the deepest chain of calls, as there is no recursion. Of the functions in each
// of the sections below, only one is on the stack at a time. A function whose frame has no constant size has
// no entry, but OpenCL C can't cause that.
static bool stack_of_all(const struct object *o, uint64_t *sum)
{
    static const char *const one_at_a_time[] = {WEFTC_NEST_SECTION,     WEFTC_REMAINDER_SECTION,
                                                WEFTC_PART_SECTION "1", WEFTC_PART_SECTION "2",
                                                WEFTC_PART_SECTION "3", WEFTC_PART_SECTION "4"};
    uint64_t largest[WEFT_COUNT_OF(one_at_a_time)] = {0}, size;
    *sum = 0;
    bool found = false;
    for (unsigned i = 0; i < o->section_count; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (!section_named(o, s, ".stack_sizes") || !in_file(o, s->sh_offset, s->sh_size))
            continue;
        size_t home = 0;
        while (home < WEFT_COUNT_OF(one_at_a_time) &&
               !(s->sh_link < o->section_count &&
                 section_named(o, &o->sections[s->sh_link], one_at_a_time[home])))
            home++;
        const uint8_t *at = o->bytes + s->sh_offset, *end = at + s->sh_size;
        while (next_frame(&at, end, &size)) {
            if (home == WEFT_COUNT_OF(one_at_a_time))
                *sum += size;
            else if (size > largest[home])
                largest[home] = size;
            found = true;
        }
    }
    for (size_t k = 0; k < WEFT_COUNT_OF(one_at_a_time); k++)
        *sum += largest[k];
    return found;
}

static bool write_field(struct object *o, uint64_t offset, const void *value, size_t size)
{
    if (!in_file(o, offset, size))
        return false;
    memcpy(o->bytes + offset, value, size);
    return true;
}

static bool write_stack(struct object *o, uint64_t bytes, uint32_t unsafe_writes, uint32_t spills)
{
    for (unsigned i = 0; i < o->section_count; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_SYMTAB || !in_file(o, s->sh_offset, s->sh_size) ||
            s->sh_link >= o->section_count)
            continue;
        const Elf64_Shdr *strings = &o->sections[s->sh_link];
        if (!in_file(o, strings->sh_offset, strings->sh_size))
            return false;
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Sym); k++) {
            Elf64_Sym symbol;
            memcpy(&symbol, o->bytes + s->sh_offset + k * sizeof symbol, sizeof symbol);
            size_t length = sizeof WEFT_KERNEL_INFO_SYMBOL;
            if (symbol.st_name > strings->sh_size || strings->sh_size - symbol.st_name < length ||
                memcmp(o->bytes + strings->sh_offset + symbol.st_name, WEFT_KERNEL_INFO_SYMBOL, length) !=
                    0 ||
                symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= o->section_count)
                continue;
            const Elf64_Shdr *home = &o->sections[symbol.st_shndx];
            uint64_t info = home->sh_offset + symbol.st_value;
            return write_field(o, info + offsetof(struct weft_kernel_info, stack_bytes), &bytes,
                               sizeof bytes) &&
                   write_field(o, info + offsetof(struct weft_kernel_info, spills), &spills, sizeof spills) &&
                   write_field(o, info + offsetof(struct weft_kernel_info, unsafe_stack_writes),
                               &unsafe_writes, sizeof unsafe_writes);
        }
    }
    return false;
}

// Instruction selection and the machine scheduler work on a whole block, and both are quadratic in places: a
// hash of 20,000 instructions took half a minute. A query for the known bits of a sum looks at up to 64 other
// instructions of the block. So longer blocks are cut into pieces, which costs little.
enum { LONGEST_BLOCK = 500, PIECE = 100 };

// Some passes take quadratic time in the function: one that only some targets have, and the one that chooses
// induction variables, which compares the addresses of all loops.
enum {
    LARGE_FUNCTION = 10000,
    HUGE_FUNCTION = 20000,
    MANY_LOOPS = 64,
    MANY_TO_PREPARE = 1500,
    MANY_TO_HOIST = 4000,
    MANY_TO_PLACE = 4000, // blocks
    MANY_EDGES = 1 << 20, // blocks times edges of a switch
    MANY_TO_VISIT = 2000,
    MOST_VISITED = 10000, // blocks
    LEAST_VISITED = 100,
    MOST_IN_ALL = 200000, // blocks that are visited for a value times blocks
    MAX_QUADRATIC = 2500
};

// Loads and stores of a block whose addresses LSR compares with each other: 128 gathers, 2,000 instructions,
// took half a second. Smaller functions keep LSR.
enum { MAX_ADDRESSES = 120, MANY_FOR_ADDRESSES = 1500 };

static bool has_many_addresses(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            unsigned accesses = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                accesses += LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
            if (accesses > MAX_ADDRESSES)
                return true;
        }
    return false;
}

// The largest number of blocks of a function, and the largest product of that and the edges of a switch.
static size_t most_blocks(LLVMModuleRef module, size_t *most_edges)
{
    size_t most = 0;
    *most_edges = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const size_t count = LLVMCountBasicBlocks(f);
        most = count > most ? count : most;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
            const size_t edges = LLVMIsASwitchInst(end) ? LLVMGetNumSuccessors(end) * count : 0;
            *most_edges = edges > *most_edges ? edges : *most_edges;
        }
    }
    return most;
}

static size_t longest_block(LLVMModuleRef module)
{
    size_t longest = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            size_t count = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                count++;
            longest = count > longest ? count : longest;
        }
    return longest;
}

void weftc_choose_passes(LLVMModuleRef module, enum weft_code_level level)
{
    const size_t largest = weftc_largest_function(module);
    size_t edges;
    const size_t blocks = most_blocks(module, &edges), place_visits = MOST_IN_ALL / (blocks ? blocks : 1);
    const bool large = largest > LARGE_FUNCTION;
    weftc_note_limit(module, WEFTC_LIMIT_SPILLS, large || place_visits < blocks);
    // Out-of-order CPUs gain little by the second scheduler.
    weftc_bridge_set_option("disable-post-ra", true);
    // A value that is used only after a branch stays where it is computed: see choose_sinking in
    // prepare/prepare.c. So does one in a block that is cut: it would move from piece to piece, away from its
    // operands, which are alive for longer then.
    const bool is_cut = weftc_note_limit(module, WEFTC_LIMIT_SINKING, longest_block(module) > LONGEST_BLOCK);
    weftc_bridge_set_option("disable-machine-sink",
                            is_cut || weftc_module_number(module, WEFTC_NO_SINKING) != 0);
    if (weftc_target_ops->disable_quadratic_pass)
        weftc_bridge_set_option(weftc_target_ops->disable_quadratic_pass,
                                weftc_note_limit(module, WEFTC_LIMIT_DOMAINS, largest > MAX_QUADRATIC));
    // How many blocks the register allocator may visit to find a place for a spill; LLVM's default is 10,000.
    // It does so for each value and each register, and both values and blocks grow with the function. A
    // switch in a loop has many blocks with few instructions.
    size_t visits = MOST_VISITED;
    if (largest > MANY_TO_VISIT)
        visits = visits * MANY_TO_VISIT / largest * MANY_TO_VISIT / largest;
    visits = place_visits < visits ? place_visits : visits;
    weftc_bridge_set_number("grow-region-complexity-budget",
                            visits > LEAST_VISITED ? (unsigned)visits : LEAST_VISITED);
    if (weftc_target_ops->machine_combiner)
        weftc_bridge_set_option(weftc_target_ops->machine_combiner,
                                !weftc_note_limit(module, WEFTC_LIMIT_CHAINS, largest > HUGE_FUNCTION));
    // The loop over work-items is as large as the function. Constants that leave it have no register in it,
    // and their spills are what the register allocator spends its time on. LICM has moved all else out
    // before.
    weftc_bridge_set_option("disable-machine-licm",
                            weftc_note_limit(module, WEFTC_LIMIT_CONSTANTS, largest > MANY_TO_HOIST));
    // For each block of a loop all blocks of it are visited, to find one that ends it, and all edges of a
    // switch to find how likely one is.
    const bool many_blocks =
        blocks > MANY_TO_PLACE || edges > MANY_EDGES || weftc_layout_visits(module) > MANY_EDGES;
    weftc_bridge_set_option("disable-block-placement",
                            weftc_note_limit(module, WEFTC_LIMIT_LAYOUT, many_blocks));
    // CodeGenPrepare visits all blocks again after it has changed one. In a function larger than this limit
    // it visits only those that it has changed.
    weftc_bridge_set_number("cgpp-huge-func", largest > MANY_TO_PREPARE ? 0 : 10000);
    // Its end joins blocks that follow each other, one after the other, and looks at all edges into the block
    // behind each time. It would join the pieces of cut_large_functions, too.
    weftc_bridge_set_option("disable-cgp-branch-opts", largest > MANY_TO_HOIST);
    // Kernels of many regions have functions of their own for loops. Those count too: LSR takes as long in
    // all of them as in one function, a third of the time of code generation.
    size_t loops;
    weftc_bridge_max_loops(module, &loops);
    const bool no_lsr =
        large || loops > MANY_LOOPS || (largest > MANY_FOR_ADDRESSES && has_many_addresses(module));
    // LSR takes a tenth of the time of code that is to be made quickly, and saves it a few percent.
    weftc_bridge_set_option("disable-lsr", weftc_note_limit(module, WEFTC_LIMIT_ADDRESSES, no_lsr) ||
                                               level == WEFT_LEVEL_LANES);
}

// Cuts long blocks with many atomic operations. Many of these become loops, which cut the block: what follows
// would move each time. From the end of the block on, each instruction moves once.
static void cut_at_atomics(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f), next; b; b = next) {
            next = LLVMGetNextBasicBlock(b);
            unsigned count = 0, atomics = 0;
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), count++)
                atomics += LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
            if (count <= LONGEST_BLOCK || atomics <= PIECE)
                continue;
            unsigned piece = 0;
            for (LLVMValueRef i = LLVMGetBasicBlockTerminator(b), before; i; i = before) {
                before = LLVMGetPreviousInstruction(i);
                if (++piece < PIECE || LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i) || !before)
                    continue;
                weftc_bridge_split_block(i);
                piece = 0;
            }
        }
}

// CodeGenPrepare looks at a block from its start on after each comparison that it has joined with a sum: in
// the sum of two long numbers, word by word, after each word.
static void cut_large_functions(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && weftc_function_size(f) > MANY_TO_HOIST)
            weftc_cut_long_blocks(f, LONGEST_BLOCK, PIECE);
}

weft_status weftc_emit_machine_code(LLVMModuleRef module, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options, LLVMCodeGenFileType type,
                                    LLVMMemoryBufferRef *out, uint32_t *spills, struct weft_buf *log)
{
    weftc_bridge_set_codegen_level(target->machine, options->level == WEFT_LEVEL_QUICK || options->variables
                                                        ? LLVMCodeGenLevelNone
                                                        : LLVMCodeGenLevelDefault);
    weftc_bridge_follow_variables(target->machine, options->locate);
    if (options->level != WEFT_LEVEL_QUICK && !options->opt_disable) {
        weft_status status = weftc_expand_masked_accesses(module, target);
        if (status == WEFT_OK)
            status = weftc_split_functions(module);
        if (status == WEFT_OK)
            status = weftc_cut_webs(module);
        if (status == WEFT_OK)
            status = weftc_truncate_uses(module);
        if (status != WEFT_OK)
            return status;
    }
    if (options->level != WEFT_LEVEL_QUICK)
        weftc_choose_passes(module, options->level);
    cut_at_atomics(module);
    if (options->level != WEFT_LEVEL_QUICK)
        cut_large_functions(module);
    if (weftc_bridge_emit(target->machine, module, type, LONGEST_BLOCK, PIECE, out, spills))
        return WEFT_OK;
    weft_buf_puts(log, "internal error: there is no code generator for this machine\n");
    return WEFT_INTERNAL;
}

weft_status weftc_codegen(LLVMModuleRef module, const struct weftc_target *target,
                          const struct weftc_kernel_options *options, uint8_t **elf, size_t *elf_size,
                          struct weft_buf *log)
{
    *elf = NULL;
    *elf_size = 0;
    weftc_bridge_emit_stack_sizes(target->machine);
    // Before the code generator changes the module. Where bounds are checked, no write leaves its variable.
    bool unsafe_writes =
        !(options->check >> WEFT_CHECK_BOUNDS & 1) && weftc_unsafe_stack_writes(module, target);
    if (unsafe_writes)
        weft_log(WEFT_LOG_DEBUG, "%s: may write beyond a private array, so it runs on a stack of its own",
                 options->name);
    LLVMMemoryBufferRef memory;
    uint32_t spills;
    weft_status status =
        weftc_emit_machine_code(module, target, options, LLVMObjectFile, &memory, &spills, log);
    if (status != WEFT_OK)
        return status;
    struct object o = {.size = LLVMGetBufferSize(memory)};
    o.bytes = weft_memdup(LLVMGetBufferStart(memory), o.size);
    LLVMDisposeMemoryBuffer(memory);
    if (!o.bytes)
        return WEFT_NO_MEMORY;
    uint64_t stack;
    status = WEFT_INTERNAL;
    if (!open_object(&o)) {
        weft_buf_puts(log, "internal error: the object file is malformed\n");
    } else {
        if (!stack_of_all(&o, &stack))
            stack = UINT64_MAX;
        if (!write_stack(&o, stack, unsafe_writes, spills))
            weft_buf_puts(log, "internal error: the object file has no " WEFT_KERNEL_INFO_SYMBOL "\n");
        else
            status = weft_bridge_link_elf(o.bytes, o.size, elf, elf_size, log);
    }
    weft_free(o.bytes);
    return status;
}
