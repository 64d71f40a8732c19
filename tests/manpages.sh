#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every public prototype has a doc block, and a page is made of it. The check itself must be able to fail.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}" "${PERL:=perl}"
command -v "${PERL:-none}" >/dev/null || { echo "skipped: no perl, which makes the manual pages"; exit 77; }
header=$top_srcdir/include/hlrc.h
others=("$top_srcdir/include/hlrc_memory.h" "$top_srcdir"/include/hlrc_{atomic,group,rma,sync}.h)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }
mkman() { "$PERL" "$top_srcdir/scripts/mkman" "$@"; }

mkman --check "$header" "${others[@]}" || fail "the headers and their doc blocks do not match"

# The pages that are installed are those that the headers make.
mkman --list "$header" "${others[@]}" | sort >"$work/made"
sed -n 's|.*\bman/\(hlrc[a-z0-9_]*\.[37]\).*|\1|p' "$top_srcdir/man/local.mk" | sort >"$work/listed"
diff -u "$work/listed" "$work/made" || fail "man/local.mk does not list the pages that include/*.h make"

mkdir "$work/man3" "$work/man7"
mkman --out "$work/man3" --version test "$header" "${others[@]}" || fail "mkman --out"
mv "$work"/man3/*.7 "$work/man7/"
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in "$work"/man[37]/* ${top_builddir+"$top_builddir"/man/*.1}; do
        [ -e "$page" ] || continue
        said=$(cd "$work" && LC_ALL=C MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "${page##*/}: $said"
    done
else
    echo "note: the pages were not rendered, since man and groff are not installed"
fi

# Broken headers, each of which --check must reject.
rejected() { # what, sed script
    sed "$2" "$header" >"$work/broken.h"
    sed "$2" "${others[0]}" >"$work/memory.h"
    cmp -s "$header" "$work/broken.h" && cmp -s "${others[0]}" "$work/memory.h" && fail "the change '$1' changed nothing"
    mkman --check "$work/broken.h" "$work/memory.h" >"$work/said" 2>&1 && fail "accepted: $1"
}
rejected "a prototype without a block"    's/^void hlrc_stats_reset(void);/&\nint hlrc_undocumented(int node);/'
rejected "a block without its prototype"  '/^int hlrc_trylock/d'
rejected "a block without SEE ALSO"       '/SEE ALSO: hlrc_home, hlrc_malloc_all/d'
rejected "a result without RETURN VALUE"  '/^ \* RETURN VALUE: The address of the memory/d'
rejected "a parameter that is not there"  's/`align`/`alignment`/'
rejected "a page that is not there"       's/see hlrc_touch()/see hlrc_feel()/'
exit $status
