# SPDX-License-Identifier: LGPL-2.1-or-later
# Under valgrind a program is right and its bugs are found, or it is refused with what to do.
. "$(dirname "$0")/lib.sh"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "valgrind does not run what is built with sanitizers"
command -v valgrind >/dev/null || skip "valgrind is not installed"
tooled=$(realpath "$top_builddir/tests/launch/tooled")
valgrind -q --error-exitcode=9 "$tooled" >"$work/out" 2>"$work/err" || skip "valgrind does not run here: $(head -1 "$work/err")"
exact=--vex-iropt-register-updates=allregs-at-mem-access
# 3 (0 + 1 + ... + 16383) + (0 + 1 + 2) 16384; 2 nodes, 2 threads, 50 times
right="402677760 200"
export HLRC_MEMORY=8M # valgrind keeps book of all that is mapped
test "$(cat "$work/out")" = "402677760 100" || fail "one node needs no option: $(cat "$work/out")"

for protocol in ardmar async onesided; do
    run "$hlrcrun" -n 2 --protocol $protocol valgrind -q --error-exitcode=9 --leak-check=full $exact "$tooled"
    expect_status "$protocol" 0
    expect_out "$protocol" "$right"
    test ! -s "$work/err" || fail "$protocol: valgrind says $(cat "$work/err")"
done

run "$hlrcrun" -n 2 valgrind -q --error-exitcode=9 $exact "$tooled" heap
expect_status "a write behind a block" 9
grep -qE '^==[0-9]+== Invalid write of size 1$' "$work/err" || fail "a write behind a block: $(cat "$work/err")"
grep -qE '^==[0-9]+==    by 0x[0-9A-F]+: main|at 0x[0-9A-F]+: write_behind' "$work/err" ||
    fail "a write behind a block: $(cat "$work/err")"
expect_nothing_left "a write behind a block"

run "$hlrcrun" -n 2 valgrind -q "$tooled"
expect_status "without the option" 1
expect_line "without the option" "^hlrc: node [01]: this program runs under a tool that does not keep \
registers exact at memory accesses, so page faults would give wrong results; start valgrind with \
--vex-iropt-register-updates=allregs-at-mem-access\$"
expect_out "without the option" ""
expect_nothing_left "without the option"
finish
