# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes that the system dumps core of when the job ends are left alone until that is done, and a line says so; a signal
# to hlrcrun ends the wait. The other nodes end meanwhile.
. "$(dirname "$0")/lib.sh"
dumper=$(realpath "$top_builddir/tests/launch/dumper")
test -x "$dumper" || skip "$dumper is not built"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "the sanitizers allow no core dumps"
grep -q '^CoreDumping:' /proc/self/status || skip "this kernel does not say that it dumps core"
case $(cat /proc/sys/kernel/core_pattern) in
'|'* | */*) skip "core dumps do not go to the working directory here (kernel.core_pattern)" ;;
esac
ulimit -c unlimited || skip "no core dumps are allowed here (ulimit -Hc)"

begin_dump() { # GIB
    rm -rf "$work/0" "$work/1"
    mkdir "$work/0" "$work/1"
    begin "$hlrcrun" -n 4 "$dumper" "$1" "$work"
    until_true 60 grep -q . "$work/err"
}

# the whole dumps are there, all of their reservations of 48 GiB
begin_dump 48
end
test "$status" != 77 || skip "no address space for a reservation of 48 GiB"
expect_status "dumping" 3
expect_nothing_left "dumping"
head -1 "$work/err" | grep -qE '^hlrcrun: node 2 \(pid [0-9]+\) exited with status 3; ending the job$' ||
    fail "dumping: $(cat "$work/err")"
for core in "$work"/[01]/core*; do
    test "$(stat -c %s "$core")" -gt $((48 << 30)) || fail "dumping: $core has $(stat -c %s "$core") bytes"
done

# one that takes long is told of; nobody else is left then
told() {
    grep -qxE 'hlrcrun: the system writes the core dump of node [01] \(pid [0-9]+\): waiting for it, 10 minutes at most; a signal \(Ctrl-C\) ends the wait' "$work/err"
}
begin_dump 2048
if until_true 30 told; then
    test "$(left | wc -l)" -eq 5 || fail "not hlrcrun, its guard, the witness and two nodes: $(left | wc -l) processes"
    kill -TERM "$launcher"
    end
    expect_quick "not waited for"
else
    fail "not told: $(cat "$work/err")"
    end
fi
expect_status "not waited for" 3
expect_nothing_left "not waited for"
test "$(wc -l <"$work/err")" -eq 2 || fail "not waited for: $(cat "$work/err")"
finish
