#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# --advise (tools/profile_advise.c). Programs of C++ whose costly block, or lock, and its remedy are known: what is printed names
# the lines of the program, not of std::, and that remedy. The time that threads computed is compared with what the program says of
# its CPU time. Then a profile made by hand, with figures that are known exactly.
. "$(dirname "$0")/compatlib.sh"
command -v g++ >/dev/null || skip "no g++"
command -v addr2line >/dev/null || skip "no addr2line"
perl=${PERL:-perl}
source=advise.cc
for level in 0 2; do
    "$top_builddir/hlrc++" -fopenmp -O$level -g "$here/$source" -o "$work/advise$level" 2>"$work/err" ||
        fail "hlrc++ -O$level: $(head -3 "$work/err")"
done
line() { grep -n "/\* $1 \*/" "$here/$source" | tail -n "${2:-1}" | head -1 | cut -d: -f1; }
tell() { # WHAT PATTERN
    expect_err "$1" "^hlrc: advice: .*$2"
}

# Which of them is first depends on the load of the machine.
block="[1-3]\. [0-9.]+ s \([0-9]+ %\): CASE(\(\))?, $source:ALLOCATED, block of [0-9]+ bytes at 0x[0-9a-f]+"
# The advice is about time: on a busy machine most of it may be lost to other programs, and then the run is repeated.
advised() { # PATTERN CASE
    local tries
    for tries in 1 2 3 4 5; do
        run_job 2 ardmar --advise "$work/advise$level" "$2"
        ! grep -qE "^hlrc: advice: .*$1" "$work/err" || break
    done
}
costly() { # CASE ALLOCATED REMEDY
    local name=$1 what="$1, -O$level" expected=${block/CASE/$1}
    expected=${expected/ALLOCATED/$2}
    advised "$expected" "$name"
    expect_status "$what" 0
    tell "$what" "$expected"
    tell "$what" "$3"
    tell "$what" '2 nodes took [0-9.]+ s\. One node would have taken about [0-9.]+ s, .* divided by the [12] processors'
    tell "$what" 'time of the threads: computing [0-9]+ %, page faults [0-9]+ %, fetches [0-9]+ %, diffs [0-9]+ %, waiting for locks [0-9]+ %, for barriers [0-9]+ %\.$'
    ! grep -E 'std::|__gnu_cxx|profile: protocol' "$work/err" || fail "$what: more than advice"
    test "$(wc -l <"$work/err")" -le 25 || fail "$what: $(wc -l <"$work/err") lines"
}

for level in 0 2; do
    costly packed "$(line packed 2)" '4 pages with false sharing: .* 512 bytes apart: pad elements .* leave 0 of 4 shared pages shared'
    tell "packed, -O$level" "; written at packed(\(\))?.*, $source:$(line packed)"
    costly turns "$(line turns)" '5?[0-9]+ pages overwritten by alternating nodes\. .* of [0-9]+ diffs and [0-9]+ fetches, 0 and 0 would be left\.$'
    tell "turns, -O$level" '[1-3]\. .*; written at turns(\(\))? .*_omp_fn' # not where it was allocated and cleared
    costly readers "$(line readers)" '3[0-9] pages written by one node and read by others\. .* and 1[0-9]+ fetches, 0 and 0 would be left\.$'
    lock="[1-3]\. [0-9.]+ s \([0-9]+ %\): a lock acquired at hot(\(\))?.*, $source:$(($(line hot) - 1))"
    advised "$lock" hot
    tell "hot, -O$level" "$lock"
    tell "hot, -O$level" 'add up in private memory and take the lock once'
done

what="nothing costly"
# Placement control, too, lets it run on both nodes.
nothing='nothing to change: sharing cost [0-4]\.[0-9] % of the time of 2 threads on 2 nodes\.$'
HLRC_PLACEMENT_CONTROL=on HLRC_PROFILE=$work/profile.json advised "$nothing" quiet
expect_status "$what" 0
test "$(grep -c '^hlrc: advice: ' "$work/err")" = 1 || fail "$what: not one line: $(grep '^hlrc: advice: ' "$work/err" | head -3)"
tell "$what" "$nothing"
CPU=$(tail -1 "$work/out") JSON=$work/profile.json "$perl" -MJSON::PP -e '
    open my $in, "<", $ENV{JSON} or die; local $/; my $p = decode_json(<$in>);
    my ($computed, $most, $threads) = (0, 0, 0);
    for my $n (@{ $p->{by_node} }) {
        $computed += $n->{time}{compute};
        $threads += $n->{threads};
        $most = $n->{most_computed_seconds} if $n->{most_computed_seconds} > $most;
    }
    print "$computed s computed by $threads threads, $most s by one: $ENV{CPU} s of CPU time\n"
        if $computed > 1.1 * $ENV{CPU} || $computed < 0.8 * $ENV{CPU} || $most > 0.6 * $ENV{CPU} || $threads != 2;
' >"$work/said" || fail "$what: no profile"
test ! -s "$work/said" || fail "$what: $(cat "$work/said")"

