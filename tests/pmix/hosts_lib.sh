# SPDX-License-Identifier: LGPL-2.1-or-later
# Two hosts on one machine, for the tests of jobs that span hosts; sourced first of all.
#
# The test runs again in namespaces of its own (process, mount, network, hostname, IPC), which the kernel takes down
# with all that is in them when the test ends, however it ends. That is the host "login"; h1 and h2 are namespaces
# within, each with its own /dev/shm, /proc, hostname and address, joined by a bridge. The files are the same for all.

hosts_skip() {
    echo "skipped: $*"
    exit 77
}

# hosts_isolate "$0": does not return in the first life of the test
hosts_isolate() {
    local tool flags=(--net --uts --ipc --mount --pid --fork --kill-child --mount-proc)
    if test -n "${HLRCTEST_ISOLATED-}"; then return; fi
    for tool in unshare nsenter ip; do
        command -v $tool >/dev/null || hosts_skip "$tool is not installed (util-linux, iproute2)"
    done
    test "$(id -u)" -eq 0 || flags=(--user --map-root-user "${flags[@]}")
    unshare "${flags[@]}" true 2>/dev/null || hosts_skip "not allowed to make namespaces (needs root, or user namespaces)"
    HLRCTEST_ISOLATED=1 exec unshare "${flags[@]}" bash "$1"
}

hosts_dir=

# hosts_up DIR: the first processes of h1 (10.77.0.1) and h2 (10.77.0.2) have the pids DIR/h1 and DIR/h2
hosts_up() {
    hosts_dir=$1
    hostname login
    ip link set lo up && ip link add br0 type bridge 2>/dev/null && ip addr add 10.77.0.254/24 dev br0 &&
        ip link set br0 up || hosts_skip "this kernel makes no network bridge"
    printf '127.0.0.1 localhost\n10.77.0.1 h1\n10.77.0.2 h2\n10.77.0.3 h3\n10.77.0.254 login\n' >"$hosts_dir/etc-hosts"
    mount --bind "$hosts_dir/etc-hosts" /etc/hosts || hosts_skip "not allowed to mount"
    host_up h1 1
    host_up h2 2
    reaches h1 h2 || hosts_skip "h1 does not reach h2"
    # what mpirun calls in place of ssh: AGENT HOST COMMAND...
    cat >"$hosts_dir/agent" <<'AGENT'
#!/bin/bash
host=$1
shift
exec nsenter -t "$(cat "$(dirname "$0")/$host")" --net --uts --ipc --mount --pid sh -c "$*"
AGENT
    chmod +x "$hosts_dir/agent"
    export OMPI_MCA_plm_rsh_agent=$hosts_dir/agent
}

host_up() {
    unshare --net --uts --ipc --mount --pid --fork --kill-child --mount-proc bash -c '
        hostname "$0" && mount -t tmpfs none /dev/shm && ip link set lo up && echo up >"$1" && exec sleep infinity
    ' "$1" "$hosts_dir/$1.up" &
    until_true 10 test -s "$hosts_dir/$1.up" || hosts_skip "no namespaces within namespaces here"
    tr -d ' ' <"/proc/$!/task/$!/children" >"$hosts_dir/$1"
    ip link add "v$2" type veth peer name e0 netns "$(cat "$hosts_dir/$1")" &&
        ip link set "v$2" master br0 up &&
        on "$1" ip addr add "10.77.0.$2/24" dev e0 && on "$1" ip link set e0 up ||
        hosts_skip "this kernel makes no virtual network links"
}

# host_down HOST: all of its processes are killed, and its memory is freed; host_up makes it again
host_down() {
    kill -9 "$(cat "$hosts_dir/$1")"
    until_true 10 test ! -e "/proc/$(cat "$hosts_dir/$1")"
    rm -f "$hosts_dir/$1.up"
    ip link del "v${1#h}" 2>/dev/null # the kernel removes it later
}

# reaches HOST OTHER: a connection to a port where nobody listens is refused by whoever is there
reaches() {
    on "$1" timeout 5 bash -c "exec 3<>/dev/tcp/$2/9" 2>&1 | grep -q refused
}

# on HOST COMMAND...: runs it there
on() {
    local host=$1
    shift
    nsenter -t "$(cat "$hosts_dir/$host")" --net --uts --ipc --mount --pid "$@"
}

# verbs_in HOST: an RDMA device is there
verbs_in() {
    on "$1" "$hlrc_info" | grep -q '^  verbs  *available'
}

# What HLRC says of a job on both hosts by --fabric shm
no_way_between_hosts='^hlrc: node 0: fabric shm: nodes 0 \(host h1\) and 2 \(host h2\) share no memory: .*; use --fabric auto'
