"""Makes random kernels: the same seed, the same kernel. Each ends in bounded time, has no undefined behaviour, and its result
doesn't depend on the order of work-items:

* indices are masked or taken modulo the size of what they index, divisors are odd, shifts are masked by the language
* every cycle counts a loop counter up to a bound below 8 or takes from `fuel`
* an item writes its own words of `out` only; `sums` sees atomics whose order doesn't show and whose results aren't used
* barriers stand where all items of a group come: at the top level, in loops and conditionals on the group's own values
* an item's store to local memory, atomics there, and reads of what others left are parted by barriers, also by shrinking (Whole)
* a float becomes bits through bits(), which knows one NaN only
* results of atomics are used where the word is the item's own, or where the order in which items got them can't show
* built-in functions that the host's Clang can't judge (host_builtins.cl doesn't have them) are in kernels of their own
* sums of products may be rounded once or twice: both sides do it once wherever they may (engine.py's fused), and nowhere
  in the kernels that forbid it (FP_CONTRACT OFF)

A kernel is a tree of Node and Expr, so that shrink.py can take parts away.
"""
import random

TYPES = {"u": "uint", "i": "int", "f": "float", "l": "ulong", "h": "ushort", "c": "char", "t": "bool", "V": "uint4", "F": "float4",
         "d": "double"}
COUNTS = {"u": 5, "i": 3, "f": 3, "l": 2, "h": 1, "c": 2, "t": 1, "V": 2, "F": 1, "d": 1}
ONES = {"u": "1u", "i": "1", "f": "1.0f", "l": "1ul", "h": "(ushort)1", "c": "(char)1", "t": "true", "V": "(uint4)(1u)",
        "F": "(float4)(1.0f)", "d": "1.0", "b": "(i & 1)"}


class Expr:
    """pieces: strings and Exprs."""

    def __init__(self, kind, *pieces):
        self.kind, self.pieces = kind, list(pieces)

    def render(self):
        return "".join(p if isinstance(p, str) else p.render() for p in self.pieces)


class Whole(list):
    """Nodes that stay or go together. Without one of its barriers an exchange would be a race, whose result nobody has to agree
    on: what shrinking left of a wrong kernel would be wrong for another reason."""


