"""Configuration files as programs see them, through the ICD loader: which programs a section names, and ranks.

config_files.py LIBWEFT
"""
import os
import subprocess
import sys
import tempfile

library = os.path.abspath(sys.argv[1])
# A program: prints the platform's name and the device's vendor. The second loader call is the first that
# opens drivers.
PROGRAM = """
import ctypes, sys
for name in sys.argv[1:]:
    ctypes.CDLL(name)
cl = ctypes.CDLL("libOpenCL.so.1")
platform, device, text = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.create_string_buffer(300)
assert cl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
assert cl.clGetPlatformInfo(platform, 0x0902, 300, text, None) == 0
name = text.value.decode()
assert cl.clGetDeviceIDs(platform, ctypes.c_ulong(0xffffffff), 1, ctypes.byref(device), None) == 0
assert cl.clGetDeviceInfo(device, 0x102c, 300, text, None) == 0
print(name, text.value.decode(), sep="|")
"""


def run(home, command, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "XDG_"))}
    env.update({"HOME": home, "PYTHONPATH": home, "PYTHONDONTWRITEBYTECODE": "1", "WEFT_CACHE": "0", **more})
    p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home)
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout}{p.stderr}"
    return p.stdout.strip(), p.stderr


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def check_sections(home):
    """Each way to start a program, and the sections that are for it."""
    script, other = os.path.join(home, "train.py"), os.path.join(home, "with_line")
    write(script, PROGRAM)
    write(other, f"#!{sys.executable}\n" + PROGRAM)
    os.chmod(other, 0o755)
    starts = {"script": [sys.executable, "-X", "utf8", "-u", script], "module": [sys.executable, "-m", "train"], "line": [other],
              "command": [sys.executable, "-c", PROGRAM], "library": [sys.executable, script, "libz.so.1"]}
    rows = [("[all]", set(starts)), ("[program train.py]", {"script", "library"}), ("[program train]", {"module"}),
            ("[program with_line]", {"line"}), ("[program python3*]", set(starts)), ("[program utf8]", set()),
            ("[library libOpenCL.so*]", set(starts)), ("[library libnothing.so]", set())]
    for section, expected in rows:
        write(os.path.join(home, ".config/weft.conf"), f"{section}\nWEFT_DEVICE_VENDOR = Somebody\nWEFT_PLATFORM_NAME=Other\n")
        found = {k for k, command in starts.items() if run(home, command)[0] == "Other|Somebody"}
        assert found == expected, f"{section} applies to {found}, not {expected}"


def check_ranks(home):
    command = [sys.executable, "-c", PROGRAM]
    write(os.path.join(home, ".config/weft.conf"), "WEFT_PLATFORM_NAME=user\n")
    write(os.path.join(home, "xdg/weft.conf"), "WEFT_PLATFORM_NAME=xdg\n")
    write(os.path.join(home, "mine"), "WEFT_PLATFORM_NAME=mine\n")

    def name(**more):
        return run(home, command, **more)[0].split("|")[0]
    assert name() == "user"
    assert name(XDG_CONFIG_HOME=home + "/xdg") == "xdg"
    assert name(WEFT_CONF=home + "/mine") == "mine"
    assert name(WEFT_CONF="none") == "Weft"
    assert name(WEFT_PLATFORM_NAME="environment") == "environment"
    assert name(WEFT_PLATFORM_NAME="") == "Weft"
    assert run(home, command, WEFT_DEVICE_VENDOR="x" * 256)[0] != "user|" + "x" * 256


def check_reports(home):
    command, path = [sys.executable, "-c", PROGRAM], os.path.join(home, ".config/weft.conf")
    write(path, "WEFT_PLATFORM_NAME=user\nwhat is this\nWEFT_VF=3\n")
    out, err = run(home, command)
    assert out.startswith("user|") and f"{path}:2: " in err and f"{path}:3: WEFT_VF=3 is ignored" in err, err
    out, err = run(home, command, WEFT_LOG="info", WEFT_THREADS="1")
    for line in (f"setting WEFT_PLATFORM_NAME=user, from {path}:1", "setting WEFT_THREADS=1, from the environment"):
        assert line in err, f"{line} isn't in:\n{err}"
    assert "WEFT_COMPILERS" not in err, err  # a default


def check_shipped():
    """The shipped file lies beside the compiler, is understood, and says nothing for a program that it doesn't name."""
    path = os.path.join(os.path.dirname(library), "weft/weft.conf")
    assert os.path.exists(path), path
    with tempfile.TemporaryDirectory(prefix="weft-conf-") as home:
        out, err = run(home, [sys.executable, "-c", PROGRAM], WEFT_LOG="debug")
        assert f"configuration file: {path}" in err and "warning" not in err, err
        assert out.startswith("Weft|") and err.count("setting ") == 2, err  # WEFT_LOG and WEFT_CACHE, of this test
        with open(path) as f:
            rows = [line for line in f if line.strip() and not line.startswith(("#", "["))]
        # All of its settings are valid: as a file for all programs none is reported.
        write(os.path.join(home, "all.conf"), "[all]\n" + "".join(rows))
        err = run(home, [sys.executable, "-c", PROGRAM], WEFT_CONF=home + "/all.conf", WEFT_LOG="info")[1]
        assert err.count("all.conf:") >= 1 and "warning" not in err, err


with tempfile.TemporaryDirectory(prefix="weft-conf-") as top:
    check_sections(top)
    check_ranks(top)
    check_reports(top)
check_shipped()
