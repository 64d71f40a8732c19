# SPDX-License-Identifier: LGPL-2.1-or-later
# hlrc_info, --help and the manual pages show every option of the table.
. "$(dirname "$0")/lib.sh"

options='nodes protocol pages diffs locks barrier fabric memory stats handler spin threads bind label progress no-aslr gdb
    peer-timeout'

run "$hlrc_info" -n 3 --protocol async
expect_status hlrc_info 0
cp "$work/out" "$work/info"
run "$hlrcrun" --help
expect_status help 0
cp "$work/out" "$work/help"
run "$hlrcrun" --man
expect_status man 0
cp "$work/out" "$work/man"
for option in $options; do
    grep -qE "^  $option +[^ ]+ +(default|environment|command line) +[a-z]" "$work/info" || fail "hlrc_info: no $option"
    grep -q -- "--$option" "$work/help" || fail "--help: no $option"
    grep -qF -- "\\-\\-${option//-/\\-}" "$work/man" || fail "man: no $option"
    grep -q "HLRC_$(echo "$option" | tr a-z- A-Z_)" "$work/help" || fail "--help: no variable for $option"
done
grep -qE '^  pages +async +default' "$work/info" || fail "pages do not follow the protocol"
grep -qE '^  protocol +async +command line' "$work/info" || fail "source of protocol"
grep -qE '^  shm +available' "$work/info" || fail "fabrics"
grep -qE '^  verbs +(no RDMA device|no port|left out|available)' "$work/info" || fail "why verbs is missing"
grep -qE '^  cores +[0-9]+' "$work/info" || fail "cores"
run env HLRC_SPIN=7 HLRC_PROTOCL=async "$hlrc_info"
grep -qE '^  spin +7 +environment' "$work/out" || fail "source of spin"
grep -q 'HLRC_PROTOCL is in the environment, but is no option' "$work/out" || fail "misspelt variable"
run "$hlrc_info" --memory 14T
expect_status "too much memory" 1
expect_line "too much memory" '^hlrc_info: --memory 14T: only'
run "$hlrc_info" --frob
expect_status "unknown option" 2
expect_line "unknown option" '^hlrc_info: --frob: no such option'
for program in "$hlrcrun" "$hlrc_info"; do
    run "$program" --version
    expect_status "--version" 0
    grep -qE '^hlrc(run|_info) [0-9]+\.' "$work/out" || fail "--version: $(cat "$work/out")"
done
if command -v man >/dev/null && man --help 2>&1 | grep -q warnings; then
    for program in "$hlrcrun" "$hlrc_info"; do
        "$program" --man | LC_ALL=C MANROFFSEQ='' MANWIDTH=80 man --warnings -l - >/dev/null 2>"$work/err"
        test ! -s "$work/err" || fail "manual page: $(cat "$work/err")"
    done
fi
finish
