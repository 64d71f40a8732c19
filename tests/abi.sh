#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The binary interface of libhlrc.so against tests/abi/libhlrc.so.0.abi: programs that were linked with the library of the dump
# run with this one. No function has gone or changed its types, and none lacks in the dump. After an addition, or a change of
# the interface with a new soname, WRITE=1 tests/abi.sh makes the dump anew.
. "$(dirname "$0")/lib.sh"
command -v abidiff >/dev/null && command -v abidw >/dev/null || skip "no abidiff (abigail-tools)"
library=$(realpath -m "$top_builddir/.libs/libhlrc.so")
[ -e "$library" ] || skip "no shared library"
[ -z "${HLRC_TEST_SANITIZERS-}" ] || skip "a sanitized library has another interface"
[ "$(uname -m)" = x86_64 ] || skip "the dump is of x86-64"
readelf -S "$library" | grep -q '\.debug_info' || skip "the library has no debugging information"
dump=$top_srcdir/tests/abi/libhlrc.so.0.abi internal=$top_srcdir/tests/abi/internal.suppr
common=(--suppressions "$internal")
if [ -n "${WRITE-}" ]; then
    # what it needs may be configured differently
    abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-undefined-syms --headers-dir "$top_srcdir/include" --drop-private-types "${common[@]}" "$library" |
        sed '/<elf-needed>/,/<\/elf-needed>/d' >"$dump"
    exit
fi

differences() { # DUMP: what has gone or changed
    abidiff "${common[@]}" --no-added-syms "$1" "$library" >"$work/out" 2>&1
}
differences "$dump" || fail "the interface differs from the dump: $(grep -vE '^$|summary' "$work/out" | head -12); see tests/abi.sh"
"${PERL:-perl}" "$top_srcdir/scripts/mkman" --list "$top_srcdir"/include/hlrc*.h | sed -n 's/\.3$//p' | sort >"$work/declared"
sed -n "s/.*<elf-symbol name='\([^']*\)'.*/\1/p" "$dump" | sort >"$work/dumped"
diff "$work/dumped" "$work/declared" >"$work/out" || fail "in the dump (<) and declared (>): $(grep '^[<>]' "$work/out" | head -8); see tests/abi.sh"

# ---- differences that it must find ----
altered() { # WHAT, WORD IN THE REPORT, SED SCRIPT
    sed "$3" "$dump" >"$work/altered.abi"
    cmp -s "$dump" "$work/altered.abi" && fail "$1: nothing was altered"
    differences "$work/altered.abi" && fail "$1: not found"
    grep -q "$2" "$work/out" || fail "$1: $(head -5 "$work/out")"
}
integer=$(sed -n "s/.*<typedef-decl name='int32_t' .* id='\([^']*\)'.*/\1/p" "$dump")
altered 'another type of parameter' hlrc_lock_for "/function-decl name='hlrc_lock_for'/,/function-decl>/ s/<parameter type-id='[^']*' name='timeout'/<parameter type-id='$integer' name='timeout'/"
altered 'a function that has gone' hlrc_gone "s/hlrc_barrier_test/hlrc_gone/g"
altered 'a field at another place' hlrc_stats "/class-decl name='hlrc_stats'/,/class-decl>/ s/layout-offset-in-bits='64'/layout-offset-in-bits='96'/"
finish
