# SPDX-License-Identifier: LGPL-2.1-or-later
# A job runs as without when an option is given its default value (base/config.h): each option by itself, and all
# of them at once beside each --check, --profile, --trace-sim and --protocol; on the command line and in the environment.
# That each one by itself changes nothing beside each value of each other one is for unit/defaults.
. "$(dirname "$0")/lib.sh"

hello=$(realpath "$top_builddir/examples/01-hello") || skip "examples/01-hello is not built"
nodes=2

# The options with their defaults; hlrc_info shows what the protocol makes of auto.
header=${top_srcdir:?}/base/config.h
sed -nE 's/^ +X\([A-Z]+, [a-z0-9_ ]+, [a-z_]+, "([a-z-]+)", "([^"]*)",.*/\1 \2/p' "$header" >"$work/defaults"
"$hlrc_info" | awk '$3 == "default" { print $1 }' | sort >"$work/listed"
sort "$work/defaults" | sed 's/ .*//' | diff "$work/listed" - || fail "hlrc_info (<) and config.h (>) have other options"
test "$(wc -l <"$work/defaults")" -gt 40 || fail "only these: $(cat "$work/defaults")"

# Standard error without what differs from run to run: times, and the advice that depends on them.
said() { grep -v '^hlrc: advice:' "$work/err" | sed -E 's/[0-9]+(\.[0-9]+)?//g' >"$work/said"; }

# job WHAT OPTION...: beside $context
job() {
    local what=$1
    shift
    run env "${variables[@]}" "$hlrcrun" -n $nodes "${context[@]}" "$@" "$hello"
    sort "$work/out" >"$work/sorted"
    said
    test "$what" != reference || cp "$work/sorted" "$work/reference"
    expect_status "$what, ${context[*]}" 0
    cmp -s "$work/sorted" "$work/reference" || fail "$what, ${context[*]}: output is $(cat "$work/out")"
}

all=() every=()
while read -r name value; do
    test "$name" != nodes || value=$nodes
    all+=("--$name=$value")
    variable=HLRC_${name^^}
    every+=("${variable//-/_}=$value")
done <"$work/defaults"

variables=() context=()
job reference
test "$(wc -l <"$work/reference")" -eq $nodes || fail "$(cat "$work/reference")"
for option in "${all[@]}"; do
    job "$option" "$option"
    test ! -s "$work/err" || fail "$option: $(cat "$work/err")"
done

while read -ra context; do
    variables=()
    job reference
    cp "$work/said" "$work/reference.said"
    # what the context sets itself comes last
    run "$hlrcrun" -n $nodes "${all[@]}" "${context[@]}" "$hello"
    expect_status "all, ${context[*]}" 0
    said
    diff "$work/reference.said" "$work/said" || fail "all, ${context[*]}"
    variables=("${every[@]}")
    job "environment"
    diff "$work/reference.said" "$work/said" || fail "environment, ${context[*]}"
done <<LINES
--check off
--check races
--profile=-
--profile=$work/profile.json
--trace-sim $work/trace
--trace-sim $work/trace --trace-sim-detail all
--check races --trace-sim $work/trace --trace-sim-detail all
--protocol async
--protocol ardmar
--protocol onesided
LINES
finish
