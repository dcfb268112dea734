// Links IR: programs with each other (clLinkProgram, OpenCL 3.0 §5.8.3), and a kernel with the built-in
// functions that it calls.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/bridge.h"
#include "compiler/bridge/link.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/link/link.h"
#include "compiler/link/pack.h"

// ---- Names ----

// Functions that later stages lower.
static const char *const lowered[] = {
    "get_work_dim",
    "get_global_size",
    "get_global_id",
    "get_local_size",
    "get_local_id",
    "get_enqueued_local_size",
    "get_num_groups",
    "get_group_id",
    "get_global_offset",
    "get_global_linear_id",
    "get_local_linear_id",
    "barrier",
    "work_group_barrier",
    "mem_fence",
    "read_mem_fence",
    "write_mem_fence",
    "atomic_work_item_fence",
    "get_sub_group_size",
    "get_max_sub_group_size",
    "get_num_sub_groups",
    "get_enqueued_num_sub_groups",
    "get_sub_group_id",
    "get_sub_group_local_id",
    "sub_group_barrier",
    "get_fence",
};
// Clang's names for to_global and similar functions.
static const char *const lowered_casts[] = {"__to_global", "__to_local", "__to_private"};

// Returns the source's name within a mangled name. *length is 0 if the name isn't mangled.
static const char *source_name(const char *name, size_t *length)
{
    *length = 0;
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    char *end;
    unsigned long n = strtoul(name + 2, &end, 10);
    if (end == name + 2 || n == 0 || n > strlen(end))
        return name;
    *length = n;
    return end;
}

static bool is_lowered(const char *name)
{
    if (strcmp(name, "printf") == 0 || strncmp(name, "llvm.", 5) == 0)
        return true;
    for (size_t i = 0; i < WEFT_COUNT_OF(lowered_casts); i++)
        if (strcmp(name, lowered_casts[i]) == 0)
            return true;
    size_t length;
    const char *base = source_name(name, &length);
    for (size_t i = 0; length && i < WEFT_COUNT_OF(lowered); i++)
        if (strlen(lowered[i]) == length && memcmp(lowered[i], base, length) == 0)
            return true;
    return false;
}

// Is it a function without a body that must be linked? (It is used, and no intrinsic.)
static bool is_needed(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) && LLVMGetIntrinsicID(function) == 0 &&
           (LLVMGetFirstUse(function) || weftc_is_declared_sincos(function));
}

// ---- Diagnostics of LLVM's linker ----

static void log_diagnostic(LLVMDiagnosticInfoRef info, void *log)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    weft_buf_printf(log, "error: %s\n", text);
    LLVMDisposeMessage(text);
}

// ---- Programs ----

// Is it a kernel that constructs or destroys objects (frontend/cxx_lifetimes.c)? Clang gives these the same
// name in different programs.
static bool is_lifetime_kernel(LLVMValueRef f)
{
    static const char begin[] = "_GLOBAL__sub_";
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    return !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv &&
           length > sizeof begin - 1 && memcmp(name, begin, sizeof begin - 1) == 0;
}

static bool is_taken(LLVMModuleRef into, const LLVMModuleRef *inputs, uint32_t count, const char *name)
{
    bool taken = LLVMGetNamedFunction(into, name) != NULL;
    for (uint32_t i = 0; i < count; i++)
        taken |= LLVMGetNamedFunction(inputs[i], name) != NULL;
    return taken;
}

// Gives these kernels unique external names while programs are linked. Nothing refers to them, so the linker
// would leave out internal ones.
static bool export_lifetime_kernels(LLVMModuleRef into, const LLVMModuleRef *inputs, uint32_t count)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < count; i++)
        for (LLVMValueRef f = LLVMGetFirstFunction(inputs[i]); f; f = LLVMGetNextFunction(f)) {
            if (!is_lifetime_kernel(f))
                continue;
            size_t length;
            char *name = NULL;
            do {
                weft_free(name);
                name = weft_format("%s.%u", LLVMGetValueName2(f, &length), ++number);
            } while (name && is_taken(into, inputs, count, name));
            if (!name)
                return false;
            LLVMSetValueName2(f, name, strlen(name));
            LLVMSetLinkage(f, LLVMExternalLinkage);
            weft_free(name);
        }
    return true;
}

