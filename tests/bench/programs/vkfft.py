"""VkFFT by pyvkfft: Fourier transforms of float and double in one to three dimensions, compared with numpy's.

The first call includes VkFFT's plan and its kernels.
"""
from .measure import compare

IMPORTS = ["pyvkfft.opencl", "pyopencl", "numpy"]
PYPI = ["pyvkfft", "pyopencl", "numpy"]

# (shape, number of transformed dimensions): powers of two, other small factors, primes, batches.
SHAPES = [((65536,), 1), ((1048576,), 1), ((100000,), 1), ((64, 4096), 1), ((256, 256), 1), ((4096, 64), 1), ((1024, 360), 1),
          ((128, 1009), 1), ((64, 4099), 1), ((512, 729), 1), ((256, 3125), 1), ((300, 2401), 1), ((128, 1331), 1),
          ((512, 512), 2), ((1024, 1024), 2), ((360, 480), 2), ((1000, 1000), 2), ((243, 625), 2), ((16, 256, 256), 2),
          ((64, 64, 64), 3), ((128, 128, 64), 3), ((60, 60, 60), 3), ((32, 100, 81), 3)]
REAL = [((1048576,), 1), ((256, 1024), 1), ((512, 512), 2), ((600, 800), 2), ((64, 64, 64), 3)]
DCT = [((512, 512), 2), ((256, 1000), 1)]
SHORT = SHAPES[4:5]


def title(shape, dimensions, kind):
    return f"{kind} {'x'.join(map(str, shape))} {dimensions}D"


def measure(cases):
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cla
    from pyvkfft.opencl import VkFFTApp

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(3)

    def add(shape, dimensions, kind, source, target_shape, target_type, reference, tolerance, **options):
        name = title(shape, dimensions, kind)
        if not cases.wants(name):
            return
        a = cla.to_device(queue, source)
        b = cla.empty(queue, target_shape, target_type)
        app = []

        def call():
            if not app:
                app.append(VkFFTApp(a.shape, a.dtype, queue=queue, ndim=dimensions, inplace=False, norm=1, **options))
            app[0].fft(a, b)
            return b
        cases.time(name, call, queue.finish, compare(reference, tolerance, lambda r: r.get()))

    for real, cplx, tolerance in ((np.float32, np.complex64, 2e-5), (np.float64, np.complex128, 1e-11)):
        if cases.short and real is np.float64:
            continue
        kind = {np.float32: "float", np.float64: "double"}[real]
        for shape, n in SHORT if cases.short else SHAPES:
            axes = tuple(range(-n, 0))
            source = (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(cplx)
            add(shape, n, kind, source, shape, cplx, lambda s=source, a=axes: np.fft.fftn(s, axes=a), tolerance)
        for shape, n in [] if cases.short else REAL:
            axes = tuple(range(-n, 0))
            source = random.standard_normal(shape).astype(real)
            add(shape, n, f"{kind} real", source, (*shape[:-1], shape[-1] // 2 + 1), cplx,
                lambda s=source, a=axes: np.fft.rfftn(s, axes=a), tolerance, r2c=True)
        for shape, n in [] if cases.short else DCT:
            source = random.standard_normal(shape).astype(real)
            add(shape, n, f"{kind} cosine", source, shape, real, lambda s=source, n=n: cosine(s, n), 5 * tolerance, dct=2)


def cosine(source, dimensions):
    """The cosine transform of type 2 by a Fourier transform of twice the length, along the last axes."""
    import numpy as np
    out = source.astype(np.float64)
    for axis in range(-dimensions, 0):
        n = out.shape[axis]
        both = np.concatenate([out, np.flip(out, axis)], axis)
        k = np.arange(n).reshape([n if i == out.ndim + axis else 1 for i in range(out.ndim)])
        out = np.real(np.take(np.fft.fft(both, axis=axis), range(n), axis) * np.exp(-0.5j * np.pi * k / n))
    return out
