#!/bin/sh
# Runs targets of tests/fuzz: sh tests/fuzz/run.sh PROGRAM SECONDS [TARGET...]; all by default, as many at once as there are
# processors, or SLIP_TEST_JOBS. What libFuzzer finds interesting stays in build/fuzz/TARGET and is begun with the next
# time; an input that breaks a promise is kept as build/fuzz/TARGET.crash-... Prints a line a target, and adds it to
# build/fuzz/executions.csv (and, with KEEP=1, to the committed tests/fuzz/executions.csv). Exit status 0 when nothing
# was found.
program=$1 seconds=$2; shift 2
[ $# -gt 0 ] || set -- $(SLIP_FUZZ= "$program")
jobs=${SLIP_TEST_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
state=build/fuzz/.run.$$
files=build/fuzz
[ ! -w /dev/shm ] || files=/dev/shm                          # the files that the command's readers get, in memory
mkdir -p "$state" || exit 1
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT TERM

target() {
    t=$1 log=build/fuzz/$1.log result=ok
    mkdir -p "build/fuzz/$t" || return 1
    SLIP_FUZZ=$t SLIP_FUZZ_DIR=$files "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=8192 \
        -close_fd_mask=3 -entropic=0 -print_final_stats=1 -artifact_prefix="build/fuzz/$t." "build/fuzz/$t" "tests/fuzz/corpus/$t" >"$log" 2>&1 \
        || { result=found; grep -E 'ERROR|SUMMARY|Test unit written' "$log"; }
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    line="$(date -u +%Y-%m-%d),$t,${runs:-0},$seconds,$result"
    echo "$line"
    echo "$line" >> build/fuzz/executions.csv
    [ -z "$KEEP" ] || echo "$line" >> tests/fuzz/executions.csv
    [ $result = ok ] && : > "$state/$t.ok"
}

# Runs every target that no other worker has begun: the one that makes its folder has it.
worker() { for t in "$@"; do mkdir "$state/$t" 2>/dev/null && target "$t"; done; }

while [ "$jobs" -gt 0 ]; do
    worker "$@" &
    jobs=$((jobs - 1))
done
wait
for t in "$@"; do [ -f "$state/$t.ok" ] || exit 1; done
