#!/usr/bin/env python3
"""Which changes of the library would no test notice?   python3 tools/mutate.py [options] [FILES]

  --count N      tries at most N mutants, those that --seed puts first (all)
  --seed S       another order of the mutants (1)
  --kinds A,B    operator,constant,scale,condition,gate,deletion (all); tools/mutants.py describes them
  --jobs N       mutants at once (as many as there are processors)
  --again        tries the survivors again, after a test was written
  --patience S   gives a mutant up after S processor seconds of tests (never): a survivor so far
  --list         prints the mutants and ends
  --only TEXT    mutants whose id has this text
  --dir DIR      where to work (build/mutate)
  FILES          a regular expression of the files' names (src/base, rbd, geom, contact, sim)

The tree is copied to DIR/tree.0, DIR/tree.1, ... and changed only there. The library is built at -O1 as one shared object
(make SHARE=1) that command and tests are linked with, so that a mutant needs one compiler call and one link.
A mutant whose object is that of the source, at -O1 or, if it survives, at -O3, is the same program and does not count.
Then the tests run that reach its line, until one fails: the test of the file's name, those that noticed other mutants
of the file, and the others, quick ones first; test_bits, which notices any change of a number, comes after all that take
less time than it. Which tests reach a line tell the folders of `make coverage`, which has to run before. A test
fails, too, when it takes FACTOR times its processor time and SLACK seconds more.
DIR/results.txt has a line a mutant: verdict, checksum of the file, id. A second call goes on where the first one was
ended or killed, and tries again what was found before its file changed. tests/mutants.txt explains survivors: file,
changed line, reason, with tabs between them. Exit status 1 when a survivor has no explanation. Needs make, gcc, gcov."""
import argparse, glob, hashlib, json, os, queue, re, resource, shlex, shutil, subprocess, sys, threading, time, zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from coverage import gcov
from mutants import mutants_of

FACTOR, SLACK = 5, 2
BUILD, COVER = "build/gcc-double-share", "build/gcc-double-cover"
MAKE = ["make", "-s", "CC=gcc", "SHARE=1", "CFLAGS=-O1", "WARN=-w"]
COPIED = ["Makefile", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CMakeLists.txt", ".ci", "src",
          "tests", "tools", "models", "docs", "bindings", "examples", "bench"]
LIBRARY = BUILD + "/libslipstick_tests.so"


def say(*words):
    print(*words, file=sys.stderr, flush=True)


# ---- trees to change ----------------------------------------------------------------------------------------------

def copy_tree(to):
    """Copies what differs, so that make sees a new file, and removes what is gone."""
    for top in COPIED:
        files = [os.path.join(w, f) for w, _, names in os.walk(top) for f in names] if os.path.isdir(top) else \
            [top] if os.path.exists(top) else []
        for f in files:
            target = os.path.join(to, f)
            if os.path.exists(target) and open(f, "rb").read() == open(target, "rb").read():
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(f, target)
        for w, _, names in os.walk(os.path.join(to, top)):
            for f in names:
                if not os.path.exists(os.path.relpath(os.path.join(w, f), to)):
                    os.remove(os.path.join(w, f))


def put_library_back(tree):
    """The library without the last mutant, as old as its newest object, so that make links no test again."""
    path = os.path.join(tree, LIBRARY)
    if os.path.exists(path) and link(tree, []):
        newest = max(os.path.getmtime(os.path.join(tree, o)) for o in objects_in(tree))
        os.utime(path, (newest, newest))


def prepare(folder, jobs):
    """The trees, built; the first is built by make, the others are its copies."""
    first = os.path.join(folder, "tree.0")
    os.makedirs(first, exist_ok=True)
    copy_tree(first)
    if os.path.isdir("../shared"):
        link = os.path.join(folder, "shared")
        if not os.path.exists(link):
            os.symlink(os.path.abspath("../shared"), link)
    programs = [BUILD + "/tests/" + os.path.basename(t)[:-2] for t in sorted(glob.glob("tests/test_*.c"))]
    say("building")
    put_library_back(first)
    if subprocess.run(MAKE + ["-j%d" % jobs, "all"] + programs, cwd=first).returncode:
        sys.exit("the tree does not build")
    trees = [first]
    for k in range(1, jobs):
        tree = os.path.join(folder, "tree.%d" % k)
        os.makedirs(tree, exist_ok=True)
        copy_tree(tree)
        subprocess.run(["rm", "-rf", os.path.join(tree, "build")])
        shutil.copytree(os.path.join(first, "build"), os.path.join(tree, "build"), symlinks=True)
        if os.path.lexists(os.path.join(first, "slipstick")):
            subprocess.run(["cp", "-a", os.path.join(first, "slipstick"), tree])
        trees.append(tree)
    return trees


