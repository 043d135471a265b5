#!/bin/sh
# Runs the scenes of a table and compares the hash of all their steps with the table's.
#   sh tests/bits.sh [--write] PROGRAM [TABLE]        PROGRAM: a slipstick, TABLE: tests/bits.txt by default
# --write puts the hashes of PROGRAM's precision into the table instead. SLIP_TEST_RUN is put before the program: an
# emulator. As many scenes run at once as there are processors, or SLIP_TEST_JOBS. Exit status 0 when all are equal. Needs
# a POSIX shell, getconf, mktemp and sed.
write=
[ "$1" != --write ] || { write=1; shift; }
program=$1 table=${2:-tests/bits.txt} new= good=0 bad=0
[ -n "$program" ] || { sed -n '3,5s/^# *//p' "$0" >&2; exit 2; }
case $program in */*) ;; *) program=./$program ;; esac
case $($SLIP_TEST_RUN "$program" --version) in
    *\(double\)*) precision=double ;;
    *\(float\)*)  precision=float ;;
    *) echo "bits.sh: '$program' does not run" >&2; exit 2 ;;
esac
jobs=${SLIP_TEST_JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
state=$(mktemp -d) || exit 2
trap 'rm -rf "$state"' EXIT
trap 'exit 1' HUP INT TERM

# Runs every scene that no other worker has begun: the one that makes its folder has it.
worker() {
    while read -r name steps double float arguments; do
        case $name in ''|\#*) continue ;; esac
        mkdir "$state/$name" 2>/dev/null || continue
        $SLIP_TEST_RUN "$program" sim $arguments --quiet --hash --json </dev/null > "$state/$name/json"
    done < "$table"
}
while [ "$jobs" -gt 0 ]; do
    worker &
    jobs=$((jobs - 1))
done
wait

while read -r name steps double float arguments; do
    case $name in ''|\#*) new="$new$name${steps:+ $steps}${double:+ $double}${float:+ $float}${arguments:+ $arguments}
"; continue ;; esac
    hash=$(sed -n 's/^ *"hash": "\([0-9a-f]*\)",/\1/p' "$state/$name/json")
    ran=$(sed -n 's/^ *"steps": \([0-9]*\),/\1/p' "$state/$name/json")
    eval "wanted=\$$precision"
    [ "$ran" = "$steps" ] || hash="only ${ran:-0} of $steps steps"
    if [ "$hash" = "$wanted" ]; then good=$((good + 1)); echo "$name $hash"
    else bad=$((bad + 1)); echo "$name $hash DIFFERS from $wanted"; fi
    if [ $precision = double ]; then double=$hash; else float=$hash; fi
    new="$new$(printf '%-10s %s %s %s %s' "$name" "$steps" "$double" "$float" "$arguments")
"
done < "$table"
if [ -n "$write" ]; then printf %s "$new" > "$table"; echo "$precision: $bad changed in $table"; exit 0; fi
echo "$precision: $good of $((good + bad)) hashes as in $table"
[ "$bad" -eq 0 ] && [ "$good" -gt 0 ]
