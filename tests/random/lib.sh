# SPDX-License-Identifier: LGPL-2.1-or-later
# For the scripts here; sourced. In `make soak` they run for HLRC_SOAK_SECONDS each (default 600), with seeds of their
# own.
random=${top_builddir:-.}/tests/random/random
soak=${HLRC_SOAK_SECONDS:-600}

# random_programs RUNS SECONDS OPTIONS...: seeds 1 .. RUNS, no new one after SECONDS; a soak begins elsewhere each time
random_programs() {
    local runs=$1 seconds=$2
    shift 2
    [ -z "${HLRC_TEST_SANITIZERS:-}" ] || seconds=$((seconds / 3 + 1))
    if [ -n "${HLRC_SOAK:-}" ]; then
        "$random" --seed "$(date +%s)000" --runs 100000000 --seconds "$soak" "$@"
    else
        "$random" --seed 1 --runs "$runs" --seconds "$seconds" "$@"
    fi
}
