#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program that operates on a word of shared memory: what it counts is what the run has counted.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

replayed words '
    /^(word_ops|page_fetches|diffs|write_notices|messages|atomics),/ { n++; if (off(0)) { print; bad = 1 } }
    /^word_ops,/ { if ($2 != 100) { print; bad = 1 } }
    END { exit bad || n != 6 }' "$top_builddir/tests/sim/words"
finish
