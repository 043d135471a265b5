#!/bin/sh
# Checks what `make dist` wrote: no include of our own is left in place but slipstick.h, and every global symbol is
# declared in one of the two headers, slipstick.h having the functions of the headers that src/slipstick.h names.
# Argument: the folder. The second check needs nm (binutils).
set -e
dir=$1
if command -v nm >/dev/null 2>&1; then
    sh "$(dirname "$0")/check_symbols.sh" "$dir/slipstick.o" "$dir/slipstick.h" "$dir/slipstick_parts.h"
fi
if grep -n '^ *# *include *"' "$dir/slipstick.h" \
    || grep -n '^ *# *include *"' "$dir/slipstick.c" "$dir/slipstick_parts.h" | grep -v '"slipstick.h"'; then
    echo "dist: an include of our own was left in place" >&2
    exit 1
fi
if [ "$(sh "$(dirname "$0")/count_functions.sh" "$dir/slipstick.h")" \
    != "$(sh "$(dirname "$0")/count_functions.sh" "$(dirname "$0")/../src/slipstick.h")" ]; then
    echo "dist: slipstick.h declares other functions than the headers that src/slipstick.h names" >&2
    exit 1
fi
ls -l "$dir/slipstick.c" "$dir/slipstick.h" "$dir/slipstick_parts.h" | awk '{ print $5 " bytes\t" $NF }'
