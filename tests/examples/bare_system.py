"""The steps of examples/ci on a bare Debian 12 in a chroot: what is missing there is installed by the steps themselves.

bare_system.py EXAMPLES_DIR BUILD_DIR      BUILD_DIR: of Weft, which the steps use instead of building one

Needs root, and Debian's mirror. The bare system is kept in BUILD_DIR/bare-debian-12; each run works in a layer above it, which
is thrown away. To make it takes debootstrap and minutes, so that is done with WEFT_TEST_LONG only.
"""
import os
import shutil
import subprocess
import sys
import tempfile

examples, build = (os.path.abspath(a) for a in sys.argv[1:])
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"


def skip(reason):
    print(f"skip: {reason}")
    sys.exit(77)


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)


if not shutil.which("unshare") or os.getuid() != 0 or run("unshare", "-m", "true").returncode != 0:
    skip("only root may mount and change into another system, with unshare")
base = os.path.join(build, "bare-debian-12")
if not os.path.exists(base):
    debootstrap = shutil.which("debootstrap", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not os.environ.get("WEFT_TEST_LONG"):
        skip(f"there is no {base}; WEFT_TEST_LONG=1 makes it, which takes minutes")
    if not debootstrap:
        skip("there is no debootstrap")
    unfinished = base + ".new"
    shutil.rmtree(unfinished, ignore_errors=True)
    p = run(debootstrap, "--variant=minbase", SUITE, unfinished, MIRROR)
    if p.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        skip(f"debootstrap failed; is {MIRROR} within reach? It said:\n{p.stdout[-2000:]}")
    os.rename(unfinished, base)

# The built Weft is at its own path, for weft.icd names that. Nothing of the host is writable.
STEPS = r"""
mount -t tmpfs none "$WORK"
mkdir "$WORK/upper" "$WORK/layer" "$WORK/root"
mount -t overlay none -o "lowerdir=$BASE,upperdir=$WORK/upper,workdir=$WORK/layer" "$WORK/root"
cd "$WORK/root"
mkdir -p "./$BUILD/lib" "./$BUILD/vendors"
mount --bind "$BUILD/lib" "./$BUILD/lib"
mount --bind "$BUILD/vendors" "./$BUILD/vendors"
mount --bind /dev dev
mount -t proc none proc
cp /etc/resolv.conf etc/
cp -r "$EXAMPLES" root/examples
exec chroot . env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin OPENCL_VENDORS="$BUILD/vendors" \
    sh -c 'cd /root/examples && exec sh ci/test-on-weft.sh cmake-project'
"""
with tempfile.TemporaryDirectory(prefix="weft-bare-") as work:
    env = dict(os.environ, WORK=work, BASE=base, BUILD=build, EXAMPLES=examples)
    p = run("unshare", "-m", "sh", "-ec", STEPS, env=env)
print(p.stdout[-8000:])
if p.returncode != 0:
    sys.exit(f"the steps end with status {p.returncode}")
if "100% tests passed, 0 tests failed out of 1" not in p.stdout:
    sys.exit("the project's test hasn't run")
