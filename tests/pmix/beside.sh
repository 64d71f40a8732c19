# SPDX-License-Identifier: LGPL-2.1-or-later
# HLRC beside MPI in one process. A program of hlrc.h: its nodes are MPI's ranks; MPI moves data from and into shared memory, and
# prints nothing. A program of MPI and OpenMP, by hlrcc: each rank is a separate job, of one node or, by hlrcrun, of several.
. "$(dirname "$0")/lib.sh"
need_mpirun
command -v mpicc >/dev/null || skip "no mpicc (libopenmpi-dev)"
here=$(dirname "$0")
limit=("$within" 60)
test -z "${HLRC_TEST_SANITIZERS-}" || skip "sanitizers find what Open MPI leaves"

mpicc -O1 -I"$top_srcdir/include" -I"$top_builddir/include" "$here/ranks.c" -o "$work/ranks" "$top_builddir/.libs/libhlrc.so" \
    -Wl,-rpath,"$top_builddir/.libs" 2>"$work/err" || fail "ranks.c: $(head -3 "$work/err")"
for protocol in ardmar async onesided; do
    for nodes in 2 3; do
        run "${limit[@]}" mpirun -n $nodes -x HLRC_PROTOCOL=$protocol "$work/ranks"
        expect_status "ranks, $protocol" 0
        test "$(cat "$work/out")" = "$nodes nodes, bad 0" || fail "ranks, $protocol: $(cat "$work/out")"
        test ! -s "$work/err" || fail "ranks, $protocol: said: $(cat "$work/err")"
    done
done

OMPI_CC=$top_builddir/hlrcc mpicc -O1 -fopenmp "$here/hybrid.c" -o "$work/hybrid" 2>"$work/err" || fail "hybrid.c: $(head -3 "$work/err")"
hybrid() { # WHAT COMMAND...: two ranks of two threads each
    local what=$1
    shift
    run "${limit[@]}" "$@"
    expect_status "$what" 0
    test "$(sort "$work/out")" = $'rank 0 of 2, 2 threads: bad 0\nrank 1 of 2, 2 threads: bad 0' || fail "$what: $(cat "$work/out")"
    test ! -s "$work/err" || fail "$what: said: $(cat "$work/err")"
}
export OMP_NUM_THREADS=2
hybrid "hybrid" mpirun -n 2 "$work/hybrid"
hybrid "hybrid, hlrcrun" mpirun -n 2 "$top_builddir/hlrcrun" -n 2 "$work/hybrid"
finish
