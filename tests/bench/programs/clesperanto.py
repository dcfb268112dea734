"""pyclesperanto: operations on a stack of microscope images, 32x256x256 floats, compared with numpy and scipy.

Where the two treat borders differently, only the inner part is compared. The first call includes the kernel.
"""
from .measure import compare, repeats

IMPORTS = ["pyclesperanto", "scipy", "numpy"]
PYPI = ["pyclesperanto", "scipy", "numpy"]
SHORT = {"gaussian blur", "maximum z projection"}
INNER = (slice(10, -10),) * 3


def arrays(short):
    import numpy as np
    random = np.random.default_rng(2)
    shape = (32, 64, 64) if short else (32, 256, 256)
    a = random.random(shape).astype(np.float32)
    return a, random.random(shape).astype(np.float32) + 0.5


def pixelwise(cle, add, a, b, x, y):
    import numpy as np
    add("add images", lambda: cle.add_images_weighted(x, y, factor1=2, factor2=3), lambda: 2 * a + 3 * b)
    add("multiply images", lambda: cle.multiply_images(x, y), lambda: a * b)
    add("divide images", lambda: cle.divide_images(x, y), lambda: a / b)
    add("absolute difference", lambda: cle.absolute_difference(x, y), lambda: abs(a - b))
    add("power", lambda: cle.power(x, scalar=2.2), lambda: a ** 2.2)
    add("square root", lambda: cle.square_root(x), lambda: np.sqrt(a))
    add("exponential", lambda: cle.exponential(x), lambda: np.exp(a))
    add("logarithm", lambda: cle.logarithm(y), lambda: np.log(b))
    add("sine", lambda: cle.sin(x), lambda: np.sin(a))
    add("clip", lambda: cle.clip(x, min_intensity=0.2, max_intensity=0.7), lambda: np.clip(a, 0.2, 0.7))
    add("greater", lambda: cle.greater(x, y), lambda: a > b)
    add("mask", lambda: cle.mask(x, cle.greater_constant(y, scalar=1)), lambda: a * (b > 1))
    add("maximum images", lambda: cle.maximum_images(x, y), lambda: np.maximum(a, b))


def projections(cle, add, a, x):
    for axis, letter in enumerate("zyx"):
        add(f"maximum {letter} projection", lambda f=getattr(cle, f"maximum_{letter}_projection"): f(x), lambda i=axis: a.max(i))
        add(f"mean {letter} projection", lambda f=getattr(cle, f"mean_{letter}_projection"): f(x), lambda i=axis: a.mean(i))
        add(f"sum {letter} projection", lambda f=getattr(cle, f"sum_{letter}_projection"): f(x), lambda i=axis: a.sum(i))
    add("std z projection", lambda: cle.std_z_projection(x), lambda: a.std(0), tolerance=0.02)
    add("maximum of all", lambda: cle.maximum_of_all_pixels(x), a.max)
    add("mean of all", lambda: cle.mean_of_all_pixels(x), lambda: a.mean(dtype=float))
    add("histogram", lambda: cle.histogram(x, num_bins=256), None)


def layout(cle, add, a, x):
    add("transpose xy", lambda: cle.transpose_xy(x), lambda: a.transpose(0, 2, 1))
    add("transpose xz", lambda: cle.transpose_xz(x), lambda: a.transpose(2, 1, 0))
    add("transpose yz", lambda: cle.transpose_yz(x), lambda: a.transpose(1, 0, 2))
    add("flip", lambda: cle.flip(x, flip_x=True, flip_y=False, flip_z=False), lambda: a[:, :, ::-1])
    add("crop", lambda: cle.crop(x, start_x=3, start_y=4, start_z=5, width=20, height=21, depth=12), lambda: a[5:17, 4:25, 3:23])
    add("rotate", lambda: cle.rotate(x, angle_z=20, interpolate=True), None)
    add("rotate nearest", lambda: cle.rotate(x, angle_z=20, interpolate=False), None)
    add("scale", lambda: cle.scale(x, factor_x=0.8, factor_y=0.8, factor_z=0.8, interpolate=True), None)


def filters(cle, add, a, x):
    from scipy import ndimage as n
    radii = {"radius_x": 2, "radius_y": 2, "radius_z": 2}
    sigmas = {"sigma_x": 2, "sigma_y": 2, "sigma_z": 2}
    add("gaussian blur", lambda: cle.gaussian_blur(x, **sigmas), lambda: n.gaussian_filter(a, 2), 0.01, INNER)
    add("mean box", lambda: cle.mean_filter(x, **radii), lambda: n.uniform_filter(a, 5), 1e-4, INNER)
    add("maximum box", lambda: cle.maximum_filter(x, **radii), lambda: n.maximum_filter(a, 5), 0, INNER)
    add("minimum box", lambda: cle.minimum_filter(x, **radii), lambda: n.minimum_filter(a, 5), 0, INNER)
    add("maximum sphere", lambda: cle.maximum_filter(x, **radii, connectivity="sphere"), None)
    add("median box", lambda: cle.median(x, radius_x=1, radius_y=1, radius_z=1), lambda: n.median_filter(a, 3), 0, INNER)
    add("mean sphere", lambda: cle.mean_filter(x, **radii, connectivity="sphere"), None)
    add("variance", lambda: cle.variance_filter(x, **radii), None)
    add("sobel", lambda: cle.sobel(x), None)
    add("laplace", lambda: cle.laplace(x), None)
    add("gradient x", lambda: cle.gradient_x(x), None)
    add("difference of gaussian", lambda: cle.difference_of_gaussian(x, sigma1_x=1, sigma1_y=1, sigma1_z=1, sigma2_x=3, sigma2_y=3,
                                                                     sigma2_z=3),
        lambda: n.gaussian_filter(a, 1) - n.gaussian_filter(a, 3), 0.02, INNER)
    add("top hat", lambda: cle.top_hat(x, **radii), lambda: a - n.grey_opening(a, 5), 1e-5, INNER)


def labels(cle, add, a):
    from scipy import ndimage as n
    blobs = n.gaussian_filter(a, 2)
    binary = (blobs > 0.52).astype("uint8")
    x, y = cle.push(blobs), cle.push(binary)
    box = [[[1] * 3] * 3] * 3
    add("threshold otsu", lambda: cle.threshold_otsu(x), None)
    add("binary erode", lambda: cle.binary_erode(y), lambda: n.binary_erosion(binary, box), 0, INNER)
    add("binary dilate", lambda: cle.binary_dilate(y), lambda: n.binary_dilation(binary, box), 0, INNER)
    add("label", lambda: cle.maximum_of_all_pixels(cle.connected_components_labeling(y)), lambda: n.label(binary, box)[1], 0)
    add("maxima", lambda: cle.detect_maxima(x), None)


def measure(cases):
    import numpy as np
    import pyclesperanto as cle

    cle.select_device(0)
    cle.set_wait_for_kernel_finish(True)
    a, b = arrays(cases.short)
    x, y = cle.push(a), cle.push(b)

    def pull(result):
        return np.asarray(result.get() if hasattr(result, "get") else result)

    def add(name, call, want, tolerance=1e-4, what=None):
        if not cases.short or name in SHORT:
            cases.time(name, call, check=compare(want, tolerance, pull, what) if want else repeats(tolerance, pull))
    pixelwise(cle, add, a, b, x, y)
    projections(cle, add, a, x)
    layout(cle, add, a, x)
    filters(cle, add, a, x)
    labels(cle, add, a)
