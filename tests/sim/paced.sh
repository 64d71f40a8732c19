#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What hlrc_sim predicts from two runs under ARDMAR, beside what another run counts: pages of a run with --trace-sim-detail all
# (hlrc/probe/recorder.h), computing of one with a job's own options (sim/spans.h).
. "$(dirname "$0")/../lib.sh"
sim=$top_builddir/hlrc_sim
machine=$top_srcdir/share/machines/shm-here

sim() {
    status=0
    "$sim" replay --machine "$machine" "$@" >"$work/out" 2>"$work/err" || status=$?
    sed -i '/ASan doesn.t fully support makecontext/d' "$work/err" # the replay's own stacks
}

# column NAME: of what was replayed
column() { awk -F, -v name="$1" '$1 == name { print $2 }' "$work/out"; }

# predicted PROTOCOL PROGRAM...
predicted() {
    local protocol=$1 computes name
    shift
    run_job 2 ardmar --trace-sim-detail all --trace-sim "$work/pages" "$@"
    expect_status "$1, every access shown" 0
    test -s "$work/pages" || skip "no trace: $(head -1 "$work/err")"
    run_job 2 ardmar --trace-sim "$work/times" "$@"
    expect_status "$1, own options" 0
    run_job 2 "$protocol" --stats "$@"
    expect_status "$1, $protocol" 0
    cp "$work/err" "$work/run"
    sim "$work/times"
    expect_status "$1, own options, replayed" 0
    computes=$(column compute_us)
    sim --protocol "$protocol" --default-options --times "$work/times" "$work/pages"
    expect_status "$1, predicted" 0
    test -s "$work/err" && fail "$1: $(head -3 "$work/err")"
    test "$(column compute_us)" = "$computes" || fail "$1: computes $(column compute_us) us, not $computes as in the other run"
    for name in write_faults first_write_faults page_fetches invalidations write_notices messages ahead_pages twins; do
        awk -v name=$name -v predicted="$(column $name)" '$1 == name { run = $NF }
            END { off = predicted - run; exit (off < 0 ? -off : off) > 2 + run / 20 }' "$work/run" ||
            fail "$1: $name: predicted $(column $name), counted $(grep "^$name " "$work/run")"
    done
}

# The second writes anew what is there already, at the home of its pages: who does not know that predicts a tenth too many fetches. The
# third loads again what nobody has written meanwhile, but is announced: who does not know that predicts a fifth too few.
predicted async "$top_builddir/apps/radix" --keys 65536
predicted async "$top_builddir/apps/is" --keys 2^18 --no-hints
predicted ardmar "$top_builddir/apps/barnes" --bodies 4096 --no-hints

run_job 2 ardmar --trace-sim "$work/other" "$top_builddir/examples/02-counter"
sim --times "$work/other" "$work/pages"
expect_status "another program" 1
expect_err "another program" '^hlrc_sim: --times .*: node 0 synchronizes differently .*; trace'
run_job 3 ardmar --trace-sim "$work/other" "$top_builddir/apps/is" --keys 2^18
sim --times "$work/other" "$work/pages"
expect_status "three nodes" 1
expect_err "three nodes" '^hlrc_sim: --times .*: of 3 nodes'
run_job 2 ardmar --trace-sim "$work/t" --trace-sim-detail all --renew 3 "$top_builddir/apps/is"
expect_status "what hides accesses" 2
expect_err "what hides accesses" '^hlrcrun: --renew 3: --trace-sim-detail all needs 0; leave one of the two out$'
finish
