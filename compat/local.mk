# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that know nothing of HLRC: what they are compiled by, and linked with.
# Macros that make programs of POSIX threads, which m4 expands.
dist_pkgdata_DATA += compat/parmacs/c.m4.hlrc

EXTRA_DIST += compat/compat.map compat/cc/as.in compat/cc/hlrcc.in compat/cc/libgomp.spec compat/start/begin.c

if COMPAT
lib_LTLIBRARIES += libhlrc_compat.la
libhlrc_compat_la_SOURCES = \
	base/procfs.c base/procfs.h base/stack_switch.c base/stack_switch.h base/tasks.c base/tasks.h \
	compat/start/exceptions.c compat/start/exceptions.h compat/start/fork.c compat/start/fork.h compat/start/fresh.c compat/start/fresh.h \
	compat/start/early.c compat/start/early.h \
	compat/start/fail.c \
	compat/start/heap.c compat/start/heap.h \
	compat/start/image.c compat/start/image.h \
	compat/start/lane.c compat/start/lane.h compat/start/last_thread.c compat/start/last_thread.h \
	compat/start/numbers.h \
	compat/start/reload.c compat/start/reload.h \
	compat/start/layers.c compat/start/layers.h \
	compat/start/modes.h \
	compat/start/start.c compat/start/start.h \
	compat/start/tls.c compat/start/tls.h \
	compat/start/variables.c compat/start/variables.h \
	compat/process/aio.c compat/process/bind.c compat/process/bind.h compat/process/calls.c compat/process/carry.c compat/process/carry.h compat/process/catcher.c compat/process/catcher.h compat/process/children.c compat/process/claim.c compat/process/claim.h \
	compat/process/clocks.c compat/process/clocks.h \
	compat/process/delegate.c compat/process/delegate.h compat/process/direct.c compat/process/endings.c compat/process/fortran.c compat/process/handles.c compat/process/handles.h compat/process/here.h \
	compat/process/inherit.c compat/process/inherit.h \
	compat/process/locale_slot.c compat/process/locale_slot.h compat/process/locales.c \
	compat/process/mapping.c compat/process/messages.c compat/process/memory.c compat/process/memory.h compat/process/names.c compat/process/netdb.c compat/process/names.h compat/process/pending.c compat/process/queues.c compat/process/random.c compat/process/pending.h \
	compat/process/search.c compat/process/signals.c compat/process/signals.h compat/process/close.c compat/start/descriptors.c compat/start/descriptors.h compat/process/state.c compat/process/stdio.c compat/process/stdio_format.h compat/process/streams.c compat/process/streams.h compat/process/users.c compat/process/zones.c compat/process/zones.h \
	compat/openmp/task_state.c compat/openmp/task_state.h \
	compat/openmp/api.c compat/openmp/api.h compat/openmp/api_lock.c compat/openmp/api_memory.c compat/openmp/api_target.c \
	compat/openmp/atomics.c compat/openmp/atomics.h \
	compat/openmp/mailbox.c compat/openmp/mailbox.h \
	compat/openmp/scheduler.c compat/openmp/scheduler.h \
	compat/openmp/depend.c compat/openmp/depend.h \
	compat/openmp/detach.c compat/openmp/detach.h compat/openmp/display.c \
	compat/openmp/doacross.c compat/openmp/doacross.h \
	compat/openmp/steal.c compat/openmp/steal.h \
	compat/openmp/fence.c compat/openmp/fence.h \
	compat/openmp/team_size.c compat/openmp/team_cancel.c compat/openmp/team_collect.c compat/openmp/team_collect.h \
	compat/openmp/team_watch.c compat/openmp/team_watch.h \
	compat/openmp/gather.c compat/openmp/gather.h \
	compat/openmp/gomp.h compat/openmp/gomp_cancel.c compat/openmp/gomp_doacross.c compat/openmp/gomp_loop.c \
	compat/openmp/gomp_reduction.c compat/openmp/gomp_sync.c compat/openmp/gomp_task.c \
	compat/openmp/gomp_target.c compat/openmp/gomp_team.c \
	compat/openmp/kmpc.h compat/openmp/kmpc_loop.c compat/openmp/kmpc_reduction.c compat/openmp/kmpc_sync.c \
	compat/openmp/kmpc_task.c compat/openmp/kmpc_team.c \
	compat/openmp/taskgroup.c compat/openmp/taskgroup.h \
	compat/openmp/retained.c compat/openmp/retained.h \
	compat/openmp/lock_word.h compat/openmp/locks.h \
	compat/openmp/loop.c compat/openmp/loop.h \
	compat/openmp/missing.c \
	compat/openmp/places.c compat/openmp/places.h \
	compat/openmp/reduction.c compat/openmp/reduction.h \
	compat/openmp/settings.c compat/openmp/settings.h \
	compat/openmp/share.h \
	compat/openmp/task.c compat/openmp/task.h \
	compat/openmp/team.c compat/openmp/team.h \
	compat/openmp/team_extra.c compat/openmp/team_extra.h \
	compat/openmp/team_grow.c compat/openmp/team_grow.h \
	compat/openmp/team_modes.c compat/openmp/team_modes.h \
	compat/openmp/team_nest.c compat/openmp/team_nest.h \
	compat/openmp/team_place.c compat/openmp/team_place.h \
	compat/openmp/team_plan.c compat/openmp/team_plan.h compat/openmp/team_run.h \
	compat/openmp/tsan.c compat/openmp/wide.h \
	compat/pthread/agent.c compat/pthread/agent.h compat/pthread/sole.c compat/pthread/sole.h \
	compat/pthread/balance.c compat/pthread/balance.h \
	compat/pthread/barrier.c compat/pthread/c11.c compat/pthread/cancel.c compat/pthread/cancel.h compat/pthread/cond.c compat/pthread/cxx.c compat/pthread/describe.c \
	compat/pthread/futex.c compat/pthread/interrupt.c compat/pthread/interrupt.h \
	compat/pthread/limits.c compat/pthread/limits.h compat/pthread/keys.c compat/pthread/keys.h compat/pthread/kill.c compat/pthread/kill.h \
	compat/pthread/monitor.c compat/pthread/monitor.h \
	compat/pthread/move.c compat/pthread/move.h compat/pthread/mutex.c compat/pthread/mutex.h \
	compat/pthread/mutex_word.c compat/pthread/mutex_word.h \
	compat/pthread/object_lock.c compat/pthread/object_lock.h \
	compat/pthread/once.c compat/pthread/once.h \
	compat/pthread/refuse.c compat/pthread/refuse.h \
	compat/pthread/restored.c \
	compat/pthread/rwlock.c compat/pthread/sem.c \
	compat/pthread/table.c compat/pthread/table.h compat/pthread/texts.c \
	compat/pthread/threads.c compat/pthread/threads.h \
	compat/pthread/wrap.h
