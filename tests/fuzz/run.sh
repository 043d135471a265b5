#!/bin/sh
# Runs targets of tests/fuzz: sh tests/fuzz/run.sh PROGRAM SECONDS [TARGET...]; all by default. What libFuzzer
# finds interesting stays in build/fuzz/TARGET and is begun with the next time; an input that breaks a promise is kept
# as build/fuzz/TARGET.crash-... Prints a line a target, and adds it to build/fuzz/executions.csv (and, with KEEP=1, to the
# committed tests/fuzz/executions.csv). Exit status 0 when nothing was found.
program=$1 seconds=$2; shift 2
[ $# -gt 0 ] || set -- $(SLIP_FUZZ= "$program")
found=0
files=build/fuzz
[ ! -w /dev/shm ] || files=/dev/shm                          # the files that the command's readers get, in memory
for t in "$@"; do
    mkdir -p "build/fuzz/$t" || exit 1
    log=build/fuzz/$t.log
    SLIP_FUZZ=$t SLIP_FUZZ_DIR=$files "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=8192 \
        -close_fd_mask=3 -entropic=0 -print_final_stats=1 -artifact_prefix="build/fuzz/$t." "build/fuzz/$t" "tests/fuzz/corpus/$t" >"$log" 2>&1
    rc=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    result=ok
    [ $rc -eq 0 ] || { result=found; found=1; grep -E 'ERROR|SUMMARY|Test unit written' "$log"; }
    echo "$(date -u +%Y-%m-%d),$t,${runs:-0},$seconds,$result" | tee -a build/fuzz/executions.csv
    [ -z "$KEEP" ] || tail -n 1 build/fuzz/executions.csv >> tests/fuzz/executions.csv
done
exit $found
