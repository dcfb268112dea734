"""Filters, morphology, thresholds, histograms."""
import cv2
import numpy as np

from .data import bgr, bgra, gray, ones3, ones5, real, real2, words
from .operation import Operation

seven = np.ones((7, 7), np.float32) / 49
seven[3, 3] += 0.1
cross = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], np.float32)
quarters = np.array([1, 2, 1.0]) / 4
small = gray[:270, :480].copy()
histogram = cv2.calcHist([gray], [0], None, [64], [0, 256])


def accumulated(function, *more):
    """A generator of calls that add to a state of their own."""
    def start():
        state = {}

        def call(a):
            if not state:
                zero = np.zeros(gray.shape, np.float32)
                state["sum"] = cv2.UMat(zero) if isinstance(a, cv2.UMat) else zero
            return function(a, state["sum"], *more)
        return call
    return start


OPERATIONS = [
    Operation("filter2D 3x3", lambda a: cv2.filter2D(a, -1, cross), (bgr,), 1),
    Operation("filter2D 7x7", lambda a: cv2.filter2D(a, -1, seven), (gray,), 1),
    Operation("filter2D 7x7 f32", lambda a: cv2.filter2D(a, -1, seven), (real,), 1e-4),
    Operation("sepFilter2D", lambda a: cv2.sepFilter2D(a, -1, quarters, quarters), (gray,), 1),
    Operation("GaussianBlur 3x3", lambda a: cv2.GaussianBlur(a, (3, 3), 0), (gray,), 1),
    Operation("GaussianBlur 5x5", lambda a: cv2.GaussianBlur(a, (5, 5), 0), (gray,), 1),
    Operation("GaussianBlur 7x7", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (gray,), 1),
    Operation("GaussianBlur 7x7 bgr", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (bgr,), 1),
    Operation("GaussianBlur 9x9 f32", lambda a: cv2.GaussianBlur(a, (9, 9), 2), (real,), 1e-4),
    Operation("blur 5x5", lambda a: cv2.blur(a, (5, 5)), (gray,), 1),
    Operation("boxFilter 9x3 bgra", lambda a: cv2.boxFilter(a, -1, (9, 3)), (bgra,), 1),
    Operation("sqrBoxFilter", lambda a: cv2.sqrBoxFilter(a, cv2.CV_32F, (5, 5)), (gray,), 1e-4),
    Operation("medianBlur 3", lambda a: cv2.medianBlur(a, 3), (gray,), 0),
    Operation("medianBlur 3 bgr", lambda a: cv2.medianBlur(a, 3), (bgr,), 0),
    Operation("medianBlur 5", lambda a: cv2.medianBlur(a, 5), (gray,), 0),
    Operation("bilateralFilter", lambda a: cv2.bilateralFilter(a, 7, 40, 5), (gray,), 1),
    Operation("Sobel s16", lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), (gray,), 0),
    Operation("Sobel u8", lambda a: cv2.Sobel(a, cv2.CV_8U, 1, 0), (gray,), 1),
    Operation("Scharr f32", lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), (real,), 1e-4),
    Operation("Laplacian 1", lambda a: cv2.Laplacian(a, cv2.CV_8U, ksize=1), (gray,), 1),
    Operation("Laplacian 3", lambda a: cv2.Laplacian(a, cv2.CV_8U, ksize=3), (gray,), 1),
    Operation("Laplacian 5 f32", lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=5), (real,), 1e-4),
    Operation("erode 3x3", lambda a: cv2.erode(a, ones3), (gray,), 0),
    Operation("dilate 5x5", lambda a: cv2.dilate(a, ones5), (gray,), 0),
    Operation("dilate 3x3 bgr", lambda a: cv2.dilate(a, ones3), (bgr,), 0),
    Operation("morph gradient", lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, ones3), (gray,), 0),
    Operation("morph open 5x5", lambda a: cv2.morphologyEx(a, cv2.MORPH_OPEN, ones5), (gray,), 0),
    Operation("threshold", lambda a: cv2.threshold(a, 99, 222, cv2.THRESH_BINARY)[1], (gray,), 0),
    Operation("threshold s16", lambda a: cv2.threshold(a, 99, 222, cv2.THRESH_TOZERO)[1], (words,), 0),
    Operation("calcHist", lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), (gray,), 0),
    Operation("calcBackProject", lambda a, h: cv2.calcBackProject([a], [0], h, [0, 256], 0.001), (gray, histogram), 1),
    Operation("equalizeHist", lambda a: cv2.equalizeHist(a), (gray,), 1),
    Operation("CLAHE", lambda a: cv2.createCLAHE(3, (8, 8)).apply(a), (gray,), 1),
    Operation("integral", lambda a: cv2.integral(a), (gray,), 0),
    Operation("accumulate", None, (gray,), 1e-5, accumulated(cv2.accumulate)),
    Operation("accumulateWeighted", None, (gray,), 1e-4, accumulated(cv2.accumulateWeighted, 0.1)),
    Operation("blendLinear", cv2.blendLinear, (bgr, bgr[::-1].copy(), real, real2), 1),
    Operation("fastNlMeans 480x270", lambda a: cv2.fastNlMeansDenoising(a, None, 8, 5, 11), (small,), 1),
]
