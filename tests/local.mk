# SPDX-License-Identifier: LGPL-2.1-or-later
# A test exits 0 (passed), 77 (skipped, reason printed) or anything else (failed). In the environment of every
# test: top_srcdir, top_builddir (absolute), CC, CXX, PERL, MAKE, HLRC_TEST_SANITIZERS (flags, or empty).

# Time limits that a busy machine does not exceed: for programs, and for scripts as timeout(1).
check_PROGRAMS += tests/within
tests_within_LDADD = tests/libtests.a

# By default a program has one source file, the functions that tests share, and the library as a program of a user links it.
LDADD = tests/libtests.a libhlrc.la
check_LIBRARIES = tests/libtests.a
tests_libtests_a_SOURCES = tests/litmus/litmus.c tests/litmus/litmus.h tests/time_limit.c tests/time_limit.h

# The first tier, make check: at most 20 s each on an idle machine. SHELL_TESTS run in every build; ONCE_TESTS only without
# sanitizers, which would find nothing in what they test: texts, sources, other compilers' programs.
# The later tier, make check-all. They are scripts, for which make needs no rule each, and which it runs before programs.
# tests/covers.txt says which files some of them test. Where tests run side by side, an emulated machine, whose processors
# compute all the time, is first, beside scripts of the first tier, many of which wait; the next ones are beside other
# scripts that wait. Jobs with more nodes than processors take several times as long beside them. The last scripts use all
# processors by themselves.
EMULATED_TESTS = tests/guest/verbs.sh
LATER_TESTS =
LATER_ONCE_TESTS = tests/pmix/two_guests.sh tests/aarch64.sh tests/kill.sh tests/install.sh tests/recipes.sh \
	tests/launch/many.sh tests/launch/gdb.sh
WIDE_ONCE_TESTS = tests/byhand.sh tests/model.sh
ONCE_TESTS =

SHELL_TESTS = tests/launch/bad.sh tests/launch/bind.sh tests/launch/death.sh tests/launch/defaults.sh \
	tests/launch/exchange.sh tests/launch/limits.sh tests/launch/look.sh tests/launch/options.sh \
	tests/launch/memory.sh tests/launch/mixed.sh tests/launch/output.sh tests/launch/path.sh tests/launch/run.sh \
	tests/launch/several.sh tests/launch/signals.sh tests/launch/stats.sh tests/launch/timeline.sh tests/within.sh

ONCE_TESTS += tests/abi.sh tests/exports.sh tests/header.sh tests/manpages.sh tests/tiers.sh tests/launch/completion.sh tests/launch/dumping.sh tests/launch/info.sh tests/launch/sanitizers.sh tests/launch/secure.sh tests/launch/valgrind.sh

# Unit tests link the internals and cmocka.
AM_CPPFLAGS += $(CMOCKA_CFLAGS)
UNIT_TESTS =
if CMOCKA
UNIT = libhlrc_core.la $(CMOCKA_LIBS)
UNIT_TESTS += tests/unit/addresses tests/unit/ahead tests/unit/async tests/unit/backoff tests/unit/bench tests/unit/config \
	tests/unit/copies tests/unit/defaults tests/unit/depend tests/unit/diff tests/unit/diff_merge \
	tests/unit/events tests/unit/fault tests/unit/futex tests/unit/heap tests/unit/json tests/unit/judge \
	tests/unit/locality tests/unit/lock_word tests/unit/mutex_word tests/unit/need tests/unit/notice tests/unit/notice_read tests/unit/page \
	tests/unit/page_word tests/unit/pairs tests/unit/parse tests/unit/policy tests/unit/policy_threads tests/unit/procfs \
	tests/unit/profile tests/unit/progress tests/unit/renew tests/unit/size tests/unit/stack_switch \
	tests/unit/stats tests/unit/timeline tests/unit/view
