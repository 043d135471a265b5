#!/usr/bin/env python3
"""Slipstick beside the engines and solvers that Debian packages, on the same scenes and problems, in turn.

    python3 tools/bench/compare.py [--rounds N] [--quick | --large] [--parts PART,...] [--out DIR] [--no-install]

Builds small harnesses (this folder) against the packages, runs every scene in every engine in turn, N rounds, and keeps
the least time of each stretch of a run: runs repeat to the bit, so that what is slower is the machine. Prints times,
ratios and the accuracy that each side reached, judged in one way for all; writes DIR/compare.json, DIR/compare.md and
log-log plots. Needs python3, a C and a C++ compiler; installs the packages with apt-get unless --no-install is
given."""
import argparse, json, math, os, random, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGES = ["libmujoco-dev", "libode-dev", "libbullet-dev", "libfcl-dev", "libccd-dev", "libsiconos-numerics-dev",
            "pkg-config", "g++"]
FLAGS = ["-O3", "-march=native"]


def run(command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def version(package):
    return run(["dpkg-query", "-W", "-f", "${Version}", package]).stdout


def install():
    missing = [p for p in PACKAGES if subprocess.run(["dpkg", "-s", p], stdout=subprocess.DEVNULL,
                                                     stderr=subprocess.DEVNULL).returncode != 0]
    if not missing:
        return
    print("installing:", " ".join(missing), flush=True)
    root = [] if os.geteuid() == 0 else ["sudo"]
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    subprocess.run(root + ["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + missing, check=True,
                   stdout=subprocess.DEVNULL, env=environment)


def pkg(*names):
    return run(["pkg-config", "--cflags", *names]).stdout.split(), run(["pkg-config", "--libs", *names]).stdout.split()


def build(out, parts):
    """The harnesses, next to each other in `out`."""
    tag = "gcc-double-native"
    subprocess.run(["make", "-s", "-C", ROOT, "CC=gcc", "NATIVE=1", "lib"], check=True)
    lib = os.path.join(ROOT, "build", tag, "libslipstick.a")
    inc = ["-I" + os.path.join(ROOT, "src")]
    cc, cxx = ["gcc", "-std=gnu99"] + FLAGS, ["g++", "-std=c++17"] + FLAGS
    jobs = {"judge": cc + inc + ["judge.c", lib, "-lm"], "plot": cc + inc + ["plot.c", lib, "-lm"]}
    if "scenes" in parts:
        flags, libs = pkg("bullet")
        jobs["slipstick"] = cc + inc + ["scene_slipstick.c", lib, "-lm"]
        jobs["mujoco"] = cc + ["scene_mujoco.c", "-lmujoco", "-lm"]
        jobs["ode"] = cc + ["scene_ode.c", "-lode", "-lm"]
        jobs["bullet"] = cxx + flags + ["-std=c++17", "scene_bullet.cpp"] + libs
    if "distances" in parts:
        flags, libs = pkg("bullet", "fcl", "ccd")
        jobs["distance"] = cxx + inc + flags + ["-std=c++17", "compare_distance.cpp", lib] + libs
    if "problems" in parts:
        jobs["solve"] = cc + inc + ["-isystem", "/usr/include/siconos", "compare_solve.c", lib, "-lsiconos_numerics",
                "-lm"]
    for name, command in jobs.items():
        subprocess.run(command + ["-o", os.path.join(out, name)], check=True, cwd=HERE)


# ---- scenes --------------------------------------------------------------------------------------------------------

def box(h, mass, p, q=(0, 0, 0, 1), v=(0, 0, 0)):
    return "box " + " ".join("%.17g" % x for x in (*h, mass, *p, *q, *v)) + "\n"


def sphere(r, mass, p, v=(0, 0, 0)):
    return "sphere " + " ".join("%.17g" % x for x in (r, mass, *p, *v)) + "\n"


def head(dt, seconds, blocks=20, mu=0.5):
    return "dt %.17g\nsteps %d\nblocks %d\nmu %.17g\n" % (dt, round(seconds/dt), blocks, mu)


def turn(rng):
    while True:
        q = [rng.uniform(-1, 1) for _ in range(4)]
        r = math.sqrt(sum(x*x for x in q))
        if 0.1 < r < 1:
            return [x/r for x in q]


def heap(n, shapes):
    """Columns of bodies, turned anyhow, dropped on each other."""
    rng = random.Random(n)
    side = max(2, round((n/2)**(1/3)))
    text = head(0.002, 3)
    for i in range(n):
        at = (i % side, i//side % side, i//(side*side))
        p = [0.32*(at[0] - side/2) + rng.uniform(-.03, .03), 0.32*(at[1] - side/2) + rng.uniform(-.03, .03),
                0.25 + 0.35*at[2]]
        if shapes == "boxes" or i % 2 == 0:
            text += box((0.1, 0.08, 0.06), 1, p, turn(rng))
        else:
            text += sphere(0.09, 1, p)
    return text


def wall(rows, ball):
    text = head(0.001, 1)
    for r in range(rows):
        for k in range(3):
            text += box((0.1, 0.2, 0.1), 1, (0, 0.4*k - 0.4 + 0.2*(r % 2), 0.1 + 0.2*r))
    return text + (sphere(0.2, 5, (-1, 0, 0.5), (8, 0, 1)) if ball else "")


def scenes(quick, large):
    out = {
        "slide": head(0.001, 0.5) + box((0.1, 0.1, 0.1), 1, (0, 0, 0.1), v=(3, 0, 0)),
        "stack of 10": head(0.001, 0.5) + "".join(box((0.1, 0.1, 0.1), 1, (0, 0, 0.1 + 0.2*i)) for i in range(10)),
        "wall of 15": wall(5, False),
        "wall of 15, hit": wall(5, True),
    }
    for n in (10, 30, 100) if quick else (10, 30, 100, 300):
        out["heap of %d boxes" % n] = heap(n, "boxes")
        if n >= 100:
            out["heap of %d, mixed" % n] = heap(n, "mixed")
    for n in (1000, 3000) if large else ():
        out["heap of %d boxes" % n] = heap(n, "boxes")
    for n in (4, 16) if quick else (4, 16, 64):
        out["chain of %d" % n] = "dt 0.001\nsteps 250\nblocks 10\nmu 0\nchain %d 0.2 1 %.17g\n" % (n, 0.2*n + 1)
    return out


VARIANTS = [("slipstick", "exact"), ("slipstick", "sweeps-50"), ("mujoco", "soft"), ("mujoco", "stiff"), ("bullet",
        "si-10"),
            ("bullet", "si-50"), ("ode", "quick-20"), ("ode", "quick-50"), ("ode", "direct")]


def numbers(text):
    return dict(re.findall(r"\b([a-z]+) ([-+]?\d[-+.e\d]*|inf|nan)(?=\s|$)", text))


def stretches(us):
    """Least times of a run's blocks: the mean of all, the worst block, the last quarter."""
    last = us[3*len(us)//4:]
    return sum(us)/len(us), max(us), sum(last)/len(last)


def run_scene(out, name, text, rounds, limit):
    path = os.path.join(out, "scene.txt")
    open(path, "w").write(text)
    chain = "chain" in name
    size = int(re.findall(r"\d+", name)[0]) if re.findall(r"\d+", name) else 1
    least, poses, notes = {}, {}, {}
    for r in range(rounds):
        for engine, variant in VARIANTS:
            key = engine + " " + variant
            if key in notes and notes[key] is None or chain and variant in ("soft", "sweeps-50", "si-10", "quick-20") \
                    or variant == "direct" and size > 50:                  # ODE's direct step is cubic in the contacts
                continue
            poses[key] = os.path.join(out, "poses " + key)
            try:
                done = subprocess.run([os.path.join(out, engine), path, variant, poses[key]], check=True, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
                print("  %s: %s" % (key, "more than %g s" % limit if isinstance(e, subprocess.TimeoutExpired)
                                    else (e.stderr or "").strip()[-200:]), flush=True)
                notes[key] = None
                continue
            us = [float(x) for x in done.stdout.split()[1:]]
            least[key] = [min(a, b) for a, b in zip(us, least.get(key, us))]
            notes[key] = numbers(done.stderr.splitlines()[-1]) if done.stderr else {}
    reference = []
    if chain:                                                              # ours with a sixteenth of the step
        fine = re.sub("steps 250", "steps 4000", re.sub("dt 0.001", "dt 0.0000625", text))
        open(path + ".fine", "w").write(fine)
        reference = [os.path.join(out, "reference")]
        run([os.path.join(out, "slipstick"), path + ".fine", "exact", reference[0]])
    rows = []
    for key, us in least.items():
        judged = numbers(run([os.path.join(out, "judge"), path, poses[key]] + reference).stdout)
        mean, worst, last = stretches(us)
        rows.append({"part": "scenes", "case": name, "who": key, "us": mean, "worst_us": worst, "last_us": last,
                     "accuracy": {k: float(v) for k, v in {**notes[key], **judged}.items()}, "blocks_us": us})
    return rows


def print_scene(rows):
    ours = next(r["us"] for r in rows if r["who"] == "slipstick exact")
    for r in rows:
        print("  %-20s %10.2f us a step (last quarter %9.2f)  %6.2f of ours exact   %s"
              % (r["who"], r["us"], r["last_us"], r["us"]/ours,
                      "  ".join("%s %g" % x for x in r["accuracy"].items())), flush=True)


# ---- problems and distances ----------------------------------------------------------------------------------------

def run_problems(out, tries):
    files = sorted(os.path.join(ROOT, "models/problems", f) for f in os.listdir(os.path.join(ROOT, "models/problems"))
                   if f.endswith(".txt"))
    rows = []
    for line in run([os.path.join(out, "solve"), *files, "--tries", str(tries)]).stdout.splitlines():
        fields = line.split(",")
        if len(fields) != 5:
            continue
        rows.append({"part": "problems", "case": fields[0], "who": fields[2], "contacts": int(fields[1]),
                     "us": 1e3*float(fields[3]), "accuracy": {"residual": float(fields[4])}})
    return rows


def run_distances(out, batches):
    rows = []
    for line in run([os.path.join(out, "distance"), str(batches)]).stdout.splitlines():
        kinds, state, who, ns, error, failed = line.split(",")
        rows.append({"part": "distances", "case": kinds + ", " + state, "who": who, "us": 1e-3*float(ns),
                     "accuracy": {"error": float(error), "unanswered": int(failed)}})
    return rows


def solved(row):
    return math.isfinite(row["us"])


# ---- tables and plots ----------------------------------------------------------------------------------------------

def cases(rows):
    return list(dict.fromkeys(r["case"] for r in rows))


def number(x, digits=3):
    return "-" if x is None or not math.isfinite(x) else "%.*g" % (digits, x) if x < 1000 else "%.0f" % x


def table_scenes(rows):
    whos = [w for w in (e + " " + v for e, v in VARIANTS) if any(r["who"] == w for r in rows)]
    text = "| scene, us a step (accuracy) | " + " | ".join(whos) + " |\n|---|" + "---|"*len(whos) + "\n"
    for c in cases(rows):
        cells = []
        for w in whos:
            r = next((r for r in rows if r["case"] == c and r["who"] == w), None)
            if r is None:
                cells.append("-")
                continue
            a = r["accuracy"]
            cells.append("%s (%s mm)" % (number(r["us"]), number(1e3*a["error" if "error" in a else "overlap"], 2)))
        text += "| %s | %s |\n" % (c, " | ".join(cells))
    return text


def table_rows(rows, unit, scale, accuracy, label):
    whos = list(dict.fromkeys(r["who"] for r in rows))
    text = "| %s | %s |\n|---|%s\n" % (label, " | ".join(whos), "---|"*len(whos))
    for c in cases(rows):
        cells = []
        for w in whos:
            r = next((r for r in rows if r["case"] == c and r["who"] == w), None)
            cells.append("-" if r is None or not solved(r) else "%s (%s)" % (number(scale*r["us"]),
                    number(r["accuracy"][accuracy], 2)))
        text += "| %s | %s |\n" % (c, " | ".join(cells))
    return text


def slope(points):
    """Least squares of log y over log x."""
    x, y = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    mx, my = sum(x)/len(x), sum(y)/len(y)
    return sum((a - mx)*(b - my) for a, b in zip(x, y))/sum((a - mx)**2 for a in x)


def plot(out, name, title, x, points):
    """points: {who: [(x, y)]}"""
    text = "title %s\nx %s\ny step [us]\n" % (title, x)
    for who, p in points.items():
        p = sorted(q for q in p if q[0] > 0 and q[1] > 0)
        if len(p) < 2:
            continue
        text += "series %s, slope %.2f\n" % (who, slope(p)) + "".join("%.6g %.6g\n" % q for q in p)
    svg = run([os.path.join(out, "plot")], input=text).stdout
    open(os.path.join(out, name + ".svg"), "w").write(svg)


def plots(out, rows):
    bodies, freedoms = {}, {}
    for r in rows:
        match = re.fullmatch(r"(heap|chain) of (\d+)( boxes)?", r["case"])
        if match:
            target = bodies if match[1] == "heap" else freedoms
            target.setdefault(r["who"], []).append((int(match[2]), r["us"]))
    if bodies:
        plot(out, "bodies", "Heaps of boxes: time of a step", "bodies", bodies)
    if freedoms:
        plot(out, "freedoms", "Chains of hinges: time of a step", "freedoms", freedoms)


def summary(rows):
    """How our exact side compares with the best of the others, case by case; others that are not exact are compared
    too."""
    text = ""
    for part, ours in (("scenes", "slipstick exact"), ("problems", "slipstick"), ("distances", "slipstick")):
        ratios, behind = [], []
        for c in cases([r for r in rows if r["part"] == part]):
            mine = next((r for r in rows if r["case"] == c and r["who"] == ours), None)
            others = [r for r in rows if r["case"] == c and not r["who"].startswith("slipstick") and solved(r)]
            if mine is None or not solved(mine) or not others:
                continue
            best = min(others, key=lambda r: r["us"])
            ratios.append(best["us"]/mine["us"])
            if ratios[-1] < 1:
                behind.append("%s (%s %.2f)" % (c, best["who"], ratios[-1]))
        if ratios:
            mean = math.exp(sum(map(math.log, ratios))/len(ratios))
            text += "%s: the fastest other takes %.2f times ours (geometric mean of %d cases, least %.2f)" \
                    % (part, mean, len(ratios), min(ratios))
            text += "; ahead of us: " + ", ".join(behind) if behind else "; none is ahead of us"
            text += "\n"
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--quick", action="store_true", help="fewer and smaller scenes")
    p.add_argument("--large", action="store_true", help="heaps of 1000 and 3000 as well")
    p.add_argument("--parts", default="scenes,problems,distances")
    p.add_argument("--out", default=os.path.join(ROOT, "build", "bench-compare"))
    p.add_argument("--limit", type=float, default=300, help="seconds for one run of one scene")
    p.add_argument("--no-install", action="store_true")
    a = p.parse_args()
    parts = a.parts.split(",")
    os.makedirs(a.out, exist_ok=True)
    if not a.no_install:
        install()
    build(a.out, parts)
    rows = []
    if "scenes" in parts:
        for name, text in scenes(a.quick, a.large).items():
            print(name, flush=True)
            new = run_scene(a.out, name, text, a.rounds, a.limit)
            print_scene(new)
            rows += new
    if "problems" in parts:
        rows += run_problems(a.out, 3*a.rounds)
    if "distances" in parts:
        rows += run_distances(a.out, 20*a.rounds)
    about = {"compiler": run(["gcc", "--version"]).stdout.splitlines()[0], "flags": " ".join(FLAGS),
             "versions": {q: version(q) for q in PACKAGES[:6]}, "rounds": a.rounds,
             "processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
                     "?")}
    json.dump({"schema": 1, "about": about, "rows": rows}, open(os.path.join(a.out, "compare.json"), "w"), indent=1)
    text = ""
    for part in parts:
        mine = [r for r in rows if r["part"] == part]
        if part == "scenes":
            text += table_scenes(mine) + "\n"
            plots(a.out, mine)
        elif part == "problems":
            text += table_rows(mine, "us", 1, "residual", "problem, us (residual)") + "\n"
        else:
            text += table_rows(mine, "ns", 1e3, "error", "pair, ns (error [m])") + "\n"
    text += summary(rows)
    open(os.path.join(a.out, "compare.md"), "w").write(text)
    print(text)
    print("tables in %s, plots beside them" % os.path.join(a.out, "compare.md"))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as e:
        sys.exit("compare: %s failed\n%s" % (e.cmd if isinstance(e.cmd, str) else " ".join(e.cmd), e.stderr or ""))