what="one node"
run_job 1 ardmar --advise "$work/advise2" hot
expect_status "$what" 0
test "$(grep '^hlrc: ' "$work/err")" = "hlrc: advice: nothing to change: sharing cost 0.0 % of the time of 0 threads on 1 node." ||
    grep -qE '^hlrc: advice: nothing to change: sharing cost [0-9.]+ % of the time of [0-9]+ threads on 1 node\.$' "$work/err" ||
    fail "$what: $(head -3 "$work/err")"

# By hand: three nodes of 1 s, 2 s and 3 s of computing on a host of two processors. Block 0: written by node 0, read by two nodes.
# Block 1: two nodes overwrite it, the third only reads. Lock 7 is acquired at one line, from every node.
part() { # NODE SECONDS FETCHES DIFFS BYTES WRITTEN
    echo "{\"node\":$1,\"seconds\":$2,\"fetches\":$3,\"diffs\":$4,\"diff_bytes\":$5$6}"
}
written=',"written":[[0,4096]]'
node() { # NODE COMPUTE WAITS
    echo "{\"node\":$1,\"threads\":1,\"most_computed_seconds\":$2,\"barriers\":10,
        \"time\":{\"compute\":$2,\"faults\":0.25,\"fetches\":0.5,\"diffs\":0.25,\"locks\":0.5,\"barriers\":0.25},
        \"locks\":[{\"lock\":7,\"waits\":$3,\"from_others\":$3,\"seconds\":0.4,\"at\":\"work, a.c:3\"}]}"
}
block() { # WHERE
    echo "{\"kind\":\"heap\",\"where\":\"$1\",\"address\":\"0x1000\",\"bytes\":4096,\"written_at\":\"store, a.c:8\",\"by_node\":[]}"
}
cat >"$work/hand.json" <<END
{"format":"hlrc-profile","version":1,"nodes":3,"wall_seconds":4.5,"processors":2,
"by_node":[$(node 0 1 10),$(node 1 2 20),$(node 2 3 30)],
"blocks":[$(block 'one, a.c:1'),$(block 'two, a.c:2')],
"pages":[
{"block":0,"verdict":"not shared","by_node":[$(part 0 0.1 0 9 9000 "$written"),$(part 1 0.2 70 0 0 ''),$(part 2 0.2 30 0 0 '')]},
{"block":1,"verdict":"same bytes","by_node":[$(part 0 0.5 40 50 200000 "$written"),$(part 1 0.5 41 51 200000 "$written"),$(part 2 0.3 5 0 0 '')]}]}
END
cat >"$work/wanted" <<'END'
hlrc: advice: 3 nodes took 4.500 s. One node would have taken about 3.000 s, estimated as the 6.000 s that 3 threads computed on all nodes, divided by the 2 processors that one node would use, but at least the 3.000 s of one thread.
hlrc: advice: time of the threads: computing 53 %, page faults 7 %, fetches 13 %, diffs 7 %, waiting for locks 13 %, for barriers 7 %.
hlrc: advice: 1. 1.300000 s (12 %): two, a.c:2, block of 4096 bytes at 0x1000; written at store, a.c:8
hlrc: advice:    1 page overwritten by alternating nodes. Let one node write each page: the same schedule in all loops, and data in the order in which it is divided: of 101 diffs and 86 fetches, 0 and 5 would be left.
hlrc: advice: 2. 1.200000 s (11 %): a lock acquired at work, a.c:3
hlrc: advice:    60 waits, 60 of them for another node. Take it less often: let each thread add up in private memory and take the lock once at the end (one wait for each thread would be left), or set a flag for larger parts. Or use an atomic operation instead.
hlrc: advice: 3. 0.500000 s (4 %): one, a.c:1, block of 4096 bytes at 0x1000; written at store, a.c:8
hlrc: advice:    1 page written by one node and read by others. Let the node that reads a page write it, from its first touch on: initialise in parallel, with the same schedule: of 9 diffs and 100 fetches, 0 and 30 would be left.
hlrc: advice: as it is, sharing costs more than it gains: run it with -n 1. A program of hlrcc on one host needs only --placement-control on, and none of the options that observe nodes.
END
"$top_builddir/hlrc_profile" --advise "$work/hand.json" >"$work/out" || fail "by hand: status $?"
cmp -s "$work/out" "$work/wanted" || fail "by hand: $(diff "$work/out" "$work/wanted" | head -4)"
# Locks of the runtime: every frame of all waits is a library's.
sed 's/,"at":"work, a.c:3"//' "$work/hand.json" >"$work/runtime.json"
"$top_builddir/hlrc_profile" --advise "$work/runtime.json" >"$work/out" || fail "a lock of the runtime: status $?"
grep -A1 '^hlrc: advice: 2\. .*: a lock of the runtime, which no line of the program acquires$' "$work/out" |
    grep -q ' 60 waits, .* for its own data, such as tasks' || fail "a lock of the runtime: $(cat "$work/out")"
finish
