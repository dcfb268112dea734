"""Functions of OpenCV's core: arithmetic, comparison, reductions, layout."""
import cv2
import numpy as np

from .data import HEIGHT, WIDTH, bgr, bgra, gray, gray2, mask, other, real, real2, real3, words
from .operation import Operation

inverse = np.arange(255, -1, -1).astype(np.uint8)
square, square2 = real[:512, :512].copy(), real2[:512, :512].copy()
spectrum = cv2.dft(real, flags=cv2.DFT_COMPLEX_OUTPUT)
matrix = np.array([[0.4, 0.3, 0.3], [0.2, 0.5, 0.1], [0.1, 0.2, 0.6]], np.float32)


def statistics(a):
    return np.concatenate([np.ravel(v.get() if isinstance(v, cv2.UMat) else v) for v in cv2.meanStdDev(a)])


def mixed(a, b):
    """Channels of two pictures, into a new one."""
    out = cv2.UMat(HEIGHT, WIDTH, cv2.CV_8UC3) if isinstance(a, cv2.UMat) else np.empty_like(a)
    return cv2.mixChannels([a, b], [out], [0, 2, 4, 1, 2, 0])[0]


OPERATIONS = [
    Operation("absdiff", cv2.absdiff, (bgr, other), 0),
    Operation("add", cv2.add, (bgr, other), 0),
    Operation("add mask", lambda a, b, m: cv2.add(a, b, mask=m, dst=None), (gray, gray2, mask), 0),
    Operation("add f32", cv2.add, (real, real2), 1e-6),
    Operation("subtract", cv2.subtract, (bgr, other), 0),
    Operation("multiply", lambda a, b: cv2.multiply(a, b, scale=0.01), (bgr, other), 1),
    Operation("multiply f32", cv2.multiply, (real, real2), 1e-6),
    Operation("divide", lambda a, b: cv2.divide(a, b, scale=40), (bgr, other), 1),
    Operation("addWeighted", lambda a, b: cv2.addWeighted(a, 0.7, b, 0.4, 3), (bgr, other), 1),
    Operation("scaleAdd f32", lambda a, b: cv2.scaleAdd(a, 0.7, b), (real, real2), 1e-6),
    Operation("bitwise_and", cv2.bitwise_and, (bgr, other), 0),
    Operation("bitwise_not", cv2.bitwise_not, (bgr,), 0),
    Operation("compare", lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (gray, gray2), 0),
    Operation("min", cv2.min, (bgr, other), 0),
    Operation("max f32", cv2.max, (real, real2), 0),
    Operation("inRange", lambda a: cv2.inRange(a, (60, 60, 60), (180, 180, 200)), (bgr,), 0),
    Operation("convertScaleAbs", lambda a: cv2.convertScaleAbs(a, alpha=1.7, beta=-40), (bgr,), 1),
    Operation("convertScaleAbs s16", lambda a: cv2.convertScaleAbs(a, alpha=0.1), (words,), 1),
    Operation("normalize", lambda a: cv2.normalize(a, None, 10, 200, cv2.NORM_MINMAX), (gray,), 1),
    Operation("normalize to f32", lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX, cv2.CV_32F), (gray,), 1e-5),
    Operation("LUT", lambda a: cv2.LUT(a, inverse), (bgr,), 0),
    Operation("LUT gray", lambda a: cv2.LUT(a, inverse), (gray,), 0),
    Operation("sqrt", cv2.sqrt, (real,), 1e-5),
    Operation("exp", cv2.exp, (real,), 1e-5),
    Operation("log", cv2.log, (real,), 1e-5),
    Operation("pow", lambda a: cv2.pow(a, 2.4), (real,), 1e-5),
    Operation("magnitude", cv2.magnitude, (real, real2), 1e-5),
    Operation("phase", lambda a, b: cv2.phase(a, b, angleInDegrees=True), (real, real2), 1e-2),
    Operation("cartToPolar", lambda a, b: cv2.cartToPolar(a, b), (real, real2), 1e-2),
    Operation("polarToCart", lambda a, b: cv2.polarToCart(a, b), (real, real2), 1e-4),
    Operation("transform", lambda a: cv2.transform(a, matrix), (real3,), 1e-5),
    Operation("gemm 512", lambda a, b: cv2.gemm(a, b, 1.0, None, 0), (square, square2), 1e-3),
    Operation("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (real,), 1e-4),
    Operation("idft", lambda a: cv2.idft(a, flags=cv2.DFT_SCALE | cv2.DFT_REAL_OUTPUT), (spectrum,), 1e-4),
    Operation("mulSpectrums", lambda a, b: cv2.mulSpectrums(a, b, 0), (spectrum, spectrum[::-1].copy()), 1e-4),
    Operation("transpose", cv2.transpose, (bgr,), 0),
    Operation("transpose gray", cv2.transpose, (gray,), 0),
    Operation("flip", lambda a: cv2.flip(a, -1), (bgr,), 0),
    Operation("flip rows", lambda a: cv2.flip(a, 0), (gray,), 0),
    Operation("rotate", lambda a: cv2.rotate(a, cv2.ROTATE_90_CLOCKWISE), (gray,), 0),
    Operation("split", lambda a: cv2.split(a), (bgr,), 0),
    Operation("merge", lambda a, b: cv2.merge([a, b]), (gray, gray2), 0),
    Operation("mixChannels", mixed, (bgr, other), 0),
    Operation("extractChannel", lambda a: cv2.extractChannel(a, 1), (bgra,), 0),
    Operation("repeat", lambda a: cv2.repeat(a, 1, 2), (gray,), 0),
    Operation("copyMakeBorder", lambda a: cv2.copyMakeBorder(a, 5, 6, 7, 8, cv2.BORDER_REFLECT_101), (bgr,), 0),
    Operation("reduce rows", lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S), (gray,), 0),
    Operation("reduce columns", lambda a: cv2.reduce(a, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F), (gray,), 1e-4),
    Operation("sum", lambda a: np.array(cv2.sumElems(a)), (bgr,), 0),
    Operation("mean", lambda a: np.array(cv2.mean(a)), (bgr,), 1e-6),
    Operation("meanStdDev", statistics, (bgr,), 1e-6),
    Operation("countNonZero", lambda a: np.array(cv2.countNonZero(a)), (mask,), 0),
    Operation("minMaxLoc", lambda a: np.array(cv2.minMaxLoc(a)[:2]), (gray,), 0),
    Operation("norm L1", lambda a, b: np.array(cv2.norm(a, b, cv2.NORM_L1)), (bgr, other), 1e-6),
    Operation("norm L2", lambda a: np.array(cv2.norm(a, cv2.NORM_L2)), (real,), 1e-5),
    Operation("PSNR", lambda a, b: np.array(cv2.PSNR(a, b)), (gray, gray2), 1e-6),
]
