#!/usr/bin/env python3
"""Binds LLVM bitcode modules into builtins.pack (format: README.md).

usage: pack.py --nm llvm-nm --output builtins.pack MODULE.bc ...   (or @FILE with one module a line)

The order of the modules is the order of the arguments, so the same modules give the same bytes.
"""
import argparse
import os
import struct
import subprocess
import sys

MAGIC = b"WBPK"
VERSION = 1
HEADER = struct.Struct("<4sIIIQQQQ")
MODULE = struct.Struct("<QQ")
SYMBOL = struct.Struct("<II")


def padded(size, alignment):
    return (size + alignment - 1) // alignment * alignment


def defined_symbols(nm, paths):
    """(path, name) of every external definition, in one run of llvm-nm."""
    arguments = [nm, "--defined-only", "--extern-only", "--format=posix", "--print-file-name", *paths]
    listing = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in listing.splitlines():
        path, _, rest = line.rpartition(": ")
        yield path, rest.split()[0]


def main():
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("--nm", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("modules", nargs="+")
    options = parser.parse_args()

    index_of = {path: index for index, path in enumerate(options.modules)}
    home = {}
    for path, name in defined_symbols(options.nm, options.modules):
        if name.startswith("llvm."):
            continue
        if name in home:
            sys.exit(f"pack.py: {name} is defined in {options.modules[home[name]]} and in {path}")
        home[name] = index_of[path]

    names = sorted(home, key=str.encode)
    strings = bytearray()
    symbol_table = bytearray()
    for name in names:
        symbol_table += SYMBOL.pack(len(strings), home[name])
        strings += name.encode() + b"\0"

    module_table = bytearray()
    bodies = bytearray()
    bodies_off = padded(HEADER.size + MODULE.size * len(options.modules), 16)
    for path in options.modules:
        with open(path, "rb") as file:
            body = file.read()
        if body[:4] != b"BC\xc0\xde":
            sys.exit(f"pack.py: {path} is not LLVM bitcode")
        module_table += MODULE.pack(bodies_off + len(bodies), len(body))
        bodies += body + bytes(padded(len(body), 16) - len(body))

    symbol_table_off = bodies_off + len(bodies)
    strings_off = symbol_table_off + len(symbol_table)
    header = HEADER.pack(MAGIC, VERSION, len(options.modules), len(names), HEADER.size, symbol_table_off, strings_off,
                         strings_off + len(strings))
    head = header + module_table
    head += bytes(bodies_off - len(head))

    temporary = options.output + ".tmp"
    with open(temporary, "wb") as file:
        file.write(head + bodies + symbol_table + strings)
    os.replace(temporary, options.output)


if __name__ == "__main__":
    main()
