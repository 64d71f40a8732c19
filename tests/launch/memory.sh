# SPDX-License-Identifier: LGPL-2.1-or-later
# How large the shared space is when nobody says (hlrc/size.h): a program of eight bytes runs wherever it may have some
# hundred megabytes, and says nothing. The sizes are the system's own figures.
. "$(dirname "$0")/lib.sh"
little=$(realpath "$top_builddir/tests/launch/little")
unset HLRC_MEMORY

# expect_little WHAT NODES: each of them read what node 0 wrote, and there is nothing to say
expect_little() {
    expect_status "$1" 0
    expect_out "$1" "$(yes 42 | head -n "$2")"
    test ! -s "$work/err" || fail "$1: $(cat "$work/err")"
}

# expect_room WHAT KIB: the space has so many
expect_room() {
    expect_status "$1" 0
    expect_line "$1" "hlrc_malloc: no room for 35184372088832 bytes: [0-9]+ KiB of $2 KiB are free"
}

# room: of the space of the last job; 0 where nothing was said
room() {
    local kib
    kib=$(sed -n 's/.* KiB of \([0-9]*\) KiB are free.*/\1/p' "$work/err")
    echo "${kib:-0}"
}

# Where addresses are few the space is small, on all nodes, whoever has the limit.
if test -z "${HLRC_TEST_SANITIZERS-}"; then # which need terabytes of address space
    for protocol in async ardmar onesided; do
        run bash -c 'ulimit -v 614400; exec "$hlrcrun" -n 2 --protocol $2 "$1"' - "$little" $protocol
        expect_little "$protocol, 600 MiB of addresses" 2
    done
    run "$hlrcrun" -n 2 bash -c 'test $HLRC_NODE = 0 || ulimit -v 614400; exec "$1" room' - "$little"
    expect_status "node 1 has 600 MiB of addresses" 0
    test "$(room)" -gt 1024 && test "$(room)" -lt 307200 || fail "600 MiB of addresses: $(cat "$work/err")"
fi
run bash -c 'ulimit -f 204800; exec "$hlrcrun" -n 2 "$1" room' - "$little" # of 1,024 bytes
expect_status "files of 200 MiB" 0
test "$(room)" -gt 1024 && test "$(room)" -le 204800 || fail "files of 200 MiB: $(cat "$work/err")"

# What the machine has, for one node or four; a control group that allows for less is not looked for here.
run "$hlrcrun" -n 4 "$little" room
expect_status "no limit" 0
machine=$(awk '/^(Mem|Swap)Total:/ { kib += $2 } END { print kib }' /proc/meminfo)
test "$(room)" -gt 0 && test "$(room)" -le "$machine" || fail "no limit, $machine KiB: $(cat "$work/err")"
all=$(room)
run "$hlrcrun" "$little" room
test "$(room)" -eq "$all" || fail "one node: $(room) KiB, not $all"

one='' two=''
trap 'test "$BASHPID" != $$ || { rmdir $one $two 2>/dev/null; rm -rf "$work"; }' EXIT
group_make $((600 << 20)) && one=$group && group_make $((300 << 20)) && two=$group ||
    { echo 'note: no control groups with limits on memory can be made here'; finish; }
for protocol in async ardmar onesided; do
    run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$hlrcrun" -n 2 --protocol $3 "$2"' - "$one" "$little" $protocol
    expect_little "$protocol, a control group of 600 MiB" 2
done
run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$hlrcrun" -n 4 "$2" room' - "$one" "$little"
expect_room "four nodes in one group" 614400
run "$hlrcrun" -n 4 bash -c \
    'test $HLRC_NODE -gt 1 && group=$1 || group=$2; echo $$ >"$group/cgroup.procs" && exec "$3" room' - "$one" "$two" "$little"
expect_room "two nodes in one group, two in another one" 921600

# Copies are in the group of the node that has them (copies.h), whoever writes them there. The system counts by pieces.
for protocol in async ardmar; do
    run "$hlrcrun" -n 2 --protocol $protocol --ahead 0 bash -c '
        test $HLRC_NODE = 0 && group=$1 || group=$2
        export LITTLE_USAGE=$group/memory.current
        test -r "$LITTLE_USAGE" || LITTLE_USAGE=$group/memory.usage_in_bytes
        echo $$ >"$group/cgroup.procs" && exec "$3" copies' - "$one" "$two" "$little"
    expect_status "$protocol, copies" 0
    read -r sum more <"$work/out"
    test "$sum" = 2048 && test "$more" -ge 7 || fail "$protocol: 8 MiB of copies are $more MiB in the group of their node"
done
finish
