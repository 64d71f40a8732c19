# SPDX-License-Identifier: LGPL-2.1-or-later
# mpirun starts the binaries that hlrcrun starts, on one host: they compute, exchange, fail and die as there.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../statslib.sh"
. "$(dirname "$0")/../tracelib.sh"
export work
need_mpirun
limit=("$within" 40)

for protocol in ardmar async; do
    run "${limit[@]}" mpirun -n 4 -x HLRC_PROTOCOL=$protocol "$is" -c S
    expect_verified "is $protocol" 4
done
run "${limit[@]}" mpirun -n 1 "$is" -c S
expect_verified "one node" 1
run "${limit[@]}" mpirun -n 3 -x HLRC_STATS="$work/stats.json" "$is" -c S
expect_verified "statistics" 3
stats_read statistics "$work/stats.json" 3
grep -q '"nodes": *3' "$work/stats.json" || fail "statistics: $(head -c 300 "$work/stats.json")"

# a timeline: node 0 gathers it, in pieces of 64 KiB; node 2 has a clock of its own where that can be
traced=$top_builddir/tests/launch/traced
unshare -T --fork --monotonic 86400 true 2>/dev/null && clock="unshare -T --fork --monotonic 86400" || clock=exec
for fabric in shm shm+chaos; do
    run "${limit[@]}" mpirun -n 3 -x HLRC_TRACE="$work/trace.json" -x HLRC_STATS="$work/stats.json" -x HLRC_FABRIC=$fabric \
        sh -c 'test "$PMIX_RANK" -ne 2 || exec $1 "$0" many; exec "$0" many' "$traced" "${clock#exec}"
    expect_status "timeline, $fabric" 0
    error=$(sed -n 's/.*"clock_error_ns":\([0-9]*\).*/\1/p' "$work/trace.json" | sort -n | tail -n 1)
    trace_check "timeline, $fabric" "$work/trace.json" "$work/stats.json" "${error:-0}"
    grep -q '^2 lock 10[0-9]*$' "$work/names" || fail "timeline, $fabric: $(cat "$work/names")"
done

# a file that cannot be written is refused at the start; of a job that fails there is what node 0 had counted
run "${limit[@]}" mpirun -n 3 -x HLRC_STATS="$work/none/x.json" "$is" -c S
expect_status "statistics nowhere" 1
expect_our_line "statistics nowhere" "^hlrc: node 0: --stats=$work/none/x.json: No such file or directory; give a file in"
test ! -s "$work/out" || fail "statistics nowhere: began: $(cat "$work/out")"
figures=$top_builddir/tests/blackbox/figures
counted() {
    stats_from_json "$work/stats.json" >"$work/figures"
    test "$(figure lock_acquires)" = 1
}
if test -x "$figures"; then
    cd "$work" || exit 99
    begin mpirun -n 3 -x HLRC_STATS=stats.json "$figures" end wait
    until_true 60 test -e ready || fail "nodes did not start: $(cat "$work/err")"
    grep -q '"complete": false, "per_node": \[' stats.json || fail "while it runs: $(head -c 300 stats.json)"
    until_true 30 counted || fail "while it runs: $(cat stats.json)"
    kill -TERM "$launcher"
    end
    expect_nothing_left "statistics of a job that fails"
    counted || fail "statistics of a job that fails: $(cat stats.json)"
    test -z "$(ls | grep tmp$ | grep -vx tmp)" || fail "left: $(ls)"
fi

# blobs of every size: none, one piece, many, the largest
for size in 0 1 32768 32769 1048576; do
    run "${limit[@]}" mpirun -n 4 "$probe" exchange $size 2
    expect_status "exchange of $size bytes" 0
done

# the rules of the memory model: the litmus programs take this for hlrcrun, -n N --protocol P PROGRAM
cat >"$work/as-hlrcrun" <<'SHIM'
#!/bin/sh
exec mpirun -n "$2" -x HLRC_PROTOCOL="$4" -x HLRC_LAUNCH_FD= "$5"
SHIM
chmod +x "$work/as-hlrcrun"
for program in rule03_causality rule05_merge rule07_home; do
    run env HLRCRUN="$work/as-hlrcrun" LITMUS_NODES=3 "${limit[@]}" "$top_builddir/tests/litmus/$program"
    expect_status $program 0
    test "$(grep -c ok "$work/out")" -eq 2 || fail "$program: $(cat "$work/out" "$work/err")"
done

