#!/bin/sh
# Which constants and gates of the solvers and of the step would nobody miss?
#
#   tools/mutate_solvers.sh [-l] [-s] [-n COUNT] [-o DIR] [-t 'TEST...'] [PATTERN]
#
#   -l          lists the mutants and ends                -n COUNT    tries at most so many
#   -s          tries the survivors again (new tests)     -t 'TEST…'  tests to run, for all files the same
#   -o DIR      where to work (build/mutate)
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
# The tree is copied to DIR/tree and changed only there, built at -O1 without warnings. A mutant rebuilds its file and
# the library; then the tests that tests_of() names for the file run, each linked just before, until one fails. The
# file's own test comes first, then those of its family, quick ones before slow ones. More than LIMIT seconds of
# processor time count as noticed. Before the first mutant all tests must pass, and two harmful changes must be noticed.
# DIR/results.txt has one line a mutant: verdict, checksum of the file, id; a second call goes on where the first one
# ended, and tries again what was found before its file changed. Survivors and a count are printed at the end; exit
# code 1 when there are any. Two calls with a DIR each run side by side. Needs a POSIX shell, awk, make.
set -u

LIMIT=30
out=build/mutate; count=1000000; list=0; again=0; tests=
while getopts lsn:o:t: flag; do
    case $flag in
    l) list=1 ;;
    s) again=1 ;;
    n) count=$OPTARG ;;
    o) out=$OPTARG ;;
    t) tests=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
pattern=${1:-.}
[ -f src/solvers/solver.h ] || { echo "run it from the root of the tree" >&2; exit 2; }

# ---- which tests see a file, in the order in which they are likely to notice ----------------------------------------
tests_of() {
    own=$(basename "$1"); own=test_${own%.*}
    [ -f "tests/$own.c" ] && echo "$own"
    sweeps="test_gauss_seidel test_lcp_pgs test_ccp_pgs test_ncp_pgs test_lcp_gs test_printed_sweeps test_ccp_gs
            test_ncp_gs"
    splits="test_ccp_scs test_printed_split test_admm"
    solves="test_closed_form test_registry"
    steps="test_world test_jam test_sleep test_drives test_work test_joints test_models test_flight test_inverse
           test_phases test_seams test_physics test_equal_terms test_heightfield"
    case $1 in
    src/solvers/gauss_seidel.*|src/solvers/???_gs.c|src/solvers/???_pgs.c)
        echo "$sweeps $solves test_mass_ratio test_raisim_newton" ;;
    src/solvers/local*|src/solvers/raisim*)
        echo "test_local test_printed_sweeps $solves test_default test_ccp_gs test_ncp_gs test_raisim_newton" ;;
    src/solvers/*admm.*|src/solvers/scaled.*|src/solvers/ccp_scs.c) echo "$splits $solves test_mass_ratio" ;;
    src/solvers/*staggered.*) echo "test_printed_split test_lcp_staggered $solves test_ncp_staggered" ;;
    src/solvers/lcp_*) echo "test_lcp_lemke $solves" ;;
    src/solvers/*barrier.*) echo "test_ccp_barrier test_barrier $solves test_id_barrier" ;;
    src/solvers/id_*) echo "test_id_prox test_registry test_inverse test_id_barrier" ;;
    src/solvers/ncp_ipm*) echo "test_printed_global test_dojo $solves" ;;
    src/solvers/*newton*|src/solvers/*prox*|src/solvers/ccp_newton.c)
        echo "test_ccp_newton test_default test_screen $steps $solves test_newton" ;;
    src/solvers/*ipm*|src/solvers/ncp_path.c) echo "test_ipm_path test_joint_space $solves test_ncp_path" ;;
    src/solvers/default.c|src/solvers/screen.*)
        echo "test_default test_screen $solves test_mass_ratio $steps test_solve_files" ;;
    src/solvers/*) echo "$sweeps $splits $solves test_solver_memory" ;;
    src/contact/*)
        echo "test_operator test_node_lu test_joint_space test_delassus test_ipm_path $solves test_newton $steps" ;;
    src/sim/law.c|src/sim/like.c) echo "test_like test_phases test_physics test_world" ;;
    src/sim/integrate.c|src/sim/free_velocity.c|src/sim/bound_energy.c)
        echo "test_flight test_order test_impacts test_ellipsoid $steps" ;;
    src/sim/impacts.c|src/sim/rows.c|src/sim/arc.c) echo "test_impacts test_edges test_rolling $steps" ;;
    src/sim/rolling.c) echo "test_rolling test_belt $steps" ;;
    src/sim/loops.c) echo "test_loops test_loop_forces test_loops_random $steps" ;;
    src/sim/inverse*|src/sim/redistribute.c) echo "test_inverse $steps" ;;
    src/sim/*derivatives*) echo "test_step_derivatives" ;;
    src/sim/spring.c) echo "test_springs $steps" ;;
    *) echo "$steps test_trot test_like test_order test_rolling" ;;
    esac
}

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
        id = sprintf("%s %s:%d %s%s -> %s", kind, FILENAME, FNR, name, old, new)
        if (++seen[id] > 1) id = id " (" seen[id] ")"
        printf "%s\t%s\t%d\t%s\n", id, FILENAME, FNR, line
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
                    put(kind, name (name == "" ? "" : " "), old, new,
                        substr($0, 1, at - 1) new substr(rest, length(old) + 1))
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
            if (!in_enum) { names = 0; is_first = 1 }
            from = 1
            while (match(substr($0, from), /[A-Z][A-Z0-9_]* = [0-9]/)) {
                name = substr($0, from + RSTART - 1, RLENGTH - 4)
                from += RSTART + RLENGTH - 2
                if (is_first && substr($0, from) ~ /^[01][^0-9.]/) names = 1
                is_first = 0
                if (names) continue
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
# Copies what differs, so that make sees a new file; the sources may change while the mutants run.
renew() {
    find Makefile LICENSE README.md src tests tools models docs -type f | while IFS= read -r f; do
        cmp -s "$f" "$tree/$f" || { mkdir -p "$tree/$(dirname "$f")" && cp "$f" "$tree/$f"; }
    done
}
tree=$out/tree
mkdir -p "$tree"
renew
files=$(cd "$tree" && ls src/solvers/*.h src/sim/*.h src/solvers/*.c src/sim/*.c src/contact/operator.[ch] \
        src/contact/sparse*.[ch] src/contact/joint*.[ch] src/contact/node_lu.[ch] 2> /dev/null)
(cd "$tree" && mutants) | grep -E -- "$pattern" > "$out/mutants.txt"
if [ $list -eq 1 ]; then cut -f 1 "$out/mutants.txt"; wc -l < "$out/mutants.txt" >&2; exit 0; fi

# ---- a tree to change, and tests that pass on it -------------------------------------------------------------------
results=$out/results.txt
build="make -s WARN= CFLAGS=-O1 CC=cc"
list_for() {
    if [ -n "$tests" ]; then echo "$tests"; else tests_of "$1"; fi | tr -s ' ' '\n' | awk 'NF && !had[$0]++'
}
# Links test $1 and runs it: 0 when it passes, 1 when it does not, 2 when it does not build.
run() (
    exec < /dev/null
    cd "$tree" || exit 2
    $build "build/cc-double/tests/$1" > build/mutate.log 2>&1 || exit 2
    (ulimit -t $LIMIT; "build/cc-double/tests/$1") > build/mutate.log 2>&1 || exit 1
)
# Prints what became of the mutant that the tree now has, of file $1.
judge() {
    (cd "$tree" && $build lib > build/mutate.log 2>&1) || { echo "invalid"; return; }
    for t in $(list_for "$1"); do
        run "$t" && continue
        [ $? -eq 1 ] && echo "noticed by $t" || echo "invalid"
        return
    done
    echo "SURVIVED"
}
# A change that no list of tests may miss: file $1, what sed does to it.
control() {
    cp "$tree/$1" "$out/before"
    sed "$2" "$out/before" > "$tree/$1"
    cmp -s "$out/before" "$tree/$1" && { echo "control: $1 has no such line" >&2; exit 2; }
    verdict=$(judge "$1")
    cp "$out/before" "$tree/$1"
    echo "control: $1 $2: $verdict" >&2
    case $verdict in noticed*) ;; *) exit 2 ;; esac
}
[ -d ../shared ] && ln -sfn "$(cd .. && pwd)/shared" "$out/shared"
touch "$results"
if [ ! -f "$out/ready" ]; then
    echo "building, and running the tests once" >&2
    (cd "$tree" && $build lib) || { echo "the tree does not build" >&2; exit 2; }
    for t in $(for file in $files; do list_for "$file"; done | sort -u); do
        run "$t" || { echo "$t fails without a mutant" >&2; exit 2; }
    done
    control src/solvers/gauss_seidel.c 's/GS_SWEEPS = [0-9]*/GS_SWEEPS = 1/'
    control src/sim/sleep.c 's/^\(#define SLEEP_CHANGE\) .*/\1 SLIP_R(1e9)/'
    touch "$out/ready"
