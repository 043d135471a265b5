#!/bin/sh
# Runs the given test programs, shows each suite's result, and adds them up; exit status 0 when all passed.
# A program passes its count on in Unity's closing line, "N Tests M Failures K Ignored". One that ends without
# that line (a crash, a sanitizer report), or with a bad status in spite of it, counts as a failure. What a
# program printed stays beside it, in PROGRAM.log. SLIP_TEST_RUN is put before each program: an emulator, or
# valgrind. Needs a POSIX shell, grep, sed and tail.
passed=0; failed=0; skipped=0
for t in "$@"; do
    name=${t##*/}; log=$t.log
    case $t in */*) ;; *) t=./$t ;; esac
    $SLIP_TEST_RUN "$t" >"$log" 2>&1
    rc=$?
    line=$(grep -E '^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        echo "$name: FAILED, ended with status $rc and no result"
        tail -n 30 "$log" | sed 's/^/    /'
        failed=$((failed + 1))
        continue
    fi
    set -- $line                       # N Tests M Failures K Ignored; the loop keeps its own list
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
[ "$skipped" -gt 0 ] && echo "$skipped skipped (see above for the reasons)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
