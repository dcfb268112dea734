"""A debugger attached: a program that builds a kernel and launches it ends under gdb as it does without. gdb opens the
files of all that is loaded, the generated code among it."""
import sys
from common import expect, need, run, skip

need("gdb")
status, out, err = run(["gdb", "-batch", "-ex", "run", "--args", sys.argv[1], "/dev/null"], timeout=120, env={"WEFT_CACHE": "0"})
if "Operation not permitted" in err and "ptrace" in err:
    skip("this container allows no ptrace")
expect(status == 0, f"exit status {status}", out + err)
expect("exited normally" in out, "the program didn't end by itself", out + err)
