# SPDX-License-Identifier: LGPL-2.1-or-later
# Signal handlers that touch shared memory amid a call, and nodes that end with prefetches under way.
. "$(dirname "$0")/../lib.sh"
handler=$top_builddir/tests/blackbox/handler
unfinished=$top_builddir/tests/blackbox/unfinished

for protocol in ardmar async; do
    run_job 2 $protocol --signals mask "$handler" 300
    expect_status "handler, $protocol, mask" 0
    test ! -s "$work/err" || fail "handler, $protocol, mask: $(head -3 "$work/err")"
    run_job 2 $protocol "$handler" 60000 # or until a signal comes amid the call
    expect_status "handler, $protocol" 1
    expect_err "handler, $protocol" \
        '^hlrc: node 1: a signal handler touched shared memory at 0x[0-9a-f]+ in the midst of a call .*--signals mask$'
    test "$(wc -l <"$work/err")" -eq 1 || fail "handler, $protocol: more than one line: $(cat "$work/err")"
    # late on their way; what the address sanitizer says of it ends the job
    for seed in 1 2 3; do
        HLRC_CHAOS_SEED=$seed HLRC_CHAOS_STRENGTH=9 run_job 2 $protocol --fabric shm+chaos "$unfinished"
        expect_status "unfinished, $protocol, seed $seed" 0
    done
done
finish
