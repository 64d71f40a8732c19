# SPDX-License-Identifier: LGPL-2.1-or-later
# --check races, on applications that lack one lock or barrier: each place of their source that calls hlrc_lock or
# hlrc_barrier is left out in turn, and what comes of it is reported, or refused by name, or the answer, which the
# application verifies itself, is right. Whole, none of them has a race. [races.last-writers], [races.reads-first].
. "$(dirname "$0")/../lib.sh"
test -z "${HLRC_TEST_SANITIZERS:-}" || skip "ThreadSanitizer's calls and other sanitizers do not go together"
test "$(uname -m)" = x86_64 || skip "not tried on $(uname -m)"
top_srcdir=$(realpath "$top_srcdir") top_builddir=$(realpath "$top_builddir")
lib=$top_builddir/.libs
test -e "$lib/libhlrc_reads.so" || skip "no shared library"
apps=$top_srcdir/apps
here=$top_srcdir/tests/blackbox
nodes=3
dropped=0 reported=0
${CC:-cc} -O2 -g -I"$top_srcdir/include" -c "$here/drop.c" -o "$work/drop.o" || fail "drop.c does not compile"

build() { # NAME SOURCE...: compiled so that reads are noted
    local name=$1
    shift
    ${CC:-cc} -O1 -g -std=gnu11 -ffp-contract=off -fsanitize=thread -I"$top_srcdir" -I"$top_srcdir/include" -I"$top_builddir" \
        -c "${@/#/$apps/}" "$apps/common.c" || return 1
    ${CC:-cc} -Wl,--wrap=hlrc_lock,--wrap=hlrc_unlock,--wrap=hlrc_barrier -o "$name" ./*.o "$work/drop.o" \
        -L"$lib" -Wl,-rpath,"$lib" -lhlrc_reads -lhlrc -lm
}

judge() { # WHAT
    dropped=$((dropped + 1))
    if grep -q '^hlrc: race: ' "$work/err"; then
        reported=$((reported + 1))
    elif test "$status" -ne 0; then # else its answer was verified
        # nodes that do not make the same calls, an unlock without a lock
        grep -qE '^hlrc: node [0-9]+: ' "$work/err" || fail "$1: status $status, and no race reported: $(head -3 "$work/err")"
    fi
}

# app NAME SOURCES OPTIONS...
app() {
    local name=$1 sources=$2 place
    shift 2
    mkdir "$work/$name"
    (cd "$work/$name" && build "$name" $sources) >"$work/log" 2>&1 || { fail "$name: $(tail -3 "$work/log")"; return; }
    DROP=list run_job $nodes ardmar --check races "$work/$name/$name" "$@"
    expect_status "$name" 0
    grep -q 'race' "$work/err" && fail "$name: $(grep race "$work/err" | head -2)"
    sed -n 's/^.*drop: //p' "$work/err" | sort -u >"$work/places"
    test -s "$work/places" || fail "$name calls no lock and no barrier"
    while read -r call place; do
        DROP=$place run_job $nodes ardmar --timeout 60 --check races "$work/$name/$name" "$@"
        judge "$name, $call at $(addr2line -se "$work/$name/$name" "$place" 2>"$work/log")"
    done <"$work/places"
}

# In a soak all of them. Barnes with --tree locks is left out: its tree is read without locks while it grows.
only="is sor cg gauss"
test -z "${HLRC_SOAK:-}" || only=
only=${HLRC_TEST_APPS-$only}
wanted() { test -z "$only" || [[ " $only " = *" $1 "* ]]; }
while read -r name sources options; do
    wanted "$name" && app "$name" "${sources//,/ }" $options
done <<'END'
is is.c,is_check.c
radix radix.c,radix_keys.c -k 2^14
fft3d fft3d.c,fft3d_check.c,fft.c -g 16^3
sor sor.c -s 64
cg cg.c,cg_matrix.c -n 3
gauss gauss.c,equations.c -s 64
water water.c,water_cells.c,water_check.c,water_forces.c,water_model.c,water_start.c --forces locks
barnes barnes.c,barnes_cell.c,barnes_check.c,barnes_input.c,barnes_shared.c,barnes_tree.c,barnes_zone.c -n 512
tsp tsp.c -c 9
qsort qsort.c,radix_keys.c
END
echo "$dropped places were left out; a race was reported for $reported"
test $((reported * 3)) -ge $dropped || fail "too few: where nothing is reported the answer should seldom be right"
finish