tests_unit_addresses_LDADD = libhlrc_core.la
tests_unit_ahead_LDADD = $(UNIT)
tests_unit_async_LDADD = $(UNIT)
tests_unit_async_LDFLAGS = -Wl,--wrap=msg_slot,--wrap=page_set_home,--wrap=exclusive_reader
tests_unit_backoff_LDADD = $(UNIT)
tests_unit_backoff_LDFLAGS = -Wl,--wrap=sched_yield,--wrap=nanosleep
tests_unit_bench_LDADD = libmicrobench.la $(CMOCKA_LIBS)
tests_unit_config_LDADD = $(UNIT)
tests_unit_copies_LDADD = $(UNIT)
tests_unit_copies_LDFLAGS = -Wl,--wrap=page_at,--wrap=page_lock,--wrap=page_unlock,--wrap=page_held \
	-Wl,--wrap=page_view_change_marked,--wrap=page_view_mend,--wrap=progress_changed,--wrap=headroom_now
tests_unit_defaults_LDADD = $(UNIT)
tests_unit_depend_SOURCES = tests/unit/depend.c compat/openmp/depend.c
tests_unit_depend_CPPFLAGS = $(AM_CPPFLAGS)
tests_unit_depend_LDADD = $(CMOCKA_LIBS)
tests_unit_diff_LDADD = $(UNIT)
tests_unit_diff_merge_LDADD = $(UNIT)
tests_unit_events_LDADD = $(UNIT)
tests_unit_fault_LDADD = $(UNIT)
tests_unit_fault_LDFLAGS = -Wl,--wrap=page_access
tests_unit_futex_LDADD = $(UNIT)
tests_unit_heap_LDADD = $(UNIT)
tests_unit_json_LDADD = $(UNIT)
tests_unit_judge_LDADD = $(UNIT)
tests_unit_locality_LDADD = $(UNIT)
tests_unit_lock_word_LDADD = $(CMOCKA_LIBS) -lpthread
tests_unit_mutex_word_SOURCES = tests/unit/mutex_word.c compat/pthread/mutex.c compat/pthread/mutex_word.c \
	compat/pthread/object_lock.c
tests_unit_mutex_word_CPPFLAGS = $(AM_CPPFLAGS)
tests_unit_mutex_word_LDADD = $(CMOCKA_LIBS) -lpthread
tests_unit_need_LDADD = $(UNIT)
tests_unit_notice_LDADD = $(UNIT)
tests_unit_notice_LDFLAGS = -Wl,--wrap=page_invalidate,--wrap=progress_wait \
	-Wl,--wrap=msg_handle,--wrap=msg_send,--wrap=msg_wait,--wrap=msg_compose,--wrap=msg_reply
tests_unit_notice_read_LDADD = $(UNIT)
tests_unit_notice_read_LDFLAGS = -Wl,--wrap=page_invalidate,--wrap=perturb_at
PAGE_NODE = tests/unit/page_node.c tests/unit/page_node.h
PAGE_NODE_WRAPS = -Wl,--wrap=progress_changed,--wrap=progress_poll,--wrap=progress_wait,--wrap=progress_await,--wrap=dirty_add
tests_unit_page_SOURCES = tests/unit/page.c $(PAGE_NODE)
tests_unit_page_LDADD = $(UNIT)
tests_unit_page_LDFLAGS = $(PAGE_NODE_WRAPS)
tests_unit_page_word_SOURCES = tests/unit/page_word.c $(PAGE_NODE)
tests_unit_page_word_LDADD = $(UNIT)
tests_unit_page_word_LDFLAGS = $(PAGE_NODE_WRAPS)
tests_unit_pairs_LDADD = $(UNIT)
tests_unit_pairs_LDFLAGS = -Wl,--wrap=progress_wait
tests_unit_parse_LDADD = $(UNIT)
tests_unit_policy_LDADD = $(UNIT)
tests_unit_policy_threads_LDADD = $(CMOCKA_LIBS)
tests_unit_procfs_LDADD = $(UNIT)
tests_unit_profile_LDADD = $(UNIT)
tests_unit_progress_LDADD = $(UNIT)
tests_unit_progress_LDFLAGS = -Wl,--wrap=msg_dispatch,--wrap=msg_drained,--wrap=syscall,--wrap=perturb_at,--wrap=sched_yield
tests_unit_renew_LDADD = $(UNIT)
tests_unit_size_LDADD = $(UNIT)
tests_unit_size_LDFLAGS = -Wl,--wrap=config_memory_whole,--wrap=config_memory_promisable,--wrap=locality_here,--wrap=getrlimit,--wrap=boot_exchange
tests_unit_stack_switch_LDADD = $(UNIT)
tests_unit_stats_LDADD = $(UNIT)
tests_unit_timeline_SOURCES = tests/unit/timeline.c $(TIMELINE_TOOL)
tests_unit_timeline_LDADD = $(UNIT)
tests_unit_view_LDADD = $(UNIT)
tests_unit_view_LDFLAGS = -Wl,--wrap=space_protect
endif

