# SPDX-License-Identifier: LGPL-2.1-or-later
# The command lines of scripts/*: --help prints the usage text, in at most 80 columns; each option of that text that has a value is refused without one,
# and with a number that is none; an option that the text does not have is refused. Status 2, one line that names the script.
. "$(dirname "${BASH_SOURCE[0]}")/faillib.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
command -v perl >/dev/null || { echo "SKIP: no perl, in which some of the scripts are written"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# refused SCRIPT ARGUMENT...
refused() {
    local status=0
    "$top_srcdir/scripts/$1" "${@:2}" >"$work/out" 2>"$work/err" </dev/null || status=$?
    test $status = 2 || fail "scripts/$*: status $status, not 2"
    test "$(wc -l <"$work/err")" = 1 || fail "scripts/$*: not one line: $(head -n 3 "$work/err")"
    grep -q "^\(scripts/\)\?$1: .*$2" "$work/err" || fail "scripts/$*: $(head -n 1 "$work/err")"
}

options=0
for script in bench bench-verbs build check coverage deps evaluate file-count first-hour flakes mkman mutants npb programs rdma-guest rules run; do
    "$top_srcdir/scripts/$script" --help >"$work/usage" 2>&1 </dev/null || fail "scripts/$script --help: status $?"
    grep -q "^usage: scripts/$script" "$work/usage" || fail "scripts/$script --help: $(head -n 1 "$work/usage")"
    test "$(wc -L <"$work/usage")" -le 80 || fail "scripts/$script --help: $(wc -L <"$work/usage") columns"
    refused "$script" --nothing
    while read -r option value; do
        options=$((options + 1))
        refused "$script" "$option"
        case $value in N | S) refused "$script" "$option" many ;; esac
    done < <(sed -n 's/^  \(--[a-z-]*\) \([A-Z][A-Z/,]*\) .*/\1 \2/p' "$work/usage")
done
test $options -ge 50 || fail "only $options options were found"
finish
