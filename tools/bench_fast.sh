#!/bin/sh
# Straight-line functions (`slipstick export --fast`) against the library's, in one run where they take turns:
#     make NATIVE=1 && sh tools/bench_fast.sh build/cc-double-native OUT MODEL[:fixed]...
# Nanoseconds per state, best of 3000 turns over 64 random states. Pinocchio's figures are those of the first table of
# docs/dynamics.md, brought to this machine by the library's RNEA: figure there, times RNEA here over RNEA there. Poses
# here are those of links, Pinocchio's those of joints; matrices here are full. CC and CFLAGS as for make; the defaults are those of NATIVE=1. COUNT=1 adds instructions per state, by valgrind,
# which needs a build and CFLAGS without -march=native.
set -e
build=$1 out=$2
shift 2
src=$(dirname "$0")/../src
docs=$(dirname "$0")/../docs/dynamics.md
flags="-std=c99 ${CFLAGS--O3 -march=native -ffp-contract=fast} -fno-math-errno -fno-trapping-math -I$src -I$out"
case $build in *-float*) flags="$flags -DSLIP_REAL_FLOAT" ;; esac
mkdir -p "$out"

# ROBOT: "function figure" of Pinocchio and "here library's RNEA" from the first table of docs/dynamics.md
published() {
    awk -F'|' -v robot="$1" '
        BEGIN { id["kinematics"] = "fk"; id["kinematics and all Jacobian columns"] = "columns"; id["RNEA"] = "rnea"
            id["CRBA"] = "crba"; id["ABA"] = "aba"; id["M^-1 in full"] = "minv" }
        /^\| ns: ours/ { for (i = 3; i < NF; ++i) { split($i, word, " "); if (tolower(word[1]) == robot) column = i } }
        /^\|/ && column { name = $2; gsub(/^ +| +$/, "", name); split($column, x, "/")
            if (name in id) { print "published", id[name], x[2] + 0; if (name == "RNEA") print "there", x[1] + 0 } }
        /^$/ { column = 0 }' "$docs"
}

# ROBOT FUNCTION WAY: instructions per state
instructions() {
    for turns in 1 11; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$out/$1.bench" $2 $3 $turns 2>&1 | awk '/Collected/ { print $4 }'
    done | awk 'NR == 1 { a = $1 } NR == 2 { printf "%.0f\n", ($1 - a)/640 }'
}

for model in "$@"; do
    file=${model%:fixed}
    robot=$(basename "$file" .urdf)
    [ "$file" = "$model" ] && fixed= || fixed=--fixed
    "$build/slipstick" export "$file" --c "$out/$robot.c" --fast --steps 1 --quiet $fixed
    for part in "" _fast _fast_x4 _fast_x8; do
        ${CC:-cc} $flags -c "$out/$robot$part.c" -o "$out/$robot$part.o"
    done
    ${CC:-cc} $flags -DROBOT=$robot -DHEADER="\"${robot}_fast.h\"" "$(dirname "$0")/bench_fast.c" "$out/$robot".o \
        "$out/$robot"_fast.o "$out/$robot"_fast_x4.o "$out/$robot"_fast_x8.o "$build/libslipstick.a" -lm -o "$out/$robot.bench"
    echo "| $robot, ns per state | library | one state | times | four states | eight states | Pinocchio${COUNT:+ | instructions: library | one | four | eight} |"
    echo "|---|---:|---:|---:|---:|---:|---:|${COUNT:+---:|---:|---:|---:|}"
    { published "$robot"; "$out/$robot.bench"; } | awk '
        $1 == "published" { pinocchio[$2] = $3; next }
        $1 == "there" { there = $2; next }
        { row[++n] = $1; for (i = 2; i <= 5; ++i) x[n, i] = $i; if ($1 == "rnea") here = $2 }
        END { for (k = 1; k <= n; ++k) printf "%s | %.0f | %.0f | %.1f | %.0f | %.0f | %s\n", row[k], x[k, 2], x[k, 3],
            x[k, 2]/x[k, 3], x[k, 4], x[k, 5], pinocchio[row[k]] ? sprintf("%.0f", pinocchio[row[k]]*here/there) : "" }' |
    while read -r name rest; do
        printf '| %s %s |' "$name" "$rest"
        [ -z "$COUNT" ] || for way in 0 1 4 8; do printf ' %s |' "$(instructions "$robot" "$name" $way </dev/null)"; done
        echo
    done
done
