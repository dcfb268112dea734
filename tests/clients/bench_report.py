"""What `scripts/bench --opencv` and `--clients` make of runs: figures, ratios, tables, and what they say about wrong results, crashes
and missing programs. The programs are made up here; nothing runs on OpenCL."""
import contextlib
import io
import os
import sys
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests/bench"))
from programs import measure, needs, report, run, table  # noqa: E402

HERE = run.Side("ours", "/nonexistent", "", {"MADE_UP": "7"})


def child(text):
    return run.run([sys.executable, "-c", text], HERE, patience=20)


def results(ours, theirs, wrong=()):
    """Results of two sides; ours and theirs: {case: [steady of each round]}, or a string for a case that failed."""
    made = run.Results(["ours", "theirs"])
    for side, rows in (("ours", ours), ("theirs", theirs)):
        for case, rounds in rows.items():
            for r in [rounds] if isinstance(rounds, str) else rounds:
                fields = {"failed": r} if isinstance(r, str) else {
                    "elapsed": {"first": 10 * r, "early": 2 * r, "steady": r}, "unit": "ms",
                    "processor": {"first": r, "early": r, "steady": 4 * r} if side == "ours" else {"first": r, "early": r, "steady": r}}
                made.add(side, "p", {case: fields}, {c: "off by one" for c in wrong} if side == "ours" else {}, None)
    return made


def shown(made, over="best"):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = report.show(made, {"q": "not here"}, over)
    return status, out.getvalue()


