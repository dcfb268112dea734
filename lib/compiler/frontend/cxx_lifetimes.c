// Construction and destruction of objects of program scope in C++ for OpenCL. The section "Construction,
// initialization and destruction" leaves to the implementation how this is done. Stateless.
//
// Clang makes a kernel _GLOBAL__sub_I_<file> that constructs the objects. Functions that construct static
// members of templates are listed only in llvm.global_ctors. Here the kernel gets calls of these functions,
// and becomes an initializer of the program (ADR 11).
//
// For each object that must be destroyed, Clang calls atexit where the object has been constructed. The
// argument is a function __dtor_<name of the object>. In that function, Clang leaves out the address of the
// object in the call of the destructor, because atexit's parameter would be in another address space. The
// address is added here. The call of atexit becomes a store of 1 to a variable, the mark. The program's
// finalizer is a second kernel. It reads the marks and destroys the objects that were constructed, in reverse
// order.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/frontend/frontend.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/module_facts.h"

#define STUB "__dtor_"

struct lifetimes {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMTypeRef function; // void()
    LLVMValueRef kernel;  // the kernel that constructs
    LLVMValueRef at_exit;
    LLVMValueRef *stubs, *marks; // in the order of construction
    size_t count, capacity;
    struct weft_buf *log;
};

static void set_kind(struct lifetimes *l, LLVMValueRef kernel, const char *kind)
{
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(l->context), 1, false));
    unsigned id = LLVMGetMDKindIDInContext(l->context, kind, (unsigned)strlen(kind));
    LLVMGlobalSetMetadata(kernel, id, LLVMMDNodeInContext2(l->context, &one, 1));
}

// Adds a kernel with one block that only returns. Leaves the builder before the return.
static LLVMValueRef add_kernel(struct lifetimes *l, const char *name, LLVMBuilderRef at)
{
    static const char *const kinds[] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                        "kernel_arg_base_type", "kernel_arg_type_qual"};
    LLVMValueRef kernel = LLVMAddFunction(l->module, name, l->function);
    LLVMSetFunctionCallConv(kernel, LLVMSPIRKERNELCallConv);
    LLVMSetLinkage(kernel, LLVMInternalLinkage);
    for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++) {
        unsigned id = LLVMGetMDKindIDInContext(l->context, kinds[i], (unsigned)strlen(kinds[i]));
        LLVMGlobalSetMetadata(kernel, id, LLVMMDNodeInContext2(l->context, NULL, 0));
    }
    LLVMPositionBuilderAtEnd(at, LLVMAppendBasicBlockInContext(l->context, kernel, ""));
    LLVMPositionBuilderBefore(at, LLVMBuildRetVoid(at));
    return kernel;
}

static void drop(LLVMModuleRef module, const char *name)
{
    LLVMValueRef g = LLVMGetNamedGlobal(module, name);
    if (g)
        LLVMDeleteGlobal(g);
}

// Makes one kernel that calls all functions of llvm.global_ctors.
static void gather_constructors(struct lifetimes *l)
{
    LLVMValueRef list = LLVMGetNamedGlobal(l->module, "llvm.global_ctors");
    LLVMValueRef all = list ? LLVMGetInitializer(list) : NULL;
    unsigned n = all ? (unsigned)LLVMGetNumOperands(all) : 0;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef f = LLVMGetOperand(LLVMGetOperand(all, i), 1);
        if (LLVMIsAFunction(f) && LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv)
            l->kernel = f;
    }
    LLVMBuilderRef at = LLVMCreateBuilderInContext(l->context);
    if (n && !l->kernel)
        l->kernel = add_kernel(l, "_GLOBAL__sub_I_templates", at);
    else if (n)
        LLVMPositionBuilderBefore(at, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(l->kernel)));
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef f = LLVMGetOperand(LLVMGetOperand(all, i), 1);
        if (!LLVMIsAFunction(f) || f == l->kernel || LLVMGlobalGetValueType(f) != l->function)
            continue;
        LLVMValueRef call = LLVMBuildCall2(at, l->function, f, NULL, 0, "");
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
    }
    LLVMDisposeBuilder(at);
    if (l->kernel)
        set_kind(l, l->kernel, weftc_fact_name(WEFTC_INITIALIZER_KIND));
    drop(l->module, "llvm.global_ctors");
    drop(l->module, "llvm.used"); // lists the same static members
    drop(l->module, "llvm.compiler.used");
}

// Returns the temporary that a reference `name` binds to, or NULL. number: "_" for the first temporary, then
// "0_", "1_", ... (mangled names of the Itanium C++ ABI).
static LLVMValueRef temporary_of(struct lifetimes *l, const char *name, const char *number)
{
    struct weft_buf text = {0};
    const bool mangled = strncmp(name, "_Z", 2) == 0;
    if (mangled)
        weft_buf_printf(&text, "_ZGR%s%s", name + 2, number);
    else
        weft_buf_printf(&text, "_ZGR%zu%s%s", strlen(name), name, number);
    weft_buf_append(&text, "", 1);
    LLVMValueRef temporary = text.failed ? NULL : LLVMGetNamedGlobal(l->module, (const char *)text.data);
    weft_buf_free(&text);
    return temporary;
}

