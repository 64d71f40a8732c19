#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# More shared data than a node may keep (copies.h): right, and within the bound. By --cache-size, and, where this process may
# make control groups, by one for each node that allows for a quarter of the data; the kernel ends whoever takes more.
set -u
. "$(dirname "$0")/withinlib.sh"
hlrcrun=${top_builddir:-.}/hlrcrun
cache=${top_builddir:-.}/microbench/cache
work=$(mktemp -d)
megabytes=32 nodes=8
failures=0 groups='' version=''

# Groups of jobs that were ended lose their last process a moment later.
end() {
    for _ in $(seq 50); do
        ls -d "$groups".* >/dev/null 2>&1 || break
        rmdir "$groups".* 2>/dev/null && break
        sleep 0.1
    done
    rm -rf "$work"
}
trap end EXIT

fail() {
    echo "FAILED: $*"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}

# run WHAT MOST ARGUMENT...: a job that reads everything right, and keeps MOST per cent of the data on each node
run() {
    local what=$1 most=$2 share
    shift 2
    "$within" 200 "$hlrcrun" "$@" --megabytes "$megabytes" >"$work/out" 2>&1 || { fail "$what (status $?)"; return; }
    share=$(sed -n 's/^in memory *\([0-9]*\).*/\1/p' "$work/out")
    [ -n "$share" ] && [ "$share" -le "$most" ] || { fail "$what: $share % of the data in memory"; return; }
    echo "ok      $what: $share % of the data in memory"
}

# The share of a node, its copies, and what is fetched and opened ahead.
for protocol in ardmar async; do
    run "$protocol, a cache of an eighth" 40 -n 4 --protocol $protocol --cache-size $((megabytes / 8))M "$cache"
    run "$protocol, no bound" 100 -n 4 --protocol $protocol "$cache"
    grep -q '^in memory *100' "$work/out" || fail "$protocol: copies went without need"
done

# A group beside that of this process, of version 2 or 1.
find_groups() {
    local path
    path=$(sed -n 's/^0:://p' /proc/self/cgroup)
    if [ -n "$path" ] && grep -qw memory "/sys/fs/cgroup${path%/}/cgroup.subtree_control" 2>/dev/null; then
        version=2 groups=/sys/fs/cgroup${path%/}/hlrc-cache-$$
    else
        path=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' /proc/self/cgroup)
        [ -n "$path" ] || return 1
        version=1 groups=/sys/fs/cgroup/memory${path%/}/hlrc-cache-$$
    fi
    mkdir "$groups.probe" 2>/dev/null && rmdir "$groups.probe"
}

enter() {
    cat <<END
#!/bin/sh
group=$groups.\$HLRC_NODE
limit=memory.limit_in_bytes
[ $version = 1 ] || limit=memory.max
mkdir "\$group" && echo $1M >"\$group/\$limit" && echo \$\$ >"\$group/cgroup.procs" && exec "\$@"
END
}

if ! find_groups; then
    echo 'note: control groups cannot be made here; not tested'
elif [ -n "${HLRC_TEST_SANITIZERS:-}" ]; then
    echo 'note: the sanitizers take more memory than the groups allow for'
else
    megabytes=128
    enter $((megabytes / 4)) >"$work/enter"
    chmod +x "$work/enter"
    for protocol in ardmar async; do
        run "$protocol, $nodes nodes in control groups of a quarter" 25 -n $nodes --protocol $protocol "$work/enter" "$cache"
        rmdir "$groups".* 2>/dev/null
    done
fi
test $failures -eq 0
