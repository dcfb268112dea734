"""OpenCV's UMat functions on Weft give what the same functions give on the CPU without OpenCL. Needs Debian's Python.

usage: opencv_test.py PART     (arithmetic, filters, geometry, colors, features)
"""
import os
import sys
import tempfile

from common import expect, fail, skip

os.environ["OPENCV_OPENCL_RAISE_ERROR"] = "1"  # else a kernel that isn't built is quietly done without
os.environ["OPENCV_OPENCL_DEVICE"] = "Weft:CPU:"  # by default it wants a GPU
os.environ["HOME"] = os.environ["OPENCV_OPENCL_CACHE_DIR"] = tempfile.mkdtemp(prefix="weft-client-")
try:
    import cv2
    import numpy as np
except ImportError as e:
    skip(f"{e.name} is not installed for {sys.executable}")

W, H = 301, 203
random = np.random.default_rng(7)
smooth = cv2.GaussianBlur(random.integers(0, 256, (H, W, 3), np.uint8), (0, 0), 3, borderType=cv2.BORDER_REFLECT)
smooth = cv2.normalize(smooth, None, 0, 255, cv2.NORM_MINMAX)
bgr, gray = smooth, cv2.cvtColor(smooth, cv2.COLOR_BGR2GRAY)
bgra = cv2.cvtColor(smooth, cv2.COLOR_BGR2BGRA)
other = cv2.flip(smooth, 1)
wide = cv2.resize(gray, (320, 204))  # kernels of 16 pixels a work-item need whole ones
real = gray.astype(np.float32) / 255 + 0.01
real2 = cv2.flip(real, 0)
square = random.standard_normal((96, 96)).astype(np.float32)
turn = cv2.getRotationMatrix2D((W / 2, H / 2), 17, 0.9)
tilt = np.array([[1, 0.02, 3], [0.01, 0.95, 2], [1e-4, 2e-4, 1]])
mx, my = np.meshgrid(np.arange(W, dtype=np.float32), np.arange(H, dtype=np.float32))
kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
table = np.arange(255, -1, -1).astype(np.uint8)

