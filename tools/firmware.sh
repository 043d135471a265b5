#!/bin/sh
# Builds examples/firmware for this machine and for two microcontrollers, runs it here and in QEMU, and compares:
# Cortex-M7 in double (mps2-an500) and Cortex-M4F in float (mps2-an386). Arguments: the folder of `make dist`; the folders
# of builds in double and in float, with the command and the library; a folder to build in; a C compiler for this
# machine. Run by `make firmware`; needs arm-none-eabi-gcc with newlib, and qemu-system-arm.
#
# Fails when the M7's hash is not this machine's in double, when a coordinate of the M4 is off by more than 1e-4 from this
# machine's in float, or when a size exceeds what docs/embedded.md promises.
set -e
dist=$1 double=$2 float=$3 out=$4 cc=${5:-cc}
here=$(dirname "$0")/../examples/firmware
flags='-std=c99 -ffp-contract=off -fno-math-errno -fno-trapping-math'
small='-Os -mthumb -flto -flto-partition=one -ffunction-sections -fdata-sections
       -DSLIP_NO_READERS -DSLIP_NO_MESSAGES -DSLIP_NO_BUDGETS -DSLIP_NO_LAWS -DSLIP_NO_LOOPS'
link='--specs=nano.specs -nostartfiles -Wl,--gc-sections -fno-inline-functions-called-once'
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Werror'
m4='-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -DSLIP_REAL_FLOAT'
m7='-mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16'

# REAL BUILD: robots as C, and the example on this machine
host() {
    mkdir -p "$out/$1"
    "$2/slipstick" export "$here/solo12_balance.xml" --c "$out/$1/solo.c" --solvers ncp-pgs \
        --colliders '*_foot,ground' --max-contacts 4 --quiet
    "$2/slipstick" export "$here/arm7.urdf" --fixed --c "$out/$1/arm7.c" --solvers ncp-pgs --max-contacts 1 --quiet
    shapes=$(sed -n 's/^#define SOLO_SHAPES \([0-9]*\).*/\1/p' "$out/$1/solo.h")
    real=; [ "$1" = double ] || real=-DSLIP_REAL_FLOAT
    for program in stand arm; do
        $cc $flags $warn -O1 $real -I"$dist" -I"$out/$1" "$here/$program.c" "$here/balance.c" "$here/print.c" \
            "$here/board_host.c" "$out/$1/solo.c" "$out/$1/arm7.c" "$2/libslipstick.a" -lm -o "$out/$1/$program"
        "$out/$1/$program" > "$out/$1/$program.txt"
    done
}

# NAME REAL MACHINE FLAGS...: the example on a microcontroller
board() {
    name=$1 real=$2 machine=$3; shift 3
    [ "$out/$name.o" -nt "$dist/slipstick.c" ] \
        || arm-none-eabi-gcc $flags $small "$@" -DSLIP_SHAPES="$shapes" -c "$dist/slipstick.c" -o "$out/$name.o"
    for program in stand arm; do
        robot=solo; [ $program = stand ] || robot=arm7
        arm-none-eabi-gcc $flags $small "$@" -DSLIP_SHAPES="$shapes" -I"$dist" -I"$out/$real" -T "$here/mps2.ld" \
            $link -Wl,-Map="$out/$name-$program.map" "$here/$program.c" "$here/balance.c" "$here/print.c" \
            "$here/board_mps2.c" "$out/$real/$robot.c" "$out/$name.o" -lm \
            -o "$out/$name-$program.elf" 2>"$out/link.log" || { cat "$out/link.log"; return 1; }
        qemu-system-arm -M "$machine" -nographic -semihosting -icount shift=6 -kernel "$out/$name-$program.elf" \
            > "$out/$name-$program.txt" 2>&1 </dev/null || { cat "$out/$name-$program.txt"; return 1; }
    done
}

# NAME PROGRAM WORDS...: a number that the program printed. NAME PROGRAM: bytes of code and constants.
said() { f=$out/$1-$2.txt; shift 2; sed -n "s/^$* \([0-9]*\)\$/\1/p" "$f"; }
flash() { arm-none-eabi-size "$out/$1-$2.elf" | awk 'NR == 2 { print $1 + $2 }'; }
hash_of() { sed -n 's/^hash //p' "$1"; }

show() {
    printf '%-32s %s\n' "$1: dynamics alone, flash" "$(flash $1 arm) B" \
        "$1: RNEA of seven joints" "$(said $1 arm instructions of rnea) instructions" \
        "$1: quadruped, flash" "$(flash $1 stand) B" \
        "$1: quadruped, arena and stack" "$(said $1 stand arena) + $(said $1 stand stack) B" \
        "$1: step, mean and worst" "$(said $1 stand instructions of a step, mean), $(said $1 stand \
            instructions of the worst step) instructions" \
        "$1: controller, worst" "$(said $1 stand instructions of the controller, worst) instructions" \
        "$1: worst residual" "$(said $1 stand 'worst residual \[1e-9\]')e-9" \
        "$1: hash" "$(hash_of "$out/$1-stand.txt")"
}

fail() { echo "firmware: $*" >&2; exit 1; }
most() { [ "$2" -le "$3" ] || fail "$1 is $2, more than the $3 that docs/embedded.md promises"; }

host double "$double"
board m7 double mps2-an500 $m7
show m7
host float "$float"
board m4 float mps2-an386 $m4
show m4
[ "$(hash_of "$out/m7-stand.txt")" = "$(hash_of "$out/double/stand.txt")" ] \
    || fail "the Cortex-M7 and this machine differ in double"
paste "$out/m4-stand.txt" "$out/float/stand.txt" | awk -F'\t' '/^q / {
        split($1, a, " ");  split($2, b, " ");  d = a[3] - b[3];  n++;  if (d > 100 || d < -100) bad++
    } END { exit !(n == 19 && !bad) }' || fail "the Cortex-M4 and this machine differ in float by more than 1e-4"
for name in m7 m4; do
    grep -q '^contacts 4$' "$out/$name-stand.txt" || fail "the robot does not stand on four feet ($name)"
done
most "the flash of dynamics alone" "$(flash m4 arm)" 16384
most "the flash of the quadruped" "$(flash m4 stand)" 98304
most "the memory of the quadruped" $(($(said m4 stand arena) + $(said m4 stand stack))) 65536
same=; [ "$(hash_of "$out/m4-stand.txt")" != "$(hash_of "$out/float/stand.txt")" ] || same=', and in float too'
echo "the same bits as this machine in double$same"
