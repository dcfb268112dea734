#!/usr/bin/env python3
"""Writes include/weft/srgb.inc: what sRGB codes stand for (OpenCL C 3.0 §8.3.1.2, "conversion rules for sRGBA and sBGRA
images"). Run by hand; the result is in the repository.

usage: srgb.py OUTPUT.inc
"""
import struct
import sys

HEAD = """// Made by lib/kernel-builtins/image/srgb.py: linear intensities of sRGB codes. Entry 2 * c is that of code c; the odd ones lie
// halfway between two codes, so that they tell to which of the two an intensity is rounded.
"""


def linear(code):
    return code / 12.92 if code <= 0.04045 else ((code + 0.055) / 1.055) ** 2.4


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def main():
    values = [f"{single(linear(i / 510)).hex()}f" for i in range(511)]
    values = [v.rstrip("f").split("p") for v in values]
    values = [(m.rstrip("0").rstrip(".") if "." in m else m) + "p" + e + "f" for m, e in values]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write(HEAD)
        for i in range(0, len(values), 6):
            out.write(", ".join(values[i:i + 6]) + ",\n")


main()
