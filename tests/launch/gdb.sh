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

# what a node is at, as it tells by itself elsewhere: pages whose writers are their homes, ...
script=$top_srcdir/share/hlrc.gdb
printf 'set confirm off\nset disable-randomization off\nbreak hlrc_finalize\nrun\nhlrc page '\''faulty.c'\''::all\nhlrc page '\''faulty.c'\''::all + 4096\nhlrc page 16\nhlrc locks\nkill\nquit\n' >"$work/in"
run "$hlrcrun" -n 2 --gdb 1 --protocol ardmar "$faulty" <"$work/in"
for line in 'page [0-9]+ at 0x[0-9a-f]+: home node 0, complete, access read$' \
    'page [0-9]+ at 0x[0-9a-f]+: home node 1 \(here\), .*access (read|write); has node 1 interval 1$' \
    'hlrc: 0x10 is not in shared memory; give an address that is$' 'no lock is held, asked for or waited for here$'; do
    grep -qE "$line" "$work/out" "$work/err" || fail "hlrc page: no '$line' in $(cat "$work/out" "$work/err")"
done

# ... a lock that node 0 holds, node 1 waits for, and node 2 a barrier: each asked from outside, and its core dump
hang=$(realpath "$top_builddir/tests/blackbox/hang" 2>/dev/null)
ask() { # NODE WHAT COMMAND...: with gdb's arguments; $work/asked
    local node=$1
    shift 2
    gdb -q -nx -batch -x "$script" "$@" -ex 'hlrc waiters' -ex 'hlrc locks' >"$work/asked" 2>&1 </dev/null
}
said() { # WHAT PATTERN...
    local what=$1 line
    for line in "${@:2}"; do
        grep -qE "$line" "$work/asked" || fail "$what: no '$line' in: $(cat "$work/asked")"
    done
}
all_wait() {
    test "$(grep -c '^ready' "$work/out")" -eq 3 && ask 1 waits -p "$(pid_of 1)" && grep -q 'waits since' "$work/asked"
}
pid_of() {
    sed -n "s/^ready $1 //p" "$work/out"
}
for protocol in ${hang:+async onesided}; do
    begin "$hlrcrun" -n 3 --protocol $protocol "$hang" asked
    until_true 2 all_wait # a hundred times, each of which starts gdb
    said "$protocol, node 1" '^node 1 thread 0 waits since [0-9]+\.[0-9] s for lock 5$' '^lock 5: asked for$'
    ask 0 holds -p "$(pid_of 0)"
    said "$protocol, node 0" '^no thread of node 0 waits$' '^lock 5: held by thread 0, next is node 1$'
    # the tables are in core dumps of builds for debugging alone, where who looks is told so
    if test $protocol = async; then
        gdb -q -nx -batch -p "$(pid_of 0)" -ex "gcore $work/core" >"$work/log" 2>&1 </dev/null
        ask 0 core "$hang" "$work/core"
        if grep -q '^#define HLRC_DEBUG' "$top_builddir/config.h"; then
            said "core" '^no thread of node 0 waits$' '^lock 5: held by thread 0, next is node 1$'
        else
            said "core" '^no thread of node 0 waits$' '; a core dump has the tables if libhlrc was built with --enable-debug$'
        fi
        rm -f "$work/core"
    fi
    kill -USR1 "$(pid_of 0)"
    end
    expect_status "asked, $protocol" 0
done

# all nodes: by the commands that are printed, and in panes of tmux
begin "$hlrcrun" -n 2 --gdb all "$probe" exchange 100 5
until_true 10 grep -q 'node 1 waits for: gdb' "$work/err"
for n in 0 1; do
    command=$(sed -n "s/^hlrcrun: node $n waits for: //p" "$work/err")
    eval "$command -batch -ex continue" >"$work/gdb$n" 2>&1 </dev/null &
done
end
expect_status 'all nodes' 0
wait
for n in 0 1; do
    grep -q 'exited normally' "$work/gdb$n" || fail "--gdb all, node $n: $(cat "$work/gdb$n" "$work/err")"
done

pane() { tmux -S "$work/tmux" "$@" 2>"$work/pane"; }
panes_with() { # COUNT PATTERN
    local id
    for id in $(pane list-panes -s -F '#{pane_id}'); do
        pane capture-pane -p -J -t "$id"
    done | grep -c "$2" | grep -qx "$1"
}
if command -v tmux >/dev/null; then
    trap 'test "$BASHPID" != $$ || { pane kill-server; rm -rf "$work"; }' EXIT
    pane -f /dev/null new-session -d -x 200 -y 50 "'$hlrcrun' -n 2 --gdb all '$probe' exchange 100 5; echo \$? >'$work/ended'; sleep 60"
    until_true 20 panes_with 2 '^Temporary catchpoint 1 (exec' || fail "panes: $(pane list-panes -s; cat "$work/pane")"
    for id in $(pane list-panes -s -F '#{pane_id} #{pane_current_command}' | sed -n 's/ gdb$//p'); do
        pane send-keys -t "$id" continue Enter
    done
    until_true 20 test -s "$work/ended" || fail "in tmux: $(pane list-panes -s)"
    test "$(cat "$work/ended")" = 0 || fail "in tmux: ended with $(cat "$work/ended")"
    pane kill-server
    trap 'test "$BASHPID" != $$ || rm -rf "$work"' EXIT
fi

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
