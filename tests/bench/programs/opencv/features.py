"""Edges, corners, templates, optical flow, backgrounds, features."""
import cv2
import numpy as np

from .data import bgr, gray, moved, other, random
from .operation import SELECTS, Operation, plain

half = gray[:540, :960].copy()
half_moved = moved[:540, :960].copy()
patch = gray[300:340, 500:560].copy()
descriptors = random.random((2000, 64), np.float32)
descriptors2 = random.random((1500, 64), np.float32)
corners = cv2.goodFeaturesToTrack(gray, 300, 0.01, 10)


def crossed():
    """A picture with thin lines in all directions."""
    picture = np.zeros_like(gray)
    for i in range(40):
        cv2.line(picture, (48 * i, 0), (1919 - 31 * i, 1079), 255)
    return picture


def background(make):
    """A background model that gets two pictures in turn."""
    def start():
        model, turn = make(), [0]

        def call(a, b):
            turn[0] += 1
            return model.apply(b if turn[0] % 2 else a, None, 0.05)
        return call
    return start


def similar(got, want):
    """KNN's models are random: about as many pixels must be of the foreground."""
    got, want = np.mean(got > 0), np.mean(want > 0)
    return None if abs(got - want) <= 0.05 + 0.1 * want else f"{100 * got:.0f} % foreground, not {100 * want:.0f} %"


def distances(a, b):
    """For each row of a the distance of the nearest row of b."""
    return np.array([m.distance for m in cv2.BFMatcher(cv2.NORM_L2).match(a, b)], np.float32)


def flow(a, b):
    return cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0)


def tracked(a, b, points):
    """Where the corners have moved."""
    return cv2.calcOpticalFlowPyrLK(a, b, points, None, winSize=(21, 21), maxLevel=3)[0]


def found(detector):
    """How many key points the detector finds, and the sum of their positions."""
    def call(a):
        points = detector.detect(a, None)
        return np.array([len(points), *np.sum([p.pt for p in points], 0)], np.float32)
    return call


OPERATIONS = [
    Operation("Canny", lambda a: cv2.Canny(a, 40, 90), (gray,), SELECTS),
    Operation("cornerHarris", lambda a: cv2.cornerHarris(a, 3, 3, 0.04), (gray,), 1e-4),
    Operation("cornerMinEigenVal", lambda a: cv2.cornerMinEigenVal(a, 3), (gray,), 1e-4),
    Operation("preCornerDetect", lambda a: cv2.preCornerDetect(a, 3), (gray,), 1e-4),
    Operation("goodFeatures", lambda a: np.array(len(plain(cv2.goodFeaturesToTrack(a, 200, 0.05, 9)))), (gray,), 0),
    Operation("matchTemplate sqdiff", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_SQDIFF), (half, patch), 1e-2),
    Operation("matchTemplate ccorr", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCORR_NORMED), (half, patch), 1e-3),
    Operation("matchTemplate ccoeff", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED), (half, patch), 2e-2),
    Operation("Farneback 960x540", flow, (half, half_moved), SELECTS),
    Operation("PyrLK", tracked, (gray, moved, corners), SELECTS),
    Operation("MOG2", None, (bgr, other), SELECTS, background(cv2.createBackgroundSubtractorMOG2)),
    Operation("KNN", None, (bgr, other), similar, background(cv2.createBackgroundSubtractorKNN)),
    Operation("BFMatcher", distances, (descriptors, descriptors2), 1e-3),
    Operation("FAST", found(cv2.FastFeatureDetector_create(20)), (gray,), 0.01),
    Operation("ORB", found(cv2.ORB_create(500)), (gray,), 0.01),
    Operation("HoughLines", lambda a: np.array(len(plain(cv2.HoughLines(a, 1, np.pi / 180, 200)))), (crossed(),), 2),
    Operation("moments", lambda a: np.array([cv2.moments(a)[k] for k in ("m00", "m10", "m01")]), (gray,), 1e-6),
]
