# SPDX-License-Identifier: LGPL-2.1-or-later
# --gdb starts one node under gdb, which gets the standard input; the others run as ever.
. "$(dirname "$0")/lib.sh"

test -z "${HLRC_TEST_SANITIZERS-}" || { echo "the leak sanitizer does not run under gdb"; exit 77; }
command -v gdb >/dev/null || { echo "gdb is not installed"; exit 77; }
gdb -q -nx -batch -ex 'run' --args true 2>&1 | grep -q 'exited normally' || { echo "gdb cannot run programs here"; exit 77; }

printf 'set confirm off\nset disable-randomization off\nrun\nquit\n' >"$work/in"
run "$hlrcrun" -n 2 --gdb 1 "$probe" exchange 100 5 <"$work/in"
expect_status "gdb" 0
grep -q 'exited normally' "$work/out" || fail "gdb: $(cat "$work/out" "$work/err")"

printf 'set confirm off\nbreak boot_exchange\nrun\nquit\n' >"$work/in"
run "$hlrcrun" -n 2 --gdb 0 "$probe" exchange 100 5 <"$work/in"
grep -q 'Breakpoint 1, boot_exchange' "$work/out" || fail "breakpoint: $(cat "$work/out" "$work/err")"
expect_nothing_left "after quit"

# the runtime's faults pass unseen, the program's own stop it where it happened
faulty=$(realpath "$top_builddir/tests/launch/faulty")
printf 'set confirm off\nset disable-randomization off\nrun\nquit\n' >"$work/in"
run "$hlrcrun" -n 2 --gdb 1 "$faulty" <"$work/in"
expect_status "shared faults" 0
grep -q 'exited normally' "$work/out" || fail "shared faults: $(cat "$work/out" "$work/err")"
! grep -q 'SIGSEGV' "$work/out" || fail "shared faults are seen: $(cat "$work/out")"
printf 'set confirm off\nset disable-randomization off\nrun\necho AT:\nframe\nkill\nquit\n' >"$work/in"
run "$hlrcrun" -n 2 --gdb 1 "$faulty" fail <"$work/in"
grep -q 'received signal SIGSEGV, outside shared memory' "$work/out" || fail "own fault: $(cat "$work/out" "$work/err")"
grep -qE 'AT:.*(follow|main) \(' "$work/out" || fail "own fault's frame: $(cat "$work/out" "$work/err")"
expect_nothing_left "after a fault"
finish
