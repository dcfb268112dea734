#!/usr/bin/env python3
"""Sums up ctest's JUnit files (preset=file ...): lists the failed tests, and the skipped ones with their reasons. The last line is
`N passed, N failed, N skipped`. Exit status 1 if a test failed or a file is missing."""
import os
import sys
import xml.etree.ElementTree as ET


def reason(case):
    """The line with the reason why a test was skipped."""
    out = (case.findtext("system-out") or "").strip().splitlines()
    for line in out:
        if line.lower().startswith("skip"):
            return line
    return out[-1] if out else "no reason given"


def main():
    passed = failed = skipped = 0
    for arg in sys.argv[1:]:
        preset, path = arg.split("=", 1)
        if not os.path.exists(path):
            print(f"FAILED {preset}: no results")
            failed += 1
            continue
        for case in ET.parse(path).getroot().iter("testcase"):
            name = f"{preset}: {case.get('name')}"
            status = case.get("status")
            if status == "run":
                passed += 1
            elif status in ("notrun", "disabled"):
                skipped += 1
                print(f"skipped {name}: {reason(case)}")
            else:
                failed += 1
                print(f"FAILED {name}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
