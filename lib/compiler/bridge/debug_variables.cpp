// Variables of kernels for debuggers (-g and -cl-opt-disable), and other debug information.
//
// A variable of the program is an alloca here. The stages make values of allocas, copy blocks, and run one
// work-item's code in a loop with all others; where a variable is at some instruction would be lost. So each
// variable gets a place in a *frame* of the work-item, which is memory that `run` has for it
// (workitem_loops/debug_info.c). All code of the kernel reads and writes it there, whatever becomes of the
// code. The frame is a primitive. A list stays as metadata of the module: what each variable is, and its
// place. OpenCL C has no recursion, so that is one place, however often a function was inlined.
#include "compiler/bridge/debug_variables.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

using namespace llvm;

void weftc_bridge_rename_file(LLVMModuleRef module, const char *name, const char *in, const char *new_name,
                              const char *new_folder)
{
    LLVMContext &c = unwrap(module)->getContext();
    // With the text of the source in it, a file is another node, which functions know.
    SmallSetVector<DIFile *, 2> files;
    if (DIFile *f = DIFile::getIfExists(c, MDString::get(c, name), MDString::get(c, in)))
        files.insert(f);
    for (const Function &function : *unwrap(module))
        if (const DISubprogram *s = function.getSubprogram(); s && s->getFile())
            if (s->getFile()->getFilename() == name && s->getFile()->getDirectory() == in)
                files.insert(s->getFile());
    for (DIFile *f : files) {
        f->replaceOperandWith(0, MDString::get(c, new_name));
        f->replaceOperandWith(1, MDString::get(c, new_folder));
    }
}

// ---- rows of the list ----

static void add_row(NamedMDNode &list, DILocalVariable *v, uint64_t offset, bool is_address)
{
    LLVMContext &c = v->getContext();
    Metadata *row[] = {v, ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(c), offset)),
                       ConstantAsMetadata::get(ConstantInt::get(Type::getInt1Ty(c), is_address))};
    list.addOperand(MDNode::get(c, row));
}

struct row {
    DILocalVariable *variable;
    uint64_t offset;
    bool is_address;
};

static SmallVector<row, 32> rows_of(const Module &m, const char *list)
{
    SmallVector<row, 32> rows;
    const NamedMDNode *all = m.getNamedMetadata(list);
    for (unsigned i = 0; all && i < all->getNumOperands(); i++) {
        const MDNode *n = all->getOperand(i);
        rows.push_back({cast<DILocalVariable>(n->getOperand(0)),
                        mdconst::extract<ConstantInt>(n->getOperand(1))->getZExtValue(),
                        !mdconst::extract<ConstantInt>(n->getOperand(2))->isZero()});
    }
    return rows;
}

// ---- from allocas to the frame ----

namespace
{

class mover
{
    Module &m;
    Function *frame;
    NamedMDNode &list;
    const DataLayout &layout;

  public:
    uint64_t bytes = 0;

    mover(Module &module, Function *f, const char *name)
        : m(module), frame(f), list(*module.getOrInsertNamedMetadata(name)), layout(module.getDataLayout())
    {
    }

    uint64_t place(uint64_t size, Align align)
    {
        uint64_t offset = alignTo(bytes, align);
        bytes = offset + size;
        return offset;
    }

    Value *address(IRBuilderBase &b, uint64_t offset)
    {
        return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), b.CreateCall(frame), offset);
    }

    void move(AllocaInst &a, DILocalVariable *v);
    void note_address(Function &f, Value *what, DILocalVariable *v);
    void take(Function &f);
    void take_local(GlobalVariable &g, const DenseMap<const DISubprogram *, Function *> &functions);
};

} // namespace

// Values of opaque types (images, events) aren't memory.
static bool is_memory(Type *t)
{
    if (auto *s = dyn_cast<StructType>(t))
        return all_of(s->elements(), is_memory);
    if (auto *a = dyn_cast<ArrayType>(t))
        return is_memory(a->getElementType());
    return !t->isTargetExtTy() && t->isSized();
}

void mover::move(AllocaInst &a, DILocalVariable *v)
{
    uint64_t offset = place(layout.getTypeAllocSize(a.getAllocatedType()).getFixedValue(), a.getAlign());
    IRBuilder<> b(m.getContext());
    SmallVector<Use *, 16> uses;
    for (Use &u : a.uses())
        uses.push_back(&u);
    for (Use *u : uses) {
        auto *user = cast<Instruction>(u->getUser());
        if (user->isLifetimeStartOrEnd()) {
            user->eraseFromParent();
            continue;
        }
        auto *phi = dyn_cast<PHINode>(user);
        b.SetInsertPoint(phi ? phi->getIncomingBlock(*u)->getTerminator() : user);
        b.SetCurrentDebugLocation(user->getDebugLoc());
        u->set(address(b, offset));
    }
    add_row(list, v, offset, false);
}

