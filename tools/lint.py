#!/usr/bin/env python3
"""Static analysis:   python3 tools/lint.py [--tools tidy,quick,cppcheck,gcc] [--jobs N] [--write] [--renew] [FILE...]

  tidy       clang-tidy with .clang-tidy: bugprone-*, cert-*, clang-analyzer-*
  quick      the same without clang-analyzer-*, which takes five times as long
  cppcheck   warning, performance, portability
  gcc        gcc -fanalyzer
  FILE       sources to look at (src/*/*.c and tools/*.c)

Prints what is found and tests/lint.txt does not explain, and explanations that have nothing to explain any more; exit status
1 when there is either. A line of tests/lint.txt is: check, file, the line of code without its indent, reason, with tabs
between; `* N` in place of the code stands for at most N findings of that check in the file, for checks that are about a way
of writing. --write prints the lines that are missing, with an empty reason; --renew counts the lines with `* N` again, those
of new files too, so that a change of the counts is seen in a diff. Results of a file are kept in build/lint until it, a
header or a tool changes. Only what the named tools and files may find is compared."""
import argparse, collections, glob, hashlib, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

FLAGS = ["-std=c99", "-Isrc", "-O1"]
COMMANDS = {
    "tidy": ["clang-tidy", "--quiet"],
    "quick": ["clang-tidy", "--quiet", "--checks=-clang-analyzer-*"],
    "cppcheck": ["cppcheck", "--std=c99", "--enable=warning,performance,portability", "--inline-suppr", "-q", "-Isrc",
                 "--template={file}:{line}:{column}: warning: {message} [cppcheck-{id}]"],
    "gcc": ["gcc", "-std=c99", "-Isrc", "-O1", "-D__clang_analyzer__", "-fanalyzer", "-fdiagnostics-plain-output", "-fno-diagnostics-show-caret", "-c",
            "-o", "/dev/null"],
}
FOUND = re.compile(r"^([^\s:]+):(\d+):(?:(\d+):)? (?:warning|error): (.*?) \[([^\]]+)\]$")


def versions(tool):
    said = subprocess.run([COMMANDS[tool][0], "--version"], stdout=subprocess.PIPE).stdout
    return said + repr(COMMANDS[tool]).encode() + open(".clang-tidy", "rb").read()


def look(tool, file, key):
    """What a tool says of a file: a set of (check, file, line, message)."""
    path = "build/lint/%s+%s" % (tool, file.replace("/", "+"))
    key = hashlib.sha1(key + open(file, "rb").read()).hexdigest()
    if os.path.exists(path):
        kept = open(path).read()
        if kept.startswith(key + "\n"):
            return parse(kept[len(key) + 1:])
    command = COMMANDS[tool] + [file] + (["--"] + FLAGS if COMMANDS[tool][0] == "clang-tidy" else [])
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    said = p.stdout.decode(errors="replace")
    if p.returncode not in (0, 1) or "error:" in said and "[clang-diagnostic-error]" in said:
        sys.exit("%s fails on %s:\n%s" % (command[0], file, said))
    with open(path + ".new", "w") as f:
        f.write(key + "\n" + said)
    os.rename(path + ".new", path)
    return parse(said)


def parse(said):
    found, whole = set(), ""
    for line in said.split("\n"):
        if re.match(r"\S+:\d+:\d+: (warning|error): ", line):
            whole = line
        elif whole and not FOUND.match(whole):
            whole += " " + line.strip()                      # a message of several lines, its check at the end of the last
        else:
            continue
        m = FOUND.match(whole)
        if m:
            file = os.path.relpath(m.group(1))
            if file.startswith(("src/", "tools/")):
                found.add((m.group(5).split(",")[0], file, int(m.group(2)), m.group(3) or "0", m.group(4)))
    return found


def tool_of(check):
    if check.startswith("cppcheck-"):
        return {"cppcheck"}
    if check.startswith("-W"):
        return {"gcc"}
    return {"tidy"} if check.startswith("clang-analyzer-") else {"tidy", "quick"}


