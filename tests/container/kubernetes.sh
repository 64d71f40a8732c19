# SPDX-License-Identifier: LGPL-2.1-or-later
# The manifests of share/kubernetes: pods as a kubelet would make them, by runc, each with a network of its own. This script
# does the part of the MPI operator and of kubectl.
here=$(realpath "$(dirname "$0")")
. "$here/../pmix/hosts_lib.sh"
hosts_isolate "$0"
. "$here/../pmix/lib.sh"
need_mpirun
profile=/usr/share/containers/seccomp.json
share=$(realpath "$here/../../share/kubernetes")
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitizer needs system calls that the filter denies"
[ "$(id -u)" = 0 ] || skip "runc needs root"
for tool in runc /usr/sbin/sshd ssh-keygen; do
    command -v $tool >/dev/null || skip "$tool is not installed (runc, openssh-server)"
done
[ -r $profile ] || skip "no $profile"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "no python3-yaml"
hosts_up "$work"

# ---- the image: what share/Containerfile leaves, of this machine's files ----
root=$work/root home=/home/work
mkdir -p "$root" && mount -t tmpfs tmpfs "$root" &&
    mkdir -p "$root"{/usr,/etc/ssh/ssh_config.d,/proc,/dev,/sys,/tmp,/run,$home}
for folder in bin sbin lib lib64; do [ ! -L /$folder ] || cp -P /$folder "$root/"; done
cp -a /etc/alternatives /etc/ld.so.cache /etc/openmpi /etc/nsswitch.conf "$root/etc/" || skip "not this system's folders"
printf 'root:x:0:0::/root:/bin/sh\nsshd:x:100:65534::/run:/bin/false\nwork:x:1000:1000::%s:/bin/bash\n' $home >"$root/etc/passwd"
printf 'root:x:0:\nwork:x:1000:\nnogroup:x:65534:\n' >"$root/etc/group"
cp "$share/sshd_config" "$root/etc/ssh/hlrc_sshd_config"
echo 'Include /etc/ssh/ssh_config.d/*.conf' >"$root/etc/ssh/ssh_config"
cp "$share/ssh_config" "$root/etc/ssh/ssh_config.d/hlrc.conf"
printf '127.0.0.1 localhost\n10.77.0.1 hlrc-0 hlrc-0.hlrc hlrc-worker-0 hlrc-worker-0.hlrc.default.svc\n' >"$root/etc/hosts"
printf '10.77.0.2 hlrc-1 hlrc-1.hlrc hlrc-worker-1 hlrc-worker-1.hlrc.default.svc\n10.77.0.254 hlrc-launcher\n' >>"$root/etc/hosts"
chmod -R go+rX "$root" && chmod 1777 "$root/tmp" && chmod 755 "$work"
# the program and what it needs, read only as the image
mkdir -p "$work/mpi"
printf 'hlrc-worker-%d.hlrc.default.svc slots=2\n' 0 1 >"$work/mpi/hostfile"
top_srcdir=$(realpath "$here/../..")
mkdir -p "$root$top_builddir" "$root$top_srcdir" "$root/etc/mpi"
printf '%s %s\n' /usr /usr "$top_srcdir" "$top_srcdir" "$top_builddir" "$top_builddir" /etc/mpi "$work/mpi" >"$work/files"

# ---- the secret ----
mkdir "$work/ssh"
ssh-keygen -q -t rsa -N '' -f "$work/ssh/id_rsa" && cp "$work/ssh/id_rsa.pub" "$work/ssh/authorized_keys"
chmod 644 "$work/ssh"/*
ln -s ssh "$work/hlrc-ssh"

# ---- pods ----
runc() { command runc --root "$work/runc" "$@"; }
login=/proc/$$/ns/net
network() { echo "/proc/$(cat "$work/h$1")/ns/net"; }
# pod NAME MANIFEST PART NETWORK [CHANGES: Python, of the configuration c]
pod() {
    mkdir "$work/$1.pod" &&
        /usr/bin/python3 "$here/pod.py" "$share/$2" "$3" "$root" "$4" "$1" "$work" $profile >"$work/config" &&
        /usr/bin/python3 -c 'import json, sys
c = json.load(sys.stdin)
exec(sys.argv[1])
json.dump(c, sys.stdout)' "${5-}" <"$work/config" >"$work/$1.pod/config.json" || fail "$1: no configuration"
}
worker() { # NAME MANIFEST PART HOST
    pod "$1" "$2" "$3" "$(network "$4")"
    runc run --detach --bundle "$work/$1.pod" "$1" </dev/null >"$work/$1.log" 2>&1 ||
        skip "runc makes no container here: $(tail -1 "$work/$1.log")"
}
# launcher ARGUMENTS: the launcher's pod, with what the operator sets, and other arguments of mpirun
launcher() {
    rm -rf "$work/hlrc-launcher.pod"
    printf '%s\n' "$@" >"$work/arguments"
    pod hlrc-launcher mpijob.yaml Launcher $login "
c['process']['args'] = c['process']['args'][:1] + open('$work/arguments').read().split()
c['process']['env'] += ['OMPI_MCA_orte_keep_fqdn_hostnames=true', 'OMPI_MCA_orte_default_hostfile=/etc/mpi/hostfile',
                        'OMPI_MCA_hwloc_base_binding_policy=none']"
    run "$within" 60 runc --root "$work/runc" run --bundle "$work/hlrc-launcher.pod" hlrc-launcher
}
end_pods() { for p in "$@"; do runc delete --force "$p" 2>/dev/null; done; }
trap 'end_pods hlrc-0 hlrc-1 hlrc-worker-0 hlrc-worker-1 hlrc-launcher' EXIT
arguments_of() { # the launcher's in the manifest, with a program of ours
    /usr/bin/python3 -c 'import sys, yaml
for d in yaml.safe_load_all(open(sys.argv[1])):
    print(*d["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["args"][:-1])' "$share/mpijob.yaml"
}

worker hlrc-worker-0 mpijob.yaml Worker 1
worker hlrc-worker-1 mpijob.yaml Worker 2
launcher $(arguments_of) "$is" -c S
expect_verified "IS on two workers" 4
our_lines | grep -q 'statistics: .* fabric mixed [a-z]*:*[a-z0-9]*, 4 nodes' || fail "the fabric: $(cat "$work/err")"
launcher -n 4 "$probe" 2 kill 9
expect_status "a node that is killed" 137
launcher -n 4 "$probe" 3 fatal 5
expect_status "a node that fails" 5
end_pods hlrc-worker-0 hlrc-worker-1

worker hlrc-0 statefulset.yaml StatefulSet 1
worker hlrc-1 statefulset.yaml StatefulSet 2
run "$within" 60 runc --root "$work/runc" exec hlrc-0 mpirun -n 4 --host hlrc-0.hlrc:2,hlrc-1.hlrc:2 "$is" -c S
expect_verified "IS on two pods" 4
begin "$within" 60 runc --root "$work/runc" exec hlrc-0 mpirun -n 2 --host hlrc-0.hlrc:1,hlrc-1.hlrc:1 "$probe" wait
until_true 60 ready 2 || fail "nodes did not start: $(cat "$work/err")"
runc kill hlrc-1 KILL
end
test "$status" -ne 0 || fail "a pod that is killed: status 0"
expect_quick "a pod that is killed"
finish
