"""The examples on a bare Debian 12 in a chroot, where nothing is installed but what they say.

bare_system.py ci EXAMPLES_DIR BUILD_DIR                the commands of the workflow files in examples/ci
bare_system.py clone EXAMPLES_DIR BUILD_DIR             the same, which clone and build Weft
bare_system.py readmes EXAMPLES_DIR BUILD_DIR [NAME...] the command of each README, after what README.md and it install

BUILD_DIR: of Weft, which is mounted into the bare system, other than for `clone`. Needs root, and Debian's mirror. The bare
system is kept in BUILD_DIR/bare-debian-12; each run works in a layer above it, which is thrown away. Pictures that
READMEs' commands make are kept in BUILD_DIR/bare-pictures, to be looked at. To make the system takes debootstrap and
minutes, so that is done with WEFT_TEST_LONG only (scripts/test --long); `clone` and `readmes` are always long.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile

what, examples, build = sys.argv[1], *(os.path.abspath(a) for a in sys.argv[2:4])
only = sys.argv[4:]
here = os.path.dirname(os.path.abspath(__file__))
SUITE, MIRROR = "bookworm", "http://deb.debian.org/debian"
LONG = bool(os.environ.get("WEFT_TEST_LONG"))
NEEDED_BY_WEFT = "libhwloc15 zlib1g libzstd1"
base = os.path.join(build, "bare-debian-12")
pictures = os.path.join(build, "bare-pictures")


def skip(reason):
    print(f"skip: {reason}")
    sys.exit(77)


def run(*command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)


# $LAYERS: folders, the topmost first. What the commands change is in $WORK/upper. The built Weft is at its
# own path, for weft.icd names that. Nothing of the host is writable but the downloaded packages.
MOUNT = r"""
mkdir -p "$WORK/upper" "$WORK/layer" "$WORK/root"
mount -t overlay none -o "lowerdir=$LAYERS,upperdir=$WORK/upper,workdir=$WORK/layer" "$WORK/root"
cd "$WORK/root"
if [ -n "$BUILD" ]; then
    mkdir -p "./$BUILD/lib" "./$BUILD/vendors"
    mount --bind -o ro "$BUILD/lib" "./$BUILD/lib"
    mount --bind -o ro "$BUILD/vendors" "./$BUILD/vendors"
