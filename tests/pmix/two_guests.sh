# SPDX-License-Identifier: LGPL-2.1-or-later
# One job across two machines with RDMA devices: two virtual machines (scripts/rdma-guest), two nodes on each, started
# by Slurm in them, over the verbs fabric.

# ---- inside: both machines run this; the first has the controller ----

inside() { # the folder that all can write to
    local work=$1 protocol run="srun --mpi=pmix -N 2 -n 4 --ntasks-per-node=2 --distribution=block"
    export LD_LIBRARY_PATH=$work HLRC_FABRIC=verbs HLRC_MEMORY=64M
    slurm_configure /tmp/slurm guest0=10.77.0.1 guest1=10.77.0.2
    ulimit -l unlimited # of the daemon, whose tasks inherit it
    test "$RDMA_GUEST" != 0 || slurmctld -D -c >/tmp/controller 2>&1 </dev/null &
    slurmd -D -N "guest$RDMA_GUEST" >/tmp/daemon 2>&1 </dev/null &
    if test "$RDMA_GUEST" != 0; then
        until test -e "$work/done"; do sleep 1; done
        exit 0
    fi
    for ((i = 0; i < 60; i++)); do
        slurm_idle 2 && break
        sleep 1
    done
    slurm_idle 2 || { cat /tmp/controller /tmp/daemon; touch "$work/no-slurm" "$work/done"; exit 1; }
    timeout 60 $run hostname >"$work/hosts"
    for protocol in ardmar async; do
        HLRC_PROTOCOL=$protocol HLRC_STATS="$work/$protocol.json" timeout 200 $run "$work/is" -c S >"$work/$protocol" 2>&1
    done
    HLRC_FABRIC=shm timeout 60 $run "$work/is" -c S >"$work/shm" 2>&1
    touch "$work/done"
    exit 0
}

if test "${1-}" = --inside; then
    . "$(dirname "$0")/slurm_lib.sh"
    inside "$2"
fi

# ---- outside ----

. "$(dirname "$0")/lib.sh"
for tool in slurmctld slurmd srun sinfo; do
    command -v $tool >/dev/null || skip "$tool is not installed (slurm-wlm, slurm-wlm-basic-plugins)"
done
grep -q '^#define HAVE_VERBS 1' "$top_builddir/config.h" || skip "the verbs fabric is not in this build (libibverbs-dev)"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "sanitizers are too slow in an emulated machine"

# copies, since of this machine's folders the guests may not see all
cp "$is" "$work/"
cp -P "$top_builddir"/.libs/libhlrc.so* "$work/" 2>/dev/null
cp "$0" "$(dirname "$0")/slurm_lib.sh" "$work/"
status=0
"${top_srcdir:-.}/scripts/rdma-guest" --guests 2 --timeout 500 --work "$work" \
    bash "$work/${0##*/}" --inside "$work" >"$work/out" 2>"$work/err" || status=$?
test $status -ne 77 || skip "$(cat "$work/err")"
test ! -e "$work/no-slurm" || skip "Slurm does not come up in the guests: $(tail -n 2 "$work/out")"
expect_status "guests" 0
test "$(sort "$work/hosts" | uniq -c | tr -s ' \n' ' ')" = ' 2 guest0 2 guest1 ' || fail "hosts: $(cat "$work/hosts")"
for protocol in ardmar async; do
    grep -q "nodes  *4, protocol $protocol" "$work/$protocol" && grep -q 'verification  SUCCESSFUL' "$work/$protocol" ||
        fail "$protocol: $(cat "$work/$protocol")"
    grep -q '"fabric": *"verbs"' "$work/$protocol.json" || fail "$protocol: not over verbs"
    sed -n "s/^  time  */$protocol, 4 nodes on 2 machines: /p" "$work/$protocol"
done
grep -qE '^hlrc: node 0: fabric shm: nodes 0 \(host guest0\) and 2 \(host guest1\) share no memory: .* different machines; use --fabric verbs' \
    "$work/shm" || fail "shm between machines: $(cat "$work/shm")"
finish
