// Implements bridge/locate.h with LLVM's reader of DWARF. A location in DWARF is a small program for a stack
// machine. LLVM reads such programs but doesn't run them, so `evaluate` does, as far as LLVM's code generator
// writes them for integers.
#include "compiler/bridge/locate.h"
#include "compiler/bridge/versions.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFLocationExpression.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <algorithm>
#include <cstring>
#include <optional>

extern "C" {
#include "base/base.h"
#include "weft/fault_location.h"
#include "weft/kernel_abi.h"
}

using namespace llvm;

namespace
{

// A number of `bytes` bytes from the part of the stack that was kept; nothing if it lies elsewhere.
std::optional<uint64_t> load(const weft_fault_state &s, uint64_t address, unsigned bytes)
{
    uint64_t offset = address - s.stack_begin, value = 0;
    if (address < s.stack_begin || bytes > sizeof value || offset > s.stack_bytes ||
        bytes > s.stack_bytes - offset)
        return std::nullopt;
    memcpy(&value, s.stack + offset, bytes); // little-endian
    return value;
}

// What is known of the values while one expression is evaluated.
class Machine
{
    const weft_fault_state &state;
    std::optional<uint64_t> frame; // DW_OP_fbreg counts from here
    SmallVector<uint64_t, 8> stack;

    bool push(std::optional<uint64_t> v)
    {
        if (v)
            stack.push_back(*v);
        return v.has_value();
    }
    std::optional<uint64_t> register_of(unsigned number) const
    {
        if (number >= WEFT_FAULT_REGISTERS)
            return std::nullopt;
        return state.registers[number];
    }
    bool binary(uint8_t op)
    {
        if (stack.size() < 2)
            return false;
        uint64_t b = stack.pop_back_val(), a = stack.pop_back_val();
        switch (op) {
        case dwarf::DW_OP_plus:
            return push(a + b);
        case dwarf::DW_OP_minus:
            return push(a - b);
        case dwarf::DW_OP_mul:
            return push(a * b);
        case dwarf::DW_OP_and:
            return push(a & b);
        case dwarf::DW_OP_or:
            return push(a | b);
        case dwarf::DW_OP_xor:
            return push(a ^ b);
        case dwarf::DW_OP_shl:
            return push(b < 64 ? a << b : 0);
        case dwarf::DW_OP_shr:
            return push(b < 64 ? a >> b : 0);
        case dwarf::DW_OP_shra:
            return push(static_cast<uint64_t>(static_cast<int64_t>(a) >> (b < 63 ? b : 63)));
        case dwarf::DW_OP_div: {
            int64_t x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
            return y != 0 && push(y == -1 ? 0 - a : static_cast<uint64_t>(x / y));
        }
        default:
            return false;
        }
    }
    bool step(const DWARFExpression::Operation &o, bool &is_value);

