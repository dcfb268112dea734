"""Algorithms of PyOpenCL: array arithmetic, reductions, scans, sorting, random numbers, of a million elements, compared with
numpy's. The first call of an array operation includes its kernel; sorting and scans make their kernels before."""
from .measure import compare

IMPORTS = ["pyopencl", "mako", "numpy"]
PYPI = ["pyopencl", "mako", "numpy"]
DEBIAN = ["python3-pyopencl", "python3-mako"]
SHORT = {"sum", "inclusive scan"}


def measure(cases):
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cla
    import pyopencl.clmath as m
    from pyopencl.algorithm import RadixSort, copy_if
    from pyopencl.bitonic_sort import BitonicSort
    from pyopencl.clrandom import PhiloxGenerator
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import InclusiveScanKernel

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(7)
    n = 1 << (16 if cases.short else 20)
    a, b = random.random(n).astype(np.float32), random.random(n).astype(np.float32) + 1
    k = random.integers(0, 1000, n).astype(np.int32)
    x, y, d, i = (cla.to_device(queue, v) for v in (a, b, a.astype(np.float64), k))

    def add(name, call, want, tolerance, get=lambda r: r.get()):
        if not cases.short or name in SHORT:
            cases.time(name, call, queue.finish, compare(want, tolerance, get))

    add("multiply and add", lambda: 2 * x + y, lambda: 2 * a + b, 1e-6)
    add("divide", lambda: x / y, lambda: a / b, 1e-6)
    add("compare and select", lambda: cla.if_positive(x - y / 2, x, y), lambda: np.where(a > b / 2, a, b), 1e-6)
    add("take", lambda: cla.take(x, i), lambda: a[k], 0)
    add("reverse", lambda: x.reverse(), lambda: a[::-1], 0)
    for name in "sin", "exp", "log", "tanh":
        add(name, lambda f=getattr(m, name): f(y), lambda f=getattr(np, name): f(b), 1e-5)
        add(name + " double", lambda f=getattr(m, name): f(d + 1), lambda f=getattr(np, name): f(a.astype(np.float64) + 1), 1e-12)
    add("pow", lambda: x ** y, lambda: a ** b, 1e-5)
    add("sum", lambda: cla.sum(x), lambda: a.sum(dtype=np.float64), 1e-4)
    add("max", lambda: cla.max(x), lambda: a.max(), 0)
    add("dot", lambda: cla.dot(x, y), lambda: np.dot(a.astype(np.float64), b), 1e-4)
    squares = ReductionKernel(context, np.float64, neutral="0", reduce_expr="a+b", map_expr="(double)x[i]*x[i]",
                              arguments="__global const float *x")
    add("sum of squares double", lambda: squares(x), lambda: np.dot(a.astype(np.float64), a), 1e-9)

    scan = InclusiveScanKernel(context, np.int32, "a+b", neutral="0")
    sums = cla.empty(queue, n, np.int32)
    add("inclusive scan", lambda: (scan(i, sums), sums)[1], lambda: np.cumsum(k, dtype=np.int32), 0)
    add("copy_if", lambda: copy_if(i, "ary[i] > 500"), lambda: k[k > 500], 0, lambda r: r[0].get()[:int(r[1].get())])
    radix = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])
    add("radix sort", lambda: radix(i, key_bits=16)[0][0], lambda: np.sort(k), 0)
    bitonic = BitonicSort(context)
    add("bitonic sort", lambda: bitonic(x.copy())[0], lambda: np.sort(a), 0)
    uniform = PhiloxGenerator(context, seed=5)
    # No reference: half of them are below 0.5, give or take.
    add("random numbers", lambda: uniform.uniform(queue, n, np.float32), lambda: 0.5, 0.02, lambda r: np.mean(r.get() < 0.5))