// Returns the object that the variable `name` stands for. For a reference that is the temporary bound to it,
// if there is only one. Returns NULL if the object is ambiguous: it could also be a temporary bound to a
// member of a structure.
static LLVMValueRef object_of(struct lifetimes *l, const char *name)
{
    LLVMValueRef object = LLVMGetNamedGlobal(l->module, name), temporary = temporary_of(l, name, "_");
    if (object && LLVMGetTypeKind(LLVMGlobalGetValueType(object)) == LLVMPointerTypeKind)
        return temporary_of(l, name, "0_") ? NULL : temporary;
    const bool either =
        object && temporary && LLVMGetTypeKind(LLVMGlobalGetValueType(temporary)) == LLVMStructTypeKind;
    return either ? NULL : object;
}

// Returns the object that a constructor of the destructor's class constructed between the previous call of
// atexit and this one. Returns NULL if no such constructor was called.
static LLVMValueRef constructed_before(struct lifetimes *l, LLVMValueRef at_exit, LLVMValueRef destructor)
{
    size_t length;
    const char *name = LLVMGetValueName2(destructor, &length), *end = "D1Ev";
    if (!LLVMIsAFunction(destructor) || length <= strlen(end) ||
        strcmp(name + length - strlen(end), end) != 0)
        return NULL;
    length -= strlen(end);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(at_exit); i; i = LLVMGetPreviousInstruction(i)) {
        if (LLVMIsAStoreInst(i) && l->count && LLVMGetOperand(i, 1) == l->marks[l->count - 1])
            return NULL;
        if (!LLVMIsACallInst(i) || LLVMGetNumArgOperands(i) == 0)
            continue;
        const char *called = LLVMGetValueName(LLVMGetCalledValue(i));
        if (strncmp(called, name, length) != 0 || called[length] != 'C')
            continue;
        LLVMValueRef object = LLVMGetOperand(i, 0);
        while (LLVMIsAConstantExpr(object) && LLVMGetConstOpcode(object) == LLVMAddrSpaceCast)
            object = LLVMGetOperand(object, 0);
        return LLVMIsAGlobalVariable(object);
    }
    return NULL;
}

// Adds the object's address to the call of the destructor in stub.
static bool complete_stub(struct lifetimes *l, LLVMValueRef at_exit, LLVMValueRef stub)
{
    size_t length;
    const char *name = LLVMGetValueName2(stub, &length);
    size_t before = sizeof STUB - 1;
    LLVMValueRef call = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(stub)); i;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && LLVMGetNumArgOperands(i) == 1)
            call = i;
    LLVMValueRef object = call ? constructed_before(l, at_exit, LLVMGetCalledValue(call)) : NULL;
    if (!object && length > before && memcmp(name, STUB, before) == 0)
        object = object_of(l, name + before);
    LLVMTypeRef type = call && object ? LLVMGetCalledFunctionType(call) : NULL, wanted = NULL;
    if (type && LLVMCountParamTypes(type) == 1)
        LLVMGetParamTypes(type, &wanted);
    if (!wanted || LLVMGetTypeKind(wanted) != LLVMPointerTypeKind) {
        weft_buf_printf(l->log, "error: can't find the object that %.*s destroys\n", (int)length, name);
        return false;
    }
    bool same = LLVMGetPointerAddressSpace(wanted) == LLVMGetPointerAddressSpace(LLVMTypeOf(object));
    LLVMSetOperand(call, 0, same ? object : LLVMConstAddrSpaceCast(object, wanted));
    return true;
}

// Replaces a call of atexit by a store to a new mark.
static weft_status lower_call(struct lifetimes *l, LLVMValueRef call)
{
    LLVMValueRef stub = LLVMGetOperand(call, 0);
    if (!LLVMIsAFunction(stub) || LLVMIsDeclaration(stub) || !complete_stub(l, call, stub))
        return WEFT_BUILD_FAILED;
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 16;
        LLVMValueRef *stubs = weft_realloc(l->stubs, capacity * sizeof *stubs);
        l->stubs = stubs ? stubs : l->stubs;
        LLVMValueRef *marks = stubs ? weft_realloc(l->marks, capacity * sizeof *marks) : NULL;
        if (!marks)
            return WEFT_NO_MEMORY;
        l->marks = marks;
        l->capacity = capacity;
    }
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMValueRef mark = LLVMAddGlobalInAddressSpace(l->module, i32, "weft.constructed", WEFTC_SPACE_GLOBAL);
    LLVMSetInitializer(mark, LLVMConstNull(i32));
    LLVMSetLinkage(mark, LLVMInternalLinkage);
    LLVMSetAlignment(mark, 4);
    l->stubs[l->count] = stub;
    l->marks[l->count++] = mark;
    LLVMBuilderRef at = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderBefore(at, call);
    LLVMSetAlignment(LLVMBuildStore(at, LLVMConstInt(i32, 1, false), mark), 4);
    LLVMDisposeBuilder(at);
    LLVMReplaceAllUsesWith(call, LLVMConstNull(i32));
    LLVMInstructionEraseFromParent(call);
    return WEFT_OK;
}