class Node:
    """A statement. pieces: strings, Exprs, and lists of Nodes (bodies)."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def render(self, indent):
        pad, out = "    " * indent, []
        for p in self.pieces:
            if isinstance(p, list):
                out.append("\n" + "".join(n.render(indent + 1) for n in p) + pad)
            else:
                out.append(p if isinstance(p, str) else p.render())
        return pad + "".join(out) + "\n"


class Kernel:
    def __init__(self, name, seed):
        self.name, self.seed = name, seed
        self.functions = []  # (head, body, tail): a body is a list of Nodes
        self.body = []
        self.heads, self.tail = "", ""
        self.barriers = False
        self.ids = False  # the result depends on the local size
        self.on_host = True  # what it calls is in host_builtins.cl
        # From numbers of its own: the rest of the kernel is the same with and without.
        self.contract = random.Random(f"contract {seed}").random() < 0.75

    def bodies(self):
        return [body for _, body, _ in self.functions] + [self.body]

    def render(self):
        line = f"//: {self.name} in=16 out=16" + (" local=16" if self.barriers else "") + (" ids" if self.ids else "")
        off = "" if self.contract else "#pragma OPENCL FP_CONTRACT OFF\n"
        on = "" if self.contract else "#pragma OPENCL FP_CONTRACT ON\n"
        text = off + "".join(head + "".join(n.render(1) for n in body) + tail for head, body, tail in self.functions)
        # The line comes first: what is between two lines belongs to the kernel.
        return f"\n{line}\n// seed {self.seed}\n{text}{self.heads}" + "".join(n.render(1) for n in self.body) + self.tail + on


class Generator:
    def __init__(self, name, seed):
        self.r = random.Random(seed)
        self.k = Kernel(name, seed)
        self.k.barriers = self.r.random() < 0.3
        self.k.ids = self.k.barriers or self.r.random() < 0.25
        self.k.on_host = not self.k.barriers and self.r.random() < 0.7
        self.builtins = 0.0 if self.k.on_host else self.r.choice([0.3, 1.0])
        self.functions = []      # names that expressions may call
        self.in_function = False
        self.loops = 0           # around the place
        self.switches = []       # whether `break` means a switch, innermost last
        self.counters = []       # of the loops around
        self.used_counters = 0
        self.labels = 0
        self.rows = self.r.random() < 0.5  # an item's words of out lie together
        self.doubles = self.r.random() < 0.2
        self.gotos = not self.k.barriers and self.r.random() < 0.4
        # A kernel has a taste: most of its choices come from a part of the grammar.
        self.taste = {t: self.r.random() ** 2 + 0.05 for t in COUNTS}
        if not self.doubles:
            self.taste["d"] = 0.0

    def pick(self, *weighted):
        """pick((weight, choice), ...)"""
        return self.r.choices([c for _, c in weighted], [w for w, _ in weighted])[0]

    # ---- Expressions ----

    def variable(self, kind):
        return f"{kind}{self.r.randrange(COUNTS[kind])}"

    def constant(self, kind):
        r = self.r
        small = r.choice([0, 1, 2, 3, 5, 7, 8, 15, 31, 64, 100, 255])
        if kind == "u":
            return f"{r.choice([small, small, r.getrandbits(32), 0xffffffff, 0x80000000])}u"
        if kind == "i":
            return r.choice([str(small), f"(-{small})", str(r.getrandbits(20))])
        if kind == "l":
            return f"{r.choice([small, r.getrandbits(64)])}ul"
        if kind == "f":
            return r.choice(["0.5f", "1.0f", "(-2.0f)", "0.1f", "3.7f", "1e10f", "(-1e-3f)", f"{small}.25f"])
        if kind == "d":
            return r.choice(["0.5", "(-1.0)", "0.1", "1e100", f"{small}.75"])
        if kind == "V":
            return f"(uint4)({self.constant('u')}, {self.constant('u')}, {self.constant('u')}, {self.constant('u')})"
        if kind == "F":
            return f"(float4)({self.constant('f')}, {self.constant('f')}, {self.constant('f')}, {self.constant('f')})"
        return f"({TYPES[kind]}){small if kind != 't' else small & 1}"

    def leaf(self, kind):
        if kind == "b":
            return Expr("b", f"(({self.variable('u')} >> {self.r.randrange(32)}) & 1)")
        if kind == "u" and self.counters and self.r.random() < 0.3:
            k = self.r.choice(self.counters)
            # A base that is the same for all items.
            return Expr("u", k if self.in_function else self.r.choice([k, k, f"in[({k} & 3u) * (uint)n + (uint)i]", f"in[4 * i + (int)({k} & 3u)]"]))
        if kind == "u" and not self.in_function and self.r.random() < 0.3:
            leaves = ["in[4 * i]", "in[4 * i + 1]", "in[i]", "in[i + n]", "(uint)i", "in[0]", "in[n - 1 - i]", "(uint)get_global_id(0)",
                      "(uint)get_global_id(1)", "(uint)get_global_size(0)"]
            # Along the dimensions: each can be the one that lanes lie along.
            leaves += ["x", "y", "z", "in[x]", "in[y]", "in[z]", "in[x * gy + y]", "in[(z * gy + y) * gx + gx - 1u - x]", "in[4u * y + 1u]",
                       "(x > 0 ? in[i - 1] : x)", "(y + 1u < gy ? in[i + (int)gx] : y)", "(uint)get_global_id(2)", "(x * 3u + y)"]
            # What is strided, in numbers that wrap and in memory.
            leaves += ["(uint)(uchar)(i + 250)", "(uint)(short)(i - 3)", "(uint)(n - i)", "(uint)(i * 3)", "((uint)i << 30)", "(uint)(i >> 1)",
                       "((uint)i & 7u)", "((uint)i * 0x10001u)", "in[2 * i + 1]", "in[3 * i + 2]", "in[2 * (n - i) + 1]", "in[(uint)i >> 1]",
                       "((global const uint4 *)in)[i].y", "(uint)((global const uchar4 *)in)[4 * i + 1].z",
                       "(uint)((global const short2 *)in)[2 * i].y", "((global const struct item *)in)[i].a",
                       "(uint)((global const ulong *)in)[i]", "(uint)(((global const ulong *)in)[2 * i + 1] >> 32)",
                       "(uint)((global const uchar *)in)[(uchar)(i + 200) % m]", "vload3(i, in).z", "vload2(i, in).y"]
            # Clamped accesses, where the clamp has an effect only near the ends.
            leaves += ["in[clamp(i + 2, 0, n - 1)]", "in[max(i - 5, 0)]", "in[min((uint)i - 1u, (uint)n - 1u)]", "in[min(2 * i + 3, 4 * n - 1)]",
                       "in[clamp(n - 3 - i, 0, n - 1)]", "in[min(y + 1u, gy - 1u) * gx + min(x + 1u, gx - 1u)]",
                       "(uint)max((int)((uint)i + 0x7ffffff8u), 3)", "in[min((size_t)i + 4, (size_t)n)]"]
            # Clamped accesses whose distance may be a loop counter.
            by = f"(int){self.r.choice(self.counters)}" if self.counters else self.variable("i")
            leaves += [f"in[clamp(i + ({by} & 7) - 3, 0, n - 1)]", f"in[min(max(i + {by} % 5, 0), n - 1) + n]",
                       f"in[clamp((int)((uint)i + (uint){by} * 0x3ffffffdu), 0, n - 1)]"]
            if self.k.ids:
                leaves += ["(uint)get_local_id(0)", "(uint)get_local_id(1)", "(uint)get_group_id(0)", "(uint)get_local_size(0)",
                           "(uint)(get_group_id(0) * get_local_size(0))"]
            return Expr("u", self.r.choice(leaves))
        return Expr(kind, self.constant(kind) if self.r.random() < 0.25 else self.variable(kind))

    def expr(self, kind, depth=3):
        if depth <= 0 or self.r.random() < 0.15:
            return self.leaf(kind)
        return getattr(self, "expr_" + kind)(depth - 1)

    def choose(self, kind, depth, weighted):
        """weighted: (weight, template, kinds): "{} + {}" over operands of those kinds."""
        template, kinds = self.pick(*[(w, (t, k)) for w, t, k in weighted])
        parts, pieces = template.split("@"), []
        for i, part in enumerate(parts):
            pieces.append(part)
            if i < len(kinds):
                pieces.append(self.expr(kinds[i], depth))
        return Expr(kind, *[p for p in pieces if p != ""])

    def expr_u(self, depth):
        t = self.taste
        memory = 0 if self.in_function else 1
        return self.choose("u", depth, [
            (3, "(@ + @)", "uu"), (2, "(@ - @)", "uu"), (2, "(@ * @)", "uu"), (2, "(@ ^ @)", "uu"), (1, "(@ & @)", "uu"),
            (1, "(@ | @)", "uu"), (1, "(@ << @)", "uu"), (1, "(@ >> @)", "uu"), (0.5, "(@ / (@ | 1u))", "uu"),
            (0.5, "(@ % (@ | 1u))", "uu"), (0.5, "(~@)", "u"), (1.5, "(@ ? @ : @)", "buu"), (1, "mix(@, @)", "uu"),
            (t["i"], "(uint)@", "i"), (t["l"], "(uint)@", "l"), (t["l"], "(uint)(@ >> 29)", "l"), (t["h"], "(uint)@", "h"),
            (t["c"], "(uint)@", "c"), (t["f"], "bits(@)", "f"), (t["d"], "(uint)bits64(@)", "d"), (t["t"], "(uint)@", "t"),
            (t["V"], "@.x", "V"), (t["V"], "@.w", "V"), (t["F"], "bits(@.y)", "F"), (0.5, "(uint)@", "b"),
            (0.3, "rotate(@, @)", "uu"), (0.3, "min(@, @)", "uu"), (0.3, "max(@, @)", "uu"), (0.2, "popcount(@)", "u"),
            (0.2, "clz(@)", "u"), (0.2, "mul_hi(@, @)", "uu"), (0.2, "abs(@)", "i"),
            (1.5, "p0[@ & 7]", "u"), (0.7, "(uint)p1[@ & 15]", "u"), (0.5, "p3[@ % 3u].a", "u"),
            (0.5, "(uint)p3[@ & 1].c", "u"), (0.5, "table[@ & 7]", "u"),
            (memory * 1, "in[@ % m]", "u"), (memory * 0.5, "in[4 * i + (@ & 3)]", "u"),
            (memory * 0.4, "(uint)((global const uchar *)in)[@ % (4 * m)]", "u"),
            (memory * 0.3, "(uint)((global const ushort *)in)[@ % (2 * m)]", "u"),
            # Neighbours in memory, the lowest not first.
            (memory * 0.3, "bytes_around((global const uchar *)in + max(@ % (4 * m - 4u), 2u))", "u"),
            (memory * 0.3, "shorts_around((global const ushort *)in + max(@ % (2 * m - 4u), 2u))", "u"),
            (memory * 0.3, "words_around(in + max(@ % (m - 2u), 1u))", "u"),
            (memory * 0.5, f"out[{self.own()}]", "u"), (memory * 0.4, "(@ && i + 1 < n ? in[4 * i + 5] : @)", "bu"),
            (memory * 0.3, "(i >= 3 ? in[i - 3] : @)", "u"),
            (1 if self.functions else 0, (self.r.choice(self.functions) if self.functions else "") + "(@, @)", "uu"),
            *[(0.15 * self.builtins, t, k) for t, k in (
                ("add_sat(@, @)", "uu"), ("sub_sat(@, @)", "uu"), ("(uint)mad_sat(@, @, @)", "iii"), ("hadd(@, @)", "uu"), ("(uint)rhadd(@, @)", "ii"),
                ("mad_hi(@, @, @)", "uuu"), ("upsample(@, @)", "hh"), ("abs_diff(@, @)", "uu"), ("(uint)clz(@)", "h"), ("(uint)popcount(@)", "l"),
                ("(uint)rotate(@, @)", "ll"), ("select(@, @, @)", "uuu"), ("bitselect(@, @, @)", "uuu"), ("(uint)isnan(@)", "f"),
                ("(uint)any(convert_int4(@))", "V"), ("(uint)convert_uchar_sat(@)", "f"), ("(uint)convert_uchar_sat(@)", "i"),
                ("convert_uint_sat_rte(@)", "f"), ("(uint)convert_short_sat_rtn(@)", "f"), ("(uint)as_uchar4(@).z", "u"),
                ("(uint)convert_uchar4_sat(@).y", "V"), ("(uint)ilogb(@)", "f"), ("(uint)mul_hi(@, @)", "ll"), ("(uint)convert_ulong_sat(@)", "f"),
                ("clamp(@, 7u, 1000000u)", "u"), ("(uint)add_sat(@, @)", "cc"), ("(uint)mul_hi(@, @)", "hh"))],
        ])

    def expr_i(self, depth):
        return self.choose("i", depth, [
            (2, "(int)@", "u"), (1, "(int)((uint)@ + (uint)@)", "ii"), (1, "(int)((uint)@ * (uint)@)", "ii"), (1, "(@ >> (@ & 31u))", "iu"),
            (0.5, "(@ / ((@ & 127) | 1))", "ii"), (0.5, "(@ % ((@ & 127) | 1))", "ii"), (1, "(@ ? @ : @)", "bii"), (1, "(int)@", "c"),
            (1, "(int)(short)@", "h"), (self.taste["f"], "whole(@)", "f"), (0.5, "(@ ^ @)", "ii"), (0.3, "max(@, @)", "ii"),
            (0.3, "(int)(@)", "b"), (self.taste["l"], "(int)((long)@ >> 37)", "l")])

    def expr_l(self, depth):
        return self.choose("l", depth, [
            (2, "(@ + @)", "ll"), (1, "(@ * @)", "ll"), (1, "(@ ^ @)", "ll"), (1, "(@ >> @)", "lu"), (1, "(@ << @)", "lu"),
            (2, "(ulong)@", "u"), (1, "((ulong)@ << 32 | @)", "uu"), (1, "(ulong)(long)@", "i"), (0.5, "(@ / (@ | 1ul))", "ll"),
            (1, "(@ ? @ : @)", "bll"), (self.taste["d"], "bits64(@)", "d")])

    def expr_h(self, depth):
        return self.choose("h", depth, [(2, "(ushort)@", "u"), (1, "(ushort)(@ + @)", "hh"), (1, "(ushort)(@ * (uint)@)", "hh"),
                                        (1, "(ushort)(@ >> (@ & 15u))", "hu"), (1, "(ushort)(@ ? @ : @)", "bhh")])

    def expr_c(self, depth):
        return self.choose("c", depth, [(2, "(char)@", "u"), (1, "(char)(@ + @)", "cc"), (1, "(char)(@ * @)", "cc"), (1, "(char)(@ >> 3)", "c"),
                                        (1, "(char)p1[@ & 15]", "u"), (1, "(char)(@ ? @ : @)", "bcc")])

    def expr_f(self, depth):
        return self.choose("f", depth, [
            (2, "(@ + @)", "ff"), (1, "(@ - @)", "ff"), (2, "(@ * @)", "ff"), (1, "(@ * @ + @)", "fff"), (1, "fma(@, @, @)", "fff"),
            (0.7, "(@ / @)", "ff"), (1, "(float)(@ & 0xffffu)", "u"), (1, "(float)@", "i"), (0.5, "sqrt(fabs(@))", "f"),
            (0.5, "(-@)", "f"), (1, "(@ ? @ : @)", "bff"), (self.taste["F"], "@.z", "F"), (1, "p2[@ & 3]", "u"), (0.5, "p3[@ % 3u].b", "u"),
            (0.3, "floor(@)", "f"), (0.3, "(float)@", "c"), (self.taste["d"], "(float)@", "d"),
            (0.5 if not self.in_function else 0, "vload_half(@ % (2u * m), (global const half *)in)", "u"),
            (0.3 if not self.in_function else 0, "vload_half((uint)i, (global const half *)in)", ""),
            *[(0.15 * self.builtins, t, k) for t, k in (
                ("sin(@)", "f"), ("cos(@)", "f"), ("tan(@)", "f"), ("exp(@)", "f"), ("exp2(@)", "f"), ("log(fabs(@))", "f"), ("log2(@)", "f"),
                ("pow(fabs(@), @)", "ff"), ("pown(@, @ & 15)", "fi"), ("atan2(@, @)", "ff"), ("tanh(@)", "f"), ("cbrt(@)", "f"), ("rsqrt(@)", "f"),
                ("erf(@)", "f"), ("tgamma(@)", "f"), ("ldexp(@, @)", "fi"), ("hypot(@, @)", "ff"), ("fmod(@, @)", "ff"), ("remainder(@, @)", "ff"),
                ("nextafter(@, @)", "ff"), ("rint(@)", "f"), ("round(@)", "f"), ("fmin(@, @)", "ff"), ("fmax(@, @)", "ff"), ("mad(@, @, @)", "fff"),
                ("native_exp(@)", "f"), ("native_divide(@, @)", "ff"), ("half_sqrt(@)", "f"), ("copysign(@, @)", "ff"), ("smoothstep(@, @, @)", "fff"),
                ("dot(@, @)", "FF"), ("length(@)", "F"), ("step(@, @)", "ff"), ("sinpi(@)", "f"), ("acos(@)", "f"), ("expm1(@)", "f"))]])

    def expr_d(self, depth):
        return self.choose("d", depth, [(2, "(@ + @)", "dd"), (2, "(@ * @)", "dd"), (1, "(@ * @ - @)", "ddd"), (1, "(double)@", "f"),
                                        (1, "(double)@", "i"), (1, "(@ ? @ : @)", "bdd"), (0.5, "(@ / @)", "dd"),
                                        *[(0.2 * self.builtins, t, k) for t, k in (("exp(@)", "d"), ("log(fabs(@))", "d"), ("sin(@)", "d"), ("pow(@, @)", "dd"),
                                                                                   ("rsqrt(@)", "d"), ("fma(@, @, @)", "ddd"), ("floor(@)", "d"))]])

    def expr_t(self, depth):
        return self.choose("t", depth, [(2, "(bool)(@)", "b"), (1, "(@ != @)", "tt"), (1, "(bool)(@ && @)", "tt")])

    def expr_V(self, depth):
        memory = 0 if self.in_function else 1
        return self.choose("V", depth, [
            (2, "(@ + @)", "VV"), (1, "(@ * @)", "VV"), (1, "(@ ^ @)", "VV"), (1, "(@ >> (@ & 31u))", "VV"), (1, "@.wzyx", "V"), (1, "@.yyxw", "V"),
            (1, "(uint4)(@)", "u"), (1, "(uint4)(@, @, @, @)", "uuuu"), (1, "(@ ? @ : @)", "bVV"), (1, "(@ + (uint4)(@))", "Vu"),
            (memory, "vload4(i, in)", ""), (memory, "vload4(@ % (uint)n, in)", "u"), (self.taste["F"], "as_uint4((@ > @) & 5)", "FF"),
            (memory, "((global const uint4 *)in)[i]", ""), (0.3 * self.builtins, "shuffle(@, @)", "VV"), (0.3 * self.builtins, "max(@, @)", "VV"),
            (0.3 * self.builtins, "convert_uint4_sat(@)", "F"), (0.3 * self.builtins, "select(@, @, @ > @)", "VVVV"), (0.3 * self.builtins, "add_sat(@, @)", "VV")])

    def expr_F(self, depth):
        return self.choose("F", depth, [(2, "(@ + @)", "FF"), (1, "(@ * @)", "FF"), (1, "@.ywxz", "F"), (1, "(float4)(@)", "f"),
                                        (1, "(float4)(@, @, @, @)", "ffff"), (1, "(@ ? @ : @)", "bFF"), (1, "(@ * @)", "Ff"),
                                        *[(0.2 * self.builtins, t, k) for t, k in (("normalize(@)", "F"), ("exp(@)", "F"), ("fma(@, @, @)", "FFF"), ("fmax(@, @)", "Ff"),
                                                                                   ("convert_float4(@)", "V"))]])

    def expr_b(self, depth):
        uniform = "((in[0] >> 3) & 1)" if not self.in_function else "(@ > 5u)"
        if not self.in_function and self.r.random() < 0.12:
            return Expr("b", self.r.choice(["(x == 0)", "(y & 1)", "(x + 1u < gx)", "(y > z)", "(x < y)", "(z == 0 && (x & 2u))", "(y < 2u)"]))
        return self.choose("b", depth, [
            (2, "(@ < @)", "uu"), (2, f"((@ & {self.r.choice([1, 2, 3, 4, 7, 15])}u) == {self.r.choice([0, 0, 1, 2, 3])}u)", "u"), (1, "(@ > @)", "ii"),
            (1, "((@ & 3u) != (@ & 3u))", "uu"), (self.taste["f"], "(@ < @)", "ff"), (0.3, "(@ == @)", "ff"), (self.taste["l"], "(@ > @)", "ll"),
            (1, "(@ && @)", "bb"), (1, "(@ || @)", "bb"), (0.7, "(!@)", "b"), (self.taste["t"], "@", "t"), (self.taste["c"], "(@ > (char)0)", "c"),
            (0.5, uniform, "" if not self.in_function else "u")])

    def own(self):
        return "4 * i + (int)(@ & 3u)" if self.rows else "(int)(@ & 3u) * n + i"

    # ---- Statements ----

    def body(self, budget, depth):
        nodes = []
        while budget > 0:
            size = self.r.randint(1, max(1, budget // 2)) if depth < 4 else 1
            nodes.append(self.statement(size, depth))
            budget -= size
        return nodes

    def statement(self, budget, depth):
        if budget >= 2 and depth < 4:
            kind = self.pick((4, "if"), (2, "if_else"), (2, "loop"), (1, "while"), (0.7, "endless"), (0.7, "do"), (1, "switch"), (0.2, "block"))
            return getattr(self, "make_" + kind)(budget - 1, depth + 1)
        return self.simple()

    def simple(self):
        memory = 0 if self.in_function else 1
        leave = 0.6 if self.loops else 0
        ends = 0.12 if not self.k.barriers or self.in_function else 0
        kind = self.pick((6, "assign"), (2, "operate"), (1.5, "array"), (0.5, "pointer"), (0.5, "component"), (1.5 * memory, "store"),
                         (0.7 * memory, "atomic"), (0.3 * memory, "own_atomic"), (self.builtins, "through_pointer"),
                         (0.3 * memory, "half_store"), (leave, "leave"), (ends, "end"), (0.3 * memory, "vector_store"), (0.2, "swap"),
                         (0.5, "initialised"), (0.4, "copied"), (0.3, "moved"), (0.4, "record"), (1.2 * memory, "guarded"), (0.5, "table"), (0.5, "short_vector"),
                         (0.3 * memory, "volatile"), (0.7 if memory and self.k.ids and not self.loops else 0, "shared_rounds"), (0.6 * memory, "row"))
        return getattr(self, "simple_" + kind)()

    def any_kind(self):
        return self.pick(*[(self.taste[t] + (1 if t == "u" else 0), t) for t in COUNTS])

    def simple_assign(self):
        kind = self.any_kind()
        return Node(self.variable(kind), " = ", self.expr(kind), ";")

    def simple_operate(self):
        op = self.r.choice(["+=", "-=", "*=", "^=", "|=", "&="])
        return Node(self.variable("u"), f" {op} ", self.expr("u"), ";")

    def simple_array(self):
        kind = self.pick((3, "p0"), (1, "p1"), (1, "p2"), (1, "p3"))
        if kind == "p0":
            return Node("p0[", self.expr("u", 2), f" & 7] {self.r.choice(['=', '+=', '^='])} ", self.expr("u"), ";")
        if kind == "p1":
            return Node("p1[", self.expr("u", 2), " & 15] = (uchar)", self.expr("u"), ";")
        if kind == "p2":
            return Node("p2[", self.expr("u", 2), " & 3] = ", self.expr("f"), ";")
        field, of = self.r.choice([("a", "u"), ("b", "f"), ("c", "h")])
        return Node("p3[", self.expr("u", 2), f" % 3u].{field} = ", self.expr(of), ";")

    def simple_pointer(self):
        return Node("{ uint *q = ", self.expr("b", 2), f" ? &{self.variable('u')} : &p0[", self.expr("u", 1),
                    " & 7]; *q = *q * 3u + ", self.expr("u", 2), "; }")

    def simple_component(self):
        if self.r.random() < 0.5:
            return Node(f"{self.variable('V')}.{self.r.choice('xyzw')} = ", self.expr("u"), ";")
        return Node(f"{self.variable('F')}.{self.r.choice('xyzw')} = ", self.expr("f"), ";")

    def simple_store(self):
        parts = self.own().split("@")
        return Node("out[" + parts[0], self.expr("u", 2), parts[1] + "] = ", self.expr("u"), ";")

    def simple_vector_store(self):
        return Node("vstore4(", self.expr("V"), ", i, out);") if self.rows else self.simple_store()

    def simple_atomic(self):
        name, first = self.r.choice([("add", 0), ("sub", 0), ("max", 8), ("min", 16), ("or", 24), ("and", 32), ("xor", 40), ("inc", 48)])
        index = [f"sums + {first} + (", self.expr("u", 1), " & 7u)"] if self.r.random() < 0.6 else [f"sums + {first + 3}"]
        if name == "inc":
            return Node("atomic_inc(", *index, ");")
        return Node(f"atomic_{name}(", *index, ", ", self.expr("u", 2), ");")

    def simple_own_atomic(self):
        parts = self.own().split("@")
        place = ["&out[" + parts[0], self.expr("u", 1), parts[1] + "]"]
        name = self.r.choice(["add", "sub", "max", "min", "or", "and", "xor", "xchg", "cmpxchg"])
        return Node(f"{self.variable('u')} {self.r.choice(['=', '^='])} atomic_{name}(", *place, ", ", self.expr("u", 2),
                    *([", ", self.expr("u", 1)] if name == "cmpxchg" else []), ");")

    def simple_half_store(self):
        if self.k.on_host:
            return self.simple_store()
        parts = self.own().split("@")
        f = self.variable("f")
        return Node(f"{f} = ", self.expr("f", 2), f"; vstore_half({f} != {f} ? 0.0f : {f}, 2 * (" + parts[0], self.expr("u", 1),
                    parts[1] + ") + 1, (global half *)out);")

    def simple_through_pointer(self):
        f, g, i = self.variable("f"), self.variable("f"), self.variable("i")
        name, other = self.r.choice([("sincos", g), ("modf", g), ("fract", g), ("frexp", i), ("lgamma_r", i), ("remquo", i)])
        extra = [", ", self.expr("f", 1)] if name == "remquo" else []
        return Node(f"{f} = {name}(", self.expr("f", 2), *extra, f", &{other});")

    def simple_swap(self):
        a, b = self.variable("u"), self.variable("u")
        return Node(f"{{ uint t = {a}; {a} = {b}; {b} = t; }}")

    def listed(self, kind, most):
        """The values between the braces of an initialiser; what is left out is zero."""
        pieces = []
        for j in range(self.r.choice([1, 2, most, most])):
            pieces += [", "] * (j > 0) + [self.expr(kind, 1) if self.r.random() < 0.6 else Expr(kind, self.constant(kind))]
        return pieces

    def simple_initialised(self):
        """An array of the statement's own with an initialiser, which is read where the item says."""
        kind, most = self.pick((3, ("u", 4)), (1, ("u", 8)), (1, ("f", 4)), (1, ("h", 8)), (0.7, ("c", 16)), (0.5, ("l", 2)), (0.5, ("V", 2)), (0.3, ("u", 32)))
        values = self.r.choice([["0"], self.listed(kind, min(most, 6))]) if kind != "V" else self.listed(kind, most)
        return Node(f"{{ {TYPES[kind]} w[{most}] = {{", *values, "}; ", *(["w[", self.expr("u", 2), f" & {most - 1}] = ", self.expr(kind, 2), "; "] * (self.r.random() < 0.7)),
                    f"{self.variable(kind)} = w[", self.expr("u", 2), f" & {most - 1}]; }}")

    def simple_copied(self):
        """Structures, with arrays in them, that are copied as a whole."""
        if self.r.random() < 0.4:
            return Node("{ struct item w = p3[", self.expr("u", 1), " % 3u], v = w; v.a ^= ", self.expr("u", 2), "; w.b = ", self.expr("f", 1), "; p3[",
                        self.expr("u", 1), " % 3u] = ", self.r.choice(["v", "w"]), "; }")
        return Node("{ struct block w = {{", *self.listed("u", 4), "}, {", *self.listed("f", 2), "}}, v = w; v.w[", self.expr("u", 2), " & 3] += ", self.expr("u", 1), "; ",
                    *(["if (", self.expr("b", 2), ") w = v; "] if self.r.random() < 0.7 else ["w = v; "]), f"{self.variable('u')} = w.w[", self.expr("u", 1), " & 3]; ",
                    f"{self.variable('f')} = ", self.r.choice(["v", "w"]), ".f[", self.expr("u", 1), " & 1]; }")

    def simple_moved(self):
        """An array that a loop copies, and one that copies it back in another order."""
        back = self.r.choice(["w[7u - v]", "w[(v + 3u) & 7]", "w[v] ^ v", "(v < 4u ? w[v + 4u] : p0[v])"])
        return Node("{ uint w[8]; for (uint v = 0; v < 8; v++) w[v] = p0[(v + (", self.expr("u", 2), ")) & 7]; for (uint v = 0; v < 8; v++) p0[v] = ", back, "; }")

    def simple_record(self):
        """Words at constant places, written and read in any order: of an array that a byte at any place keeps in memory, or of the
        item's own in `out`."""
        of, count = ("out[4 * i + {}]", 4) if self.rows and not self.in_function and self.r.random() < 0.4 else ("w[{}]", self.r.choice([6, 12, 16]))

        def word():
            return of.format(self.r.randrange(count))
        steps = []
        for _ in range(self.r.randint(3, 14)):
            value = self.r.choice([f"{word()} ^ {word()}", f"{word()} * 3u", f"{word()} + {self.variable('u')}", self.variable("u")])
            steps.append(f"{self.variable('u') if self.r.random() < 0.15 else word()} = {value};\n")
        if count == 4:
            return Node("{\n", *steps, "}")
        return Node(f"{{ uint w[{count}]; for (uint v = 0; v < {count}; v++) w[v] = v * ", self.expr("u", 1), f"; ((uchar *)w)[", self.expr("u", 2), f" % {4 * count}u] = 1;\n",
                    *steps, f"for (uint v = 0; v < {count}; v++) {self.variable('u')} = u0 * 5u ^ w[v]; }}")

    def simple_guarded(self):
        """An index that is valid only under its condition. Otherwise it wraps, or is out of bounds."""
        u, c = self.variable("u"), self.r.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 33, 64])
        by = self.r.choice([str(c), str(c), f"(n >> {self.r.randrange(1, 6)})", "(int)(x & 3u)", "(int)y", "(int)(in[0] & 15u)", f"(int)(gx & {c}u)"])
        if self.counters and self.r.random() < 0.4:
            by = f"(int)({self.r.choice(self.counters)} & 7u)"
        of = self.r.choice(["i", "i", "(int)x", "(int)get_global_id(0)", "(n - 1 - i)"])
        bit = self.r.choice([1, 2, 4, 8, 16])
        word = self.r.choice(["in[{}]", "in[{}]", "in[4 * ({}) + 1]", "(uint)((global const ushort *)in)[{}]", "in[2 * ({})]", "(uint)((global const ulong *)in)[{}]"])
        # Conditions that are asked where a step begins, and such as only lanes know.
        least, below = self.r.choice([("{0} >= {1}", "{0} - {1} < n"), ("(long){0} * {0} >= (long)({1}) * ({1})", "(long){0} - {1} < n")])
        least, below = least.format(of, by), below.format(of, by)
        far = self.r.choice(["0x7fffffff", "0x7ffffff0", "0x7fffff00"])
        kind = self.r.randrange(8)
        if kind == 0:
            text = f"if ((uint){of} - (uint)({by}) < (uint)n) {{0}} = " + word.format(f"(uint){of} - (uint)({by})")
        elif kind == 1:
            text = f"if ({least} && {below}) {{0}} = " + word.format(f"(long)({of} - ({by}))")
        elif kind == 2:
            text = f"if ({least} && {below}) {{0}} = " + word.format(f"(size_t)(uint)({of} - ({by}))")
        elif kind == 3:
            text = f"if (!(({of}) & {bit}) && (({of}) | {bit}) < n) {{0}} = " + word.format(f"(({of}) | {bit})")
        elif kind == 4:
            text = f"if (!(({of}) & {bit})) {{0}} = " + word.format(f"min(({of}) | {bit}, n - 1)")
        elif kind == 5:
            text = f"if (!(({of}) & {bit})) {{0}} = " + word.format(f"(uint)(({of}) | {bit}) % (uint)(n > {bit * 3} ? {bit * 3} : n)")
        elif kind == 6:
            # A sum that wraps where the item's number is large.
            text = f"if ((uint){of} < 0x80000000u - {far}u && {of} < n) {{0}} = " + word.format(f"(long)({of} + {far}) - {far}")
        else:
            text = f"if ({least} && {below}) {{0}} = " + word.format(f"clamp((long)({of} - ({by})), 0l, (long)n - 1)")
        return Node(text.format(u) + self.r.choice(["", " ^ u0", " + (uint)i"]) + "; else ", u, " ^= ", self.expr("u", 1), ";")

    def simple_table(self):
        """Constant tables that may be looked up in registers; indices that the text bounds, or the table's size."""
        u = self.variable("u")
        name, mask, kind = self.r.choice([("box", 15, "u"), ("wide_box", 255, "u"), ("shorts", 31, "u"), ("longs", 7, "l"), ("reals", 15, "f"), ("pairs", 7, "u"), ("box", 7, "u"),
                                          ("wide_box", 63, "u"), ("signed_box", 15, "u"), ("plane", 7, "u")])
        index = ["(", self.expr("u", 2), f" & {mask})"]
        after = {"pairs": [".", self.r.choice(["a", "b"])], "plane": ["[", self.expr("u", 1), " & 3]"]}.get(name, [])
        value = [name, "[", *index, "]", *after]
        if kind == "u":
            return Node(u, self.r.choice([" = ", " ^= "]), "(uint)", *value, ";")
        return Node(self.variable(kind), " = ", *value, ";")

    def simple_short_vector(self):
        """Vectors of three, and of small elements."""
        u = self.variable("u")
        memory = not self.in_function
        kind = self.r.randrange(7 if memory else 4)
        a, b = self.expr("u", 1), self.expr("u", 1)
        if kind == 0:
            return Node("{ uint3 w = (uint3)(", a, ", ", b, f", {u}), v = w.zxy + w; if (", self.expr("b", 1), f") v = w; {u} = v.x ^ (v.y + v.z * 5u); }}")
        if kind == 1:
            return Node("{ uchar4 w = as_uchar4(", a, "), v = as_uchar4(", b, f"); v += w.wzyx; {u} ^= as_uint(v) + (uint)(w.x > v.y) + (uint)any(w == v); }}")
        if kind == 2:
            return Node("{ short2 w = as_short2(", a, f"); w *= (short2)(3, -5); w = w.yx >> (short)2; {u} = as_uint(w) ^ (uint)(int)w.x; }}")
        if kind == 3:
            return Node("{ bool w[4]; for (uint v = 0; v < 4; v++) w[v] = ((", a, f" >> v) & 1) != 0; w[", b, " & 3] = ", self.expr("b", 1), f"; {u} += w[{u} & 3] ? 3u : 8u; }}")
        if kind == 4:
            return Node("{ uint3 w = vload3(", self.r.choice(["i", "(uint)i"]), f", in); uchar3 c = convert_uchar3(w & 255u); c = c.zyx + (uchar3)(1, 2, (uchar){u}); {u} = w.x * 3u ^ w.z ^ (uint)c.x << 8 ^ (uint)c.z; }}")
        if kind == 5:
            return Node("{ ushort8 w = vload8(i", f", (global const ushort *)in); w.lo = w.hi * (ushort)3 + w.lo; {u} = (uint)w.s0 ^ (uint)w.s3 << 9 ^ (uint)w.s7 << 16; }}")
        return Node("{ uchar16 w = vload16(i, (global const uchar *)in); w ^= (uchar16)((uchar)", self.expr("u", 1), f"); {u} = (uint)w.s0 + (uint)w.s5 * 3u ^ (uint)w.sf << 7; }}")

    def simple_volatile(self):
        parts = self.own().split("@")
        return Node("{ volatile global uint *q = &out[" + parts[0], self.expr("u", 1), parts[1] + "]; *q = ", self.expr("u", 2), f"; *q += 3u; {self.variable('u')} ^= *q; }}")

    def simple_shared_rounds(self):
        """What the items of a group share out among them."""
        u = self.variable("u")
        first, step, most = self.r.choice([("(uint)get_local_id(0)", "(uint)get_local_size(0)", 64), ("(uint)local_item()", "(uint)local_items()", 512),
                                           ("((uint)get_local_id(0) + (uint)get_local_size(0) * (uint)get_local_id(1))", "(uint)(get_local_size(0) * get_local_size(1))", 256),
                                           ("(uint)get_local_id(0) * 2u", "2u * (uint)get_local_size(0)", 128), ("(uint)get_local_id(0) + 3u", "(uint)get_local_size(0)", 67)])
        kind = self.r.choice(["uint", "uint", "int", "ulong"])
        bound = self.r.choice([str(most), str(most), str(most // 2), f"{step} * 3u", f"{step} * 2u + 1u", str(self.r.randrange(most)), "(uint)n"])
        word = self.r.choice(["in[v % m]", "in[(uint)v % m] ^ (uint)v", "(v < m ? in[v] : 1u)", "in[min((uint)v, m - 1u)]", "(uint)v * 3u"])
        inner = [f"{u} = mix({u}, {word})"]
        if self.r.random() < 0.3:
            inner = [f"if ({u} & 8u) {u} += ", word, "; else ", f"{u} ^= ", self.expr("u", 1)]
        end = [" if (", self.expr("b", 1), ") break;"] if self.r.random() < 0.25 else [" if (v > 9000) break;"]
        return Node(f"for ({kind} v = {first}; v < ({kind})({bound}); v += {step}) {{ ", *inner, ";", *end, " }")

    def simple_row(self):
        """A loop along a row of the item's own, or down a column."""
        u, rounds = self.variable("u"), self.r.choice(["4u", "4u", "3u", "(in[0] & 3u)", "16u", "gx & 15u"])
        kind = self.r.choice(["uint", "int", "ulong"])
        place = self.r.choice(["4u * (uint)i + (uint)(v & 3)", "(uint)(v % gy) * gx + x", "(uint)i + (uint)(v & 3) * (uint)n", "((uint)(v & 3) * (uint)n + (uint)(n - 1 - i))",
                               "(uint)(y * gx + v % gx)", "((uint)i + 3u * (uint)v) % m", "4u * (uint)clamp(i + (int)v - 2, 0, n - 1) + 2u"])
        value = self.r.choice([f"{u} * 3u + in[{place}]", f"mix({u}, in[{place}])", f"{u} + in[{place}] * in[v]" if rounds != "gx & 15u" else f"{u} + in[{place}]"])
        if self.rows and self.r.random() < 0.3:
            return Node(f"for ({kind} v = 0; v < ({kind})(4); v++) {{ {u} = ", value.replace("in[v]", "in[v & 3]"), f"; out[4 * i + (int)v] ^= {u}; }}")
        return Node(f"for ({kind} v = 0; v < ({kind})({rounds}); v++) {u} = ", value.replace("in[v]", "in[v & 3]"), ";")

    def simple_leave(self):
        word = self.r.choice(["break", "continue"])
        # `break` in a switch ends the switch, which is as good.
        return Node("if (", self.expr("b", 2), ") ", word, ";")

    def simple_end(self):
        if self.in_function:
            return Node("if (", self.expr("b", 2), ") return ", self.expr("u", 2), ";")
        parts = self.own().split("@")
        return Node("if (", self.expr("b", 2), ") { out[" + parts[0], self.expr("u", 1), parts[1] + "] = ", self.expr("u", 2), "; return; }")

    def make_if(self, budget, depth):
        return Node("if (", self.expr("b"), ") {", self.body(budget, depth), "}")

    def make_if_else(self, budget, depth):
        first = self.r.randint(1, budget)
        return Node("if (", self.expr("b"), ") {", self.body(first, depth), "} else {", self.body(max(1, budget - first), depth), "}")

    def make_block(self, budget, depth):
        return Node("{", self.body(budget, depth), "}")

    def counter(self):
        name = f"k{self.used_counters}"
        self.used_counters += 1
        return name

    def in_loop(self, budget, depth, counter=None):
        self.loops += 1
        if counter:
            self.counters.append(counter)
        nodes = self.body(budget, depth)
        if counter:
            self.counters.pop()
        self.loops -= 1
        return nodes

    def make_loop(self, budget, depth):
        k = self.counter()
        bound = self.pick((2, [str(self.r.randint(1, 6)) + "u"]), (2, ["(", self.expr("u", 2), " & 7u)"]),
                          (0 if self.in_function else 1, ["(in[0] & 7u)"]))
        step = self.r.choice(["++", "++", " += 2"])
        return Node(f"for ({k} = {self.r.choice([0, 0, 1])}; {k} < ", *bound, f"; {k}{step}) {{", self.in_loop(budget, depth, k), "}")

    def make_while(self, budget, depth):
        return Node("while (fuel-- > 0 && ", self.expr("b"), ") {", self.in_loop(budget, depth), "}")

    def make_do(self, budget, depth):
        return Node("do {", self.in_loop(budget, depth), "} while (fuel-- > 0 && ", self.expr("b"), ");")

    def make_endless(self, budget, depth):
        nodes = [Node("if (fuel-- <= 0) break;")] + self.in_loop(budget, depth)
        nodes.insert(self.r.randint(1, len(nodes)), Node("if (", self.expr("b", 2), ") break;"))
        return Node("for (;;) {", nodes, "}")

    def make_switch(self, budget, depth):
        count = self.r.randint(2, 5)
        pieces = ["switch (", self.expr("u", 2), f" & 7u) {{\n"]
        for value in self.r.sample(range(8), count):
            pieces += [f"case {value}:", self.body(max(1, budget // count), depth), self.r.choice(["break;\n", "break;\n", "\n"])]
        if self.r.random() < 0.7:
            pieces += ["default:", self.body(1, depth), "\n"]
        return Node(*pieces, ";}")

    # ---- Barriers: at places that all items of the group reach together ----

    def group_condition(self):
        return self.r.choice(["(in[0] & 2u)", "(get_group_id(0) & 1)", "(n & 1)", "(get_group_id(1) == 0)", "(in[n - 1] > in[0])"])

    def butterflies(self):
        """Elements that lie in a small window, at places that a mask of the item's number says."""
        u = self.variable("u")
        fill = [Node("both[l] = ", self.expr("u", 1), "; both[l + ln] = ", self.expr("u", 1), "; both[l + 2u * ln] = l; both[l + 3u * ln] = (uint)i;"), Node("MEET;")]
        kind = self.r.randrange(3)
        if kind == 0:
            place = self.r.choice(["2u * l - (l & (v - 1u))", "l + (l & ~(v - 1u))", "((l & ~(v - 1u)) << 1) | (l & (v - 1u))"])
            number = self.r.choice(["uint", "int", "ulong"])
            return Whole(fill + [Node(f"for (uint v = 1; v < 2u * ln; v *= 2u) {{ {number} a = {place}, b = a + v; if (b < ({number})(2u * ln)) {{ uint w = both[a], q = both[b]; "
                                      f"both[a] = w + q; both[b] = mix(w, q) + (uint)a; }} MEET; }}"),
                                 Node(f"{u} ^= both[l] + both[l + ln];"), Node("MEET;")])
        if kind == 1:
            return Whole(fill + [Node("for (uint k = 2; k <= ln; k *= 2u) for (uint v = k / 2u; v > 0u; v /= 2u) { uint p = l ^ v; if (p > l && p < ln) { uint w = both[l], q = both[p]; "
                                      "if ((w > q) == ((l & k) == 0u)) { both[l] = q; both[p] = w; } } MEET; }"),
                                 Node(f"{u} ^= both[l];"), Node("MEET;")])
        m = self.r.choice(["v", "v", "(v & 16u)", "v * 5u", "(in[0] & 31u)", "(uint)get_group_id(0)"])
        place = self.r.choice(["2u * l - (l & {})", "l + (l & {})", "(l | {})", "(l ^ {})", "(l & {}) | (l + 8u)", "3u * l - 2u * (l & {})", "(2u * l ^ {})", "(l + 40u - (l & {}))"]).format(m)
        guard = self.r.choice(["", "if (!((l + 8u) & 16u)) ", "if (l & 1u) ", "if (in[i] & 4u) ", "if (l > 4u) "])
        return Whole(fill + [Node(f"for (uint v = 0; v < {self.r.choice([5, 18, 34])}u; v++) {guard}{{ {self.r.choice(['uint', 'int', 'ulong'])} a = {place}; if (a < 4u * ln) {u} = mix({u}, both[a]); }}"),
                             Node("MEET;")])

    def exchange(self):
        u = self.variable
        kind = self.r.random()
        if kind < 0.2:
            return self.butterflies()
        if kind < 0.3:
            # One item's word for all; and a queue whose order the sum doesn't know.
            return Whole([Node(f"if (l == {self.r.choice(['0u', 'ln / 2u', 'ln - 1u', '(in[0] % ln)'])}) {{ both[1] = ", self.expr("u", 1), "; both[0] = 0u; }"), Node("MEET;"),
                          Node(f"{u('u')} ^= both[1];"), Node("MEET;"), Node("{", [Node("if (", self.expr("b", 2), ") { uint q = atomic_inc(&both[0]); both[2u + q] = ",
                          self.expr("u", 1), "; }")], "}"), Node("MEET;"),
                          Node(f"{{ uint s = 0u; for (uint v = 2; v < min(both[0], {self.r.choice([2000, 16])}u * 100u) + 2u; v++) s += mix(both[v], 7u); {u('u')} ^= s; }}"),
                          Node("MEET;")])
        if kind < 0.4:
            bound, step = self.r.choice([("4u * ln", "ln"), ("3u * ln", "ln"), ("2u * ln + 1u", "ln")])
            return Whole([Node(f"for (uint v = l; v < {bound}; v += {step}) both[v] = {self.r.choice(['v * 3u', 'in[v % m]', 'in[min(v, m - 1u)] + v', 'u0 + v'])};"),
                          Node("MEET;"), Node(f"{u('u')} ^= both[", self.expr("u", 2), " % (2u * ln)];"), Node("MEET;")])
        if self.r.random() < 0.7:
            return Whole([
                Node("tile[l] = ", self.expr("u"), ";"), Node("barrier(CLK_LOCAL_MEM_FENCE);"),
                Node(f"{u('u')} = tile[", *self.r.choice([[self.expr("u", 2), " % ln"], ["ln - 1 - l"], ["(l + 1) % ln"], ["l ^ (l + 1 < ln ? 1u & ~l : 0u)"], ["l / 2"]]), "];"),
                Node("barrier(CLK_LOCAL_MEM_FENCE);")])
        return Whole([
            Node("tile[l] = ", self.expr("u", 1), ";"), Node("barrier(CLK_LOCAL_MEM_FENCE);"),
            Node("{", [Node("if (", self.expr("b", 2), f") atomic_{self.r.choice(['add', 'xor', 'max'])}(&tile[", self.expr("u", 2), " % ln], ",
                            self.expr("u", 2), ");")], "}"),
            Node("barrier(CLK_LOCAL_MEM_FENCE);"), Node(f"{u('u')} ^= tile[", self.expr("u", 1), " % ln];"),
            Node("barrier(CLK_LOCAL_MEM_FENCE);")])

    def together(self, budget, depth):
        nodes = []
        while budget > 0:
            kind = self.pick((3, "divergent"), (3, "exchange"), (1 if depth < 2 else 0, "loop"), (1 if depth < 2 else 0, "if"))
            if kind == "divergent":
                # A goto can't leave these; break and continue belong to loops inside.
                size = self.r.randint(1, max(1, budget // 2))
                nodes += self.body(size, 1)
                budget -= size
            elif kind == "exchange":
                nodes.append(Node("{", self.exchange(), "}"))
                budget -= 3
            elif kind == "loop":
                k = self.counter()
                bound = self.r.choice(["2u", "3u", "(uint)get_group_id(0) % 3u", "(in[0] & 3u)"])
                nodes.append(Node(f"for ({k} = 0; {k} < {bound}; {k}++) {{", self.together(budget // 2, depth + 1), "}"))
                budget -= budget // 2 + 1
            else:
                nodes.append(Node(f"if ({self.group_condition()}) {{", self.together(budget // 3, depth + 1), "} else {",
                                  self.together(budget // 3, depth + 1), "}"))
                budget -= budget // 3 * 2 + 1
        return nodes

    # ---- Jumps anywhere ----

    def all_bodies(self, nodes):
        found = [nodes]
        for node in nodes:
            for p in node.pieces:
                if isinstance(p, list):
                    found += self.all_bodies(p)
        return found

    def add_jumps(self, nodes):
        for _ in range(self.r.randint(1, 3)):
            bodies = self.all_bodies(nodes)
            target = self.r.choice(bodies)
            label = f"label{self.labels}"
            self.labels += 1
            target.insert(self.r.randint(0, len(target)), Node(f"{label}:;"))
            for _ in range(self.r.randint(1, 2)):
                source = self.r.choice(bodies)
                source.insert(self.r.randint(0, len(source)), Node("if (fuel-- > 0 && ", self.expr("b", 2), f") goto {label};"))

    # ---- Whole kernels ----

    def declarations(self, first):
        """Every variable has a value before any jump; some depend on the item."""
        lines = []
        for kind, count in COUNTS.items():
            if kind == "d" and not self.doubles:
                continue
            for j in range(count):
                value = {"u": f"{first} + {j * 77}u", "i": f"(int)({first} - {j}u)", "f": f"(float)({first} & 0xffu) * 0.25f - {j}.0f",
                         "l": f"(ulong){first} * {j + 3}ul", "h": f"(ushort){first}", "c": f"(char)({first} >> {j})", "t": f"({first} & 16u) != 0",
                         "V": f"(uint4)({first}, {j}u, 7u, {first} >> 3)", "F": f"(float4)(1.0f, 2.0f, (float)({first} & 7u), {j}.0f)",
                         "d": f"(double)({first} & 0xfffu) * 0.1"}[kind]
                lines.append(f"    {TYPES[kind]} {kind}{j} = {value};\n")
        # One line, so that shrinking takes both or none.
        lines.append(f"    uint p0[8]; uchar p1[16]; float p2[4]; struct item p3[3]; for (uint k = 0; k < 16; k++) {{ p0[k & 7] = {first} ^ k; p1[k] = (uchar)({first} >> (k & 7)); p2[k & 3] = (float)k;"
                     f" p3[k % 3].a = k; p3[k % 3].b = (float)({first} & 63u); p3[k % 3].c = (ushort)(k * 9u); }}\n")
        return "".join(lines)

    def function(self, name):
        self.in_function, outer = True, self.used_counters
        self.used_counters = 0
        doubles, self.doubles = self.doubles, False
        taste, self.taste = self.taste, dict(self.taste, d=0.0)
        body = self.body(self.r.randint(2, 8), 2)
        # The second argument is in play through u1.
        head = f"uint {name}(uint a, uint b)\n{{\n" + self.declarations("a") + f"    int fuel = {self.r.randint(3, 12)};\n    u1 = b;\n"
        head += "".join(f"    uint k{j} = 0;\n" for j in range(self.used_counters))
        self.k.functions.append((head, body, "    return u0 ^ (u1 + u2) * 5u ^ (uint)i0;\n}\n"))
        self.in_function, self.used_counters, self.doubles, self.taste = False, outer, doubles, taste
        self.functions.append(name)

    def kernel(self):
        k = self.k
        for j in range(self.pick((3, 0), (1, 1), (0.5, 2))):
            self.function(f"{k.name}_f{j}")
        size = self.pick((2, 5), (3, 12), (2, 25), (0.5, 45))
        k.body = self.together(size, 0) if k.barriers else self.body(size, 0)
        if self.gotos:
            self.add_jumps(k.body)
        head = f"kernel void {k.name}(global const uint *in, global uint *out, global uint *sums" + (", local uint *tile" if k.barriers else "") + ")\n{\n"
        head += "    int i = item(), n = items();\n    uint m = 4u * (uint)n;\n"
        head += "".join(f"    uint {name} = (uint)(get_global_id({d}) - get_global_offset({d})), g{name} = (uint)get_global_size({d});\n"
                        for d, name in enumerate("xyz"))
        if k.barriers:
            # `both`: what self_test.py need not know the order of.
            head += "    uint l = (uint)local_item(), ln = (uint)local_items(); local uint *both = tile;\n"
        head += self.declarations(self.r.choice(["in[i]", "in[4 * i + 2]", "(uint)i", "(in[i] & 0xffu)"]))
        head += f"    int fuel = {self.r.randint(5, 40)};\n"
        head += "".join(f"    uint k{j} = 0;\n" for j in range(self.used_counters))
        k.heads = head
        words = ["mix(u0, u1) ^ bits(f0) ^ u3", "mix(u2, (uint)i0) + (uint)i1 + V0.x", "mix((uint)(l0 >> 7), bits(f1)) ^ V1.z ^ bits(F0.z) ^ (uint)h0",
                 "mix(p0[(u4 >> 3) & 7], (uint)c0 ^ (uint)i2) + p1[u0 & 15] + bits(p2[u1 & 3]) + p3[u2 % 3u].a + (uint)t0"]
        if self.doubles:
            words[2] += " ^ (uint)(bits64(d0) >> 20)"
        place = "4 * i + {}" if self.rows else "{} * n + i"
        k.tail = "".join(f"    out[{place.format(j)}] {self.r.choice(['=', '^='])} {w};\n" for j, w in enumerate(words)) + "}\n"
        return k


# Before the kernels of a program; names begin a kernel's own functions.
COMMON = """
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
struct item {
    uint a;
    float b;
    ushort c;
};
struct block {
    uint w[4];
    float f[2];
};
static uint bytes_around(global const uchar *p)
{
    return p[0] * 3u + p[-1] * 5u + p[1] * 7u ^ (uint)p[-2] << 9;
}
static uint shorts_around(global const ushort *p)
{
    return p[-1] * 3u + p[0] * 5u + p[-2] * 7u ^ (uint)p[2] << 9;
}
static uint words_around(global const uint *p)
{
    return p[1] ^ p[-1] * 3u ^ p[0] >> 3;
}
constant uchar box[16] = {9, 200, 3, 77, 0, 255, 128, 127, 5, 6, 1, 2, 99, 31, 64, 250};
constant char signed_box[16] = {9, -100, 3, 77, 0, -1, -128, 127, 5, -6, 1, 2, 99, 31, 64, -50};
constant ushort shorts[32] = {1, 65535, 3, 4, 500, 6, 7, 32768, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 1900, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
constant ulong longs[8] = {1, 0x123456789abcdef0ul, 3, 0xfffffffffffffffful, 5, 6, 0x8000000000000000ul, 8};
constant float reals[16] = {0.5f, -1.0f, 2.25f, 1e10f, 4.0f, 0.0f, -6.5f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f, 12.0f, 13.0f, 14.0f, -1e-5f};
constant uchar wide_box[256] = {7, 1, 250, 3, 9, 5, 6, 255, 8, 4, 100, 11, 12, 13, 140, 15, 16, 170, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, [63] = 5, [64] = 99, [100] = 201, [255] = 17};
constant uint plane[8][4] = {{1, 2, 3, 4}, {50, 6, 7, 8}, {9, 10, 0xffffffffu}, {11}, {12, 13, 14, 15}, {16, 17}, {18, 19, 20, 21}, {22, 23, 24, 25}};
struct pair {
    ushort a;
    uint b;
};
constant struct pair pairs[8] = {{1, 2}, {3, 4}, {65535, 6}, {7, 0x80000000u}, {9, 10}, {11, 12}, {13, 14}, {15, 16}};
constant uint table[8] = {1, 10, 100, 7, 0xffffffffu, 3, 0x80000000u, 12345};
int whole(float f)
{
    return f > -1e6f && f < 1e6f ? (int)f : 77;
}
"""


def kernel(name, seed):
    return Generator(name, seed).kernel()


def program(kernels):
    return COMMON + "".join(k.render() for k in kernels)
