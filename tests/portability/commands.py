"""Commands of a developer's shell, without what it sets for Weft and for compilers."""
import os
import subprocess

ENV = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "DESTDIR") and not k.startswith("WEFT_")}


def run(*command, **more):
    """What the command prints. more: further variables."""
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       env=dict(ENV, **more))
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout[-6000:]}"
    return p.stdout
