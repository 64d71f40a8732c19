# SPDX-License-Identifier: LGPL-2.1-or-later
# The harness; of jobs on the fabric's interface; of jobs on the public one. fault and coherent use nothing else of the library.
noinst_LTLIBRARIES += libmicrobench.la libmicrobench_net.la libmicrobench_job.la
libmicrobench_la_SOURCES = microbench/arguments.c microbench/bench.c microbench/bench.h microbench/report.c microbench/sample.c \
	base/json.c base/procfs.c
libmicrobench_la_LIBADD = -lm
libmicrobench_net_la_SOURCES = microbench/net.c microbench/net.h
libmicrobench_job_la_SOURCES = microbench/job.c microbench/job.h microbench/queue.c microbench/queue.h

# Each program is a file. Those of jobs link the library as a user's program does, and run under hlrcrun; rma links the internals.
noinst_PROGRAMS += microbench/atomics microbench/barrier microbench/broadcast microbench/cache microbench/coherent microbench/cpu \
	microbench/diff microbench/fault microbench/gets microbench/latbw microbench/locks microbench/ops microbench/pagefetch \
	microbench/patterns microbench/release microbench/rewrite microbench/rma microbench/tracking microbench/words
microbench_net = libmicrobench_net.la libmicrobench.la libhlrc_core.la
microbench_job = libmicrobench_job.la libmicrobench.la libhlrc.la
microbench_atomics_LDADD = $(microbench_net)
microbench_barrier_LDADD = $(microbench_job)
microbench_broadcast_LDADD = $(microbench_job)
microbench_cache_LDADD = $(microbench_job)
microbench_coherent_LDADD = libmicrobench.la
microbench_cpu_LDADD = $(microbench_job)
microbench_diff_LDADD = libmicrobench.la libhlrc_core.la
microbench_fault_SOURCES = microbench/fault.c microbench/lab.c microbench/lab.h
microbench_fault_LDADD = libmicrobench.la $(SIGSEGV_LIBS)
microbench_gets_LDADD = $(microbench_job)
microbench_latbw_LDADD = $(microbench_net)
microbench_locks_LDADD = $(microbench_job)
if LIBIBVERBS
noinst_PROGRAMS += microbench/multicast microbench/levels
microbench_multicast_SOURCES = microbench/multicast.c microbench/datagram.c microbench/datagram.h
microbench_multicast_LDADD = $(microbench_net) $(VERBS_LIBS)
microbench_levels_SOURCES = microbench/levels.c microbench/datagram.c microbench/datagram.h
microbench_levels_LDADD = $(microbench_net) $(VERBS_LIBS)
endif
microbench_ops_LDADD = $(microbench_net)
microbench_pagefetch_LDADD = $(microbench_job)
microbench_patterns_LDADD = $(microbench_job)
microbench_release_LDADD = $(microbench_job)
microbench_rewrite_LDADD = $(microbench_job)
microbench_rma_LDADD = libmicrobench_job.la libmicrobench.la libhlrc_core.la
microbench_tracking_LDADD = libmicrobench.la libhlrc_core.la
microbench_words_LDADD = $(microbench_job)

# Compiled by scripts/bench and scripts/evaluate, where there is an MPI.
EXTRA_DIST += microbench/mpi_barrier.c microbench/mpi_rma.c microbench/openmp.c

EXTRA_DIST += microbench/README.md
