# SPDX-License-Identifier: LGPL-2.1-or-later
# Random programs over libfabric, by TCP on this machine. The soak also runs 500 over a link that delays each frame and loses
# one in a hundred (HLRC_SOAK_LOSSY: seeds, three programs each).
set -u
. "${top_srcdir:-.}/tests/random/lib.sh"
"${top_builddir:-.}/hlrc_info" | grep -q '^  ofi  *available' || { echo "skipped: no libfabric (libfabric1), or left out of this build"; exit 77; }
programs=(--protocol ardmar,async,onesided --fabric ofi)
test -n "${HLRCTEST_ISOLATED:-}" || random_programs 40 15 "${programs[@]}" || exit
test -n "${HLRC_SOAK:-}" || exit 0

. "${top_srcdir:-.}/tests/pmix/hosts_lib.sh"
hosts_isolate "$0"
. "${top_srcdir:-.}/tests/launch/lib.sh"
random=$(realpath "$random")
ip link set lo up
for h in 1 2; do # two network namespaces, of which nothing else differs
    unshare --net sleep infinity &
    holder[h]=$!
    until_true 10 bash -c "test \"\$(readlink /proc/$!/ns/net)\" != \"$(readlink /proc/self/ns/net)\""
    ip link add "w$h" type veth peer name e1 netns "$!" && ip link set "w$h" up &&
        nsenter --net="/proc/$!/ns/net" sh -c "ip link set lo up && ip addr add 10.78.0.$h/24 dev e1 && ip link set e1 up" ||
        hosts_skip "this kernel makes no virtual network links"
done
for h in 1 2; do # an interface gets its carrier a moment after both ends are up
    until_true 10 bash -c "nsenter --net=/proc/${holder[h]}/ns/net $hlrc_info | grep -q tcp:e1" || fail "no interface e1"
done
"$top_builddir/tests/pmix/lossy_link" w1 w2 300 10 2>"$work/link" &
link=$!
cat >"$work/enter" <<END
#!/bin/bash
holder=(${holder[1]} ${holder[2]})
exec nsenter --net="/proc/\${holder[HLRC_NODE % 2]}/ns/net" "\$@"
END
cat >"$work/hlrcrun" <<END
#!/bin/bash
exec $hlrcrun "\${@:1:6}" $work/enter "\${@:7}"
END
chmod +x "$work/enter" "$work/hlrcrun"
packets() { sed -n "s/^ *w1: *[0-9]* *\([0-9]*\) .*/\1/p" /proc/net/dev; }
HLRC_DEVICE=tcp:e1 "$random" --hlrcrun "$work/hlrcrun" --seed "$(date +%s)000" --runs "${HLRC_SOAK_LOSSY:-167}" "${programs[@]}" ||
    fail "random programs with delay and loss"
test "$(packets)" -gt 10000 || fail "the jobs do not use the link: $(packets) packets"
kill $link || fail "the link is gone: $(cat "$work/link")"
finish
