"""The laboratory in a real browser: lab.py SLIPSTICK LAB.html DIRECTORY [--speed]. Opens the page from its file in
headless Chromium and uses it; --speed prints the table of docs/lab.md instead. Ends with `N passed, M failed`."""
import json
import math
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Browser

slipstick, page, place = (os.path.abspath(x) for x in sys.argv[1:4])
os.makedirs(place, exist_ok=True)
passed, failed = 0, 0


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print("%s %s%s" % ("ok    " if good else "FAILED", name, "" if good else ": " + str(found)), flush=True)


def open_lab(b, fragment):
    b.open("file://" + page + fragment)
    for _ in range(300):
        if b.js("Boolean(window.lab && lab.ready)"):
            break
        b.drain(0.1)
    b.drain(0.3)


def wait_for(b, expression, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if b.js(expression):
            return True
        b.drain(0.1)
    return False


COLOURS = """(() => { laboratory.draw(); const gl = laboratory.gl(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, a = new Uint8Array(4*w*h), seen = new Set();
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, a); for (let i = 0; i < a.length; i += 4) seen.add(a[i] << 16 | a[i+1] << 8 | a[i+2]); return seen.size; })()"""
STATE = "(() => { const s = lab.panels[%d].engine.state(); return [...s.q, ...s.v]; })()"


def on_screen(b, panel, body):
    """Where a body of a panel is in the window."""
    return b.js("""(() => { const p = laboratory.panels()[%d], q = p.panel.poses, o = 7*%d, at = laboratory.projected(p, [q[o], q[o+1], q[o+2]]),
      r = laboratory.view().getBoundingClientRect(); return [at[0] + r.left, at[1] + r.top]; })()""" % (panel, body))


def loads(b):
    open_lab(b, "")
    check("loads from a file", b.js("lab.ready === true"))
    size = os.path.getsize(page)
    check("the file is smaller than 2 MB (%.2f MB)" % (size*1e-6), size < 2e6)
    check("a picture that is not blank", b.js(COLOURS) > 50)
    check("time moves by itself", wait_for(b, "lab.panels[0].stats.time > 0.2"), b.js("lab.panels[0].stats"))
    b.key(" ")
    check("Space pauses", not b.js("lab.playing"))
    before = b.js("lab.panels[0].stats.steps")
    b.key("ArrowRight")
    b.drain(0.3)
    check("the right arrow is one step", b.js("lab.panels[0].stats.steps") == before + 1, b.js("lab.panels[0].stats.steps"))
    b.key("?")
    check("? lists the keys", b.js("document.getElementById('keys').open"))
    b.js("document.getElementById('keys').close()")
    was = b.js("document.documentElement.dataset.theme")
    b.key("t")
    check("T turns dark to light", b.js("document.documentElement.dataset.theme") != was)
    b.key("t")
    unnamed = b.js("""[...document.querySelectorAll('button, select, input')].filter(e => !e.textContent.trim() && !e.getAttribute('aria-label')
      && !(e.id && document.querySelector('label[for="' + e.id + '"]')) && !e.closest('label')).map(e => e.outerHTML.slice(0, 80))""")
    check("every control has a name", not unnamed, unnamed)


def pulling(b):
    open_lab(b, "#scene=cube_slide&play=0&mu=0.5&t=1")
    rest = b.js("lab.panels[0].poses[0]")
    at = on_screen(b, 0, 0)
    b.mouse("mouseMoved", *at)
    b.mouse("mousePressed", *at, "left", 1, 1)
    check("a press on the cube takes hold of it", b.js("lab.hold && lab.hold.name") == "cube", b.js("lab.hold && lab.hold.name"))
    b.js("laboratory.setPlaying(true)")
    for i in range(1, 11):
        b.mouse("mouseMoved", at[0] + 22*i, at[1] - 3*i, "left", 1)
        b.drain(0.05)
    pulled = wait_for(b, "Math.hypot(...lab.panels[0].stats.pull) > 1")
    label = b.js("document.querySelector('.force') && document.querySelector('.force').textContent")
    moved = wait_for(b, "Math.hypot(lab.panels[0].poses[0] - %r, lab.panels[0].poses[1] - 0.9) > 0.05" % rest)
    check("pulling has a force, shown as a number", pulled and label and label.endswith(" N"), label)
    b.screenshot(os.path.join(place, "lab_pull.png"))
    b.mouse("mouseReleased", at[0] + 220, at[1] - 30, "left", 0, 1)
    b.drain(0.2)
    check("pulling moves the body", moved, b.js("Array.from(lab.panels[0].poses.slice(0, 3))"))
    check("letting go ends the force", b.js("lab.hold === null && Math.hypot(...lab.panels[0].stats.pull) === 0"))
    b.js("laboratory.openModel('cube_slide')")
    b.js("laboratory.setPlaying(false)")
    b.key("u")
    b.drain(0.2)
    b.click(*on_screen(b, 0, 0))
    b.js("laboratory.stepBy(120)")
    check("a push moves it too", abs(b.js("lab.panels[0].engine.state().v[0]")) > 0.1, b.js(STATE % 0))
    b.key("p")
    b.js("laboratory.openModel('cube_slide')")
    b.js("laboratory.setPlaying(false)")
    state = b.js("laboratory.stepBy(100), " + STATE % 0)
    clock = b.js("lab.panels[0].look(100), lab.panels[0].stats.time")
    b.key("d")
    b.drain(0.3)
    check("D drops a box, and the cube stays where it is", b.js("laboratory.about().bodies.length") == 2
          and b.js("(() => { const s = lab.panels[0].engine.state(); return [...s.q.slice(0, 7), ...s.v.slice(0, 6)]; })()") == state)
    check("and the clock goes on", abs(b.js("lab.panels[0].stats.time") - clock) < 1e-9, b.js("lab.panels[0].stats.time"))


FREE = """<scene name='free'><simulation dt='0.001' gravity='0 0 0'/>
<body name='ball' mass='2'><geometry><sphere radius='0.1'/></geometry></body>
<body name='plate' mass='1'><origin xyz='3 0 0'/><geometry><box size='1 1 0.01'/></geometry></body></scene>"""
# Takes hold of a link at a point, draws it away, and steps: force and point of each step.
DRAW = """window.drawAway = (link, point, by, body, tree, steps) => { const e = lab.panels[0].engine, x = e.x, way = [];
  x.lab_grab(link, e.list(point), 0, body, tree); x.lab_pull_to(e.list(point.map((p, i) => p + by[i])));
  for (let k = 0; k < steps && x.lab_step() >= 0; ++k) { x.lab_poses(); way.push([...e.numbers(x.lab_stats(), 31).slice(23, 29)]); }
  x.lab_grab(-1, e.list(0, 0, 0), 0, 0, 0); return way; }"""


def spring(b):
    """The spring of a pull on bodies without weight: period, damping, and its bounds (lab_grab() in lab/lab.c)."""
    open_lab(b, "#scene=cube_slide&play=0")
    give(b, [["free.xml", FREE]])
    b.js(DRAW)

    def draw(name, point, by, body, tree, steps):
        b.key("Home")
        b.js("laboratory.setPlaying(false)")
        link = b.js("laboratory.names().links.findIndex(l => l[0] === '%s')" % name)
        return b.js("drawAway(%d, %s, %s, %r, %r, %d)" % (link, point, by, body, tree, steps))

    w, dt, far = 2*math.pi/0.7, 1e-3, 0.1
    way = draw("ball", [0, 0, 0], [far, 0, 0], 2, 2, 1000)
    # Critical damping: x = far (1 - (1 + w t) exp(-w t)); a step of 1 ms shifts it by at most w dt = 0.9 % of the way.
    off = max(abs(s[3] - far*(1 - (1 + w*k*dt)*math.exp(-w*k*dt)))/far for k, s in enumerate(way))
    check("a pull has a period of 0.7 s, critically damped (%.1f %% off)" % (100*off), len(way) == 1000 and off < w*dt, off)
    light = 1e-4
    first, second = draw("ball", [0, 0, 0], [far, 0, 0], light, 2, 2)
    k = first[0]/far
    c = (k*(far - second[3]) - second[0])/(first[0]*dt/2)                # 2 kg have the speed f dt/2 after the first step
    check("its stiffness ends where k dt^2 is a twentieth of the link", abs(k*dt**2/light - 0.05) < 1e-6, k)
    check("its damping ends where c dt is a quarter of the link", abs(c*dt/light - 0.25) < 1e-4, c)
    force = draw("ball", [0, 0, 0], [1e3, 0, 0], 2, 2, 1)[0][0]
    check("it never pulls harder than 15 times the weight", abs(force - 15*9.81*2) < 1e-9, force)
    way = draw("plate", [3.5, 0.5, 0.005], [0, 0, 0.01], 1, 1e4, 600)
    height = [s[5] - 0.005 for s in way]
    check("a light plate at its corner, the worst place, comes to the pointer without growing swings", len(way) == 600
          and max(height) < 0.02 and max(abs(h - 0.01) for h in height[-50:]) < 0.001, (max(height), height[-5:]))


def settings(b):
    open_lab(b, "#scene=cube_slide&play=0")
    value = "lab.panels[0].engine.x.lab_get(%d)"
    for key, number, text in (("mu", 1, "0.6"), ("e", 2, "0.5"), ("compliance", 3, "0.0001"), ("dt", 0, "0.002"), ("tol", 4, "0.00001"), ("iters", 5, "50")):
        b.js("(() => { const e = document.getElementById('set-%s'); e.value = '%s'; e.dispatchEvent(new Event('change')); })()" % (key, text))
        check("%s can be changed" % key, abs(b.js(value % number) - float(text)) < 1e-12, b.js(value % number))
    b.js("(() => { const e = document.getElementById('set-mass'); e.value = '3'; e.dispatchEvent(new Event('change')); })()")
    b.js("lab.panels[0].engine.x.lab_poses()")
    check("mass can be changed", abs(b.js("lab.panels[0].engine.numbers(lab.panels[0].engine.x.lab_stats(), 2)[1]") - 3*9.81*0.1) < 0.01,
          b.js("lab.panels[0].engine.numbers(lab.panels[0].engine.x.lab_stats(), 2)[1]"))
    b.js("laboratory.stepBy(20)")
    check("and it runs on", b.js("lab.panels[0].stopped === ''") and wait_for(b, "lab.panels[0].stats.steps === 20"), b.js("lab.panels[0].stopped"))
    b.drain(0.5)
    fragment = b.js("location.hash")
    for part in ("scene=cube_slide", "mu=0.6", "e=0.5", "dt=0.002", "mass=3", "iters=50"):
        check("the address says " + part, part in fragment, fragment)
    b.js("Object.assign(laboratory.camera, { yaw: 0.3, pitch: 0.5, distance: 0.8*laboratory.camera.distance }), lab.follow = true, lab.picked = lab.panels[0].contacts[1], 0")
    view = "[laboratory.camera.yaw, laboratory.camera.pitch, laboratory.camera.distance, Number(lab.follow), lab.picked && lab.picked.feature]"
    seen = b.js(view)
    link = b.js("laboratory.writeAddress(true)")
    state = b.js(STATE % 0)
    open_lab(b, link)
    check("a link brings the same state, to the bit", b.js(STATE % 0) == state)
    found = b.js(view)
    check("the same view, and the contact that was picked", found[4] == seen[4] is not None
          and all(abs(x - y) < 1e-3 for x, y in zip(found[:4], seen[:4])), (found, seen))
    check("and the same settings", b.js(value % 1) == 0.6 and b.js(value % 0) == 0.002)
    for wrong, says in (("#scene=nowhere", "expected one of"), ("#scene=cube_slide&mu=-1", "mu=-1: expected a number"), ("#solver=magic", "expected")):
        open_lab(b, wrong)
        said = b.js("document.getElementById('notice').hidden ? '' : document.getElementById('notice').textContent")
        check("a wrong address is said: " + wrong, says in said, said)
        check("and a scene is there all the same", b.js("lab.panels.length") == 1)


def solvers(b):
    open_lab(b, "#scene=cube_slide&play=0&t=0.05")
    ids = b.js("laboratory.registry().solvers.map(s => s.id)") + ["like:" + e for e in b.js("laboratory.registry().engines").split()]
    native = json.loads(subprocess.run([slipstick, "solvers", "--json"], check=True, capture_output=True, text=True).stdout)
    native = [s["id"] for s in native if s["group"] != "inverse"]          # those of inverse dynamics step no world
    check("the page has all solvers of `slipstick solvers`, and the engines", sorted(ids[:len(native)]) == sorted(native) and len(ids) >= 30, (ids, native))
    for i in ids:
        b.js("laboratory.chooseSolver(lab.panels[0], %s)" % json.dumps(i))
        before = b.js("lab.panels[0].stats.steps")
        b.js("laboratory.stepBy(25), lab.panels.forEach(p => p.look(100))")
        found = b.js("[lab.panels[0].stopped, lab.panels[0].choice, lab.panels[0].stats.steps, lab.panels[0].stats.kinetic]")
        check("runs live: " + i, found[:3] == ["", i, before + 25] and found[3] is not None, found)
    open_lab(b, "#scene=slide_aslant&play=0")
    check("four panels side by side", b.js("laboratory.panels().length") == 4)
    check("from the same state", all(b.js(STATE % k) == b.js(STATE % 0) for k in (1, 2, 3)))
    b.js("laboratory.stepBy(100)")
    b.drain(0.6)
    share = b.js("lab.panels.map(p => p.stats.broken.map(n => n/Math.max(1, p.stats.contacts)))")
    check("LCP breaks Coulomb and dissipation", share[0][1] > 0.1 and share[0][2] > 0.1, share)
    check("CCP breaks Signorini", share[1][0] > 0.1, share)
    check("RaiSim breaks dissipation", share[2][2] > 0.1 and share[2][0] < 0.001, share)
    check("NCP breaks none", max(share[3]) < 0.001, share)
    check("the heads of the panels say so", "\u2717 Signorini" in b.js("document.querySelectorAll('.head')[1].textContent"))
    check("residuals by iteration are there", b.js("lab.panels[3].history.eps.length") > 0)
    b.js("document.querySelector('[data-tab=laws]').click()")
    b.drain(0.5)
    text = b.js("laboratory.lawsText()").split("\n")
    check("the table of laws can be copied", len(text) > 15 and all(len(l.split("\t")) == 5 for l in text), text[:3])
    check("plots are SVG", b.js("laboratory.PLOTS.every(p => new DOMParser().parseFromString(laboratory.plotSvg(p), 'image/svg+xml').querySelector('parsererror') === null && laboratory.plotSvg(p).includes('<path'))"))
    point = b.js("(() => { const p = laboratory.panels()[3], c = p.panel.contacts[0], at = laboratory.projected(p, c.point), r = laboratory.view().getBoundingClientRect(); return [at[0] + r.left, at[1] + r.top]; })()")
    b.click(*point)
    b.drain(0.5)
    check("a click picks a contact and shows its cone", b.js("lab.picked !== null && document.querySelectorAll('#contact canvas').length > 0"))
    b.screenshot(os.path.join(place, "lab_four.png"))
    b.js("laboratory.setPanels(1)")
    b.js("laboratory.setPanels(2)")
    check("a second panel begins with the state of the first", b.js(STATE % 0) == b.js(STATE % 1))


def hashes(b):
    """The scenes of tests/bits.txt against that table; two more against the native program itself."""
    with open("tests/bits.txt", encoding="utf-8") as f:
        table = [l.split() for l in f if l.strip() and not l.startswith("#")]
    open_lab(b, "#scene=cube_slide&play=0")
    for name, steps, double, _, path, *_ in table:
        scene = path[len("models/"):-len(".xml")]
        b.js("laboratory.openModel('%s'), laboratory.setPlaying(false)" % scene)
        here = b.js("laboratory.runHash(%s)" % steps)
        check("%s: hash of %s steps as in tests/bits.txt (%s)" % (scene, steps, double), here == double, here)
    for scene, steps, arguments in (("ball_drop", 300, ["--time", "0.3"]), ("quad_trot", 500, ["--trot", "0.5,0,0", "--time", "0.5"])):
        out = subprocess.run([slipstick, "sim", "models/%s.xml" % scene, *arguments, "--quiet", "--hash", "--json"], check=True, capture_output=True, text=True).stdout
        native = json.loads(out)["hash"]
        b.js("laboratory.openModel('%s'), laboratory.setPlaying(false)" % scene)
        here = b.js("laboratory.runHash(%d)" % steps)
        check("%s: hash of %d steps as the native build (%s)" % (scene, steps, native), here == native, here)
    b.js("laboratory.openModel('wall'), laboratory.setPlaying(false)")
    b.js("document.querySelector('[data-tab=about]').click(), document.getElementById('hash').click()")
    check("the page says that a hash is the native one", wait_for(b, "document.getElementById('hashes').textContent.includes('equal to the native')", 60), b.js("document.getElementById('hashes').textContent"))


URDF = """<robot name="r"><link name="base"><inertial><mass value="2"/><inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://r/meshes/rock.obj"/></geometry></visual><collision><geometry><mesh filename="package://r/meshes/rock.obj"/></geometry></collision></link>
<link name="arm"><inertial><origin xyz="0 0 .1"/><mass value=".5"/><inertia ixx=".002" iyy=".002" izz=".002" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 .1"/><geometry><cylinder radius=".02" length=".2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 .1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""


def rock():
    corner = [(.12, 0, 0), (-.12, 0, 0), (0, .12, 0), (0, -.12, 0), (0, 0, .1), (0, 0, -.1)]
    face = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    return "".join("v %g %g %g\n" % c for c in corner) + "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in face)


def give(b, files):
    """Drops files on the page, as a browser hands them over."""
    b.js("""(() => { const t = new DataTransfer(); for (const [name, text] of %s) t.items.add(new File([text], name));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: t, cancelable: true, bubbles: true })); })()""" % json.dumps(files))
    b.drain(1.0)


def dropping(b):
    open_lab(b, "#scene=cube_slide&play=0")
    give(b, [["r.urdf", URDF], ["rock.obj", rock()]])
    check("a URDF with its mesh is dropped and runs", b.js("lab.custom && lab.title") == "r.urdf" and b.js("laboratory.names().joints.some(j => j[0] === 'j')"), b.js("document.getElementById('notice').textContent"))
    check("its mesh is drawn", b.js("laboratory.about().meshes.length") >= 1)
    check("time moves", wait_for(b, "lab.panels[0].stats.time > 0.1 && lab.panels[0].stopped === ''"), b.js("lab.panels[0].stopped"))
    b.js("laboratory.setPlaying(false)")
    link = b.js("laboratory.writeAddress(true)")
    state = b.js(STATE % 0)
    open_lab(b, link)
    check("a link carries small dropped files and the state", b.js("lab.custom && lab.title") == "r.urdf" and b.js(STATE % 0) == state, link[:80])
    give(b, [["bad.xml", "<scene name='bad'>\n  <simulation dt='0.001'/>\n  <body name='b' mass='heavy'><geometry><sphere radius='0.1'/></geometry></body>\n</scene>"]])
    said = b.js("document.getElementById('notice').hidden ? '' : document.getElementById('notice').textContent")
    check("a failed parse says file, line and column", "bad.xml:3:" in said and "heavy" in said, said)
    check("and what ran before goes on", b.js("lab.title") == "r.urdf" and b.js("lab.panels.length") == 1)
    give(b, [["gone.urdf", URDF]])
    said = b.js("document.getElementById('notice').hidden ? '' : document.getElementById('notice').textContent")
    check("a mesh that was not dropped along is said", b.js("lab.title") == "gone.urdf" and "rock.obj" in said, said)
    give(b, [["two.xml", "<scene name='two'><simulation dt='0.002'/><ground/><robot file='pendulum.urdf' base='fixed'/></scene>"],
             ["pendulum.urdf", open("models/double_pendulum.urdf", encoding="utf-8").read()]])
    check("a scene finds its robot among the files", b.js("lab.title") == "two.xml" and b.js("laboratory.names().nv") == 2, b.js("document.getElementById('notice').textContent"))
    b.js("laboratory.openModel('cube_slide'), lab.panels[0].engine.numbers(lab.panels[0].engine.x.lab_v(), 6).fill(NaN), laboratory.stepBy(1)")
    b.drain(0.5)
    check("a NaN stops the panel, which says why", len(b.js("lab.panels[0].stopped")) > 10 and b.js("!document.querySelector('.stop').hidden"), b.js("lab.panels[0].stopped"))
    b.key("Home")
    check("from the start it runs again", b.js("lab.panels[0].stopped === ''"))


def course(b):
    """Each link of the course into the laboratory: it opens without a word, has its scene and solvers, and runs."""
    lessons = sorted(n for n in os.listdir("docs/course") if re.match(r"[0-9]+_.*\.md$", n))
    for name in lessons:
        with open("docs/course/" + name, encoding="utf-8") as f:
            links = re.findall(r"build/lab\.html(#[^)\s]*)", f.read())
        check("course: %s has a link into the laboratory" % name, links)
        for link in links:
            wish = dict(part.split("=", 1) for part in link[1:].split("&"))
            open_lab(b, link)
            said = b.js("document.getElementById('notice').hidden ? '' : document.getElementById('notice').textContent")
            opened = b.js("[lab.scene, lab.panels.map(p => p.choice)]")
            before = b.js("lab.panels.map(p => p.stats.steps)")
            b.js("laboratory.setPlaying(false), laboratory.stepBy(20), lab.panels.forEach(p => p.look(100))")
            ran = b.js("lab.panels.every((p, k) => p.stopped === '' && p.stats.steps >= %s[k] + 20)" % json.dumps(before))
            check("course: " + link, said == "" and opened == [wish["scene"], wish["solver"].split(",")] and ran, (said, opened, ran))


def phone(b):
    b.size(390, 780, True, 2)
    open_lab(b, "#scene=quad_stand")
    check("phone: nothing is wider than the window", b.js("document.documentElement.scrollWidth") <= 390, b.js("document.documentElement.scrollWidth"))
    out = b.js("""[...document.querySelectorAll('header button, header select, .transport button, .transport select, .tabs button, #tools button')].filter(e => e.offsetParent)
      .map(e => [e.id || e.textContent, e.getBoundingClientRect()]).filter(([, r]) => r.left < -1 || r.right > 391 || r.bottom > 781 || r.height < 22).map(x => x[0])""")
    check("phone: every button is in the window", not out, out)
    check("phone: the picture has room", b.js("document.getElementById('stage').clientHeight") > 230, b.js("document.getElementById('stage').clientHeight"))
    for tab in ("laws", "contact", "curves", "about", "settings"):
        b.js("document.querySelector('[data-tab=%s]').click()" % tab)
        b.drain(0.3)
        pane = {"curves": "plots", "about": "aboutpane"}.get(tab, tab)
        check("phone: " + tab + " can be seen", b.js("document.getElementById('%s').getBoundingClientRect().height > 100" % pane))
    at = on_screen(b, 0, 0)
    b.touch("touchStart", at)
    held = b.js("lab.hold && lab.hold.kind")
    b.touch("touchMove", (at[0] + 40, at[1] - 20))
    pulled = wait_for(b, "Math.hypot(...lab.panels[0].stats.pull) > 1")
    b.touch("touchEnd")
    check("phone: a finger pulls", held == "pull" and pulled, held)
    distance = b.js("laboratory.camera.distance")
    b.touch("touchStart", (60, 300), (300, 330))
    b.touch("touchMove", (120, 300), (240, 330))
    b.touch("touchEnd")
    check("phone: two fingers zoom", b.js("laboratory.camera.distance") > 1.2*distance)
    b.js("laboratory.setPanels(2)")
    b.drain(0.3)
    check("phone: two panels fit, with all buttons", b.js("document.documentElement.scrollWidth <= 390 && document.getElementById('align').getBoundingClientRect().right <= 391"))
    b.js("laboratory.setPanels(1)")
    check("phone: no complaint", not b.complaints(), b.complaints())
    b.screenshot(os.path.join(place, "lab_phone.png"))
    b.size(1280, 760)


def speed():
    """Steps and pictures a second, and processor time a second of simulation, in this browser on this machine."""
    print("| scene | solver | step | steps/s | pictures/s | of real time | processor seconds a second |\n|---|---|---|---|---|---|---|")
    for scene in ("quad_trot", "quad_stand", "humanoid_push", "wall", "pile"):
        with Browser(1280, 760) as b:
            open_lab(b, "#scene=" + scene)
            b.drain(4)                                   # the browser compiles what runs often
            get = lambda: b.js("[lab.panels[0].stats.time, lab.panels[0].stats.steps, lab.panels[0].milliseconds, lab.panels[0].timed, window.pictures || 0]")
            b.js("window.pictures = 0, (function f() { ++window.pictures; requestAnimationFrame(f); })()")
            b.js("lab.panels[0].milliseconds = lab.panels[0].timed = 0")
            one, wall, cpu = get(), time.monotonic(), b.processor_seconds()
            b.drain(6)
            two, wall, cpu = get(), time.monotonic() - wall, b.processor_seconds() - cpu
            simulated = two[0] - one[0]
            print("| `%s` | %s | %g ms | %.0f (%.0f \u00b5s each) | %.0f | %.2f | %.2f |" % (scene, b.js("lab.panels[0].engine.text(lab.panels[0].engine.x.lab_solver_id())"),
                  1e3*b.js("lab.panels[0].engine.x.lab_get(0)"), (two[1] - one[1])/wall, 1e3*two[2]/max(1, two[3]), (two[4] - one[4])/wall, simulated/wall, cpu/max(simulated, 1e-9)), flush=True)


def main():
    start = time.time()
    if "--speed" in sys.argv:
        speed()
        return 0
    with Browser(1280, 760) as b:
        for part in [f for f in (loads, pulling, spring, settings, solvers, hashes, dropping, course, phone) if not sys.argv[4:] or f.__name__ in sys.argv[4:]]:
            part(b)
            check(part.__name__ + ": no complaint on the console", not b.complaints(), b.complaints())
    print("%d passed, %d failed (%.0f s; pictures in %s)" % (passed, failed, time.time() - start, place))
    return 1 if failed else 0


sys.exit(main())
