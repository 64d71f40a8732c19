# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments that are NULL, and handles that no node has created: one line names the call and the argument (misuse.c has the calls, in
# this order).
. "$(dirname "$0")/../lib.sh"
misuse=${MISUSE:-$top_builddir/tests/blackbox/misuse}
test -x "$misuse" || skip "$misuse is not built"

null() { # CALL ARGUMENT
    echo "$1: argument \`$2\` is NULL; pass an address\$"
}
patterns=("$(null hlrc_lock_create lock)" "$(null hlrc_cond_create cond)" "$(null hlrc_atomic_create word)"
    "$(null hlrc_rwlock_create lock)" "$(null hlrc_group_create nodes)" "$(null hlrc_group_create group)"
    "$(null hlrc_stats_get stats)" "$(null hlrc_broadcast buf)" "$(null hlrc_reduce in)" "$(null hlrc_reduce out)"
    "$(null hlrc_word_fetch value)" "$(null hlrc_word_compare expected)" "$(null hlrc_word_compare desired)"
    "$(null hlrc_word_fetch_nb value)" "$(null hlrc_put src)" "$(null hlrc_get dst)"
    "$(null hlrc_put_nb src)" "$(null hlrc_get_nb dst)" "$(null hlrc_put src)" "$(null hlrc_put_strided src)"
    "$(null hlrc_put_strided dst_strides)" "$(null hlrc_get_strided src_strides)" "$(null hlrc_get_strided counts)"
    "$(null hlrc_put_vector src)" "$(null hlrc_get_vector dst)" "$(null hlrc_get_vector dst)" "$(null hlrc_acc src)"
    'hlrc_lock\(70000\): no such lock; ' 'hlrc_unlock\(70001\): no such lock; ' 'hlrc_trylock\(69999\): no such lock; '
    'hlrc_cond_signal\(0\): no such condition variable; ' 'hlrc_cond_broadcast\(1\): no such condition variable; '
    'hlrc_atomic_load\(2\): no such atomic word; ' 'hlrc_atomic_destroy\(3\): no such atomic word; '
    'hlrc_rwlock_rdlock: no such lock; ' 'hlrc_group_barrier\(5\): ' 'hlrc_wait\(0x4d\): ')
for n in "${!patterns[@]}"; do
    protocol=ardmar nodes=2
    [ $((n % 3)) != 1 ] || protocol=async
    [ $((n % 3)) != 2 ] || nodes=1
    run_job $nodes $protocol "$misuse" bad-$n
    expect_status "$n: ${patterns[n]}" 1
    expect_err "$n" "^hlrc: (node 1: )?${patterns[n]}"
done
for nodes in 1 2; do
    run_job $nodes ardmar "$misuse" bad-$((n + 1))
    expect_status "hlrc_init twice" 0
    expect_err "hlrc_init twice" 'hlrc_init: called twice'
    [ "$(grep -c ': done$' "$work/out")" -eq $nodes ] || fail "hlrc_init twice: $(cat "$work/out")"
    run_job $nodes ardmar "$misuse" bad-$((n + 2))
    expect_status "NULL where it is allowed" 0
done
finish
