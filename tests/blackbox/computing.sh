# SPDX-License-Identifier: LGPL-2.1-or-later
# With --protocol onesided a home that computes is home of locks and pages for nothing: no other thread of its process runs at
# all while another node takes its locks and fetches its pages (progress.h NH1), by the CPU clocks of its threads. With ASYNC
# they do, which those clocks show.
. "$(dirname "$0")/../lib.sh"
cpu=${CPU:-$top_builddir/microbench/cpu}
test -x "$cpu" || skip "$cpu is not built"
case $HLRC_TEST_SANITIZERS in
?*) skip "sanitizers may run threads of their own" ;;
esac

# most NAME: the largest sample of a figure
most() { grep -oE "\"$1\": \{[^}]*" "$work/json" | sed 's/.*"max": //'; }
zero() { awk -v x="$1" 'BEGIN { exit !(x == 0 && x != "") }'; }
runs() { # PROTOCOL
    run_job 2 "$1" --memory 64M "$cpu" --rounds 3 --locks 5000 --operations 100 --json "$work/json"
    expect_status "$1" 0
}

runs onesided
for name in lock locks page; do
    for which in others others_idle handler; do
        zero "$(most ${name}_$which)" || fail "onesided: ${name}_$which $(most ${name}_$which), not 0"
    done
done
runs async
for name in locks page; do
    for which in others handler; do
        ! zero "$(most ${name}_$which)" || fail "async: nobody served $name, by ${name}_$which"
    done
done
finish