# Exceptions of the program, and the end of a thread, pass through.
libhlrc_compat_la_CFLAGS = $(AM_CFLAGS) -fexceptions
# libhlrc by its file: libtool has dependencies of libraries by their whole paths, in which it takes no spaces.
libhlrc_compat_la_LDFLAGS = -Wl,.libs/libhlrc.so -pthread -no-undefined -version-info 0:0:0 -shared \
	-Wl,--version-script=$(top_srcdir)/compat/compat.map
libhlrc_compat_la_LIBADD = -lm
libhlrc_compat_la_DEPENDENCIES = libhlrc.la compat/compat.map

# One script by three names; what it needs besides is in a folder of its own, beside a build as installed.
bin_SCRIPTS = hlrcc
compatdir = $(pkglibexecdir)
nodist_compat_DATA = compat/beside/libgomp.spec compat/beside/begin.o compat/beside/names
nodist_compat_SCRIPTS = compat/beside/as
CLEANFILES += hlrcc hlrc++ hlrcfort compat/beside/libgomp.spec compat/beside/as compat/beside/begin.o compat/beside/names
# Options for the linker, as arguments of the compiler.
compat/beside/names: compat/process/names.h
	$(AM_V_GEN)$(MKDIR_P) compat/beside && sed '/^[A-Z_]*(\|^      /!d; s/^[A-Z_]*([0-9],//; s/[ )]//g' $(top_srcdir)/compat/process/names.h | tr , '\n' | \
		sed '/./!d; s/^/-Wl,--wrap=/' >$@.tmp && mv $@.tmp $@
