#!/usr/bin/env python3
"""Writes the sources of the built-in functions that are products of types.

usage: generate.py FOLDER    writes the files (only those that changed) and prints their names, one a line
"""
import os
import sys


def families():
    """(file name, text) of every generated source."""
    return []


def main():
    folder = sys.argv[1]
    for name, text in families():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        old = None
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                old = file.read()
        if old != text:
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
        print(name)


if __name__ == "__main__":
    main()
