"""Completion of the command `weft` in each shell that is there: real shells are asked for the words that they offer. What they
must offer is what the command's own help names.

completion.py WEFT FOLDER_OF_THE_COMPLETIONS
Exit status 77: there is no such shell.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

weft, completions = sys.argv[1:]
LIMIT_S = 60
folder = tempfile.TemporaryDirectory(prefix="weft-completion-")
env = {"PATH": os.environ["PATH"], "HOME": folder.name, "ZDOTDIR": folder.name, "TERM": "dumb", "LC_ALL": "C"}


def help_of(*words):
    return subprocess.run([weft, *words, "--help"], env=env, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S).stdout


class Bash:
    def offers(self, line, _):
        script = """source "$1"; shift
            complete -p weft >/dev/null || exit
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _weft
            printf '%s\\n' "${COMPREPLY[@]}" """
        words = subprocess.run(["bash", "--norc", "-c", script, "bash", os.path.join(completions, "weft.bash"), *line.split(" ")], env=env,
                               cwd=folder.name, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S).stdout
        return set(words.split())


class Fish:
    def offers(self, line, _):
        script = 'source $argv[1]; complete -c greet -l loudly; complete -C "$argv[2]"'
        words = subprocess.run(["fish", "--no-config", "-c", script, os.path.join(completions, "weft.fish"), line], env=env,
                               cwd=folder.name, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT_S).stdout
        return {word.split("\t")[0] for word in words.splitlines()}


class Zsh:
    """A shell on a terminal, whose Ctrl-D lists what it offers."""

    def __init__(self):
        os.symlink(os.path.join(completions, "weft.zsh"), os.path.join(folder.name, "_weft"))
        with open(os.path.join(folder.name, "_greet"), "w", encoding="ascii") as f:
            f.write("#compdef greet\n_arguments --loudly\n")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder.name)
            os.execve(shutil.which("zsh"), ["zsh", "-f", "-i"], env)
        self.send("PS1='as''k:' RPS1= PROMPT_EOL_MARK= LISTMAX=10000; unset zle_bracketed_paste; stty cols 200 rows 1000; "
                  "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; bindkey '^D' list-choices\n")
        self.read(lambda text: "ask:" in text)

    def send(self, text):
        os.write(self.fd, text.encode("ascii"))

    def read(self, enough):
        text, end = "", time.monotonic() + LIMIT_S
        while not enough(text) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                text += os.read(self.fd, 1 << 16).decode("ascii", "replace")
        return text

    def offers(self, line, wanted):
        def words(text):  # of the lines below the command; a description follows some
            return {w for row in text.split("\n")[1:] for w in re.sub("  *-- .*", "", row).split()}
        self.send(line + "\x04")
        first = self.read(lambda text: wanted <= words(text))
        self.send("\x15print DON''E\n")  # the next line may be sent when the shell has asked for it
        return words((first + self.read(lambda text: re.search("DONE.*ask:", text, re.S))).split("print DON")[0].rsplit("\n", 1)[0])

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def check(shell):
    def offers(line, wanted, unwanted=()):
        wanted = set(wanted)
        found = shell.offers(line, wanted)
        assert wanted <= found and not found & set(unwanted), f"{shell.__class__.__name__}: `{line}`: {sorted(found)}, not {sorted(wanted)}"

    subcommands = re.findall(r"^  weft (\w+)", help_of(), re.M)
    assert len(subcommands) >= 9, subcommands
    offers("weft ", subcommands)
    offers("weft d", [s for s in subcommands if s[0] == "d"], [s for s in subcommands if s[0] != "d"])
    for subcommand in subcommands:
        usage = help_of(subcommand).splitlines()[0]
        options = set(re.findall(r"(?<![\w-])--?[a-z]+", usage)) | {"--help"}
        offers(f"weft {subcommand} -", options)
        offers(f"weft {subcommand} --", {o for o in options if o.startswith("--")}, {"--nonsense"})
    actions = re.search(r"\[(\w+(?:\|\w+)+)\]", help_of("cache").splitlines()[0])[1].split("|")
    offers("weft cache ", actions, ["info"])
    kinds = re.search(r"of: (.*);", help_of("check"))[1].replace(" ", "").split(",")
    offers("weft check --kinds ", kinds)
    # A program, which is a command, and then what it takes itself.
    program = os.path.join(folder.name, "bin", "a-program-of-ours")
    assert os.path.exists(program)
    for line in ("weft prof a-prog", "weft prof -- a-prog", "weft prof --html page a-prog", "weft debug a-prog", "weft check --kinds race a-prog"):
        offers(line, [os.path.basename(program)], ["--html"])
    offers("weft report a-k", ["a-kernel.cl"])
    offers("weft prof -- greet --", [] if isinstance(shell, Bash) else ["--loudly"], ["--html", "--json"])


os.mkdir(os.path.join(folder.name, "bin"))
env["PATH"] = os.path.join(folder.name, "bin") + ":" + env["PATH"]
for name in ("bin/a-program-of-ours", "bin/greet", "a-kernel.cl"):
    with open(os.path.join(folder.name, name), "w", encoding="ascii") as file:
        os.chmod(file.fileno(), 0o755 if "/" in name else 0o644)
asked = []
for name, kind in (("bash", Bash), ("fish", Fish), ("zsh", Zsh)):
    if shutil.which(name):
        a_shell = kind()
        check(a_shell)
        if name == "zsh":
            a_shell.close()
        asked.append(name)
print("asked:", *asked)
sys.exit(0 if asked else 77)
