#!/usr/bin/env python3
"""`weft check`, and the forms of its report.

usage: weft_check.py WEFT RUN_KERNELS VENDORS SCHEMA"""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile

weft, run_kernels, vendors, schema_path = sys.argv[1:]
TYPES = {"object": dict, "array": list, "string": str, "integer": int}

WRONG = """kernel void shift(global int *a) { a[get_global_id(0)] = 1 << get_global_id(0); }
kernel void behind(global int *a, local int *t)
{
    int l = get_local_id(0);
    t[l + 1] = l;
    a[get_global_id(0) + 1] = 1;
}
kernel void race(global int *a) { a[0] = get_global_id(0); }
"""
RIGHT = "kernel void right(global int *a) { a[get_global_id(0)] = 1; }\n"


def fits(value, schema, whole, where="finding"):
    """What JSON Schema means by the words that check.schema.json uses. Raises AssertionError."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    known = {"type", "required", "properties", "additionalProperties", "enum", "items", "minItems", "maxItems", "minimum",
             "minLength", "$schema", "title", "$defs"}
    assert set(schema) <= known, (where, set(schema) - known)
    if "enum" in schema:
        assert value in schema["enum"], (where, value)
    if "type" in schema:
        assert isinstance(value, TYPES[schema["type"]]), (where, value)
    if "minimum" in schema:
        assert value >= schema["minimum"], (where, value)
    if "minLength" in schema:
        assert len(value) >= schema["minLength"], (where, value)
    if schema.get("type") == "array":
        assert schema["minItems"] <= len(value) <= schema["maxItems"], (where, value)
        for item in value:
            fits(item, schema["items"], whole, where)
    for name in schema.get("required", []):
        assert name in value, (where, name)
    if schema.get("type") == "object":
        for name, member in value.items():
            assert name in schema["properties"], (where, name)
            fits(member, schema["properties"][name], whole, where + "." + name)


def run(*command, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WEFT_")}
    env.update(OCL_ICD_VENDORS=vendors, OPENCL_VENDOR_PATH=vendors, WEFT_CONF="none",
               WEFT_CACHE_DIR=os.path.join(folder, "cache"), **more)
    p = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=folder)
    return p.returncode, p.stderr


def put(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def lines(name):
    with open(os.path.join(folder, name)) as f:
        return [json.loads(line) for line in f]


def check_status():
    status, err = run(weft, "check", "--", run_kernels, right)
    assert status == 0 and "0 findings" in err, (status, err)
    status, err = run(weft, "check", run_kernels, wrong)
    assert status == 1 and "kernel behind: writes 4 bytes at offset 256 of argument 0, 'a', which has 256 bytes" in err, err
    assert "a[get_global_id(0) + 1] = 1;" in err and "work-item (63, 0, 0), local id (15, 0, 0) in work-group (3, 0, 0)" in err
    status, err = run(weft, "check", "--", "true")
    assert status == 2 and "no kernel was checked" in err, (status, err)
    status, err = run(weft, "check", "--", "sh", "-c", "exit 5")
    assert status == 5, status
    status, err = run(weft, "check", "--", "./absent")
    assert status == 127, status
    assert run(weft, "check", "--kinds", "nonsense", "--", "true")[0] == 2
    assert run(weft, "check")[0] == 2
    status, err = run(weft, "check", "--json", "a", "--sarif", "b", "--", "true")
    assert status == 2 and "one report" in err, err
    status, err = run(weft, "check", "--suppress", "/absent", "--", "true")
    assert status == 2 and "/absent can't be read" in err, err


def check_waits():
    words = "api: the program ends and has never waited for the read that it enqueues here"
    for how in "finish", "wait", "ask", "call":
        status, err = run(weft, "check", "--", run_kernels, right, "", how)
        assert status == 0 and "0 findings" in err, (how, err)
    status, err = run(weft, "check", "--", run_kernels, right, "", "hurry")
    assert status == 1 and words in err and "check_run_kernels+0x" in err, err


def check_reports():
    with open(schema_path) as f:
        schema = json.load(f)
    status, _ = run(weft, "check", "--json", "found.json", "--", "sh", "-c", f"{run_kernels} {wrong}; {run_kernels} {wrong}")
    found = lines("found.json")
    assert status == 1 and found
    for f in found:
        fits(f, schema, schema)
    kinds = [(f["kind"], f["line"]) for f in found]
    assert sorted(set(kinds)) == [("arith", 1), ("bounds", 5), ("bounds", 6), ("race", 8)], kinds
    assert all(kinds.count(k) == 2 for k in kinds), "two processes"
    behind = [f for f in found if f["line"] == 6][0]
    assert (behind["object"], behind["object_bytes"], behind["offset"], behind["size"]) == ("a", 256, 256, 4), behind
    assert behind["global_id"] == [63, 0, 0] and behind["count"] == 1 and behind["access"] == "write", behind
    local = [f for f in found if f["line"] == 5][0]
    assert local["count"] == 4 and local["object_bytes"] == 64, local
    race = [f for f in found if f["kind"] == "race"][0]
    assert race["other"]["line"] == 8 and race["other"]["global_id"] != race["global_id"], race

    status, _ = run(weft, "check", "--sarif", "found.sarif", "--kinds", "bounds", "--", run_kernels, wrong)
    with open(os.path.join(folder, "found.sarif")) as f:
        sarif = json.load(f)
    results = sarif["runs"][0]["results"]
    assert status == 1 and sarif["version"] == "2.1.0" and len(results) == 2, sarif
    rules = {r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]}
    places = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
    assert sorted(places) == [5, 6] and all(r["ruleId"] in rules for r in results), results
    assert run(weft, "check", "--sarif", "none.sarif", "--", run_kernels, right)[0] == 0

    # The processes' runs are in one file, whatever it is called.
    status, _ = run(weft, "check", "--sarif", "found.json", "--kinds", "bounds", "--", "sh", "-c", f"{run_kernels} {wrong}; {run_kernels} {right}")
    with open(os.path.join(folder, "found.json")) as f:
        assert status == 1 and sorted(len(r["results"]) for r in json.load(f)["runs"]) == [0, 2]
    assert run(weft, "check", "--sarif", "found.json", "--", "true")[0] == 2
    with open(os.path.join(folder, "found.json")) as f:
        assert json.load(f)["runs"] == []

    # A source without a name is called as debuggers call it. Names become references.
    def uris(source):
        assert run(weft, "check", "--sarif", "names.sarif", "--kinds", "bounds", "--", run_kernels, put("named.cl", source))[0] == 1
        with open(os.path.join(folder, "names.sarif")) as f:
            return {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in json.load(f)["runs"][0]["results"]}

    assert uris(WRONG) == {"shift.cl"} and {f["file"] for f in found} == {"shift.cl"}, found
    assert uris('#line 1 "my/50% of it.cl"\n' + WRONG) == {"my/50%25%20of%20it.cl"}
    assert uris('#line 1 "/at/the root.cl"\n' + WRONG) == {"file:///at/the%20root.cl"}


def check_suppressed():
    patterns = put("patterns", "# known\narith\n*:behind:*:5\nrace:r*:*\n")
    status, err = run(weft, "check", "--suppress", patterns, "--json", "left.json", "--", run_kernels, wrong)
    assert status == 1 and [f["line"] for f in lines("left.json")] == [6], lines("left.json")
    if pathlib.Path("/dev/full").is_char_device():
        status, err = run(weft, "check", "--json", "/dev/full", "--", run_kernels, wrong)
        assert status == 1 and "weft: /dev/full can't be written" in err, (status, err)
        # Whoever is root could replace a device by a file.
        _, err = run(run_kernels, wrong, WEFT_CHECK="all", WEFT_CHECK_REPORT="/dev/full")
        assert "WEFT_CHECK_REPORT: /dev/full can't be written: No space" in err, err
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    put("patterns", "arith\n\nrace\nmy_kernel:bounds\n")
    status, err = run(weft, "check", "--suppress", patterns, "--", run_kernels, wrong)
    assert status == 1 and err.count("is no kind of finding") == 1 and "line 4 begins with 'my_kernel'" in err, err
    put("patterns", "*\n")
    assert run(weft, "check", "--suppress", patterns, "--", run_kernels, wrong)[0] == 0
    _, err = run(run_kernels, wrong, WEFT_CHECK="all", WEFT_CHECK_SUPPRESS="/absent")
    assert "can't be read" in err, err


def check_variables():
    status, err = run(run_kernels, wrong, WEFT_CHECK="bounds", WEFT_CHECK_EXIT="9", WEFT_CHECK_REPORT="of-%p.json")
    assert status == 9 and "weft: check: 2 places, 5 times in all" in err, (status, err)
    assert len([n for n in os.listdir(folder) if n.startswith("of-")]) == 1
    assert run(run_kernels, right, WEFT_CHECK="bounds", WEFT_CHECK_EXIT="9")[0] == 0
    status, err = run(run_kernels, wrong, WEFT_CHECK="bonds")
    assert status == 0 and "WEFT_CHECK=bonds is not understood" in err and "weft: check: bounds" not in err, err
    status, err = run(run_kernels, wrong, "-weft-check=align,bounds")
    assert status == 0 and err.count("weft: check: bounds") == 2, err
    status, err = run(run_kernels, wrong, "-weft-check=bonds")
    assert status == 1 and "not a list of kinds of faults" in err, err
    status, err = run(run_kernels, right, WEFT_CHECK="all", WEFT_CHECK_REPORT="/absent/report")
    assert status == 0 and "can't be written" in err, err
    # A program that dies has its report nevertheless.
    script = f"import os, subprocess, signal; subprocess.run(['{run_kernels}', '{wrong}', '', 'die'])"
    run(sys.executable, "-c", script, WEFT_CHECK="bounds", WEFT_CHECK_REPORT="died.json")
    assert len(lines("died.json")) == 2, lines("died.json")


def check_others():
    """The reader of another work-group is named, though two of the same group have read it since."""
    source = put("others.cl", """kernel void others(global int *a, global int *out)
{
    a[0] += get_global_id(0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 16)
        a[0] = -1;
}
""")
    status, err = run(weft, "check", "--kinds", "race", "--json", "others.json", "--", run_kernels, source)
    found = [f for f in lines("others.json") if f["line"] == 6]
    assert status == 1 and [f["other"]["line"] for f in found] == [3], (err, found)
    assert found[0]["other"]["group_id"] == [0, 0, 0], found


def check_leaks():
    assert run(weft, "check", "--", run_kernels, right, "", "keep")[0] == 0
    status, err = run(weft, "check", "--kinds", "all,leaks", "--json", "kept.json", "--", run_kernels, right, "", "keep")
    found = lines("kept.json")
    assert status == 1 and [f["kind"] for f in found] == ["api"], (status, found)
    assert found[0]["message"] == "the program ends and still holds 1 context, 1 queue, 1 program", found
    with open(schema_path) as f:
        schema = json.load(f)
    fits(found[0], schema, schema)


with tempfile.TemporaryDirectory() as folder:
    wrong, right = put("wrong.cl", WRONG), put("right.cl", RIGHT)
    for check in (check_status, check_waits, check_reports, check_suppressed, check_variables, check_others, check_leaks):
        check()
        print(check.__name__)
