# SPDX-License-Identifier: LGPL-2.1-or-later
# A peer that is dropped (HLRC_CHAOS_DROP: it is killed when it starts its K-th operation on the network, be that amid a
# barrier, a fetch or a diff): the job ends, says which node it was, and leaves nothing.
set -u
. "$(dirname "$0")/../lib.sh"

export HLRC_FABRIC=shm+chaos HLRC_MEMORY=64M
for protocol in ardmar async; do
    for node in 0 1 2; do
        for k in 1 2 3 5 8 13 40 100 300 700; do
            HLRC_CHAOS_DROP=$node:$k HLRC_CHAOS_SEED=$k run_job 3 $protocol "$top_builddir/apps/fft3d" --class S --no-verify
            what="$protocol, node $node dropped at operation $k"
            expect_status "$what" 137
            [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$what: not one line"
            expect_err "$what" "^hlrcrun: node $node \(pid [0-9]*\) was killed by signal 9"
        done
    done
done
finish