class Measuring(unittest.TestCase):
    def test_figures_are_the_first_call_and_two_medians(self):
        times = [100.0] + [10.0] * 8 + [50.0] + [7.0] * 7 + [5.0] * 8
        self.assertEqual(measure.figures(times), {"first": 100.0, "early": 10.0, "steady": 5.0})

    def test_one_call_is_enough(self):
        self.assertEqual(measure.figures([3.0]), {"first": 3.0, "early": 3.0, "steady": 3.0})

    def test_a_case_that_throws_is_reported_and_the_next_one_runs(self):
        lines = []
        cases = measure.Cases(calls=2, out=lambda line, flush: lines.append(line))
        cases.time("bad", lambda: 1 // 0)
        cases.time("good", lambda: 1)
        made, _ = run.parse(lines)
        self.assertIn("ZeroDivisionError", made["bad"]["failed"])
        self.assertGreater(made["good"]["elapsed"]["first"], 0)
        self.assertGreaterEqual(made["good"]["processor"]["steady"], 0)

    def test_first_and_last_results_are_checked_after_all_cases(self):
        order, numbers = [], iter([1, 2, 3])
        cases = measure.Cases(calls=3, out=lambda line, flush: order.append(line))
        cases.time("a", lambda: next(numbers), check=lambda r: str(r))
        cases.time("b", lambda: 0)
        cases.finish()
        self.assertEqual(run.parse(order)[1], {"a": "[1, 3]"})
        self.assertIn('"b"', order[1])

    def test_listing_calls_nothing(self):
        lines = []
        cases = measure.Cases(patterns=["a*"], listing=True, out=lambda line, flush: lines.append(line))
        cases.time("a1", lambda: self.fail("called"))
        cases.time("b1", lambda: self.fail("called"))
        self.assertEqual(run.parse(lines), ({"a1": {}}, {}))

    def test_patterns_choose_cases(self):
        cases = measure.Cases(patterns=["add*", "exp"])
        self.assertTrue(cases.wants("add f32") and cases.wants("exp") and not cases.wants("exp2"))


class Running(unittest.TestCase):
    def test_lines_that_are_no_cases_are_passed_over(self):
        cases, wrong = run.parse(["hello", "[1]", "{}", '{"case": "a", "first": 1}', '{"case": "a", "wrong": "no"}'])
        self.assertEqual((cases, wrong), ({"a": {"first": 1}}, {"a": "no"}))

    def test_a_crash_keeps_the_cases_before_it(self):
        cases, _, trouble = child("import os; print('{\"case\": \"a\", \"first\": 1}', flush=True); os.abort()")
        self.assertEqual(cases, {"a": {"first": 1}})
        self.assertIn("SIGABRT", trouble)

    def test_a_failure_says_its_last_line(self):
        self.assertEqual(child("raise SystemExit('no such device')")[2], "exit status 1: no such device")

    def test_a_program_that_can_not_run_says_why(self):
        self.assertEqual(child("import sys; print('skip: no device'); sys.exit(77)")[2], "no device")

    def test_a_side_has_its_settings_and_an_empty_home(self):
        cases = child("import os, json; print(json.dumps({'case': os.environ['MADE_UP'], 'home': sorted(os.listdir(os.environ['HOME'])),"
                      " 'vendors': os.environ['OCL_ICD_VENDORS']}))")[0]
        self.assertEqual(cases, {"7": {"home": ["stderr"], "vendors": "/nonexistent"}})


class Tables(unittest.TestCase):
    def test_ratios_above_one_are_better_for_us(self):
        made = table.Table(results({"a": [2.0]}, {"a": [3.0]}))
        self.assertEqual(made.ratio("p: a", "theirs", "steady"), 1.5)

    def test_rounds_give_their_best_or_their_median(self):
        made = results({"a": [4.0, 1.0, 2.0]}, {"a": [4.0, 4.0, 4.0]})
        self.assertEqual(table.Table(made, "best").ratio("p: a", "theirs", "steady"), 4.0)
        self.assertEqual(table.Table(made, "median").ratio("p: a", "theirs", "steady"), 2.0)

    def test_the_processors_time_is_another_table(self):
        made = results({"a": [1.0]}, {"a": [1.0]})
        self.assertEqual(table.Table(made, clock="processor").ratio("p: a", "theirs", "steady"), 0.25)

    def test_means_are_geometric_and_low_cases_are_listed_worst_first(self):
        status, text = shown(results({"a": [2.0], "b": [1.0], "c": [1.0]}, {"a": [1.0], "b": [8.0], "c": [0.9]}))
        self.assertEqual(status, 0)
        self.assertRegex(text, r"p +theirs +3 +1\.53 +1\.53 +1\.53 +2 +2 +2")
        self.assertIn("steady below 0.95 of theirs: p: a 0.50, p: c 0.90", text)
        self.assertIn("not measured: q: not here", text)

    def test_wrong_results_fail_and_count_in_no_mean(self):
        status, text = shown(results({"a": [1.0], "b": [1.0]}, {"a": [9.0], "b": [4.0]}, wrong=["a"]))
        self.assertEqual(status, 1)
        self.assertIn("ours: p: a: wrong: off by one", text)
        self.assertRegex(text, r"p +theirs +1 +4\.00")

    def test_a_case_that_fails_for_us_fails_and_one_of_theirs_is_only_said(self):
        self.assertEqual(shown(results({"a": "no kernel"}, {"a": [1.0]}))[0], 1)
        status, text = shown(results({"a": [1.0]}, {"a": "no kernel"}))
        self.assertEqual(status, 0)
        self.assertIn("theirs: p: a: failed: no kernel", text)

    def test_saved_results_give_the_same_table(self):
        made = results({"a": [2.0, 1.0]}, {"a": [3.0, 5.0]})
        import tempfile
        with tempfile.NamedTemporaryFile() as f:
            report.save(f.name, made, {"q": "not here"})
            again, absent = report.load(f.name)
        self.assertEqual(absent, {"q": "not here"})
        self.assertEqual(shown(again), shown(made))


class Needs(unittest.TestCase):
    def test_what_is_missing_is_said_with_the_way_to_get_it(self):
        class Program:
            IMPORTS, PYPI, COMMANDS, DEBIAN = ["no_such_module"], ["no-such-module"], ["no-such-command"], ["no-package"]
        self.assertEqual(needs.missing(Program, "/v"), "no-such-command missing; Debian: apt-get install no-package")
        Program.COMMANDS = []
        self.assertEqual(needs.missing(Program, "/v"), "no Python has no_such_module; "
                         "python3 -m venv /v && /v/bin/pip install 'no-such-module'")

    def test_every_program_has_the_interface(self):
        from programs import NAMES
        for name in NAMES:
            program = needs.load(name)
            self.assertTrue(callable(program.measure) and program.__doc__, name)
            self.assertTrue(getattr(program, "PYPI", None) or getattr(program, "COMMANDS", None), name)


unittest.main()
