# SPDX-License-Identifier: LGPL-2.1-or-later
# A signal handler that accesses shared memory inside an HLRC call ends the job with a line, whatever the call holds;
# with --signals mask it runs after the call [thread.no-fault].
. "$(dirname "$0")/../lib.sh"
signals=${SIGNALS:-$top_builddir/tests/blackbox/signals}
test -x "$signals" || skip "$signals is not built"
ulimit -c 0

for protocol in async ardmar; do
    run_job 2 $protocol "$signals"
    test "$status" != 0 || fail "$protocol: the handler's touch was served"
    expect_err "$protocol" '^hlrc: node 1: a signal handler accessed shared memory at 0x[0-9a-f]+ inside an HLRC call'
    run_job 2 $protocol --signals mask "$signals"
    expect_status "$protocol, --signals mask" 0
    expect_out "$protocol, --signals mask" '^handled$'
done
finish