include tests/sim/local.mk

# Says in the results that the unit tests were left out.
EXTRA_DIST += tests/no-cmocka.sh tests/mutants tests/README.md tests/unit/asleep.h tests/unit/instructions.h tests/unit/rng.h tests/unit/unit.h
if !CMOCKA
TESTS += tests/no-cmocka.sh
endif

# Programs that the shell tests run, linked as a user's program is: check_PROGRAMS += tests/prog/name, LDADD = libhlrc.la

# Reads and writes told apart; for this machine, and for another one.
check_PROGRAMS += tests/faultkind
tests_faultkind_LDADD = libhlrc_core.la
TESTS += tests/faultkind

# The shared heap and the collectives: heap.sh runs the program.
check_PROGRAMS += tests/heap
SHELL_TESTS += tests/heap.sh

# The interfaces of C++20, Fortran and Python.
ONCE_TESTS += tests/cxx/cxx.sh tests/fortran/module.sh tests/python/arrays.sh
EXTRA_DIST += tests/cxx/cxx.cc tests/fortran/module.f90 tests/python/arrays.py tests/python/numba_loop.py

# The applications, verified; the soak repeats them.
SHELL_TESTS += tests/apps.sh
SOAK_TESTS += tests/apps.sh tests/kill.sh

# Barnes-Hut likewise; it and those below in the default build: the protocols' code is instrumented under apps.sh.
ONCE_TESTS += tests/barnes.sh
SOAK_TESTS += tests/barnes.sh

# Radix sort and water against their sequential builds; the soak takes the sizes of the paper.
ONCE_TESTS += tests/radix.sh tests/water.sh
SOAK_TESTS += tests/radix.sh tests/water.sh
EXTRA_DIST += tests/applib.sh tests/abi/internal.suppr tests/abi/libhlrc.so.0.abi

# Work that nodes take from a shared pool.
ONCE_TESTS += tests/tsp.sh tests/qsort.sh
SOAK_TESTS += tests/tsp.sh tests/qsort.sh

# Conjugate gradients, against published eigenvalues.
ONCE_TESTS += tests/cg.sh
SOAK_TESTS += tests/cg.sh

# Every microbenchmark, briefly.
ONCE_TESTS += tests/microbench.sh

# The evaluation, with the least that can be measured.
LATER_ONCE_TESTS += tests/evaluate.sh

# Random access patterns.
LATER_TESTS += tests/cache.sh tests/patterns.sh
SOAK_TESTS += tests/cache.sh tests/patterns.sh

# Plain programs: over-relaxation and Gaussian elimination.
ONCE_TESTS += tests/sor.sh tests/gauss.sh
SOAK_TESTS += tests/sor.sh tests/gauss.sh

