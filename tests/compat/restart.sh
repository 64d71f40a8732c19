#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# --checkpoint and --restart of programs that do not know HLRC: killed at several moments and continued, twice, they print and
# write what they print and write natively. What cannot be saved, or is damaged, is one line.
. "$(dirname "$0")/compatlib.sh"
jobs_are_saved
for program in team threads objects; do
    source=$(echo "$here/restart/$program".c*)
    case $source in *.cc) build $program "restart/$program.cc" g++ hlrc++ ;; *) build $program "restart/$program.c" gcc hlrcc ;; esac
done
cd "$work" || exit 99
echo ax >input

newest() {
    local name newest=0
    for name in dir/manifest.[0-9]*; do
        test ! -e "$name" || test "${name##*.}" -le $newest || newest=${name##*.}
    done
    echo $newest
}

is_newer() { # NUMBER
    test "$(newest)" -gt "$1"
}

start() { # OPTIONS...: of hlrcrun, in the background
    : >err
    "$within" 120 "$hlrcrun" "$@" >out 2>err </dev/null &
    job=$!
}

kill_later() { # NUMBER SECONDS: after a checkpoint with a higher number
    await is_newer "$1" && sleep "$2"
    kill -9 $(processes_of "$work/$program") 2>/dev/null
    wait $job 2>/dev/null
}

finish_job() { # WHAT
    status=0
    wait $job || status=$?
    expect_status "$1" 0
    cmp -s out wanted || fail "$1: $(diff out wanted | head -3) $(head -3 err)"
    cmp -s steps wanted.steps || fail "$1: steps: $(diff steps wanted.steps | head -3)"
}

natively() {
    touch go
    "./$program.gomp" "$@" >wanted 2>/dev/null
    cp steps wanted.steps
    rm -rf go dir steps
}

# ---- a death, and another one ----
turn=0
for program in team threads objects; do
    for nodes in '2 1 3'; do
        read -r first second third <<<"$nodes"
        natively
        # as on several hosts, where the job is one process if it is to be saved
        start -n "$first" $(test $turn = 1 && echo --placement-control measure) --checkpoint 0:dir "./$program"
        kill_later $((turn % 3)) "0.0$((turn * 37 % 100))"
        echo later >>steps
        start -n "$second" --restart dir
        kill_later "$(newest)" "0.1$((turn * 61 % 100))"
        touch go
        echo later >>steps
        start -n "$third" --restart dir --checkpoint 1h
        finish_job "$program, $nodes nodes"
        test ! -s err || fail "$program, $nodes nodes: $(head -3 err)"
        turn=$((turn + 1))
    done
done

# ---- signals; two are kept, each with what has changed ----
program=team
for slurm in '' 7; do
    natively
    (test -z "$slurm" || export SLURM_JOB_ID=$slurm
    exec "$hlrcrun" -n 2 --progress --checkpoint 1h:dir ./team >out 2>err </dev/null) &
    job=$!
    for number in 1 2 3; do
        await test -s steps
        await is_running "$work/$program"
        kill -USR1 $job
        await is_newer $((number - 1)) || break
        test -z "$slurm" || break
    done
    if test -n "$slurm"; then
        status=0
        wait $job || status=$?
        expect_status Slurm 85
        expect_err Slurm '^hlrc: checkpoint 1 is complete, and the job ends with status 85; continue it with hlrcrun --restart'
    else
        test "$(echo dir/manifest.*)" = 'dir/manifest.2 dir/manifest.3' || fail "kept: $(ls dir)"
        test "$(stat -c %s dir/3.node.0)" -lt $(($(stat -c %s dir/1.node.0) / 2)) || fail "not only changed pages: $(cat err)"
        kill_later 0 0
        cp -r dir good
    fi
    touch go
    start --restart dir
    finish_job "after a signal${slurm:+ of Slurm}"
done

# ---- hlrcrun continues the job itself, but not after a signal that it passed on ----
program=threads
for end in KILL TERM; do
    natively
    "$hlrcrun" -n 2 --checkpoint 0:dir --restarts 3 "./$program" >out 2>err </dev/null &
    job=$!
    await is_newer 0
    if test $end = TERM; then
        kill -TERM $job
        "$within" 20 tail --pid=$job -s 0.02 -f /dev/null || kill -9 $job
        status=0
        wait $job || status=$?
        expect_status "SIG$end" 143
        ! grep continue err || fail "SIG$end: $(cat err)"
    else
        kill -9 $(processes_of "$work/$program")
        await grep -q '^hlrcrun: continues from checkpoint .*; restarts left: 2$' err
        touch go
        finish_job "SIG$end"
    fi
done
program=team

# ---- what cannot be saved: one line, and the job continues ----
refused() { # WHAT PATTERN
    natively "$1"
    start -n 2 --checkpoint 0:dir ./team "$1"
    await grep -q . err
    touch go
    finish_job "$1"
    expect_err "$1" "^hlrc: checkpoint 1 cannot be saved: $2; there is none yet\$"
    test "$(newest)" = 0 || fail "$1: saved"
}
refused pipe 'descriptor [0-9]+, pipe:\[[0-9]+\], is a pipe'
refused child 'the program has child processes'
refused deleted 'descriptor [0-9]+, .* \(deleted\), is a file that was deleted'
natively
mkdir dir
ln -s /dev/full dir/2.node.0
start -n 2 --checkpoint 0:dir ./team
await grep -q . err
touch go
finish_job full
expect_err full '^hlrc: checkpoint 2 cannot be saved: .*No space left on device; the one before is the last complete one$'
run_job 2 ardmar --placement-control off --checkpoint 1h:dir2 ./team
expect_status spread 1
expect_err spread 'checkpoint: a program of hlrcc is saved only where it runs as one process'
test "$(wc -l <err)" -eq 1 || fail "spread: $(cat err)"

# ---- damage, and other surroundings ----
damaged() { # WHAT PATTERN COMMAND...: in dir
    local what=$1 pattern=$2
    shift 2
    rm -rf dir
    cp -r good dir
    (cd dir && "$@") || fail "$what: cannot be made"
    status=0
    "$within" 60 "$hlrcrun" --restart dir >out 2>err </dev/null || status=$?
    test "$status" -ne 0 || fail "$what: status 0"
    test "$(wc -l <err)" -eq 1 || fail "$what: not one line: $(cat err)"
    expect_err "$what" "$pattern"
    test ! -s out || fail "$what: $(cat out)"
}
flip() { # FILE OFFSET
    perl -e 'open my $f, "+<", $ARGV[0] or die; seek $f, $ARGV[1], 0; read $f, my $c, 1; seek $f, $ARGV[1], 0;
        print $f chr(ord($c) ^ 16)' "$1" "$2"
}
size=$(stat -c %s good/3.node.0)
for offset in 30 $((size / 2)) $((size - 40)); do
    damaged "a bit is flipped at $offset" '3.node.0: damaged' flip 3.node.0 "$offset"
done
damaged 'an older file' '1.node.0: damaged' flip 1.node.0 $(($(stat -c %s good/1.node.0) / 2))
damaged 'a file is cut short' '3.node.0 has [0-9]+ bytes' truncate -s -3 3.node.0
damaged 'a file is missing' '1.node.0: No such file' rm 1.node.0
mv steps kept
damaged 'an open file is missing' '/steps: No such file' true
echo >steps
damaged 'an open file is shorter' '/steps has 1 bytes, fewer than the [0-9]+ when the job was saved' true
mv kept steps
mv team team.old
{ cat team.old && echo; } >team && chmod +x team
damaged 'another program' 'saved by another program' true
mv team.old team
# With right digests: the name of the system begins the first block, after the head; CPU features and the kernel's code follow.
alter() { # OFFSET: of one bit, from that name on
    perl -e 'use strict; use integer; my ($add, $newest) = ($ARGV[0], "3.node.0"); local $/;
        sub round { my ($l, $w) = @_; $l += $w * -4417276706812531889; ($l << 31 | ($l >> 33 & 0x7fffffff)) * -7046029288634856825 }
        sub fnv { my $d = -3750763034362895579; $d = ($d ^ $_) * 0x100000001b3 for unpack "C*", $_[0]; $d }
        open my $f, "<:raw", $newest or die; my $all = <$f>; my ($stored, $length) = unpack "LL", $all;
        my ($block, $rest) = (substr($all, 16, $stored), substr $all, 16 + $stored);
        if ($stored != $length) {
            open my $z, ">:raw", "block.zst" or die; print $z $block; close $z;
            open my $o, "-|:raw", "zstd -dcq block.zst" or die; $block = <$o>; unlink "block.zst" }
        my $at = index $block, "$ARGV[1] "; die "no name" if $at < 0 || length $block != $length;
        substr($block, $at + $add, 1) ^= "\x01";
        my @l = (1, 2, 3, 4); my @w = unpack "q*", substr $block, 0, $length & ~31;
        $l[$_ & 3] = round($l[$_ & 3], $w[$_]) for 0 .. $#w;
        my $d = fnv(substr $block, $length & ~31); $d = round($d ^ ($_ >> 29 & 0x7ffffffff), $_) for @l;
        $all = pack("LLq", $length, $length, $d) . $block . $rest;
        open $f, ">:raw", $newest or die; print $f $all; close $f;
        open $f, "<:raw", "manifest.3" or die; my $m = <$f>; $m =~ s/digest.*\n//; my $bytes = length $all;
        $m =~ s/(.*\nbytes )\d+/$1$bytes/s; open $f, ">:raw", "manifest.3" or die; printf $f "%sdigest %016x\n", $m, fnv($m)' \
        "$1" "$(uname -r)"
}
if command -v zstd >/dev/null; then
    damaged 'another kernel' '^hlrc: node 0: --restart: saved under Linux .*; this is ' alter 0
    damaged 'another CPU' '^hlrc: node 0: --restart: this CPU lacks features of the one on which it was saved$' alter $((160 + 11 * 4 + 3))
    damaged 'another vdso' "^hlrc: node 0: --restart: the kernel's code in processes is another one than when it was saved\$" alter 208
fi
rm -rf dir
cp -r good dir
rm dir/manifest.3
start --restart dir
finish_job 'the one before'

# ---- another version of a library ----
library() { # VERSION
    echo "int extra_version(void) { return $1; }" >extra.c
    gcc -shared -fPIC -Wl,--build-id extra.c -o extra.new && mv extra.new extra.so
}
if library 1; then
    natively
    (LD_PRELOAD=$work/extra.so exec "$hlrcrun" -n 2 --checkpoint 0:dir ./team >out 2>err </dev/null) &
    job=$!
    kill_later 0 0
    rm -rf good
    cp -r dir good
    library 2
    damaged 'another library' '^hlrc: node 0: --restart: .*/extra.so is another version than the one that was saved$' true
    rm extra.so
    damaged 'no library' '^hlrc: node 0: --restart: .*/extra.so: No such file or directory$' true
fi
finish
