# SPDX-License-Identifier: LGPL-2.1-or-later
# A job that outgrows the memory of its control group: the kernel kills a node, the job ends with one line that says so,
# and nothing is left. Where no group can be made, this is skipped.
. "$(dirname "$0")/lib.sh"
pagefetch=$(realpath "$top_builddir/microbench/pagefetch")
test -x "$pagefetch" || skip "$pagefetch is not built"

group_make $((64 << 20)) || skip "no control group with a limit on memory can be made here"
test ! -w "$group/memory.swap.max" || echo 0 >"$group/memory.swap.max"
trap 'test "$BASHPID" != $$ || { rmdir "$group"; rm -rf "$work"; }' EXIT

# 16 MiB, three times, that every node reads, and keeps its own copy of
run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$hlrcrun" -n 4 --memory 60M --cache-size 1T "$2" --pages 4096 --repetitions 1' - \
    "$group" "$pagefetch"
test "$status" -ne 0 || fail "out of memory: status 0"
expect_nothing_left "out of memory"
expect_line "out of memory" '^hlrcrun: node [0-3] \(pid [0-9]+\) was killed by the kernel because memory ran out: the limit of its control group is 64 MiB; start fewer nodes, share less memory, or raise the limit; ending the job$'

# a space that is larger than the group's memory is said to be, and costs nothing where it is not touched
run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$hlrcrun" -n 2 --memory 64G "$2" --pages 64 --repetitions 1' - \
    "$group" "$pagefetch"
expect_status "more than the group has" 0
expect_line "more than the group has" '^hlrcrun: --memory 64G: only .*the limit of the control group.*touches more is killed'
finish
