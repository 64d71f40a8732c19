# SPDX-License-Identifier: LGPL-2.1-or-later
# Slurm starts jobs on one host and on two: a controller on one of them, a daemon on each.
. "$(dirname "$0")/hosts_lib.sh"
hosts_isolate "$0"
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/slurm_lib.sh"
for tool in slurmctld slurmd srun sinfo; do
    command -v $tool >/dev/null || skip "$tool is not installed (slurm-wlm, slurm-wlm-basic-plugins)"
done
hosts_up "$work"
limit=("$within" 30)

slurm_configure "$work" h1=10.77.0.1 h2=10.77.0.2
on h1 slurmctld -D -c >>"$work/daemons" 2>&1 </dev/null &
on h1 slurmd -D -N h1 >>"$work/daemons" 2>&1 </dev/null &
on h2 slurmd -D -N h2 >>"$work/daemons" 2>&1 </dev/null &
until_true 20 slurm_idle 2 || skip "Slurm does not come up here: $(tail -n 2 "$work"/slurm*.log "$work/daemons")"
srun --mpi=list 2>&1 | grep -q pmix || skip "this Slurm has no PMIx plugin (slurm-wlm-basic-plugins)"

both="srun --mpi=pmix -N 2 -n 4"
run "${limit[@]}" $both --ntasks-per-node=2 hostname
test "$(sort "$work/out" | uniq -c | tr -s ' \n' ' ')" = ' 2 h1 2 h2 ' || fail "hosts: $(cat "$work/out" "$work/err")"
for size in 0 100 100000; do
    run "${limit[@]}" $both "$probe" exchange $size 3
    expect_status "exchange of $size bytes" 0
done
for protocol in ardmar async; do
    run env HLRC_PROTOCOL=$protocol "${limit[@]}" srun --mpi=pmix -w h2 -N 1 -n 3 "$is" -c S
    expect_verified "one host, $protocol" 3
done

# without PMIx nobody runs alone in silence
run "${limit[@]}" srun -N 2 -n 4 "$is" -c S
expect_status "no PMIx" 1
expect_our_line "no PMIx" '^hlrc: SLURM_[A-Z_]*=4, but these processes do not know each other: .*srun --mpi=pmix -n 4$'
test ! -s "$work/out" || fail "no PMIx: began: $(cat "$work/out")"
run "${limit[@]}" srun -n 1 "$is" -c S
expect_verified "one task without PMIx" 1

run env HLRC_FABRIC=shm "${limit[@]}" $both --ntasks-per-node=2 "$is" -c S
test "$status" -ne 0 || fail "shm on two hosts: status 0"
expect_our_line "shm on two hosts" "$no_way_between_hosts"
test ! -s "$work/out" || fail "shm on two hosts: began: $(cat "$work/out")"

# what only a launcher can do is refused, with the name that it has there
for variable in HLRC_LABEL=yes HLRC_PROGRESS=yes HLRC_BIND=core; do
    run env $variable "${limit[@]}" srun --mpi=pmix -w h2 -N 1 -n 3 "$is" -c S
    test "$status" -ne 0 || fail "$variable: status 0"
    expect_our_line "$variable" "^hlrc: node [0-2]: $variable: for hlrcrun, and not done by the launcher of this job: "
done
run env HLRC_NO_ASLR=1 "${limit[@]}" srun --mpi=pmix -w h2 -N 1 -n 3 "$is" -c S
test "$status" -ne 0 || fail "HLRC_NO_ASLR: status 0"
expect_our_line "HLRC_NO_ASLR" "--no-aslr: program and library have other addresses here than on node .*'setarch -R'"

# ends; srun's status is the highest of all tasks, and those that it kills have 137
over() { # WHAT STATUS
    test "$status" = "$2" || expect_status "$1" 137
    expect_quick "$1"
    until_true 60 nothing_left || fail "$1: processes left"
}
nothing_left() {
    ! pgrep -x bootprobe
}
run "${limit[@]}" $both "$probe" 3 fatal 5
over "fatal" 5
expect_our_line "fatal" '^hlrc: node 3: something fatal happened$'
run "${limit[@]}" $both "$probe" 1 exit 3
over "exit" 3
test -z "$(our_lines)" || fail "exit: survivors complain: $(our_lines)"
run "${limit[@]}" $both "$probe" 2 kill 9
over "kill" 137
test -z "$(our_lines)" || fail "kill: survivors complain: $(our_lines)"
run "${limit[@]}" $both "$probe" 0 leave
test "$status" -ne 0 || fail "no goodbye: status 0"

run "${limit[@]}" "$hlrcrun" --hosts h1:1,h2:3 -n 3 --protocol async "$probe" exchange 1000 2
expect_status "--hosts" 0
expect_our_line "--hosts" '^hlrcrun: srun starts the 3 nodes: srun --mpi=pmix .* -w h1,h2,h2 '
run "${limit[@]}" "$hlrcrun" --hosts h1:1,h2:3 -n 3 hostname
test "$(sort "$work/out" | uniq -c | tr -s ' \n' ' ')" = ' 1 h1 2 h2 ' || fail "places: $(cat "$work/out" "$work/err")"
run "${limit[@]}" "$hlrcrun" --hosts h2:2 --protocol async "$is" -c S
expect_verified "--hosts, one host" 2
finish