compat/beside/begin.o: compat/start/begin.c compat/start/early.h compat/process/bind.h compat/process/handles.h
	$(AM_V_GEN)$(MKDIR_P) compat/beside && $(CC) $(CPPFLAGS) -I$(top_srcdir) -O2 -fno-lto -fno-pie $(DIRECT_ACCESS) -c $(top_srcdir)/compat/start/begin.c -o $@.tmp && mv $@.tmp $@
compat/beside/libgomp.spec: compat/cc/libgomp.spec
	$(AM_V_GEN)$(MKDIR_P) compat/beside && cp $(top_srcdir)/compat/cc/libgomp.spec $@
compat/beside/as: compat/cc/as.in
	$(AM_V_GEN)$(MKDIR_P) compat/beside && sed 's|@CPU@|$(host_cpu)|' $(top_srcdir)/compat/cc/as.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
hlrcc: compat/cc/hlrcc.in Makefile compat/beside/libgomp.spec compat/beside/as compat/beside/begin.o compat/beside/names
	$(AM_V_GEN)sed -e 's|@LIBDIR@|$(libdir)|; s|@PKGLIBDIR@|$(pkglibexecdir)|; s|@INCLUDEDIR@|$(includedir)|' \
		-e 's|@SRC@|$(abs_top_srcdir)|; s|@CPU@|$(host_cpu)|' $(top_srcdir)/compat/cc/hlrcc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
	$(AM_V_at)for name in hlrc++ hlrcfort; do rm -f $$name && $(LN_S) hlrcc $$name || exit 1; done
dist_man1_MANS = compat/cc/hlrcc.1 compat/cc/hlrc++.1 compat/cc/hlrcfort.1
install-exec-hook: compat-names
compat-names:
	cd '$(DESTDIR)$(bindir)' && for name in hlrc++ hlrcfort; do rm -f $$name && $(LN_S) hlrcc $$name || exit 1; done
uninstall-hook: compat-names-gone
compat-names-gone:
	cd '$(DESTDIR)$(bindir)' && rm -f hlrc++ hlrcfort
endif

# Interfaces of other systems: a library each, above the public interface, for programs that include its header as they did.
# Theirs are in a folder of their own, so that a program gets them only where it asks for them (hlrc-tmk.pc and its like).
dsm_ldflags = -Wl,.libs/libhlrc.so $(SANITIZER_FLAGS) -pthread -no-undefined -version-info 0:0:0
dsmincludedir = $(includedir)/hlrc

lib_LTLIBRARIES += libhlrc_tmk.la libhlrc_jia.la libhlrc_shmem.la libhlrc_armci.la
dsminclude_HEADERS = compat/treadmarks/Tmk.h compat/jiajia/jia.h compat/shmem/shmem.h compat/shmem/shmem_generic.h compat/armci/armci.h compat/armci/message.h compat/armci/parmci.h
pkgconfig_DATA += hlrc-tmk.pc hlrc-jia.pc hlrc-shmem.pc hlrc-armci.pc
dist_man7_MANS = compat/treadmarks/tmk.7 compat/jiajia/jia.7 compat/shmem/shmem.7 compat/armci/armci.7

libhlrc_tmk_la_SOURCES = \
	compat/fail.c compat/fail.h \
	compat/treadmarks/distribute.c compat/treadmarks/distribute.h \
	compat/treadmarks/messages.c \
	compat/treadmarks/place.c compat/treadmarks/place.h \
	compat/treadmarks/sched.c compat/treadmarks/sched.h \
	compat/treadmarks/tmk.c
