"""tinygrad on OpenCL: operations of neural networks, compared with numpy where that has them. The first call includes the kernels
that tinygrad generates."""
import os

from .measure import compare, repeats

IMPORTS = ["tinygrad", "numpy"]
PYPI = ["tinygrad", "numpy"]
SHORT = {"relu", "matmul 256"}


def simple(add, Tensor, t, h):
    import numpy as np
    a, b = t(2048, 1024), t(2048, 1024)
    x, y = h(a), h(b)
    add("add and multiply", lambda: a * b + a, lambda: x * y + x)
    add("relu", lambda: a.relu(), lambda: np.maximum(x, 0))
    add("gelu", lambda: a.gelu(), None)
    add("exp", lambda: a.exp(), lambda: np.exp(x))
    add("sum", lambda: a.sum(), lambda: x.sum(dtype=float), 1e-3)
    add("sum rows", lambda: a.sum(1), lambda: x.sum(1))
    add("sum columns", lambda: a.sum(0), lambda: x.sum(0))
    add("max rows", lambda: a.max(1), lambda: x.max(1))
    add("argmax", lambda: a.argmax(1), lambda: x.argmax(1), 0)
    add("softmax", lambda: a.softmax(), lambda: np.exp(x) / np.exp(x).sum(1, keepdims=True))
    add("layer norm", lambda: a.layernorm(), lambda: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5))
    add("variance", lambda: a.var(0), lambda: x.var(0, ddof=1))
    add("transpose", lambda: a.T.contiguous(), lambda: x.T)
    add("concatenate", lambda: a.cat(b, dim=1), lambda: np.concatenate([x, y], 1))
    add("cumulative sum", lambda: a.cumsum(1), lambda: x.cumsum(1), 1e-3)
    add("half and back", lambda: a.half().contiguous().float(), lambda: x.astype(np.float16))


def products(add, Tensor, t, h):
    import numpy as np
    for n in 256, 512, 1024:
        a, b = t(n, n), t(n, n)
        add(f"matmul {n}", lambda a=a, b=b: a @ b, lambda a=a, b=b: h(a) @ h(b))
    a, b = t(16, 128, 128), t(16, 128, 128)
    add("matmul batch", lambda: a @ b, lambda: h(a) @ h(b))
    v, m = t(1, 2048), t(2048, 2048)
    add("vector by matrix", lambda: v @ m, lambda: h(v) @ h(m))
    q, k, w = t(8, 256, 64), t(8, 256, 64), t(8, 256, 64)

    def attention():
        s = np.einsum("bij,bkj->bik", h(q), h(k)) / 8
        e = np.exp(s - s.max(-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True)) @ h(w)
    add("attention", lambda: Tensor.scaled_dot_product_attention(q, k, w), attention, 1e-3)


def networks(add, Tensor, t):
    image = t(4, 32, 64, 64)
    add("convolution 3x3", lambda w=t(64, 32, 3, 3): image.conv2d(w, padding=1), None)
    add("convolution 1x1", lambda w=t(64, 32, 1, 1): image.conv2d(w), None)
    add("convolution 5x5 stride 2", lambda w=t(32, 32, 5, 5): image.conv2d(w, stride=2), None)
    add("convolution depthwise", lambda w=t(32, 1, 3, 3): image.conv2d(w, groups=32, padding=1), None)
    add("maximum pooling", lambda: image.max_pool2d((2, 2)), None)
    add("mean pooling", lambda: image.avg_pool2d((4, 4)), None)
    add("interpolate", lambda: image.interpolate((96, 96)), None)
    x, w1, w2, target = t(256, 784), t(784, 128), t(128, 10), t(256, 10)

    def gradients():
        loss = (((x @ w1).relu() @ w2 - target) ** 2).mean()
        return Tensor.cat(*[g.flatten() for g in loss.gradient(w1, w2)])
    add("gradients of a network", gradients, None)


def measure(cases):
    os.environ.setdefault("DEV", "CL")
    os.environ.setdefault("GPU", "1")  # releases before DEV
    import numpy as np
    from tinygrad import Device, Tensor

    random = np.random.default_rng(12)

    def t(*shape):
        return Tensor((random.random(shape) - 0.5).astype(np.float32)).realize()

    def add(name, call, want, tolerance=1e-4):
        if cases.wants(name) and (not cases.short or name in SHORT):
            check = compare(want, tolerance, lambda r: r.numpy()) if want else repeats(1e-4, lambda r: r.numpy())
            cases.time(name, lambda: call().realize(), lambda: Device[Device.DEFAULT].synchronize(), check)
    simple(add, Tensor, t, lambda v: v.numpy())
    products(add, Tensor, t, lambda v: v.numpy())
    networks(add, Tensor, t)
