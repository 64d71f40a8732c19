#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program of gets of shared memory: it fetches and reads as often as the run has, and where homes send whole
# pages as often as a run under ASYNC.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

fft=("$top_builddir/apps/fft3d" --by gets --grid 32^3 --iterations 2 --no-verify)

replayed fft3d '
    /^(page_fetches|read_faults|write_faults|diffs|messages),/ { n++; if (off(0)) { print; bad = 1 } }
    /^rdma_reads,/ { n++; if ($3 < 400 || off(1)) { print; bad = 1 } }
    END { exit bad || n != 6 }' "${fft[@]}"

run_job 2 ardmar --trace-sim "$work/t" "${fft[@]}"
expect_status "fft3d, ardmar" 0
"$sim" replay --protocol async --machine "$top_srcdir/share/machines/shm-here" "$work/t" >"$work/replayed" 2>"$work/err" ||
    fail "replay, async: $(head -3 "$work/err")"
run_job 2 async --stats "${fft[@]}"
expect_status "fft3d, async" 0
for what in page_fetches messages; do
    counted=$(awk -v what="$what" '$1 == what { print $NF }' "$work/err")
    figure=$(awk -F, -v what="$what" '$1 == what { print $2 }' "$work/replayed")
    awk -v a="$figure" -v b="$counted" 'BEGIN { exit !(b > 100 && a >= b - 3 && a <= b + 3) }' ||
        fail "async, $what: replayed $figure, counted $counted"
done
finish
