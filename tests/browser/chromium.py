"""A browser at the end of a pipe: Chromium's DevTools protocol with nothing but Python's own library.

    with Browser(1280, 720) as b:
        b.open("file:///tmp/replay.html")
        b.js("slipstick.state.time")
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, width=1280, height=720):
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") \
            or shutil.which("google-chrome")
        if not program:
            raise SystemExit("test-browser: no chromium on the path (Debian: apt-get install chromium), or name one in CHROMIUM")
        self.home = tempfile.mkdtemp(prefix="slipstick-browser-")
        to_child, self.out = os.pipe()
        self.inp, from_child = os.pipe()

        def child():                               # Chromium reads commands from 3 and answers on 4
            a, b = os.dup(to_child), os.dup(from_child)
            os.dup2(a, 3)
            os.dup2(b, 4)

        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
                 "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run", "--mute-audio",
                 "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + self.home,
                 "--window-size=%d,%d" % (width, height), "about:blank"]
        self.process = subprocess.Popen([program] + flags, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=child, close_fds=False,
                                        start_new_session=True)
        os.close(to_child)
        os.close(from_child)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close", wait=5)
        except Exception:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self, wait):
        """The next message, None when there is none in time."""
        end = time.monotonic() + wait
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            data = os.read(self.inp, 1 << 20)
            if not data:
                raise EOFError("the browser has gone")
            self.rest += data
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, wait=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + wait
        while True:
            answer = self.read(end - time.monotonic())
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def drain(self, seconds):
        """Lets time pass, collecting events."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return
            event = self.read(left)
            if event is not None and "method" in event:
                self.events.append(event)

    def size(self, width, height, mobile=False, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=mobile)

    def open(self, url, wait=60):
        self.events = []
        self.call("Page.navigate", url="about:blank")
        self.drain(0.1)
        self.events = []
        self.call("Page.navigate", url=url)
        end = time.monotonic() + wait
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            if time.monotonic() > end:
                raise TimeoutError("loading " + url)
            self.drain(0.05)
        self.drain(0.3)

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def complaints(self):
        """Errors and exceptions on the console so far."""
        out = []
        for e in self.events:
            p = e["params"]
            if e["method"] == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description", p["exceptionDetails"]["text"]))
            if e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
                out.append(" ".join(str(a.get("value", a.get("description"))) for a in p["args"]))
            if e["method"] == "Log.entryAdded" and p["entry"]["level"] == "error":
                out.append(p["entry"]["text"])
        return out

    def key(self, key, code=None, modifiers=0):
        text = key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, modifiers=modifiers,
                      text=text if kind == "keyDown" else "")
        self.drain(0.05)

    def mouse(self, kind, x, y, button="none", buttons=0, count=0, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=count, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left", 1, 1)
        self.mouse("mouseReleased", x, y, "left", 0, 1)
        self.drain(0.1)

    def touch(self, kind, *points):
        """touchStart, touchMove with the fingers that are down, touchEnd with those that stay."""
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)])
        self.drain(0.03)

    def processor_seconds(self):
        """Processor time of the browser and all its children so far (Linux)."""
        parents, ticks = {}, {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % name) as f:
                    field = f.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(name)], ticks[int(name)] = int(field[1]), int(field[11]) + int(field[12])
        mine, total = {self.process.pid}, 0
        for _ in range(8):
            mine |= {p for p in parents if parents[p] in mine}
        for p in mine:
            total += ticks.get(p, 0)
        return total / os.sysconf("SC_CLK_TCK")

    def screenshot(self, path):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as f:
            f.write(data)
