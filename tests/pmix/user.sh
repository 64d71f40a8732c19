# SPDX-License-Identifier: LGPL-2.1-or-later
# An ordinary user's jobs: memory objects reach the peers without privileges, with mpirun and with hlrcrun.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../userlib.sh"
need_mpirun
other_user
limit=("$within" 40)

# copies, since a user need not see the build's folder
chmod 755 "$work"
cp "$top_builddir/apps/is" "$probe" "$hlrcrun" "$work/"
cp -P "$top_builddir"/.libs/libhlrc.so* "$work/" 2>/dev/null
export LD_LIBRARY_PATH=$work HOME=$work/tmp
cd "$work/tmp" || exit 99

"${as_user[@]}" test -x "$work/is" || skip "that user cannot see $work"

for protocol in ardmar async; do
    run "${limit[@]}" "${as_user[@]}" mpirun -n 4 -x HLRC_PROTOCOL=$protocol "$work/is" -c S
    expect_verified "mpirun, $protocol" 4
    run "${limit[@]}" "${as_user[@]}" "$work/hlrcrun" -n 4 --protocol $protocol "$work/is" -c S
    expect_verified "hlrcrun, $protocol" 4
done

# a program that its user may run and not read keeps its memory to itself: said, not hung
if test "$(id -u)" -eq 0; then
    chmod 711 "$work/is"
    run "${limit[@]}" "${as_user[@]}" mpirun -n 2 "$work/is" -c S
    test "$status" -ne 0 || fail "unreadable program: status 0"
    expect_our_line "unreadable program" 'cannot open the memory of node [01] .*: Permission denied; .* readable'
    expect_nothing_left "unreadable program"
fi
finish