# Programs of OpenMP that know nothing of HLRC, beside what gcc's own runtime makes of them.
ONCE_TESTS += tests/compat/advise.sh tests/compat/tutorial.sh tests/compat/clang.sh tests/compat/openmp.sh tests/compat/pthread.sh tests/compat/process.sh tests/compat/one_process.sh tests/compat/team_size.sh tests/compat/gives_up.sh tests/compat/features.sh tests/compat/tasks.sh tests/compat/private.sh tests/compat/restart.sh tests/compat/resize.sh tests/compat/kills.sh
LATER_ONCE_TESTS += tests/compat/npb.sh
SOAK_TESTS += tests/compat/clang.sh tests/compat/openmp.sh tests/compat/pthread.sh tests/compat/process.sh tests/compat/one_process.sh tests/compat/team_size.sh tests/compat/npb.sh tests/compat/features.sh tests/compat/private.sh
EXTRA_DIST += tests/compat/advise.cc tests/compat/calls.c tests/compat/clang tests/compat/compatlib.sh tests/compat/containers.cc tests/compat/data.c tests/compat/fences.c \
	tests/compat/fortran.f90 tests/compat/loops.c tests/compat/own.c tests/compat/plain.c tests/compat/spans.c tests/compat/stays.c tests/compat/relaxed.c tests/compat/sync.c \
	tests/compat/missing.c tests/compat/tasks.c tests/compat/feature tests/compat/npb tests/compat/private tests/compat/process tests/compat/pthread tests/compat/restart \
	tests/compat/pthreadlib.sh

# In a container.
ONCE_TESTS += tests/container/container.sh
LATER_ONCE_TESTS += tests/container/kubernetes.sh
EXTRA_DIST += tests/container/filter.py tests/container/inside.sh tests/container/pod.py

# hlrcc in projects of CMake; the soak takes one of autotools, too.
ONCE_TESTS += tests/compat/projects.sh
SOAK_TESTS += tests/compat/projects.sh

# Programs of TreadMarks, of JIAJIA, of OpenSHMEM and of ARMCI.
dsm_tests = tests/compat/tmk tests/compat/jia tests/compat/shmem tests/compat/shmem_examples tests/compat/shmem_groups \
	tests/compat/shmem_waits tests/compat/armci tests/compat/armci_memget
check_PROGRAMS += $(dsm_tests)
tests_compat_tmk_LDADD = libhlrc_tmk.la libhlrc.la
tests_compat_jia_LDADD = libhlrc_jia.la libhlrc.la
tests_compat_shmem_LDADD = libhlrc_shmem.la libhlrc.la
tests_compat_shmem_examples_LDADD = $(tests_compat_shmem_LDADD)
tests_compat_shmem_groups_LDADD = $(tests_compat_shmem_LDADD)
tests_compat_shmem_waits_LDADD = $(tests_compat_shmem_LDADD)
tests_compat_armci_LDADD = libhlrc_armci.la libhlrc.la
tests_compat_armci_memget_LDADD = $(tests_compat_armci_LDADD)
$(tests_compat_tmk_OBJECTS): AM_CPPFLAGS += -I$(top_srcdir)/compat/treadmarks
$(tests_compat_jia_OBJECTS): AM_CPPFLAGS += -I$(top_srcdir)/compat/jiajia
$(tests_compat_armci_OBJECTS) $(tests_compat_armci_memget_OBJECTS): AM_CPPFLAGS += -I$(top_srcdir)/compat/armci
$(tests_compat_shmem_OBJECTS) $(tests_compat_shmem_examples_OBJECTS) $(tests_compat_shmem_groups_OBJECTS) \
$(tests_compat_shmem_waits_OBJECTS): AM_CPPFLAGS += -I$(top_srcdir)/compat/shmem
$(dsm_tests): AM_LDFLAGS += -Wl,--no-as-needed
EXTRA_DIST += tests/compat/right.h
SHELL_TESTS += tests/compat/dsm.sh
ONCE_TESTS += tests/compat/parmacs.sh
EXTRA_DIST += tests/compat/parmacs
SOAK_TESTS += tests/compat/dsm.sh tests/compat/parmacs.sh

