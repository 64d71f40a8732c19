#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# One dialect: every C file is as clang-format leaves it (.clang-format), no line has more than 100 columns, no file 600
# lines. Later versions of clang-format break lines elsewhere, so that it has to be version 14.
#
#   format.sh           says what is not so
#   format.sh --write   formats all files
set -u
cd "${top_srcdir:-$(dirname "$0")/..}" || exit 1
mapfile -t files < <(find base boot fabric hlrc async ardmar onesided launch sim compat include apps microbench examples tests -name '*.[ch]' |
    sort)
[ ${#files[@]} -ge 200 ] || { echo "only ${#files[@]} files found"; exit 1; }

formatter=''
for name in clang-format-14 clang-format; do
    [[ $("$name" --version 2>/dev/null) == *'version 14.'* ]] && formatter=$name && break
done
if [ "${1-}" = --write ]; then
    [ -n "$formatter" ] || { echo "format.sh: clang-format 14 is not here (Debian: apt-get install clang-format-14)" >&2; exit 2; }
    exec "$formatter" -i "${files[@]}"
fi

failures=0
complain() {
    printf '%s\n' "$1"
    failures=$((failures + 1))
}
while read -r line; do complain "$line"; done < <(LC_ALL=C.UTF-8 awk '
    length > 100 { print FILENAME ":" FNR ": " length " columns, more than 100" }
    FNR == 600 { print FILENAME ": 600 lines and more" }' "${files[@]}")
if [ -n "$formatter" ]; then
    while read -r line; do complain "$line"; done < <("$formatter" --dry-run "${files[@]}" 2>&1 | grep 'warning:')
fi
echo "${#files[@]} files, $failures failed"
[ $failures -eq 0 ] || { echo "make format puts them right, but for what is too long"; exit 1; }
[ -n "$formatter" ] || { echo "SKIP: clang-format 14 is not here; lengths alone were looked at"; exit 77; }
