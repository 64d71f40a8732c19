# SPDX-License-Identifier: LGPL-2.1-or-later
# Nodes that do not belong together refuse to start: one line names the version or the option, and the nodes. Options
# that concern a node alone may differ.
. "$(dirname "$0")/lib.sh"
export stranger=$(realpath "$top_builddir/tests/launch/stranger")
export program=$(realpath "$top_builddir/tests/blackbox/figures")
for variable in ${!HLRC_@}; do
    test $variable = HLRC_TEST_SANITIZERS || unset $variable
done

# mixed COMMAND: a job of three nodes, of which node 1 runs COMMAND
mixed() {
    what="node 1: $*"
    command=$* run "$within" 30 "$hlrcrun" -n 3 \
        sh -c 'test "$HLRC_NODE" != 1 || eval "exec $command"; exec "$program"'
    test "$status" != 124 || { fail "$what: hangs"; finish; }
}

# A node that finds another unlike itself: 0 or 2 speaks of 1, or 1 of another.
refused() { # PATTERN, in which HERE and THERE are the nodes
    local here there
    expect_status "$what" 1
    expect_nothing_left "$what"
    read -r here there < <(sed -nE 's/^hlrc: node ([0-2]): .*node ([0-2]).*/\1 \2/p' "$work/err")
    test "$here$there" = 01 -o "$here$there" = 21 -o "$here$there" = 10 || fail "$what: nodes '$here', '$there'"
    expect_line "$what" "^hlrc: node $here: $(echo "$1" | sed "s/THERE/$there/")$"
}

mixed '"$program"'
expect_status "like nodes" 0

# every option on which nodes must agree; what cannot be given, by one who pretends
while read -r option value; do
    variable=HLRC_$(echo "$option" | tr a-z- A-Z_)
    case $option in
    nodes | diffs | notices | locks | barrier) ;;
    *)
        mixed "env $variable=$value \"\$program\""
        refused "option $option differs between this node and node THERE; set it for all nodes alike"
        ;;
    esac
    mixed "\"\$stranger\" option $option $value"
    refused "option $option differs between this node and node 1; set it for all nodes alike"
done <<END
nodes 2
protocol async
pages async
diffs write
notices read
locks mcs
barrier counter
fabric shm+chaos
memory 1028M
stats -
threads 65
peer-timeout 6
END

# those that concern one node
for setting in HLRC_HANDLER=poll HLRC_SPIN=7 HLRC_BIND=none HLRC_LABEL=yes HLRC_PROGRESS=yes HLRC_DEVICE=none:1 \
    HLRC_NO_ASLR=yes HLRC_GDB=1 HLRC_HOSTS=a:3 HLRC_SIGNALS=mask HLRC_WATCHDOG=60; do
    mixed "env $setting \"\$program\""
    expect_status "$setting" 0
    test ! -s "$work/err" || fail "$setting: $(cat "$work/err")"
done

# another version, another machine
mixed '"$stranger" version 0.0.9'
refused 'this node runs version [0-9.]+, node 1 version 0.0.9; start the same build everywhere'
mixed '"$stranger" page 65536'
refused 'pages have 4096 bytes here and 65536 on node 1; use machines with one page size'

# what is said to hlrcrun itself
ended() { # PATTERN
    expect_status "$what" 1
    expect_nothing_left "$what"
    expect_line "$what" "^hlrcrun: node 1 $1$"
}
mixed '"$stranger" hello 99'
ended 'uses version 99 of the launch protocol, hlrcrun uses version [0-9]+; use the hlrcrun that was installed .*'
mixed '"$stranger" hello 0'
ended 'uses version 0 of the launch protocol, .*'
mixed '"$stranger" type 77'
ended 'sent a message of unknown type 77; use the hlrcrun that was installed with the library'
mixed '"$stranger" piece 64 32'
ended '(sent an unexpected message|sends 64 bytes in a collective exchange).*'
mixed '"$stranger" piece 2000000000 0'
ended 'sent an unexpected message; check that nothing else writes to descriptor HLRC_LAUNCH_FD'
run "$within" 30 "$hlrcrun" -n 1 sh -c '"$probe" wait & "$probe" wait & wait'
sed -i '/^Terminated$/d' "$work/err" # by the shell
expect_status "two processes" 1
expect_nothing_left "two processes"
expect_line "two processes" \
    '^hlrcrun: node 0 calls hlrc_init in two processes \(pids [0-9]+ and [0-9]+\); run one of them without'
finish
