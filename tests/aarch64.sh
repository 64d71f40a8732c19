# SPDX-License-Identifier: LGPL-2.1-or-later
# The tree compiled for aarch64, without a warning, and run under qemu-user: how a fault is decoded, a job of one node,
# jobs of two with both protocols. qemu-user 7.2 maps both views and delivers SIGSEGV with its address, but leaves the
# ESR record out: the program that decodes real faults says so, and the jobs run as fault.h says. Memory accesses
# are ordered as on this machine, which is stricter than aarch64, so the runs show nothing about fences. The fences
# after the atomics of fabric/shm/shm.c are looked up in its instructions.
set -u
cross=aarch64-linux-gnu
test -z "${HLRC_TEST_SANITIZERS:-}" || { echo "SKIP: nothing of an instrumented build is in it"; exit 77; }
. "$(dirname "$0")/lib.sh"
case $(uname -m) in aarch64 | arm64) skip "this machine is aarch64: all other tests run on it" ;; esac
command -v $cross-gcc >/dev/null || skip "no $cross-gcc (Debian: gcc-aarch64-linux-gnu)"
loader=$($cross-gcc -print-file-name=ld-linux-aarch64.so.1)
test -e "$loader" || skip "no C library for $cross (Debian: libc6-dev-arm64-cross)"
qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip "no qemu-aarch64 (Debian: qemu-user)"
source=$(cd "$top_srcdir" && pwd) || exit 1
test ! -e "$source/config.status" || skip "the source tree is itself configured, so no other folder can be"
QEMU_LD_PREFIX=$(cd "$(dirname "$loader")/.." && pwd)
export QEMU_LD_PREFIX HLRC_MEMORY=64M
# qemu-user 7.2 loses 16 bytes where a DC ZVA of memset meets a page that faults, in a program without HLRC as well; the
# memset for this CPU has no such instruction.
export GLIBC_TUNABLES=glibc.cpu.name=kunpeng920
# of the make that runs this test, and of its compiler
unset MAKEFLAGS MFLAGS MAKELEVEL CC CXX CFLAGS CPPFLAGS LDFLAGS

source_of=$top_srcdir/tests/compat
litmus="rule01_release rule03_barrier rule03_lock rule05_merge rule06_bytes rule07_home rule08_atomics rule10_heap"
litmus="$litmus rule11_trylock threads"

# step WHAT COMMAND...: in the folder of the build
step() {
    local what=$1
    shift
    (cd "$work/build" && "$@") >"$work/log" 2>&1 || {
        echo "FAILED: $what"
        tail -n 30 "$work/log"
        exit 1
    }
}

# -O2 is for the warnings that only the optimizer gives
mkdir "$work/build"
step configure "$source/configure" --quiet --host=$cross --disable-maintainer-mode --disable-dependency-tracking \
    --disable-static --without-libsigsegv --without-libibverbs --without-pmix --without-cmocka --without-fftw3 \
    --enable-werror CC=$cross-gcc
# Without LSE instructions an atomic ends with stlxr, which a later load can pass. Each atomic of the fabric has a full
# fence after it [fabric.read-order], [unshared.reader-mark].
object=$work/shm.o
step "shm.c without LSE" $cross-gcc -O2 -march=armv8-a -mno-outline-atomics -include config.h -I. -I"$source" \
    -I"$source/include" -pthread -c "$source/fabric/shm/shm.c" -o "$object"
$cross-objdump -d --no-show-raw-insn "$object" >"$work/instructions" || exit 1
for function in shm_cas shm_fetch_add shm_exchange; do
    awk -v function_="$function" '
        /^[0-9a-f]+ </ { inside = index($0, "<" function_ ">:") }
        inside && $2 == "stlxr" { atomics++; fenced = 0 }
        inside && $2 == "dmb" && $3 == "ish" { fenced = 1 }
        inside && $2 == "ret" { returns++; bad += !fenced }
        END { exit !(atomics == 1 && returns > 0 && bad == 0) }' "$work/instructions" ||
        fail "$function: no full fence between its atomic and its return"
done
test $failures -eq 0 || finish

targets="libhlrc.la libhlrc_compat.la hlrcrun hlrcc examples/01-hello tests/faultkind"
for program in $litmus; do targets="$targets tests/litmus/$program"; done
# shellcheck disable=SC2086
step build "${MAKE:-make}" -j "$(nproc 2>/dev/null || echo 1)" $targets

"$within" 60 "$qemu" "$work/build/tests/faultkind" --emulated || fail "faults are decoded wrongly"

# The launcher is emulated, too. What it starts is the emulator, a program of this machine.
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$qemu" "$work/build/hlrcrun" >"$work/hlrcrun"
chmod +x "$work/hlrcrun"
hlrcrun=$work/hlrcrun
for protocol in async ardmar; do
    run_job 1 $protocol "$qemu" "$work/build/examples/01-hello"
    expect_status "01-hello, $protocol" 0
    expect_out "01-hello, $protocol" '^node 0 of 1$'
    for program in $litmus; do
        run_job 2 $protocol "$qemu" "$work/build/tests/litmus/$program"
        expect_status "$program, $protocol" 0
    done
done
# Programs that know nothing of HLRC print what they print without it; they cannot run on several nodes.
for source in loops tasks pthread/mutexes process/texts; do
    program=$work/${source##*/}
    $cross-gcc -fopenmp -O2 "$source_of/$source.c" -o "$program.native" -lm &&
        HLRC_CC=$cross-gcc HLRC_AS=$cross-as "$work/build/hlrcc" -fopenmp -O2 "$source_of/$source.c" -o "$program" -lm ||
        fail "$source: is not compiled"
    (cd "$work" && exec "$within" 60 "$qemu" "$program.native") >"$work/wanted"
    wanted=$?
    run_job 2 ardmar "$qemu" "$program"
    expect_status "$source" $wanted
    cmp -s "$work/out" "$work/wanted" || fail "$source: $(diff "$work/out" "$work/wanted" | head -3)"
done
run_job 2 ardmar --placement-control off "$qemu" "$program"
expect_status "$program, several nodes" 1
expect_err "$program, several nodes" '^hlrc: --placement-control: programs of hlrcc run on several nodes only on x86-64; leave it out$'
# The atomics that gcc calls out of line choose by the CPU: the emulated one has LSE, this one has not.
for program in rule03_lock rule08_atomics; do
    QEMU_CPU=cortex-a57 run_job 2 ardmar "$qemu" "$work/build/tests/litmus/$program"
    expect_status "$program without LSE" 0
done
finish