libhlrc_tmk_names = ^Tmk_
libhlrc_tmk_la_LDFLAGS = $(dsm_ldflags) -export-symbols-regex '$(libhlrc_tmk_names)'
libhlrc_tmk_la_LINK = $(link_local) '$(libhlrc_tmk_names)' $(link_library) $(libhlrc_tmk_la_LDFLAGS) $(LDFLAGS) -o $@
libhlrc_tmk_la_DEPENDENCIES = libhlrc.la scripts/local-names

libhlrc_jia_la_SOURCES = \
	compat/fail.c compat/fail.h \
	compat/jiajia/jia.c compat/jiajia/jiajia.c compat/jiajia/jiajia.h \
	compat/jiajia/load.c \
	compat/jiajia/message.c
libhlrc_jia_names = ^jia_
libhlrc_jia_la_LDFLAGS = $(dsm_ldflags) -export-symbols-regex '$(libhlrc_jia_names)'
libhlrc_jia_la_LINK = $(link_local) '$(libhlrc_jia_names)' $(link_library) $(libhlrc_jia_la_LDFLAGS) $(LDFLAGS) -o $@
libhlrc_jia_la_DEPENDENCIES = libhlrc.la scripts/local-names

# What is symmetric lies in windows for put and get.
libhlrc_shmem_la_SOURCES = \
	compat/fail.c compat/fail.h \
	compat/shmem/amo.c \
	compat/shmem/coll.c \
	compat/shmem/data.c \
	compat/shmem/group.c \
	compat/shmem/heap.c \
	compat/shmem/inner.c compat/shmem/inner.h \
	compat/shmem/job.c \
	compat/shmem/lock.c \
	compat/shmem/reduce.c \
	compat/shmem/refuse.c \
	compat/shmem/rma.c \
	compat/shmem/team.c \
	compat/shmem/wait.c
libhlrc_shmem_names = ^(shmem_|start_pes|_my_pe|_num_pes|sh(malloc|memalign|realloc|free)$$)
libhlrc_shmem_la_LDFLAGS = $(dsm_ldflags) -export-symbols-regex '$(libhlrc_shmem_names)'
libhlrc_shmem_la_LINK = $(link_local) '$(libhlrc_shmem_names)' $(link_library) $(libhlrc_shmem_la_LDFLAGS) $(LDFLAGS) -o $@
libhlrc_shmem_la_DEPENDENCIES = libhlrc.la scripts/local-names

libhlrc_armci_la_SOURCES = \
	compat/fail.c compat/fail.h \
	compat/armci/comm.c \
	compat/armci/group.c \
	compat/armci/handle.c \
	compat/armci/heap.c \
	compat/armci/inner.h \
	compat/armci/job.c \
	compat/armci/mail.c \
	compat/armci/memget.c \
	compat/armci/memory.c \
	compat/armci/message.c \
	compat/armci/move.c \
	compat/armci/start.c \
	compat/armci/value.c
libhlrc_armci_names = ^(P?ARMCI_|p?armci_(msg_|notify|domain_|timer|(read|write)_strided))
libhlrc_armci_la_LDFLAGS = $(dsm_ldflags) -export-symbols-regex '$(libhlrc_armci_names)'
libhlrc_armci_la_LINK = $(link_local) '$(libhlrc_armci_names)' $(link_library) $(libhlrc_armci_la_LDFLAGS) $(LDFLAGS) -o $@
libhlrc_armci_la_DEPENDENCIES = libhlrc.la scripts/local-names

# In the place of ThreadSanitizer's runtime: which bytes a program reads, for --check races.
lib_LTLIBRARIES += libhlrc_reads.la
libhlrc_reads_la_SOURCES = compat/reads/reads.c
libhlrc_reads_names = ^__tsan_
libhlrc_reads_la_LDFLAGS = $(dsm_ldflags) -export-symbols-regex '$(libhlrc_reads_names)'
libhlrc_reads_la_LINK = $(link_local) '$(libhlrc_reads_names)' $(link_library) $(libhlrc_reads_la_LDFLAGS) $(LDFLAGS) -o $@
libhlrc_reads_la_DEPENDENCIES = libhlrc.la scripts/local-names
