#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# System calls on shared memory (hlrcrun --syscalls touch): those that wait, that are interrupted, that other programs make, and
# those that are refused [syscalls.copies].
. "$(dirname "$0")/../lib.sh"
holds=${HOLDS:-$top_builddir/tests/blackbox/holds}
test -x "$holds" || skip "$holds is not built"
holds=$(realpath "$holds")
ulimit -c 0

# every call of the system is in the table, or named below it
table=$top_srcdir/hlrc/system/calls.c
numbers=$(printf '#include <asm/unistd.h>\n' | ${CC:-cc} -E -dM - 2>/dev/null | sed -n 's/^#define __NR_\([a-z_0-9]*\) .*/\1/p')
for name in $numbers; do
    grep -qw -- "$name" "$table" || fail "$name is not in calls.c"
done
test "$(wc -w <<<"$numbers")" -gt 300 || fail "only $(wc -w <<<"$numbers") calls of the system"

case ${HLRC_TEST_SANITIZERS-} in
*thread*) skip "ThreadSanitizer has its own layout of memory" ;;
esac
run_job 2 ardmar --syscalls touch "$holds"
grep -qE 'syscalls touch: (the system does not allow|not supported on)' "$work/err" && skip "$(cat "$work/err")"

for protocol in async ardmar onesided; do
    run_job 2 $protocol --syscalls touch "$holds" wait
    expect_status "$protocol: a read that waits" 0
done
small=small
[ -z "${HLRC_TEST_SANITIZERS-}" ] || small= # whose frames are larger
run_job 3 ardmar --lazy-release 1 --syscalls touch "$holds" wait interrupt blocked children innocent $small
expect_status "three nodes" 0
expect_out "three nodes" '^ok$'
run_job 2 ardmar --syscalls auto "$holds" blocked # where it can be
expect_status "--syscalls auto" 0

run_job 2 ardmar --no-aslr --syscalls touch "$holds" children # which then are at equal addresses, too
expect_status "without address space randomisation" 0
# a job within a job has no filter of its own, and nothing of the outer one
HOLDS_JOB="'$(realpath "$hlrcrun")' -n 2 --syscalls auto '$holds' efault >/dev/null" run_job 2 ardmar --syscalls touch "$holds" children
expect_status "a job within a job" 0

refused() { # CASE PATTERN
    run_job 2 ardmar --syscalls touch "$holds" "$1"
    test "$status" = 1 || fail "$1: status $status"
    expect_err "$1" "^hlrc: node 0: system call $2; pass it memory that is not shared"
    test "$(grep -c '^hlrc: ' "$work/err")" = 1 || fail "$1: $(cat "$work/err")"
}
refused unknown 'bpf: argument 2, 0x[0-9a-f]+8, is in shared memory, and HLRC does not know.*'
refused newer 'number 1000: argument 2, 0x[0-9a-f]+8, is in shared memory, and HLRC does not know.*'
refused request 'ioctl: argument 3, 0x[0-9a-f]+, is in shared memory, and HLRC does not know.*'
refused lent 'vmsplice: argument 2, 0x[0-9a-f]+, is in shared memory, which the system would keep using.*'
refused submitted 'io_submit: argument 3, 0x[0-9a-f]+, is in shared memory, which the system would keep using.*'

# off, not there, or not possible here
run_job 2 ardmar "$holds" efault
expect_status "off by default" 0
run_job 2 ardmar --syscalls auto "$holds" without "$holds" efault
expect_status "no seccomp, auto" 0
test ! -s "$work/err" || fail "no seccomp, auto: $(cat "$work/err")"
run_job 2 ardmar --syscalls touch "$holds" without "$holds" efault
test "$status" != 0 || fail "no seccomp, but asked for"
expect_err "no seccomp" '^hlrc: node [01]: --syscalls touch: the system does not allow a filter .*; or start with --syscalls off$'
run_job 2 ardmar env HLRC_SYSCALLS=touch "$holds" efault
test "$status" != 0 || fail "libraries where others have them, but asked for"
expect_err "libraries where others have them" '^hlrc: node [01]: --syscalls touch: the libraries of this process are at the default'
run_job 2 ardmar env HLRC_SYSCALLS=auto "$holds" efault
expect_status "libraries where others have them, auto" 0
finish
