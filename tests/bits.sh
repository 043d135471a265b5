#!/bin/sh
# Runs the scenes of a table and compares the hash of all their steps with the table's.
#   sh tests/bits.sh [--write] PROGRAM [TABLE]        PROGRAM: a slipstick, TABLE: tests/bits.txt by default
# --write puts the hashes of PROGRAM's precision into the table instead. SLIP_TEST_RUN is put before the program: an
# emulator. Exit status 0 when all are equal. Needs a POSIX shell and sed.
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

while read -r name steps double float arguments; do
    case $name in ''|\#*) new="$new$name${steps:+ $steps}${double:+ $double}${float:+ $float}${arguments:+ $arguments}
"; continue ;; esac
    json=$($SLIP_TEST_RUN "$program" sim $arguments --quiet --hash --json </dev/null)
    hash=$(echo "$json" | sed -n 's/^ *"hash": "\([0-9a-f]*\)",/\1/p')
    ran=$(echo "$json" | sed -n 's/^ *"steps": \([0-9]*\),/\1/p')
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
