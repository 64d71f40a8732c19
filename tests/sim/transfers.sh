#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program of sections, lists, accumulates and atomics in windows: it does as many of each as the run has.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

replayed transfers '
    /^(page_fetches|diffs|messages),/ { n++; if (off(0)) { print; bad = 1 } }
    /^(rdma_reads|rdma_writes|atomics),/ { n++; if ($3 < 200 || off(1)) { print; bad = 1 } }
    END { exit bad || n != 6 }' "$top_builddir/tests/sim/transfers"
finish
