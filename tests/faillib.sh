# SPDX-License-Identifier: LGPL-2.1-or-later
# fail and finish: for all shell tests; sourced. A test calls fail as often as it must, and finish at its end.
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# once_with TOOL...: ends the test in a build with sanitizers, which would find nothing in it, and where a tool is missing
once_with() {
    local tool
    [ -z "${HLRC_TEST_SANITIZERS:-}" ] || { echo "SKIP: once is enough: the default build's tests do it"; exit 77; }
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
    done
}

finish() {
    test $failures -eq 0 || { echo "$failures failures"; exit 1; }
    exit 0
}
