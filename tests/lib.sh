# SPDX-License-Identifier: LGPL-2.1-or-later
# For shell tests that run jobs; sourced. A test calls fail as often as it must, and finish at its end.

top_builddir=${top_builddir:-.}
top_srcdir=${top_srcdir:-.}
hlrcrun=${HLRCRUN:-$top_builddir/hlrcrun}
. "$(dirname "${BASH_SOURCE[0]}")/faillib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset HLRC_NODES HLRC_NODE HLRC_LAUNCH_FD SLURM_NTASKS OMPI_COMM_WORLD_SIZE PMI_SIZE

skip() {
    echo "SKIP: $*"
    exit 77
}

# run_job N PROTOCOL COMMAND...: output in $work/out and $work/err, exit status in $status
run_job() {
    local nodes=$1 protocol=$2
    shift 2
    status=0
    "$within" "${JOB_SECONDS:-120}" "$hlrcrun" -n "$nodes" --protocol "$protocol" "$@" \
        >"$work/out" 2>"$work/err" </dev/null || status=$?
}

expect_status() { # WHAT STATUS
    test "$status" = "$2" || fail "$1: status $status, not $2: $(head -5 "$work/err")"
}

expect_err() { # WHAT PATTERN: some line of standard error matches
    grep -qE -- "$2" "$work/err" || fail "$1: no '$2' on standard error: $(head -5 "$work/err")"
}

expect_out() { # WHAT PATTERN
    grep -qE -- "$2" "$work/out" || fail "$1: no '$2' in the output: $(head -5 "$work/out")"
}

await() { # COMMAND...: until it succeeds, for a minute
    local i
    for ((i = 0; i < 6000; i++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.01
    done
    fail "did not happen in time: $*"
    return 1
}

processes_of() { # PROGRAM, by its path without links
    local process
    for process in /proc/[0-9]*; do
        test "$(readlink "$process/exe")" != "$1" || echo "${process#/proc/}"
    done
}

is_running() { # PROGRAM
    test -n "$(processes_of "$1")"
}

gone() { # PROGRAM
    ! is_running "$1"
}

. "$(dirname "${BASH_SOURCE[0]}")/withinlib.sh"
# stats_read, figure
. "$(dirname "${BASH_SOURCE[0]}")/statslib.sh"
