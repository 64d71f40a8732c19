# SPDX-License-Identifier: LGPL-2.1-or-later
# The engine, from the ground up.

# Who serves what arrives, how a thread waits, requests and one-way messages, counters.
libhlrc_core_la_SOURCES += hlrc/progress/altstack.c hlrc/progress/altstack.h \
	hlrc/progress/bulk.c hlrc/progress/bulk.h hlrc/progress/dump.c hlrc/progress/dump.h \
	hlrc/progress/judge.c hlrc/progress/judge.h hlrc/progress/report.h hlrc/progress/reporter.c hlrc/progress/reporter.h \
	hlrc/progress/standstill.c hlrc/progress/standstill.h \
	hlrc/progress/msg.c hlrc/progress/msg.h hlrc/progress/outfile.c hlrc/progress/outfile.h \
	hlrc/progress/progress.c hlrc/progress/progress.h hlrc/progress/recorder.c hlrc/progress/recorder.h hlrc/progress/stats.c hlrc/progress/stats.h \
	hlrc/progress/stats_print.c hlrc/progress/thread.c hlrc/progress/thread.h hlrc/progress/timeline.c hlrc/progress/timeline.h \
	hlrc/progress/timeline_json.c hlrc/progress/timeline_json.h hlrc/progress/timeline_join.c hlrc/progress/timeline_join.h hlrc/progress/timeline_read.c hlrc/progress/timeline_read.h hlrc/progress/trace.c \
	hlrc/progress/trace.h hlrc/progress/watch.c \
	hlrc/progress/watch.h hlrc/progress/worker.c hlrc/progress/worker.h

# The two views of the space, states of pages, faults, twins and diffs.
libhlrc_core_la_SOURCES += hlrc/memory/diff.c hlrc/memory/diff.h hlrc/memory/diff_loops.c hlrc/memory/diff_loops.h \
	hlrc/memory/ahead.c hlrc/memory/ahead.h hlrc/memory/copies.c hlrc/memory/copies.h hlrc/memory/debugger.c hlrc/memory/debugger.h \
	hlrc/memory/dirty.c hlrc/memory/dirty.h \
	hlrc/memory/exact.c hlrc/memory/exact.h hlrc/memory/exclusive.c hlrc/memory/exclusive.h hlrc/memory/fault.c hlrc/memory/fault.h hlrc/memory/first_write.c hlrc/memory/first_write.h hlrc/memory/heat.c hlrc/memory/heat.h hlrc/memory/home.c hlrc/memory/page.c hlrc/memory/page.h hlrc/memory/page_claim.c hlrc/memory/page_claim.h \
	hlrc/memory/need.c hlrc/memory/need.h hlrc/memory/page_fetch.c hlrc/memory/page_fetch.h hlrc/memory/page_flush.c hlrc/memory/page_look.c hlrc/memory/page_look.h hlrc/memory/page_move.c hlrc/memory/page_move.h hlrc/memory/page_view.c hlrc/memory/page_view.h \
	hlrc/memory/page_part.c hlrc/memory/page_part.h hlrc/memory/page_word.c hlrc/memory/page_word.h \
	hlrc/memory/past.c hlrc/memory/past.h hlrc/memory/profile.c hlrc/memory/profile.h hlrc/memory/range.c hlrc/memory/range.h hlrc/memory/reads.c hlrc/memory/reads.h \
	hlrc/memory/renew.c hlrc/memory/renew.h hlrc/memory/sample.c hlrc/memory/sample.h \
	hlrc/memory/space.c hlrc/memory/space.h hlrc/memory/twin.c hlrc/memory/twin.h

# Intervals, vector times, write notices.
libhlrc_core_la_SOURCES += hlrc/coherence/diff_message.c hlrc/coherence/diff_write.c hlrc/coherence/interval.c hlrc/coherence/interval.h \
	hlrc/coherence/notice_log.c hlrc/coherence/notice_log.h hlrc/coherence/notice_read.c hlrc/coherence/races.c hlrc/coherence/races.h

