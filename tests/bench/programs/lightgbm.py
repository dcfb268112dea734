"""LightGBM with its OpenCL tree learner: rounds of boosting on 50,000 rows. The first call includes building the data set on the
device and its kernels. The loss after all rounds is compared with that of its own tree learner without OpenCL."""
IMPORTS = ["lightgbm", "numpy"]
PYPI = ["lightgbm", "numpy"]

CASES = [("63 bins", {"max_bin": 63}), ("255 bins", {"max_bin": 255}), ("15 bins", {"max_bin": 15}),
         ("63 bins double", {"max_bin": 63, "gpu_use_dp": True}), ("255 leaves", {"max_bin": 63, "num_leaves": 255})]


def data(rows):
    import numpy as np
    random = np.random.default_rng(4)
    x = random.standard_normal((rows, 28)).astype(np.float32)
    return x, (x[:, 0] * x[:, 1] + np.sin(3 * x[:, 2]) + (x[:, 3] > 0.3) + 0.1 * random.standard_normal(rows)).astype(np.float32)


def booster(x, y, device, options):
    import lightgbm
    options = {"objective": "regression", "verbose": -1, "device_type": device, "num_threads": 2, "learning_rate": 0.2, **options}
    return lightgbm.Booster(options, lightgbm.Dataset(x, y, params=options))


def loss(model, x, y):
    return float(((model.predict(x) - y) ** 2).mean())


def measure(cases):
    x, y = data(5_000 if cases.short else 50_000)
    for name, options in CASES[:1] if cases.short else CASES:
        model = []

        def call(model=model, options=options):
            if not model:
                model.append(booster(x, y, "gpu", options))
            model[0].update()

        def check(_, model=model, options=options):
            other = booster(x, y, "cpu", options)
            for _ in range(cases.calls):
                other.update()
            got, want = loss(model[0], x, y), loss(other, x, y)
            return None if abs(got - want) <= 0.03 * want + 1e-3 else f"loss {got:.4g}, without OpenCL {want:.4g}"
        cases.time(name, call, check=check)
