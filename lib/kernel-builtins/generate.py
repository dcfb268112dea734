#!/usr/bin/env python3
"""Writes the sources of the built-in functions that are products of types: conversions, vector loads and stores,
shuffles, asynchronous copies.

usage: generate.py FOLDER    writes the files (only those that changed) and prints their names, one a line

Each file defines one macro for a width and applies it to all widths, as the sources written by hand do. What is the same
for all types is in `convert.h`.
"""
import os
import re
import sys

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
FLOATS = {"half": 16, "float": 32, "double": 64}
# Integers of magnitude up to 2**PRECISION are exact.
PRECISION = {"half": 11, "float": 24, "double": 53}
TYPES = [*BITS, *FLOATS]
MODES = ["rte", "rtz", "rtp", "rtn"]
WIDTHS = [2, 3, 4, 8, 16]
SPACES = ["__private", "__global", "__constant", "__local", "__generic"]
HEADER = "// Made by lib/kernel-builtins/generate.py.\n"
ROUNDING_TO_INTEGER = {"rte": "roundeven", "rtz": "trunc", "rtp": "ceil", "rtn": "floor"}


def is_signed(integer):
    return not integer.startswith("u")


def size_of(element):
    return (BITS.get(element) or FLOATS[element]) // 8


def limits(integer):
    """Least and greatest value."""
    bits = BITS[integer]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed(integer) else (0, (1 << bits) - 1)


def literal(value, integer):
    """A constant expression of the value, in the type."""
    if value < 0:
        return f"(({integer})({value + 1} - 1))"
    return f"(({integer}){value:#x}{'u' if value > 0x7fffffff else ''})"


def macro(name, body):
    """A function-like macro of the width n, in lines that the backslash joins."""
    lines = [f"#define {name}(n, unused)", *body]
    return " \\\n".join(lines) + f"\nFOR_WIDTHS({name}, )\n"


def pasted(suffix):
    """A suffix after the width in a macro."""
    return "##" + suffix if suffix else ""


# ---- conversions (6.2.3) ----


def integer_to_integer(to, source):
    low, high = limits(to)
    source_low, source_high = limits(source)
    clamp = []
    if low > source_low:
        clamp.append(f"  x = __builtin_elementwise_max(x, ({source}##n){literal(low, source)});")
    if high < source_high:
        clamp.append(f"  x = __builtin_elementwise_min(x, ({source}##n){literal(high, source)});")
    body = []
    for mode in ["", *("_" + mode for mode in MODES)]:
        body.append(f"{to}##n OVERLOAD convert_{to}##n{pasted(mode)}({source}##n x) {{ return CONVERT_##n(x, {to}##n); }}")
        body += [f"{to}##n OVERLOAD convert_{to}##n##_sat{mode}({source}##n x) {{", *clamp,
                 f"  return CONVERT_##n(x, {to}##n);", "}"]
    return macro("DEFINE", body)


def float_to_integer(to, source):
    low, high = limits(to)
    work = "float" if source == "half" else source
    widened = f"CONVERT_##n(x, {work}##n)"
    body = []
    for mode in ["", *("_" + mode for mode in MODES)]:
        # Without a mode a conversion to an integer truncates, which the conversion itself does.
        rounded = widened
        if mode not in ("", "_rtz"):
            rounded = f"__builtin_elementwise_{ROUNDING_TO_INTEGER[mode[1:]]}({widened})"
        body.append(f"{to}##n OVERLOAD convert_{to}##n{pasted(mode)}({source}##n x) {{ return CONVERT_##n({rounded}, {to}##n); }}")
        body += [f"{to}##n OVERLOAD convert_{to}##n##_sat{mode}({source}##n x) {{",
                 f"  {work}##n r = {rounded};",
                 f"  r = r == r ? r : ({work}##n)0;",
                 f"  r = r < ({work}##n)({low}.0) ? ({work}##n)({low}.0) : r;"]
        if high.bit_length() <= PRECISION[work]:
            body += [f"  r = r > ({work}##n)({high}.0) ? ({work}##n)({high}.0) : r;",
                     f"  return CONVERT_##n(r, {to}##n);", "}"]
        else:
            # The greatest integer isn't a number of this type, the one above it is.
            body += [f"  {to}##n big = MASK_##n(r >= ({work}##n)({high + 1}.0), {to}##n);",
                     f"  r = r >= ({work}##n)({high + 1}.0) ? ({work}##n)0 : r;",
                     f"  return (big & ({to}##n){literal(high, to)}) | CONVERT_##n(r, {to}##n);", "}"]
    return macro("DEFINE", body)


