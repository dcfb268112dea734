"""What a README says that a command prints: numbers may be others, "..." stands for anything in its line, a line of "..." for any
lines."""
import re

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?"


def blocks_of(path):
    """The language and the text of each block of code."""
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^```(\w*)\n(.*?)^```$", f.read(), re.M | re.S)


def pattern(line):
    """A regular expression for a line of expected output."""
    words = re.split(rf"(\.\.\.|\s+|{NUMBER})", line.strip())
    return "".join(".*" if w == "..." else r"\s+" if w.isspace() else NUMBER if re.fullmatch(NUMBER, w) else re.escape(w)
                   for w in words if w)


def matches(expected, lines):
    """Whether the lines are what is expected."""
    if not expected:
        return not lines
    if expected[0].strip() == "...":
        return any(matches(expected[1:], lines[n:]) for n in range(len(lines) + 1))
    return bool(lines) and bool(re.fullmatch(pattern(expected[0]), lines[0].strip())) and matches(expected[1:], lines[1:])
