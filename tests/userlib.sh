# SPDX-License-Identifier: LGPL-2.1-or-later
# For tests of what an ordinary user may do; sourced. skip is the test's.

# other_user: what to put before a command that this user, if he is root, must not run as root; in $as_user. Files that
# it is to see lie in folders that all may enter.
other_user() {
    as_user=()
    test "$(id -u)" -eq 0 || return 0
    command -v setpriv >/dev/null || skip "setpriv is not installed (util-linux)"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all)
    "${as_user[@]}" true 2>/dev/null || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${as_user[@]}" true 2>/dev/null || skip "not allowed to become another user"
    test "$("${as_user[@]}" id -u)" -ne 0 || skip "still root"
}
