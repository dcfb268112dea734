"""CLBlast: BLAS routines of float, double and complex through its C interface, compared with numpy.

Debian's libclblast1 is called with ctypes; buffers and queues are PyOpenCL's. The first call includes CLBlast's kernels.
"""
import ctypes

from .measure import compare

IMPORTS = ["pyopencl", "numpy"]
PYPI = ["pyopencl", "numpy"]
LIBRARIES = ["libclblast.so.1"]
DEBIAN = ["libclblast1", "python3-pyopencl"]

# CLBlast's enumerators
ROW_MAJOR, NO, YES, UPPER, LEFT, NON_UNIT, CORRELATION = 101, 111, 112, 121, 141, 131, 151
LETTERS = {"S": "float32", "D": "float64", "C": "complex64"}
TOLERANCES = {"S": 2e-5, "D": 1e-13, "C": 2e-5}


class Complex(ctypes.Structure):
    _fields_ = [("real", ctypes.c_float), ("imaginary", ctypes.c_float)]


NUMBERS = {"S": ctypes.c_float, "D": ctypes.c_double, "C": lambda v: Complex(v, 0)}


def buffer(array, *numbers):
    """An array in an argument list: the buffer, its offset, and the leading dimension, increment or stride."""
    return [ctypes.c_void_p(array.base_data.int_ptr), ctypes.c_size_t(0), *map(ctypes.c_size_t, numbers)]


def arguments(values, number):
    """Floats are of the routine's type. Integers are sizes or enumerators: where they are passed, both take 8 bytes."""
    for v in values:
        if isinstance(v, list):
            yield from v
        else:
            yield number(v) if isinstance(v, float) else ctypes.c_size_t(v)


class Suite:
    def __init__(self, cases):
        import numpy as np
        import pyopencl as cl
        import pyopencl.array as cla
        self.np, self.cla, self.cases = np, cla, cases
        self.context = cl.create_some_context(interactive=False)
        self.queue = cl.CommandQueue(self.context)
        self.random = np.random.default_rng(11)
        self.library = ctypes.CDLL(LIBRARIES[0])
        self.handle = ctypes.c_void_p(self.queue.int_ptr)

    def array(self, letter, *shape):
        host = self.random.random(shape) - 0.5
        if letter == "C":
            host = host + 1j * self.random.random(shape)
        return self.cla.to_device(self.queue, host.astype(LETTERS[letter]))

    def call(self, routine, letter, values):
        status = getattr(self.library, "CLBlast" + routine)(*arguments(values, NUMBERS[letter]), ctypes.byref(self.handle), None)
        if status:
            raise RuntimeError(f"CLBlast{routine} returned {status}")

    def add(self, size, routine, letter, values, out, want, what=None):
        """Measures a routine that writes `out`. Some read it too, so that each call gives something else: what is checked is one
        more call, on what `out` was at the start."""
        title = f"{routine} {size}"
        if not self.cases.wants(title):
            return
        host = out.get()

        def check(_):
            out.set(host)
            right = want()
            self.call(routine, letter, values)
            return compare(lambda: right, TOLERANCES[letter] * 10, what=what)([out.get()])
        self.cases.time(title, lambda: self.call(routine, letter, values), self.queue.finish, check)


def vectors(s, letter, n, size):
    np, x, y = s.np, s.array(letter, n), s.array(letter, n)
    one, index = s.cla.zeros(s.queue, 1, LETTERS[letter]), s.cla.zeros(s.queue, 1, np.uint32)

    def wide(v):
        return v.get().astype(np.float64)
    s.add(size, letter + "axpy", letter, [n, 0.5, buffer(x, 1), buffer(y, 1)], y, lambda: y.get() + 0.5 * x.get())
    s.add(size, letter + "scal", letter, [n, 0.9, buffer(x, 1)], x, lambda: 0.9 * wide(x))
    s.add(size, letter + "dot", letter, [n, buffer(one), buffer(x, 1), buffer(y, 1)], one, lambda: [wide(x) @ wide(y)])
    s.add(size, letter + "nrm2", letter, [n, buffer(one), buffer(y, 1)], one, lambda: [np.linalg.norm(wide(y))])
    s.add(size, letter + "asum", letter, [n, buffer(one), buffer(y, 1)], one, lambda: [abs(wide(y)).sum()])
    s.add(size, f"i{letter}amax", letter, [n, buffer(index), buffer(y, 1)], index, lambda: [abs(wide(y)).argmax()])


def matrix_vector(s, letter, n):
    np, a, x, y = s.np, s.array(letter, n, n), s.array(letter, n), s.array(letter, n)
    av, xv, yv = buffer(a, n), buffer(x, 1), buffer(y, 1)

    def symmetric():
        return np.triu(a.get()) + np.triu(a.get(), 1).T
    s.add(n, letter + "gemv", letter, [ROW_MAJOR, NO, n, n, 0.5, av, xv, 0.0, yv], y, lambda: 0.5 * a.get() @ x.get())
    s.add(f"transposed {n}", letter + "gemv", letter, [ROW_MAJOR, YES, n, n, 0.5, av, xv, 0.0, yv], y,
          lambda: 0.5 * a.get().T @ x.get())
    s.add(n, letter + "symv", letter, [ROW_MAJOR, UPPER, n, 0.5, av, xv, 0.0, yv], y, lambda: 0.5 * symmetric() @ x.get())
    s.add(n, letter + "ger", letter, [ROW_MAJOR, n, n, 0.01, xv, yv, av], a,
          lambda: a.get() + 0.01 * np.outer(x.get(), y.get()))


