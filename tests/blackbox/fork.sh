# SPDX-License-Identifier: LGPL-2.1-or-later
# After hlrc_init a child may exec or _exit; anything else ends it with a clear line, and the job goes on.
. "$(dirname "$0")/../lib.sh"
misuse=${MISUSE:-$top_builddir/tests/blackbox/misuse}
test -x "$misuse" || skip "$misuse is not built"

null='signal 11'
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || null='status 1' # the sanitizers take SIGSEGV for themselves

goes_on() { # CASE CHILD'S STATUS
    local n
    expect_status "$protocol, $1" 0
    for n in 0 1; do
        expect_out "$protocol, $1" "^node $n: done"
    done
    test -z "$2" || expect_out "$protocol, $1" "^child: $2\$"
}

for protocol in async ardmar; do
    run_job 2 $protocol "$misuse" exec
    goes_on exec 'status 0'
    run_job 2 $protocol "$misuse" exit
    goes_on exit 'status 0'
    run_job 2 $protocol "$misuse" shell
    goes_on shell ''
    expect_out "$protocol, shell" '^from a shell$'
    # with sanitizers a child that faults has stood still before its line, twice in some hundred runs
    for bad in $([ -n "${HLRC_TEST_SANITIZERS:-}" ] || echo read write); do
        run_job 2 $protocol "$misuse" $bad
        goes_on $bad 'status 1'
        expect_err "$protocol, $bad" '^hlrc: .*forked child.*shared memory.*exec'
    done
    for bad in lock malloc finalize; do
        run_job 2 $protocol "$misuse" $bad
        goes_on $bad 'status 1'
        expect_err "$protocol, $bad" "^hlrc: hlrc_$bad in a forked child.*exec"
    done
    run_job 2 $protocol "$misuse" child-null # its own business
    goes_on child-null "$null"
    [ -n "${HLRC_TEST_SANITIZERS:-}" ] || expect_err "$protocol, child-null" \
        '^hlrc: process [0-9]+, forked by node 1: SIGSEGV at 0x10: not shared memory: write through a NULL pointer$'
done
finish
