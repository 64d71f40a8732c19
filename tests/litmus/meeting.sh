# SPDX-License-Identifier: LGPL-2.1-or-later
# Barriers by remote atomics (--barrier central, gb; hlrc/sync/barrier_counter.c): the litmus programs that meet, in both
# phases at once and apart, on a fabric as it is and on the worst one that fabric.h allows.
. "$(dirname "$0")/../lib.sh"
programs=${LITMUS_DIR:-$top_builddir/tests/litmus}
test -x "$programs/rule03_barrier" || skip "the litmus programs are not built"
export HLRCRUN=$hlrcrun HLRC_BARRIER HLRC_BARRIER_FAN

runs() { # PROGRAM...
    for program; do
        "$programs/$program" >"$work/out" 2>"$work/err" ||
            fail "$program, $HLRC_BARRIER $HLRC_BARRIER_FAN, $HLRC_FABRIC: $(head -5 "$work/err")"
    done
}

export HLRC_FABRIC=shm
for way in central:4 gb:2 gb:3; do
    HLRC_BARRIER=${way%:*} HLRC_BARRIER_FAN=${way#*:}
    LITMUS_NODES="2 5" runs rule03_barrier rule11_split
done
HLRC_BARRIER=gb HLRC_BARRIER_FAN=2
LITMUS_NODES=3 runs rule07_move rule10_free
HLRC_BARRIER_FAN=3 HLRC_THREADS=2 LITMUS_NODES=13 runs rule03_barrier
export HLRC_FABRIC=shm+chaos LITMUS_NODES=3 HLRC_BARRIER_FAN=2
for HLRC_BARRIER in central gb; do runs rule03_barrier rule11_split; done
runs rule07_move
finish
