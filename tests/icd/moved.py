"""What cpack makes works wherever it is unpacked, also when it is moved, in a folder that can't be written, and beside a disk
cache of another version.

moved.py BUILD_DIR LIBDIR TEST_PROGRAM TEST_NAME
"""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

build, libdir, program, test = sys.argv[1:]
clean = {k: v for k, v in os.environ.items() if not k.startswith(("WEFT_", "OCL_ICD_", "OPENCL_")) and k != "DESTDIR"}


def run(command, **more):
    p = subprocess.run(command, env=dict(clean, WEFT_CONF="none", **more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, cwd="/")
    assert p.returncode == 0, f"{command}: {p.returncode}\n{p.stdout}"
    return p.stdout


def selected(tree):
    """What `weft env` sets."""
    return dict(re.findall(r"^export (\w+)='([^']*)'$", run([os.path.join(tree, "bin/weft"), "env"]), re.M))


def entries(folder):
    return {n for n in os.listdir(folder) if re.fullmatch(r"[pkv][0-9a-f]{32}", n)}


with tempfile.TemporaryDirectory(prefix="weft-moved-") as top:
    # gzip, since it is quicker. The file's content is that of the .tar.xz.
    run(["cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-G", "TGZ", "-B", os.path.join(top, "cpack")])
    [package] = [n for n in os.listdir(os.path.join(top, "cpack")) if n.endswith(".tar.gz")]
    assert re.fullmatch(r"weft-\d+\.\d+\.\d+-linux-\w+\.tar\.gz", package), package
    with tarfile.open(os.path.join(top, "cpack", package)) as t:
        t.extractall(top)
    tree = os.path.join(top, package[:-len(".tar.gz")])
    library = os.path.join(libdir, "libweft.so")
    with open(os.path.join(tree, "etc/OpenCL/vendors/weft.icd")) as f:
        assert f.read() == "libweft.so\n"
    for place in "first place", "second":
        moved = os.path.join(top, place)
        os.rename(tree, moved)
        tree = moved
        env = selected(tree)
        assert env == {n: os.path.join(tree, library) for n in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")}, env
        run([program, test], WEFT_CACHE="0", **env)
        told = run([os.path.join(tree, "bin/weft"), "doctor"], WEFT_CACHE="0", **env)
        assert "Nothing is wrong" in told and f"{tree}/{library} (this Weft)" in told, told
        run([os.path.join(tree, "bin/weftc"), "--version"])
    if shutil.which("clinfo"):
        assert run(["clinfo", "-l"], **env).count("Platform #") == 1

    # A disk cache that another version has filled isn't used, and what it has stays for that version.
    # The other version is this library with a different number in it.
    cache = os.path.join(top, "cache")
    os.mkdir(cache, 0o700)  # a umask of 002 would let others write
    env.update(WEFT_CACHE="1", WEFT_CACHE_DIR=cache)
    run([program, test], **env)
    ours = entries(cache)
    assert ours, os.listdir(cache)
    run([program, test], **env)
    assert entries(cache) == ours, "nothing was found in the cache"
    path = os.path.join(tree, library)
    with open(path, "rb") as f:
        content = f.read()
    version = re.match(r"weftc ([\d.]+)-", run([os.path.join(tree, "bin/weftc"), "--version"]))[1].encode()
    assert content.count(version) >= 1, version
    with open(path + ".new", "wb") as f:
        f.write(content.replace(version, b"9" + version[1:]))
    os.chmod(path + ".new", 0o755)
    os.rename(path, path + ".old")
    os.rename(path + ".new", path)
    run([program, test], **env)
    both = entries(cache)
    assert ours < both and len(both) == 2 * len(ours), (len(ours), len(both))
    os.rename(path + ".old", path)
    run([program, test], **env)
    assert entries(cache) == both, "entries of the first version are gone"

    # Other support functions are another compiler, too: here the time of a member of their archive differs.
    path = os.path.join(tree, libdir, "weft/support.a")
    with open(path, "r+b") as f:
        f.seek(8 + 16)  # the archive's magic, the member's name
        f.write(b"7")
    run([program, test], **env)
    assert len(entries(cache)) == 3 * len(ours), (len(ours), len(entries(cache)))

    # Nothing is written beside the library.
    if os.getuid():
        run(["chmod", "-R", "a-w", tree])
        run([program, test], **env)
        run(["chmod", "-R", "u+w", tree])
