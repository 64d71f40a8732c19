# SPDX-License-Identifier: LGPL-2.1-or-later
# fault and coherent use nothing of the library. diff, tracking, ops, latbw, rma and atomics link the internals. The others link the library as a
# user's program does, and run under hlrcrun.
MICROBENCH = microbench/bench.c microbench/bench.h microbench/arguments.c microbench/sample.c microbench/report.c
MICROBENCH_JOB = microbench/job.c microbench/job.h $(MICROBENCH)
MICROBENCH_NET = microbench/net.c microbench/net.h $(MICROBENCH)

noinst_PROGRAMS += microbench/fault
microbench_fault_SOURCES = microbench/fault.c microbench/lab.c microbench/lab.h $(MICROBENCH)
microbench_fault_LDADD = $(SIGSEGV_LIBS)

noinst_PROGRAMS += microbench/diff
microbench_diff_SOURCES = microbench/diff.c $(MICROBENCH)
microbench_diff_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/tracking
microbench_tracking_SOURCES = microbench/tracking.c $(MICROBENCH)
microbench_tracking_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/ops
microbench_ops_SOURCES = microbench/ops.c $(MICROBENCH_NET)
microbench_ops_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/latbw
microbench_latbw_SOURCES = microbench/latbw.c $(MICROBENCH_NET)
microbench_latbw_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/atomics
microbench_atomics_SOURCES = microbench/atomics.c $(MICROBENCH_NET)
microbench_atomics_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/rma
microbench_rma_SOURCES = microbench/rma.c $(MICROBENCH_JOB)
microbench_rma_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/gets
microbench_gets_SOURCES = microbench/gets.c $(MICROBENCH_JOB)
microbench_gets_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/words
microbench_words_SOURCES = microbench/words.c $(MICROBENCH_JOB)
microbench_words_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/locks
microbench_locks_SOURCES = microbench/locks.c $(MICROBENCH_JOB)
microbench_locks_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/barrier
microbench_barrier_SOURCES = microbench/barrier.c $(MICROBENCH_JOB)
microbench_barrier_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/release
microbench_release_SOURCES = microbench/release.c $(MICROBENCH_JOB)
microbench_release_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/pagefetch
microbench_pagefetch_SOURCES = microbench/pagefetch.c $(MICROBENCH_JOB)
microbench_pagefetch_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/cpu
microbench_cpu_SOURCES = microbench/cpu.c microbench/span.c microbench/span.h $(MICROBENCH_JOB)
microbench_cpu_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/rewrite
microbench_rewrite_SOURCES = microbench/rewrite.c $(MICROBENCH_JOB)
microbench_rewrite_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/cache
microbench_cache_SOURCES = microbench/cache.c $(MICROBENCH_JOB)
microbench_cache_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/broadcast
microbench_broadcast_SOURCES = microbench/broadcast.c $(MICROBENCH_JOB)
microbench_broadcast_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/patterns
microbench_patterns_SOURCES = microbench/patterns.c $(MICROBENCH_JOB)
microbench_patterns_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/coherent
microbench_coherent_SOURCES = microbench/coherent.c $(MICROBENCH)
microbench_coherent_LDADD =

# Compiled by scripts/bench and scripts/evaluate, where there is an MPI.
EXTRA_DIST += microbench/mpi_barrier.c microbench/mpi_rma.c microbench/openmp.c

EXTRA_DIST += microbench/README.md
