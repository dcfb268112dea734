"""cvtColor: one case a conversion."""
import cv2

from .data import bgr, bgra, gray, real3
from .operation import Operation

TOLERANCES = {"BGR2GRAY": 1, "BGRA2GRAY": 1, "BGR2RGB": 0, "BGR2RGBA": 0, "BGRA2BGR": 0, "BGR2HSV": 1, "BGR2HLS": 1, "BGR2YUV": 1,
              "BGR2YCrCb": 1, "BGR2Lab": 2, "BGR2Luv": 2, "BGR2XYZ": 1, "HSV2BGR": 2, "YCrCb2BGR": 1, "Lab2BGR": 3}


def operation(name, array, tolerance, title=None):
    code = getattr(cv2, "COLOR_" + name)
    return Operation(title or name, lambda a: cv2.cvtColor(a, code), (array,), tolerance)


OPERATIONS = [operation(name, bgra if name.startswith("BGRA2") else bgr, most) for name, most in TOLERANCES.items()]
OPERATIONS += [
    operation("GRAY2BGR", gray, 0),
    operation("BGR2HSV", real3, 1e-3, "BGR2HSV f32"),
    operation("BGR2GRAY", real3, 1e-5, "BGR2GRAY f32"),
    operation("YUV2BGR_NV12", gray, 1),  # 720 rows of brightness, 360 of color
    operation("BGR2YUV_I420", bgr, 1),
]