# What is done, and how far apart the results may be. A function takes arrays, all of which become UMats.
PARTS = {
    "arithmetic": [
        ("add", lambda a, b: cv2.add(a, b), (bgr, other), 0),
        ("subtract", lambda a, b: cv2.subtract(a, b), (bgr, other), 0),
        ("multiply", lambda a, b: cv2.multiply(a, b, scale=0.01), (bgr, other), 1),
        ("divide", lambda a, b: cv2.divide(a, b), (real, real2), 1e-4),
        ("absdiff", lambda a, b: cv2.absdiff(a, b), (bgr, other), 0),
        ("addWeighted", lambda a, b: cv2.addWeighted(a, 0.3, b, 0.6, 4), (bgr, other), 1),
        ("bitwise_xor", lambda a, b: cv2.bitwise_xor(a, b), (bgr, other), 0),
        ("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (gray, other[:, :, 0].copy()), 0),
        ("inRange", lambda a: cv2.inRange(a, (60, 60, 60), (180, 180, 200)), (bgr,), 0),
        ("convertScaleAbs", lambda a: cv2.convertScaleAbs(a, alpha=1.7, beta=-40), (bgr,), 1),
        ("LUT", lambda a, t: cv2.LUT(a, t), (bgr, table), 0),
        ("exp", lambda a: cv2.exp(a), (real,), 1e-5),
        ("log", lambda a: cv2.log(a), (real,), 1e-5),
        ("sqrt", lambda a: cv2.sqrt(a), (real,), 1e-6),
        ("pow", lambda a: cv2.pow(a, 2.4), (real,), 1e-5),
        ("magnitude", lambda a, b: cv2.magnitude(a, b), (real, real2), 1e-5),
        ("phase", lambda a, b: cv2.phase(a, b, angleInDegrees=True), (real, real2), 0.3),
        ("polarToCart", lambda a, b: cv2.polarToCart(a, b)[0], (real, real2), 1e-4),
        ("gemm", lambda a, b: cv2.gemm(a, b, 1.5, None, 0), (square, square), 1e-3),
        ("transpose", lambda a: cv2.transpose(a), (bgr,), 0),
        ("flip", lambda a: cv2.flip(a, -1), (bgr,), 0),
        ("merge", lambda a, b: cv2.merge([a, b]), (gray, other[:, :, 0].copy()), 0),
        ("split", lambda a: cv2.split(a)[1], (bgr,), 0),
        ("reduce", lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), (gray,), 0),
        ("normalize", lambda a: cv2.normalize(a, None, 10, 200, cv2.NORM_MINMAX), (gray,), 1),
        ("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (square,), 1e-2),
        ("sum", lambda a: np.array(cv2.sumElems(a)), (bgr,), 0),
        ("countNonZero", lambda a: np.array(cv2.countNonZero(a)), (gray,), 0),
        ("meanStdDev", lambda a: np.array([cv2.UMat.get(x) if isinstance(x, cv2.UMat) else x
                                           for x in cv2.meanStdDev(a)]), (bgr,), 1e-6),
        ("minMaxLoc", lambda a: np.array(cv2.minMaxLoc(a)[:2]), (gray,), 0),
        ("norm", lambda a, b: np.array(cv2.norm(a, b, cv2.NORM_L2)), (bgr, other), 1e-2),
    ],
    "filters": [
        ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (bgr,), 1),
        ("GaussianBlur of floats", lambda a: cv2.GaussianBlur(a, (11, 11), 2), (real,), 1e-5),
        # 11 to 21 taps: work-items shift rows of local memory in a race (prepare/shift_barriers.c).
        # Laplacians load rows before the picture (WEFT_READ_MARGIN).
        ("GaussianBlur of 21 taps", lambda a: cv2.GaussianBlur(a, (21, 21), 0), (gray,), 1),
        ("GaussianBlur of 13 taps", lambda a: cv2.GaussianBlur(a, (13, 13), 0), (bgr,), 1),
        ("sepFilter2D of 17 taps", lambda a: cv2.sepFilter2D(a, cv2.CV_32F, np.ones(17) / 17, np.arange(17) / 17), (gray,), 1e-5),
        ("Laplacian of 5 taps", lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=5), (gray,), 1e-5),
        ("Laplacian of 11 taps", lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=11), (gray,), 1e-5),
        ("blur", lambda a: cv2.blur(a, (5, 5)), (bgr,), 1),
        ("boxFilter", lambda a: cv2.boxFilter(a, -1, (9, 3)), (bgra,), 1),
        ("medianBlur 3", lambda a: cv2.medianBlur(a, 3), (bgr,), 0),
        ("medianBlur 5", lambda a: cv2.medianBlur(a, 5), (gray,), 0),
        ("bilateralFilter", lambda a: cv2.bilateralFilter(a, 7, 40, 5), (gray,), 1),
        ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), (gray,), 0),
        ("Scharr", lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (gray,), 1e-4),
        ("Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=3), (gray,), 1e-4),
        ("filter2D", lambda a: cv2.filter2D(a, -1, np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]])), (bgr,), 1),
        ("sepFilter2D", lambda a: cv2.sepFilter2D(a, cv2.CV_32F, np.array([1, 2, 1.0]), np.array([-1, 0, 1.0])),
         (gray,), 1e-3),
        ("erode", lambda a: cv2.erode(a, kernel), (bgr,), 0),
        ("dilate", lambda a: cv2.dilate(a, kernel, iterations=2), (gray,), 0),
        ("morphologyEx", lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, kernel), (gray,), 0),
        ("blocks: GaussianBlur 3", lambda a: cv2.GaussianBlur(a, (3, 3), 0), (wide,), 1),
        ("blocks: GaussianBlur 5", lambda a: cv2.GaussianBlur(a, (5, 5), 0), (wide,), 1),
        ("blocks: blur", lambda a: cv2.blur(a, (3, 3)), (wide,), 1),
        ("blocks: Laplacian", lambda a: cv2.Laplacian(a, cv2.CV_8U, ksize=3), (wide,), 1),
        ("blocks: Sobel", lambda a: cv2.Sobel(a, cv2.CV_8U, 1, 0), (wide,), 1),
        ("blocks: medianBlur", lambda a: cv2.medianBlur(a, 3), (wide,), 0),
        ("blocks: erode", lambda a: cv2.erode(a, np.ones((3, 3), np.uint8)), (wide,), 0),
        ("blocks: gradient", lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)), (wide,), 0),
        ("threshold", lambda a: cv2.threshold(a, 99, 222, cv2.THRESH_BINARY)[1], (bgr,), 0),
        ("equalizeHist", lambda a: cv2.equalizeHist(a), (gray,), 1),
        ("CLAHE", lambda a: cv2.createCLAHE(3, (4, 4)).apply(a), (gray,), 1),
        ("integral", lambda a: cv2.integral(a), (gray,), 0),
        ("calcHist", lambda a: cv2.calcHist([a], [0], None, [64], [0, 256]), (gray,), 0),
        ("fastNlMeansDenoising", lambda a: cv2.fastNlMeansDenoising(a, None, 8, 3, 9), (gray,), 1),
    ],
    "geometry": [
        ("resize, nearest", lambda a: cv2.resize(a, (411, 150), interpolation=cv2.INTER_NEAREST), (bgr,), 0),
        ("resize, linear", lambda a: cv2.resize(a, (411, 350), interpolation=cv2.INTER_LINEAR), (bgr,), 1),
        ("resize, area", lambda a: cv2.resize(a, (150, 101), interpolation=cv2.INTER_AREA), (bgr,), 1),
        ("resize of floats", lambda a: cv2.resize(a, (500, 300)), (real,), 1e-4),
        ("warpAffine, nearest", lambda a: cv2.warpAffine(a, turn, (W, H), flags=cv2.INTER_NEAREST), (gray,), None),
        ("warpAffine", lambda a: cv2.warpAffine(a, turn, (W, H)), (bgr,), 2),
        ("warpPerspective", lambda a: cv2.warpPerspective(a, tilt, (W, H)), (gray,), 2),
        ("remap", lambda a, x, y: cv2.remap(a, x, y, cv2.INTER_LINEAR),
         (gray, mx + 2.5 * np.sin(my / 9), my + np.cos(mx / 11)), None),
        ("pyrDown", lambda a: cv2.pyrDown(a), (bgr,), 1),
        ("pyrUp", lambda a: cv2.pyrUp(a), (bgr,), 1),
        ("copyMakeBorder", lambda a: cv2.copyMakeBorder(a, 5, 6, 7, 8, cv2.BORDER_REFLECT_101), (bgr,), 0),
        ("repeat", lambda a: cv2.repeat(a, 2, 3), (gray,), 0),
    ],
    "colors": [
        (name, lambda a, code=getattr(cv2, "COLOR_" + name): cv2.cvtColor(a, code), (bgra if "BGRA2" in name else bgr,), most)
        for name, most in [("BGR2GRAY", 1), ("BGRA2GRAY", 1), ("BGR2RGB", 0), ("BGR2BGRA", 0), ("BGR2HSV", 1), ("BGR2HLS", 1),
                           ("BGR2YUV", 1), ("BGR2YCrCb", 1), ("BGR2Lab", 2), ("BGR2Luv", 2), ("BGR2XYZ", 1),
                           ("HSV2BGR", 2), ("YCrCb2BGR", 1), ("Lab2BGR", 3)]
    ],
    "features": [
        ("Canny", lambda a: cv2.Canny(a, 20, 60), (gray,), None),
        ("cornerHarris", lambda a: cv2.cornerHarris(a, 3, 3, 0.04), (gray,), 1e-4),
        ("cornerMinEigenVal", lambda a: cv2.cornerMinEigenVal(a, 3), (gray,), 1e-4),
        ("goodFeaturesToTrack", lambda a: cv2.goodFeaturesToTrack(a, 30, 0.05, 9), (gray,), 1),
        ("matchTemplate", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED), (gray, gray[40:70, 50:90].copy()), 1e-3),
        ("calcOpticalFlowFarneback", lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0),
         (gray, np.roll(gray, 2, 1)), None),
    ],
}


