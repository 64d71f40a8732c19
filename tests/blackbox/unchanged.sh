# SPDX-License-Identifier: LGPL-2.1-or-later
# A checkpoint does not read pages that have not changed since the one before, and misses no change: of stores, diffs, atomic
# operations and puts, by the home and by another node.
. "$(dirname "$0")/../lib.sh"
program=$(realpath "$top_builddir/tests/blackbox/unchanged")
hlrcrun=$(realpath "$hlrcrun")
test -x "$program" || skip "$program is not built"
ulimit -S -c 0
cd "$work" || exit 99

run() { # COMMAND...
    status=0
    "$within" 120 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

pages() { # of checkpoint N
    sed -n "s/^hlrc: checkpoint $1: \([0-9]*\) pages.*/\1/p" err
}

# Checkpoint N is that of step N - 1. Changes are made in steps 1, 5 and 9.
for protocol in async ardmar onesided; do
    for last in 2 6 10; do
        what="$protocol, killed at $last"
        rm -rf dir
        run "$hlrcrun" -n 2 --protocol "$protocol" --checkpoint 0:dir --progress "$program" 13 kill=$last behind=9
        expect_status "$what" 137
        run "$hlrcrun" --restart dir
        expect_status "$what: restart" 0
        expect_out "$what: restart" '^restored, right$'
    done
done
run "$hlrcrun" -n 2 --checkpoint 0:dir2 --progress "$program" 13 behind=9
expect_out uninterrupted '^not restored, right$'
test "$(pages 11)" -ge 112 || fail "checkpoint 11 has $(pages 11) pages of 112 that were changed"
test "$(pages 10)" = 0 || fail "checkpoint 10 has $(pages 10) pages: it has read unchanged ones"
finish
