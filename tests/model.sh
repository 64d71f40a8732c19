# SPDX-License-Identifier: LGPL-2.1-or-later
# The models of doc/model, exhaustively: each configuration must be free of errors, and each deliberately broken variant
# must have one, or the model would not see what it is there for. `make soak` takes larger configurations.
set -u
models=${top_srcdir:-.}/doc/model
models=$(cd "$models" && pwd) || exit 1
cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
count=0

skip() {
    echo "SKIP: the models of the protocol were NOT checked: $*"
    exit 77
}
[ -z "${HLRC_TEST_SANITIZERS:-}" ] || skip "nothing of this build is in them"

fail() {
    echo "FAILED: $*"
}

command -v spin >/dev/null || skip "no spin (Debian: apt-get install spin)"
echo 'int main(void) { return 0; }' >"$work/true.c"
$cc -o "$work/true" "$work/true.c" 2>/dev/null || skip "no C compiler ($cc)"

# Compiling takes 0.03 s with tcc, 1.5 with gcc -O0, 4 with -Og and 15 with -O2, a million states 6, 6, 1.7 and 1.5 s:
# $optimize is for searches of more than a million that end with an error, and $small for those of fewer without one.
quick=$(command -v tcc || echo "$cc")
optimize=-O0
small=
# A third of the memory, half as much time again; without it two searches at a time need 5 GB.
compressed=-DCOLLAPSE
[ -n "${HLRC_SOAK:-}" ] || [ "$(awk '/^MemAvailable/ { print int($2 / 1e6) }' /proc/meminfo)" -lt 12 ] || compressed=
# What can happen is tried in the order of the model; -DT_REVERSE tries it from the other end, which finds some errors sooner,
# and $seed in an order drawn from it.
order=
seed=

