# SPDX-License-Identifier: LGPL-2.1-or-later
# Litmus programs on the worst fabric that fabric.h allows, with reads in any order and with reads in order; some where
# sleeps end early and arming fails.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_lock" || skip "the litmus programs are not built"
export HLRCRUN=$hlrcrun LITMUS_NODES=3 HLRC_FABRIC=shm+chaos

for program in rule02_home rule03_lock rule03_causality rule04_access rule04_home rule05_merge rule07_home rule11_cond threads; do
    "$programs/$program" >"$work/out" 2>"$work/err" || fail "$program: $(head -5 "$work/err")"
    case $program in
    rule03_lock | rule11_cond | threads)
        HLRC_CHAOS_HEAL=1 "$programs/$program" >"$work/out" 2>"$work/err" ||
            fail "$program, healing: $(head -5 "$work/err")" ;;
    esac
    case $program in
    rule02_home | rule03_lock | rule04_*)
        HLRC_CHAOS_ORDERED=1 LITMUS_PROTOCOLS=ardmar "$programs/$program" >"$work/out" 2>"$work/err" ||
            fail "$program, reads in order: $(head -5 "$work/err")" ;;
    esac
done
LITMUS_NODES="2 4" "$programs/rule04_prefetch" >"$work/out" 2>"$work/err" ||
    fail "rule04_prefetch: $(head -5 "$work/err")"
# a fetch that has to be repeated, since another thread acquires meanwhile, is rare
for seed in 2 3 4 5 6; do
    HLRC_CHAOS_SEED=$seed LITMUS_PROTOCOLS=ardmar "$programs/threads" >"$work/out" 2>"$work/err" ||
        fail "threads, seed $seed: $(head -5 "$work/err")"
done
finish