# ---- running a test -------------------------------------------------------------------------------------------------

def run_test(tree, test, limit):
    """(passed, processor seconds); limit in processor seconds for each process, None for no limit."""
    def bound():
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit:
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
    log = os.path.join(tree, "build", test + ".out")
    with open(log, "wb") as out:
        p = subprocess.Popen([os.path.join(BUILD, "tests", test)], cwd=tree, stdin=subprocess.DEVNULL, stdout=out,
                             stderr=subprocess.STDOUT, preexec_fn=bound,
                             env=dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(os.path.join(tree, BUILD))))
        timer = threading.Timer(60 + 40*(limit or 60), lambda: os.killpg(p.pid, 9))     # one that only waits
        timer.start()
        _, status, used = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = status
    try:
        os.killpg(p.pid, 9)                                            # what it has started and left behind
    except ProcessLookupError:
        pass
    said = open(log, errors="replace").read()
    return status == 0 and re.search(r"^\d+ Tests 0 Failures", said, re.M) is not None, used.ru_utime + used.ru_stime


def measure(folder, trees):
    """Seconds of each test on the unchanged library; a test that fails there (one that wants the static library) is left out.
    Besides, the tests whose last such run was with an older library: they run again before they are believed."""
    path = os.path.join(folder, "tests.json")
    known = json.load(open(path)) if os.path.exists(path) else {}
    todo, library = queue.Queue(), checksum(os.path.join(trees[0], LIBRARY))
    for program in sorted(glob.glob("tests/test_*.c")):
        test, sum_ = os.path.basename(program)[:-2], checksum(program)
        if known.get(test, {}).get("sum") != sum_:
            todo.put((test, sum_))
    say("running %d tests on the unchanged library" % todo.qsize())

    def worker(tree):
        while True:
            try:
                test, sum_ = todo.get_nowait()
            except queue.Empty:
                return
            passed, seconds = run_test(tree, test, None)
            with LOCK:
                known[test] = {"sum": sum_, "seconds": seconds, "passed": passed, "library": library}
                json.dump(known, open(path + ".new", "w"), indent=0, sort_keys=True)
                os.rename(path + ".new", path)
                if not passed:
                    say("%s fails without a mutant and is left out" % test)
    in_threads(worker, trees)
    good = {t: k for t, k in known.items() if k["passed"] and os.path.exists("tests/" + t + ".c")}
    return {t: k["seconds"] for t, k in good.items()}, {t for t, k in good.items() if k.get("library") != library}


LOCK = threading.Lock()


def in_threads(work, trees):
    threads = [threading.Thread(target=work, args=(tree,), daemon=True) for tree in trees]
    for t in threads:
        t.start()
    for t in threads:
        while t.is_alive():
            t.join(0.5)


def checksum(path):
    return "%08x" % zlib.crc32(open(path, "rb").read())


# ---- which tests reach a line -----------------------------------------------------------------------------------------

