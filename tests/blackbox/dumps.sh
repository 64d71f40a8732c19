# SPDX-License-Identifier: LGPL-2.1-or-later
# A core dump has the backtrace and nothing of shared memory, however large that is; with --core full the pages that the node
# has touched as well, and no others. gdb reads them.
. "$(dirname "$0")/../lib.sh"
crash=$(realpath "$top_builddir/tests/blackbox/crash") && test -x "$crash" || skip "crash is not built"
hlrcrun=$(realpath "$hlrcrun")
case $HLRC_TEST_SANITIZERS in
*address*) skip "the sanitizer allows no core dumps" ;;
esac
command -v gdb >/dev/null || skip "gdb is not installed"
case $(cat /proc/sys/kernel/core_pattern) in
'|'* | */*) skip "core dumps do not go to the working directory here (kernel.core_pattern)" ;;
esac
ulimit -S -c unlimited 2>/dev/null || skip "no core dumps are allowed here (ulimit -Hc)"
cd "$work" || exit 99
export HLRC_MEMORY=8G

dump() { # OPTIONS...: $core; $mib, what it takes in the file system; $shown, what gdb has found
    local block far
    rm -f core*
    run_job 2 ardmar "$@" "$crash" words
    expect_status "$*" 139
    core=$(ls core* 2>/dev/null | head -1)
    test -n "$core" || { fail "$*: no core dump"; shown=; return; }
    mib=$(($(stat -c '%b * %B' "$core") >> 20))
    block=$(sed -n 's/^block //p' out) far=$(sed -n 's/^far //p' out)
    shown=$(gdb -q -nx -batch -ex bt -ex "p/x *(unsigned *)($block + 64)" -ex "p/x *(unsigned *)($far + 64)" \
        -ex "p/x *(unsigned *)($block + 536870912)" "$crash" "$core" 2>&1)
}

expect_shown() { # WHAT PATTERN COUNT
    test "$(grep -cE -- "$2" <<<"$shown")" -eq "$3" || fail "$1: not $3 times '$2': $shown"
}

left_out='= 0x0$|Cannot access memory' # as gdb sees it
for options in "--core small" "--core full"; do
    dump $options
    expect_shown "$options" '^#0 .*write_to ' 2 # where the program stopped, and the backtrace
    expect_shown "$options" '^#[1-9].* main ' 1
    test "${mib:-0}" -lt 64 || fail "$options: a core dump of $mib MiB"
    case $options in
    *small) expect_shown "$options" "$left_out" 3 ;;
    *)
        expect_shown "$options" '= 0x5ca1ab1e$' 1
        expect_shown "$options" '= 0xdeadbea7$' 1
        expect_shown "$options" "$left_out" 1 # what nobody touched
        ;;
    esac
done
finish
