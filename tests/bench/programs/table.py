"""Figures of several rounds as one, ratios, geometric means, and the tables that show them."""
import math
import statistics

from .run import FIGURES

TITLES = {"first": "first call", "early": "calls 2-10", "steady": "steady"}
LOW = 0.95  # ratios below are listed


def combine(rounds, how, clock):
    """One set of figures from those of all rounds: {figure: value}, or a string that says why there is none."""
    failed = [r["failed"] for r in rounds if "failed" in r]
    if failed:
        return "failed: " + failed[0]
    sets = [r[clock] for r in rounds]
    if not all(sets):
        return "not timed"
    of = min if how == "best" else statistics.median
    return dict({f: of([s[f] for s in sets]) if sets[0][f] is not None else None for f in FIGURES}, unit=rounds[0]["unit"])


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


class Table:
    """rows[case][side]: what combine gave. The first side is ours: ratios say how many times as good it is as the others."""

    def __init__(self, results, how="best", clock="elapsed"):
        self.sides = list(results.figures)
        self.ours, self.peers = self.sides[0], self.sides[1:]
        cases = list(dict.fromkeys(c for s in self.sides for c in results.figures[s]))
        self.rows = {c: {s: combine(results.figures[s][c], how, clock) if c in results.figures[s] else "-" for s in self.sides}
                     for c in cases}
        self.wrong = results.wrong

    def ratio(self, case, peer, figure):
        """How many times as good ours is; None where one of the two has no such figure or a wrong result."""
        a, b = self.rows[case][self.ours], self.rows[case][peer]
        if isinstance(a, str) or isinstance(b, str) or not a[figure] or not b[figure]:
            return None
        if case in self.wrong[self.ours] or case in self.wrong[peer]:
            return None
        return b[figure] / a[figure]

    def ratios(self, peer, figure, program=None):
        """{case: ratio} of the cases that have one."""
        found = {c: self.ratio(c, peer, figure) for c in self.rows if program is None or c.startswith(program + ": ")}
        return {c: r for c, r in found.items() if r is not None}

    def programs(self):
        return list(dict.fromkeys(c.split(": ")[0] for c in self.rows))


def number(value):
    return "-" if value is None else f"{value:.4g}"


def cells(table, case, one_program):
    """A row of the table of cases, as strings."""
    ours = table.rows[case][table.ours]
    row = [case.split(": ", 1)[1] if one_program else case]
    if isinstance(ours, str):
        row += ["", ours.split(":")[0], "", ""]
    else:
        row += [ours["unit"]] + [number(ours[f]) for f in FIGURES]
    for peer in table.peers:
        for f in FIGURES:
            ratio = table.ratio(case, peer, f)
            row.append("" if ratio is None else f"{ratio:.2f}")
    return row


def heads(table):
    return (["case", "unit"] + [f"{table.ours} {TITLES[f]}" for f in FIGURES] +
            [f"/ {p} {TITLES[f]}" for p in table.peers for f in FIGURES])


def case_rows(table):
    one = len(table.programs()) == 1
    return [cells(table, c, one) for c in table.rows]


def summary_rows(table):
    """One row for each program and peer: number of cases, geometric means, how many steady ratios are low."""
    rows = []
    for program in table.programs():
        for peer in table.peers:
            steady = table.ratios(peer, "steady", program)
            means = [mean(list(table.ratios(peer, f, program).values())) for f in FIGURES]
            row = [program, peer, str(len(steady))] + ["" if m is None else f"{m:.2f}" for m in means]
            low = {f: sum(r < LOW for r in table.ratios(peer, f, program).values()) for f in FIGURES}
            rows.append(row + [str(low[f]) for f in FIGURES])
    return rows


SUMMARY_HEADS = ["program", "to", "cases"] + [TITLES[f] for f in FIGURES] + [f"below {LOW}: {TITLES[f]}" for f in FIGURES]


def low_lines(table):
    """For each peer the cases whose steady ratio is low, worst first."""
    for peer in table.peers:
        low = sorted((r, c) for c, r in table.ratios(peer, "steady").items() if r < LOW)
        if low:
            yield f"steady below {LOW} of {peer}: " + ", ".join(f"{c} {r:.2f}" for r, c in low)


def as_text(head, rows):
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(r, widths))).rstrip()
                     for r in [head, *rows])


def as_markdown(head, rows):
    lines = ["| " + " | ".join(r) + " |" for r in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * 2 + "---:|" * (len(head) - 2), *lines[1:]])
