#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/rdma-guest: its devices carry RDMA reads and atomics, over the link, in one guest and between two;
# it passes on what it should, and leaves nothing behind however it ends.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
guest=$top_srcdir/scripts/rdma-guest
self=$(cd "$(dirname "$0")" && pwd)/${0##*/}
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# latency TOOL OPTIONS...: the median, in us, of a perftest program's client
latency() {
    local tool=$1
    shift
    timeout 60 "$tool" -x 1 -n 300 -F "$@" 2>&1 | awk -v OFS=' ' '$1 ~ /^[0-9]+$/ && $2 == 300 { print $5 }'
}

# A server may not listen yet when its client asks.
measure() {
    local what=$1 i us
    shift
    for ((i = 0; i < 20; i++)); do
        us=$(latency "$@")
        [ -z "$us" ] || { echo "$what: $us us"; return; }
        sleep 0.5
    done
    fail "$what: $* gives no result"
}

# The three tests, in the order in which the server runs them.
serve() {
    timeout 100 ib_read_lat -x 1 -n 300 -F -s 4096 "$@" >/dev/null 2>&1
    timeout 60 ib_atomic_lat -x 1 -n 300 -F -A CMP_AND_SWAP "$@" >/dev/null 2>&1
    timeout 60 ib_atomic_lat -x 1 -n 300 -F -A FETCH_AND_ADD "$@" >/dev/null 2>&1
}

ask() { # WHERE OPTIONS... SERVER
    local where=$1
    shift
    measure "read of 4 KiB, $where" ib_read_lat -s 4096 "$@"
    measure "compare and swap, $where" ib_atomic_lat -A CMP_AND_SWAP "$@"
    measure "fetch and add, $where" ib_atomic_lat -A FETCH_AND_ADD "$@"
}

sent() { cat "/sys/class/net/$1/statistics/tx_packets"; }

# What runs in the guests.
in_one() {
    local before after device
    for device in rxe0 rxe1; do
        ibv_devinfo -d $device | grep -q 'PORT_ACTIVE' || fail "$device is not active"
    done
    before=$(sent v1)
    serve -d rxe0 &
    ask "over the pair" -d rxe1 localhost
    wait
    after=$(sent v1)
    [ $((after - before)) -ge 900 ] || fail "only $((after - before)) packets of 900 requests crossed the link"
    touch "$self" 2>/dev/null && fail "the host's files can be written"
    echo written >"$1/file" || fail "the work folder cannot be written"
    [ "$HLRC_TEST_WORDS" = $'two words\nand a line' ] || fail "HLRC_TEST_WORDS is '$HLRC_TEST_WORDS'"
    [ "$PWD" = "$1" ] && [ -e begun ] || fail "the current folder is $PWD: $(ls)"
    echo "to standard error" >&2
    [ $failures -eq 0 ] && exit 9
}

in_two() {
    [ -e begun ] || fail "the current folder is $PWD: $(ls)"
    [ "$(hostname)" = "guest$RDMA_GUEST" ] || fail "guest $RDMA_GUEST calls itself $(hostname)"
    if [ "$RDMA_GUEST" -eq 0 ]; then serve -d rxe0; else ask "between guests" -d rxe0 guest0; fi
    exit $((failures > 0))
}

case ${1-} in
one) in_one "$2" ;;
two) in_two ;;
esac
[ $# -eq 0 ] || exit 1

base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
work="$base/a name, with more in it"
mkdir -p "$work/tmp" && cd "$work" && : >begun || exit 1
export TMPDIR=$work/tmp # where the guest's own files are, to see that they go
export HLRC_TEST_WORDS=$'two words\nand a line'
for program in ib_read_lat ib_atomic_lat ibv_devinfo; do
    command -v $program >/dev/null || { echo "skipped: $program not found; install perftest and ibverbs-utils"; exit 77; }
done

# status, out and err of a run; none may leave a process or a file
run() {
    status=0
    "$guest" "$@" >"$work/out" 2>"$work/err" || status=$?
    expect_nothing_left "$*"
}

# The folder's name is on the command line of everything that belongs to a guest.
left() { pgrep -f "$TMPDIR/rdma-guest" | grep -vx $$; ls "$TMPDIR"; }

expect_nothing_left() {
    local i
    for ((i = 0; i < 600; i++)); do
        [ -n "$(left)" ] || return
        sleep 0.1
    done
    fail "$1: left behind: $(left | tr '\n' ' ')"
}

expect_status() {
    [ "$status" -eq "$1" ] || fail "$2: status $status, not $1: $(tail -n 5 "$work/err" "$work/out")"
}

run --timeout 200 --work "$work" bash "$self" one "$work"
if [ $status -eq 77 ]; then
    echo "skipped: $(cat "$work/err")"
    exit 77
fi
expect_status 9 "one guest"
cat "$work/out"
[ "$(cat "$work/file" 2>/dev/null)" = written ] || fail "the work folder does not have what the guest wrote"
grep -qx "to standard error" "$work/err" && ! grep -q "standard error" "$work/out" || fail "the streams are mixed"

run --timeout 200 --guests 2 bash "$self" two
expect_status 0 "two guests"
cat "$work/out"

run --timeout 100 --guests 2 --first-only sh -c 'echo "$RDMA_GUEST of $RDMA_GUESTS"; kill -9 $$'
expect_status 137 "a command killed in the first guest"
[ "$(cat "$work/out")" = "0 of 2" ] || fail "--first-only: the output is $(cat "$work/out")"

# a build within its source, both where the guest has a file system of its own
mkdir -p "$base/source/build" && echo here >"$base/source/file"
cd "$base/source/build"
top_srcdir=$base/source top_builddir=$base/source/build run --timeout 100 sh -c 'cat ../file && cd ../build'
expect_status 0 "a build within its source"
[ "$(cat "$work/out")" = here ] || fail "a build within its source: the output is $(cat "$work/out")"
cd "$work" || exit 1

run --timeout 3 sleep 1000
expect_status 124 "--timeout"
run --boot-timeout 1 true
expect_status 125 "--boot-timeout"
grep -q 'does not come up within 1 s' "$work/err" && [ "$(grep -c 'started again' "$work/err")" -eq 2 ] ||
    fail "--boot-timeout: $(cat "$work/err")"
run --timeout 100 sh -c 'echo c >/proc/sysrq-trigger; sleep 1000'
expect_status 125 "a guest that panics"
grep -q 'Kernel panic' "$work/err" || fail "a guest that panics: nothing is said about it: $(cat "$work/err")"
run --guests 3 true
expect_status 2 "--guests 3"

for signal in TERM KILL; do
    "$guest" sleep 1000 >"$work/out" 2>"$work/err" &
    for ((i = 0; i < 600; i++)); do
        [ -z "$(left)" ] || break
        sleep 0.1
    done
    [ -n "$(left)" ] || fail "nothing runs after a minute: $(cat "$work/err")"
    kill -$signal $!
    wait $! 2>/dev/null
    expect_nothing_left "SIG$signal"
done

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
