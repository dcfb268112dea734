"""README.md names every environment variable of lib/base/config.def and no other, and every script that it names exists."""
import os
import re
import sys

top = sys.argv[1]
readme = open(os.path.join(top, "README.md")).read()
config = open(os.path.join(top, "lib/base/config.def")).read()
known = set(re.findall(r'^WEFT_CONFIG\(\w+, "(\w+)"', config, re.M))
named = set(re.findall(r"^\| `(WEFT_\w+)`", readme, re.M))
wrong = []
wrong += [f"README.md does not name {v}" for v in sorted(known - named)]
wrong += [f"README.md names {v}, which nothing reads" for v in sorted(named - known)]
wrong += [f"README.md names {s}, which is not there" for s in sorted(set(re.findall(r"scripts/[\w.-]+", readme)))
          if not os.path.exists(os.path.join(top, s))]
wrong += [f"README.md links {p}, which is not there" for p in re.findall(r"\]\(([^)#:]+)\)", readme)
          if not os.path.exists(os.path.join(top, p))]
print("\n".join(wrong))
sys.exit(1 if wrong or not known else 0)