class Reach:
    """Lines that tests reach, by gcov's data of `make coverage`, kept in DIR/reach/ for each file of the library."""
    def __init__(self, folder, tests):
        self.folder, self.known, self.lock = os.path.join(folder, "reach"), {}, threading.Lock()
        self.tests = [t for t in sorted(tests) if os.path.isdir("build/coverage/" + t)]
        self.unknown = [t for t in sorted(tests) if t not in self.tests]
        if not self.tests:
            sys.exit("no coverage of tests: run `make coverage` first")
        if self.unknown:
            say("no coverage of %s: they run for every mutant" % " ".join(self.unknown))
        os.makedirs(self.folder, exist_ok=True)

    def objects_of(self, file):
        if file.endswith(".c"):
            return [file[:-2]]
        return [os.path.relpath(d, COVER)[:-2] for d in sorted(glob.glob(COVER + "/src/*/*.d"))
                if re.search(r"(^|\s)%s(\s|$)" % re.escape(file), open(d).read())]

    def read(self, file):
        """{"tests": {test: lines}, "lines": lines with code, "function": {line: name}, "objects": {object: lines}}"""
        path = os.path.join(self.folder, file.replace("/", "+") + ".json")
        objects = self.objects_of(file)
        newest = max([os.path.getmtime("build/coverage/" + t) for t in self.tests])
        if os.path.exists(path) and os.path.getmtime(path) > newest:
            return json.load(open(path))
        told = {"tests": {}, "lines": {}, "objects": {}}
        for obj in objects:
            data = [(t, "build/coverage/%s/%s.gcda" % (t, obj)) for t in self.tests]
            data = [(t, d) for t, d in data if os.path.exists(d)]
            note = COVER + "/" + obj + ".gcno"
            for (test, _), one in zip(data, gcov([d for _, d in data], [note]*len(data), False) if data else []):
                for f in one["files"]:
                    if os.path.normpath(f["file"]) != file:
                        continue
                    had = set(told["tests"].get(test, []))
                    for line in f["lines"]:
                        told["lines"][str(line["line_number"])] = line.get("function_name", "")
                        told["objects"].setdefault(obj, set()).add(line["line_number"])
                        if line["count"]:
                            had.add(line["line_number"])
                    told["tests"][test] = sorted(had)
        told["objects"] = {o: sorted(l) for o, l in told["objects"].items()}
        with open(path + ".new", "w") as out:
            json.dump(told, out)
        os.rename(path + ".new", path)
        return told

    def of(self, file):
        with self.lock:
            if file not in self.known:
                self.known[file] = self.read(file)
            return self.known[file]

    def tests_at(self, m):
        """Tests that reach the line of a mutant. A line without code of its own (a statement over two lines, a
        constant of a file) counts as the lines around it in its function, else as the whole file."""
        told = self.of(m.file)
        if changed_since_cover(m.file):
            return [t for t in self.tests if told["tests"].get(t)] + self.unknown
        lines = {m.line} if str(m.line) in told["lines"] else self.around(told, m.line)
        return [t for t in self.tests if not lines.isdisjoint(told["tests"].get(t, []))] + self.unknown

    @staticmethod
    def around(told, at):
        known = sorted(int(l) for l in told["lines"])
        before, after = [l for l in known if l < at], [l for l in known if l > at]
        if before and after and told["lines"][str(before[-1])] == told["lines"][str(after[0])]:
            return {before[-1], after[0]}
        return set(known)

    def objects_at(self, m):
        """Objects that have code of the line: the file's own, or all that use the function of a header."""
        if m.file.endswith(".c"):
            return [m.file[:-2]]
        told = self.of(m.file)
        lines = {m.line} if str(m.line) in told["lines"] else self.around(told, m.line)
        return [o for o, l in told["objects"].items() if not lines.isdisjoint(l)]


COVERED = {}


def changed_since_cover(file):
    """The file is newer than its objects of `make coverage`, whose line numbers are then of little use."""
    if file not in COVERED:
        notes = [COVER + "/" + file[:-2] + ".gcno"] if file.endswith(".c") else glob.glob(COVER + "/src/*/*.gcno")
        COVERED[file] = os.path.getmtime(file) > min([os.path.getmtime(n) for n in notes if os.path.exists(n)] or [0])
    return COVERED[file]


# ---- one mutant -----------------------------------------------------------------------------------------------------

def flags(tree):
    words = shlex.split(open(os.path.join(tree, BUILD, "flags")).read())
    return [w for w in words if w.startswith(("-std", "-f", "-I", "-O", "-D")) and not w.startswith("-DSLIP_TEST")] + ["-w"]