weft_status weftc_link_programs(LLVMModuleRef into, LLVMModuleRef *inputs, uint32_t count,
                                struct weft_buf *log)
{
    LLVMContextRef context = LLVMGetModuleContext(into);
    if (!export_lifetime_kernels(into, inputs, count))
        return WEFT_NO_MEMORY;
    LLVMContextSetDiagnosticHandler(context, log_diagnostic, log);
    bool ok = weft_bridge_link(into, inputs, count, false);
    for (LLVMValueRef f = ok ? LLVMGetFirstFunction(into) : NULL; f; f = LLVMGetNextFunction(f))
        if (is_lifetime_kernel(f))
            LLVMSetLinkage(f, LLVMInternalLinkage);
    memset(inputs, 0, count * sizeof *inputs);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    return ok ? WEFT_OK : WEFT_LINK_FAILED;
}

weft_status weftc_extract_kernel(LLVMModuleRef module, const char *kernel, struct weft_buf *log)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, kernel);
    if (!function || LLVMGetFunctionCallConv(function) != LLVMSPIRKERNELCallConv)
        return WEFT_NOT_FOUND;
    char *message;
    if (weft_bridge_keep_reached(module, &function, 1, &message))
        return WEFT_OK;
    weft_buf_printf(log, "error: the bitcode of kernel '%s' can't be read: %s\n", kernel,
                    message ? message : "damaged");
    weft_free(message);
    return WEFT_DAMAGED;
}

// Returns the name of a function that calls this one, or "" if there is none: it may be used by a variable.
static const char *caller_of(LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        size_t length;
        if (LLVMIsACallInst(user))
            return LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), &length);
    }
    return "";
}

weft_status weftc_check_undefined(LLVMModuleRef module, struct weft_buf *log)
{
    const char *reason;
    const struct weftc_pack *pack = weftc_pack_get(&reason);
    if (!pack) {
        weft_buf_printf(log, "error: %s\n", reason);
        return WEFT_IO;
    }
    weft_status status = WEFT_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        if (!is_needed(f) || is_lowered(name) || weftc_pack_find(pack, name) >= 0)
            continue;
        char *shown = weft_bridge_source_name(name), *caller = weft_bridge_source_name(caller_of(f));
        weft_buf_printf(log, "%serror: undefined reference to '%s'", weftc_place_of(module, f),
                        shown ? shown : name);
        if (caller && *caller)
            weft_buf_printf(log, ", which '%s' calls", caller);
        weft_buf_puts(log, "\n");
        weft_free(shown);
        weft_free(caller);
        status = WEFT_LINK_FAILED;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        if (!LLVMIsDeclaration(g) || !LLVMGetFirstUse(g) || strncmp(name, "llvm.", 5) == 0)
            continue;
        weft_buf_printf(log, "error: undefined reference to '%s'\n", name);
        status = WEFT_LINK_FAILED;
    }
    return status;
}

// ---- Built-in functions ----

static bool keep_kernels(void *module, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    return function && LLVMGetFunctionCallConv(function) == LLVMSPIRKERNELCallConv;
}

// A variable by which built-in functions query the target and the program's options: weftc_target_describe
// defines it.
static bool is_target_fact(const char *name)
{
    return strncmp(name, "__weft_target_", 14) == 0 || strcmp(name, "__weft_relaxed_math") == 0;
}

// Marks the modules of the pack that define what `module` needs. Returns whether there are any.
static bool mark_needed(LLVMModuleRef module, const struct weftc_pack *pack, bool *needed)
{
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        int64_t index = is_needed(f) ? weftc_pack_find(pack, LLVMGetValueName2(f, &length)) : -1;
        if (index >= 0)
            any = needed[index] = true;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        int64_t index = LLVMIsDeclaration(g) && !is_target_fact(name) ? weftc_pack_find(pack, name) : -1;
        if (index >= 0)
            any = needed[index] = true;
    }
    return any;
}

