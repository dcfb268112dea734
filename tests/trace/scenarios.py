"""Runs tests/trace/scenarios.c for the tests beside it."""
import os
import subprocess


def run(program, what, folder, **settings):
    """Runs a scenario in a folder, with these settings of Weft and no others. Returns what it has printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update({"WEFT_CONF": "none", "WEFT_CACHE": "0", "WEFT_LOG": "warn", **settings})
    if what.startswith("fork"):  # what the parent's threads had allocated is lost to the child
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    p = subprocess.run([program, what], env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True)
    assert p.returncode == 0, f"{what}: {p.returncode}\n{p.stdout}"
    return p.stdout
