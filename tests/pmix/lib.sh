# SPDX-License-Identifier: LGPL-2.1-or-later
# For the tests of jobs that other launchers start; sourced. Goes on from the tests of hlrcrun.
. "$(dirname "${BASH_SOURCE[0]}")/../launch/lib.sh"

top_builddir=$(realpath "$top_builddir")
is=$top_builddir/apps/is
unset PMIX_NAMESPACE PMIX_RANK HLRC_PMIX_NODE SLURM_STEP_NUM_TASKS
# libpmix and hwloc keep what they allocate until the end
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
# what a launcher keeps in a temporary folder goes with ours
mkdir -m 1777 "$work/tmp"
export TMPDIR=$work/tmp
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# as many nodes as asked for, bound to no core; no look at network adapters, which is MPI's affair
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

skip() {
    echo "skipped: $*"
    exit 77
}

grep -q '^#define HAVE_PMIX 1' "$top_builddir/config.h" || skip "this build has no PMIx (libpmix-dev)"

# These launchers take a second or two of their own to end a job.
expect_quick() {
    test "$took" -lt 40000 || fail "$1: took $took ms"
}

need_mpirun() {
    command -v mpirun >/dev/null || skip "mpirun is not installed (openmpi-bin)"
    mpirun --version 2>&1 | grep -q 'Open MPI' || skip "mpirun is not Open MPI's (openmpi-bin)"
}

# Lines of ours: launchers have much to say besides.
our_lines() { # without the calls of a stack
    grep '^hlrc' "$work/err" | grep -vE '^hlrc: (node [0-9]+: )?#[0-9]+ '
}

expect_our_line() { # WHAT PATTERN: exactly one, and it matches
    test "$(our_lines | wc -l)" -eq 1 || fail "$1: not one line of ours: $(cat "$work/err")"
    our_lines | grep -qE -- "$2" || fail "$1: no '$2' in: $(our_lines)"
}

expect_verified() { # WHAT NODES
    expect_status "$1" 0
    grep -q "nodes  *$2" "$work/out" || fail "$1: not $2 nodes: $(cat "$work/out")"
    grep -q 'verification  SUCCESSFUL' "$work/out" || fail "$1: $(cat "$work/out" "$work/err")"
}
