#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# How many threads a program of OpenMP has, and on how many nodes, where no option says it: OMP_NUM_THREADS in all, dealt out in
# equal numbers, or as many on each node as the processors that nproc(1) counts there.
. "$(dirname "$0")/compatlib.sh"
unset HLRC_THREADS_PER_NODE

cat >"$work/size.c" <<'END'
#include <hlrc.h>
#include <omp.h>
#include <stdio.h>

static int process[1024];

int main(void)
{
    int threads = 0, processes = 0;

#pragma omp parallel
    {
        process[omp_get_thread_num()] = hlrc_node_id(); /* getpid is of node 0 */
#pragma omp single
        threads = omp_get_num_threads();
    }
    for (int i = 0; i < threads; i++)
        processes += i == 0 || process[i] != process[i - 1];
    printf("%d %d %d\n", omp_get_max_threads(), threads, processes);
    return 0;
}
END
"$top_builddir/hlrcc" -fopenmp -O2 "$work/size.c" -o "$work/size" || fail "hlrcc size.c"

team() { # WHAT THREADS NODES-USED
    test "$status" = 0 && test "$(cat "$work/out")" = "$2 $2 $3" ||
        fail "$1: status $status, \"$(cat "$work/out")\", not $2 threads on $3 nodes; $(head -3 "$work/err")"
}
size() { # THREADS NODES OPTION...
    local threads=$1 nodes=$2
    local each=$(((threads + nodes - 1) / nodes))
    shift 2
    run_job "$nodes" ardmar "$@" "$work/size"
    team "$nodes nodes, OMP_NUM_THREADS '${OMP_NUM_THREADS-}', options $*" "$threads" $(((threads + each - 1) / each))
}

for OMP_NUM_THREADS in 1 2 5; do
    export OMP_NUM_THREADS
    size $OMP_NUM_THREADS 1
    size $OMP_NUM_THREADS 2
    size $OMP_NUM_THREADS 3
done
OMP_NUM_THREADS=4,2 # of nested regions
size 4 2
size 3 3 --threads-per-node 1
unset OMP_NUM_THREADS

size 4 2 --threads-per-node 2
run_job 2 ardmar sh -c 'nproc'
fewest=$(sort -n "$work/out" | head -1)
size $((2 * fewest)) 2
size $((2 * ($(nproc) / 2 > 0 ? $(nproc) / 2 : 1))) 2 --bind none
size "$(nproc)" 1
status=0
"$work/size" >"$work/out" 2>"$work/err" || status=$?
team "without hlrcrun" "$(nproc)" 1
if command -v taskset >/dev/null; then
    one=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    status=0
    taskset -c "$one" "$work/size" >"$work/out" 2>"$work/err" || status=$?
    team "without hlrcrun, on processor $one" 1 1
fi

# one process instead of several: all processors of all nodes
export HLRC_PLACEMENT_CONTROL=on
united() { # THREADS NODES OPTION...
    run_job "$2" ardmar "${@:3}" "$work/size"
    team "$2 nodes in one process, options ${*:3}" "$1" 1
}
for nodes in 1 2 3; do united "$(nproc)" $nodes; done
united 6 3 --threads-per-node 2
OMP_NUM_THREADS=5 united 5 2
export HLRC_PLACEMENT_CONTROL=off

# what the nodes find differs
run_job 2 ardmar sh -c 'HLRC_PROCESSORS=$((HLRC_NODE + 1)) exec "$0"' "$work/size"
test $status -ne 0 || fail "nodes of 1 and 2 threads: status 0"
grep -q 'option threads-per-node differs between' "$work/err" || fail "nodes of 1 and 2 threads: $(head -3 "$work/err")"

# inner regions, as in libgomp: numbers by level, and limits
build nested_teams feature/nested_teams.c gcc hlrcc
nested() { # VARIABLE=VALUE...
    env "$@" "$work/nested_teams.gomp" list >"$work/wanted" || fail "$*: gcc's program"
    for control in on off; do # of one process, and of three nodes
        HLRC_PLACEMENT_CONTROL=$control run_job 3 ardmar env "$@" "$work/nested_teams" list
        cmp -s "$work/out" "$work/wanted" || fail "$*, placement control $control: $(cat "$work/out" "$work/err" | head -3), not $(cat "$work/wanted")"
    done
}
nested OMP_NUM_THREADS=3,2
nested OMP_NUM_THREADS=3 OMP_NESTED=true
nested OMP_NUM_THREADS=3,2 OMP_MAX_ACTIVE_LEVELS=1
nested OMP_NUM_THREADS=3,3 OMP_THREAD_LIMIT=3
finish