// Keeps the address of a variable that lies elsewhere.
void mover::note_address(Function &f, Value *what, DILocalVariable *v)
{
    uint64_t offset = place(8, Align(8));
    IRBuilder<> b(&*f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    b.SetCurrentDebugLocation(DebugLoc());
    b.CreateStore(what, address(b, offset));
    add_row(list, v, offset, true);
}

// The variable is the memory at the address, in some address space: all of them are one later.
static bool is_whole(const DIExpression &e)
{
    ArrayRef<uint64_t> how = e.getElements();
    return how.empty() || (how.size() == 4 && how[0] == dwarf::DW_OP_constu && how[2] == dwarf::DW_OP_swap &&
                           how[3] == dwarf::DW_OP_xderef);
}

void mover::take(Function &f)
{
    MapVector<Value *, DILocalVariable *> found;
    for (BasicBlock &b : f)
        for (Instruction &i : b)
            for (DbgVariableRecord &r : filterDbgVars(i.getDbgRecordRange()))
                if (r.isDbgDeclare() && r.getAddress() && is_whole(*r.getExpression()))
                    found.insert({r.getAddress(), r.getVariable()});
    for (auto &[value, v] : found) {
        auto *a = dyn_cast<AllocaInst>(value);
        if (a && a->isStaticAlloca() && is_memory(a->getAllocatedType()))
            move(*a, v);
        else if (isa<Argument>(value) && value->getType()->isPointerTy())
            note_address(f, value, v);
    }
}

// A variable in local memory is a global variable whose scope is a kernel.
void mover::take_local(GlobalVariable &g, const DenseMap<const DISubprogram *, Function *> &functions)
{
    SmallVector<DIGlobalVariableExpression *, 1> described;
    g.getDebugInfo(described);
    for (DIGlobalVariableExpression *e : described) {
        DIGlobalVariable *old = e->getVariable();
        auto *scope = dyn_cast_or_null<DILocalScope>(old->getScope());
        Function *f = scope ? functions.lookup(scope->getSubprogram()) : nullptr;
        if (f)
            note_address(*f, &g,
                         DILocalVariable::get(m.getContext(), scope, old->getName(), old->getFile(),
                                              old->getLine(), old->getType(), 0, DINode::FlagZero, 0,
                                              nullptr));
    }
    g.eraseMetadata(LLVMContext::MD_dbg);
}

// Constants stay described, and no other variables of the program.
static void keep_globals(Module &m, const DenseMap<Metadata *, Metadata *> &kept)
{
    NamedMDNode *units = m.getNamedMetadata("llvm.dbg.cu");
    for (unsigned i = 0; units && i < units->getNumOperands(); i++) {
        auto *unit = cast<DICompileUnit>(units->getOperand(i));
        SmallVector<Metadata *, 8> left;
        for (DIGlobalVariableExpression *e : unit->getGlobalVariables())
            if (Metadata *same = kept.lookup(e))
                left.push_back(same);
        unit->replaceGlobalVariables(MDTuple::get(m.getContext(), left));
    }
}

uint64_t weftc_bridge_move_variables(LLVMModuleRef module, LLVMValueRef frame, uint64_t reserved,
                                     const char *list, unsigned local_space)
{
    Module &m = *unwrap(module);
    versions::make_debug_records(m);
    mover to(m, cast<Function>(unwrap(frame)), list);
    to.bytes = reserved;
    DenseMap<const DISubprogram *, Function *> functions;
    for (Function &f : m)
        if (!f.isDeclaration() && f.getSubprogram()) {
            functions[f.getSubprogram()] = &f;
            to.take(f);
        }
    DenseMap<Metadata *, Metadata *> constants;
    for (GlobalVariable &g : m.globals()) {
        SmallVector<DIGlobalVariableExpression *, 1> described;
        g.getDebugInfo(described);
        if (g.getAddressSpace() == local_space)
            to.take_local(g, functions);
        g.eraseMetadata(LLVMContext::MD_dbg);
        // Variables of the program that aren't constant lie in memory of the runtime's.
        for (DIGlobalVariableExpression *e : described)
            if (g.isConstant() && g.getAddressSpace() != local_space && is_whole(*e->getExpression())) {
                auto *same = DIGlobalVariableExpression::get(m.getContext(), e->getVariable(),
                                                             DIExpression::get(m.getContext(), {}));
                g.addDebugInfo(same);
                constants[e] = same;
            }
    }
    for (Function &f : m)
        for (BasicBlock &b : f)
            for (Instruction &i : b)
                i.dropDbgRecords();
    keep_globals(m, constants);
    return to.bytes;
}

// ---- the kernel after a barrier ----

namespace
{

class renamer
{
    LLVMContext &c;
    DISubprogram *kernel;
    DenseMap<const MDNode *, MDNode *> scopes, places;

  public:
    DISubprogram *renamed;

    renamer(DISubprogram *k, StringRef suffix) : c(k->getContext()), kernel(k)
    {
        TempDISubprogram copy = k->clone();
        renamed = MDNode::replaceWithDistinct(std::move(copy));
        auto *name = MDString::get(c, (k->getName() + suffix).str());
        renamed->replaceOperandWith(2, name);                 // its name
        renamed->replaceOperandWith(3, MDString::get(c, "")); // its linkage name
        renamed->replaceRetainedNodes(MDTuple::get(c, {}));
        scopes[k] = renamed;
    }

    DILocalScope *scope(DILocalScope *s)
    {
        if (s->getSubprogram() != kernel)
            return s;
        if (MDNode *done = scopes.lookup(s))
            return cast<DILocalScope>(done);
        DILocalScope *made = s;
        if (auto *b = dyn_cast<DILexicalBlock>(s))
            made = DILexicalBlock::getDistinct(c, scope(b->getScope()), b->getFile(), b->getLine(),
                                               b->getColumn());
        else if (auto *f = dyn_cast<DILexicalBlockFile>(s))
            made = DILexicalBlockFile::get(c, scope(f->getScope()), f->getFile(), f->getDiscriminator());
        scopes[s] = made;
        return made;
    }

    DILocation *place(const DILocation *l)
    {
        if (!l)
            return nullptr;
        if (MDNode *done = places.lookup(l))
            return cast<DILocation>(done);
        DILocation *inlined_at = place(l->getInlinedAt());
        DILocalScope *s = scope(l->getScope());
        DILocation *made =
            l->isDistinct()
                ? DILocation::getDistinct(c, l->getLine(), l->getColumn(), s, inlined_at, l->isImplicitCode())
                : DILocation::get(c, l->getLine(), l->getColumn(), s, inlined_at, l->isImplicitCode());
        places[l] = made;
        return made;
    }

    void variables(Module &m, const char *list)
    {
        NamedMDNode &rows = *m.getOrInsertNamedMetadata(list);
        for (const row &r : rows_of(m, list))
            if (DILocalVariable *v = r.variable; v->getScope()->getSubprogram() == kernel)
                add_row(rows,
                        DILocalVariable::get(c, scope(v->getScope()), v->getName(), v->getFile(),
                                             v->getLine(), v->getType(), v->getArg(), v->getFlags(),
                                             v->getAlignInBits(), v->getAnnotations()),
                        r.offset, r.is_address);
    }
};

} // namespace

// The function in the source whose code the region is. A kernel that weftc makes (frontend/cxx_lifetimes.c)
// is in no source, and has code of several functions.
static DISubprogram *kernel_of(const Function &region)
{
    DISubprogram *kernel = nullptr;
    for (const BasicBlock &b : region)
        for (const Instruction &i : b)
            if (const DILocation *l = i.getDebugLoc()) {
                while (l->getInlinedAt())
                    l = l->getInlinedAt();
                DISubprogram *of = l->getScope()->getSubprogram();
                if (kernel && of != kernel)
                    return nullptr;
                kernel = of;
            }
    return kernel;
}

bool weftc_bridge_describe_region(LLVMValueRef region, const char *suffix, const char *list)
{
    Function &f = *cast<Function>(unwrap(region));
    DISubprogram *kernel = kernel_of(f);
    if (!kernel)
        return false;
    if (!*suffix) {
        f.setSubprogram(kernel);
        return true;
    }
    renamer r(kernel, suffix);
    for (BasicBlock &b : f)
        for (Instruction &i : b) {
            if (i.getDebugLoc())
                i.setDebugLoc(DebugLoc(r.place(i.getDebugLoc())));
            updateLoopMetadataDebugLocations(i, [&](Metadata *n) -> Metadata * {
                auto *l = dyn_cast_or_null<DILocation>(n);
                return l ? r.place(l) : n;
            });
        }
    r.variables(*f.getParent(), list);
    f.setSubprogram(r.renamed);
    return true;
}

// ---- descriptions of places ----

static DIExpression *place_in_slot(LLVMContext &c, uint64_t offset)
{
    SmallVector<uint64_t, 2> how;
    DIExpression::appendOffset(how, static_cast<int64_t>(offset));
    return DIExpression::get(c, how);
}

static DIExpression *place_in_frame(LLVMContext &c, uint64_t offset, bool is_address)
{
    SmallVector<uint64_t, 4> how{dwarf::DW_OP_deref};
    DIExpression::appendOffset(how, static_cast<int64_t>(offset));
    if (is_address)
        how.push_back(dwarf::DW_OP_deref);
    return DIExpression::get(c, how);
}

void weftc_bridge_declare_variables(LLVMValueRef function, LLVMValueRef slot, const char *list,
                                    const struct weftc_item_variable *own, size_t own_count)
{
    Function &f = *cast<Function>(unwrap(function));
    auto *frame = cast<AllocaInst>(unwrap(slot));
    LLVMContext &c = f.getContext();
    // Each place where a function was inlined: the function, and where. The outermost is f itself.
    SetVector<std::pair<DISubprogram *, DILocation *>> instances;
    for (BasicBlock &b : f)
        for (Instruction &i : b)
            for (const DILocation *l = i.getDebugLoc(); l; l = l->getInlinedAt())
                instances.insert({l->getScope()->getSubprogram(), l->getInlinedAt()});
    DenseMap<const DISubprogram *, SmallVector<row, 16>> variables;
    for (const row &r : rows_of(*f.getParent(), list))
        variables[r.variable->getScope()->getSubprogram()].push_back(r);
    DIBuilder di(*f.getParent(), true, f.getSubprogram()->getUnit());
    DIBasicType *number = di.createBasicType("ulong", 64, dwarf::DW_ATE_unsigned);
    Instruction *before = &*std::next(frame->getIterator());
    while (isa<AllocaInst>(before))
        before = &*std::next(before->getIterator());
    for (auto &[scope, at] : instances) {
        StringSet<> taken; // a variable of the program hides ours
        for (const row &r : variables.lookup(scope)) {
            taken.insert(r.variable->getName());
            di.insertDeclare(frame, r.variable, place_in_frame(c, r.offset, r.is_address),
                             DILocation::get(c, r.variable->getLine(), 0, r.variable->getScope(), at),
                             before);
        }
        for (size_t k = 0; k < own_count; k++) {
            if (taken.contains(own[k].name) || (at && own[k].in_slot))
                continue;
            DILocalVariable *v = di.createAutoVariable(scope, own[k].name, scope->getFile(), 0, number, true,
                                                       DINode::FlagArtificial);
            di.insertDeclare(frame, v,
                             own[k].in_slot ? place_in_slot(c, own[k].offset)
                                            : place_in_frame(c, own[k].offset, false),
                             DILocation::get(c, 0, 0, scope, at), before);
        }
    }
    di.finalize();
}

LLVMMetadataRef weftc_bridge_describe_run(LLVMValueRef run_value, LLVMValueRef region, unsigned *line)
{
    Function &run = *cast<Function>(unwrap(run_value));
    DISubprogram *kernel = kernel_of(*cast<Function>(unwrap(region)));
    if (!kernel || !kernel->getUnit())
        return nullptr;
    *line = kernel->getLine();
    DIBuilder di(*run.getParent(), true, kernel->getUnit());
    DISubroutineType *type = di.createSubroutineType(di.getOrCreateTypeArray({}));
    DISubprogram *made = di.createFunction(kernel->getFile(), run.getName(), StringRef(), kernel->getFile(),
                                           *line, type, *line, DINode::FlagArtificial,
                                           DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit);
    di.finalizeSubprogram(made);
    run.setSubprogram(made);
    return wrap(made);
}

LLVMMetadataRef weftc_bridge_make_unit(LLVMModuleRef module, LLVMDIBuilderRef builder, LLVMMetadataRef file,
                                       bool full, LLVMValueRef region)
{
    const DISubprogram *kernel = kernel_of(*cast<Function>(unwrap(region)));
    const bool indexed = kernel && kernel->getUnit() &&
                         kernel->getUnit()->getNameTableKind() == DICompileUnit::DebugNameTableKind::GNU;
    DebugInfoFinder all;
    if (indexed)
        all.processModule(*unwrap(module));
    DICompileUnit *unit = unwrap(builder)->createCompileUnit(
        dwarf::DW_LANG_C99, cast<DIFile>(unwrap(file)), "Weft", true, "", 0, "",
        full ? DICompileUnit::FullDebug : DICompileUnit::LineTablesOnly, 0, false, false,
        indexed ? DICompileUnit::DebugNameTableKind::GNU : DICompileUnit::DebugNameTableKind::Default);
    for (DISubprogram *s : all.subprograms())
        if (s->isDefinition())
            s->replaceUnit(unit);
    return wrap(unit);
}
