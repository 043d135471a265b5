#!/bin/sh
# Other machines and compilers: builds the library and the command, compares the hashes of tests/bits.txt, runs tests.
#   sh tests/cross.sh [--quick|--hashes] [TARGET...]
# Targets: levels (gcc and clang at -O0 to -O3 and -Os), aarch64 armhf riscv64 s390x (gcc, run by qemu-user), musl, tcc,
# fma (this machine's program with glibc told to do without FMA), wasm32 (clang and wasi-libc, run by node), mingw64
# (built, not run). All by default. --quick: double alone, at -O1, fewer tests; --hashes: the same without tests;
# REALS='double float': these in both precisions. A target whose tools are missing is skipped, and said to be. Exit
# status 0 when nothing failed. MAKE and JOBS may be set. Debian: gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf
# gcc-riscv64-linux-gnu gcc-s390x-linux-gnu qemu-user musl-tools tcc gcc-mingw-w64-x86-64 clang lld llvm wasi-libc
# libclang-rt-dev-wasm32 nodejs
make=${MAKE:-make} jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
reals='double float' most=-O3 what= failed=0 results= is_quick=
case $1 in --quick|--hashes) reals=${REALS:-double} most=-O1 is_quick=$1; shift ;; esac
flags=$most
[ $# -gt 0 ] || set -- levels aarch64 armhf riscv64 s390x musl tcc fma wasm32 mingw64

# Tests that look at what differs between machines: word size, byte order, text, files, elementary functions, dynamics,
# geometry, solvers, a world. The rest of the suite takes hours under emulation. `few` of them take minutes: --quick.
few='base_text base_number base_vec base_dense base_arena trig elementary model convert eval_cmd xml lu cone problem
    operator joint_space heightfield broadphase sleep budget history'
tests='base_text base_number base_vec base_dense base_arena trig elementary model convert closed_form golden_dynamics kane
    eval_cmd hull distance_nasty patch heightfield broadphase mesh_files xml urdf scene problem lu operator joint_space
    cone ncp_gs newton ipm_path default world loops sleep drives replay history sim_cmd sim_tables trot bits'
[ -z "$is_quick" ] || tests=$few

note() { results="$results
$(printf '%-8s %s' "$target" "$1")"; echo "$target: $1"; }
fail() { failed=$((failed + 1)); note "FAILED: $1"; }
needs() { for tool in "$@"; do command -v "$tool" >/dev/null || { note "skipped: there is no $tool"; return 1; }; done; }

build() {                                # WHAT...: without a warning, or a failure. Programs by name: `all` would
                                         # leave ./slipstick pointing at one that this machine cannot run
    $make -s -k -j"$jobs" HOSTCC="${HOSTCC:-cc}" "$@" >"$log" 2>&1 || { tail -n 20 "$log"; fail "does not build: $*"; return 1; }
}

hashes() {                               # RUNNER PROGRAM
    if SLIP_TEST_RUN=$1 sh tests/bits.sh "$2" >"$log" 2>&1; then note "$what$(tail -n 1 "$log")"
    else grep -v '^[a-z]* [0-9a-f]*$' "$log"; fail "$what$(tail -n 1 "$log")"; fi
}

run_tests() {                            # RUNNER PROGRAM...
    by=$1; shift
    if SLIP_TEST_RUN=$by sh tests/run.sh "$@" >"$log" 2>&1; then note "tests: $(tail -n 1 "$log")"
    else grep -A8 FAILED "$log"; fail "tests: $(tail -n 1 "$log")"; fi
}

both() {                                 # RUNNER TAG MAKE-ARGUMENTS...: command and hashes in both precisions
    runner=$1 tag=$2; shift 2
    for real in $reals; do
        program=build/$tag-$real/slipstick
        build "$@" CFLAGS="$flags" REAL=$real lib "$program" && hashes "$runner" "$program" || return
    done
}

emulated() {                             # TRIPLET QEMU; without QEMU: programs that this machine runs itself
    needs "$1-gcc" ${2:+"$2"} || return
    both "$2" "$1-gcc" CC="$1-gcc" LDFLAGS=-static || return
    [ "$is_quick" != --hashes ] || return
    programs=
    for t in $tests; do [ ! -f "tests/test_$t.c" ] || programs="$programs build/$1-gcc-double/tests/test_$t"; done
    build CC="$1-gcc" LDFLAGS=-static CFLAGS="$flags" $programs || return
    run_tests "$2" $programs
}

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for target; do
    case $target in
    levels)  for cc in gcc clang; do
                 needs $cc || continue
                 for flags in -O0 '-O1 -g' -O2 -Os -O3; do what="$cc $flags, "; both '' $cc CC=$cc; done
             done
             flags=$most what= ;;
    aarch64) emulated aarch64-linux-gnu qemu-aarch64 ;;
    armhf)   emulated arm-linux-gnueabihf qemu-arm ;;
    riscv64) emulated riscv64-linux-gnu qemu-riscv64 ;;
    s390x)   emulated s390x-linux-gnu qemu-s390x ;;
    musl)    emulated musl '' ;;
    tcc)     test=build/tcc-double/tests/test_export
             needs tcc && both '' tcc CC=tcc && build CC=tcc CFLAGS="$flags" build/tcc-double/slipstick $test \
                 && run_tests '' $test ;;
    fma)     for real in $reals; do
                 program=build/$(basename "${CC:-cc}")-$real/slipstick
                 build CC="${CC:-cc}" REAL=$real lib "$program" \
                     && hashes 'env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable' "$program"
             done ;;
    wasm32)  needs clang wasm-ld llvm-ar node || continue
             if [ -f /usr/lib/wasm32-wasi/libc.a ] || [ -n "$WASI" ]; then
                 both 'node --no-warnings tests/wasi.mjs' clang-wasm32-wasi CC="clang --target=wasm32-wasi $WASI" AR=llvm-ar
             else note "skipped: there is no wasi-libc (WASI=--sysroot=DIR says where)"; fi ;;
    mingw64) needs x86_64-w64-mingw32-gcc || continue
             for real in $reals; do
                 program=build/x86_64-w64-mingw32-gcc-$real/slipstick.exe
                 build CC=x86_64-w64-mingw32-gcc LDFLAGS=-static CFLAGS="$flags" REAL=$real lib "$program" || continue
                 if command -v wine >/dev/null; then hashes wine "$program"
                 else note "$real: library and command built; not run: there is no wine"; fi
             done ;;
    *)       fail "no such target" ;;
    esac
done
echo "$results"
[ "$failed" -eq 0 ]
