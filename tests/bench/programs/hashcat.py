"""hashcat: seconds until it has cracked its own example hash (all of the process, its self-test and kernels included), then the time
for one hash in a search by brute force: as hashcat first reports it, and at the end of the search.

The search is for a password that isn't in it; hashcat has tuned its launches by then.
"""
import json
import os
import re
import statistics
import subprocess
import tempfile
import time

COMMANDS = ["hashcat"]
DEBIAN = ["hashcat"]
MODES = {0: "MD5", 100: "SHA-1", 1400: "SHA-256", 1700: "SHA-512", 1000: "NTLM", 900: "MD4", 17400: "SHA3-256", 6000: "RIPEMD-160",
         5600: "NetNTLMv2", 500: "md5crypt", 1800: "sha512crypt", 3200: "bcrypt", 22000: "WPA", 10900: "PBKDF2-SHA256",
         13100: "Kerberos 5 TGS", 7300: "IPMI2"}
SECONDS = 10  # of the search


def hashcat(folder, *arguments, timeout=600):
    """hashcat has a new home, so it builds its kernels."""
    env = dict(os.environ, HOME=folder, XDG_DATA_HOME=folder, XDG_CACHE_HOME=folder)
    p = subprocess.run(["hashcat", *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
    return p.returncode, p.stdout


def example(folder, mode):
    out = hashcat(folder, "-m", str(mode), "--hash-info")[1]
    found = re.search(r"Example\.Hash\.+: (\S+)", out), re.search(r"Example\.Pass\.+: (\S+)", out)
    if not all(found):
        raise RuntimeError(f"no example hash of mode {mode}: {out[-200:]}")
    return found[0][1], found[1][1]


def crack(folder, mode, hash_, password):
    """Seconds until the password is found among some words."""
    words = os.path.join(folder, "words")
    with open(words, "w") as f:
        f.write("".join(f"wrong{i:05}\n" for i in range(200)) + password + "\n")
    begin = time.monotonic()
    status, out = hashcat(folder, "-m", str(mode), "-a", "0", "-D", "1", "--potfile-disable", "-w", "1", "--force", hash_, words)
    seconds = time.monotonic() - begin
    if status != 0 or not re.search(":" + re.escape(password) + "$", out, re.M):
        raise RuntimeError(f"exit status {status}, not cracked: " + " ".join(out.split())[-200:])
    return seconds


def search(folder, mode, hash_):
    """Hashes a second, as reported each second."""
    status, out = hashcat(folder, "-m", str(mode), "-a", "3", "-D", "1", "-O", "-w", "3", "--potfile-disable", "--force", "--status",
                          "--status-json", "--status-timer", "1", "--runtime", str(SECONDS), hash_, "?u?u?u?u?u?u?u?u?d?d")
    rates = []
    for line in out.splitlines():
        if line.startswith("{"):
            rates.append(sum(d["speed"] for d in json.loads(line)["devices"]))
    rates = [r for r in rates if r > 0]
    if not rates:
        raise RuntimeError(f"exit status {status}, no speed: " + " ".join(out.split())[-200:])
    return rates


def measure(cases):
    for mode, title in list(MODES.items())[:1] if cases.short else MODES.items():
        name = f"{title} ({mode})"
        if not cases.starts(name):
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="weft-hashcat-", ignore_cleanup_errors=True) as folder:
                first = crack(folder, mode, *example(folder, mode))
                hash_ = example(folder, mode)[0]
            if cases.short:
                cases.report(name, first, None, None, "s")
                continue
            with tempfile.TemporaryDirectory(prefix="weft-hashcat-", ignore_cleanup_errors=True) as folder:
                rates = search(folder, mode, hash_)
            times = [1e9 / r for r in rates]
            cases.report(name, first, times[0], statistics.median(times[-3:]), "s, ns/hash", times)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            cases.failed(name, e)
