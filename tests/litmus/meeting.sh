# SPDX-License-Identifier: LGPL-2.1-or-later
# Barriers that no handler serves (--barrier counter, tree: onesided/barrier_counter.c; pairs: barrier_pairs.c): the litmus
# programs that meet, in both phases at once and apart, on a fabric as it is and on the worst one that fabric.h allows.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_barrier" || skip "the litmus programs are not built"
export HLRC_BARRIER HLRC_BARRIER_FAN

turn=0
protocols() { # both; with sanitizers, under which each job takes several times as long, one in turn, every other time
    if [ -z "${HLRC_TEST_SANITIZERS:-}" ]; then echo async ardmar; else
        case $((turn % 4)) in 1) echo async ;; 3) echo ardmar ;; esac
    fi
}

runs() { # NODES PROGRAM...: in jobs of so many, whatever else the program is tried with
    numbers=$1
    shift
    for program; do
        for nodes in $numbers; do
            turn=$((turn + 1))
            for protocol in $(protocols); do
                run_job "$nodes" "$protocol" "$programs/$program"
                expect_status "$program, $nodes nodes, $protocol, $HLRC_BARRIER $HLRC_BARRIER_FAN, $HLRC_FABRIC" 0
            done
        done
    done
}

export HLRC_FABRIC=shm
for way in counter:4 tree:2 tree:3; do
    HLRC_BARRIER=${way%:*} HLRC_BARRIER_FAN=${way#*:}
    runs '3 5' rule03_barrier rule11_split
done
HLRC_BARRIER=tree HLRC_BARRIER_FAN=2
runs 3 rule07_move rule10_free
HLRC_BARRIER_FAN=3 HLRC_THREADS=2 runs 13 rule03_barrier
HLRC_BARRIER=pairs
runs '2 3 5 8' rule03_barrier rule11_split
runs 3 rule07_move rule10_free
HLRC_THREADS=2 runs 13 rule03_barrier
export HLRC_FABRIC=shm+chaos HLRC_BARRIER_FAN=2
for HLRC_BARRIER in counter tree pairs; do
    runs 3 rule03_barrier rule11_split
    test $HLRC_BARRIER = counter || runs 3 rule07_move
done
finish
