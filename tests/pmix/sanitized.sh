#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A job under mpirun in the build with sanitizers: the wire-up over PMIx has no bad access and leaks nothing of its own.
# What libpmix and what it uses keep until the end is theirs.
. "$(dirname "$0")/lib.sh"
test -n "${HLRC_TEST_SANITIZERS-}" || skip "this build has no sanitizers; mpirun.sh does more there"
need_mpirun
limit=("$within" 50)

cat >"$work/theirs" <<'END'
leak:libpmix
leak:libhwloc
leak:libevent
leak:mca_
END
export ASAN_OPTIONS=detect_leaks=1 LSAN_OPTIONS=suppressions=$work/theirs:print_suppressions=0

expect_clean() {
    ! grep -qE 'Sanitizer|runtime error' "$work/out" "$work/err" || fail "$1: $(cat "$work/out" "$work/err")"
}

run "${limit[@]}" mpirun -n 3 "$probe" exchange 32769 2
expect_status "exchange" 0
expect_clean "exchange"
run "${limit[@]}" mpirun -n 2 "$is" -c S
expect_verified "is" 2
expect_clean "is"
run "${limit[@]}" mpirun -n 2 "$probe" 1 fatal 5
expect_status "fatal" 5
expect_our_line "fatal" '^hlrc: node 1: something fatal happened$'
expect_clean "fatal"
finish
