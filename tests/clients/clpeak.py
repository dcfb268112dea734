"""clpeak measures the device: every line that promises a figure has one, above zero."""
import re
from common import expect, need, run

need("clpeak")
status, out, err = run(["clpeak"])
expect(status == 0, f"exit status {status}", out + err)
figures = re.findall(r"^\s+(\S.*?)\s*:\s*([0-9.]+(?:e[+-]?\d+)?)\s*(?:us|$)", out, re.M)
expect(len(figures) >= 30, f"only {len(figures)} figures", out)
zero = [name for name, value in figures if float(value) <= 0]
expect(not zero, f"no figure for {zero}", out)
expect("rror" not in out + err and "xception" not in out + err, "an error is reported", out + err)
for section in ("Global memory bandwidth", "Single-precision", "Double-precision", "Integer compute",
                "Transfer bandwidth", "Kernel launch latency"):
    expect(section in out, f"no section {section}", out)
