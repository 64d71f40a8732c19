# SPDX-License-Identifier: LGPL-2.1-or-later
# For the tests of the launcher; sourced. A test calls fail as often as it must, and finish at its end.

top_builddir=${top_builddir:-.}
hlrcrun=${HLRCRUN:-$top_builddir/hlrcrun}
hlrc_info=${HLRC_INFO:-$top_builddir/hlrc_info}
probe=${BOOTPROBE:-$top_builddir/tests/launch/bootprobe}
. "$(dirname "${BASH_SOURCE[0]}")/../withinlib.sh"
ulimit -S -c 0
. "$(dirname "${BASH_SOURCE[0]}")/../faillib.sh"
work=$(mktemp -d)
trap 'test "$BASHPID" != $$ || rm -rf "$work"' EXIT
unset HLRC_NODES HLRC_NODE HLRC_LAUNCH_FD SLURM_NTASKS OMPI_COMM_WORLD_SIZE PMI_SIZE

for program in "$hlrcrun" "$hlrc_info" "$probe"; do
    test -x "$program" || { echo "$program is not built"; exit 77; }
done
hlrcrun=$(realpath "$hlrcrun")
probe=$(realpath "$probe")
export hlrcrun probe

skip() {
    echo "skipped: $*"
    exit 77
}

# group_make LIMIT: a control group that is allowed so many bytes, $group; who makes it removes it
groups_made=0
group_make() {
    local root file
    for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
        group=$root/hlrc-test-$$.$((groups_made += 1))
        mkdir "$group" 2>/dev/null || continue
        for file in memory.max memory.limit_in_bytes; do
            test -w "$group/$file" && echo "$1" >"$group/$file" 2>/dev/null && return 0
        done
        rmdir "$group"
    done
    return 1
}

# run COMMAND...: output in $work/out and $work/err, status in $status, milliseconds in $took. Every process of the
# job carries $mark in its environment.
run() {
    local begun=${EPOCHREALTIME/[.,]/}
    new_mark
    status=0
    HLRCTEST_MARK=$mark "$@" >"$work/out" 2>"$work/err" || status=$?
    took=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
}

# begin COMMAND...: the same in the background; $launcher is its pid
begin() {
    new_mark
    : >"$work/out" # nobody may take the last job's lines for those of this one
    HLRCTEST_MARK=$mark "$@" >"$work/out" 2>"$work/err" &
    launcher=$!
}

# end: wait for what begin began
end() {
    local begun=${EPOCHREALTIME/[.,]/}
    status=0
    wait "$launcher" 2>"$work/wait" || status=$?
    took=$(((${EPOCHREALTIME/[.,]/} - begun) / 1000))
}

new_mark() {
    mark=$$.$RANDOM.$RANDOM
}

# The processes of the job that are left, zombies not counted.
left() {
    grep -zl -x -F "HLRCTEST_MARK=$mark" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n'
}

# half_said WHO LINE...: what WHO says of a job of tests/blackbox/hang half that ends by --timeout
half_said() {
    local who=$1
    shift
    cat <<END
$who: node 0 thread 0 waits since S s for lock 12 held by node 0 thread 1
$who: node 0 thread 1 waits since S s for lock 11 held by node 0 thread 0
$who: node 1 thread 0 computes, or waits outside HLRC
$who: in a circle: node 0 thread 0 waits for lock 12 held by node 0 thread 1, which waits for lock 11 held by node 0 thread 0
$who: $*
END
}

# until_true SECONDS COMMAND...: polls
until_true() {
    local i tries=$(($1 * 50))
    shift
    for ((i = 0; i < tries; i++)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.02
    done
    return 1
}

nothing_left() {
    test -z "$(left)"
}

expect_nothing_left() {
    until_true 30 nothing_left || fail "$1: processes left: $(for p in $(left); do
        echo "$p $(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null)"; done)"
}

expect_status() {
    test "$status" = "$2" || fail "$1: status $status, not $2; $(head -3 "$work/err")"
}

# Exactly one line on standard error, and it matches.
expect_line() {
    test "$(wc -l <"$work/err")" -eq 1 || fail "$1: not one line on standard error: $(cat "$work/err")"
    grep -qE -- "$2" "$work/err" || fail "$1: no '$2' in: $(cat "$work/err")"
}

expect_out() {
    test "$(cat "$work/out")" = "$2" || fail "$1: output is '$(cat "$work/out")', not '$2'"
}

# What a job must not wait for lasts a minute here. That an end takes two seconds at most is for kill.sh to show.
expect_quick() {
    test "$took" -lt 30000 || fail "$1: took $took ms"
}

# pid_of NODE: the pid that "bootprobe wait" printed
pid_of() {
    sed -n "s/^ready $1 //p" "$work/out"
}

ready() {
    test "$(grep -c '^ready' "$work/out")" -eq "$1"
}

# begin_waiting N [OPTIONS...]: N nodes that wait for ever
begin_waiting() {
    local n=$1
    shift
    begin "$hlrcrun" -n "$n" "$@" "$probe" wait
    until_true 60 ready "$n" || fail "nodes did not start: $(cat "$work/err")"
}

# file_refused OPTION VARIABLE PROGRAM FILE WHY: a file to write is refused at the start, by hlrcrun and by a node that
# no launcher has checked for. OPTION ends with what stands between it and the file.
file_refused() {
    local option=$1 variable=$2 program=$3 file=$4 line="$1$4: $5; give a file in a directory that can be written"
    local words=("$option$file")
    [ "${option% }" = "$option" ] || words=("${option% }" "$file")
    run "$hlrcrun" -n 2 "${words[@]}" sh -c 'echo began'
    expect_status "$option$file" 2
    test "$(cat "$work/err")" = "hlrcrun: $line" || fail "$option$file: $(cat "$work/err")"
    test ! -s "$work/out" || fail "$option$file: nodes began"
    run env "$variable=$file" "$program"
    test "$status" -ne 0 || fail "a bare program, $option$file: status 0"
    test "$(cat "$work/err")" = "hlrc: $line" || fail "a bare program, $option$file: $(cat "$work/err")"
}