def integer_to_float(to, source):
    plain = f"CONVERT_##n(x, {to}##n)"
    body = []
    if to == "half":
        # Everything from 65520 up becomes the same, so what is far above may be cut off: then float is exact.
        if BITS[source] > 16:
            bound = 1 << 20
            low = f"({source}##n)({'-' if is_signed(source) else '0 * '}{bound})"
            number = f"__builtin_elementwise_min(__builtin_elementwise_max(x, {low}), ({source}##n){bound})"
        else:
            number = "x"
        for mode in ["", *MODES]:
            body.append(f"half##n OVERLOAD convert_half##n{pasted('_' + mode if mode else '')}({source}##n x) "
                        f"{{ return half_from_float_{mode or 'rte'}(CONVERT_##n({number}, float##n)); }}")
        return macro("DEFINE", body)
    exact = BITS[source] <= PRECISION[to]
    for mode in ["", *MODES]:
        if exact or mode in ("", "rte"):
            value = plain
        elif BITS[source] == 32:
            value = f"float_from_double_{mode}(CONVERT_##n(x, double##n))"
        else:
            value = f"{to}_from_{source}_{mode}(x)"
        body.append(f"{to}##n OVERLOAD convert_{to}##n{pasted('_' + mode if mode else '')}({source}##n x) {{ return {value}; }}")
    return macro("DEFINE", body)


def float_to_float(to, source):
    body = []
    for mode in ["", *MODES]:
        if FLOATS[to] >= FLOATS[source]:
            value = "x" if to == source else f"CONVERT_##n(x, {to}##n)"
        else:
            value = f"{to}_from_{source}_{mode or 'rte'}(x)"
        body.append(f"{to}##n OVERLOAD convert_{to}##n{pasted('_' + mode if mode else '')}({source}##n x) {{ return {value}; }}")
    return macro("DEFINE", body)


def rounders(text):
    """The definitions of the helpers of convert.h that the text uses."""
    used = sorted(set(re.findall(r"\b(\w+_from_\w+)_rt[ezpn]\(", text)))
    return "".join(f"DEFINE_{name}\n" for name in used)


def conversions():
    for to in TYPES:
        for source in TYPES:
            if to in BITS:
                text = (integer_to_integer if source in BITS else float_to_integer)(to, source)
            else:
                text = (integer_to_float if source in BITS else float_to_float)(to, source)
            yield f"convert/{to}_from_{source}.cl", HEADER + '#include "convert.h"\n\n' + rounders(text) + text


# ---- vector data load and store (6.13.7) ----


def vector_load_store(element):
    """vloadn, vstoren. The address is only aligned as an element is."""
    text = HEADER + '#include "builtin.h"\n\n'
    for n in WIDTHS:
        if n != 3:
            text += f"typedef {element}{n} unaligned{n} __attribute__((aligned({size_of(element)})));\n"
    text += "\n"
    for space in SPACES:
        for n in WIDTHS:
            vector, pointer = f"{element}{n}", f"{space} {element} *"
            if n == 3:
                load = f"  p += 3 * offset;\n  return ({vector})(p[0], p[1], p[2]);\n"
                store = "  p += 3 * offset;\n  p[0] = x.s0;\n  p[1] = x.s1;\n  p[2] = x.s2;\n"
            else:
                load = f"  return *(const {space} unaligned{n} *)(p + {n} * offset);\n"
                store = f"  *({space} unaligned{n} *)(p + {n} * offset) = x;\n"
            text += f"{vector} OVERLOAD vload{n}(size_t offset, const {pointer}p) {{\n{load}}}\n"
            if space != "__constant":
                text += f"void OVERLOAD vstore{n}({vector} x, size_t offset, {pointer}p) {{\n{store}}}\n"
    return text


def half_load():
    text = HEADER + '#include "builtin.h"\n\n'
    for n in WIDTHS:
        if n != 3:
            text += f"typedef half{n} unaligned{n} __attribute__((aligned(2)));\n"
    for space in SPACES:
        for a in ["", "a"]:
            text += (f"float OVERLOAD vload{a}_half(size_t offset, const {space} half *p) "
                     "{ return (float)p[offset]; }\n")
            for n in WIDTHS:
                head = f"float{n} OVERLOAD vload{a}_half{n}(size_t offset, const {space} half *p) {{\n"
                if n == 3:
                    body = (f"  p += {4 if a else 3} * offset;\n"
                            "  return __builtin_convertvector((half3)(p[0], p[1], p[2]), float3);\n")
                else:
                    kind = f"half{n}" if a else f"unaligned{n}"
                    body = (f"  half{n} x = *(const {space} {kind} *)(p + {n} * offset);\n"
                            f"  return __builtin_convertvector(x, float{n});\n")
                text += head + body + "}\n"
    return text


