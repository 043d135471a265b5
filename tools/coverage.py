#!/usr/bin/env python3
"""Lines and branches that a run of the tests reached, per module and in all: python3 tools/coverage.py BUILD [--files]

Reads what gcov tells of each object below BUILD (make coverage), and joins it: code of a header counts once, as reached
where any object that includes it reached it. --files lists the files with lines or branches that were not reached."""
import collections, json, os, subprocess, sys


def read(build):
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    for folder in ("src", "tools"):
        for where, _, files in os.walk(os.path.join(build, folder)):
            objects = [os.path.join(where, f) for f in files if f.endswith(".gcno")]
            if not objects:
                continue
            said = subprocess.run(["gcov", "--json-format", "--stdout", "-b"] + objects, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, check=True).stdout.decode()
            for one in filter(None, said.split("\n")):
                for file in json.loads(one)["files"]:
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
    lines, branches = read(sys.argv[1])
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


main()
