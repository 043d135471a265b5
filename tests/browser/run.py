"""Replays in a real browser: run.py SLIPSTICK DIRECTORY. Writes pages of each kind into the directory, opens them in
headless Chromium, and looks. Ends with `N passed, M failed`."""
import csv
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Browser

slipstick, place = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.makedirs(place, exist_ok=True)
passed, failed = 0, 0

HOSTILE = """<?xml version="1.0"?>
<scene name="&lt;/script&gt;&lt;script&gt;window.hacked = 1&lt;/script&gt; &quot;'\\ \u03bb&lt;!--" about="&lt;img src=x onerror='window.hacked = 1'&gt; \u4e16\u754c">
  <simulation dt="0.002" duration="0.5"/>
  <ground/>
  <body name="&lt;/script&gt;&lt;b&gt;&quot;'&amp;\u03bb\U0001f600" mass="1">
    <origin xyz="0 0 0.3"/>
    <geometry><box size="0.2 0.2 0.2"/></geometry>
  </body>
</scene>
"""


def crowd_scene():
    """1024 bodies of four kinds, thrown about: each is its own small problem, so that the run itself is quick."""
    kinds = ['<box size="0.1 0.1 0.1"/>', '<sphere radius="0.06"/>', '<capsule radius="0.04" length="0.1"/>', '<box size="0.16 0.06 0.08"/>']
    bodies = ""
    for k in range(4):
        bodies += """<body name="b%d_" mass="0.5" velocity="%g %g %g" angular="%g %g 1"><origin xyz="%g %g %g" rpy="0.3 %g 0"/>
          <geometry>%s</geometry><copies count="16 16 1" step="0.4 0.4 0"/></body>""" % (
            k, 0.1 * (k - 1.5), 0.1 * (1.5 - k), k, 3 - k, 2 * k, 0.2 * (k % 2), 0.2 * (k // 2), 0.4 + 0.3 * k, 0.4 * k, kinds[k])
    return """<?xml version="1.0"?><scene name="crowd" about="1024 bodies, thrown about">
      <simulation dt="0.0083333333" duration="10" max_contacts="5000"/>
      <surface name="default" friction="0.4" restitution="0.6"/><ground/>%s</scene>""" % bodies


def page(name, *arguments):
    path = os.path.join(place, name + ".html")
    subprocess.run([slipstick, *arguments, "--quiet", "--html", path], check=True, stdout=subprocess.DEVNULL)
    return path


def write(name, text):
    path = os.path.join(place, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def check(name, good, found=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    print("%s %s%s" % ("ok    " if good else "FAILED", name, "" if good else ": " + str(found)), flush=True)


def looks_alive(b, name):
    """No complaint, a picture, time that passes, keys, buttons, the end."""
    check(name + ": has a picture", b.js("slipstick.hasPicture()"))
    b.js("slipstick.seek(0)")
    first = b.js("slipstick.colours()")
    check(name + ": the canvas is not blank", first["colours"] > 50, first)
    b.js("slipstick.state.playing || document.getElementById('play').click()")
    t0 = b.js("slipstick.state.time")
    b.drain(0.8)
    t1 = b.js("slipstick.state.time")
    check(name + ": playing moves time", t1 > t0 or b.js("slipstick.lastTime") < 0.8, (t0, t1))
    b.js("slipstick.state.playing && document.getElementById('play').click()")
    later = b.js("slipstick.colours()")
    check(name + ": and the picture", later["sum"] != first["sum"])
    b.key("End")
    check(name + ": End goes to the end", abs(b.js("slipstick.state.time - slipstick.lastTime")) < 1e-6)
    b.key("ArrowLeft")
    frame = b.js("slipstick.frameAt(slipstick.runs[0], slipstick.state.time).frame")
    check(name + ": the left arrow steps back", frame == b.js("slipstick.runs[0].nf") - 2, frame)
    b.key("ArrowRight")
    b.key("ArrowRight")
    check(name + ": the right arrow stops at the end", abs(b.js("slipstick.state.time - slipstick.lastTime")) < 1e-6)
    b.key("Home")
    check(name + ": Home goes to the start", b.js("slipstick.state.time") == 0)
    b.key(" ")
    check(name + ": Space plays", b.js("slipstick.state.playing"))
    b.key(" ")
    check(name + ": and pauses", not b.js("slipstick.state.playing"))
    for key, what in (("f", "forces"), ("k", "cones"), ("x", "frames"), ("m", "mass"), ("t", "trails"), ("c", "contacts"), ("s", "shadows")):
        was = b.js("slipstick.state.show." + what)
        b.key(key)
        now = b.js("slipstick.state.show." + what)
        b.js("document.getElementById('show-%s').click()" % what)
        check(name + ": key %s and button toggle %s" % (key, what), now != was and b.js("slipstick.state.show." + what) == was)
    b.key("+")
    check(name + ": + is faster", b.js("slipstick.state.speed") == 2)
    b.key("-")
    check(name + ": no complaint on the console", not b.complaints(), b.complaints())


def shows_the_last_pose(b, table):
    """Scrubbing to the end shows the pose that the CSV ends with."""
    with open(table, newline="") as f:
        rows = list(csv.DictReader(f))
    last = rows[-1]
    names = [n for n in rows[0] if n.startswith("q_")][:7]
    b.js("(() => { const s = document.getElementById('scrub'); s.value = 1; s.dispatchEvent(new Event('input')); })()")
    pose = b.js("slipstick.pose(0, 1)")
    want = [float(last[n]) for n in names]
    sign = -1 if sum(a * c for a, c in zip(pose[3:], want[3:])) < 0 else 1
    far = max([abs(a - c) for a, c in zip(pose[:3], want[:3])] + [abs(sign * a - c) for a, c in zip(pose[3:], want[3:])])
    check("slide: scrubbed to the end it shows the last pose of the CSV", far < 2e-4, (pose, want))


def arrows_where_there_are_forces(b, table):
    """At every frame: contact arrows exactly when the CSV has a force at that time."""
    with open(table, newline="") as f:
        rows = {round(float(r["time"]), 6): r for r in csv.DictReader(f)}
    forces = [n for n in next(iter(rows.values())) if n.endswith((".fx", ".fy", ".fz"))]
    wrong = []
    for t in b.js("Array.from(slipstick.runs[0].time)"):
        row = rows.get(round(t, 6))
        if row is None:
            continue
        force = any(float(row[n]) != 0 for n in forces)
        arrows = b.js("(slipstick.state.show.forces = true, slipstick.seek(%r), slipstick.draw(), slipstick.arrows())" % t)
        if (arrows > 0) != force:
            wrong.append((t, arrows, force))
    check("drop: arrows where the CSV has forces, none where it has not", not wrong, wrong[:5])


def contact_can_be_read(b):
    """Pointing at a contact and clicking it fills the side panel."""
    b.js("slipstick.seek(0.3)")
    b.drain(0.2)
    x, y = b.js("(() => { const c = slipstick.contactsAt(slipstick.runs[0], slipstick.frameAt(slipstick.runs[0], 0.3).frame)[0], r = document.getElementById('view').getBoundingClientRect();"
                "const p = slipstick.project(0, c.point); return [p[0] + r.left, p[1] + r.top]; })()")
    b.mouse("mouseMoved", x, y)
    b.drain(0.3)
    check("slide: a contact under the pointer is read out", not b.js("document.getElementById('tip').hidden"))
    b.click(x, y)
    b.drain(0.3)
    side = b.js("document.getElementById('side').textContent")
    check("slide: clicked, it stays in the side panel", b.js("Boolean(slipstick.state.pinned)"))
    for word in ("\u03bb", "\u03c3", "\u03bc", "primal", "dual", "Signorini", "Coulomb", "Maximum dissipation", "\u0393"):
        check("slide: the panel tells of " + word, word in side)
    b.mouse("mouseWheel", x, y, deltaX=0, deltaY=120)
    before = b.js("slipstick.camera.distance")
    b.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    b.drain(0.1)
    check("slide: the wheel zooms", b.js("slipstick.camera.distance") < before)
    yaw = b.js("slipstick.camera.yaw")
    b.mouse("mousePressed", 300, 300, "left", 1, 1)
    b.mouse("mouseMoved", 380, 320, "left", 1)
    b.mouse("mouseReleased", 380, 320, "left", 0, 1)
    check("slide: dragging turns", b.js("slipstick.camera.yaw") != yaw)


def fits_a_phone(b, name):
    b.size(390, 844, mobile=True, ratio=2)
    b.drain(0.5)
    out = b.js("""['play', 'scrub', 'clock', 'speed', 'help', 'back', 'ahead', 'view'].filter(id => {
        const r = document.getElementById(id).getBoundingClientRect();
        return r.width < 20 || r.left < -1 || r.right > innerWidth + 1 || r.top < -1 || r.bottom > innerHeight + 1; })""")
    check(name + ": a phone's window keeps the controls on screen", out == [], out)
    check(name + ": nothing to scroll sideways", b.js("document.documentElement.scrollWidth <= innerWidth"))
    check(name + ": the picture keeps a third of the height", b.js("document.getElementById('view').clientHeight") > 280)
    b.js("document.querySelector('[data-tab=side]').click()")
    check(name + ": the other pane is a touch away", b.js("document.getElementById('side').clientHeight") > 100)
    check(name + ": a picture there, too", b.js("slipstick.colours()")["colours"] > 50)
    b.screenshot(os.path.join(place, name + "-phone.png"))
    b.size(1280, 720)
    b.drain(0.3)


def compares(b):
    check("compare: six panels", b.js("slipstick.panels()") == 6, b.js("slipstick.panels()"))
    b.key("o")
    check("compare: O lays them over each other", b.js("slipstick.state.overlay") and b.js("slipstick.draw(), slipstick.panels()") == 1)
    b.key("o")
    b.key("1")
    check("compare: 1 takes the first solver away", b.js("slipstick.draw(), slipstick.panels()") == 5)
    b.key("1")
    b.js("slipstick.seek(slipstick.lastTime)")
    y = {r: b.js("slipstick.pose(%d, 1)" % i) for i, r in enumerate(b.js("slipstick.runs.map(r => r.solver)"))}
    ref = y["reference"]
    aside = abs(ref[0] * y["lcp-pgs"][1] - ref[1] * y["lcp-pgs"][0]) / (ref[0] ** 2 + ref[1] ** 2) ** 0.5
    check("compare: lcp-pgs ends aside of the straight line", aside > 0.05, aside)
    check("compare: ncp-pgs does not", abs(ref[0] * y["ncp-pgs"][1] - ref[1] * y["ncp-pgs"][0]) < 1e-3)
    check("compare: raisim slides farther", y["raisim-bisection"][0] > ref[0] + 1e-3, (y["raisim-bisection"], ref))
    up = b.js("(() => { let z = 0; const s = slipstick; for (let f = 0; f < s.runs[1].nf; ++f) { s.seek(s.runs[1].time[f]); z = Math.max(z, s.pose(1, 1)[2]); } return z; })()")
    check("compare: ccp-admm lifts off", up > 0.101, up)
    laws = b.js("slipstick.about.runs.map(r => r.summary.broken.map(n => n > 0.001*r.summary.contacts))")
    check("compare: each model's page shows the law it breaks", laws[0][1] and laws[1][0] and laws[2][2] and not any(laws[4]), laws)


def many_bodies(b, path):
    """Size, and speed: pictures a second as they come, or as two free cores would give them by processor time, since
    machines that test are often busy with other things, too."""
    size = os.path.getsize(path)
    b.open("file://" + path)
    b.drain(1.0)
    bodies = b.js("slipstick.about.bodies.length")
    check("crowd: %d bodies for 10 s take less than 20 MB (%.1f MB)" % (bodies, size * 1e-6), size < 20e6 and bodies >= 1000)
    b.js("slipstick.seek(0.5)")
    b.js("slipstick.state.playing || document.getElementById('play').click()")
    b.drain(5)                                        # the page finds its resolution
    b.js("slipstick.seek(1)")
    cpu = b.processor_seconds()
    n = b.js("""new Promise(done => { let n = 0; const t0 = performance.now(), count = () => { ++n;
        if (performance.now() - t0 < 3000) requestAnimationFrame(count); else done(n); }; requestAnimationFrame(count); })""")
    cpu = b.processor_seconds() - cpu
    rate, free = n / 3, 2 * n / cpu
    check("crowd: %.0f pictures a second now, %.0f by two free cores (30 wanted), resolution x %.2f"
          % (rate, free, b.js("slipstick.state.quality")), max(rate, free) >= 30, (rate, free))
    check("crowd: no complaint on the console", not b.complaints(), b.complaints())
    b.screenshot(os.path.join(place, "crowd.png"))


def main():
    start = time.time()
    slide = page("slide", "sim", "models/slide_aslant.xml", "--csv", os.path.join(place, "slide.csv"))
    drop = page("drop", "sim", write("drop.xml", HOSTILE.replace("&lt;/script&gt;", "").replace("window.hacked", "x")), "--csv", os.path.join(place, "drop.csv"))
    quad = page("quad", "sim", "models/quad_trot.xml", "--trot", "0.5", "--time", "10")
    compare = page("compare", "compare", "models/slide_aslant.xml")
    hostile = page("hostile", "sim", write("hostile.xml", HOSTILE))
    crowd = page("crowd", "sim", write("crowd.xml", crowd_scene()), "--tol", "1e-4", "--solver", "ncp-pgs") if "--quick" not in sys.argv else None
    with Browser(1280, 720) as b:
        for name, path in (("slide", slide), ("quad", quad), ("compare", compare), ("hostile", hostile)):
            b.open("file://" + path)
            looks_alive(b, name)
            fits_a_phone(b, name)
            check(name + ": still no complaint", not b.complaints(), b.complaints())
            b.screenshot(os.path.join(place, name + ".png"))
        size = os.path.getsize(quad)
        check("quad: 10 s at 60 frames a second take less than 1 MB (%.2f MB)" % (size * 1e-6), size < 1e6)
        b.open("file://" + slide)
        shows_the_last_pose(b, os.path.join(place, "slide.csv"))
        contact_can_be_read(b)
        b.open("file://" + drop)
        arrows_where_there_are_forces(b, os.path.join(place, "drop.csv"))
        b.open("file://" + compare)
        compares(b)
        b.open("file://" + hostile)
        b.drain(0.5)
        check("hostile: names inject nothing", not b.js("window.hacked"))
        check("hostile: the title is shown as it is", "</script><script>window.hacked = 1</script> \"'\\ \u03bb<!--" in b.js("document.getElementById('title').textContent"))
        check("hostile: no element of theirs", b.js("document.querySelectorAll('img, header b b').length") == 0)
        if crowd:
            many_bodies(b, crowd)
    print("%d passed, %d failed (%.0f s; pictures in %s)" % (passed, failed, time.time() - start, place))
    return 1 if failed else 0


sys.exit(main())
