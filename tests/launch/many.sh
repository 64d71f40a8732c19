# SPDX-License-Identifier: LGPL-2.1-or-later
# 256 nodes, more than a byte counts, start, sort by both protocols, and end; nothing is left. Where sanitizers make each
# node ten times as large and slow there are fewer. Skipped where the machine has no room for them.
. "$(dirname "$0")/lib.sh"
is=$(realpath "$top_builddir/apps/is")
test -x "$is" || skip "$is is not built"
nodes=256 each=24 # MiB of memory of a node
test -z "${HLRC_TEST_SANITIZERS:-}" || nodes=48 each=160

# room HAVE NEED WHAT
room() {
    test "$1" = unlimited -o "$1" = max || test "$1" -ge "$2" || skip "$nodes nodes: $3: there are $1, they need $2"
}

room $(($(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo) / 1024)) $((nodes * each)) "MiB of free memory"
room "$(ulimit -Hn)" $((nodes * 5 + 64)) "open files (ulimit -n)"
threads=$(ps -L -u "$(id -u)" --no-headers 2>/dev/null | wc -l)
room "$(ulimit -u)" $((threads + nodes * 5 + 64)) "processes (ulimit -u)"
for file in /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max; do
    test ! -r $file || room "$(cat $file)" $((threads + nodes * 5 + 64)) "processes ($file)"
done

for protocol in ardmar async; do
    run "$within" 400 "$hlrcrun" -n $nodes --protocol $protocol --memory 64M "$is" -c S
    expect_status "$protocol" 0
    test ! -s "$work/err" || fail "$protocol: $(head -3 "$work/err")"
    grep -q 'verification  SUCCESSFUL' "$work/out" || fail "$protocol: $(tail -3 "$work/out")"
    expect_nothing_left "$protocol"
done
finish
