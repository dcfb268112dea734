"""What the tests of real clients share. Each runs an unmodified Debian program on Weft through the ICD loader."""
import os
import shutil
import subprocess
import sys
import tempfile

SKIP = 77


def skip(reason):
    print(f"skip: {reason}")
    sys.exit(SKIP)


def need(program):
    path = shutil.which(program)
    if not path:
        skip(f"{program} is not installed")
    return path


def fail(message, output=""):
    print(f"FAILED: {message}")
    if output:
        print(output)
    sys.exit(1)


def expect(condition, message, output=""):
    if not condition:
        fail(message, output)


def run(command, timeout=580, **more):
    """Returns (exit status, stdout, stderr); the client's home is a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="weft-client-") as home:
        env = dict(os.environ, HOME=home, XDG_DATA_HOME=home, PYOPENCL_NO_CACHE="1")
        env.update(more.pop("env", {}))
        try:
            p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=timeout, errors="replace", **more)
        except subprocess.TimeoutExpired as e:
            fail(f"{command[0]} did not end within {timeout} s", str(e.stdout)[-2000:] + str(e.stderr)[-2000:])
        return p.returncode, p.stdout, p.stderr