def compile_one(tree, source, to, more=()):
    return subprocess.run(["gcc"] + flags(tree) + list(more) + ["-c", "-o", to, source + ".c"], cwd=tree,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def objects_in(tree):
    return [os.path.relpath(o, tree) for o in sorted(glob.glob(os.path.join(tree, BUILD, "src/*/*.o")))
            if not o.endswith((".mutant.o", ".plain.o"))]


def link(tree, made):
    """The library from the true objects, but for those in `made`, of which the mutant's are taken."""
    name = lambda o: o[len(BUILD) + 1:-2]
    objects = [o[:-2] + ".mutant.o" if name(o) in made else o for o in objects_in(tree)]
    return subprocess.run(["gcc", "-shared", "-Wl,-soname," + os.path.basename(LIBRARY), "-o", LIBRARY] + objects + ["-lm"],
                          cwd=tree, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Judge:
    def __init__(self, reach, seconds, noticed, doubted, patience):
        self.patience = patience
        self.reach, self.seconds, self.noticed, self.doubted, self.failing = reach, seconds, noticed, doubted, set()

    def believes(self, tree, t):
        """Whether the test passes without a mutant, too."""
        if t in self.doubted:
            mutant = os.path.join(tree, LIBRARY)
            os.rename(mutant, mutant + ".mutant")
            link(tree, [])
            passed, _ = run_test(tree, t, None)
            os.rename(mutant + ".mutant", mutant)
            with LOCK:
                self.doubted.discard(t)
                if not passed:
                    self.failing.add(t)
                    say("%s fails without a mutant and is left out" % t)
        return t not in self.failing

    def order(self, m, tests):
        own = "test_" + os.path.splitext(os.path.basename(m.file))[0]
        with LOCK:
            before = dict(self.noticed.get(m.file, {}))
        cost = lambda t: self.seconds[t]/(1 + 4*before.get(t, 0))
        return sorted(tests, key=lambda t: (t != own, cost(t), t))

    def change(self, tree, m, objects, more):
        """Compiles the mutant's objects, beside the true ones with the suffix .mutant.o; the source is put back. None when it
        does not compile, else whether an object differs."""
        path, made, differs = os.path.join(tree, m.file), [], False
        true = open(path).read()
        with open(path, "w") as f:
            f.write(true[:m.start] + m.text + true[m.end:])
        try:
            for o in objects:
                if not compile_one(tree, o, BUILD + "/" + o + ".mutant.o", more):
                    return None, []
                made.append(o)
        finally:
            with open(path, "w") as f:
                f.write(true)
        for o in objects:
            plain = BUILD + "/" + o + ".plain.o"
            if not compile_one(tree, o, plain, more):
                return None, []
            one, two = (open(os.path.join(tree, BUILD, o + e), "rb").read() for e in (".mutant.o", ".plain.o"))
            differs = differs or one != two
        return differs, made

    def try_one(self, tree, m):
        objects = self.reach.objects_at(m)
        differs, made = self.change(tree, m, objects, ())
        if differs is None or not objects:
            return "invalid"
        if not differs:
            return "same"
        if not link(tree, made):
            return "invalid"
        tests = self.reach.tests_at(m)
        spent, tried = 0, 0
        for t in self.order(m, tests):
            if spent > self.patience:
                return "SURVIVED %d of %d tests" % (tried, len(tests))
            passed, used = run_test(tree, t, FACTOR*self.seconds[t] + SLACK)
            spent, tried = spent + used, tried + 1
            if not passed and self.believes(tree, t):
                with LOCK:
                    of_file = self.noticed.setdefault(m.file, {})
                    of_file[t] = of_file.get(t, 0) + 1
                return "noticed by " + t
        if self.change(tree, m, objects, ["-O3"])[0] is False:
            return "same"
        return "SURVIVED %d tests" % len(tests) if tests else "SURVIVED unreached"


# ---- all of them ------------------------------------------------------------------------------------------------------

SOURCES = {}


def changed_line(m):
    """File and line of a mutant as tests/mutants.txt has them: without a number, so that other lines may change."""
    if m.file not in SOURCES:
        SOURCES[m.file] = open(m.file).read()
    source = SOURCES[m.file]
    begin = source.rfind("\n", 0, m.start) + 1
    return m.file, (source[begin:m.start] + m.text + source[m.end:]).split("\n")[source.count("\n", begin, m.start)].strip()


def explained():
    reasons = {}
    if os.path.exists("tests/mutants.txt"):
        for line in open("tests/mutants.txt"):
            if line.strip() and not line.startswith("#"):
                file, changed, reason = line.rstrip("\n").split("\t")
                reasons[file, changed] = reason
    return reasons


def report(todo, verdicts, total):
    reasons = explained()
    left = [m for m in todo if verdicts.get(m.id, "").startswith("SURVIVED")]
    count = lambda v: sum(verdicts.get(m.id, "").startswith(v) for m in todo)
    bits = sum(verdicts.get(m.id, "") == "noticed by test_bits" for m in todo)
    print("survivors:")
    for m in left:
        print("  %s: %s%s" % (m.id, verdicts[m.id], "" if changed_line(m) not in reasons else " (explained)"))
        print("    %s" % changed_line(m)[1])
    modules = sorted({m.file.split("/")[1] for m in todo})
    for module in modules + ["all"]:
        of = [verdicts[m.id] for m in todo if m.id in verdicts and module in (m.file.split("/")[1], "all")]
        seen, lost = sum(v.startswith("noticed") for v in of), sum(v.startswith("SURVIVED") for v in of)
        if seen + lost:
            print("%-8s %4d mutants, %4d noticed, %3d not: %.1f %%" % (module, seen + lost, seen, lost,
                                                                       100.0*seen/(seen + lost)))
    tried = sum(m.id in verdicts for m in todo)
    print("%d of %d tried (of %d that there are): %d noticed (%d of them first by test_bits), %d survived (%d explained), "
          "%d the same program, %d do not compile" % (
              tried, len(todo), total, count("noticed"), bits, len(left), sum(changed_line(m) in reasons for m in left),
              count("same"), count("invalid")))
    return all(changed_line(m) in reasons for m in left)


def main():
    ask = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__, add_help=True)
    ask.add_argument("--count", type=int, default=10**9)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--kinds", default="operator,constant,scale,condition,gate,deletion")
    ask.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ask.add_argument("--again", action="store_true")
    ask.add_argument("--patience", type=float, default=float("inf"))
    ask.add_argument("--list", action="store_true")
    ask.add_argument("--only", default="")
    ask.add_argument("--dir", default="build/mutate")
    ask.add_argument("files", nargs="?", default="^src/(base|rbd|geom|contact|sim)/")
    o = ask.parse_args()
    if not os.path.exists("src/slipstick.h"):
        sys.exit("run it from the root of the tree")
    files = [f for f in sorted(glob.glob("src/*/*.[ch]")) if re.search(o.files, f)]
    every = [m for f in files for m in mutants_of(f, open(f).read()) if m.kind in o.kinds.split(",")]
    every = [m for m in every if o.only in m.id]
    order = lambda m: hashlib.sha1(("%d %s" % (o.seed, m.id)).encode()).digest()
    todo = sorted(every, key=order)[:o.count]
    if o.list:
        for m in todo:
            print(m.id)
        return
    sums, sources = {f: checksum(f) for f in files}, {f: open(f).read() for f in files}
    SOURCES.update(sources)
    os.makedirs(o.dir, exist_ok=True)
    path = os.path.join(o.dir, "results.txt")
    verdicts, noticed = {}, {}
    for line in open(path) if os.path.exists(path) else []:
        verdict, sum_, id_ = (line.rstrip("\n").split("\t") + ["", ""])[:3]
        file = id_.split(" ")[1].split(":")[0] if id_ else ""
        if sums.get(file) == sum_:
            verdicts[id_] = verdict
            if verdict.startswith("noticed by "):
                noticed.setdefault(file, {}).setdefault(verdict[11:], 0)
                noticed[file][verdict[11:]] += 1
    waiting = queue.Queue()
    for m in todo:
        if m.id not in verdicts or o.again and verdicts[m.id].startswith("SURVIVED"):
            waiting.put(m)
    if waiting.qsize():
        trees = prepare(o.dir, o.jobs)
        if any(open(os.path.join(trees[0], f)).read() != sources[f] for f in files):
            sys.exit("a source changed meanwhile: begin again")
        seconds, doubted = measure(o.dir, trees)
        judge = Judge(Reach(o.dir, seconds), seconds, noticed, doubted, o.patience)
        results, started, most = open(path, "a"), time.time(), waiting.qsize()

        def worker(tree):
            while True:
                try:
                    m = waiting.get_nowait()
                except queue.Empty:
                    return
                verdict = judge.try_one(tree, m)
                with LOCK:
                    verdicts[m.id] = verdict
                    results.write("%s\t%s\t%s\n" % (verdict, sums[m.file], m.id))
                    results.flush()
                    say("[%d of %d, %d s] %s: %s" % (most - waiting.qsize(), most, time.time() - started, m.id, verdict))
        in_threads(worker, trees)
    sys.exit(0 if report(todo, verdicts, len(every)) else 1)


if __name__ == "__main__":
    main()
