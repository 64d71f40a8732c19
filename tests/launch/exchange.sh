# SPDX-License-Identifier: LGPL-2.1-or-later
# boot_exchange() with few and many nodes, empty and large blobs, also when a node does not read for a while.
. "$(dirname "$0")/lib.sh"

check() { # NODES LENGTH ROUNDS
    run "$hlrcrun" -n "$1" "$probe" exchange "$2" "$3"
    expect_status "$1 nodes, $2 bytes" 0
    test ! -s "$work/err" || fail "$1 nodes, $2 bytes: $(cat "$work/err")"
}

run "$probe" exchange 1000 3
expect_status "no launcher" 0
check 1 1000 3
check 2 0 50
check 3 1 50
check 4 32768 10
check 4 32769 10
check 3 1048576 3
check 128 256 5
check 300 100 3
check 32 65536 2

# programs that follow one another in a script
run "$hlrcrun" -n 3 sh -c '$probe exchange 10 5 && $probe exchange 20 5'
expect_status "one after another" 0

# a node that is stopped while results come
begin "$hlrcrun" -n 3 sh -c 'test $HLRC_NODE != 1 || echo ready $$; exec $probe exchange 300000 20'
until_true 60 ready 1 || fail "the nodes did not start"
pid=$(sed -n 's/^ready //p' "$work/out")
kill -STOP "$pid" 2>/dev/null
sleep 0.5
kill -CONT "$pid" 2>/dev/null
end
expect_status "stopped for a while" 0
finish
