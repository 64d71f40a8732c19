# SPDX-License-Identifier: LGPL-2.1-or-later
# A program's own SIGSEGV: node, address and "not shared memory" are reported, the status is 139; a handler that the program
# installed before hlrc_init gets it.
. "$(dirname "$0")/../lib.sh"
misuse=${MISUSE:-$top_builddir/tests/blackbox/misuse}
test -x "$misuse" || skip "$misuse is not built"
case $HLRC_TEST_SANITIZERS in
*address*) skip "the sanitizer handles SIGSEGV itself" ;;
esac
ulimit -c 0

for protocol in async ardmar; do
    run_job 2 $protocol "$misuse" null
    expect_status "$protocol, wild pointer" 139
    expect_err "$protocol, wild pointer" '^hlrc: node 1, thread 0: SIGSEGV at 0x10: not shared memory: write through a NULL pointer$'
    run_job 2 $protocol "$misuse" raise
    expect_status "$protocol, raise" 139
    expect_err "$protocol, raise" 'node 1'
    run_job 2 $protocol "$misuse" own-null
    expect_status "$protocol, own handler" 3
    expect_out "$protocol, own handler" '^own handler$'
done
finish
