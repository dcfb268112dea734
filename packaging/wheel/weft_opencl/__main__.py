"""python -m weft_opencl -- PROGRAM ...: runs a program on Weft. Without a program: says what is here."""
import os
import sys

import weft_opencl


def main():
    words = sys.argv[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words or words[0].startswith("-"):
        if words not in ([], ["--version"]):
            sys.exit("usage: python -m weft_opencl [--version] [-- PROGRAM ...]")
        print(f"weft_opencl {weft_opencl.__version__}")
        print(f"driver   {weft_opencl.library()}")
        print(f"vendors  {weft_opencl.vendors_dir()}")
        return
    weft_opencl.select()
    try:
        os.execvp(words[0], words)
    except OSError as error:
        sys.exit(f"weft_opencl: {words[0]}: {error.strerror}")


main()
