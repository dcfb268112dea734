"""What the README of an example says is true: a user who copies the folder and runs the command gets this output.

readme.py FOLDER COMPILER      COMPILER: weftc, which the READMEs name without a folder

The first ```sh block is run in a copy of the folder, with the compilers that `cc` and `c++` are. The block after it, without a
language, is what that prints, as expected.py reads it.
In a block that begins with "$ ", the command's output has the block's lines, in their order. Of weftc's report they are given
exactly, of other programs as above. Every picture is small.
Exit status 77 of the command: it says what is missing here."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from expected import blocks_of, matches, pattern

folder, weftc = sys.argv[1:]
MAX_PICTURE = 60 * 1024

blocks = blocks_of(os.path.join(folder, "README.md"))
commands = [i for i, (language, _) in enumerate(blocks) if language == "sh"]
if not commands:
    sys.exit("the README has no command")


def run(command, where):
    # Debian's packages for Python belong to Debian's Python.
    env = dict(os.environ, PATH=os.pathsep.join([os.path.dirname(weftc), "/usr/bin", os.environ["PATH"]]))
    return subprocess.run(["sh", "-ec", command], cwd=where, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")


with tempfile.TemporaryDirectory(prefix="weft-example-") as temporary:
    copy = os.path.join(temporary, os.path.basename(folder))
    shutil.copytree(folder, copy)
    for other in re.findall(r"\.\./([\w-]+)", blocks[commands[0]][1]): # other examples that the command names
        shutil.copytree(os.path.join(folder, "..", other), os.path.join(temporary, other))
    p = run(blocks[commands[0]][1], copy)
    print(p.stdout + p.stderr)
    if p.returncode == 77:
        sys.exit(77)
    if p.returncode != 0:
        sys.exit(f"the README's command ends with status {p.returncode}")
    # What other programs of the command print, as build tools, isn't in the README.
    after = commands[0] + 1
    if after < len(blocks) and blocks[after][0] == "" and not blocks[after][1].startswith("$ "):
        if not matches(blocks[after][1].splitlines(), p.stdout.splitlines()):
            sys.exit("that isn't what the README expects:\n" + blocks[after][1])
    for name in os.listdir(copy) if "PICTURES" in os.environ else ():
        if name.endswith(".png") and not os.path.exists(os.path.join(folder, name)):
            shutil.copy(os.path.join(copy, name), os.environ["PICTURES"])
    for language, text in blocks:
        if language or not text.startswith("$ "):
            continue
        command, *expected = text.splitlines()
        exact = " weftc " in command
        p = run(command[2:], copy)
        lines = iter(p.stdout.splitlines())
        for line in expected:
            # Counts, as "(8 times)", follow some lines.
            if line.strip() != "..." and not any(l.startswith(line) if exact else re.fullmatch(pattern(line), l.strip())
                                                 for l in lines):
                sys.exit(f"the output of {command[2:]} doesn't have the line, or not there: {line}\n{p.stdout}{p.stderr}")

for name in os.listdir(folder):
    if name.endswith(".png") and os.path.getsize(os.path.join(folder, name)) > MAX_PICTURE:
        sys.exit(f"{name} is larger than {MAX_PICTURE} bytes")
