#!/bin/sh
# Runs the given test programs, shows each suite's result, and adds them up; exit status 0 when all passed.
# A program passes its count on in Unity's closing line, "N Tests M Failures K Ignored". One that ends without
# that line (a crash, a sanitizer report), or with a bad status in spite of it, counts as a failure. What a
# program printed stays beside it, in PROGRAM.log. As many programs run at once as there are processors, or
# SLIP_TEST_JOBS; results are shown as they end. SLIP_TEST_RUN is put before each program: an emulator, or
# valgrind. Needs a POSIX shell, getconf, grep, sed and tail.
jobs=${SLIP_TEST_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
[ $# -gt 0 ] || { echo "0 passed, 0 failed"; exit 1; }
case $1 in */*) state=${1%/*}/.run.$$ ;; *) state=./.run.$$ ;; esac
mkdir "$state" || exit 1
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT TERM

# Runs every program that no other worker has begun: the one that makes its folder has it. Tells its status, number and
# name on standard output when it ends.
worker() {
    number=0
    for t in "$@"; do
        number=$((number + 1))
        mkdir "$state/$number" 2>/dev/null || continue
        case $t in */*) path=$t ;; *) path=./$t ;; esac
        $SLIP_TEST_RUN "$path" >"$state/$number/out" 2>&1 </dev/null
        echo "$? $number $t"
    done
}

show() {                                  # COUNT: of the programs whose results are to come
    missing=$1; passed=0; failed=0; skipped=0
    while read -r rc number t; do
        name=${t##*/}; log=$t.log; missing=$((missing - 1))
        mv -f "$state/$number/out" "$log"
        line=$(grep -E '^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored' "$log" | tail -n 1)
        if [ -z "$line" ]; then
            echo "$name: FAILED, ended with status $rc and no result"
            tail -n 30 "$log" | sed 's/^/    /'
            failed=$((failed + 1))
            continue
        fi
        set -- $line                       # N Tests M Failures K Ignored
        tests=$1; bad=$3; ignored=$5
        good=$((tests - bad - ignored))
        if [ "$bad" -eq 0 ] && { [ "$rc" -ne 0 ] || [ "$tests" -eq 0 ]; }; then bad=1; fi
        printf '%-32s %4d tests' "$name" "$tests"
        [ "$ignored" -gt 0 ] && printf ', %d skipped' "$ignored"
        [ "$bad" -gt 0 ] && printf ', %d FAILED' "$bad"
        printf '\n'
        [ "$ignored" -gt 0 ] && grep ':IGNORE' "$log" | sed 's/^[^:]*:[0-9]*:/    /'
        if [ "$bad" -gt 0 ]; then
            echo "    (exit status $rc, all of the output in $log)"
            grep -vE ':(PASS|IGNORE)' "$log" | tail -n 40 | sed 's/^/    /'
        fi
        passed=$((passed + good)); failed=$((failed + bad)); skipped=$((skipped + ignored))
    done
    [ "$missing" -eq 0 ] || { echo "$missing programs: FAILED, not run to their end"; failed=$((failed + missing)); }
    [ "$skipped" -gt 0 ] && echo "$skipped skipped (see above for the reasons)"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

{
    while [ "$jobs" -gt 0 ]; do
        worker "$@" &
        jobs=$((jobs - 1))
    done
    wait
} 2>/dev/null | show $#
