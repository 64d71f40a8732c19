#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The shared library exports exactly what the public headers declare, what a debugger finds by name (DB1), what
# libhlrc_compat calls before the job begins (base/addresses.h), and what the C library has, too (hlrc/crash/handlers.h).
set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${PERL:=perl}"
command -v "${PERL:-none}" >/dev/null || { echo "skipped: no perl, which reads the header"; exit 77; }
library=$top_builddir/.libs/libhlrc.so
[ -e "$library" ] || { echo "skipped: configured without a shared library"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
sed -n 's/^void \(hlrc_debug_[a-z_]*\)(void);$/\1/p' "$top_srcdir/hlrc/memory/debugger.h" >"$work/debugger"
[ "$(wc -l <"$work/debugger")" -eq 3 ] || { echo "FAIL: debugger.h declares $(cat "$work/debugger")"; exit 1; }
sed -n 's/^[a-z].*[ *]\(hlrc_addresses_[a-z_]*\)(.*/\1/p' "$top_srcdir/base/addresses.h" >"$work/addresses"
[ "$(wc -l <"$work/addresses")" -eq 3 ] || { echo "FAIL: addresses.h declares $(cat "$work/addresses")"; exit 1; }
{
    cat "$work/debugger" "$work/addresses"
    "$PERL" "$top_srcdir/scripts/mkman" --list "$top_srcdir"/include/hlrc*.h | sed -n 's/\.3$//p'
    printf 'pthread_sigmask\nsigprocmask\n'
    case ${HLRC_TEST_SANITIZERS:-} in *address*) ;; *) printf 'sigaction\nsignal\n' ;; esac
} | sort >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
[ -s "$work/declared" ] || { echo "FAIL: no declarations found"; exit 1; }
diff -u "$work/declared" "$work/exported" && exit 0
echo "FAIL: declared (-) and exported by libhlrc.so (+) differ"
exit 1