def renew(now, files, tools):
    """Writes the lines of tests/lint.txt that count anew, for checks that are counted already."""
    rows = [line.rstrip("\n") for line in open("tests/lint.txt")]
    reasons, kept = {}, []
    for row in rows:
        fields = row.split("\t")
        if len(fields) == 4 and not row.startswith("#") and fields[2].startswith("* "):
            reasons[fields[0]] = fields[3]
            if fields[1] in files or not tool_of(fields[0]) & set(tools):
                continue
        kept.append(row)
    for (check, file), n in now.items():
        if check in reasons and (file in files or file.endswith(".h")):
            kept = [row for row in kept if row.split("\t")[:2] != [check, file]]
            kept.append("\t".join((check, file, "* %d" % n, reasons[check])))
    head = [row for row in kept if row.startswith("#") or not row]
    with open("tests/lint.txt", "w") as f:
        f.write("\n".join(head + sorted(row for row in kept if row not in head)) + "\n")


def main():
    ask = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    ask.add_argument("--tools", default="tidy,cppcheck,gcc")
    ask.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ask.add_argument("--write", action="store_true")
    ask.add_argument("--renew", action="store_true")
    ask.add_argument("files", nargs="*")
    o = ask.parse_args()
    tools = o.tools.split(",")
    every = sorted(set(glob.glob("src/*/*.c") + glob.glob("tools/*.c")) - {"tools/bench_fast.c"})    # a part of generated code
    files = o.files or every
    os.makedirs("build/lint", exist_ok=True)
    headers = hashlib.sha1()
    for h in sorted(glob.glob("src/*.h") + glob.glob("src/*/*.h") + glob.glob("tools/*.h")):
        headers.update(open(h, "rb").read())
    found = set()
    with ThreadPoolExecutor(o.jobs) as pool:
        for tool in tools:
            key = versions(tool) + headers.digest()
            for one in pool.map(lambda f: look(tool, f, key), files):
                found |= one
    lines = {}
    places = collections.defaultdict(list)                  # (check, file) -> [(line, message, code)]
    for check, file, line, _, message in sorted(found):
        if file not in lines:
            lines[file] = open(file).read().split("\n")
        places[check, file].append((line, message, " ".join(lines[file][line - 1].split())))
    if o.renew:
        renew({k: len(at) for k, at in places.items()}, files, tools)
    counts, codes = {}, collections.defaultdict(dict)
    for row in open("tests/lint.txt"):
        if not row.strip() or row.startswith("#"):
            continue
        fields = row.rstrip("\n").split("\t")
        if len(fields) != 4 or not fields[3]:
            sys.exit("tests/lint.txt: not check, file, code, reason: " + row)
        check, file, code, _ = fields
        if code.startswith("* "):
            counts[check, file] = int(code[2:])
        else:
            codes[check, file][code] = False
    bad = 0
    for (check, file), at in sorted(places.items()):
        if (check, file) in counts:
            if len(at) > counts[check, file]:
                print("%s: %d findings of %s, and tests/lint.txt has %d; when all are as they should be: --renew" % (
                    file, len(at), check, counts[check, file]))
                bad += 1
            continue
        for line, message, code in at:
            if code in codes[check, file]:
                codes[check, file][code] = True
            else:
                print("%s\t%s\t%s\t" % (check, file, code) if o.write else
                      "%s:%d: %s [%s]" % (file, line, message, check))
                bad += 1
    for (check, file), of in sorted(codes.items()):
        if not tool_of(check) & set(tools) or file.endswith(".c") and file not in files or file.endswith(".h") and o.files:
            continue
        for code, met in of.items():
            if not met:
                print("tests/lint.txt: nothing to explain any more: %s %s: %s" % (check, file, code))
                bad += 1
    print("%s: %d files, %d findings, %d not explained" % (o.tools, len(files), len(found), bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
