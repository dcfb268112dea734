"""Times the calls of a program, in the process that measures. Only the standard library is imported.

A case is one operation with one size. It prints one line of JSON:

  {"case": NAME, "elapsed": FIGURES, "processor": FIGURES, "unit": "ms"}   lower is better
  {"case": NAME, "failed": WHY}                                            no figures
  {"case": NAME, "wrong": WHY}                                             later, if a result is wrong
  {"case": NAME}                                                           where cases are only named

FIGURES is {"first": X, "early": X, "steady": X}. Processor time is that of all threads of this process; compilers in processes of
their own don't count.

Results are checked after all cases have been timed. Otherwise a driver that compiles in the background would get time for
it between the cases.
"""
import fnmatch
import json
import statistics
import time

EARLY = slice(1, 10)  # calls 2 to 10


def figures(times):
    """First call, median of calls 2 to 10, median of the last third (calls 18 to 25 of 25)."""
    last = max(1, len(times) * 8 // 25)
    return {"first": times[0], "early": statistics.median(times[EARLY] or times), "steady": statistics.median(times[-last:])}


def rounded(times):
    return [round(t, 4) for t in times]


class Skipped(Exception):
    """This program can't be measured here; the argument says why."""


class Cases:
    """short: one or two small cases, for tests. calls: how often each case is called. patterns: which cases. listing: cases are
    only named."""

    def __init__(self, calls=25, short=False, check=True, patterns=(), listing=False, out=print):
        self.calls, self.short, self.check, self.listing = calls, short, check, listing
        self.patterns, self.out = patterns, out
        self.checks = []

    def wants(self, name):
        return not self.patterns or any(fnmatch.fnmatch(name, p) for p in self.patterns)

    def starts(self, name):
        """Whether the case is to be measured now. time() asks itself."""
        if self.listing and self.wants(name):
            self._line(case=name)
        return not self.listing and self.wants(name)

    def time(self, name, call, wait=lambda: None, check=None):
        """Times call() and then wait(), which returns when the device is done. check(RESULTS) gets the first and the last result;
        it returns None, or what is wrong."""
        if not self.starts(name):
            return
        try:
            elapsed, processor, first, last = self._times(call, wait)
        except Exception as e:  # whatever the program throws: the other cases are still measured
            self.failed(name, e)
            return
        self._line(case=name, elapsed=figures(elapsed), processor=figures(processor), unit="ms", calls=rounded(elapsed))
        if check and self.check:
            self.checks.append((name, lambda: check([first, last])))

    def _times(self, call, wait):
        elapsed, processor, first, last = [], [], None, None
        for i in range(self.calls):
            begin, used = time.perf_counter(), time.process_time()
            last = call()
            wait()
            elapsed.append(1e3 * (time.perf_counter() - begin))
            processor.append(1e3 * (time.process_time() - used))
            if i == 0:
                first = last
        return elapsed, processor, first, last

    def report(self, name, first, early, steady, unit="ms", calls=()):
        """Figures of a case that the program has timed itself; lower is better. None: there is no such figure."""
        self._line(case=name, elapsed={"first": first, "early": early, "steady": steady}, processor=None, unit=unit,
                   calls=rounded(calls))

    def failed(self, name, why):
        self._line(case=name, failed=f"{type(why).__name__}: {why}"[:300] if isinstance(why, Exception) else why)

    def wrong(self, name, why):
        self._line(case=name, wrong=why[:300])

    def finish(self):
        """Checks the results."""
        for name, check in self.checks:
            try:
                why = check()
            except Exception as e:
                why = f"the check failed with {type(e).__name__}: {e}"
            if why:
                self.wrong(name, why)

    def _line(self, **fields):
        self.out(json.dumps(fields), flush=True)


def compare(want, tolerance, get=lambda r: r, what=None):
    """A check: all results are like want() (computed now), within a tolerance that is relative to its largest value.

    get makes an array of a result. what: which part of the array is compared.
    """
    def check(results):
        import numpy as np
        right = np.asarray(want())
        for which, result in zip(("first", "last"), results):
            got = np.asarray(get(result))
            if got.shape != right.shape:
                return f"{which} result: shape {got.shape}, not {right.shape}"
            a, b = (got, right) if what is None else (got[what], right[what])
            difference = np.abs(a.astype(complex if a.dtype.kind == "c" else float) - b)
            scale = float(np.abs(b).max()) or 1.0
            if not difference.max() <= tolerance * scale:
                where = tuple(int(i) for i in np.unravel_index(np.nanargmax(difference), difference.shape))
                return f"{which} result: {difference.max() / scale:.2g} of the largest value apart at {where}"
        return None
    return check


def repeats(tolerance, get=lambda r: r):
    """A check for what has no reference: the last result is the first one. Most drivers run different code by then."""
    def check(results):
        first, last = results
        return compare(lambda: get(first), tolerance, get)([last])
    return check