def half_store(source, mode):
    suffix = "_" + mode if mode else ""
    rounded = f"half_from_{source}_{mode or 'rte'}(x)"
    text = HEADER + '#include "convert.h"\n\n' + rounders(rounded)
    for n in WIDTHS:
        if n != 3:
            text += f"typedef half{n} unaligned{n} __attribute__((aligned(2)));\n"
    for space in SPACES:
        if space == "__constant":
            continue
        for a in ["", "a"]:
            text += (f"void OVERLOAD vstore{a}_half{suffix}({source} x, size_t offset, {space} half *p) "
                     f"{{ p[offset] = {rounded}; }}\n")
            for n in WIDTHS:
                head = (f"void OVERLOAD vstore{a}_half{n}{suffix}({source}{n} x, size_t offset, "
                        f"{space} half *p) {{\n  half{n} h = {rounded};\n")
                if n == 3:
                    body = f"  p += {4 if a else 3} * offset;\n  p[0] = h.s0;\n  p[1] = h.s1;\n  p[2] = h.s2;\n"
                else:
                    kind = f"half{n}" if a else f"unaligned{n}"
                    body = f"  *({space} {kind} *)(p + {n} * offset) = h;\n"
                text += head + body + "}\n"
    return text


def loads_and_stores():
    for element in TYPES:
        yield f"vector/load_store_{element}.cl", vector_load_store(element)
    yield "vector/half_load.cl", half_load()
    for source in ["float", "double"]:
        for mode in ["", *MODES]:
            yield f"vector/half_store_{source}{'_' + mode if mode else ''}.cl", half_store(source, mode)


# ---- shuffle, shuffle2 (6.13.12) ----


def shuffle(element):
    mask = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[size_of(element)]
    powers = [2, 4, 8, 16]
    text = HEADER + '#include "builtin.h"\n\n'
    text += f"typedef {element} {element}32 __attribute__((ext_vector_type(32)));\n"
    for m in powers:
        for n in powers:
            picks = ", ".join(f"x[mask.s{i:x} & {m - 1}]" for i in range(n))
            text += f"{element}{n} OVERLOAD shuffle({element}{m} x, {mask}{n} mask) {{\n  return ({element}{n})({picks});\n}}\n"
            picks = ", ".join(f"both[mask.s{i:x} & {2 * m - 1}]" for i in range(n))
            order = ", ".join(str(i) for i in range(2 * m))
            text += (f"{element}{n} OVERLOAD shuffle2({element}{m} x, {element}{m} y, {mask}{n} mask) {{\n"
                     f"  {element}{2 * m} both = __builtin_shufflevector(x, y, {order});\n"
                     f"  return ({element}{n})({picks});\n}}\n")
    return text


def shuffles():
    for element in TYPES:
        yield f"shuffle/{element}.cl", shuffle(element)


# ---- async copies (6.13.10) ----


def async_copy(element):
    """The first work-item copies; wait_group_events is a barrier. A vector of 3 elements takes the place of 4."""
    text = HEADER + '#include "builtin.h"\n\n'
    text += ("static inline bool first(void) {\n"
             "  return (get_local_id(0) | get_local_id(1) | get_local_id(2)) == 0;\n}\n")
    for n in ["", *WIDTHS]:
        vector = f"{element}{n}"
        stored = f"{element}{4 if n == 3 else n}"
        for to, source in [("__local", "__global"), ("__global", "__local")]:
            casts = ""
            if stored != vector:
                casts = (f"  {to} {stored} *d = ({to} {stored} *)to;\n"
                         f"  const {source} {stored} *s = (const {source} {stored} *)from;\n")
            else:
                casts = f"  {to} {stored} *d = to;\n  const {source} {stored} *s = from;\n"
            head = f"event_t OVERLOAD async_work_group_{{}}copy({to} {vector} *to, const {source} {vector} *from, "
            text += (head.format("") + "size_t count, event_t event) {\n" + casts +
                     "  if (first())\n    for (size_t i = 0; i < count; i++)\n      d[i] = s[i];\n  return event;\n}\n")
            index = "d[i] = s[i * stride]" if to == "__local" else "d[i * stride] = s[i]"
            text += (head.format("strided_") + "size_t count, size_t stride, event_t event) {\n" + casts +
                     f"  if (first())\n    for (size_t i = 0; i < count; i++)\n      {index};\n  return event;\n}}\n")
    return text


def async_copies():
    for element in TYPES:
        yield f"async/copy_{element}.cl", async_copy(element)


def families():
    """(file name, text) of every generated source."""
    yield from conversions()
    yield from loads_and_stores()
    yield from shuffles()
    yield from async_copies()


def main():
    folder = sys.argv[1]
    for name, text in families():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        old = None
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                old = file.read()
        if old != text:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        print(name)


if __name__ == "__main__":
    main()
