"""Under Valgrind: its clone is a fork, and it has no AVX-512 where the compiler, which runs outside of it, has. Kernels run, and
memcheck finds no error in libweft, nor in what kernels do."""
import sys
from common import expect, need, run

need("valgrind")
status, out, err = run(["valgrind", "--error-exitcode=9", "--trace-children=no", sys.argv[1]], timeout=550, env={"WEFT_CACHE": "0"})
expect(status == 0, f"exit status {status}", out + err)
expect(out.count("ok ") >= 5, "few kernels have run", out + err)
expect(" 0 errors from 0 contexts" in err, "no summary of memcheck", out + err)
