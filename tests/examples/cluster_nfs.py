"""A shared cache on a real NFS server, and three hosts that mount it: processes that start at once compile once; one that is killed
while it compiles is replaced by another host's, and one that compiles for long isn't; hosts with a folder of their own ask the server once, and then no
more; hosts without weftc run what is there. The server counts what it is asked.

cluster_nfs.py BUILD_DIR PROGRAM [ARGUMENT...]     PROGRAM: an OpenCL program that ends with 0 if its result is right

All that happens in a virtual machine (scripts/dma-buf-guest), since few machines' kernels have NFS. Its kernel is Debian's package
in BUILD_DIR/nfs-guest, which is downloaded. That takes minutes, so it runs with WEFT_TEST_LONG only. Needs qemu-system-x86, nfs-kernel-server and kmod.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
build, *program = (os.path.abspath(a) if os.path.exists(a) else a for a in sys.argv[1:])
HOSTS, PROCESSES = 3, 4  # processes: of a host
PATIENCE = 10  # seconds, of lib/runtime/compiler/disk_cache.c
TOOLS = ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/bin/taskset", "/bin/ip", "/bin/mkdir", "/bin/rm", "/bin/cat", "/bin/ls", "/bin/sleep",
         "/bin/grep", "/bin/kill", "/bin/date", "/bin/umount", "/bin/chmod", "/usr/bin/sort", "/usr/bin/wc", "/bin/ps"]
NFS = ["/usr/sbin/exportfs", "/usr/sbin/rpc.nfsd", "/usr/sbin/rpc.mountd", "/sbin/mount.nfs4", "/etc/netconfig", "/etc/protocols", "/etc/services"]

# What runs in the virtual machine. Lines that begin with "=" are for this test.
GUEST = r"""#!/bin/sh
export PATH=/usr/sbin:/sbin:/usr/bin:/bin WEFT_CONF=none WEFT_TIER=2
mkdir -p /run /var/lib/nfs/sm /var/lib/nfs/v4recovery /srv/weft /nfs
ip link set lo up
mount -t tmpfs none /srv
mkdir /srv/weft
mount -t nfsd nfsd /proc/fs/nfsd
echo '/srv *(rw,sync,fsid=0,no_root_squash,no_subtree_check,insecure)' >/etc/exports
: >/var/lib/nfs/etab
echo 10 >/proc/fs/nfsd/nfsv4gracetime # for so long nothing can be opened
exportfs -a && rpc.mountd -N 3 && rpc.nfsd -N 3 -V 4.2 4 || exit 3
hosts="1 2 3"
for i in $hosts; do
    unshare --net --mount --uts sh -c "echo \$\$ >/run/$i; exec sleep 10000" &
    until [ -s /run/$i ]; do sleep 0.05; done
    ip link add v$i type veth peer name eth0 netns $(cat /run/$i)
    ip address add 10.78.$i.1/24 dev v$i
    ip link set v$i up
done
on() { # HOST COMMAND
    nsenter -n -m -u -t $(cat /run/$1) sh -c "$2"
}
mounted() {
    for i in $hosts; do
        on $i "umount /nfs 2>/dev/null; mount -t nfs4 -o vers=4.2 10.78.$i.1:/weft /nfs" || exit 4
    done
}
for i in $hosts; do
    on $i "echo node$i >/proc/sys/kernel/hostname; ip link set lo up; ip address add 10.78.$i.2/24 dev eth0; ip link set eth0 up
        mkdir -p /own; mount -t tmpfs none /own
        cat /proc/sys/kernel/random/uuid >/own/boot; mount --bind /own/boot /proc/sys/kernel/random/boot_id" # another machine