# What a program calls to order its accesses.
libhlrc_core_la_SOURCES += hlrc/sync/atomic.c hlrc/sync/atomic.h hlrc/sync/barrier.c hlrc/sync/homes.c hlrc/sync/homes.h hlrc/sync/barrier.h \
	hlrc/sync/barrier_counter.c hlrc/sync/barrier_master.c hlrc/sync/barrier_pairs.c \
	hlrc/sync/cond.c hlrc/sync/cond.h hlrc/sync/cond_mcs.c hlrc/sync/group.c hlrc/sync/group.h hlrc/sync/handles.c hlrc/sync/handles.h hlrc/sync/lock.c hlrc/sync/lock.h \
	hlrc/sync/lock_mcs.c hlrc/sync/lock_queue.c hlrc/sync/mcs.c hlrc/sync/mcs.h hlrc/sync/parcel.c hlrc/sync/parcel.h hlrc/sync/reduce.c hlrc/sync/rwlock.c hlrc/sync/pairs.c hlrc/sync/pairs.h \
	hlrc/sync/change.c hlrc/sync/change.h hlrc/sync/combine.c hlrc/sync/combine.h hlrc/sync/word.c hlrc/sync/word.h

# The shared heap and the collectives.
libhlrc_core_la_SOURCES += hlrc/heap/collective.c hlrc/heap/collective.h hlrc/heap/heap.c hlrc/heap/heap.h hlrc/heap/heap_tables.h \
	hlrc/heap/heap_look.c hlrc/heap/heap_look.h \
	hlrc/heap/heap_arena.c hlrc/heap/heap_arena.h hlrc/heap/heap_runs.c hlrc/heap/heap_runs.h hlrc/heap/heap_sizes.c hlrc/heap/placed.c \
	hlrc/heap/sites.c hlrc/heap/sites.h hlrc/heap/stream.c hlrc/heap/stream.h

# Windows: put, get, accumulate.
libhlrc_core_la_SOURCES += hlrc/rma/accumulate.c hlrc/rma/accumulate.h hlrc/rma/handle.c hlrc/rma/handle.h hlrc/rma/mutex.c hlrc/rma/mutex.h hlrc/rma/pieces.c hlrc/rma/pieces.h hlrc/rma/rmw.c hlrc/rma/section.c hlrc/rma/shared.c hlrc/rma/shared.h hlrc/rma/transfer.c \
	hlrc/rma/transfer.h hlrc/rma/window.c hlrc/rma/window.h

# What is said of a program that crashes.
libhlrc_core_la_SOURCES += hlrc/crash/shared_core.c hlrc/crash/shared_core.h hlrc/crash/code.c hlrc/crash/code.h hlrc/crash/crash.c hlrc/crash/crash.h hlrc/crash/elf.c \
	hlrc/crash/elf.h hlrc/crash/handlers.c hlrc/crash/handlers.h hlrc/crash/lines.c hlrc/crash/lines.h hlrc/crash/masks.c hlrc/crash/maps.c hlrc/crash/maps.h hlrc/crash/place.c \
	hlrc/crash/place.h hlrc/crash/race_tell.c hlrc/crash/race_tell.h hlrc/crash/stack.c hlrc/crash/stack.h

# System calls that are given shared memory.
libhlrc_core_la_SOURCES += hlrc/system/bounce.c hlrc/system/bounce.h hlrc/system/calls.c hlrc/system/calls.h \
	hlrc/system/filter.c hlrc/system/filter.h hlrc/system/own.c hlrc/system/special.c hlrc/system/special.h hlrc/system/trap.c \
	hlrc/system/trap.h hlrc/system/vectors.c

# The table through which homes and pages are got, and what holds all of it together.
libhlrc_core_la_SOURCES += hlrc/protocol/meeting.c hlrc/protocol/meeting.h hlrc/protocol/protocol.c hlrc/protocol/parts.h hlrc/protocol/protocol.h hlrc/protocol/request.h hlrc/protocol/waits.c hlrc/protocol/waits.h hlrc/call.c hlrc/call.h hlrc/engine.c \
	hlrc/engine.h hlrc/identity.c hlrc/identity.h hlrc/init.c hlrc/protocol_env.c hlrc/protocol_env.h \
	hlrc/size.c hlrc/size.h hlrc/statistics.c hlrc/statistics.h hlrc/gather.c hlrc/gather.h hlrc/profile_draw.c hlrc/profile_job.c hlrc/profile_job.h hlrc/profile_json.c hlrc/profile_map.c hlrc/profile_map.h hlrc/profile_page.c hlrc/profile_report.c hlrc/profile_report.h hlrc/profile_shared.c hlrc/profile_shared.h \
	hlrc/record_job.c hlrc/record_job.h hlrc/profile_sites.c hlrc/profile_text.c hlrc/timeline_job.c hlrc/timeline_job.h
