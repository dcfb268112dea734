"""Sizes and positions: resize, warps, pyramids."""
import cv2
import numpy as np

from .data import HEIGHT, WIDTH, bgr, gray, real, real3, x, y
from .operation import SELECTS, Operation

turn = np.array([[0.9, 0.1, 3], [-0.1, 0.9, 40.0]])
tilt = np.array([[1, 0.02, 3], [0.01, 0.95, 2], [1e-5, 2e-5, 1]])
wave_x, wave_y = x + 2.5 * np.sin(y / 9), y + np.cos(x / 11)
half = gray[:540, :960].copy()


def resize(size, how):
    return lambda a: cv2.resize(a, size, interpolation=how)


OPERATIONS = [
    Operation("resize nearest", resize((1280, 720), cv2.INTER_NEAREST), (bgr,), 0),
    Operation("resize linear", resize((1280, 720), cv2.INTER_LINEAR), (bgr,), 1),
    Operation("resize linear up", resize((2560, 1440), cv2.INTER_LINEAR), (gray,), 1),
    Operation("resize linear f32", resize((1280, 720), cv2.INTER_LINEAR), (real,), 1e-4),
    Operation("resize area", resize((960, 540), cv2.INTER_AREA), (bgr,), 1),
    Operation("resize area 0.4", resize((768, 432), cv2.INTER_AREA), (gray,), 1),
    Operation("pyrDown", cv2.pyrDown, (gray,), 1),
    Operation("pyrDown bgr f32", cv2.pyrDown, (real3,), 1e-4),
    Operation("pyrUp", cv2.pyrUp, (half,), 1),
    Operation("warpAffine nearest", lambda a: cv2.warpAffine(a, turn, (WIDTH, HEIGHT), flags=cv2.INTER_NEAREST), (gray,), SELECTS),
    Operation("warpAffine", lambda a: cv2.warpAffine(a, turn, (WIDTH, HEIGHT)), (gray,), 8),
    Operation("warpAffine bgr", lambda a: cv2.warpAffine(a, turn, (WIDTH, HEIGHT)), (bgr,), 8),
    Operation("warpAffine cubic", lambda a: cv2.warpAffine(a, turn, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC), (gray,), SELECTS),
    Operation("warpPerspective", lambda a: cv2.warpPerspective(a, tilt, (WIDTH, HEIGHT)), (gray,), SELECTS),
    Operation("remap nearest", lambda a, u, v: cv2.remap(a, u, v, cv2.INTER_NEAREST), (bgr, wave_x, wave_y), SELECTS),
    Operation("remap linear", lambda a, u, v: cv2.remap(a, u, v, cv2.INTER_LINEAR), (gray, wave_x, wave_y), SELECTS),
]