# verify MODEL -DFLAGS...: state space and result in $out; false when it did not even run
verify() {
    local model=$1
    shift
    (
        table=25 states=
        [ "$model" != protocol ] && [ -z "${HLRC_SOAK:-}" ] || states=$compressed
        [ -z "$seed" ] || order='-DT_RAND -DP_RAND -DRANDOMIZE=7'
        [ "$optimize" != -O0 ] || { cc=$quick table=20; } # 2^20 places; 256 MiB take longer to have than a small search
        cd "$work" && spin -a "$@" "$models/$model.pml" &&
            $cc $optimize $order -w -DSAFETY $states -DMEMLIM=4000 -o pan pan.c &&
            ./pan -m20000 -w$table ${seed:+-RS$seed}
    ) >"$work/log" 2>&1
    out=$(sed -nE 's/^State-vector.*errors: ([0-9]+)$/errors: \1/p; s/^ *([0-9.e+]+) states, stored.*/, \1 states/p;
        s/^pan: elapsed time ([0-9.]+ seconds)/, \1/p' "$work/log" | tr -d '\n')
    [ -n "$out" ]
}

# An exhaustive search says neither that it was cut short nor that the stack was too small.
good() {
    local what="$*" optimize=${small:+-O0}
    optimize=${optimize:-${HLRC_SOAK:+-O2}}
    optimize=${optimize:--Og}
    if ! verify "$@" || grep -qE 'Search not completed|max search depth too small|out of memory|aborted' "$work/log" ||
        ! grep -q 'errors: 0$' "$work/log"; then
        fail "$what: not exhaustively free of errors"
        tail -20 "$work/log"
        return
    fi
    echo "ok      $what: $out"
}

bad() {
    local what="$*"
    if ! verify "$@" || ! grep -qE 'errors: [1-9]' "$work/log"; then
        fail "$what: broken on purpose, and no error found"
        tail -20 "$work/log"
        return
    fi
    echo "broken  $what: $out: $(sed -n 's/^pan:1: //p' "$work/log")"
}

# search good|bad MODEL -DFLAGS...: in a folder of its own, as many at a time as there are CPUs
search() {
    while [ "$(jobs -rp | wc -l)" -ge "$slots" ]; do wait -n; done
    count=$((count + 1))
    mkdir "$work/$count"
    (work=$work/$count; "$@") >"$work/$count.out" &
}
slots=$(nproc 2>/dev/null || echo 1)

search good protocol
search good protocol -DDUO -DOPERATIONS=2 -DHOT
search good protocol -DDUO -DOPERATIONS=2 -DALONE
small=yes search good protocol -DDUO -DOPERATIONS=2 -DLAZY
small=yes search good protocol -DDUO -DOPERATIONS=2 -DEVICT=2
small=yes search good protocol -DDUO -DOPERATIONS=2 -DEVICT=1 -DLAZY
search good protocol -DDUO -DOPERATIONS=3 -DWRITTEN
small=yes search good protocol -DDUO -DOPERATIONS=3 -DWRITTEN -DRENEW
search good protocol -DDUO -DOPERATIONS=3 -DRENEW
small=yes search good protocol -DDUO -DOPERATIONS=2 -DRENEW -DEXPECT
for also in HOT LAZY EVICT=1; do
    search good protocol -DDUO -DOPERATIONS=2 -DRENEW -D$also
done
for variant in FORGOTTEN OWN_LOST; do
    search bad protocol -DDUO -DOPERATIONS=3 -DRENEW -DRENEW_$variant
done
search bad protocol -DDUO -DOPERATIONS=3 -DRENEW -DREFUSED_NEEDS_NOTHING
search bad protocol -DDUO -DOPERATIONS=4 -DRENEW -DRENEW_IN_PLACE
seed=9 search bad protocol -DDUO -DOPERATIONS=4 -DRENEW -DRENEW_LATE
for variant in UNMARKED DIRTY HOME BUSY; do
    search bad protocol -DDUO -DOPERATIONS=2 -DEVICT=1 -DEVICT_$variant
done
for variant in PAGE_BEFORE_VERSION NO_VERSION_CHECK CAS_AS_READ_WRITE BUMP_FIRST LOSE_NOTICE GRANT_BEFORE_PUBLISH \
    FORGET_DIRTY HOME_KEEPS_ACCESS FORGET_NEEDED_SELF MERGE_LOSES_OWN WHOLE_PAGE DIFFS_OVERTAKE; do
    search bad protocol -D$variant
done
order=-DT_REVERSE search bad protocol -DDUO -DOPERATIONS=3 -DVT_FIRST
search bad protocol -DDUO -DOPERATIONS=3 -DEARLY_WRITE
optimize=-Og search bad protocol -DDUO -DOPERATIONS=4 -DHOT -DLAZY -DMARK_LOOKED_ONCE
for variant in READ_TWICE OFF_THE_LIST CLEAN_LOOKED_ONCE; do
    search bad protocol -DDUO -DOPERATIONS=3 -DHOT -D$variant
done
search bad protocol -DDUO -DOPERATIONS=3 -DALONE -DNEVER_ANNOUNCED
seed=11 search bad protocol -DDUO -DOPERATIONS=3 -DALONE -DLATE_MARK
seed=5 search bad protocol -DDUO -DOPERATIONS=3 -DALONE -DLOOKED_BEFORE_LISTED
seed=21 search bad protocol -DDUO -DOPERATIONS=3 -DALONE -DNO_ARRIVALS
order=-DT_REVERSE optimize=-Og search bad protocol -DDUO -DOPERATIONS=3 -DALONE -DSEEN_LATE

for variant in LAZY_UNPUBLISHED NOT_LISTED LAZY_ASKED MARK_OF_THIS MARK_LATE; do
    order=-DT_REVERSE search bad protocol -DDUO -DOPERATIONS=3 -DLAZY -D$variant
done
seed=3 search bad protocol -DDUO -DOPERATIONS=3 -DLAZY -DTWO_OWNERS

search good intervals
search good intervals -DHOME -DOPERATIONS=2
for variant in UNLOCK_UNFENCED RELEASE_UNFENCED CLOSER_UNFENCED; do
    search bad intervals -DOPERATIONS=2 -D$variant
done
for variant in LOOK_UNFENCED READER_UNFENCED; do
    order=-DT_REVERSE search bad intervals -DHOME -DOPERATIONS=2 -D$variant
done
search bad intervals -DHOME -DOPERATIONS=2 -DLIST_UNFENCED

search good words
small=yes search good words -DUNTOUCHED -DOPERATIONS=2
for thread in 0 1 3; do
    small=yes search good words -DSTORED=$thread -DOPERATIONS=2
done
search bad words -DSTORED=3 -DOPERATIONS=2 -DWORD_STALE
for variant in WORD_DIFF_ON_ITS_WAY WORD_STORE_UNSENT; do
    search bad words -DSTORED=1 -DOPERATIONS=2 -D$variant
done
for variant in WORD_BY_THE_WAY WORD_TWICE_AT_ONCE WORD_NOT_HERE WORD_EMPTY_UNSENT PART_STALE_COPIED PART_UNTOLD; do
    search bad words -D$variant
done
order=-DREVERSE search bad words -DWORD_IN_THE_DIFF
order=-DREVERSE search bad words -DUNTOUCHED -DHANDLED -DWORD_SAME_TWIN
seed=2 search bad words -DPART_UNINTRODUCED
search bad words -DUNTOUCHED -DWORD_UNLISTED
for variant in WORD_OPEN_STALE PART_PAST_OWN_STORES PART_BEFORE_DIFFS; do
    order=-DREVERSE search bad words -DUNTOUCHED -D$variant
done

small=yes search good room
for variant in ROOM_QUIET OWN_QUIET; do
    search bad room -D$variant
done

search good homes -DWRITES=0
seed=2 search bad homes -DNOT_HELD
seed=1 search bad homes -DNOT_SETTLED
for variant in COPIES_STAY INCOMPLETE VERSIONS_STAY WITHOUT_ALL; do
    search bad homes -D$variant
done

search good locks
for variant in TIME_READ_FIRST TIME_AFTER_FREE WORD_FIRST CLEARED_LATE NOT_CLOSED NEXT_NOT_AWAITED; do
    search bad locks -D$variant
done
seed=1 search bad locks -DLOCAL_FOR_EVER
small=yes search good locks -DREADS -DOPERATIONS=3
for variant in TIME_NEVER_RENEWED TIME_OF_BEFORE; do
    search bad locks -DREADS -DOPERATIONS=3 -D$variant
done

small=yes search good conds
for variant in GUARD_LEFT_EARLY GRANTED_FIRST REGISTERED_LATE UNCLOSED; do
    search bad conds -D$variant
done

small=yes search good pairs
small=yes search good pairs -DMEMBERS=3 -DMEMORY
for variant in ROUNDS_SHARE SLOT_OVERWRITTEN SENT_UNMERGED WORD_FIRST; do
    search bad pairs -D$variant
done
search bad pairs -DMEMBERS=3 -DROUND_MISSING
for variant in ASKS_LATE LOOKED_FIRST WAKES_UNASKED; do
    search bad pairs -DMEMBERS=3 -DMEMORY -D$variant
done

small=yes search good order
for variant in ORDER_NUMBER_FIRST ORDER_OWN_ONLY ORDER_ACQUIRED_EARLY ORDER_READ_EARLY; do
    search bad order -D$variant
done

small=yes search good counters
small=yes search good counters -DTREE
small=yes search good counters -DTREE -DN=3
for variant in COUNTED_ONCE SLOT_LATE WORD_FIRST; do
    search bad counters -DTREE -D$variant
done

small=yes search good checkpoint
for variant in RETURNS_EARLY OVERLAP ENDS_EARLY MANIFEST_EARLY HALF_COUNTED STORES_UNSEEN VERSIONS_UNSEEN; do
    search bad checkpoint -D$variant
done

search good partner
small=yes search good partner -DSTORES=2
for variant in MANIFEST_EARLY NOT_COPIED NEWER_KEPT; do
    search bad partner -D$variant
done
search bad partner -DSTORES=2 -DSAME_STORE

small=yes search good notices
for variant in TABLED_LATE OLDEST_LATE OLDEST_READ_FIRST LAST_READ_LATE LONG_LOST; do
    search bad notices -D$variant
done

small=yes search good diffs
small=yes search good diffs -DREADER -DINTERVALS=5
for variant in TAKEN_FOR_OWN HIDDEN TWIN_KEPT; do
    search bad diffs -D$variant
done
for variant in SLOT_REUSED UNAWAITED; do
    search bad diffs -DREADER -D$variant
done

small=yes search good given
for variant in HELD_EARLY HELD_LATE; do
    search bad given -D$variant
done

search good standstill
for variant in UNHELD ONE_LOOK SIGNALS_IGNORED; do
    search bad standstill -D$variant
done

search good progress -DAPPS=1 -DIDLE
small=yes search good progress -DAPPS=2 -DUNHANDLED
for variant in NO_ALERT_FENCE NO_ARM_FENCE NO_RECHECK NO_LOOK_AFTER_DROP NO_LEVEL_RECHECK NO_WAITER_COUNT \
    ALERT_STORES NO_WAKE_FENCE NO_SLEEP_FENCE LATE_TICKET LOCK_AS_FLAG; do
    search bad progress -DAPPS=1 -D$variant
done
for variant in PASSED_UNTOLD HANDLER_FORGETS; do
    order=-DREVERSE search bad progress -DAPPS=1 -D$variant
done
seed=2 search bad progress -DAPPS=1 -DRELAXED_LOCK
for variant in NOT_OVERTAKEN HAND_ON_QUIET; do
    order='-DREVERSE -DT_REVERSE' search bad progress -DAPPS=1 -DIDLE -D$variant
done
for variant in LEFT_UNSERVED UNSERVED_UNSEEN WAKE_KEPT PASSED_ON_ARMED; do
    search bad progress -DAPPS=2 -DUNHANDLED -D$variant
done

# by_chance MODEL -DFLAGS...: broken, where the shortest way to an error is too long for a complete search
by_chance() {
    local what="$*" model=$1 seed
    shift
    (cd "$work" && spin -a "$@" "$models/$model.pml" &&
        $cc -O1 -w -DSAFETY -DBITSTATE -DRANDOMIZE=7 -DT_RAND -DP_RAND -o pan pan.c) >"$work/log" 2>&1
    for seed in 1 2 3 4 5 6; do
        (cd "$work" && timeout 300 ./pan -m20000 -w30 -RS$seed) >"$work/log" 2>&1
        grep -qE 'errors: [1-9]' "$work/log" && echo "broken  $what: by chance, seed $seed" && return
    done
    fail "$what: broken on purpose, and no error found"
}

if [ -n "${HLRC_SOAK:-}" ]; then
    search by_chance protocol -DDUO -DOPERATIONS=3 -DLAZY -DALONE -DGRANT_UNLOOKED
    search good protocol -DOPERATIONS=5
    search good protocol -DDUO -DOPERATIONS=3
    search good protocol -DDUO -DOPERATIONS=4
    search good protocol -DDUO -DOPERATIONS=3 -DLAZY
    search good protocol -DDUO -DOPERATIONS=2 -DRENEW -DALONE
    search good protocol -DDUO -DOPERATIONS=3 -DHOT
    search good protocol -DDUO -DOPERATIONS=3 -DALONE
    search good protocol -DDUO -DOPERATIONS=2 -DALONE -DHOT
    search good protocol -DDUO -DOPERATIONS=2 -DLAZY -DALONE
    search good protocol -DDUO -DOPERATIONS=2 -DLAZY -DHOT
    search good protocol -DDUO -DOPERATIONS=3 -DEVICT=2
    search good protocol -DDUO -DOPERATIONS=2 -DEVICT=1 -DALONE
    search good protocol -DDUO -DOPERATIONS=2 -DEVICT=1 -DHOT
    search good protocol -DDUO -DOPERATIONS=4 -DRENEW
    search good protocol -DDUO -DOPERATIONS=4 -DWRITTEN
    search good protocol -DDUO -DOPERATIONS=2 -DWRITTEN -DALONE
    optimize=-Og search bad protocol -DDUO -DOPERATIONS=4 -DNO_INSTALL_CHECK
    optimize=-Og search bad protocol -DDUO -DOPERATIONS=4 -DWRITTEN -DWRITTEN_UNSEEN
    search good intervals -DHOME
    search good words -DUNTOUCHED
    search good words -DHANDLED
    search good homes
    search good locks -DREADS
    search good conds -DTOKENS=6
    search good pairs -DMEMORY -DMEETINGS=1
    search good partner -DN=4
    search good checkpoint -DCHECKPOINTS=3
    search good notices -DINTERVALS=5
    search good notices -DWIDE
    search good diffs -DINTERVALS=3
    search good standstill -DOPERATIONS=5
    search good progress -DAPPS=1
    search good progress -DAPPS=1 -DURGENT_ANSWERS
    search good progress -DAPPS=2
fi

wait
for ((i = 1; i <= count; i++)); do cat "$work/$i.out"; done
failures=$(cat "$work"/*.out | grep -c '^FAILED')
echo "$count searches, $failures failed"
[ "$failures" -eq 0 ]