  public:
    Machine(const weft_fault_state &state, std::optional<uint64_t> frame) : state(state), frame(frame)
    {
    }
    // The value of a variable of 64 bits with this location; nothing if it isn't known.
    std::optional<uint64_t> evaluate(ArrayRef<uint8_t> expression);
};

bool Machine::step(const DWARFExpression::Operation &o, bool &is_value)
{
    uint8_t op = o.getCode();
    if (op >= dwarf::DW_OP_lit0 && op <= dwarf::DW_OP_lit31)
        return push(op - dwarf::DW_OP_lit0);
    if (op >= dwarf::DW_OP_breg0 && op <= dwarf::DW_OP_breg31) {
        auto base = register_of(op - dwarf::DW_OP_breg0);
        return base && push(*base + o.getRawOperand(0));
    }
    if (op >= dwarf::DW_OP_reg0 && op <= dwarf::DW_OP_reg31) {
        is_value = true;
        return push(register_of(op - dwarf::DW_OP_reg0));
    }
    switch (op) {
    case dwarf::DW_OP_const1u:
    case dwarf::DW_OP_const1s:
    case dwarf::DW_OP_const2u:
    case dwarf::DW_OP_const2s:
    case dwarf::DW_OP_const4u:
    case dwarf::DW_OP_const4s:
    case dwarf::DW_OP_const8u:
    case dwarf::DW_OP_const8s:
    case dwarf::DW_OP_constu:
    case dwarf::DW_OP_consts:
        return push(o.getRawOperand(0));
    case dwarf::DW_OP_fbreg:
        return frame && push(*frame + o.getRawOperand(0));
    case dwarf::DW_OP_plus_uconst:
        return !stack.empty() && push(stack.pop_back_val() + o.getRawOperand(0));
    case dwarf::DW_OP_deref:
        return !stack.empty() && push(load(state, stack.pop_back_val(), 8));
    case dwarf::DW_OP_deref_size:
        return !stack.empty() &&
               push(load(state, stack.pop_back_val(), static_cast<unsigned>(o.getRawOperand(0))));
    case dwarf::DW_OP_dup:
        return !stack.empty() && push(stack.back());
    case dwarf::DW_OP_neg:
        return !stack.empty() && push(0 - stack.pop_back_val());
    case dwarf::DW_OP_not:
        return !stack.empty() && push(~stack.pop_back_val());
    case dwarf::DW_OP_stack_value:
        is_value = true;
        return !stack.empty();
    case dwarf::DW_OP_nop:
        return true;
    default:
        return binary(op);
    }
}

std::optional<uint64_t> Machine::evaluate(ArrayRef<uint8_t> expression)
{
    DataExtractor data(expression, /*IsLittleEndian=*/true, /*AddressSize=*/8);
    bool is_value = false;
    stack.clear();
    for (const DWARFExpression::Operation &o : DWARFExpression(data, 8))
        if (o.isError() || !step(o, is_value))
            return std::nullopt;
    if (stack.empty())
        return std::nullopt;
    return is_value ? stack.back() : load(state, stack.back(), 8);
}

using Locations = DWARFLocationExpressionsVector;

Locations locations_of(const DWARFDie &die, dwarf::Attribute attribute)
{
    Expected<Locations> all = die.getLocations(attribute);
    if (all)
        return *all;
    consumeError(all.takeError());
    return {};
}

bool holds_at(const DWARFLocationExpression &e, uint64_t address)
{
    return !e.Range || (e.Range->LowPC <= address && address < e.Range->HighPC);
}

std::optional<uint64_t> value_at(const DWARFDie &die, Machine &machine, uint64_t address)
{
    if (auto constant = die.find(dwarf::DW_AT_const_value))
        return constant->getAsUnsignedConstant();
    for (const DWARFLocationExpression &e : locations_of(die, dwarf::DW_AT_location))
        if (holds_at(e, address))
            return machine.evaluate(e.Expr);
    return std::nullopt;
}

// Code generation mixes the instructions of iterations that lie in one block after unrolling, but not the
// places where a variable changes. So an instruction near such a place may belong to the iteration before or
// after. Widens [first, last] by the values that the variable has in the neighbourhood. They are computed
// from the registers of the fault, so only values near by make sense.
void add_neighbours(const DWARFDie &die, Machine &machine, uint64_t address, uint64_t items, uint64_t *first,
                    uint64_t *last)
{
    const uint64_t near_code = 1024, near_items = 16 * items, value = *first;
    for (const DWARFLocationExpression &e : locations_of(die, dwarf::DW_AT_location)) {
        if (!e.Range || e.Range->HighPC + near_code < address || address + near_code < e.Range->LowPC)
            continue;
        std::optional<uint64_t> other = machine.evaluate(e.Expr);
        if (!other || *other - (value - near_items) > 2 * near_items || (*other - value) % items != 0)
            continue;
        if (static_cast<int64_t>(*other) >= 0)
            *first = std::min(*first, *other);
        *last = std::max(*last, *other);
    }
}

DWARFDie variable(const DWARFDie &function, StringRef wanted)
{
    for (const DWARFDie &child : function.children()) {
        const char *name = child.getTag() == dwarf::DW_TAG_variable ? child.getShortName() : nullptr;
        if (name && wanted == name)
            return child;
    }
    return DWARFDie();
}

void read_variables(const DWARFDie &function, const weft_fault_state &s, unsigned lane_dimension,
                    weft_location *out)
{
    const uint64_t address = s.instruction - s.base;
    std::optional<uint64_t> frame;
    for (const DWARFLocationExpression &e : locations_of(function, dwarf::DW_AT_frame_base))
        if (holds_at(e, address))
            frame = Machine(s, std::nullopt).evaluate(e.Expr); // a register
    Machine machine(s, frame);
    DWARFDie count = variable(function, WEFTC_LOCATED_ITEMS);
    const uint64_t items = count ? value_at(count, machine, address).value_or(0) : 0;
    static const char *const names[] = {WEFTC_LOCATED_X, WEFTC_LOCATED_Y, WEFTC_LOCATED_Z};
    for (unsigned d = 0; d < 3; d++) {
        DWARFDie v = variable(function, names[d]);
        std::optional<uint64_t> value = v ? value_at(v, machine, address) : std::nullopt;
        if (!value || items == 0 || items > WEFT_GROUP_MAX)
            continue;
        out->known[d] = true;
        out->first[d] = out->last[d] = *value;
        add_neighbours(v, machine, address, d == lane_dimension ? items : 1, &out->first[d], &out->last[d]);
        if (d == lane_dimension)
            out->last[d] += items - 1;
    }
}

} // namespace

bool weftc_bridge_locate(const void *elf, size_t size, const weft_fault_state *state, unsigned lane_dimension,
                         weft_location *location)
{
    auto bytes = MemoryBufferRef(StringRef(static_cast<const char *>(elf), size), "");
    Expected<std::unique_ptr<object::ObjectFile>> object = object::ObjectFile::createELFObjectFile(bytes);
    if (!object) {
        consumeError(object.takeError());
        return false;
    }
    std::unique_ptr<DWARFContext> dwarf = DWARFContext::create(**object);
    uint64_t address = state->instruction - state->base;
    DILineInfoSpecifier wanted(DILineInfoSpecifier::FileLineInfoKind::RawValue);
    const std::optional<DILineInfo> line = dwarf->getLineInfoForAddress({address}, wanted);
    if (line && line->Line) {
        location->line = line->Line;
        location->column = line->Column;
        location->file = weft_strdup(line->FileName.c_str());
    }
    for (const auto &unit : dwarf->compile_units()) {
        DWARFDie die = unit->getSubroutineForAddress(address);
        // The innermost function is an inlined one. The variables belong to the function that is there.
        while (die && die.getTag() != dwarf::DW_TAG_subprogram)
            die = die.getParent();
        if (die)
            read_variables(die, *state, lane_dimension, location);
    }
    return true;
}
