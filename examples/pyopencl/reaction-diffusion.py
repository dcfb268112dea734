#!/usr/bin/env python3
# coding: utf-8

# # Reaction and diffusion with PyOpenCL
#
# Two substances diffuse and react (the Gray-Scott model). Spots grow and divide. This notebook was exported as a script
# with `jupyter nbconvert --to script`.

# In[1]:


import sys

try:
    import matplotlib
    import numpy as np
    import pyopencl as cl
    import pyopencl.array
    from pyopencl.reduction import ReductionKernel
except ImportError as e:
    print(f"skip: {e}. Pythons of pyenv or conda don't see Debian's packages: try /usr/bin/python3")
    sys.exit(77)
matplotlib.use("Agg")  # a script has no notebook to draw into
import matplotlib.pyplot as plt

SIZE, STEPS, CHECKED_STEPS = 192, 3000, 50
FEED, KILL = np.float32(0.035), np.float32(0.062)
try:  # the first device of any platform: a driver may be installed whose device isn't there
    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
except cl.Error:  # no platform is an error
    devices = []
if not devices:
    sys.exit("reaction-diffusion: there is no OpenCL device")
context = cl.Context(devices[:1])
queue = cl.CommandQueue(context)
print("device:", context.devices[0].name)


# ## The kernel
#
# A work-item for each cell. The edges of the square are joined, so that it has no border.

# In[2]:


program = cl.Program(context, """
float laplacian(global const float *a, int size, int x, int y)
{
    int left = (x + size - 1) % size, right = (x + 1) % size;
    int up = (y + size - 1) % size * size, down = (y + 1) % size * size;
    return a[y * size + left] + a[y * size + right] + a[up + x] + a[down + x] - 4.0f * a[y * size + x];
}

kernel void react(global const float *u, global const float *v, global float *next_u, global float *next_v, int size,
                  float feed, float kill)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * size + x;
    float reaction = u[i] * v[i] * v[i];
    next_u[i] = u[i] + 0.16f * laplacian(u, size, x, y) - reaction + feed * (1.0f - u[i]);
    next_v[i] = v[i] + 0.08f * laplacian(v, size, x, y) + reaction - (feed + kill) * v[i];
}
""").build()
react = cl.Kernel(program, "react")


# ## The start
#
# Substance u everywhere, and v in a few small squares. `pyopencl.array` keeps NumPy's arrays on the device.

# In[3]:


u, v = np.ones((SIZE, SIZE), np.float32), np.zeros((SIZE, SIZE), np.float32)
random = np.random.RandomState(1)
for x, y in random.randint(0, SIZE - 8, (12, 2)):
    u[y:y + 8, x:x + 8], v[y:y + 8, x:x + 8] = 0.5, 0.25
now = [cl.array.to_device(queue, u), cl.array.to_device(queue, v)]
then = [cl.array.empty_like(a) for a in now]


# ## Check
#
# NumPy computes the first steps, too.

# In[4]:


def laplacian(a):
    return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a


def step_on_device():
    global now, then
    react(queue, (SIZE, SIZE), None, now[0].data, now[1].data, then[0].data, then[1].data, np.int32(SIZE), FEED, KILL)
    now, then = then, now


for _ in range(CHECKED_STEPS):
    step_on_device()
    reaction = u * v * v
    u, v = (u + np.float32(0.16) * laplacian(u) - reaction + FEED * (1 - u),
            v + np.float32(0.08) * laplacian(v) + reaction - (FEED + KILL) * v)
error = np.max([abs(now[0].get() - u), abs(now[1].get() - v)])  # which is NaN if one of them is
print(f"after {CHECKED_STEPS} steps the results are", "right" if error < 1e-4 else f"WRONG by {error}")


# ## Run
#
# A reduction kernel adds up v from time to time.

# In[5]:


total = ReductionKernel(context, np.float32, neutral="0", reduce_expr="a + b", map_expr="v[i]",
                        arguments="const __global float *v")
steps, amounts = [], []
for step in range(CHECKED_STEPS, STEPS):
    step_on_device()
    if step % 50 == 0:
        steps.append(step)
        amounts.append(float(total(now[1]).get()) / SIZE**2)
sum_is_right = np.isclose(total(now[1]).get(), now[1].get().sum(dtype=np.float64), rtol=1e-4)
print("the sum of v is", "right" if sum_is_right else "WRONG")


# ## Plots

# In[6]:


figure, (pattern, curve) = plt.subplots(1, 2, figsize=(7, 3), layout="tight")
pattern.imshow(now[1].get(), cmap="magma")
pattern.set_title(f"substance v after {STEPS} steps")
pattern.set_axis_off()
curve.plot(steps, amounts)
curve.set_xlabel("step")
curve.set_ylabel("mean of v")
try:
    figure.savefig("reaction-diffusion.png", dpi=68)
except OSError as e:
    sys.exit(f"reaction-diffusion: cannot write reaction-diffusion.png: {e.strerror}")
print("image: reaction-diffusion.png")
sys.exit(0 if error < 1e-4 and sum_is_right else 1)
