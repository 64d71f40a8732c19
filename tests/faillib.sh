# SPDX-License-Identifier: LGPL-2.1-or-later
# fail and finish: for all shell tests; sourced. A test calls fail as often as it must, and finish at its end.
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    test $failures -eq 0 || { echo "$failures failures"; exit 1; }
    exit 0
}
