# SPDX-License-Identifier: LGPL-2.1-or-later
# mpirun starts jobs that span two hosts, with what stands for ssh.
. "$(dirname "$0")/hosts_lib.sh"
hosts_isolate "$0"
. "$(dirname "$0")/lib.sh"
need_mpirun
hosts_up "$work"
limit=("$within" 30)
hlrc_info=$(realpath "$hlrc_info")
both="mpirun --host h1:2,h2:2 -n 4"

run "${limit[@]}" $both hostname
expect_status "hostname" 0
test "$(sort "$work/out" | uniq -c | tr -s ' \n' ' ')" = ' 2 h1 2 h2 ' || fail "hosts: $(cat "$work/out")"

# the wire-up spans them; two nodes on one other host share its memory
for size in 0 100 100000; do
    run "${limit[@]}" $both "$probe" exchange $size 3
    expect_status "exchange of $size bytes" 0
done
run "${limit[@]}" mpirun --host h2:2 -n 2 "$is" -c S
expect_verified "both nodes on h2" 2

# they share no memory: said once, before anything runs
run "${limit[@]}" $both -x HLRC_FABRIC=shm "$is" -c S
expect_status "shm on two hosts" 1
expect_our_line "shm on two hosts" "$no_way_between_hosts"
test ! -s "$work/out" || fail "shm on two hosts: began: $(cat "$work/out")"
expect_nothing_left "shm on two hosts"
# what is there is found, and named
if on h1 "$hlrc_info" | grep -q '^  ofi  *available'; then
    run "${limit[@]}" $both -x HLRC_STATS=- "$is" -c S
    expect_verified "auto on two hosts" 4
    our_lines | grep -q 'statistics: .* fabric mixed [a-z]*:*[a-z0-9]*, 4 nodes' || fail "auto: $(cat "$work/err")"
    run "${limit[@]}" mpirun -n 2 -x HLRC_STATS=- "$is" -c S
    our_lines | grep -q 'statistics: .* fabric shm, 2 nodes' || fail "auto on one host: $(cat "$work/err")"
fi
if verbs_in h1; then
    echo "note: there is an RDMA device, the refusal is not tested"
else
    run "${limit[@]}" $both -x HLRC_FABRIC=verbs "$is" -c S
    test "$status" -ne 0 || fail "verbs without a device: status 0"
    our_lines | grep -qE 'HLRC_FABRIC=verbs: (no RDMA device|no port|left out)' || fail "no device: $(cat "$work/err")"
    test "$(our_lines | wc -l)" -le 2 || fail "no device: more than a line per host: $(our_lines)"
    test ! -s "$work/out" || fail "no device: began: $(cat "$work/out")"
fi

# ends, whichever host they come from
run "${limit[@]}" $both "$probe" 3 fatal 5
expect_status "fatal" 5
expect_quick "fatal"
expect_our_line "fatal" '^hlrc: node 3: something fatal happened$'
expect_nothing_left "fatal"
run "${limit[@]}" $both "$probe" 2 kill 9
expect_status "kill" 137
expect_quick "kill"
expect_nothing_left "kill"
begin $both "$probe" wait
until_true 60 ready 4 || fail "nodes did not start: $(cat "$work/err")"
kill -9 "$launcher"
end
expect_nothing_left "kill of mpirun"

# hlrcrun hands over, and is found on the other side
if ! srun --mpi=list >/dev/null 2>&1; then
    run "${limit[@]}" "$hlrcrun" --hosts h1,h2:2 "$probe" exchange 1000 2
    expect_status "--hosts" 0
    expect_our_line "--hosts" '^hlrcrun: mpirun starts the 3 nodes: mpirun -n 3 --host h1:1,h2:2 '
fi
finish
