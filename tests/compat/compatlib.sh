# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests of programs of OpenMP, which gcc compiles for its own libgomp and hlrcc for several nodes; sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library needs sanitized programs"
[ -x "$top_builddir/hlrcc" ] || skip "this build has no hlrcc"
command -v gcc >/dev/null || skip "no gcc"
unset "${!OMP_@}" HLRC_CC HLRC_CXX HLRC_FC
# Threads run on their own nodes, unless a test says otherwise: on one host they would all run on node 0.
export HLRC_PLACEMENT_CONTROL=off
export HLRC_THREADS_PER_NODE=1 # auto is more where nodes have more processors
gcc=(gcc -fopenmp -O2) hlrcc=("$top_builddir/hlrcc" -fopenmp -O2)
echo 'int main(void) { return 0; }' >"$work/try.c"
"${gcc[@]}" "$work/try.c" -o "$work/try" 2>"$work/err" || skip "gcc -fopenmp does not link: $(head -1 "$work/err")"

# Jobs are one process each, which can be saved and killed, in any folder.
jobs_are_saved() {
    export HLRC_PLACEMENT_CONTROL=on OMP_NUM_THREADS=3
    unset HLRC_THREADS_PER_NODE SLURM_JOB_ID
    [ "$(uname -m)" = x86_64 ] || skip "only for x86-64"
    ulimit -S -c 0
    hlrcrun=$(realpath "$hlrcrun")
}

build() { # PROGRAM SOURCE GNU-COMPILER HLRC-COMPILER FLAGS...
    local program=$1 source=$here/$2
    "$3" -fopenmp -O2 "${@:5}" "$source" -o "$work/$program.gomp" -lm -latomic 2>"$work/err" ||
        { fail "$3 $2: $(head -3 "$work/err")"; return 1; }
    "$top_builddir/$4" -fopenmp -O2 "${@:5}" "$source" -o "$work/$program" -lm -latomic 2>"$work/said" ||
        { fail "$4 $2: $(head -3 "$work/said")"; return 1; }
}

# Each on all nodes, threads and protocols that are named.
# With SORTED lines may come in any order: those of several nodes do.
compare() { # PROGRAM "NODES..." "THREADS..." "PROTOCOLS..." ARGUMENTS...
    local program=$1 nodes threads protocol expected=0
    local -a all_nodes all_threads protocols
    read -ra all_nodes <<<"$2"
    read -ra all_threads <<<"$3"
    read -ra protocols <<<"$4"
    shift 4
    OMP_NUM_THREADS=3 "$work/$program.gomp" "$@" >"$work/wanted" 2>/dev/null </dev/null || expected=$?
    [ -z "${SORTED-}" ] || sort -o "$work/wanted" "$work/wanted"
    for protocol in "${protocols[@]}"; do
        for nodes in "${all_nodes[@]}"; do
            for threads in "${all_threads[@]}"; do
                run_job "$nodes" "$protocol" --threads-per-node "$threads" "$work/$program" "$@"
                [ -z "${SORTED-}" ] || sort -o "$work/out" "$work/out"
                cmp -s "$work/out" "$work/wanted" && [ $status = $expected ] && continue
                fail "$program $*, $protocol, $nodes nodes of $threads threads, placement control $HLRC_PLACEMENT_CONTROL: status $status; $(diff "$work/out" "$work/wanted" | head -3)" \
                    "$(head -3 "$work/err")"
            done
        done
    done
}
