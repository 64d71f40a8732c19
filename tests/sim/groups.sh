#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_sim replay of a real program of groups and of tries: its four nodes meet and ask as often as in the run.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/replayed.sh"

nodes=4
replayed groups '
    /^(barriers|lock_acquires|diffs),/ { n++; if ($2 != $3) { print; bad = 1 } }
    /^(page_fetches|write_notices|messages|atomics),/ { n++; if (off(5)) { print; bad = 1 } }
    END { exit bad || n != 7 }' "$top_builddir/tests/sim/groups"
finish
