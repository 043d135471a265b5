#!/usr/bin/env python3
"""Results of the benchmarks as JSON (bench/results.schema.json), and the comparison of two of them.

    python3 tools/bench/results.py measure PROGRAM [--out FILE] [--tries N] [--no-times]
    python3 tools/bench/results.py check OLD NEW

`measure` counts the instructions of a step of each scene of models/bench with valgrind, as the difference of two runs
of different length, so that loading does not count; these are the same whatever else the machine does. Then it takes
times of dynamics and pair queries: the least of several tries, and how far their median is above it. `check` names
what takes more instructions by over 1 % (an edit elsewhere moves them by tenths of a percent, by other inlining),
or more time by over the noise of both files together. Exit code 0: nothing got slower; 1: something did; 2: the files cannot be compared."""
import argparse, json, os, re, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INSTRUCTIONS_DIFFER = 0.01
STEPS = (20, 60)


def run(command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)


def instructions(command):
    text = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + command).stderr
    return int(re.search(r"Collected : (\d+)", text)[1])


def step_of(program, scene):
    dt = json.loads(run([program, "sim", scene, "--json", "--quiet", "--time", "0.02"]).stdout)["dt"]
    short, long = (instructions([program, "sim", scene, "--quiet", "--time", "%.17g" % (dt*n)]) for n in STEPS)
    return (long - short)/(STEPS[1] - STEPS[0])


def timed(tries, key):
    """The least and the noise of each row of several runs, {name: ns} each."""
    rows = []
    for name in tries[0]:
        all_of = sorted(t[name] for t in tries)
        rows.append({"name": key + name, "unit": "ns", "value": all_of[0],
                "noise": all_of[len(all_of)//2]/all_of[0] - 1})
    return rows


def dynamics(program):
    command = [program, "bench", "dynamics", "models/solo12.urdf", "models/humanoid37.urdf", "--json", "--batches",
            "100"]
    rows = []
    for more in ([], ["--batch"]):
        rows += json.loads(run(command + more).stdout)
    return {"%s %s" % (os.path.basename(r["model"]), r["function"]): r["best_ns"] for r in rows}


def collision(program):
    out = {}
    for line in run([program, "bench", "collision", "--json", "--batches", "100", "--most", "0"]).stdout.splitlines():
        r = json.loads(line)
        for how in ("cold", "warm"):
            out["%s-%s %s %s" % (r["a"], r["b"], "overlap" if r["overlap"] else "apart", how)] = r[how + "_ns"]
    return out


def measure(a):
    program = os.path.abspath(a.program)
    about = {"version": run([program, "--version"]).stdout.strip(), "compiler": run(["cc",
            "--version"]).stdout.splitlines()[0],
             "flags": os.path.basename(os.path.dirname(os.path.realpath(program))),
             "processor": next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
                     "?")}
    rows = []
    for scene in sorted(os.listdir(os.path.join(ROOT, "models/bench"))):
        if scene.endswith(".xml"):
            path = "models/bench/" + scene
            rows.append({"name": "step of " + scene, "unit": "instructions", "value": step_of(program, path),
                    "noise": 0})
            print("%-28s %12.0f instructions a step" % (scene, rows[-1]["value"]), flush=True)
    if not a.no_times:
        rows += timed([dynamics(program) for _ in range(a.tries)], "")
        rows += timed([collision(program) for _ in range(a.tries)], "")
    json.dump({"schema": 1, "about": about, "rows": rows}, open(a.out, "w"), indent=1)
    print("%d rows in %s" % (len(rows), a.out))


def load(path):
    try:
        data = json.load(open(path))
        if data["schema"] != 1:
            raise ValueError("schema %r, expected 1" % data["schema"])
        rows = {}
        for r in data["rows"]:
            if r["unit"] not in ("instructions", "ns") or not r["value"] > 0 or not r["noise"] >= 0:
                raise ValueError("row %r: unit, value or noise that cannot be" % r["name"])
            if r["name"] in rows:
                raise ValueError("row %r is there twice" % r["name"])
            rows[r["name"]] = r
        return data["about"], rows
    except (OSError, ValueError, KeyError, TypeError) as e:
        print("results: %s: %s" % (path, "no %s" % e if isinstance(e, KeyError) else e), file=sys.stderr)
        sys.exit(2)


def check(a):
    (was, old), (now, new) = load(a.old), load(a.new)
    for key in sorted(set(was) | set(now)):
        if was.get(key) != now.get(key):
            print("note: %s was '%s' and is '%s'" % (key, was.get(key), now.get(key)))
    if was.get("processor") != now.get("processor"):
        print("note: times of different processors are not compared")
    slower = faster = compared = 0
    for name in old:
        if name not in new:
            print("missing  %s" % name)
            continue
        x, y = old[name], new[name]
        if x["unit"] != y["unit"]:
            print("results: %s: in %s and in %s" % (name, x["unit"], y["unit"]), file=sys.stderr)
            sys.exit(2)
        if x["unit"] == "ns" and was.get("processor") != now.get("processor"):
            continue
        margin = INSTRUCTIONS_DIFFER if x["unit"] == "instructions" else x["noise"] + y["noise"]
        ratio = y["value"]/x["value"]
        compared += 1
        if ratio > 1 + margin:
            slower += 1
            print("slower   %s: %.6g -> %.6g %s, %.3f times (noise %.3f)" % (name, x["value"], y["value"], x["unit"],
                    ratio, margin))
        elif ratio < 1/(1 + margin):
            faster += 1
            print("faster   %s: %.6g -> %.6g %s, %.3f times" % (name, x["value"], y["value"], x["unit"], ratio))
    print("%d compared, %d slower, %d faster" % (compared, slower, faster))
    return 1 if slower else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="what", required=True)
    m = sub.add_parser("measure")
    m.add_argument("program")
    m.add_argument("--out", default=os.path.join(ROOT, "bench/results.json"))
    m.add_argument("--tries", type=int, default=5)
    m.add_argument("--no-times", action="store_true")
    c = sub.add_parser("check")
    c.add_argument("old")
    c.add_argument("new")
    a = p.parse_args()
    return measure(a) if a.what == "measure" else check(a)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as e:
        sys.exit("results: %s failed\n%s" % (" ".join(e.cmd), e.stderr))
