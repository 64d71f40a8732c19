#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program in which two nodes take turns by a condition variable, under ARDMAR and under ONESIDED: as many
# locks, barriers and diffs as the run had; the rest is left to chance, which decides who has the lock next.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

replayed mailbox '
    /^(lock_acquires|barriers|diffs),/ { n++; if ($2 != $3) { print; bad = 1 } }
    END { exit bad || n != 3 }' "$top_builddir/examples/04-mailbox"
finish
