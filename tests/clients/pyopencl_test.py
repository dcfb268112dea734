"""PyOpenCL: arrays, elementwise kernels, reductions, scans, sorting, math functions and random numbers, checked
against numpy. Arguments choose the parts; none: all."""
import os
import sys
from common import expect, skip

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cla
except ImportError as e:
    skip(f"{e.name} is not installed for this Python")

platform = cl.get_platforms()[0]
expect(platform.name == "Weft", f"the platform is {platform.name}")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
generator = np.random.default_rng(7)


def close(name, got, want, tolerance):
    got, want = np.asarray(got), np.asarray(want)
    bad = ~np.isclose(got, want, rtol=tolerance, atol=tolerance)
    expect(not bad.any(), f"{name}: {bad.sum()} wrong, first {got[bad][:3]} not {want[bad][:3]}")


def same(name, got, want):
    expect(np.array_equal(np.asarray(got), np.asarray(want)), f"{name}: {got} is not {want}")


def arrays():
    for dtype in (np.float32, np.float64, np.int32, np.uint8, np.int64):
        a = (generator.random(10007) * 100).astype(dtype)
        b = (generator.random(10007) * 100 + 1).astype(dtype)
        x, y = cla.to_device(queue, a), cla.to_device(queue, b)
        same(f"{dtype} add", (x + y).get(), a + b)
        same(f"{dtype} mul", (x * y).get(), a * b)
        same(f"{dtype} compare", (x < y).get(), (a < b).astype(np.int8))
        same(f"{dtype} reverse", x.reverse().get(), a[::-1])
        same(f"{dtype} slice", x[5:5000].get(), a[5:5000])
        same(f"{dtype} concatenate", cla.concatenate((x, y, x)).get(), np.concatenate((a, b, a)))
        same(f"{dtype} fill", cla.zeros(queue, 999, dtype).get(), np.zeros(999, dtype))
        same(f"{dtype} where", cla.if_positive(x < y, x, y).get(), np.where(a < b, a, b))
        same(f"{dtype} take", cla.take(x, cla.arange(queue, 0, 9000, 7, dtype=np.int32)).get(), a[0:9000:7])
    same("arange", cla.arange(queue, 10, 1000, 3, dtype=np.int32).get(), np.arange(10, 1000, 3, dtype=np.int32))


def reductions():
    from pyopencl.reduction import ReductionKernel
    for n in (1, 17, 1000, 123457):
        a = generator.random(n).astype(np.float32)
        i = generator.integers(-1000, 1000, n).astype(np.int32)
        x, k = cla.to_device(queue, a), cla.to_device(queue, i)
        close("sum", cla.sum(x).get(), a.sum(dtype=np.float64), 1e-4)
        same("integer sum", cla.sum(k).get(), i.sum(dtype=np.int32))
        same("max", cla.max(x).get(), a.max())
        same("min", cla.min(k).get(), i.min())
        close("dot", cla.dot(x, x).get(), np.dot(a.astype(np.float64), a), 1e-4)
        dot = ReductionKernel(context, np.float64, neutral="0", reduce_expr="a+b", map_expr="(double)x[i]*x[i]",
                              arguments="__global const float *x")
        close("own reduction", dot(x).get(), np.dot(a.astype(np.float64), a.astype(np.float64)), 1e-9)


def scans():
    from pyopencl.algorithm import copy_if, partition, unique
    from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel
    for n in (1, 255, 4096, 100003):
        i = generator.integers(-50, 50, n).astype(np.int32)
        k = cla.to_device(queue, i)
        InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(k)
        same("inclusive scan", k.get(), np.cumsum(i, dtype=np.int32))
        k = cla.to_device(queue, i)
        ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(k)
        same("exclusive scan", k.get(), np.concatenate(([0], np.cumsum(i, dtype=np.int32)[:-1])))
        k = cla.to_device(queue, i)
        out, count, _ = copy_if(k, "ary[i] > 10")
        same("copy_if", out.get()[: int(count.get())], i[i > 10])
        yes, no, count, _ = partition(k, "ary[i] > 0")
        same("partition", yes.get()[: int(count.get())], i[i > 0])
        ordered = np.sort(i)
        out, count, _ = unique(cla.to_device(queue, ordered))
        same("unique", out.get()[: int(count.get())], np.unique(ordered))


def sorting():
    from pyopencl.algorithm import RadixSort
    from pyopencl.bitonic_sort import BitonicSort
    for n in (1000, 65536, 100003):
        i = generator.integers(0, 2**31 - 1, n).astype(np.int32)
        (out,), _ = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(cla.to_device(queue, i))
        same("radix sort", out.get(), np.sort(i))
    for n in (256, 16384):
        f = generator.random(n).astype(np.float32)
        out, _ = BitonicSort(context)(cla.to_device(queue, f))
        same("bitonic sort", out.get(), np.sort(f))


def clmath():
    import pyopencl.clmath as m
    for dtype, tolerance in ((np.float32, 2e-5), (np.float64, 1e-12)):
        a = (generator.random(20011) * 0.98 + 0.01).astype(dtype)
        x = cla.to_device(queue, a)
        for name in ("sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt floor ceil "
                     "fabs").split():
            close(f"{name} {dtype}", getattr(m, name)(x).get(), getattr(np, name)(a), tolerance)
        for name, reference in (("asin", "arcsin"), ("acos", "arccos"), ("atan", "arctan"), ("asinh", "arcsinh"),
                                ("atanh", "arctanh")):
            close(f"{name} {dtype}", getattr(m, name)(x).get(), getattr(np, reference)(a), tolerance)
        close(f"atan2 {dtype}", m.atan2(x, x + 1).get(), np.arctan2(a, a + 1), tolerance)
        close(f"pow {dtype}", (x ** (x + 2)).get(), a ** (a + 2), tolerance)
        close(f"ldexp {dtype}", m.ldexp(x, 3 * cla.zeros_like(x) + 3).get(), np.ldexp(a, 3), tolerance)


def random():
    from pyopencl.clrandom import PhiloxGenerator, ThreefryGenerator
    for kind in (PhiloxGenerator, ThreefryGenerator):
        for dtype in (np.float32, np.float64):
            g = kind(context, seed=5)
            u = g.uniform(queue, 200000, dtype).get()
            expect(u.min() >= 0 and u.max() <= 1, f"{kind.__name__}: out of range")
            expect(abs(u.mean() - 0.5) < 5e-3 and abs(u.var() - 1 / 12) < 5e-3, f"{kind.__name__}: not uniform")
            expect(len(np.unique(u)) > 190000, f"{kind.__name__}: repeats itself")
            n = g.normal(queue, 200000, dtype, mu=1, sigma=2).get()
            expect(abs(n.mean() - 1) < 3e-2 and abs(n.std() - 2) < 3e-2, f"{kind.__name__}: not normal")
            again = kind(context, seed=5).uniform(queue, 200000, dtype).get()
            same(f"{kind.__name__}: the same seed", again, u)


parts = {f.__name__: f for f in (arrays, reductions, scans, sorting, clmath, random)}
for name in sys.argv[1:] or parts:
    parts[name]()
    print(f"{name}: right")
