"""hashcat cracks its own example hash of one mode, after its self-test: hashcat.py MODE."""
import os
import re
import sys
import tempfile
from common import expect, need, run

mode = sys.argv[1]
need("hashcat")
with tempfile.TemporaryDirectory(prefix="weft-hashcat-") as folder:
    status, out, err = run(["hashcat", "-m", mode, "--hash-info"], cwd=folder)
    example = re.search(r"Example\.Hash\.+: (\S+)", out)
    password = re.search(r"Example\.Pass\.+: (\S+)", out)
    expect(example and password, "no example hash", out + err)
    hashes, words = os.path.join(folder, "hashes"), os.path.join(folder, "words")
    with open(hashes, "w") as f:
        f.write(example.group(1) + "\n")
    with open(words, "w") as f:
        f.write("".join(f"wrong{i:05}\n" for i in range(200)) + password.group(1) + "\nlast-word\n")
    # -D 1: CPU devices. The self-test is on by default; its failure is an error.
    status, out, err = run(["hashcat", "-m", mode, "-a", "0", "-D", "1", "--potfile-disable", "-w", "1", hashes, words],
                           cwd=folder)
    text = out + err
    expect(status == 0, f"exit status {status}", text)
    expect(re.search(r"Status\.+: Cracked", text), "not cracked", text)
    expect(re.search(r":" + re.escape(password.group(1)) + r"$", text, re.M), "not the right password", text)
    expect("self-test failed" not in text.lower(), "self-test failed", text)
    expect(re.search(r"OpenCL Platform #1: Weft|OpenCL API .*Weft|Weft", text), "it did not run on Weft", text)
