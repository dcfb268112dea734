"""Three rules of lib/runtime/api:

  * An entry point that returns an error reports the reason: it returns through WEFT_ANSWER, WEFT_API_RETURN or a function that
    gets its name (lib/runtime/core/diagnostics.h).
  * Every error code that the runtime returns is explained in lib/runtime/core/errors.def.
  * An entry point keeps the objects of its handles alive until it returns, so it begins with WEFT_CALL (lib/runtime/core/call_scope.h).
"""
import glob
import os
import re
import sys

top = sys.argv[1]
runtime = os.path.join(top, "lib/runtime")
wrong, seen = [], 0
reports = re.compile(r"CL_SUCCESS$|WEFT_ANSWER\(|WEFT_ON_BEHALF\(|WEFT_API_RETURN\(|weft_cl[A-Z]|\w+\(__func__|error \? WEFT_API_RETURN\(|"
                  r"\w+\.bits & CL_QUEUE_ON_DEVICE \?|\(cl_program\)p$|p$|NULL$")
for path in sorted(glob.glob(os.path.join(runtime, "api/*.c"))):
    text = re.sub(r"//[^\n]*", "", open(path).read())
    for m in re.finditer(r"^[a-z][\w ]*?[ *\n]+weft_(cl\w+)\(([^{;]*)\)\n\{\n(.*?)^\}\n", text, re.M | re.S):
        seen += 1
        if not re.match(r" *WEFT_CALL(_SINGLE)?;\n", m.group(3)) and not re.search(r"weft_object_re(tain|lease)\(|\(weft_clRe(tain|lease)Device\(", m.group(3)):
            wrong.append(f"{os.path.basename(path)}: {m.group(1)} doesn't begin with WEFT_CALL")
        for value in re.findall(r"\breturn ([^;]+);", m.group(3)):
            # An error that is stored while something is released was reported when it was set.
            kept = value == "answer" and "answer = WEFT_ANSWER(" in m.group(3)
            if not kept and not reports.match(" ".join(value.split())):
                wrong.append(f"{os.path.basename(path)}: {m.group(1)} returns {' '.join(value.split())} without a diagnostic")
meanings = set(re.findall(r"WEFT_ERROR\((\w+),", open(os.path.join(runtime, "core/errors.def")).read()))
codes = re.compile(r"\bCL_(?:INVALID_\w+|OUT_OF_\w+|MEM_COPY_OVERLAP|MISALIGNED_\w+|DEVICE_PARTITION_FAILED\w*|IMAGE_FORMAT_NOT_SUPPORTED|"
                   r"IMAGE_FORMAT_MISMATCH|DEVICE_NOT_FOUND|MEM_OBJECT_ALLOCATION_FAILURE|INCOMPATIBLE_\w+)\b")
for path in glob.glob(os.path.join(runtime, "**/*.c"), recursive=True):
    for code in set(codes.findall(re.sub(r"//[^\n]*", "", open(path).read()))) - meanings:
        wrong.append(f"core/errors.def doesn't explain {code}, which {os.path.basename(path)} returns")
print("\n".join(wrong))
sys.exit(1 if wrong or seen < 100 else 0)
