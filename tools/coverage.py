#!/usr/bin/env python3
"""Lines and branches that a run of the tests reached, per module and in all: coverage.py BUILD RUNS [--files] [--lines FILE]

BUILD has the objects of `make COVER=1`, RUNS a folder of gcov's counts for each test (tools/coverage_run.sh). The counts are
added up, and joined: code of a header counts once, as reached where any object that includes it reached it. --files
lists the files with lines or branches that were not reached, --lines the lines of one of them that were not."""
import collections, json, os, shutil, subprocess, sys


def add_up(runs):
    """The folder with the sums of all tests' counts: RUNS/../coverage-sum, made again when a test is newer."""
    total = runs.rstrip("/") + "-sum"
    tests = sorted(os.path.join(runs, t) for t in os.listdir(runs))
    if os.path.isdir(total) and all(os.path.getmtime(total) >= os.path.getmtime(t) for t in tests):
        return total
    shutil.rmtree(total, ignore_errors=True)
    for k, test in enumerate(tests):
        if k == 0:
            shutil.copytree(test, total)
            continue
        subprocess.run(["gcov-tool", "merge", "-o", total + ".new", total, test], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(total)
        os.rename(total + ".new", total)
    os.utime(total)
    return total


def gcov(data, notes, branches=True):
    """What gcov tells of the data files (.gcda), whose notes (.gcno) are in a folder of another tree: one dictionary a
    data file. gcov wants both in one folder, so the notes are linked there."""
    for path, note in zip(data, notes):
        link = path[:-5] + ".gcno"
        if not os.path.exists(link):
            os.symlink(os.path.abspath(note), link)
    said = subprocess.run(["gcov", "--json-format", "--stdout"] + ["-b"]*branches + data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout.decode()
    return [json.loads(one) for one in filter(None, said.split("\n"))]


def read(build, runs):
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    total = add_up(runs)
    for folder in ("src", "tools"):
        for where, _, files in os.walk(os.path.join(build, folder)):
            notes = [os.path.join(where, f) for f in files if f.endswith(".gcno")]
            data = [os.path.join(total, os.path.relpath(n, build))[:-5] + ".gcda" for n in notes]
            there = [os.path.exists(d) for d in data]                 # an object that no program has linked
            both = [(d, n) for d, n, t in zip(data, notes, there) if t]
            told = gcov([d for d, n in both], [n for d, n in both]) if both else []
            if not all(there):
                told += gcov([n for n, t in zip(notes, there) if not t], [n for n, t in zip(notes, there) if not t])
            for one in told:
                for file in one["files"]:
                    name = os.path.normpath(file["file"])
                    for line in file["lines"]:
                        at = line["line_number"]
                        lines[name][at] = max(lines[name].get(at, 0), line["count"])
                        for k, branch in enumerate(line["branches"]):
                            key = (at, k)
                            branches[name][key] = max(branches[name].get(key, 0), branch["count"])
    return lines, branches


def share(counts):
    return sum(c > 0 for c in counts), len(counts)


def row(name, line, branch):
    def percent(x):
        return "%6.1f %%" % (100.0*x[0]/x[1]) if x[1] else "      - "
    print("%-28s %6d lines %s   %6d branches %s" % (name, line[1], percent(line), branch[1], percent(branch)))


def main():
    lines, branches = read(sys.argv[1], sys.argv[2])
    if "--lines" in sys.argv:
        name = sys.argv[sys.argv.index("--lines") + 1]
        source = open(name).read().split("\n")
        for at in sorted(lines[name]):
            ways = [c for (l, _), c in branches[name].items() if l == at]
            if lines[name][at] == 0 or 0 in ways:
                print("%6d %s %s" % (at, "-" if lines[name][at] == 0 else "?", source[at - 1]))
        return
    modules = collections.defaultdict(lambda: [[0, 0], [0, 0]])
    for name in sorted(lines):
        part = name.split("/")
        if part[0] not in ("src", "tools"):
            continue
        module = "/".join(part[:2]) if part[0] == "src" else "tools"
        counts = share(lines[name].values()), share(branches[name].values())
        for to in (modules[module], modules["all of " + part[0]]):
            for k in range(2):
                to[k][0] += counts[k][0]
                to[k][1] += counts[k][1]
        if "--files" in sys.argv and counts[0][0] < counts[0][1]:
            row(name, *counts)
    for name in sorted(modules, key=lambda m: (m.startswith("all"), m)):
        row(name, *modules[name])


if __name__ == "__main__":
    main()