def products(s, letter, sizes):
    for m, n, k in sizes:
        a, b, c = s.array(letter, m, k), s.array(letter, k, n), s.array(letter, m, n)
        s.add(m if m == n == k else f"{m}x{n}x{k}", letter + "gemm", letter,
              [ROW_MAJOR, NO, NO, m, n, k, 0.5, buffer(a, k), buffer(b, n), 0.0, buffer(c, n)], c,
              lambda a=a, b=b: 0.5 * a.get() @ b.get())


def transposed_product(s, letter, n):
    a, b, c = (s.array(letter, n, n) for _ in range(3))
    s.add(f"transposed {n}", letter + "gemm", letter,
          [ROW_MAJOR, YES, YES, n, n, n, 0.5, buffer(a, n), buffer(b, n), 0.0, buffer(c, n)], c,
          lambda: 0.5 * a.get().T @ b.get().T)


def matrices(s, letter, n):
    np, a, b, c = s.np, s.array(letter, n, n), s.array(letter, n, n), s.array(letter, n, n)
    av, bv, cv = buffer(a, n), buffer(b, n), buffer(c, n)
    # Near the identity: repeated products and solutions stay finite.
    triangle = s.cla.to_device(s.queue, (np.eye(n) + 0.1 / n * np.triu(s.random.random((n, n)))).astype(LETTERS[letter]))
    upper = np.triu_indices(n)

    def symmetric():
        return np.triu(a.get()) + np.triu(a.get(), 1).T
    s.add(n, letter + "symm", letter, [ROW_MAJOR, LEFT, UPPER, n, n, 0.5, av, bv, 0.0, cv], c,
          lambda: 0.5 * symmetric() @ b.get())
    s.add(n, letter + "syrk", letter, [ROW_MAJOR, UPPER, NO, n, n, 0.5, av, 0.0, cv], c,
          lambda: 0.5 * a.get() @ a.get().T, upper)
    s.add(n, letter + "syr2k", letter, [ROW_MAJOR, UPPER, NO, n, n, 0.5, av, bv, 0.0, cv], c,
          lambda: 0.5 * (a.get() @ b.get().T + b.get() @ a.get().T), upper)
    sides = [ROW_MAJOR, LEFT, UPPER, NO, NON_UNIT, n, n, 1.0, buffer(triangle, n), bv]
    s.add(n, letter + "trmm", letter, sides, b, lambda: triangle.get() @ b.get())
    s.add(n, letter + "trsm", letter, sides, b, lambda: np.linalg.solve(triangle.get(), b.get()))


def layouts(s, letter, n):
    a, b = s.array(letter, n, n), s.array(letter, n, n)
    s.add(n, letter + "omatcopy", letter, [ROW_MAJOR, NO, n, n, 0.5, buffer(a, n), buffer(b, n)], b, lambda: 0.5 * a.get())
    s.add(f"transposed {n}", letter + "omatcopy", letter, [ROW_MAJOR, YES, n, n, 0.5, buffer(a, n), buffer(b, n)], b,
          lambda: 0.5 * a.get().T)


def batches(s, letter, n, count):
    a, b, c = (s.array(letter, count, n, n) for _ in range(3))
    s.add(f"{count} of {n}", letter + "gemmStridedBatched", letter,
          [ROW_MAJOR, NO, NO, n, n, n, 0.5, buffer(a, n, n * n), buffer(b, n, n * n), 0.0, buffer(c, n, n * n), count], c,
          lambda: 0.5 * a.get() @ b.get())


def columns(s, letter, channels, side):
    """im2col for 3x3 filters without a border."""
    np, inner = s.np, side - 2
    a, b = s.array(letter, channels, side, side), s.array(letter, channels, 3, 3, inner, inner)

    def want():
        h = a.get()
        return np.stack([np.stack([h[:, y:y + inner, x:x + inner] for x in range(3)], 1) for y in range(3)], 1)
    s.add(f"{channels} channels {side}", letter + "im2col", letter,
          [CORRELATION, channels, side, side, 3, 3, 0, 0, 1, 1, 1, 1, buffer(a), buffer(b)], b, want)


def measure(cases):
    s = Suite(cases)
    if cases.short:
        vectors(s, "S", 1 << 12, "4096")
        products(s, "S", [(64, 64, 64)])
        return
    for letter in "SD":
        vectors(s, letter, 1 << 22, "4M")
        matrix_vector(s, letter, 2048)
        products(s, letter, [(128, 128, 128), (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (300, 500, 700), (2000, 32, 500)])
        transposed_product(s, letter, 512)
        matrices(s, letter, 512)
        layouts(s, letter, 2048)
        batches(s, letter, 64, 64)
    products(s, "C", [(256, 256, 256), (512, 512, 512)])
    columns(s, "S", 32, 128)