# The examples.
SHELL_TESTS += tests/examples.sh
EXTRA_DIST += tests/examplelib.sh

# All of these programs with the parts of a protocol mixed; the soak takes all combinations, over RDMA too.
LATER_ONCE_TESTS += tests/parts.sh
SOAK_TESTS += tests/parts.sh tests/guest/parts.sh

# scripts/run, with the smallest sizes.
SHELL_TESTS += tests/run.sh

# scripts/programs and scripts/conformance, with programs made by the tests.
ONCE_TESTS += tests/programs.sh tests/conformance.sh

# README's commands, from the sources to a program that runs.
EXTRA_DIST += tests/faillib.sh tests/textlib.sh

# The Debian packages; the soak alone builds them.
SOAK_TESTS += tests/debian.sh
EXTRA_DIST += tests/debian.sh

# 3-D FFT against FFTW.
SHELL_TESTS += tests/fftw.sh
if FFTW3
check_PROGRAMS += tests/fftw
tests_fftw_SOURCES = tests/fftw.c apps/fft.c apps/fft.h
tests_fftw_CFLAGS = $(AM_CFLAGS) $(FFTW3_CFLAGS)
tests_fftw_LDADD = $(FFTW3_LIBS) -lm
endif

# The models of the protocol, by spin; the soak takes larger ones.
ONCE_TESTS += tests/citations.sh tests/documents.sh tests/floors.sh tests/format.sh tests/labels.sh tests/names.sh tests/options.sh tests/words.sh
SOAK_TESTS += tests/model.sh
tests/model.log: TEST_TIMEOUT = 1200
EXTRA_DIST += doc/model

# RDMA in a virtual machine, which boots for each of them.
GUEST_TESTS = tests/guest/verbs.sh tests/pmix/two_guests.sh
CLUSTER_ONLY = tests/guest/boot.sh tests/guest/parts.sh
check_PROGRAMS += tests/guest/waiting
tests/guest/verbs.log: TEST_TIMEOUT = 2400

# Jobs that mpirun and srun start, on one host and on two: of namespaces, or in a virtual machine each.
CLUSTER_ONLY += tests/pmix/beside.sh tests/pmix/host_kills.sh tests/pmix/lost_host.sh tests/pmix/mpirun.sh tests/pmix/ofi_hosts.sh tests/pmix/slurm.sh tests/pmix/two_hosts.sh \
	tests/pmix/ga.sh tests/pmix/user.sh
check_PROGRAMS += tests/pmix/lossy_link
SHELL_TESTS += tests/pmix/sanitized.sh tests/pmix/stranger.sh
CLUSTER_TESTS = $(CLUSTER_ONLY) $(GUEST_TESTS)
EXTRA_DIST += tests/pmix/ga.c tests/pmix/hybrid.c tests/pmix/ranks.c tests/pmix/hosts_lib.sh tests/pmix/lib.sh tests/pmix/slurm_lib.sh

EXTRA_DIST += tests/covers.txt tests/proc_status.h tests/stats_counters.h

check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS) $(SHELL_TESTS)
if !SANITIZERS
TESTS += $(ONCE_TESTS)
endif
EXTRA_DIST += $(EMULATED_TESTS) $(LATER_TESTS) $(LATER_ONCE_TESTS) $(WIDE_ONCE_TESTS) $(SHELL_TESTS) $(ONCE_TESTS) $(CLUSTER_ONLY)
EXTRA_DIST += tests/launch/lib.sh tests/userlib.sh tests/withinlib.sh

# Fabrics, the rules of the memory model, and what shows that it is real.
include tests/fabric/local.mk
include tests/litmus/local.mk
include tests/blackbox/local.mk
include tests/random/local.mk
include tests/fuzz/local.mk
include tests/perturb/local.mk

# What tests/guest/verbs.sh compiles.
clean-local:
	rm -rf tests/compat/kernels
