"""gputools: filters, transforms and noise removal on volumes of 64x128x128 floats, compared with scipy where that computes the same.
The first call includes the kernel."""
from .measure import compare, repeats

IMPORTS = ["gputools", "scipy", "numpy"]
PYPI = ["gputools", "scipy", "numpy"]
SHORT = {"maximum 7"}
INNER = (slice(16, -16),) * 3


def filters(g, add, a, x):
    import numpy as np
    from scipy import ndimage as n
    kernel = np.random.default_rng(4).random((3, 5, 7)).astype(np.float32)
    line = np.hanning(9).astype(np.float32)
    add("gaussian", lambda: g.gaussian_filter(x, 2.0), lambda: n.gaussian_filter(a, 2.0), 1e-3)
    add("uniform 7", lambda: g.uniform_filter(x, 7), lambda: n.uniform_filter(a, 7), 1e-3)
    add("maximum 7", lambda: g.max_filter(x, 7), lambda: n.maximum_filter(a, 7), 1e-6)
    add("minimum 7", lambda: g.min_filter(x, 7), lambda: n.minimum_filter(a, 7), 1e-6)
    add("convolve", lambda: g.convolve(a, kernel), lambda: n.convolve(a, kernel, mode="constant"), 1e-4)
    add("convolve separable", lambda: g.convolve_sep3(x, g.OCLArray.from_array(line), g.OCLArray.from_array(line),
                                                      g.OCLArray.from_array(line)), None)


def transforms(g, add, a, x):
    import numpy as np
    c, plan = a.astype(np.complex64), g.fft_plan(a.shape)

    def transform():
        y = g.OCLArray.from_array(c)
        g.fft(y, inplace=True, plan=plan)
        return y
    add("fft", transform, lambda: np.fft.fftn(a), 1e-4, whole=True)
    add("rotate", lambda: g.rotate(a, axis=(1, 0, 0), angle=0.3), None)
    add("scale", lambda: g.scale(a, (0.8, 0.8, 0.8)), None)
    add("shift", lambda: g.shift(a, (2.5, 1.5, 0.5)), None)
    matrix = np.eye(4) + 0.02 * np.random.default_rng(6).random((4, 4))
    add("affine", lambda: g.affine(a, matrix), None)
    where = np.indices(a.shape).astype(np.float32) * 0.97
    add("map coordinates", lambda: g.map_coordinates(a, where), None)


def noise(g, add, a):
    from gputools import denoise
    flat = a.reshape(-1, a.shape[-1])[:512]
    add("bilateral 2D", lambda: denoise.bilateral2(flat, 3, 2.0), None)
    add("bilateral 3D", lambda: denoise.bilateral3(a, 2, 2.0), None)
    add("non-local means 2D", lambda: denoise.nlm2(flat, 0.2, 2, 4), None)
    add("perlin 3D", lambda: g.perlin3(a.shape[::-1], (10, 10, 10)), None)


def measure(cases):
    import numpy as np
    import gputools as g

    shape = (40, 48, 56) if cases.short else (64, 128, 128)
    a = np.random.default_rng(9).random(shape).astype(np.float32)
    x = g.OCLArray.from_array(a)

    def get(result):
        return result.get() if hasattr(result, "get") else result

    def add(name, call, want, tolerance=1e-4, whole=False):
        if not cases.short or name in SHORT:
            check = compare(want, tolerance, get, None if whole else INNER) if want else repeats(tolerance, get)
            cases.time(name, call, lambda: g.get_device().queue.finish(), check)
    filters(g, add, a, x)
    if not cases.short:
        transforms(g, add, a, x)
        noise(g, add, a)