done
mounted
calls() {
    while read -r name n rest; do [ $name != rpc ] || echo $n; done </proc/net/rpc/nfsd
}
# NAME CACHE [HOSTS [SETTINGS]]: PROCESSES on each host at once; what failed, and what was compiled
all() {
    rm -f /tmp/*.json /tmp/failed
    before=$(calls) started=$(date +%s)
    for i in ${3:-$hosts}; do
        for j in @PROCESSES@; do
            on $i "cd /own && $4 WEFT_CACHE_DIR=$2 WEFT_TRACE=/tmp/$i.$j.json @PROGRAM@ >/tmp/$i.$j.out 2>&1 || { cat /tmp/$i.$j.out; echo $i.$j >>/tmp/failed; }" &
            last="$last $!"
        done
    done
    wait $last
    last=
    echo "= $1: failed $(cat /tmp/failed 2>/dev/null | wc -l), front ends $(cat /tmp/*.json | grep '"name":"front end"' | grep -c '"status":0')," \
        "kernels $(cat /tmp/*.json | grep '"name":"compile"' | grep -c '"status":0'), calls $(($(calls) - before)), seconds $(($(date +%s) - started))"
}
echo "$(cat /proc/version)"
on 1 "cat /proc/mounts" | grep nfs4
all empty /nfs
echo "= entries $(ls /srv/weft | grep -c '^k'), left $(ls -a /srv/weft | grep -c tmp)"
mounted
all prepared /nfs
mounted
all own /own/a:/nfs
all again /own/a:/nfs
# The first host's process is killed in the middle of a compile. What it has claimed is its own host's at once, which sees that,
# and the other hosts' ten seconds later.
killed() { # NAME HOSTS
    claims=0
    for try in 1 2 3 4 5 6 7 8; do # it may be done before this notices its claim
        [ $claims = 0 ] || break
        rm -rf /srv/weft/*
        mounted
        since=$(date +%s)
        # Not by `on`: all these become the program, which is killed at once.
        nsenter -n -m -u -t $(cat /run/1) sh -c "cd /own && WEFT_CACHE_DIR=/nfs exec @PROGRAM@ >/tmp/killed.out 2>&1" &
        process=$!
        until grep -qs . /srv/weft/tmp.claim.* || ! kill -0 $process; do sleep 0.01; done
        kill -9 $process
        for pid in $(ps -eo pid,args | grep -- '@NAME@\|weftc' | grep -v grep | while read -r pid rest; do echo $pid; done); do kill -9 $pid; done
        claims=$(ls /srv/weft | grep -c claim)
    done
    echo "= $1 claims $claims"
    all $1 /nfs "$2"
    echo "= $1 seconds $(($(date +%s) - since)), claims left $(ls -a /srv/weft | grep -c tmp.claim)," \
        "files left $(ls -a /srv/weft | grep tmp | grep -vc tmp.claim), entries $(ls /srv/weft | grep -c '^k')"
    ls -la /srv/weft
}
killed others "2 3"
killed itself "1"
# A compiler that takes longer than a claim may stand still.
printf '#!/bin/sh\nsleep 13\nexec @WEFT@/weftc "$@"\n' >/tmp/slow-weftc
chmod 755 /tmp/slow-weftc
rm -rf /srv/weft/*
mounted
all slow /nfs "$hosts" WEFT_WEFTC=/tmp/slow-weftc
echo "= slow entries $(ls /srv/weft | grep -c '^k'), left $(ls -a /srv/weft | grep -c tmp)"
# Nothing is prepared, and each host has a folder of its own: the shared one is asked in vain, and not written.
rm -rf /srv/weft/*
mounted
all alone /own/d:/nfs
on 1 'echo "= alone entries $(ls /own/d | grep -c ^k), claims $(ls /own/d | grep -c claim)"'
# Nodes without a compiler.
all bare_prepared /nfs
mounted
rm -r @WEFT@
for i in $hosts; do on $i "rm -rf /own/[abc]; mount -o remount,ro /nfs"; done
all bare /own/b:/nfs
all bare_again /own/b:/nfs
on 1 "cd /own && WEFT_CACHE_DIR=/own/c @PROGRAM@" && echo "= it compiles without a compiler"
exit 0
"""


def skip(why):
    print("skip:", why)
    sys.exit(77)


def find_kernel():
    folder = os.path.join(build, "nfs-guest")
    if not glob.glob(folder + "/*.deb"):
        depends = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], stdout=subprocess.PIPE, text=True).stdout
        image = re.search(r"Depends: (linux-image-\S+)", depends)
        os.makedirs(folder, exist_ok=True)
        if not image or subprocess.run(["apt-get", "download", "-q", image[1]], cwd=folder).returncode != 0:
            skip("Debian's kernel can't be downloaded")
    return glob.glob(folder + "/*.deb")[0]


def run(folder):
    guest = os.path.join(folder, "guest")
    text = GUEST
    for name, value in (("PROCESSES", " ".join(str(j) for j in range(PROCESSES))), ("PROGRAM", " ".join(program)),
                        ("NAME", os.path.basename(program[0])), ("WEFT", os.path.join(build, "lib/weft"))):
        text = text.replace(f"@{name}@", value)
    with open(guest, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(guest, 0o755)
    command = [os.path.join(TOP, "scripts/dma-buf-guest"), "--build", build, "--timeout", "1500"]
    for module in "veth", "nfsd", "nfsv4":
        command += ["--module", module]
    for path in [*TOOLS, *NFS, *(a for a in program if a[0] == "/")]:
        command += ["--file", path]
    out = ""
    with subprocess.Popen([*command, find_kernel(), guest], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as p:
        for line in p.stdout:
            print(line, end="", flush=True)
            out += line
    assert p.returncode == 0, p.returncode
    return out


def main():
    if not os.environ.get("WEFT_TEST_LONG"):
        skip("that takes long, as the processor is emulated; WEFT_TEST_LONG=1 does it")
    missing = [t for t in ["qemu-system-x86_64", "/sbin/insmod", *TOOLS, *NFS] if not (os.path.exists(t) or shutil.which(t))]
    if missing:
        skip(f"there is no {', '.join(missing)}")
    with tempfile.TemporaryDirectory(prefix="weft-nfs-") as folder:
        out = run(folder)
    found = {name: [int(n) for n in numbers] for name, *numbers in re.findall(
        r"^= (\w+): failed (\d+), front ends (\d+), kernels (\d+), calls (\d+), seconds (\d+)", out, re.M)}
    entries, left = (int(n) for n in re.search(r"^= entries (\d+), left (\d+)", out, re.M).groups())
    failed, front_ends, kernels, calls, took = range(5)
    assert len(found) == 11 and not any(f[failed] for f in found.values()), found
    # Once in the whole cluster, and nothing but entries stays.
    assert entries > 0 and left == 0 and found["empty"][front_ends] == 1 and found["empty"][kernels] == entries, (found, entries, left)
    entries, left = (int(n) for n in re.search(r"^= slow entries (\d+), left (\d+)", out, re.M).groups())
    assert entries > 0 and left == 0 and found["slow"][front_ends] == 1 and found["slow"][kernels] == entries, (found, entries, left)
    assert found["slow"][took] > 13, found
    # Once on each host.
    entries, claims = (int(n) for n in re.search(r"^= alone entries (\d+), claims (\d+)", out, re.M).groups())
    assert found["alone"][front_ends] == HOSTS and found["alone"][kernels] <= HOSTS * (entries + 1), (found, entries)
    assert entries > 0 and claims == 0, (entries, claims)
    for name in "prepared", "own", "again", "bare", "bare_again":
        assert found[name][front_ends] == found[name][kernels] == 0, found
    # One process of a host asks for all of it, and then the host knows. A client also asks something by
    # itself each minute.
    own, prepared = (f[calls] - HOSTS * f[took] / 60 for f in (found["own"], found["prepared"]))
    assert own * 1.5 < prepared, found
    assert found["again"][calls] <= HOSTS * (2 + found["again"][took] // 30), found
    for name in "others", "itself":
        assert int(re.search(rf"^= {name} claims (\d+)", out, re.M)[1]) > 0, "it was killed too early or too late"
        seconds, claims, files, entries = (int(n) for n in re.search(
            rf"^= {name} seconds (\d+), claims left (\d+), files left (\d+), entries (\d+)", out, re.M).groups())
        # The killed process may leave files that its threads were writing. They go when they are old.
        assert claims == 0 and files <= 2 and entries > 0, (name, claims, files, entries)
        assert found[name][front_ends] <= 1 and found[name][kernels] <= entries, (name, found)
        if name == "others":
            assert seconds >= PATIENCE, "the killed process's claim was taken early"
    assert "it compiles without a compiler" not in out
    for name in "prepared", "own", "again", "alone", "bare", "bare_again":
        print(f"{name}: the server was asked {found[name][calls]} times")
    # As often as the model says (docs/distributed.md), within a half, and what the clients do by themselves.
    model = subprocess.run([os.path.join(TOP, "scripts/cluster-model"), "--operations"], stdout=subprocess.PIPE, text=True, check=True).stdout
    for name, said in (line.split() for line in model.splitlines()):
        assert int(said) / 2 <= found[name][calls] <= int(said) * 1.5 + 5 * HOSTS, (name, said, found[name])


main()