fi

# ---- one after the other ------------------------------------------------------------------------------------------
tab=$(printf '\t')
done=0; all=$(wc -l < "$out/mutants.txt")
: > "$out/verdicts.txt"
while IFS=$tab read -r id file number line; do
    sum=$(cksum < "$tree/$file" | cut -d ' ' -f 1)
    verdict=$(MUTANT_ID=$id awk -F '\t' -v sum="$sum" \
              '$2 == sum && $3 == ENVIRON["MUTANT_ID"] { v = $1 } END { print v }' "$results")
    if [ -z "$verdict" ] || { [ $again -eq 1 ] && [ "$verdict" = SURVIVED ]; }; then
        [ $done -ge "$count" ] && continue
        done=$((done + 1))
        cp "$tree/$file" "$out/before"
        MUTANT_LINE=$line awk -v n="$number" 'NR == n { print ENVIRON["MUTANT_LINE"]; next } { print }' \
            "$out/before" > "$tree/$file"
        verdict=$(judge "$file")
        cp "$out/before" "$tree/$file"
        printf '%s\t%s\t%s\n' "$verdict" "$sum" "$id" >> "$results"
        echo "[$done] $id: $verdict" >&2
    fi
    printf '%s\t%s\n' "$verdict" "$id" >> "$out/verdicts.txt"
done < "$out/mutants.txt"

echo "not noticed by any test:"
sed -n "s/^SURVIVED$tab/  /p" "$out/verdicts.txt"
tried=$(wc -l < "$out/verdicts.txt"); left=$(grep -c '^SURVIVED' "$out/verdicts.txt")
echo "$all mutants, $tried tried, $(grep -c '^noticed' "$out/verdicts.txt") noticed, $left not," \
     "$(grep -c '^invalid' "$out/verdicts.txt") do not build"
[ "$left" -eq 0 ]
