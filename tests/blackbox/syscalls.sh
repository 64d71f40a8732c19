# SPDX-License-Identifier: LGPL-2.1-or-later
# An ARDMAR fetch makes no system call but the mprotect that opens the page, and the return from the signal,
# but the first from a node. With --protocol onesided there is none in a lock whose home is another node, if it was held here
# last, nor in a barrier where nothing was written.
. "$(dirname "$0")/../lib.sh"
fetches=${FETCHES:-$top_builddir/tests/blackbox/fetches}
sync_calls=${SYNC_CALLS:-$top_builddir/tests/blackbox/sync_calls}
test -x "$fetches" || skip "$fetches is not built"
command -v strace >/dev/null || skip "strace is not installed"
strace -D -o "$work/try" true 2>/dev/null && test -s "$work/try" || skip "strace may not trace here"
case $HLRC_TEST_SANITIZERS in
?*) skip "sanitizers make system calls of their own" ;;
esac

cat >"$work/node" <<END
#!/bin/sh
test "\$HLRC_NODE" = 0 || exec "$fetches"
exec strace -D -f -o "$work/trace" "$fetches"
END
chmod +x "$work/node"
run_job 2 ardmar "$work/node"
expect_status "the traced job" 0

# Between two marks (getppid) of one thread: the first interval holds the clock alone, the second the fetches.
awk '
    { thread = $1; call = $2; sub(/\(.*/, "", call) }
    call == "getppid" { marks[thread]++; next }
    call == "---" || call == "+++" || call == "<..." { next }
    marks[thread] % 3 == 1 { clock[call]++ }
    marks[thread] % 3 == 2 { fetch[call]++ }
    END {
        for (call in clock) print "clock", call, clock[call]
        for (call in fetch) print "fetch", call, fetch[call]
    }' "$work/trace" >"$work/calls"
grep -q '^clock clock_gettime' "$work/calls" && skip "reading the clock is a system call on this machine"
grep -q '^fetch mprotect 192$' "$work/calls" || fail "not one mprotect per fetch, of 192: $(cat "$work/calls")"
grep -q '^fetch rt_sigreturn 192$' "$work/calls" || fail "not one rt_sigreturn per fetch, of 192: $(cat "$work/calls")"
test "$(grep -c '^fetch' "$work/calls")" = 2 || fail "other system calls in a fetch: $(cat "$work/calls")"

# No wait may be so long that it ends in sleep: nodes that share cores with others' programs wait for those, too.
sed -i "s#$fetches#$sync_calls#g" "$work/node"
HLRC_SPIN=1000000 run_job 2 onesided "$work/node"
expect_status "the traced job of locks and barriers" 0
awk '
    { thread = $1; call = $2; sub(/\(.*/, "", call) }
    call == "getppid" { if (marks[thread]++ == 2) seen = 1; next }
    call == "---" || call == "+++" || call == "<..." { next }
    marks[thread] == 1 { print "lock", $0 }
    marks[thread] == 2 { print "barrier", $0 }
    END { if (!seen) print "no marks" }' "$work/trace" >"$work/calls"
test ! -s "$work/calls" || fail "system calls in locks or barriers: $(head -5 "$work/calls")"
finish