static weft_status lower_calls_of(struct lifetimes *l, LLVMValueRef function)
{
    weft_status status = WEFT_OK;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i && status == WEFT_OK; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == l->at_exit)
                status = lower_call(l, i);
        }
    return status;
}

// Calls in the kernel's constructors come first, in the order of construction. Then come those in functions,
// whose objects are constructed later.
static weft_status lower_calls(struct lifetimes *l)
{
    weft_status status = WEFT_OK;
    LLVMBasicBlockRef entry = l->kernel ? LLVMGetEntryBasicBlock(l->kernel) : NULL;
    for (LLVMValueRef i = entry ? LLVMGetFirstInstruction(entry) : NULL; i && status == WEFT_OK;
         i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)))
            status = lower_calls_of(l, LLVMGetCalledValue(i));
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && status == WEFT_OK; f = LLVMGetNextFunction(f))
        status = lower_calls_of(l, f);
    return status;
}

// Adds the kernel that destroys the marked objects, the last constructed first.
static void add_finalizer(struct lifetimes *l)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMBuilderRef at = LLVMCreateBuilderInContext(l->context);
    LLVMValueRef kernel = add_kernel(l, "_GLOBAL__sub_D_objects", at);
    LLVMInstructionEraseFromParent(LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    LLVMPositionBuilderAtEnd(at, LLVMGetEntryBasicBlock(kernel));
    for (size_t i = l->count; i-- > 0;) {
        LLVMBasicBlockRef destroy = LLVMAppendBasicBlockInContext(l->context, kernel, "");
        LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(l->context, kernel, "");
        LLVMValueRef mark = LLVMBuildLoad2(at, i32, l->marks[i], "");
        LLVMBuildCondBr(at, LLVMBuildICmp(at, LLVMIntNE, mark, LLVMConstNull(i32), ""), destroy, next);
        LLVMPositionBuilderAtEnd(at, destroy);
        LLVMBuildStore(at, LLVMConstNull(i32), l->marks[i]);
        LLVMValueRef call = LLVMBuildCall2(at, l->function, l->stubs[i], NULL, 0, "");
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(l->stubs[i]));
        LLVMBuildBr(at, next);
        LLVMPositionBuilderAtEnd(at, next);
    }
    LLVMBuildRetVoid(at);
    LLVMDisposeBuilder(at);
    set_kind(l, kernel, weftc_fact_name(WEFTC_FINALIZER_KIND));
}

// Finds the name of a function's static variable in the mangled name of its guard. It follows the function's
// name: 'E', a length, the name, then '_' and a number if the function has several variables of that name.
// Sets *length.
static const char *static_name(const char *guard, int *length)
{
    for (const char *at = guard; (at = strchr(at, 'E')); at++) {
        char *name;
        const unsigned long count = strtoul(at + 1, &name, 10);
        if (at[1] < '1' || at[1] > '9' || count > strlen(name) || (name[count] != '\0' && name[count] != '_'))
            continue;
        *length = (int)count;
        return name;
    }
    *length = (int)strlen(guard);
    return guard;
}

// Returns a function with an instruction that uses the variable, or NULL if there is none.
static LLVMValueRef function_of_use(LLVMValueRef variable)
{
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user))
            return LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        LLVMValueRef function = function_of_use(user); // the user is a constant expression
        if (function)
            return function;
    }
    return NULL;
}

// Reports an error for static variables of functions that would be constructed by the first call. Several
// work-items may call the function at the same time, and lanes of one vector can't wait for each other. Clang
// guards such a variable by another variable, whose mangled name contains the function's. Guards of inline
// variables don't.
static weft_status reject_static_locals(struct lifetimes *l)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g)) {
        const char *guard = LLVMGetValueName(g);
        if (strncmp(guard, "_ZGVZ", 5) != 0)
            continue;
        int length;
        const char *name = static_name(guard, &length);
        LLVMValueRef function = function_of_use(g);
        weft_buf_printf(
            l->log,
            "%serror: '%.*s', a static variable of a function, has a constructor that would run at the first "
            "call, which several work-items may make at the same time; declare it at program scope\n",
            function ? weftc_place_of(l->module, function) : "", length, name);
        return WEFT_BUILD_FAILED;
    }
    return WEFT_OK;
}

weft_status weftc_lower_lifetimes(LLVMModuleRef module, struct weft_buf *log)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct lifetimes l = {.module = module,
                          .context = context,
                          .function = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false),
                          .at_exit = LLVMGetNamedFunction(module, "atexit"),
                          .log = log};
    gather_constructors(&l);
    weft_status status = reject_static_locals(&l);
    if (status == WEFT_OK && l.at_exit && LLVMIsDeclaration(l.at_exit))
        status = lower_calls(&l);
    if (status == WEFT_OK && l.count)
        add_finalizer(&l);
    if (l.count && !LLVMGetFirstUse(l.at_exit))
        LLVMDeleteFunction(l.at_exit);
    weft_free(l.stubs);
    weft_free(l.marks);
    return status;
}