fi
[ -z "$PACKAGES" ] || mount --bind "$PACKAGES" var/cache/apt/archives
mount --bind /dev dev
mount -t tmpfs none dev/shm
mount -t proc none proc
mount -t sysfs -o ro none sys
cp /etc/resolv.conf etc/
mkdir -p root/given
mount --bind -o ro "$GIVEN" root/given
exec chroot . env -i HOME=/root DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -ec "$COMMANDS"
"""


def in_bare_system(commands, work, given, layers=(), weft=build, packages=""):
    """given: a folder that is /root/given there. packages: a folder that keeps what apt downloads."""
    env = dict(os.environ, WORK=work, LAYERS=":".join([*layers, base]), BUILD=weft, GIVEN=given, PACKAGES=packages, COMMANDS=commands)
    return run("unshare", "-m", "sh", "-ec", MOUNT, env=env)


def make_base():
    debootstrap = shutil.which("debootstrap", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not LONG:
        skip(f"there is no {base}; WEFT_TEST_LONG=1 makes it, which takes minutes")
    if not debootstrap:
        skip("there is no debootstrap")
    unfinished = base + ".new"
    with open(base + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run at once, and need one system
        if os.path.exists(base):
            return
        shutil.rmtree(unfinished, ignore_errors=True)
        p = run(debootstrap, "--variant=minbase", SUITE, unfinished, MIRROR)
        if p.returncode != 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            sys.exit(f"debootstrap failed; is {MIRROR} within reach? It said:\n{p.stdout[-2000:]}")
        os.rename(unfinished, base)


# ---- Workflow files ----

# Of each file the variables that it sets, what it runs, and the results that it keeps.
WORKFLOWS = {
    "github.yml": (r"^ {6}([A-Z_]+): (.*)$", r"^ +- run: (.*)$", r"^ +path: (.*\.xml)$"),
    "gitlab-ci.yml": (r"^ {4}([A-Z_]+): (.*)$", r"^  script:\n((?:    - .*\n)+)", r"junit: (.*)$"),
    "Jenkinsfile": (r'\b([A-Z_]+) = "(.*?)"', r"\bsh '(.*?)'", r"junit '(.*?)'"),
}
# What their systems put in, here: the names are variables of the shell.
PUT_IN = {"${{ vars.DRIVER_REPOSITORY }}": "$DRIVER_REPOSITORY", "${{ vars.DRIVER_VERSION }}": "${DRIVER_VERSION:-}", "$CI_PROJECT_DIR": "$PWD", "${env.WORKSPACE}": "$PWD"}
COPIED, WEFTS_LAYER = "== the project is copied", "sh /opt/test-on-weft.sh"


def text_of(name):
    with open(os.path.join(examples, "ci", name), encoding="utf-8") as f:
        text = f.read()
    assert "debian:12" in text, f"{name} runs on another system than this one"
    return text


def commands_of(name):
    text = text_of(name)
    variables, command, results = (re.findall(pattern, text, re.M) for pattern in WORKFLOWS[name])
    assert command, f"{name} runs nothing"
    for variable, value in variables:
        for system, shell in PUT_IN.items():
            value = value.replace(system, shell)
        assert "${{" not in value and "${env" not in value, f"{name}: {variable} is {value}"
        yield f'export {variable}="{value}"'
    yield from (re.sub(r"^    - ", "", line) for part in command for line in part.splitlines())
    yield from (f"test -s {r}" for r in results)


def commands_of_container(name):
    """Instructions, one after the other. The folder that is built from is /root/project."""
    yield "cd /"
    for word, rest in re.findall(r"^([A-Z]+) (.*)$", text_of(name), re.M):
        if word == "COPY":
            source, target = rest.split()
            yield f"cp -r /root/project/{source} {target}"
            if source == ".":
                yield f"echo '{COPIED}'"
        elif word in ("RUN", "ENV", "WORKDIR"):
            yield {"RUN": rest, "ENV": f"export {rest}", "WORKDIR": f"mkdir -p {rest} && cd {rest}"}[word]
        else:
            assert word in ("FROM", "ARG"), word


# The projects, and what their tests print.
PASSED = {"cmake-project": r"100% tests passed, 0 tests failed out of 1\n", "meson-project": r"\nOk: +1 *\n(?:.*\n)*?Fail: +0 *\n"}


def workflows(weft, given, setting):
    """A project with the folder `ci`, as the README there says. Each file's commands run in a new one, which has what its name says
    of the one before: a built Weft. A container's is elsewhere. One file's also run with a Meson project."""
    files = {(name, "cmake-project"): list(commands_of(name)) for name in WORKFLOWS}
    container = list(commands_of_container("Containerfile"))
    if weft:  # its layer with Weft has nothing to do then, which is refused
        container = [c + " || test $? = 2" if c == WEFTS_LAYER else c for c in container]
    files["Containerfile", "cmake-project"] = container
    files["gitlab-ci.yml", "meson-project"] = files["gitlab-ci.yml", "cmake-project"]
    script = [f"export {setting}"]
    for (name, project), commands in files.items():
        script += [f"echo '==== {name}, {project}'", "mkdir /root/project",
                   f"cp -r /root/given/examples/{project}/. /root/given/examples/ci /root/project",
                   "[ ! -d /root/kept ] || mv /root/kept /root/project/weft",
                   "(set -ex; cd /root/project", *commands, ")",
                   "[ ! -d /root/project/weft ] || mv /root/project/weft /root/kept", "rm -rf /root/project"]
    with tempfile.TemporaryDirectory(prefix="weft-bare-", dir=build) as work:
        p = in_bare_system("\n".join(script), work, given, weft=weft)
    print(p.stdout[-12000:])
    if p.returncode != 0:
        sys.exit(f"the steps end with status {p.returncode}")
    outputs = dict(zip(files, re.split("^==== .*$", p.stdout, flags=re.M)[1:]))
    for (name, project), out in outputs.items():
        if not re.search(PASSED[project], out):
            sys.exit(f"{name}, {project}: the project's test hasn't run")
    # Or each change of the project would build Weft again.
    if "+ " + WEFTS_LAYER not in outputs["Containerfile", "cmake-project"].partition("\n" + COPIED)[0]:
        sys.exit("the container gets Weft after the project")


# ---- READMEs ----

def packages_of(readme):
    """The names after "install", as `this`."""
    with open(readme, encoding="utf-8") as f:
        lists = re.findall(r"install\s+((?:`[\w.+-]+`(?:,?\s+(?:and\s+)?)?)+)", f.read())
    return " ".join(name for text in lists for name in re.findall("`(.*?)`", text))


def readmes():
    with open(os.path.join(examples, "README.md"), encoding="utf-8") as f:
        first = re.search(r"`sudo (apt install [^`]*)`", f.read())[1]
    bad = []
    with tempfile.TemporaryDirectory(prefix="weft-bare-", dir=build) as folder:
        given, common, packages = (os.path.join(folder, n) for n in ("given", "common", "packages"))
        os.mkdir(packages)
        shutil.copytree(examples, os.path.join(given, "examples"))
        for script in ("readme.py", "expected.py"):
            shutil.copyfile(os.path.join(here, script), os.path.join(given, script))
        # python3-minimal and libpython3-stdlib: for readme.py
        p = in_bare_system(f"apt-get -q update\n{first} -q -y --no-install-recommends\n"
                           f"apt-get install -q -y --no-install-recommends {NEEDED_BY_WEFT} python3-minimal libpython3-stdlib", common, given, packages=packages)
        if p.returncode != 0:
            sys.exit(p.stdout[-4000:])
        for name in only or sorted(os.listdir(examples)):
            readme = os.path.join(examples, name, "README.md")
            if not os.path.exists(readme):
                continue
            more = packages_of(readme)
            install = f"apt-get install -q -y --no-install-recommends {more} >/root/packages.log 2>&1 || cat /root/packages.log\n" if more else ""
            # Beside what is installed, if the example needs two platforms.
            vendors = "/etc/OpenCL/vendors" if name == "coexecution" else f"{build}/vendors"
            # Open MPI refuses root, and more processes than cores, unless it is told.
            script = (f"{install}mkdir -p /etc/OpenCL/vendors && cp {build}/vendors/*.icd /etc/OpenCL/vendors\n"
                      f"export OCL_ICD_VENDORS={vendors} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                      f"OMPI_MCA_rmaps_base_oversubscribe=1 PICTURES=/root/pictures\n"
                      f"mkdir /root/pictures\n"
                      f"python3 /root/given/readme.py /root/given/examples/{name} {build}/lib/weft/weftc")
            work = os.path.join(folder, name)
            p = in_bare_system(script, work, given, [os.path.join(common, "upper")], packages=packages)
            made = os.path.join(work, "upper/root/pictures")
            for picture in os.listdir(made) if os.path.isdir(made) else ():
                os.makedirs(pictures, exist_ok=True)
                shutil.copy(os.path.join(made, picture), os.path.join(pictures, f"{name}-{picture}"))
            shutil.rmtree(work, ignore_errors=True)
            print(f"==== {name}, with {more or 'nothing more'}: status {p.returncode}\n{p.stdout[-3000:]}", flush=True)
            if p.returncode != 0:
                bad.append(name)
    if bad:
        sys.exit(f"these fail: {bad}")


if not shutil.which("unshare") or os.getuid() != 0 or run("unshare", "-m", "true").returncode != 0:
    skip("only root may mount and change into another system, with unshare")
if what != "ci" and not LONG:
    skip("that takes long; WEFT_TEST_LONG=1 does it")
if not os.path.exists(base):
    make_base()
if what == "readmes":
    readmes()
else:
    with tempfile.TemporaryDirectory(prefix="weft-bare-", dir=build) as given_folder:
        shutil.copytree(examples, os.path.join(given_folder, "examples"))
        if what == "clone":
            subprocess.run(["git", "clone", "-q", "--bare", os.path.dirname(examples), os.path.join(given_folder, "weft.git")], check=True)
            workflows("", given_folder, "DRIVER_REPOSITORY=/root/given/weft.git GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'")
        else:
            workflows(build, given_folder, f"OPENCL_VENDORS={build}/vendors")
