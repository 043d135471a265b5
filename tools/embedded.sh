#!/bin/sh
# The tables of docs/embedded.md: flash, memory, stack and instructions of scenes with three solvers on two
# microcontrollers, 200 steps of each in QEMU; and the worst instructions of 600 steps of a hostile set (hostile.h) by
# the number of contacts. Arguments as those of tools/firmware.sh, without the compiler:
#     sh tools/embedded.sh build/dist build/cc-double build/cc-float build/embedded [FILE...]
# FILE: other scenes or models than the five.
# The library has all shapes, and neither readers nor messages; -Os without link-time optimisation.
set -e
dist=$1 double=$2 float=$3 out=$4
shift 4
here=$(dirname "$0")/../examples/firmware tools=$(dirname "$0")
models=$(dirname "$0")/../models
[ $# -gt 0 ] || set -- "$models/arm_drop.xml" "$models/solo12_stand.xml" "$models/cassie_drop.xml" \
    "$models/hand_ball.xml" "$models/humanoid_fall.xml"
scenes=$(for f; do echo "$f"; done)
flags='-std=c99 -Os -mthumb -ffp-contract=off -fno-math-errno -fno-trapping-math -ffunction-sections -fdata-sections
       -DSLIP_NO_READERS -DSLIP_NO_MESSAGES'

# REAL MACHINE BUILD FLAGS...: the rows of one microcontroller
rows() {
    real=$1 machine=$2 build=$3; shift 3
    mkdir -p "$out/$real"
    [ "$out/$real.o" -nt "$dist/slipstick.c" ] || arm-none-eabi-gcc $flags "$@" -c "$dist/slipstick.c" -o "$out/$real.o"
    for file in $scenes; do
        scene=$(basename "${file%.*}")
        for solver in ncp-pgs ncp-admm default; do
            "$build/slipstick" export "$file" --c "$out/$real/robot.c" --solvers $solver --steps 200 --quiet
            arm-none-eabi-gcc $flags "$@" -DROBOT=robot -DROBOT_H='"robot.h"' -DROBOT_BYTES=ROBOT_ARENA_BYTES \
                -I"$dist" -I"$out/$real" -I"$here" -I"$tools" -T "$here/mps2.ld" --specs=nano.specs -nostartfiles \
                -Wl,--gc-sections "$here/measure.c" "$tools/hostile.c" "$here/print.c" "$here/board_mps2.c" \
                "$out/$real/robot.c" \
                "$out/$real.o" -lm -o "$out/$real/robot.elf"
            qemu-system-arm -M $machine -nographic -semihosting -icount shift=6 -kernel "$out/$real/robot.elf" \
                > "$out/$real/robot.txt" 2>&1 </dev/null
            contacts=$(sed -n 's/.*\.max_contacts = \([0-9]*\).*/\1/p' "$out/$real/robot.c")
            flash=$(arm-none-eabi-size "$out/$real/robot.elf" | awk 'NR == 2 { print $1 + $2 }')
            awk -v s=$scene -v p=$solver -v r=$real -v f=$flash -v c=$contacts '{ x[$1] = $2 } END {
                printf "| %s | %s | %s | %d | %.0f | %.0f | %.1f | %.0f | %.0f |\n", s, r, p, c, f/1024,
                    x["arena"]/1024, x["stack"]/1024, x["mean"]/1000, x["worst"]/1000 }' "$out/$real/robot.txt"
            awk -v s=$scene -v p=$solver -v r=$real '$1 == "hostile" { h[n++] = $2 } END {
                printf "| %s | %s | %s |", s, r, p
                for (i = 0; i < n; ++i) printf " %s |", (h[i] > 0 ? sprintf("%.0f", h[i]/1000) : "")
                print "" }' "$out/$real/robot.txt" >> "$out/hostile.md"
        done
    done
}

mkdir -p "$out"; : > "$out/hostile.md"
echo '| scene | precision | solver | contacts | flash KB | arena KB | stack KB | step, mean | step, worst |'
echo '|---|---|---|---:|---:|---:|---:|---:|---:|'
rows float mps2-an386 "$float" -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -DSLIP_REAL_FLOAT
rows double mps2-an500 "$double" -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16
echo
echo '| scene | precision | solver | 0 contacts | 1 | 2 | to 4 | to 8 | to 16 | to 32 | to 64 | more |'
echo '|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|'
cat "$out/hostile.md"
