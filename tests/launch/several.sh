# SPDX-License-Identifier: LGPL-2.1-or-later
# Several nodes of a job fail: its status, and its one line, are those of the first. The order is made by what nodes
# wait for: that the others are ready, that hlrcrun asks them to end, or that it has reaped another node. Where two ends
# are to be seen at once, hlrcrun is stopped until both processes are zombies.
. "$(dirname "$0")/lib.sh"
export work

# node.sh FIRST HOW OTHERS: node FIRST waits until the others are ready, then does HOW; these do OTHERS when they are asked to end.
cat >"$work/node.sh" <<'END'
first=$1 how=$2 others=$3
echo $$ >$work/pid.$HLRC_NODE.new && mv $work/pid.$HLRC_NODE.new $work/pid.$HLRC_NODE
count() { ls $work | grep -c '^ready\.'; }
if [ $HLRC_NODE = $first ]; then
    while [ $(count) -lt $((${nodes-3} - 1)) ]; do sleep 0.02; done
    eval "$how"
fi
trap "$others" TERM
touch $work/ready.$HLRC_NODE
while :; do sleep 0.02; done
END

clear() {
    rm -f "$work"/ready.* "$work"/pid.* "$work"/go.* "$work"/did.*
}

# the first failure counts, whatever the others do when they are asked to end, and whichever node it is
did='touch $work/did.$HLRC_NODE;'
for first in 0 1 2; do
    for case in 'exit 7;7;exit 9;exited with status 7' 'exit 7;7;kill -SEGV $$;exited with status 7' \
        'exit 255;255;exit 1;exited with status 255' 'kill -KILL $$;137;exit 9;was killed by signal 9' \
        'kill -ABRT $$;134;kill -SEGV $$;was killed by signal 6'; do
        IFS=';' read -r how wanted others line <<<"$case"
        clear
        run "$hlrcrun" -n 3 sh "$work/node.sh" $first "$how" "$did $others"
        expect_status "node $first: $how, others: $others" "$wanted"
        expect_line "node $first: $how, others: $others" "^hlrcrun: node $first \(pid [0-9]+\) $line"
        test "$(ls "$work" | grep -c '^did')" -eq 2 || fail "node $first: $how: the others did not fail themselves"
        expect_nothing_left "node $first: $how"
    done
done

# node 0 fails last, when hlrcrun has reaped all others
clear
last='if [ $HLRC_NODE = 0 ]; then
        for k in 1 2; do while kill -0 $(cat $work/pid.$k) 2>/dev/null; do sleep 0.01; done; done
        touch $work/did.0; exit 8
    fi; exit 9'
run "$hlrcrun" -n 3 sh "$work/node.sh" 2 'exit 3' "$last"
expect_status "node 0 last" 3
expect_line "node 0 last" '^hlrcrun: node 2 \(pid [0-9]+\) exited with status 3'
test -e "$work/did.0" || fail "node 0 last: it was ended before the others had been reaped"

# others that do not end are killed: the status stays
clear
run "$hlrcrun" -n 3 sh "$work/node.sh" 1 'exit 3' ''
expect_status "others that stay" 3
expect_nothing_left "others that stay"

# nodes that end well before are no failure, node 0 among them
for well in 0 1; do
    clear
    nodes=3 well=$well run "$hlrcrun" -n 4 sh -c 'test $HLRC_NODE != $well || { echo $$ >$work/pid.new; mv $work/pid.new $work/pid.well; exit 0; }
        while ! test -s $work/pid.well; do sleep 0.02; done
        while kill -0 $(cat $work/pid.well) 2>/dev/null; do sleep 0.02; done
        exec sh $work/node.sh 3 "exit 5" "exit 6"'
    expect_status "node $well ends well" 5
    expect_line "node $well ends well" '^hlrcrun: node 3 \(pid [0-9]+\) exited with status 5'
done

# two ends that hlrcrun sees at once, in either order
at_once() { # WANTED NODE LINE FIRST HOW SECOND HOW
    local what="node $4: $5, then node $6: $7"
    clear
    begin "$hlrcrun" -n 3 sh -c 'echo $$ >$work/pid.new.$HLRC_NODE; mv $work/pid.new.$HLRC_NODE $work/pid.$HLRC_NODE; echo ready
        while ! test -e $work/go.$HLRC_NODE; do sleep 0.01; done
        . $work/go.$HLRC_NODE'
    until_true 60 ready 3 || fail "$what: nodes did not start"
    kill -STOP "$launcher"
    until_true 60 state_is "$launcher" T || fail "$what: hlrcrun does not stop"
    go "$4" "$5"
    go "$6" "$7"
    kill -CONT "$launcher"
    end
    expect_status "$what" "$1"
    expect_line "$what" "^hlrcrun: node $2 \(pid [0-9]+\) $3"
    expect_nothing_left "$what"
}
state_is() { # PID LETTER
    test "$(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null)" = "$2"
}
go() { # NODE HOW
    local pid
    pid=$(cat "$work/pid.$1")
    echo "$2" >"$work/go.new"
    mv "$work/go.new" "$work/go.$1"
    until_true 60 state_is "$pid" Z || fail "node $1 does not end"
}
at_once 5 2 'exited with status 5' 2 'exit 5' 1 'exit 6'
at_once 6 1 'exited with status 6' 1 'exit 6' 2 'exit 5'
at_once 5 1 'exited with status 5' 1 'exit 5' 0 'exit 6'
at_once 137 2 'was killed by signal 9' 2 'kill -KILL $$' 0 'kill -SEGV $$'
at_once 139 0 'was killed by signal 11' 0 'kill -SEGV $$' 2 'kill -KILL $$'
at_once 134 1 'was killed by signal 6' 1 'kill -ABRT $$' 0 'exit 4'
at_once 134 1 'was killed by signal 6' 0 'exit 4' 1 'kill -ABRT $$'
at_once 4 2 'exited with status 4' 0 'exit 0' 2 'exit 4'

# a finalized node that has failed keeps the status, though another is killed later
for first in 1 2; do
    clear
    first=$first run "$hlrcrun" -n 3 sh -c 'exec 2>/dev/null; "$probe" exchange 1 1 || exit 9
        case $HLRC_NODE in
        0) exit 0 ;;
        $first) echo $$ >$work/pid.new; mv $work/pid.new $work/pid.first; exit 4 ;;
        esac
        while ! test -s $work/pid.first; do sleep 0.02; done
        while kill -0 $(cat $work/pid.first) 2>/dev/null; do sleep 0.02; done
        kill -KILL $$'
    expect_status "node $first fails, then another is killed" 4
done

# a signal to hlrcrun replaces all of these
clear
begin "$hlrcrun" -n 2 sh -c 'trap "exit 6" TERM; echo ready; while :; do sleep 0.02; done'
until_true 60 ready 2 || fail "nodes did not start"
kill -TERM "$launcher"
end
expect_status "SIGTERM to hlrcrun" 143
expect_line "SIGTERM to hlrcrun" '^hlrcrun: ended by signal 15 '
begin "$hlrcrun" -n 2 sh -c 'trap "exit 6" TERM; echo ready; while :; do sleep 0.02; done'
until_true 60 ready 2 || fail "nodes did not start"
kill -KILL "$launcher"
end
expect_status "SIGKILL to hlrcrun" 137
expect_nothing_left "SIGKILL to hlrcrun"
finish
