#!/bin/sh
# Every global symbol that an object or library defines begins with slip_: check_symbols.sh FILE [HEADER...]
# With headers, each of them must also be declared there; the precision at the end of a name (slip_arena_over_double,
# see base/real.h) does not count, nor a version (A, @). Names that begin with two underscores are the compiler's. Needs
# nm (binutils).
file=$1
shift
names=$(nm -g "$file" | awk 'NF == 3 && $2 ~ /^[B-TV-Z]$/ { sub(/^_slip/, "slip", $3); sub(/@.*/, "", $3); print $3 }' |
    grep -v '^__' | sort -u)
[ -n "$names" ] || { echo "$file: no symbols found" >&2; exit 1; }
bad=$(echo "$names" | grep -v '^slip_')
[ -z "$bad" ] || { echo "$file: global symbols without the prefix slip_:" $bad >&2; exit 1; }
[ $# -gt 0 ] || exit 0
for s in $names; do
    grep -qwE "$s|$(echo "$s" | sed -E 's/_(float|double)$//')" "$@" || { echo "$file: $s is global but in no header" >&2; exit 1; }
done
