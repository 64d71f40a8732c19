# SPDX-License-Identifier: LGPL-2.1-or-later
# A program that has more rights than its caller heeds nothing of the caller's environment: no option, no file to be
# written, no launcher.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../userlib.sh"

# all of the library asks for variables in the one way, but for the place that refuses because of them
archive=$top_builddir/.libs/libhlrc_core.a # the objects that libhlrc.a is linked of
if test -e "$archive"; then
    asking=$(nm -A --undefined-only "$archive" 2>/dev/null | sed -n 's/^.*:\([a-z_-]*\.o\):.* getenv$/\1/p')
    test "$asking" = boot_single.o || fail "getenv is called by: $asking"
    nm -A --undefined-only "$archive" | grep -q ' secure_getenv$' || fail "no object calls secure_getenv"
else
    echo "note: no archive of objects whose calls could be inspected"
fi

test "$(id -u)" -eq 0 || skip "only root can make a program that has more rights than its caller"
test -z "${HLRC_TEST_SANITIZERS-}" || skip "a sanitizer's runtime is found by the environment"
other_user
chmod 755 "$work"
cp "$top_builddir/examples/01-hello" "$hlrcrun" "$work/"
if test -e "$top_builddir/.libs/libhlrc.so.0"; then # where the program finds it without the environment
    cp "$top_builddir/.libs/libhlrc.so.0" "$work/"
    ${CC:-cc} -I"$top_srcdir/include" -o "$work/01-hello" "$top_srcdir/examples/01-hello.c" -L"$work" -l:libhlrc.so.0 \
        -Wl,-rpath,"$work" || fail "01-hello does not build"
fi
"${as_user[@]}" test -x "$work/01-hello" || skip "another user cannot see $work"
mkdir -m 777 "$work/out.d"
as() {
    run "${as_user[@]}" env HLRC_STATS="$work/out.d/stats" "$@"
}
mount_of=$(stat -c %m "$work")
! grep -E "^[^ ]+ $mount_of [^ ]+ [^ ]*nosuid" /proc/mounts >/dev/null || skip "$mount_of is mounted nosuid"

as HLRC_MEMORY=lots "$work/01-hello"
expect_status "an ordinary program" 1
expect_line "an ordinary program" '^hlrc: HLRC_MEMORY=lots: not a size'
as "$work/01-hello"
expect_status "an ordinary program's statistics" 0
test -s "$work/out.d/stats" || fail "an ordinary program wrote no statistics"
rm -f "$work/out.d/stats"

chown 65533:65533 "$work/01-hello" && chmod 6755 "$work/01-hello"
as HLRC_MEMORY=lots HLRC_MEMROY=1G HLRC_PERTURB=nonsense PMIX_NAMESPACE=n PMIX_RANK=0 "$work/01-hello"
expect_status "set-user-ID" 0
expect_out "set-user-ID" "node 0 of 1"
test ! -s "$work/err" || fail "set-user-ID: says $(cat "$work/err")"
test ! -e "$work/out.d/stats" || fail "set-user-ID: wrote statistics where its caller said"

refusal='a program that has more rights than its caller \(set-user-ID, set-group-ID, capabilities\) takes nothing from the '
refusal+='environment and is no node of a job; run it without them$'
for variable in SLURM_NTASKS OMPI_COMM_WORLD_SIZE; do
    as $variable=4 "$work/01-hello"
    expect_status "set-user-ID, $variable" 1
    expect_line "set-user-ID, $variable" "^hlrc: $variable=4, but $refusal"
done
as "$work/hlrcrun" -n 2 "$work/01-hello"
expect_status "set-user-ID, hlrcrun" 1
grep -qE "^hlrc: HLRC_NODES=2, but $refusal" "$work/err" || fail "set-user-ID, hlrcrun: $(cat "$work/err")"
expect_out "set-user-ID, hlrcrun" ""

# a program of hlrcc executes itself again for equal addresses, which such a program never gets
if test -x "$top_builddir/hlrcc" && "$top_builddir/hlrcc" -x c - -o "$work/hello" <<<'#include <stdio.h>
int main(void) { puts("hello"); return 0; }' 2>"$work/err"; then
    chown 65533:65533 "$work/hello" && chmod 6755 "$work/hello"
    run "${as_user[@]}" "$within" 20 "$work/hello"
    expect_status "set-user-ID, hlrcc" 0
    expect_out "set-user-ID, hlrcc" "hello"
    run "${as_user[@]}" "$within" 20 "$work/hlrcrun" -n 2 "$work/hello"
    expect_status "set-user-ID, hlrcc, hlrcrun" 1
    grep -qE "^hlrc: HLRC_NODES=2, but $refusal" "$work/err" || fail "set-user-ID, hlrcc, hlrcrun: $(cat "$work/err")"
    expect_nothing_left "set-user-ID, hlrcc, hlrcrun"
fi
finish
