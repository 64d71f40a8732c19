# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs on two hosts without RDMA, by libfabric over TCP. They use a second link between the hosts, which is as it is at
# first, then delays and loses packets, and breaks in the end.
. "$(dirname "$0")/hosts_lib.sh"
hosts_isolate "$0"
. "$(dirname "$0")/lib.sh"
need_mpirun
hosts_up "$work"
hlrc_info=$(realpath "$hlrc_info")
on h1 "$hlrc_info" | grep -q '^  ofi  *available' || skip "no libfabric (libfabric1), or it is left out of this build"

ip link add br1 type bridge && ip link set br1 up || skip "this kernel makes no second bridge"
for h in 1 2; do
    ip link add "w$h" type veth peer name e1 netns "$(cat "$work/h$h")" && ip link set "w$h" master br1 up &&
        on "h$h" ip addr add "10.78.0.$h/24" dev e1 && on "h$h" ip link set e1 up || skip "no second link"
done
ft=$top_builddir/apps/fft3d litmus=$top_builddir/tests/litmus limit=("$within" 60)
ofi="-x HLRC_FABRIC=ofi -x HLRC_PEER_TIMEOUT=3"
export HLRC_PROTOCOL=async
both="mpirun --host h1:2,h2:2 -n 4 $ofi"
three="mpirun --host h1:2,h2:1 -n 3 $ofi -x HLRC_PROTOCOL"
two="mpirun --host h1:1,h2:1 -n 2 $ofi -x HLRC_PROTOCOL"

for program in "$is" "$ft"; do
    run "${limit[@]}" $both -x HLRC_DEVICE=tcp:e1 "$program" -c S
    expect_verified "${program##*/} on two hosts" 4
done
run "${limit[@]}" $two "$litmus/rule01_release"
expect_status "an interface is found" 0
for device in 'tcp;ofi_rxm:e1' 'udp;ofi_rxd:e1'; do # without connections
    run env HLRC_DEVICE="$device" "${limit[@]}" $two -x HLRC_DEVICE "$litmus/rule01_release"
    expect_status "$device" 0
done
run "${limit[@]}" $two -x HLRC_DEVICE=tcp:lo "$litmus/rule01_release"
expect_status "an interface without other hosts" 1
our_lines | grep -q 'ofi: --device tcp:lo: reaches only this machine$' || fail "tcp:lo: $(cat "$work/err")"
for device in tcp:e7 tcpp; do
    run "${limit[@]}" $two -x HLRC_DEVICE=$device "$litmus/rule01_release"
    expect_status "--device $device" 1
    our_lines | grep -q "ofi: --device $device: no such provider or interface" || fail "$device: $(cat "$work/err")"
done

# a link that delays each frame, and loses one in a hundred
ip link set w1 nomaster && ip link set w2 nomaster
"$top_builddir/tests/pmix/lossy_link" w1 w2 300 10 2>"$work/link" &
link=$!
packets() { sed -n "s/^ *w1: *[0-9]* *\([0-9]*\) .*/\1/p" /proc/net/dev; }
before=$(packets)
while read -r program protocol; do
    run "${limit[@]}" env HLRC_PROTOCOL=$protocol $three -x HLRC_DEVICE=tcp:e1 "$litmus/$program" </dev/null
    expect_status "$program, $protocol, with delay and loss" 0
done <<'END'
rule01_release async
rule03_causality onesided
rule03_lock async
rule05_merge ardmar
rule08_words onesided
rule11_cond async
END
run "${limit[@]}" $two -x HLRC_DEVICE=tcp:e1 "$is" -c S
expect_verified "IS with delay and loss" 2
test $(($(packets) - before)) -gt 5000 || fail "the jobs do not use the second link: $(packets) packets, $before before"
kill $link || fail "the link is gone: $(cat "$work/link")"
ip link set w1 master br1 && ip link set w2 master br1

# the addresses are known, but no packet arrives
on h2 ip addr del 10.78.0.2/24 dev e1
on h2 ip addr add 10.79.0.2/24 dev e1
run "${limit[@]}" $two -x HLRC_DEVICE=tcp:e1 "$litmus/rule01_release"
expect_status "a host that is not reached" 1
our_lines | grep -q 'ofi: cannot connect to node [01] at 10\.7[89]\.0\.[12]:[0-9]*: ' || fail "unreachable: $(cat "$work/err")"
on h2 ip addr add 10.78.0.2/24 dev e1
on h2 ip addr del 10.79.0.2/24 dev e1

begin $two -x HLRC_DEVICE=tcp:e1 "$top_builddir/tests/guest/waiting" 60
both_wait() {
    test "$(grep -c waits "$work/out")" -eq 2
}
until_true 60 both_wait || fail "nodes did not start: $(cat "$work/err")"
ip link set w2 down
end
expect_status "a link that breaks" 1
our_lines | grep -qE 'ofi: node [01] no longer answers: .*--peer-timeout 3' || fail "broken link: $(cat "$work/err")"
expect_nothing_left "a link that breaks"

# a second interface in one network, which the kernel says to be nearer; last, since neighbours may remember it
ip link set w2 up
on h1 sh -c 'echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore; echo 2 >/proc/sys/net/ipv4/conf/all/arp_announce'
ip link add v3 type veth peer name e3 netns "$(cat "$work/h1")" && ip link set v3 master br0 up &&
    on h1 ip addr add 10.77.0.11/24 dev e3 && on h1 ip link set e3 up || skip "no third link"
echo '10 21' >"$work/distance"
on h1 mount -t tmpfs none /sys/class/net
on h1 mkdir -p /sys/class/net/e{0,3}/device
on h1 sh -c 'echo 1 >/sys/class/net/e0/device/numa_node; echo 0 >/sys/class/net/e3/device/numa_node'
if on h1 mount --bind "$work/distance" /sys/devices/system/node/node0/distance; then
    run "${limit[@]}" $two -x HLRC_STATS=- "$litmus/rule01_release"
    our_lines | grep -q 'statistics: .* fabric ofi tcp:e3, 2 nodes' || fail "not the nearest: $(cat "$work/err")"
    on h1 umount /sys/devices/system/node/node0/distance
fi
on h1 umount /sys/class/net
finish
