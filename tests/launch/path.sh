# SPDX-License-Identifier: LGPL-2.1-or-later
# PATH has folders that this user may not enter: the program is found in a later one, and is not said to be forbidden
# where it is nowhere.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../userlib.sh"
other_user
chmod 755 "$work"
# copies, since a user need not see the build's folder
cp "$hlrcrun" "$work/hlrcrun"
cp -P "$top_builddir"/.libs/libhlrc.so* "$work/" 2>/dev/null
hlrcrun=$work/hlrcrun
"${as_user[@]}" test -x "$hlrcrun" || skip "another user cannot see $work"
mkdir "$work/closed" "$work/open" "$work/empty"
mkdir -m 777 "$work/gcov" # coverage goes to the build's folder otherwise
printf '#!/bin/sh\necho "$1"\n' >"$work/open/say"
cp "$work/open/say" "$work/closed/say"
cp "$work/open/say" "$work/closed/hidden"
cp "$work/open/say" "$work/open/plain"
chmod +x "$work/open/say" "$work/closed/say" "$work/closed/hidden"
chmod 0 "$work/closed"
trap 'test "$BASHPID" != $$ || { chmod 755 "$work/closed"; rm -rf "$work"; }' EXIT

as() { # PATH ARGUMENTS...
    local path=$1
    shift
    run "${as_user[@]}" env PATH="$path" GCOV_PREFIX="$work/gcov" "$hlrcrun" -n 1 "$@"
}

as "$work/closed:$work/open:$PATH" say found
expect_status "found later" 0
expect_out "found later" found
test ! -s "$work/err" || fail "found later: says $(cat "$work/err")"

as "$work/empty:$work/closed:$PATH" hidden
expect_status "nowhere" 127
expect_line "nowhere" "^hlrcrun: hidden: no such program in PATH; its directory $work/closed cannot be searched; check the name, or give a path\$"

as "$work/empty:/usr/bin:/bin" hidden
expect_status "nowhere, all open" 127
expect_line "nowhere, all open" '^hlrcrun: hidden: no such program in PATH; check the name, or give a path$'

# what is there and no program is still said to be so
as "$work/closed:$work/open:$PATH" plain
expect_status "no program" 126
expect_line "no program" "^hlrcrun: $work/open/plain: cannot be executed \(permission denied\); make it executable with chmod \+x\$"

as "$PATH" "$work/closed/say"
expect_status "by its path" 126
expect_line "by its path" \
    "^hlrcrun: $work/closed/say: a directory of this path cannot be searched \(permission denied\); check the path, or chmod \+x that directory\$"
finish
