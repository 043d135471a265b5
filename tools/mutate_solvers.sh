#!/bin/sh
# Which constants and gates of the solvers and of the step would nobody miss?
#
#   tools/mutate_solvers.sh [-l] [-n COUNT] [-o DIR] [-t 'TEST...'] [PATTERN]
#
#   -l          lists the mutants and ends                -n COUNT    tries at most so many new ones
#   -o DIR      where to work (build/mutate)              -t 'TEST…'  tests to run, for all files the same
#   PATTERN     only mutants whose id matches this extended regular expression: 'default.c', 'gate', 'PATH_'
#
# A mutant is one changed line of src/solvers, src/sim or of the files of src/contact that hold the linear operator:
#   constant   the value of `#define NAME number`, of `NAME = number` in an enum that is not a typedef, and of
#              `const slip_real|double|int name = number`, where number may be in SLIP_R() or SLIP_TOL(): times 10
#              and divided by 10 (whole numbers rounded up). An enum whose first value is 0 or 1 is a list of names
#              and left out, as is the value 0
#   literal    a SLIP_TOL(number, number) or SLIP_R(number) anywhere else, in the same way; whole numbers and halves are
#              algebra and left out
#   gate       an `if (...)` that opens and closes on one line and whose condition has one of these constants, or a
#              comment with the word `gate`: always true and never true
#
# The tree is copied to DIR/tree and changed only there. Each mutant is built without warnings as errors; the tests that
# tests_of() names for its file run until one fails, each linked just before it runs, with a limit on processor time.
# DIR/results-*.txt, one file for each list of tests, has one line a mutant; a second call goes on where the first one
# ended (after a change of the sources, remove DIR). Survivors are printed at the end; exit code 1 when there are any.
# Two calls with a DIR and a PATTERN each run side by side. Needs a POSIX shell, awk, make, tar.
set -u

out=build/mutate; count=1000000; list=0; tests=
while getopts ln:o:t: flag; do
    case $flag in
    l) list=1 ;;
    n) count=$OPTARG ;;
    o) out=$OPTARG ;;
    t) tests=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
pattern=${1:-.}
[ -f src/solvers/solver.h ] || { echo "run it from the root of the tree" >&2; exit 2; }
if [ -z "$tests" ]; then
    for t in tests/test_registry.c tests/test_local*.c tests/test_closed_form.c tests/test_*lcp_*.c \
             tests/test_*ccp_*.c tests/test_*raisim_*.c tests/test_*ncp_*.c tests/test_admm*.c tests/test_newton*.c \
             tests/test_ipm*.c \
             tests/test_default*.c tests/test_screen.c tests/test_joint_space.c tests/test_operator.c \
             tests/test_barrier.c tests/test_id_*.c \
             tests/test_solve*.c tests/test_mass_ratio.c tests/test_iterates*.c tests/test_printed*.c tests/test_jam.c \
             tests/test_world*.c tests/test_sleep.c tests/test_drives.c tests/test_seams.c tests/test_inverse.c \
             tests/test_physics.c; do
        [ -f "$t" ] && tests="$tests $(basename "$t" .c)"
    done
fi

