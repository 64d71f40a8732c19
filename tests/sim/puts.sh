#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program of puts: it writes as often as the run has.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

replayed gups '
    /^(page_fetches|diffs|messages),/ { n++; if (off(0)) { print; bad = 1 } }
    /^rdma_writes,/ { n++; if ($3 < 10000 || off(1)) { print; bad = 1 } }
    END { exit bad || n != 4 }' "$top_builddir/apps/gups" --by puts --table 2^13
finish
