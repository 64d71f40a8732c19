# SPDX-License-Identifier: LGPL-2.1-or-later
# Jobs on two hosts of four lose random nodes and hosts at random moments, within checkpoints and restarts as well; half of
# them have their checkpoints only in memory. Each ends with the result of a job that was not interrupted, or with one line
# where nothing is left to continue from. KILLS_JOBS: jobs; KILLS_SEED.
. "$(dirname "$0")/hosts_lib.sh"
hosts_isolate "$0"
. "$(dirname "$0")/lib.sh"
need_mpirun
saved=$top_builddir/tests/blackbox/saved
test -x "$saved" || skip "$saved is not built"
hosts_up "$work"
echo '10.77.0.4 h4' >>"$work/etc-hosts"
host_up h3 3
host_up h4 4
on h1 "$(realpath "$hlrc_info")" | grep -q '^  ofi  *available' || skip "no libfabric (libfabric1), or it is left out of this build"
cd "$work" || exit 99
export HLRC_PEER_TIMEOUT=3 HLRC_PROTOCOL=ardmar
seed=${KILLS_SEED:-$$} jobs=${KILLS_JOBS:-4} refused=0 continued=0
RANDOM=$seed
down=
run "$hlrcrun" -n 4 "$saved" 150
plain=$(grep ^grid out)

host_kill() {
    local host=h$((1 + RANDOM % 4))
    case " $down " in *" $host "*) return ;; esac
    host_down $host
    down="$down $host"
}
node_kill() {
    local all
    read -ra all <<<"$(left | while read -r pid; do test "$(cat "/proc/$pid/comm" 2>/dev/null)" = saved && echo "$pid"; done | tr '\n' ' ')"
    test ${#all[@]} = 0 || kill -9 "${all[RANDOM % ${#all[@]}]}" 2>/dev/null
}
something_kill() {
    sleep "$1.$((RANDOM % 10))"
    if test $((RANDOM % 2)) = 0; then host_kill; else node_kill; fi
}
is_freed() {
    local host
    for host in h1 h2 h3 h4; do
        case " $down " in *" $host "*) continue ;; esac
        test -z "$(on $host find /dev/shm -maxdepth 1 -name 'hlrc-*')" || return 1
    done
}

for ((turn = 1; turn <= jobs; turn++)); do
    what="seed $seed, job $turn"
    for host in $down; do host_up "$host" "${host#h}"; done
    for host in $down; do until_true 20 reaches "$host" login || fail "$what: $host is not back"; done
    down=
    rm -rf dir
    options=(--checkpoint 0:dir --restarts 10)
    test $((RANDOM % 2)) = 0 || options+=(--partner on)
    begin "$hlrcrun" "${options[@]}" -n 4 --hosts h1:2,h2:2,h3:2,h4:2 "$saved" 150 slow private
    something_kill $((1 + RANDOM % 3))
    something_kill $((RANDOM % 2))
    end
    continued=$((continued + $(grep -c '^hlrcrun: continues ' err)))
    if test "$status" != 0 && grep -qE 'not continued: .*(no checkpoint of this job|in memory is lost|no place is left)' err; then
        refused=$((refused + 1))
    elif test "$status" != 0 || test "$(grep ^grid out | tail -n 1)" != "$plain"; then
        fail "$what: status $status: $(tail -n 5 err) $(tail -n 2 out)"
    fi
    expect_nothing_left "$what"
    until_true 10 is_freed || fail "$what: not freed: $(find /dev/shm -name 'hlrc-*')"
done
echo "note: $jobs jobs, continued $continued times, $refused refused"
finish
