"""The page of `weft prof --html` in a real browser: it renders, sorts, filters, and shows each line's cost.

prof_page.py WEFT BUILD_DIR PROGRAM [SCREENSHOT_FOLDER]
Exit status 77: there is no browser.
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile

weft, build, program, *shots = sys.argv[1:]
LIMIT_S = 120
browser = next((b for b in ("chromium", "chromium-browser", "google-chrome", "chrome") if shutil.which(b)), None)
if not browser:
    print("skipped: there is no Chromium")
    sys.exit(77)


class Browser:
    """A headless Chromium, which takes commands of its DevTools protocol through a pipe."""

    def __init__(self, folder):
        to, self.write = os.pipe()
        self.read, back = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4. The shell puts them there.
        script = f'exec 3<&{to} 4>&{back}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "-", browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}", "--remote-debugging-pipe"],
            pass_fds=(to, back), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to)
        os.close(back)
        self.rest, self.count, self.session, self.errors = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Runtime.enable")
        self.ask("Page.enable")

    def ask(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                assert "result" in answer, (method, answer)
                return answer["result"]

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.read, 1 << 20)
            assert part, "the browser has ended"
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message)
        return message

    def open(self, path):
        self.ask("Page.navigate", url=f"file://{path}")
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def value(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, (script, answer)
        return answer["result"].get("value")

    def names(self):
        return self.value("[...document.querySelectorAll('#rows td:first-child:not([colspan])')].map(e => e.textContent)")

    def shot(self, name):
        if shots:
            size = self.value("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
            data = self.ask("Page.captureScreenshot", captureBeyondViewport=True,
                            clip={"x": 0, "y": 0, "width": size[0], "height": min(size[1], 3000), "scale": 1})["data"]
            with open(os.path.join(shots[0], name + ".png"), "wb") as f:
                f.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait(LIMIT_S)


def click(column):
    page.value(f"[...document.querySelectorAll('#head th')].find(e => e.textContent === '{column}').click()")


with tempfile.TemporaryDirectory(prefix="weft-page-") as top:
    vendors = os.path.join(build, "vendors")
    env = {**os.environ, "WEFT_CACHE_DIR": os.path.join(top, "cache"), "OCL_ICD_VENDORS": vendors, "OPENCL_VENDOR_PATH": vendors,
           "WEFT_TIER": "2"}
    file = os.path.join(top, "profile.html")
    subprocess.run([weft, "prof", "--html", file, "-o", os.path.join(top, "out"), "--", program, "", "twice"], env=env, check=True,
                   stdout=subprocess.DEVNULL, timeout=LIMIT_S)
    page = Browser(os.path.join(top, "browser"))
    try:
        page.ask("Emulation.setDeviceMetricsOverride", width=1400, height=900, deviceScaleFactor=1, mobile=False)
        page.open(file)
        page.shot("whole")
        everything = ["branches", "reverse", "saxpy", "types"]
        assert sorted(page.names()) == everything, page.names()

        # Sorting: a click on a heading, and a second one the other way round.
        click("kernel")
        assert page.names() == everything[::-1], page.names()
        click("kernel")
        assert page.names() == everything, page.names()
        assert page.value("document.querySelector('th[aria-sort]').textContent") == "kernel"
        click("work-items")
        assert page.names()[-1] == "types", page.names()

        # Filters: by name, as a user types it, and by what limits the kernel.
        page.value("const f = document.getElementById('filter'); f.focus(); f.value = 'R'; f.dispatchEvent(new Event('input'))")
        assert sorted(page.names()) == ["branches", "reverse"], page.names()
        page.shot("filtered")
        page.value("document.getElementById('filter').value = ''; document.getElementById('filter').dispatchEvent(new Event('input'))")
        bound = page.value("data.kernels.find(k => k.name === 'saxpy').bound")
        page.value(f"const b = document.getElementById('bound'); b.value = '{bound}'; b.dispatchEvent(new Event('change'))")
        wanted = page.value(f"data.kernels.filter(k => k.bound === '{bound}').map(k => k.name)")
        assert sorted(page.names()) == sorted(wanted) and "saxpy" in wanted, (page.names(), wanted)
        # The address keeps what is shown.
        assert "bound=" in page.value("location.hash") and "sort=work_items" in page.value("location.hash")

        marks = page.value("[...document.querySelectorAll('#roofline title')].map(e => e.textContent.split(':')[0])")
        assert {"branches", "saxpy"} <= set(marks) and "reverse" not in marks, marks  # reverse has no operations on floats

        rows = page.value("[...document.querySelectorAll('#timeline path')].map(e => [e.getAttribute('class'), e.textContent, e.getBBox().width, "
                          "e.getBBox().height])")
        for kernel in everything:
            for what in ("ran for", "was built for"):
                (row,) = [r for r in rows if r[1].startswith(f"{kernel} {what}")]
                assert row[0] == ("run" if what == "ran for" else "build") and row[2] > 0 and row[3] > 0, row
        assert page.value("[...document.querySelectorAll('#timeline text')].every(e => e.getBBox().x >= 0 && "
                          "e.getBBox().x + e.getBBox().width <= 900)"), "all texts are within the drawing"

        lines = page.value("[...document.querySelectorAll('.source pre:not(.remark)')].map(e => [...e.children].map(c => c.textContent).concat(e.title))")
        assert len(lines) > 30
        share, lanes, number, told = lines[34]  # the sum in `branches`
        assert number == "35" and float(share.rstrip(" %")) > 1 and "10.0 bytes, 2.50 operations" in told, lines[34]
        branches = page.value("data.kernels.find(k => k.name === 'branches')")
        assert not branches["active_lanes"] or float(lanes) == branches["active_lanes"], (lanes, branches)
        assert lines[2][0] and not lines[1][0], lines[:3]  # `product = a * x` costs something, a brace nothing
        remarks = page.value("[...document.querySelectorAll('.source .remark')].map(e => e.textContent)")
        assert any("load of 4 bytes: consecutive" in r for r in remarks), remarks
        assert page.value("performance.getEntriesByType('resource').length") == 0, "nothing is fetched"
        assert not page.errors, page.errors

        # A thousand kernels, each in the timeline twice.
        many = os.path.join(top, "many")
        with open(many, "w", encoding="ascii") as f:
            f.write("weft-profile\t5\nprocess\t1\t1000000000\n")
            for i in range(1000):
                f.write(f"kernel\tk{i}\t1\t0\t{i + 1}000\t1\t1\t0\t1\t0\t0\t0\n")
                for what in ("run", "build"):
                    f.write(f"strip\tk{i}\t{what}\t0\t1000\t{','.join(['500'] * 256)}\n")
        subprocess.run([weft, "prof", "--html", file, "-o", os.path.join(top, "out"), "--", "sh", "-c", 'cat "$0" >"$(dirname "$WEFT_PROFILE")/1"', many],
                       env=env, check=True, timeout=LIMIT_S)
        page.open(file)
        assert len(page.names()) == 1000 and page.value("document.querySelectorAll('#timeline path').length") == 48
        assert not page.errors and page.value("document.querySelector('.failed')") is None, page.errors
    finally:
        page.close()