# ---- the mutants: id, file, line number and the new line, with tabs between them ---------------------------------
mutants() {
    awk '
    function scaled(text, up,    v) {                       # a number as text, times or over ten
        v = text + 0
        if (text ~ /^[0-9]+$/) { v = up ? 10*v : int((v + 9)/10); return v "" }
        return sprintf("%.9g", up ? 10*v : v/10)
    }
    function put(kind, name, old, new, line) {
        if (old == new || line == $0) return
        printf "%s %s:%d %s%s -> %s\t%s\t%d\t%s\n", kind, FILENAME, FNR, name, old, new, FILENAME, FNR, line
    }
    # The value begins at `at` of the line: a number, SLIP_R(number) or SLIP_TOL(number, number). Two mutants.
    function value(name, at,    rest, i, old, new, k, n, parts, open) {
        rest = substr($0, at)
        if (match(rest, /^SLIP_TOL\([0-9.e+-]+, *[0-9.e+-]+\)/) || match(rest, /^SLIP_R\([0-9.e+-]+\)/) \
            || match(rest, /^[0-9][0-9.]*(e[+-]?[0-9]+)?/)) {
            old = substr(rest, 1, RLENGTH)
            if (kind == "constant" && substr(rest, RLENGTH + 1, 1) ~ /[A-Za-z0-9_*\/.(]/) return
            if (rest ~ /^[0-9]/ && substr(rest, RLENGTH + 1) ~ /^ *[-+*\/<]( |[A-Za-z0-9(])/ \
                && substr(rest, RLENGTH + 1) !~ /^ *\/\*/) return
            for (k = 1; k >= 0; --k) {
                open = index(old, "(")
                if (open) {
                    n = split(substr(old, open + 1, length(old) - open - 1), parts, /, */)
                    new = substr(old, 1, open) scaled(parts[1], k)
                    for (i = 2; i <= n; ++i) new = new ", " scaled(parts[i], k)
                    new = new ")"
                } else new = scaled(old, k)
                if (old + 0 != 0 || open)
                    put(kind, name (name == "" ? "" : " "), old, new, substr($0, 1, at - 1) new substr(rest, length(old) + 1))
            }
            known[name] = 1
        }
    }
    # SLIP_TOL(number, number) and SLIP_R(number) within a line of code.
    function literals(    from, at) {
        from = 1
        while (match(substr($0, from), /SLIP_(TOL\([0-9.e+-]+, *[0-9.e+-]+|R\([0-9.e+-]+)\)/)) {
            at = from + RSTART - 1
            from = at + RLENGTH
            kind = "literal"
            if (substr($0, at, 7) != "SLIP_R(" || (2*substr($0, at + 7)) % 1 != 0) value("", at)
            kind = "constant"
        }
    }
    function gate(    at, i, depth, c, end, condition, name, found) {
        at = match($0, /(^|[^A-Za-z_])if \(/)
        if (!at) return
        at = at + RLENGTH - 1
        for (i = at; i <= length($0); ++i) {
            c = substr($0, i, 1)
            if (c == "(") ++depth
            if (c == ")" && --depth == 0) break
        }
        if (depth != 0) return
        condition = substr($0, at + 1, i - at - 1)
        found = $0 ~ /\/\*.*gate.*\*\//
        for (name in known) if (name ~ /^[A-Z]/ && condition ~ ("(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)")) found = 1
        if (!found) return
        put("gate", "", condition, "always", substr($0, 1, at) "1 || (" condition ")" substr($0, i))
        put("gate", "", condition, "never", substr($0, 1, at) "0 && (" condition ")" substr($0, i))
    }
    BEGIN { kind = "constant" }
    FNR == 1 { ++turn[FILENAME] }                           # each file comes twice: first all names, for gates
    {
        first = turn[FILENAME] == 1
        if (match($0, /^#define [A-Z][A-Z0-9_]* +/)) {
            split($0, word, / +/)
            at = RLENGTH + 1
            if (first && substr($0, at) ~ /^([0-9]|SLIP_R\(|SLIP_TOL\()/) known[word[2]] = 1
            else if (!first) value(word[2], at)
        } else if ($0 ~ /^ *enum \{/ || in_enum) {
            if (!in_enum) names = 0
            from = 1
            while (match(substr($0, from), /[A-Z][A-Z0-9_]* = [0-9]/)) {
                name = substr($0, from + RSTART - 1, RLENGTH - 4)
                from += RSTART + RLENGTH - 2
                if (!in_enum && substr($0, from) ~ /^[01][^0-9.]/) names = 1
                in_enum = 1
                if (names || name ~ /^SLIP_(TAKES|READS)_/) continue
                if (first) known[name] = 1
                else value(name, from)
            }
            in_enum = $0 !~ /\}/
        } else if (match($0, /const (slip_real|double|int) [a-z_]+ = (SLIP_|[0-9])/)) {
            at = RSTART + RLENGTH - 1
            while (substr($0, at, 1) !~ / /) --at
            name = substr($0, RSTART); sub(/ = .*/, "", name); sub(/.* /, "", name)
            if (!first) value(name, at + 1)
        } else if (!first && $0 !~ /^ *(\/\*|\*)/) literals()
        if (!first && $0 !~ /^ *(\/\*|\*)/) gate()
    }' $files $files
}
results=$out/results-$(printf %s "$tests" | cksum | cut -d ' ' -f 1).txt
files=$(ls src/solvers/*.h src/sim/*.h src/solvers/*.c src/sim/*.c src/contact/operator.[ch] src/contact/sparse*.[ch] \
        src/contact/joint*.[ch] src/contact/node_lu.[ch] 2> /dev/null)
mkdir -p "$out"
mutants | grep -E -- "$pattern" > "$out/mutants.txt"
if [ $list -eq 1 ]; then cut -f 1 "$out/mutants.txt"; wc -l < "$out/mutants.txt" >&2; exit 0; fi

# ---- a tree to change, and tests that pass on it -------------------------------------------------------------------
tree=$out/tree
build="make -s WARN= CFLAGS=-O1"
list_for() { if [ -n "$tests" ]; then printf '%s\n' $tests; else tests_of "$1"; fi; }
if [ ! -f "$tree/ready" ]; then
    rm -rf "$tree"; mkdir -p "$tree"
    tar cf - Makefile LICENSE src tests tools models README.md docs | (cd "$tree" && tar xf -)
    [ -d ../shared ] && ln -sfn "$(cd .. && pwd)/shared" "$out/shared"
    echo "building, and running the tests once" >&2
    (cd "$tree" && CC=cc $build all) || { echo "the tree does not build" >&2; exit 2; }
    for t in $(for file in $(cut -f 2 "$out/mutants.txt" | sort -u); do list_for "$file"; done | sort -u); do
        (cd "$tree" && CC=cc $build "build/cc-double/tests/$t" && "build/cc-double/tests/$t" > /dev/null 2>&1) ||
            { echo "$t fails without a mutant" >&2; exit 2; }
    done
    touch "$tree/ready"
fi
touch "$results"

# ---- one after the other ------------------------------------------------------------------------------------------
# Prints what became of the mutant that the tree now has, of file $1.
judge() {
    exec < /dev/null
    order=$(list_for "$1")
    cd "$tree" || exit 2
    CC=cc $build lib > build/mutate.log 2>&1 || { echo "does not build"; return; }
    for t in $order; do
        CC=cc $build "build/cc-double/tests/$t" > build/mutate.log 2>&1 || { echo "does not build"; return; }
        (ulimit -t 40; "build/cc-double/tests/$t" > build/mutate.log 2>&1) || { echo "noticed by $t"; return; }
    done
    echo "SURVIVED"
}
tab=$(printf '\t')
done=0; all=$(wc -l < "$out/mutants.txt")
while IFS=$tab read -r id file number line; do
    if grep -qxF -- "$id: SURVIVED" "$results" || grep -qF -- "$id: noticed" "$results" \
       || grep -qF -- "$id: does not" "$results"; then continue; fi
    [ $done -ge "$count" ] && break
    done=$((done + 1))
    MUTANT_LINE=$line awk -v n="$number" 'NR == n { print ENVIRON["MUTANT_LINE"]; next } { print }' \
        "$file" > "$tree/$file"
    verdict=$(judge "$file")
    cp "$file" "$tree/$file"
    echo "$id: $verdict" >> "$results"
    echo "[$done; $all in all] $id: $verdict" >&2
done < "$out/mutants.txt"

echo "not noticed by any test:"
cut -f 1 "$out/mutants.txt" | while IFS= read -r id; do
    grep -xF -- "$id: SURVIVED" "$results"
done > "$out/survivors.txt"
sed 's/: SURVIVED$//; s/^/  /' "$out/survivors.txt"
tried=$(wc -l < "$results"); left=$(wc -l < "$out/survivors.txt")
echo "$left of $tried tried"
[ "$left" -eq 0 ]
