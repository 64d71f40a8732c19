# SPDX-License-Identifier: LGPL-2.1-or-later
# The pages that scripts/mkman makes of the public headers; tests/manpages.sh fails when this list is not that of
# `scripts/mkman --list`.
api_headers = include/hlrc.h include/hlrc_atomic.h include/hlrc_group.h include/hlrc_memory.h \
	include/hlrc_rma.h include/hlrc_sync.h
API_PAGES_7 = man/hlrc.7
API_PAGES_3 = \
	man/hlrc_acc.3 \
	man/hlrc_acc_nb.3 \
	man/hlrc_acc_strided.3 \
	man/hlrc_acc_strided_nb.3 \
	man/hlrc_acc_vector.3 \
	man/hlrc_acc_vector_nb.3 \
	man/hlrc_acquire.3 \
	man/hlrc_aligned_alloc.3 \
	man/hlrc_alloc.3 \
	man/hlrc_alloc_placed.3 \
	man/hlrc_alloc_uninitialized.3 \
	man/hlrc_atomic_compare_exchange.3 \
	man/hlrc_atomic_create.3 \
	man/hlrc_atomic_destroy.3 \
	man/hlrc_atomic_exchange.3 \
	man/hlrc_atomic_fetch_add.3 \
	man/hlrc_atomic_load.3 \
	man/hlrc_barrier.3 \
	man/hlrc_barrier_arrive.3 \
	man/hlrc_barrier_depart.3 \
	man/hlrc_barrier_test.3 \
	man/hlrc_broadcast.3 \
	man/hlrc_calloc.3 \
	man/hlrc_checkpoint.3 \
	man/hlrc_checkpoint_any.3 \
	man/hlrc_compare_swap.3 \
	man/hlrc_cond_broadcast.3 \
	man/hlrc_cond_create.3 \
	man/hlrc_cond_destroy.3 \
	man/hlrc_cond_signal.3 \
	man/hlrc_cond_wait.3 \
	man/hlrc_cond_wait_for.3 \
	man/hlrc_defer_release.3 \
	man/hlrc_exit.3 \
	man/hlrc_fence.3 \
	man/hlrc_fence_all.3 \
	man/hlrc_fetch_op.3 \
	man/hlrc_finalize.3 \
	man/hlrc_flush.3 \
	man/hlrc_free.3 \
	man/hlrc_free_all.3 \
	man/hlrc_get.3 \
	man/hlrc_get_nb.3 \
	man/hlrc_get_strided.3 \
	man/hlrc_get_strided_nb.3 \
	man/hlrc_get_vector.3 \
	man/hlrc_get_vector_nb.3 \
	man/hlrc_group_barrier.3 \
	man/hlrc_group_broadcast.3 \
	man/hlrc_group_create.3 \
	man/hlrc_group_free.3 \
	man/hlrc_group_reduce.3 \
	man/hlrc_home.3 \
	man/hlrc_init.3 \
	man/hlrc_init_with.3 \
	man/hlrc_lock.3 \
	man/hlrc_lock_create.3 \
	man/hlrc_lock_destroy.3 \
	man/hlrc_lock_for.3 \
	man/hlrc_malloc.3 \
	man/hlrc_malloc_all.3 \
	man/hlrc_mutex_lock.3 \
	man/hlrc_mutex_unlock.3 \
	man/hlrc_node_count.3 \
	man/hlrc_node_id.3 \
	man/hlrc_note_read.3 \
	man/hlrc_place.3 \
	man/hlrc_prefetch.3 \
	man/hlrc_protect.3 \
	man/hlrc_put.3 \
	man/hlrc_put_nb.3 \
	man/hlrc_put_signal.3 \
	man/hlrc_put_strided.3 \
	man/hlrc_put_strided_nb.3 \
	man/hlrc_put_vector.3 \
	man/hlrc_put_vector_nb.3 \
	man/hlrc_realloc.3 \
	man/hlrc_reduce.3 \
	man/hlrc_release.3 \
	man/hlrc_rmw.3 \
	man/hlrc_rmw_compare.3 \
	man/hlrc_rmw_nb.3 \
	man/hlrc_rwlock_create.3 \
	man/hlrc_rwlock_destroy.3 \
	man/hlrc_rwlock_rdlock.3 \
	man/hlrc_rwlock_rdunlock.3 \
	man/hlrc_rwlock_tryrdlock.3 \
	man/hlrc_rwlock_trywrlock.3 \
	man/hlrc_rwlock_wrlock.3 \
	man/hlrc_rwlock_wrunlock.3 \
	man/hlrc_share.3 \
	man/hlrc_stats_get.3 \
	man/hlrc_stats_reset.3 \
	man/hlrc_strerror.3 \
	man/hlrc_test.3 \
	man/hlrc_touch.3 \
	man/hlrc_trylock.3 \
	man/hlrc_unlock.3 \
	man/hlrc_usable_size.3 \
	man/hlrc_version.3 \
	man/hlrc_wait.3 \
	man/hlrc_wait_until.3 \
	man/hlrc_window_create.3 \
	man/hlrc_window_free.3 \
	man/hlrc_word_atomic.3 \
	man/hlrc_word_compare.3 \
	man/hlrc_word_compare_double.3 \
	man/hlrc_word_compare_float.3 \
	man/hlrc_word_compare_int32.3 \
	man/hlrc_word_compare_int64.3 \
	man/hlrc_word_compare_uint32.3 \
	man/hlrc_word_compare_uint64.3 \
	man/hlrc_word_fetch.3 \
	man/hlrc_word_fetch_double.3 \
	man/hlrc_word_fetch_float.3 \
	man/hlrc_word_fetch_int32.3 \
	man/hlrc_word_fetch_int64.3 \
	man/hlrc_word_fetch_nb.3 \
	man/hlrc_word_fetch_uint32.3 \
	man/hlrc_word_fetch_uint64.3 \
	man/hlrc_word_shared.3 \
	man/hlrc_word_window.3

if MANPAGES
nodist_man_MANS = $(API_PAGES_7) $(API_PAGES_3)
endif

# One run makes all pages; the stamp says that it was after the last change.
man/pages.stamp: $(api_headers) scripts/mkman
	$(AM_V_GEN)$(MKDIR_P) man
	$(AM_V_at)$(PERL) $(top_srcdir)/scripts/mkman --out man --version $(PACKAGE_VERSION) $(api_headers:%=$(top_srcdir)/%)
	$(AM_V_at)touch $@
$(API_PAGES_7) $(API_PAGES_3): man/pages.stamp
	@test -f $@ || { rm -f man/pages.stamp; $(MAKE) $(AM_MAKEFLAGS) man/pages.stamp; }

CLEANFILES += man/pages.stamp $(API_PAGES_7) $(API_PAGES_3)
