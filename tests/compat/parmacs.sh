#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A program of the macros of ANL, expanded by m4 with c.m4.hlrc: each macro does what it is for, across nodes as in one
# process, where threads begin one by one (SPLASH-2) and where all begin at once (SPLASH-3).
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
[ -x "$top_builddir/hlrcc" ] || skip "this build has no hlrcc"
command -v m4 >/dev/null || skip "no m4"
command -v gcc >/dev/null || skip "no gcc"
macros=$top_srcdir/compat/parmacs/c.m4.hlrc

for file in all other; do
    m4 "$macros" "$here/parmacs/$file.C" >"$work/$file.c" 2>"$work/err" || fail "m4 $file.C: $(cat "$work/err")"
done
warnings=(-O2 -Wall -Wextra -Werror -Wno-unused-parameter)
gcc "${warnings[@]}" -pthread "$work/all.c" "$work/other.c" -o "$work/native" 2>"$work/err" || { fail "gcc: $(head -5 "$work/err")"; finish; }
"$top_builddir/hlrcc" -O2 -pthread "$work/all.c" "$work/other.c" -o "$work/all" 2>"$work/err" ||
    { fail "hlrcc: $(head -5 "$work/err")"; finish; }
printf '%s\n' 'count 30 of 30, by lock 30' 'items 200, taken 400, rounds 1' 'rows 1, other file 0, clock 1' >"$work/wanted"
"$work/native" 3 >"$work/out"
cmp -s "$work/wanted" "$work/out" || fail "in one process: $(diff "$work/wanted" "$work/out")"

# Threads run on several nodes, unless a test says otherwise: on one host they would all run on node 0.
export HLRC_PLACEMENT_CONTROL=off
run() { # NODES PROTOCOL THREADS...
    run_job "$1" "$2" "$work/all" "${@:3}"
    [ $status = 0 ] && cmp -s "$work/wanted" "$work/out" ||
        fail "$1 nodes, $2, threads $3: status $status; $(diff "$work/wanted" "$work/out" | head -3) $(head -3 "$work/err")"
}
run 1 ardmar 2
run 2 ardmar 2
run 2 async 4 1
run 3 onesided 3 1
run 3 ardmar 5
HLRC_PLACEMENT_CONTROL=on run 2 onesided 4 1
[ -z "${HLRC_SOAK-}" ] || for protocol in async ardmar onesided; do run 4 $protocol 8; run 8 $protocol 16 1; done
finish
