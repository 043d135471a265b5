#!/bin/sh
# Looks at what `make dist` made: every global symbol must be promised in the header, nothing may be missing
# from the two files, and the header must be readable twice. Argument: the folder. Needs nm (binutils).
set -e
dir=$1
if command -v nm >/dev/null 2>&1; then
    for s in $(nm -g "$dir/slipstick.o" | awk '$2 ~ /^[A-TV-Z]$/ { print $3 }'); do
        grep -qw "$s" "$dir/slipstick.h" || { echo "dist: $s is global but not in slipstick.h" >&2; exit 1; }
    done
fi
if grep -n '^ *# *include *"' "$dir/slipstick.h" \
    || grep -n '^ *# *include *"' "$dir/slipstick.c" | grep -v '"slipstick.h"'; then
    echo "dist: an include of our own was left in place" >&2
    exit 1
fi
ls -l "$dir/slipstick.c" "$dir/slipstick.h" | awk '{ print $5 " bytes\t" $NF }'
