"""Weft's kernels in gdb (docs/debugging.md). `weft debug` loads it, or `source PREFIX/share/weft/gdb.py`.

$gid, $lid, $group, $gsize, $lsize
    the ids and sizes of the work-item in the selected frame, set at each stop
weft ids            the same in a line
weft items EXPR     a private variable, or a part of one, of every work-item of the group
Vectors are printed as (1, 2, 3, 4).
"""
import os
import re

import gdb

IDS = ("gid", "lid", "group", "gsize", "lsize")
RUN = re.compile(r"\.run$")
VECTOR = re.compile(r"(u?(char|short|int|long)|half|float|double)(2|3|4|8|16)$")


def run_frame():
    """The frame of the loops over work-items, from the selected frame on; None in other code."""
    try:
        frame = gdb.selected_frame()
    except gdb.error:
        return None
    for _ in range(100):
        if frame is None:
            return None
        name = frame.name()
        if name and RUN.search(name):
            return frame
        frame = frame.older()
    return None


def number(frame, name):
    return int(frame.read_var(name))


def set_variables(*_):
    try:
        frame = run_frame()
        for name in IDS:
            values = [frame.read_var(f"{name}{d}") for d in range(3)] if frame else None
            gdb.set_convenience_variable(name, None if values is None else as_array(values))
    except (gdb.error, ValueError):  # the program is built without variables
        pass


def as_array(values):
    kind = values[0].type
    data = b"".join(int(v).to_bytes(kind.sizeof, "little") for v in values)
    return gdb.Value(data, kind.array(len(values) - 1))


def frame_place(frame):
    """Where the variables of the work-item lie, and the bytes that each work-item of the group has there: 0 if all share them."""
    place = int(frame.read_var("gid0").address)  # they begin with it
    data = gdb.selected_inferior().read_memory(place + 15 * 8, 8)
    return place, int.from_bytes(data.tobytes(), "little")


class Weft(gdb.Command):
    """Commands for kernels of Weft."""

    def __init__(self):
        super().__init__("weft", gdb.COMMAND_DATA, prefix=True)


class Ids(gdb.Command):
    """Print the ids of the work-item in the selected frame."""

    def __init__(self):
        super().__init__("weft ids", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        frame = run_frame()
        if frame is None:
            raise gdb.GdbError("this is no frame of a kernel that is built with -g -cl-opt-disable")
        print("  ".join("%s (%s)" % (name, ", ".join(str(number(frame, f"{name}{d}")) for d in range(3))) for name in IDS))


class Items(gdb.Command):
    """Print a private variable of all work-items of the group: weft items VARIABLE
In kernels without barriers, a work-item's variables are gone when it has ended."""

    def __init__(self):
        super().__init__("weft items", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        frame = run_frame()
        if frame is None or not argument:
            raise gdb.GdbError("usage: weft items VARIABLE, in a kernel that is built with -g -cl-opt-disable")
        value = gdb.parse_and_eval(argument)
        place, size = frame_place(frame)
        if not size:
            raise gdb.GdbError("the kernel has no barriers: its work-items run one after the other, each with the same memory")
        lsize = [number(frame, f"lsize{d}") for d in range(3)]
        lid = [number(frame, f"lid{d}") for d in range(3)]
        count = lsize[0] * lsize[1] * lsize[2]
        first = place - (lid[0] + lsize[0] * (lid[1] + lsize[1] * lid[2])) * size
        if value.address is None or not first <= int(value.address) < first + count * size:
            raise gdb.GdbError(f"{argument} is no private variable")
        offset = int(value.address) - place
        kind = value.type.pointer()
        for item in range(count):
            own = gdb.Value(first + item * size + offset).cast(kind).dereference()
            at = (item % lsize[0], item // lsize[0] % lsize[1], item // (lsize[0] * lsize[1]))
            print(f"{at[0]},{at[1]},{at[2]}: {own.format_string()}" + ("   <- here" if first + item * size == place else ""))


class VectorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        low, high = self.value.type.strip_typedefs().range()
        element = self.value.type.strip_typedefs().target()
        whole = element.strip_typedefs().code == gdb.TYPE_CODE_INT
        name = str(self.value.type)
        shown = range(low, min(high, low + 2) + 1) if re.search(r"[a-z]3$", name) else range(low, high + 1)
        return "(" + ", ".join(str(int(self.value[i])) if whole else self.value[i].format_string() for i in shown) + ")"


def find_printer(value):
    kind = value.type.strip_typedefs()
    is_vector = kind.code == gdb.TYPE_CODE_ARRAY and VECTOR.match(str(value.type.unqualified()))
    return VectorPrinter(value) if is_vector else None


find_printer.name = "weft-vectors"
# A kernel that runs for too long is stopped by a signal, which isn't the program's fault.
if os.environ.get("WEFT_KERNEL_TIMEOUT", "0") != "0":
    gdb.execute("handle SIGILL nostop noprint pass", to_string=True)
Weft()
Ids()
Items()
if not any(getattr(p, "name", "") == find_printer.name for p in gdb.pretty_printers):
    gdb.pretty_printers.append(find_printer)
    gdb.events.stop.connect(set_variables)
    gdb.events.before_prompt.connect(set_variables)
