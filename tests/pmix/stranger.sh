# SPDX-License-Identifier: LGPL-2.1-or-later
# Of the nodes of a host one speaks, and nobody else can silence it by taking a name before: another user binds the
# name that a job would have by its user and its namespace, and finds none that he could have known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../userlib.sh"
need_mpirun
perl=${PERL:-perl}
command -v "$perl" >/dev/null || skip "no perl, which binds names"
other_user
chmod 755 "$work"
limit=("$within" 60)

# Binds abstract names, says "bound", and stays for as long as its standard input does.
cat >"$work/bind" <<'END'
use Socket;
for my $name (@ARGV) {
    socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!\n";
    bind($socket, pack('Sa*', AF_UNIX, "\0$name")) or $!{EADDRINUSE} or die "bind $name: $!\n";
    push @kept, $socket;
}
open my $said, '>', $ENV{SAID} or die "$ENV{SAID}: $!\n";
close $said;
<STDIN>;
END
# What a node is started by: its job's name is taken before the node is there.
cat >"$work/node" <<'END'
#!/bin/bash
mkfifo "$TMPDIR/in.$PMIX_RANK"
SAID=$TMPDIR/said.$PMIX_RANK $AS_USER "$PERL" "$TMPDIR/../bind" "hlrc-$(id -u)-$PMIX_NAMESPACE" <"$TMPDIR/in.$PMIX_RANK" &
exec 9>"$TMPDIR/in.$PMIX_RANK"
for ((i = 0; i < 500; i++)); do
    test ! -e "$TMPDIR/said.$PMIX_RANK" || exec "$@"
    sleep 0.02
done
echo "the name could not be taken" >&2
exit 99
END
chmod +x "$work/node"
export AS_USER="${as_user[*]}" PERL="$perl"

run "${limit[@]}" mpirun -n 4 "$work/node" "$probe" 2 fatal 5
expect_status "fatal" 5
expect_our_line "fatal" '^hlrc: node 2: something fatal happened$'
rm -f "$work/tmp"/in.* "$work/tmp"/said.*
run "${limit[@]}" mpirun -n 4 -x HLRC_PROTOCOL=onesidded "$work/node" "$probe" exchange 1 1
expect_status "wrong everywhere" 1
expect_our_line "wrong everywhere" 'HLRC_PROTOCOL=onesidded: no such choice'

# the name that is bound says nothing of the job, and is another one each time
if strace -qq -e trace=none true 2>/dev/null; then
    for job in 1 2; do
        run "${limit[@]}" mpirun -n 2 strace -qq -f -e trace=bind -o "$work/calls.$job" -A "$probe" 1 fatal 5
        expect_status "job $job" 5
        sed -n 's/^.*bind(.*sun_path=@"\(hlrc-[^"]*\)".* = 0$/\1/p' "$work/calls.$job" >"$work/name.$job"
        grep -qxE 'hlrc-[0-9a-f]{32}' "$work/name.$job" || fail "job $job: it bound $(cat "$work/calls.$job")"
    done
    ! cmp -s "$work/name.1" "$work/name.2" || fail "two jobs had one name"
else
    echo "note: no strace here, which would show the names"
fi
finish
