"""What the README of an example says is true: a user who copies the folder and runs the command gets this output.

readme.py FOLDER COMPILER      COMPILER: weftc, which the READMEs name without a folder

The first ```sh block is run in a copy of the folder, with the compilers that `cc` and `c++` are. The block after it, without a
language, is what that prints: numbers may be others, "..." stands for anything in its line, a line of "..." for any lines.
In a block that begins with "$ ", the command's output has the block's lines, in their order. Of weftc's report they are given
exactly, of other programs as above. Every picture is small.
Exit status 77 of the command: it says what is missing here."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

folder, weftc = sys.argv[1:]
MAX_PICTURE = 60 * 1024
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"

with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
    readme = f.read()
blocks = re.findall(r"^```(\w*)\n(.*?)^```$", readme, re.M | re.S)
commands = [i for i, (language, _) in enumerate(blocks) if language == "sh"]
if not commands:
    sys.exit("the README has no command")


def pattern(line):
    """A regular expression for a line of expected output."""
    words = re.split(rf"(\.\.\.|\s+|{NUMBER})", line.strip())
    return "".join(".*" if w == "..." else r"\s+" if w.isspace() else NUMBER if re.fullmatch(NUMBER, w) else re.escape(w)
                   for w in words if w)


def matches(expected, lines):
    """Whether the lines are what is expected."""
    if not expected:
        return not lines
    if expected[0].strip() == "...":
        return any(matches(expected[1:], lines[n:]) for n in range(len(lines) + 1))
    return bool(lines) and bool(re.fullmatch(pattern(expected[0]), lines[0].strip())) and matches(expected[1:], lines[1:])


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
