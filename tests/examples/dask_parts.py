"""examples/dask-images: each of the workers of a host has another part of it, whatever they are called. One that is bound to
processors of its own has the first part of them.

dask_parts.py PROGRAM
"""
import subprocess
import sys

PYTHON = "/usr/bin/python3"  # Debian's packages belong to it
CODE = r"""
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("dask_images", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
program.Pipeline = lambda part, parts: part
class Worker:
    scheduler = type("", (), {"address": "tcp://none"})
    def __init__(self, name): self.name = name
def part(plugin, name):
    plugin.setup(Worker(name))
    return plugin.pipeline
plugins = [program.OpenCL(3) for _ in range(4)]
print([part(plugin, name) for plugin, name in zip(plugins, ("worker1", "worker4", "worker7"))])
plugins[1].held.close()  # a worker that ends; another one takes its place
print(part(plugins[3], "host-2-worker-10"))
os.sched_getaffinity = lambda pid: {1000, 1001}
print(part(program.OpenCL(3), "worker11"))
"""
p = subprocess.run([PYTHON, "-c", CODE, sys.argv[1]], stdout=subprocess.PIPE, text=True)
print(p.stdout)
if p.returncode == 77:
    sys.exit(77)
assert p.returncode == 0 and p.stdout == "[0, 1, 2]\n1\n0\n", p.returncode
