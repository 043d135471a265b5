#!/bin/sh
# Builds judge.c against Debian's libmujoco-dev and runs it on models in MJCF: sh tests/mujoco/judge.sh FILE...
# Needs `make` before. Without the package it says so and succeeds.
set -e
lib=${SLIP_LIB:-build/cc-double/libslipstick.a}
if ! [ -e /usr/include/mujoco/mujoco.h ]; then
    echo "judge.sh: libmujoco-dev is not installed: nothing compared"
    exit 0
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
${CC:-cc} -std=gnu11 -Wall -Wextra -O1 -Isrc tests/mujoco/judge.c "$lib" -lmujoco -lm -o "$out"
"$out" "$@"
