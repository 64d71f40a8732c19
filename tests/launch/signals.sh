# SPDX-License-Identifier: LGPL-2.1-or-later
# What decides when several things end a job: the first failure gives the status, the first signal asks and the second
# kills, one line is said, and who dumps core has the time for it. No moment is measured: hlrcrun is stopped while its
# signals and the ends of nodes gather, and acts on all of them at once.
. "$(dirname "$0")/lib.sh"
export work

# A node that takes a while to save when it is asked to end; and says that it was asked. Not by SIGINT, which a job in
# the background of a script ignores.
cat >"$work/saver.sh" <<'END'
trap 'touch $work/asked.$HLRC_NODE; sleep ${1-0}; touch $work/saved.$HLRC_NODE; exit 0' HUP TERM
echo ready
while :; do sleep 0.02; done
END

state_is() { # PID LETTER
    test "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)" = "$2"
}

saved() {
    (cd "$work" && ls -- "$1".* 2>/dev/null | wc -l)
}

asked() {
    test "$(saved asked)" -eq "$1"
}

hold() {
    rm -f "$work"/asked.* "$work"/saved.*
    until_true 60 ready "$1" || fail "nodes did not start: $(cat "$work/err")"
    kill -STOP "$launcher"
    until_true 60 state_is "$launcher" T || fail "hlrcrun does not stop"
}

# one signal: the nodes are asked, and may save
begin "$hlrcrun" -n 2 sh "$work/saver.sh"
hold 2
kill -HUP "$launcher"
kill -CONT "$launcher"
end
expect_status "one signal" 129
expect_line "one signal" '^hlrcrun: ended by signal 1 \(Hangup\)$'
test "$(saved saved)" -eq 2 || fail "one signal: $(saved saved) nodes saved"

# a second one, whichever it is, does not wait for them; what is said and returned is the first's
begin "$hlrcrun" -n 2 sh "$work/saver.sh" 0.7
hold 2
kill -HUP "$launcher"
kill -TERM "$launcher"
kill -CONT "$launcher"
end
expect_status "two signals" 129
expect_line "two signals" '^hlrcrun: ended by signal 1 '
expect_nothing_left "two signals"
test "$(saved saved)" -eq 0 || fail "two signals: nodes had the time to save"

# neither does one that comes while a job ends for another reason
begin "$hlrcrun" -n 3 sh -c 'test $HLRC_NODE = 1 || exec sh $work/saver.sh 0.4
    echo ready
    while ! test -e $work/go; do sleep 0.02; done
    exit 6'
until_true 60 ready 3 || fail "nodes did not start"
rm -f "$work"/asked.* "$work"/saved.*
touch "$work/go"
until_true 60 asked 2 || fail "a death, then a signal: $(saved asked) nodes were asked to end"
kill -INT "$launcher" 2>/dev/null
end
expect_status "a death, then a signal" 6
expect_line "a death, then a signal" '^hlrcrun: node 1 \(pid [0-9]+\) exited with status 6; ending the job$'
expect_nothing_left "a death, then a signal"
rm -f "$work/go"

# hlrcrun has spoken, and is killed then: its guard ends the rest, and adds nothing
begin "$hlrcrun" -n 2 sh "$work/saver.sh" 60
until_true 60 ready 2 || fail "nodes did not start"
rm -f "$work"/asked.* "$work"/saved.*
kill -TERM "$launcher"
until_true 60 asked 2 || fail "SIGTERM, then SIGKILL: the nodes were not asked"
kill -KILL "$launcher" 2>/dev/null
end
test "$status" -eq 137 -o "$status" -eq 143 || fail "SIGTERM, then SIGKILL: status $status"
expect_nothing_left "SIGTERM, then SIGKILL"
expect_line "SIGTERM, then SIGKILL" '^hlrcrun: ended by signal 15 '

# nohup's SIGHUP stays ignored; an ignored SIGINT, as a script's background job has it, does not
begin sh -c 'trap "" HUP; exec "$hlrcrun" -n 2 "$probe" wait'
hold 2
kill -HUP "$launcher"
kill -TERM "$launcher"
kill -CONT "$launcher"
end
expect_status "nohup" 143
expect_line "nohup" '^hlrcrun: ended by signal 15 '
begin sh -c 'trap "" INT; exec "$hlrcrun" -n 2 "$probe" wait'
hold 2
kill -INT "$launcher"
kill -CONT "$launcher"
end
expect_status "SIGINT ignored" 130

# a node that is killed, and others that fail because of it, all seen at once: the kill is the cause
begin "$hlrcrun" -n 3 sh -c 'echo ready $$; while ! test -e $work/go.$HLRC_NODE; do sleep 0.02; done; exit 5'
hold 3
pids=$(sed -n 's/^ready //p' "$work/out")
for pid in $pids; do
    case $(tr '\0' '\n' <"/proc/$pid/environ" | sed -n 's/^HLRC_NODE=//p') in
    0) early=$pid ;;
    2) late=$pid ;;
    esac
done
touch "$work/go.0"
until_true 60 state_is "$early" Z || fail "node 0 does not end"
kill -KILL "$late"
until_true 60 state_is "$late" Z || fail "node 2 does not end"
kill -CONT "$launcher"
end
expect_status "killed, and failed" 137
expect_line "killed, and failed" "^hlrcrun: node 2 \(pid $late\) was killed by signal 9"

# nodes that have finalized may end as they will: the first status counts, and nothing is said
for first in 1 2; do
    rm -f "$work/first"
    run env first=$first "$hlrcrun" -n 3 sh -c '"$probe" exchange 1 1 || exit 9
        case $HLRC_NODE in
        0) exit 0 ;;
        $first) echo $$ >$work/first.tmp; mv $work/first.tmp $work/first; exit 4 ;;
        esac
        while ! test -s $work/first; do sleep 0.02; done
        while kill -0 $(cat $work/first) 2>/dev/null; do sleep 0.02; done # until hlrcrun has reaped it
        exit 3'
    expect_status "node $first fails first" 4
    test ! -s "$work/err" || fail "node $first fails first: $(cat "$work/err")"
done
# (a shell whose program was ended with the job may say so)
run "$hlrcrun" -n 2 sh -c 'exec 2>/dev/null; "$probe" exchange 1 1; test $HLRC_NODE != 1 || kill -9 $$'
expect_status "killed after its end" 137
expect_line "killed after its end" '^hlrcrun: node 1 \(pid [0-9]+\) was killed by signal 9'

# a report's status is one that a process can have, and not 0
for pair in 0:1 -1:1 1:1 255:255 256:1 300:1; do
    run "$hlrcrun" -n 2 "$probe" 1 report ${pair%:*}
    expect_status "report ${pair%:*}" ${pair#*:}
done

# who reports a signal of its own dumps core, and is not asked to end meanwhile
HLRCTEST_FILE=$work/dumped run "$hlrcrun" -n 3 "$probe" 1 linger 134
expect_status "dumping" 134
expect_line "dumping" '^hlrc: node 1: something signalled$'
test -e "$work/dumped" || fail "dumping: the node was ended meanwhile"
expect_nothing_left "dumping"
finish
