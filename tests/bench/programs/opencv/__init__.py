"""Functions of OpenCV with OpenCL (cv2.UMat) at 1920x1080, each called 25 times in one process.

Results are compared with those of the same functions without OpenCL.
"""
import os

IMPORTS = ["cv2", "numpy"]
# OpenCV 5 has moved and removed functions.
PYPI = ["opencv-python-headless<5", "numpy"]
DEBIAN = ["python3-opencv"]

# Which operations the short form runs: one or two of each file.
SHORT = {"add", "exp", "GaussianBlur 5x5", "erode 3x3", "resize linear", "BGR2HSV", "minMaxLoc"}


def measure(cases):
    os.environ["OPENCV_OPENCL_RAISE_ERROR"] = "1"  # else a kernel that isn't built is quietly done without
    os.environ["OPENCV_OPENCL_DEVICE"] = ":CPU:"  # by default it wants a GPU
    import cv2
    from . import colors, core, features, filters, geometry
    from .operation import check, prepare
    from ..measure import Skipped

    cv2.setNumThreads(1)  # for the parts that OpenCV does without OpenCL
    if not cv2.ocl.haveOpenCL():
        raise Skipped("OpenCV finds no OpenCL device")
    cv2.ocl.setUseOpenCL(True)
    for module in core, colors, filters, geometry, features:
        for operation in module.OPERATIONS:
            if cases.wants(operation.name) and (not cases.short or operation.name in SHORT):
                cases.time(operation.name, prepare(operation), cv2.ocl.finish, check(operation, cases.calls))
