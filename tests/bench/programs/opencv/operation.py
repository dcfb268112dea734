"""One function of OpenCV as a case: how it is called on UMats, and how its results are checked."""
from collections import namedtuple

import cv2
import numpy as np

# call(*arrays): the function. start(): makes the function, where it has a state. tolerance: how far an
# element may be off, in units for integers, relative to the largest value for floats; or SELECTS; or a
# function of result and reference that returns what is wrong.
Operation = namedtuple("Operation", "name call arrays tolerance start", defaults=(None,))

# Functions that choose between neighbours, or round positions, may choose differently at edges: up to 1 % of
# all elements may differ by more than one unit.
SELECTS = None


def prepare(operation):
    """A function without arguments that calls the operation on UMats."""
    call = operation.start() if operation.start else operation.call
    arrays = [cv2.UMat(a) for a in operation.arrays]
    cv2.ocl.finish()
    return lambda: call(*arrays)


def plain(result):
    """The result as one array."""
    if isinstance(result, (tuple, list)):
        return np.concatenate([np.ravel(plain(r)) for r in result])
    return result.get() if isinstance(result, cv2.UMat) else np.asarray(result)


def without_opencl(operation, calls):
    """Results of the first and of the last call, computed by OpenCV itself."""
    cv2.ocl.setUseOpenCL(False)
    try:
        arrays = [a.copy() for a in operation.arrays]
        if not operation.start:
            return [plain(operation.call(*arrays))] * 2
        call = operation.start()
        for _ in range(calls):
            last = call(*arrays)
        return [None, plain(last)]  # the first result may be the state itself, which has changed since
    finally:
        cv2.ocl.setUseOpenCL(True)


def fault(got, want, tolerance):
    """What is wrong with an array, or None."""
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if callable(tolerance):
        return tolerance(got, want)
    difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
    if tolerance is SELECTS:
        bad = np.count_nonzero(~(difference <= 1)) / max(1, difference.size)
        return f"{100 * bad:.1f} % of the elements differ" if bad > 0.01 else None
    scale = max(1.0, float(np.abs(want).max())) if want.dtype.kind == "f" else 1.0
    if difference.size and not difference.max() <= tolerance * scale:
        return f"{difference.max():.4g} apart at {tuple(int(i) for i in np.unravel_index(difference.argmax(), difference.shape))}"
    return None


def check(operation, calls):
    """For Cases.time: compares the first and the last result."""
    def compare(results):
        for which, got, want in zip(("first", "last"), results, without_opencl(operation, calls)):
            why = want is not None and fault(plain(got), want, operation.tolerance)
            if why:
                return f"{which} result: {why}"
        return None
    return compare
