#!/bin/sh
# Makes the problems of this folder again: each is one step of a scene. Run from the root of the tree after `make`.
# The numbers differ in their last digits from compiler to compiler.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one SCENE STEP NAME [OPTIONS...]: the problem of step STEP becomes NAME.txt, its warm start NAME.warm if there is one
one() {
    scene=$1; step=$2; name=$3; every=$((step > 0 ? step : 1000)); shift 3
    rm -f "$work"/*
    ./slipstick sim "$scene" --quiet --dump-problems "$work" --dump-every "$every" "$@" > /dev/null
    file=$work/step$(printf %06d "$step")
    sed "s|^source .*|source slipstick sim $scene ${*:+$* }--dump-every $every|" "$file.txt" > "models/problems/$name.txt"
    if [ -f "$file.warm" ]; then cp "$file.warm" "models/problems/$name.warm"; fi
}

one models/cube_slide.xml             300 cube_slide    --cold
one models/problems/two_cubes.xml       0 two_cubes     --cold
one models/solo12_stand.xml           500 solo12_stand  --cold
one models/solo12_push.xml           1100 solo12_push
one models/problems/linkage.xml        35 linkage       --cold
one models/problems/capsule_slide.xml 100 capsule_slide --cold
one models/problems/jam.xml             5 jam           --cold
