"""Pictures that the operations work on: smooth noise, 1920x1080, the same in each run."""
import cv2
import numpy as np

WIDTH, HEIGHT = 1920, 1080
random = np.random.default_rng(5)
# Noise of several sizes, so that filters find edges and flat places.
bgr = sum(cv2.resize(random.integers(0, 256, (HEIGHT // n, WIDTH // n, 3), np.uint8), (WIDTH, HEIGHT)).astype(np.float32)
          for n in (4, 20, 60))
bgr = cv2.normalize(bgr, None, 0, 255, cv2.NORM_MINMAX, cv2.CV_8U)
bgra = cv2.cvtColor(bgr, cv2.COLOR_BGR2BGRA)
gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
other = cv2.flip(bgr, 1)
gray2 = cv2.flip(gray, 0)
mask = cv2.threshold(gray, 110, 255, cv2.THRESH_BINARY)[1]
real = gray.astype(np.float32) / 255 + 0.01
real2 = cv2.flip(real, 0)
real3 = bgr.astype(np.float32) / 255
words = (gray.astype(np.int16) - 128) * 50
moved = np.roll(gray, (1, 2), (0, 1))
ones3, ones5 = np.ones((3, 3), np.uint8), np.ones((5, 5), np.uint8)
y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
