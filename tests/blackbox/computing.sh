# SPDX-License-Identifier: LGPL-2.1-or-later
# With --protocol onesided a home that computes is home of locks, pages and words for nothing: no other thread of its process
# runs at all while another node uses them [progress.no-handler], by the CPU clocks of its threads. With ASYNC they do,
# which those clocks show.
. "$(dirname "$0")/../lib.sh"
cpu=${CPU:-$top_builddir/microbench/cpu}
test -x "$cpu" || skip "$cpu is not built"
case $HLRC_TEST_SANITIZERS in
?*) skip "sanitizers may run threads of their own" ;;
esac

# most NAME: the largest sample of a result, which is a line
most() { sed -n "/\"name\": \"$1\"/s/.*\"max\": \([^,]*\),.*/\1/p" "$work/json"; }
zero() { awk -v x="$1" 'BEGIN { exit !(x == 0 && x != "") }'; }
# Jobs that are short: a thread that looks around once a second is asleep all the time.
runs() { # PROTOCOL USE
    run_job 2 "$1" --memory 64M "$cpu" --only "$2" --repetitions 3 --locks 5000 --operations 100 --json "$work/json"
    expect_status "$1, $2" 0
}

for use in lock locks page word word_compare word_exchange; do
    runs onesided $use
    for which in others others_idle handler; do
        zero "$(most $which)" || fail "onesided: $which of $use $(most $which), not 0"
    done
    test $use != lock || continue # with ASYNC it stays where it is taken
    runs async $use
    for which in others handler; do
        ! zero "$(most $which)" || fail "async: nobody served $use, by $which"
    done
done
finish
