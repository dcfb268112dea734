"""What examples/mpi-heat/README.md says of a process that dies, here and on three hosts, and of the restart: its commands are
typed in their order, and print what stands there.

heat_restart.py MPIRUN PROGRAM README CLUSTER     CLUSTER: scripts/cluster
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from expected import blocks_of, pattern

mpirun, program, readme, cluster = (os.path.abspath(a) for a in sys.argv[1:])
PATIENCE = 200  # seconds


def skip(why):
    print("skip:", why)
    sys.exit(77)


def type_in(folder, block):
    """Checks that the block's commands print the lines after them. "pkill" must find the block's own processes only."""
    lines = block.splitlines()
    typed = [line[2:] for line in lines if line.startswith("$ ")]
    expected = [line for line in lines if not line.startswith("$ ") and line.strip() != "..."]
    assert typed and expected, block
    own = [] if typed[0].startswith("../../scripts/cluster ") else ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    shell = typed.pop(0).split() if not own else ["bash"]
    env = dict(os.environ, PATH=os.path.dirname(mpirun) + os.pathsep + os.environ["PATH"])
    p = subprocess.run([*own, *shell, "-c", "\n".join([*typed, "wait"])], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=PATIENCE)
    print(*typed, p.stdout, sep="\n", flush=True)
    if p.returncode == 77:
        skip("there can be no cluster here")
    found = iter(p.stdout.splitlines())
    for line in expected:
        # Another rank may notice that a connection broke, and be the first to end.
        words = re.sub(r"node \S+ ", "node HOST ", line)
        regex = pattern(words).replace("HOST", r"\S+").replace(re.escape("(Killed)"), r"\((?:Killed|Broken pipe)\)")
        assert any(re.fullmatch(regex, l.strip()) for l in found), f"there is no line, or not there: {line}"


if "open-mpi.org" not in subprocess.run([mpirun, "--version"], stdout=subprocess.PIPE, text=True).stdout:
    skip("the README's words are those of Open MPI")
if not shutil.which("pkill") or subprocess.run(["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "true"]).returncode != 0:
    skip("there is no pkill, or nobody may have processes of his own")
with tempfile.TemporaryDirectory(prefix="weft-mpi-") as top:
    example = os.path.join(top, "examples/mpi-heat")
    os.makedirs(example)
    shutil.copy(program, os.path.join(example, "mpi-heat"))
    os.symlink(os.path.dirname(cluster), os.path.join(top, "scripts"))
    blocks = [text for _, text in blocks_of(readme) if "pkill" in text or "--restart" in text]
    assert len(blocks) == 3, blocks
    for block in blocks:
        type_in(example, block)
