# SPDX-License-Identifier: LGPL-2.1-or-later
# Single windows held open: the points of base/perturb.h between whose two sides a wake-up, a write or a registration was
# once lost, or could be. Each line: the points, then the program that comes to them, with what it needs in its environment.
. "$(dirname "$0")/../lib.sh"
seconds=90
. "$(dirname "$0")/lib.sh"
litmus=$top_builddir/tests/litmus
rounds=1
[ -z "${HLRC_SOAK:-}" ] || rounds=${HLRC_SOAK_ROUNDS:-1000}

# [progress.holder]: a sender that is late to look, and somebody who is late to give the progress lock up
# [shm-queue.arm-then-test]: an entry that wakes nobody is filled after an urgent one behind it has woken
# [progress.holder]: whoever gives the progress lock up looks again, for events and for waiters
# [interval.quiet-diffs]: diffs that wake nobody are late, and what announces them is handed on by a lock
#     and another lock is handed on while they are about to be sent
# [interval.covers-dirty]: a closing has taken the pages that another thread of the node has to publish
# [cond.registered-first]: a waiter is registered before its lock is free
# [page.busy-capture], [page.writable-tracked]: sealing, opening, and a change of protection that fails half done
#     and threads fault on a page whose opening has failed, until the view is mended
# [page.retained-twin]: a page that stays writable is copied, and gets diffs, while it is written
# [unshared.reset]: memory that was freed is had again before its freeing thread has come out of the call
# base/spin.h: a thread operates on a word of a page again and again, while the handler serves a request for the page
# [page.unshared-block], [unshared.reset]: pages are reset while a thread touches those beside them, or ends intervals
# hlrc_finalize: a flush of the runtime thread begins when its node enters hlrc_finalize
windows='
queue_filled:100:300,progress_armed:100:300     LITMUS_NODES=2 wake_lock
queue_filled:100:300,progress_armed:100:300     LITMUS_NODES=2 threads
queue_drawn:30:300                          LITMUS_NODES=3 wake_lock
queue_drawn:30:300                          LITMUS_NODES=3 rule11_split
queue_armed:60:400,queue_alerting:60:400    LITMUS_NODES=2 wake_threads
progress_unlocked:50:300,wait_counted:50:300     LITMUS_NODES=2 threads
thread_announced:50:300,thread_waking:50:300 LITMUS_NODES=2 threads
worker_woken:100:150000                     LITMUS_NODES=2 last_flush
event_taken:20:1000                         LITMUS_NODES=3 rule11_split
close_begun:10:100                          LITMUS_NODES=3 HLRC_FABRIC=shm+chaos HLRC_CHAOS_SLOW=1:0:20000 wake_diff
bulk_credit:100:2000                        LITMUS_NODES=3 wake_diff
close_taken:100:1000                        LITMUS_NODES=2 threads
cond_registered:100:1000,lock_dropping:30:300 LITMUS_NODES=3 rule11_cond
page_sealed:50:200,page_captured:50:200     LITMUS_NODES=2 HLRC_HOT_PAGES=0 rule01_release
page_compared:50:200,page_copied:50:200     LITMUS_NODES=2 rule01_release
page_applied:50:200                         LITMUS_NODES=2 rule05_merge
pages_given:50:20000                        LITMUS_NODES=3 rule10_reuse
pages_closed:100:1500                       LITMUS_NODES=2 rule10_held
pages_settled:100:3000,close_taken:30:10000 LITMUS_NODES=2 rule10_held
exclusive_listed:50:200,exclusive_seen:50:200 LITMUS_NODES=3 rule04_first_read
page_twinned:50:300                         LITMUS_NODES=2 HLRC_HOT_PAGES=0 rule01_release
page_fetched:100:500,acquire_noticed:50:300 LITMUS_NODES=2 rule04_access
diff_arrived:100:2000,word_performed:50:100 LITMUS_NODES=3 rule08_words
word_read:100:300                           LITMUS_NODES=2 LITMUS_PROTOCOLS=async rule08_words
part_performed:50:200                       LITMUS_NODES=3 rule04_parts
block_locked:30:200,block_written:30:200    LITMUS_NODES=3 LITMUS_PROTOCOLS=onesided accumulate
fail:5:0,view_failed:50:40000               LITMUS_NODES=2 threads
fail:5:0                                    LITMUS_NODES=2 rule01_release
fail:5:0                                    LITMUS_NODES=2 rule05_merge
fail:5:0                                    LITMUS_NODES=3 rule10_heap
'
for ((round = 1; round <= rounds && failures == 0; round++)); do
    while read -r points command; do
        test -n "$points" || continue
        HLRC_PERTURB=$points env ${command% *} "$litmus/${command##* }" >"$work/out" 2>"$work/err" ||
            fail "HLRC_PERTURB=$points $command: $(head -40 "$work/out" "$work/err")"
    done <<<"$windows"
done
finish