# ends: the cause once, the status as mpirun gives it, nothing left
over() { # WHAT STATUS
    expect_status "$1" "$2"
    expect_quick "$1"
    expect_nothing_left "$1"
}
run "${limit[@]}" mpirun -n 4 "$probe" 2 fatal 5
over "fatal" 5
expect_our_line "fatal" '^hlrc: node 2: something fatal happened$'
run "${limit[@]}" mpirun -n 4 "$probe" 1 report 4
over "report" 4
expect_our_line "report" '^hlrc: node 1: something went wrong at 1$'
run "${limit[@]}" mpirun -n 4 "$probe" 3 mix
over "other length" 1
expect_our_line "other length" 'node [0-9] sends another number of bytes'
run "${limit[@]}" mpirun -n 4 -x HLRC_PROTOCOL=onesidded "$probe" exchange 1 1
over "wrong everywhere" 1
expect_our_line "wrong everywhere" 'HLRC_PROTOCOL=onesidded: no such choice'
run "${limit[@]}" mpirun -n 4 -x HLRC_PROTOCL=async "$probe" exchange 1 1
over "a variable that means nothing" 1
expect_our_line "a variable that means nothing" \
    '^hlrc: node [0-3]: HLRC_PROTOCL=async: no such option; did you mean HLRC_PROTOCOL\?$'
run "${limit[@]}" mpirun -n 4 "$probe" 2 exit 3
over "exit" 3
test -z "$(our_lines)" || fail "exit: survivors complain: $(our_lines)"
run "${limit[@]}" mpirun -n 4 "$probe" 0 kill 9
over "kill" 137
test -z "$(our_lines)" || fail "kill: survivors complain: $(our_lines)"
run "${limit[@]}" mpirun -n 4 "$probe" 2 leave
over "no goodbye" 1
if test -z "${HLRC_TEST_SANITIZERS-}"; then # which take SIGSEGV for themselves
    run "${limit[@]}" mpirun -n 4 "$probe" 1 segv
    over "segv" 139
    expect_our_line "segv" '^hlrc: node 1: SIGSEGV at 0x10'
    run "${limit[@]}" mpirun -n 2 "$top_builddir/tests/launch/faulty" fail
    over "segv of a program" 139
    expect_our_line "segv of a program" '^hlrc: node 1, thread 0: SIGSEGV at 0x10: not shared memory: read through a NULL pointer$'
    grep -qE '^hlrc: node 1: #0 (follow|main)' "$work/err" || fail "segv of a program: no stack: $(cat "$work/err")"
fi

# what only a launcher can do is refused, with the name that it has there
cannot() { # VARIABLE=VALUE WHAT
    run "${limit[@]}" mpirun -n 3 -x "$1" "$is" -c S
    over "$1" 1
    expect_our_line "$1" "^hlrc: node [0-2]: $1: for hlrcrun, and not done by the launcher of this job: $2\$"
}
cannot HLRC_LABEL=yes 'mpirun --tag-output and srun --label begin lines with their node'
cannot HLRC_PROGRESS=yes 'only hlrcrun shows it, on one machine; unset it'
cannot HLRC_BIND=core 'mpirun --bind-to and srun --cpu-bind bind nodes'
# equal addresses, with setarch; without, nodes see that they have not got them
run "${limit[@]}" mpirun -n 3 -x HLRC_NO_ASLR=1 "$is" -c S
over "HLRC_NO_ASLR" 1
expect_our_line "HLRC_NO_ASLR" "^hlrc: node [0-2]: --no-aslr: program and library have other addresses here than on node \
[0-2]; under mpirun and srun, write 'setarch -R' before the program and set the same ulimit -s on all nodes\$"
if setarch -R true 2>/dev/null; then
    run "${limit[@]}" mpirun -n 3 -x HLRC_NO_ASLR=1 setarch -R "$is" -c S
    expect_verified "HLRC_NO_ASLR, setarch" 3
fi

# a job that stands still, and --timeout: node 0 tells what hlrcrun tells there, and ends the job
says() { # WHAT: the lines of standard input are ours, but for the seconds
    cat >"$work/wanted"
    our_lines | sed -E 's/since [0-9]+\.[0-9] s /since S s /' >"$work/said"
    cmp -s "$work/wanted" "$work/said" || fail "$1: $(diff "$work/wanted" "$work/said")"
}
hang=$top_builddir/tests/blackbox/hang
if test -x "$hang" -a -z "${HLRC_TEST_SANITIZERS-}"; then
    "${limit[@]}" mpirun -n 2 -x HLRC_TIMEOUT=8 "$hang" half >"$work/half" 2>&1 &
    run "${limit[@]}" mpirun -n 3 "$hang" abba
    expect_status "deadlock" 123
    says "deadlock" <<'END'
hlrc: node 0 thread 0 waits since S s for lock 1 held by node 1
hlrc: node 1 thread 0 waits since S s for lock 2 held by node 2
hlrc: node 2 thread 0 waits since S s for lock 0 held by node 0
hlrc: node 0: deadlock: node 0 waits for lock 1 held by node 1, which waits for lock 2 held by node 2, which waits for lock 0 held by node 0
END
    wait $!
    status=$?
    cp "$work/half" "$work/err"
    expect_status "HLRC_TIMEOUT" 124
    says "HLRC_TIMEOUT" < <(half_said hlrc "node 0: the job takes longer than --timeout 8")
fi