def plain(x):
    return x.get() if isinstance(x, cv2.UMat) else np.asarray(x)


def check(name, function, arrays, most):
    cv2.ocl.setUseOpenCL(False)
    want = plain(function(*[a.copy() for a in arrays]))
    cv2.ocl.setUseOpenCL(True)
    got = plain(function(*[cv2.UMat(a) for a in arrays]))
    expect(got.shape == want.shape, f"{name}: shape {got.shape}, not {want.shape}")
    apart = np.abs(got.astype(np.float64) - want.astype(np.float64))
    if most is None:  # two neighbours to choose from, or positions rounded differently at edges: almost all must agree
        bad = np.count_nonzero(apart > 1) / apart.size
        expect(bad < 0.01, f"{name}: {100 * bad:.2f} % differ")
    else:
        expect(apart.max() <= most * max(1.0, np.abs(want).max() if want.dtype.kind == "f" else 1.0),
               f"{name}: {apart.max()} apart at {np.unravel_index(apart.argmax(), apart.shape)}")


def main():
    expect(cv2.ocl.haveOpenCL(), "OpenCV finds no OpenCL")
    cv2.ocl.setUseOpenCL(True)
    device = cv2.ocl.Device.getDefault()
    expect("Weft" in device.version() or "Weft" in device.vendorName() or "Weft" in device.name(),
           f"another device: {device.name()}, {device.version()}")
    # The shipped weft.conf gives OpenCV Intel's name; an empty value takes it back.
    intel = os.environ.get("WEFT_DEVICE_VENDOR") != ""
    expect(device.isIntel() == intel, f"the vendor is {device.vendorName()}")
    for row in PARTS[sys.argv[1]]:
        try:
            check(*row)
        except cv2.error as e:
            fail(f"{row[0]}: {e}")
    print(f"{len(PARTS[sys.argv[1]])} functions")


main()