// sources: an array with an element for each module of the pack.
static weft_status link_needed(LLVMModuleRef module, const struct weftc_pack *pack, const bool *needed,
                               LLVMModuleRef *sources)
{
    size_t count = 0;
    for (uint32_t i = 0; i < pack->module_count; i++) {
        weft_status status =
            needed[i] ? weftc_pack_read(LLVMGetModuleContext(module), pack, i, &sources[count]) : WEFT_OK;
        if (status != WEFT_OK) {
            while (count > 0)
                LLVMDisposeModule(sources[--count]);
            return status;
        }
        count += needed[i];
    }
    return weft_bridge_link(module, sources, count, true) ? WEFT_OK : WEFT_LINK_FAILED;
}

// Copies what `from` defines and `module` needs. Fails if that is nothing: then the pack's table of symbols
// is wrong.
static bool copy_definitions(LLVMModuleRef module, LLVMModuleRef from, LLVMValueRef *roots, size_t room)
{
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && count < room; f = LLVMGetNextFunction(f)) {
        size_t length;
        LLVMValueRef there = is_needed(f) ? LLVMGetNamedFunction(from, LLVMGetValueName2(f, &length)) : NULL;
        if (there && !LLVMIsDeclaration(there))
            roots[count++] = there;
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g && count < room; g = LLVMGetNextGlobal(g)) {
        size_t length;
        LLVMValueRef there =
            LLVMIsDeclaration(g) ? LLVMGetNamedGlobal(from, LLVMGetValueName2(g, &length)) : NULL;
        if (there && !LLVMIsDeclaration(there))
            roots[count++] = there;
    }
    return count && weft_bridge_copy_reached(module, from, roots, count);
}

static size_t global_count(LLVMModuleRef module)
{
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        n++;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        n++;
    return n;
}

// Links the needed modules like link_needed, but copies from shared modules (link/shared_context.c), which
// stay unchanged.
static weft_status copy_needed(LLVMModuleRef module, const struct weftc_pack *pack, const bool *needed,
                               LLVMModuleRef *sources)
{
    weft_status status = WEFT_OK;
    for (uint32_t i = 0; i < pack->module_count && status == WEFT_OK; i++) {
        if (needed[i] && !sources[i])
            status = weftc_pack_read(LLVMGetModuleContext(module), pack, i, &sources[i]);
        if (!needed[i] || status != WEFT_OK)
            continue;
        size_t room = global_count(module);
        LLVMValueRef *roots = weft_alloc_array(room, sizeof *roots);
        if (!roots)
            return WEFT_NO_MEMORY;
        if (!copy_definitions(module, sources[i], roots, room))
            status = WEFT_LINK_FAILED;
        weft_free(roots);
    }
    return status;
}

weft_status weftc_link_builtins(LLVMModuleRef module, struct weft_buf *log)
{
    const char *reason;
    const struct weftc_pack *pack = weftc_pack_get(&reason);
    if (!pack) {
        weft_log(WEFT_LOG_ERROR, "%s", reason);
        return WEFT_IO;
    }
    uint32_t room = pack->module_count ? pack->module_count : 1;
    bool *needed = weft_alloc_array(room, sizeof *needed);
    LLVMModuleRef *shared = weftc_shared_builtins(LLVMGetModuleContext(module), room);
    LLVMModuleRef *sources = shared ? shared : weft_alloc_array(room, sizeof(LLVMModuleRef));
    weft_status status = needed && sources ? WEFT_OK : WEFT_NO_MEMORY;
    // The program's functions become internal. Built-in functions then can't call a program's function that
    // has the name of a built-in one.
    weft_bridge_internalize(module, keep_kernels, module);
    weftc_declare_sincos(module);
    // Built-in functions call functions of other modules. Each iteration links what the last one needs.
    while (status == WEFT_OK && mark_needed(module, pack, needed)) {
        status = (shared ? copy_needed : link_needed)(module, pack, needed, sources);
        memset(needed, 0, pack->module_count * sizeof *needed);
    }
    weft_free(needed);
    if (!shared)
        weft_free(sources);
    if (status == WEFT_OK)
        status = weftc_fit_calls(module);
    if (status == WEFT_OK)
        status = weftc_check_builtin_calls(module, log);
    if (status == WEFT_OK)
        weft_bridge_internalize(module, keep_kernels, module);
    return status;
}
