# SPDX-License-Identifier: LGPL-2.1-or-later
# --gdb starts one node under gdb, which gets the standard input; the others run as ever.
. "$(dirname "$0")/lib.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"

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
faults() { # WHAT
    printf 'set confirm off\nset disable-randomization off\nrun\nquit\n' >"$work/in"
    run "$hlrcrun" -n 2 --gdb 1 "$faulty" <"$work/in"
    expect_status "shared faults, $1" 0
    grep -q 'exited normally' "$work/out" || fail "shared faults, $1: $(cat "$work/out" "$work/err")"
    ! grep -q 'SIGSEGV' "$work/out" || fail "shared faults are seen, $1: $(cat "$work/out")"
    printf 'set confirm off\nset disable-randomization off\nrun\necho AT:\nframe\nkill\nquit\n' >"$work/in"
    run "$hlrcrun" -n 2 --gdb 1 "$faulty" fail <"$work/in"
    grep -qx 'Program received signal SIGSEGV, outside shared memory. The frame that faulted is selected:' "$work/out" ||
        fail "own fault, $1: $(cat "$work/out" "$work/err")"
    grep -qE 'AT:.*(follow|main) \(' "$work/out" || fail "own fault's frame, $1: $(cat "$work/out" "$work/err")"
    expect_nothing_left "after a fault, $1"
}
faults "as built"

# a library that was stripped, as packages are; its program keeps its symbols
library=$(realpath "$top_builddir/.libs/libhlrc.so.0" 2>/dev/null)
if test -e "$library"; then
    mkdir "$work/stripped" && cp "$library" "$work/stripped/libhlrc.so.0" && strip -s "$work/stripped/libhlrc.so.0"
    test -z "$(nm "$work/stripped/libhlrc.so.0" 2>/dev/null)" || fail "the library has symbols still"
    LD_LIBRARY_PATH=$work/stripped faults "stripped library"
    LD_LIBRARY_PATH=$work/stripped ldd "$faulty" | grep -q "$work/stripped" || fail "the stripped library was not used"
else
    echo "note: no shared library, which could be stripped"
fi

# nothing is left to be found: said when it matters
if test -e "$top_builddir/.libs/libhlrc.a" && libs=$(sed -n 's/^Libs.private: //p' "$top_builddir/hlrc.pc") &&
    ${CC:-cc} -static -s -I"$top_srcdir/include" -o "$work/bare" "$top_srcdir/tests/launch/faulty.c" \
        "$top_builddir/.libs/libhlrc.a" $libs >"$work/log" 2>&1; then
    printf 'set confirm off\nset disable-randomization off\nrun\nkill\nquit\n' >"$work/in"
    run "$hlrcrun" -n 2 --gdb 1 "$work/bare" <"$work/in"
    grep -qx 'hlrc: this program has the library in it and no symbols, .*, or pass all by: handle SIGSEGV nostop noprint pass' \
        "$work/out" || fail "no symbols at all: $(cat "$work/out" "$work/err")"
    printf 'set confirm off\nset disable-randomization off\nhandle SIGSEGV nostop noprint pass\nrun\nquit\n' >"$work/in"
    run "$hlrcrun" -n 2 --gdb 1 "$work/bare" <"$work/in"
    expect_status "no symbols, all passed" 0
else
    echo "note: no static program could be linked: $(tail -n 1 "$work/log" 2>/dev/null)"
fi

# no gdb, and a folder of PATH that is nobody's affair
mkdir "$work/tools"
ln -s "$(type -P true)" "$work/tools/true"
run env PATH="$work/tools" "$hlrcrun" -n 2 --gdb 1 true
expect_status "no gdb" 127
expect_line "no gdb" '^hlrcrun: --gdb 1: no gdb in PATH; install it$'
finish
