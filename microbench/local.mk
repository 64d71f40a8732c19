# SPDX-License-Identifier: LGPL-2.1-or-later
# fault uses nothing of the library. diffscan, latency and tracking link the internals. The others link the library as a user's
# program does, and run under hlrcrun.
noinst_PROGRAMS += microbench/fault
microbench_fault_SOURCES = microbench/fault.c microbench/lab.c microbench/lab.h microbench/bench.c microbench/bench.h
microbench_fault_LDADD = $(SIGSEGV_LIBS)

noinst_PROGRAMS += microbench/diffscan
microbench_diffscan_SOURCES = microbench/diffscan.c microbench/bench.c microbench/bench.h
microbench_diffscan_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/tracking
microbench_tracking_SOURCES = microbench/tracking.c microbench/bench.c microbench/bench.h
microbench_tracking_LDADD = libhlrc_core.la

MICROBENCH_JOB = microbench/job.c microbench/job.h microbench/bench.c microbench/bench.h

noinst_PROGRAMS += microbench/pagefetch
microbench_pagefetch_SOURCES = microbench/pagefetch.c $(MICROBENCH_JOB)
microbench_pagefetch_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/sync
microbench_sync_SOURCES = microbench/sync.c $(MICROBENCH_JOB)
microbench_sync_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/rewrite
microbench_rewrite_SOURCES = microbench/rewrite.c $(MICROBENCH_JOB)
microbench_rewrite_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/latency
microbench_latency_SOURCES = microbench/latency.c microbench/bench.c microbench/bench.h
microbench_latency_LDADD = libhlrc_core.la

noinst_PROGRAMS += microbench/cache
microbench_cache_SOURCES = microbench/cache.c $(MICROBENCH_JOB)
microbench_cache_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/broadcast
microbench_broadcast_SOURCES = microbench/broadcast.c $(MICROBENCH_JOB)
microbench_broadcast_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/patterns
microbench_patterns_SOURCES = microbench/patterns.c $(MICROBENCH_JOB)
microbench_patterns_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/atomics
microbench_atomics_SOURCES = microbench/atomics.c microbench/span.c microbench/span.h $(MICROBENCH_JOB)
microbench_atomics_LDADD = libhlrc.la

noinst_PROGRAMS += microbench/cpu
microbench_cpu_SOURCES = microbench/cpu.c microbench/span.c microbench/span.h $(MICROBENCH_JOB)
microbench_cpu_LDADD = libhlrc.la

# Compiled by scripts/bench, where there is an MPI.
EXTRA_DIST += microbench/mpi_barrier.c
