#!/bin/sh
# Runs the given test programs, shows each suite's result, and adds them up.
# A program passes its count on in Unity's closing line, "N Tests M Failures K Ignored". One that ends
# without that line (a crash, a sanitizer report) counts as one failure.
passed=0; failed=0; skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
for t in "$@"; do
    "$t" >"$log" 2>&1; rc=$?
    line=$(grep -E '^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored' "$log" | tail -n 1)
    if [ -z "$line" ]; then
        echo "---- $(basename "$t"): ended with status $rc and no result"; tail -n 30 "$log"
        failed=$((failed + 1)); continue
    fi
    set_n=$(echo "$line" | awk '{print $1}'); set_f=$(echo "$line" | awk '{print $3}'); set_i=$(echo "$line" | awk '{print $5}')
    [ "$set_f" -eq 0 ] && [ "$rc" -ne 0 ] && set_f=1
    printf '%-32s %4d tests' "$(basename "$t")" "$set_n"
    [ "$set_i" -gt 0 ] && printf ', %d skipped' "$set_i"
    [ "$set_f" -gt 0 ] && printf ', %d FAILED' "$set_f"
    printf '\n'
    [ "$set_i" -gt 0 ] && grep -E ':IGNORE' "$log" | sed 's/^[^:]*:[0-9]*:/    /'
    [ "$set_f" -gt 0 ] && { echo "    (exit status $rc)"; grep -vE ':(PASS|IGNORE)' "$log" | tail -n 40; }
    passed=$((passed + set_n - set_f - set_i)); failed=$((failed + set_f)); skipped=$((skipped + set_i))
done
[ "$skipped" -gt 0 ] && echo "$skipped skipped (see above for the reasons)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
