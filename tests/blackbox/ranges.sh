# SPDX-License-Identifier: LGPL-2.1-or-later
# Memory of the program's own that is shared: what hlrc_share refuses, and how nodes end that do not share the same.
. "$(dirname "$0")/../lib.sh"
ranges=$top_builddir/tests/blackbox/ranges
export HLRC_NO_ASLR=yes

goes_on() { # CASE NODES PROTOCOL
    run_job "$2" "$3" "$ranges" "$1"
    expect_status "$1, $3" 0
    for ((n = 0; n < $2; n++)); do expect_out "$1, $3" "^node $n: done"; done
    test ! -s "$work/err" || fail "$1, $3: $(head -5 "$work/err")"
}

ends() { # CASE PATTERN: one line
    run_job 2 ardmar "$ranges" "$1"
    expect_status "$1" 1
    expect_err "$1" "^hlrc: node [01]: $2"
    test "$(wc -l <"$work/err")" = 1 || fail "$1: more than a line: $(head -5 "$work/err")"
}

for protocol in async ardmar onesided; do
    goes_on untouched 2 $protocol
    goes_on child 2 $protocol
done
goes_on untouched 1 ardmar
goes_on refused 2 ardmar
goes_on too-many 2 ardmar
run_job 1 ardmar --memory 15T "$ranges" beyond
expect_status beyond 1
expect_err beyond '^hlrc: --memory of 16492674416640 bytes and 1099511627776 bytes of hlrc_share are 4294967296 pages; a job has 4294967295 at most'
ends other-contents 'the 16384 bytes to be shared at 0x[0-9a-f]+ differ from those on node [01]; .*--no-aslr'
ends other-length 'memory to be shared is [0-9]+ bytes at 0x[0-9a-f]+ here, [0-9]+ bytes at 0x[0-9a-f]+ on node [01]; '
ends not-everywhere 'memory to be shared is (0 bytes at 0|4096 bytes at 0x[0-9a-f]+) here, '
ends free 'hlrc_free\(0x[0-9a-f]+\): not shared memory'
ends free-all 'hlrc_free_all\(0x[0-9a-f]+\): not live memory'
finish
