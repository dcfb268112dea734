#!/usr/bin/env python3
"""Reads what a process with WEFT_PERF=1 tells perf: the jitdump, as Linux specifies it, and the map of names. Where perf can
record, it must find the kernel by its name.

usage: perf.py SCENARIOS"""
import glob
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

program = sys.argv[1]
folder = tempfile.TemporaryDirectory()
left = []


def run(command, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update({"WEFT_CONF": "none", "WEFT_CACHE": "0", "WEFT_LOG": "warn", "WEFT_TIER": "2", "WEFT_PERF": "1", **more})
    if command[-1] == "fork":  # what the parent's threads had allocated is lost to the child
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    p = subprocess.Popen(command, env=env, cwd=folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = p.communicate()[0]
    left.extend([f"/tmp/jit-{p.pid}.dump", f"/tmp/perf-{p.pid}.map"])
    return p.pid, p.returncode, text


def read_lines(record):
    address, count = struct.unpack_from("=QQ", record)
    rows, at = [], 16
    for _ in range(count):
        where, line, _ = struct.unpack_from("=QII", record, at)
        end = record.index(b"\0", at + 16)
        rows.append((where, line, record[at + 16:end].decode("ascii")))
        at = end + 1
    assert at == len(record)
    return address, rows


def check_unwinding(record, code_size):
    """An .eh_frame with the function alone, and its .eh_frame_hdr, at the next multiple of 8 behind the code."""
    size, header_size, mapped = struct.unpack_from("=QQQ", record)
    assert header_size == 20 and mapped in (0, size) and len(record) == 24 + (size + 7) // 8 * 8, (size, header_size, mapped)
    tables, base = record[24:24 + size], (code_size + 7) // 8 * 8  # places are counted from the code's beginning
    kinds, frame, count, start, entry = struct.unpack_from("=IiIii", tables, size - header_size)
    header = base + size - header_size
    assert (kinds, count, header + 4 + frame, header + start) == (0x3b031b01, 1, base, 0), (kinds, frame, count, start)
    at = header + entry - base
    length, common, start, code = struct.unpack_from("=IIiI", tables, at)
    assert (base + at + 8 + start, code, at + 4 - common) == (0, code_size, 0), (start, code, common)
    assert struct.unpack_from("=II", tables)[1] == 0 and tables[8:12] == b"\x01zR\0", "a CIE"
    assert struct.unpack_from("=I", tables)[0] + 4 == at and tables[at + 4 + length:size - header_size] == bytes(4), "one entry"


def read_dump(pid):
    """[(name, address, code, lines, can it be unwound?)] of a jitdump. Lines: [(address, line, file)]"""
    with open(f"/tmp/jit-{pid}.dump", "rb") as f:
        data = f.read()
    magic, version, size, machine, _, process, time, flags = struct.unpack_from("=IIIIIIQQ", data)
    assert (magic, version, size, process, flags) == (0x4A695444, 1, 40, pid, 0)
    with open("/proc/self/exe", "rb") as f:
        assert machine == struct.unpack_from("=H", f.read(20), 18)[0], "the code is for this machine"
    found, lines, at, last, unwinding = [], {}, size, time, None
    while at < len(data):
        kind, length, when = struct.unpack_from("=IIQ", data, at)
        assert kind in (0, 2, 4) and at + length <= len(data)
        assert when >= last, "in the order of time"
        if kind == 2:
            address, rows = read_lines(data[at + 16:at + length])
            lines[address] = rows
        elif kind == 4:
            assert unwinding is None
            unwinding = data[at + 16:at + length]
        else:
            record_pid, _, address, code_address, code_size, index = struct.unpack_from("=IIQQQQ", data, at + 16)
            assert (record_pid, code_address, index) == (pid, address, len(found)), (record_pid, index)
            name = data[at + 56:data.index(b"\0", at + 56)]
            assert length == 56 + len(name) + 1 + code_size
            if unwinding is not None:
                check_unwinding(unwinding, code_size)
            found.append((name.decode("ascii"), address, data[at + length - code_size:at + length], lines.pop(address, []), unwinding is not None))
            unwinding = None
        at, last = at + length, when
    assert not lines and unwinding is None, "lines of code that doesn't follow"
    return found


def read_map(pid):
    with open(f"/tmp/perf-{pid}.map", encoding="ascii") as f:
        rows = [re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) (.+)\n", line).groups() for line in f]
    return [(name, int(address, 16), int(size, 16)) for address, size, name in rows]


def check_files():
    pid, status, text = run([program, "commands"])
    assert status == 0, text
    code = read_dump(pid)
    assert [(name, address, len(bytes_)) for name, address, bytes_, *_ in code] == read_map(pid)
    names = [name for name, *_ in code]
    assert len([n for n in names if re.match(r"work full, \d+ lanes, \S+$", n)]) == 1, names
    assert all(any(bytes_) and not lines and not unwound for _, _, bytes_, lines, unwound in code)
    # A child has files of its own, for what it loads.
    pid, status, text = run([program, "fork"])
    assert status == 0, text
    child = int(text.split()[0])
    left.extend([f"/tmp/jit-{child}.dump", f"/tmp/perf-{child}.map"])
    for process in (pid, child):
        assert any(name.startswith("add full") for name, *_ in read_dump(process)), process
    # Lines, where the program is built with -g.
    pid, status, text = run([program, "commands"], WEFT_BUILD_OPTIONS="-g")
    assert status == 0, text
    code = {name.split()[0]: rest for name, *rest in read_dump(pid)}
    for name, own in (("add", {1}), ("work", {2, 3, 4, 5, 6, 7})):
        start, bytes_, lines, unwound = code[name]
        assert unwound, name
        assert all(start <= address < start + len(bytes_) for address, *_ in lines), lines
        numbers = {line for _, line, _ in lines} - {0}
        assert numbers and numbers <= own, (name, numbers)
    assert {line for _, line, _ in code["work"][2]} >= {5, 6}, "the loop and the store have code"
    pid, status, text = run([program, "commands"], WEFT_PERF="0")
    assert status == 0 and not os.path.exists(f"/tmp/jit-{pid}.dump")


def check_one_that_fails():
    """Where one of the two files can't be written, the other one has everything."""
    for failing, said in (("jit-$$.dump", "dump can't be written"), ("perf-$$.map", "map can't be written")):
        pid, status, text = run(["sh", "-c", f"mkdir /tmp/{failing} && exec {shlex.quote(program)} commands"])
        assert status == 0 and text.count(said) == 1 and text.count("WEFT_PERF: ") == 1, text
        os.rmdir("/tmp/" + failing.replace("$$", str(pid)))
        names = [name for name, *_ in (read_map if "dump" in failing else read_dump)(pid)]
        assert all(any(name.startswith(kernel + " full") for name in names) for kernel in ("add", "work")), names
    # A folder without executable files, as /tmp is on some machines: perf won't find the dump. Where Weft was
    # built in /tmp, it would be hidden.
    if os.path.abspath(program).startswith("/tmp/"):
        return
    inside = f"mount -t tmpfs -o noexec none /tmp && {shlex.quote(os.path.abspath(program))} commands; cat /tmp/perf-*.map"
    if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp"], stderr=subprocess.DEVNULL).returncode == 0:
        text = run(["unshare", "-rm", "sh", "-c", inside])[2]
        assert text.count("mapped, so perf won't find it") == 1 and all(re.search(f"^[0-9a-f]+ [0-9a-f]+ {k} full", text, re.M) for k in ("add", "work")), text


def check_with_perf():
    perf = shutil.which("perf")
    data, more = os.path.join(folder.name, "perf.data"), os.path.join(folder.name, "perf.jit.data")
    if not perf or run([perf, "record", "-e", "cpu-clock", "-o", data, "true"])[1] != 0:
        print("perf can't record here: only its files were read")
        return
    _, status, text = run([perf, "record", "-e", "cpu-clock", "-k", "mono", "-o", data, program, "commands"])
    assert status == 0, text
    _, status, text = run([perf, "inject", "--jit", "-i", data, "-o", more])
    assert status == 0, text
    text = run([perf, "report", "--stdio", "-i", more])[2]
    dumped = re.findall(r"jitted-(\d+)-", text)
    assert re.search(r"jitted-\d+-\d+\.so +\[\.\] work full, \d+ lanes", text), text
    # With -g, frames are unwound from the kernel to where the thread began.
    _, status, text = run([perf, "record", "-e", "cpu-clock", "-F", "500", "--call-graph", "dwarf", "-k", "mono", "-o", data, program, "commands"],
                          WEFT_BUILD_OPTIONS="-g", WEFT_THREADS="1")
    assert status == 0, text
    _, status, text = run([perf, "inject", "--jit", "-i", data, "-o", more])
    assert status == 0, text
    text = run([perf, "script", "--no-inline", "-F", "ip,sym,dso", "-i", more])[2]
    stacks = [re.findall(r"^\s*[0-9a-f]+ (.+) \(", stack, re.M) for stack in text.split("\n\n")]
    assert any(s and s[0].startswith("work full") and ("start_thread" in s or "main" in s) for s in stacks), text[:3000]
    dumped += re.findall(r"jitted-(\d+)-", text)
    for pid in set(dumped):
        left.extend([f"/tmp/jit-{pid}.dump", f"/tmp/perf-{pid}.map", *glob.glob(f"/tmp/jitted-{pid}-*")])


try:
    check_files()
    check_one_that_fails()
    check_with_perf()
finally:
    for path in left:
        if os.path.exists(path):
            os.unlink(path)
print("ok")
