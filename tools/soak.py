#!/usr/bin/env python3
"""Long runs: python3 tools/soak.py SLIPSTICK STEPS [SCENE...] [--solvers ID,ID...]

Every scene of models/ (or those named) is run for STEPS steps by every solver, again and again from its start
where it is shorter, and each run must end with a state of finite numbers, the same from repeat to repeat, in
the memory of one repeat. Rows of build/soak.csv, which a later call skips: scene, solver, steps, how it
ended, steps that missed the tolerance, resident memory [kB] of all repeats and of one (Linux).
Exit status 1 when a run did not end well."""
import csv, glob, json, math, os, subprocess, sys, tempfile, time

TABLE = "build/soak.csv"
FIELDS = ["scene", "solver", "steps", "ended", "missed", "kB", "kB_once"]


def most_memory(pid):
    """The most that a running process has held [kB]; wait4() would tell that of this interpreter before the call, too."""
    try:
        with open("/proc/%d/status" % pid) as f:
            return max([int(line.split()[1]) for line in f if line.startswith("VmHWM:")], default=0)
    except OSError:
        return 0


def run(arguments):
    """What `slipstick sim` says, its exit status, and the most memory that it held [kB], looked at every few milliseconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(arguments, stdout=out, stderr=err)
        kb, wait = 0, 0.001
        while process.poll() is None:
            if os.path.realpath("/proc/%d/exe" % process.pid) == os.path.realpath(arguments[0]):
                kb = max(kb, most_memory(process.pid))
            time.sleep(wait)
            wait = min(0.05, 1.2*wait)
        out.seek(0)
        err.seek(0)
        why = err.read().decode().strip()
        try:
            return json.loads(out.read()), process.returncode, kb, why
        except ValueError:
            return None, process.returncode, kb, why


def numbers_are_finite(said):
    return all(math.isfinite(x) for x in said["final_q"] + said["final_v"])


def soak(program, scene, solver, steps):
    command = [program, "sim", scene, "--solver", solver, "--json", "--quiet"]
    first, status, short_kb, why = run(command + ["--time", "0.01"])
    if first is None or status != 0:
        return "refused: " + why.split("\n")[-1][:100], 0, 0, short_kb, short_kb
    whole, status, whole_kb, why = run(command)
    if whole is None or status != 0:
        return "failed: " + why.split("\n")[-1][:100], 0, 0, 0, short_kb
    repeats = min(100000, max(1, -(-steps//max(1, whole["steps"]))))
    said, status, kb, why = run(command + ["--repeat", str(repeats)])
    if said is None or status != 0:
        return "failed: " + why.split("\n")[-1][:100], 0, 0, kb, short_kb
    ended = "ok"
    if not numbers_are_finite(said):
        ended = "a number that is not finite"
    elif not said["repeats_identical"]:
        ended = "repeats differ"
    elif kb > whole_kb + 1024 and repeats > 1:                   # a run takes what it takes; its repetition nothing
        ended = "memory grew"
    return ended, said["steps"]*repeats, said["steps_missed_tolerance"]*repeats, kb, whole_kb


def main():
    program, steps, rest = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    solvers = None
    if "--solvers" in rest:
        solvers = rest[rest.index("--solvers") + 1].split(",")
        del rest[rest.index("--solvers"):rest.index("--solvers") + 2]
    scenes = rest or sorted(glob.glob("models/*.xml"))
    if not solvers:
        listed = subprocess.run([program, "solvers"], stdout=subprocess.PIPE, check=True).stdout.decode()
        solvers = [l.split()[0] for l in listed.split("\n") if l and l.split()[0].split("-")[0] in
                   ("lcp", "ccp", "ncp", "raisim", "default")]
    done = {}
    if os.path.exists(TABLE):
        with open(TABLE) as f:
            done = {(r["scene"], r["solver"], int(r["steps"]) >= steps or r["ended"] != "ok"): r
                    for r in csv.DictReader(f)}
    bad = 0
    os.makedirs("build", exist_ok=True)
    with open(TABLE, "a") as f:
        table = csv.writer(f)
        if f.tell() == 0:
            table.writerow(FIELDS)
        for scene in scenes:
            for solver in solvers:
                if (scene, solver, True) in done:
                    continue
                ended, n, missed, kb, short_kb = soak(program, scene, solver, steps)
                row = [scene, solver, n, ended, missed, kb, short_kb]
                table.writerow(row)
                f.flush()
                print(*row, sep=",", flush=True)
                bad += ended.startswith(("failed", "a number", "repeats", "memory"))
    sys.exit(1 if bad else 0)


main()