begin_mpirun() {
    begin mpirun -n "$1" "$probe" wait
    until_true 60 ready "$1" || fail "nodes did not start: $(cat "$work/err")"
}
begin_mpirun 4
kill -9 "$(pid_of 2)"
end
over "kill of a node from outside" 137
test -z "$(our_lines)" || fail "kill of a node: survivors complain: $(our_lines)"
begin_mpirun 3
kill -9 "$launcher"
end
over "kill of mpirun" 137
begin_mpirun 3
kill -TERM "$launcher"
end
expect_quick "SIGTERM to mpirun"
expect_nothing_left "SIGTERM to mpirun"

# a program in a script is a node; hlrcrun there begins jobs of its own; what is left of a job that is gone is none
run "${limit[@]}" mpirun -n 2 sh -c "true; $is -c S; exit \$?"
expect_verified "in a script" 2
run "${limit[@]}" mpirun -n 2 "$hlrcrun" -n 3 "$probe" exchange 10 1
expect_status "hlrcrun in mpirun" 0
run "${limit[@]}" env PMIX_NAMESPACE=gone PMIX_RANK=0 "$probe" exchange 10 1
expect_status "variables of a job that is gone" 0
run "${limit[@]}" env PMIX_NAMESPACE=gone PMIX_RANK=0 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 "$probe" exchange 10 1
expect_status "a job of several that is gone" 1
expect_our_line "a job of several that is gone" 'OMPI_COMM_WORLD_SIZE=4, but these processes do not know each other'

# --hosts hands over to it, when there is no Slurm
if ! srun --mpi=list >/dev/null 2>&1; then
    run "${limit[@]}" "$hlrcrun" --hosts "$(hostname):4" --protocol async --label "$is" -c S
    expect_status "--hosts" 0
    expect_our_line "--hosts" '^hlrcrun: mpirun starts the 4 nodes: mpirun .*-n 4 --host [^ ]*:4 .*-x HLRC_PROTOCOL .*/is -c S$'
    grep -q 'nodes  *4, protocol async' "$work/out" || fail "--hosts: $(cat "$work/out")"
    printf '# this one\n%s slots=5\n' "$(hostname)" >"$work/hosts"
    mkdir "$work/dir"
    run "${limit[@]}" "$hlrcrun" -np 3 --hostfile "$work/hosts" -wdir "$work/dir" --no-aslr -x MARK=new sh -c \
        'echo "$(basename "$PWD") $MARK"; exec "$0" -c S' "$is"
    expect_status "--hostfile" 0
    test "$(grep -c '^dir new$' "$work/out")" -eq 3 || fail "--hostfile: $(cat "$work/out")"
    grep -q 'nodes  *3' "$work/out" || fail "--hostfile: $(cat "$work/out")"

    # with --restarts it stays, and continues a job after a node was killed, but not after it has failed
    saved=$top_builddir/tests/blackbox/saved
    once=("$hlrcrun" --hosts "$(hostname):2" --checkpoint "0:$work/saves" --restarts 1 "$saved" 12)
    run "${limit[@]}" "${once[@]}" kill=5
    expect_status "--restarts" 0
    grep -q "^hlrcrun: continues from checkpoint 6 in $work/saves; restarts left: 0\$" "$work/err" || fail "--restarts: $(cat "$work/err")"
    grep -q '^restored 5$' "$work/out" || fail "--restarts: $(cat "$work/out")"
    rm -r "$work/saves"
    run "${limit[@]}" "${once[@]}" leave=5
    expect_status "--restarts, a node that has failed" 3
    rm -r "$work/saves"
    begin "${once[@]}" wait=5
    until_true 60 grep -q waits "$work/out" || fail "--resize: $(cat "$work/err")"
    "$hlrcrun" --resize 3 "$launcher" 2>"$work/said" && fail "--resize: status 0"
    grep -q '^hlrcrun: --resize: not resized from 2 to 3 nodes: the hosts have places for 1 to 2$' "$work/said" || fail "--resize: $(cat "$work/said")"
    kill -TERM "$launcher"
    end
    ! grep continues "$work/err" || fail "--restarts, SIGTERM: $(cat "$work/err")"
    expect_nothing_left "--restarts, SIGTERM"
fi
run "$hlrcrun" --hosts h1:2,h2:0 true
expect_status "--hosts h2:0" 2
expect_line "--hosts h2:0" '^hlrcrun: --hosts h2:0: not a host; give NAME or NAME:NODES'
run "$hlrcrun" -n 4 --hosts h1:2,h2 true
expect_status "--hosts, too few" 2
expect_line "--hosts, too few" '^hlrcrun: --nodes 4: the hosts have slots for 3'
run "$hlrcrun" --hosts h1:2 --gdb 0 true
expect_status "--hosts --gdb" 2
expect_line "--hosts --gdb" '^hlrcrun: --gdb: works on this machine only'
run env PATH="$work" "$hlrcrun" --hosts h1:2 true
expect_status "--hosts, no launcher" 127
expect_line "--hosts, no launcher" 'neither srun .* nor mpirun .* nor prterun works here; install one'
finish
