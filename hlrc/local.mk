# SPDX-License-Identifier: LGPL-2.1-or-later
# The engine, from the ground up.

# The state of a node that all parts share, the calls of programs, the tables by which the engine calls a protocol.
libhlrc_core_la_SOURCES += hlrc/core/call.c hlrc/core/call.h hlrc/core/error.c hlrc/core/engine.c hlrc/core/engine.h \
	hlrc/core/meeting.c hlrc/core/meeting.h hlrc/core/parts.h hlrc/core/protocol.h \
	hlrc/core/request.h hlrc/core/waits.c hlrc/core/waits.h

# Instrumentation: the table of events, the trace, the timeline, the recorder.
libhlrc_core_la_SOURCES += hlrc/probe/caller.c hlrc/probe/caller.h hlrc/probe/dump.c hlrc/probe/dump.h hlrc/probe/events.h hlrc/probe/heat.c \
	hlrc/probe/heat.h hlrc/probe/probe.c hlrc/probe/probe.h \
	hlrc/probe/probe_note.c hlrc/probe/profile.c hlrc/probe/profile.h hlrc/probe/recorder.c hlrc/probe/recorder.h \
	hlrc/probe/activity.h hlrc/probe/stats.c hlrc/probe/stats.h hlrc/probe/stats_print.c hlrc/probe/timeline.c hlrc/probe/timeline.h \
	hlrc/probe/trace.c hlrc/probe/trace.h hlrc/probe/wait_tracker.c hlrc/probe/wait_tracker.h

# Decisions, as functions of what they depend on: the simulator makes them by these, too.
libhlrc_core_la_SOURCES += hlrc/policy/policy_batch.h hlrc/policy/policy_gather.h hlrc/policy/policy_history.c \
	hlrc/policy/policy_history.h hlrc/policy/policy_lock.h hlrc/policy/policy_threads.h hlrc/policy/policy_migrate.h hlrc/policy/policy_notices.h \
	hlrc/policy/policy_placement.h hlrc/policy/policy_readahead.h hlrc/policy/policy_retain.h \
	hlrc/policy/policy_update.c hlrc/policy/policy_update.h

# Messages and waiting: who serves what arrives, how a thread waits, requests and one-way messages.
libhlrc_core_la_SOURCES += hlrc/progress/altstack.c hlrc/progress/altstack.h hlrc/progress/uncounted.h hlrc/progress/bulk.c \
	hlrc/progress/bulk.h hlrc/progress/msg.c hlrc/progress/msg.h hlrc/progress/progress.c hlrc/progress/progress.h \
	hlrc/progress/thread.c hlrc/progress/thread.h hlrc/progress/worker.c hlrc/progress/worker.h

# The two views of the space, states of pages, faults, twins, diffs, intervals, what a copy needs.
libhlrc_core_la_SOURCES += hlrc/memory/ahead.c hlrc/memory/ahead.h hlrc/memory/only_node.h hlrc/memory/copies.c hlrc/memory/copies.h \
	hlrc/memory/default_home.h 	hlrc/memory/debugger.c hlrc/memory/debugger.h hlrc/memory/diff.c hlrc/memory/diff.h hlrc/memory/diff_loops.c \
	hlrc/memory/diff_loops.h hlrc/memory/dirty.c hlrc/memory/dirty.h hlrc/memory/exact.c hlrc/memory/exact.h \
	hlrc/memory/exclusive.c hlrc/memory/exclusive.h hlrc/memory/fault.c hlrc/memory/fault.h hlrc/memory/first_write.c \
	hlrc/memory/first_write.h hlrc/memory/home.c hlrc/memory/interval.c hlrc/memory/interval.h hlrc/memory/need.c \
	hlrc/memory/need.h hlrc/memory/notices.h hlrc/memory/page.c hlrc/memory/page.h hlrc/memory/page_claim.c \
	hlrc/memory/page_claim.h hlrc/memory/page_fetch.c hlrc/memory/page_fetch.h hlrc/memory/page_flush.c \
	hlrc/memory/page_look.c hlrc/memory/page_look.h hlrc/memory/page_move.c hlrc/memory/page_move.h \
	hlrc/memory/page_part.c hlrc/memory/page_part.h hlrc/memory/page_view.c hlrc/memory/page_view.h \
	hlrc/memory/page_word.c hlrc/memory/page_word.h hlrc/memory/past.c hlrc/memory/past.h hlrc/memory/range.c \
	hlrc/memory/range.h hlrc/memory/reads.c hlrc/memory/reads.h hlrc/memory/renew.c hlrc/memory/renew.h \
	hlrc/memory/sample.c hlrc/memory/sample.h hlrc/memory/space.c hlrc/memory/space.h hlrc/memory/twin.c \
	hlrc/memory/twin.h hlrc/memory/unchanged.c hlrc/memory/unchanged.h

# The report about a program that crashes.
libhlrc_core_la_SOURCES += hlrc/crash/code.c hlrc/crash/code.h hlrc/crash/crash.c hlrc/crash/crash.h \
	hlrc/crash/elf.c hlrc/crash/elf.h hlrc/crash/handlers.c hlrc/crash/handlers.h hlrc/crash/lines.c hlrc/crash/lines.h \
	hlrc/crash/maps.c hlrc/crash/maps.h hlrc/crash/masks.c hlrc/crash/place.c hlrc/crash/place.h \
	hlrc/crash/shared_core.c hlrc/crash/shared_core.h hlrc/crash/stack.c hlrc/crash/stack.h

# Statistics, profile, timeline and records of a job; the deadlock report.
libhlrc_core_la_SOURCES += hlrc/report/deadlock_collect.c hlrc/report/deadlock_collect.h \
	hlrc/report/deadlock_detect.c hlrc/report/deadlock_detect.h hlrc/report/deadlock_report.h \
	hlrc/report/deadlock_watchdog.c hlrc/report/deadlock_watchdog.h hlrc/report/gather.c hlrc/report/gather.h \
	hlrc/report/identity.c hlrc/report/identity.h hlrc/report/profile_job.c \
	hlrc/report/profile_job.h hlrc/report/profile_json.c hlrc/report/profile_map.c hlrc/report/profile_map.h \
	hlrc/report/profile_report.c hlrc/report/profile_report.h hlrc/report/profile_shared.c \
	hlrc/report/profile_shared.h hlrc/report/profile_sites.c hlrc/report/record_job.c \
	hlrc/report/record_job.h hlrc/report/statistics.c hlrc/report/statistics.h hlrc/report/timeline_job.c \
	hlrc/report/timeline_job.h hlrc/report/timeline_tool.c hlrc/report/timeline_tool.h

# What a program calls to order its accesses, as far as all protocols share it.
libhlrc_core_la_SOURCES += hlrc/sync/atomic.c hlrc/sync/atomic.h hlrc/sync/barrier.c hlrc/sync/barrier.h \
	hlrc/sync/change.c hlrc/sync/change.h hlrc/sync/combine.c hlrc/sync/combine.h hlrc/sync/cond.c hlrc/sync/cond.h \
	hlrc/sync/group.c hlrc/sync/group.h hlrc/sync/group_data.c hlrc/sync/handles.c hlrc/sync/handles.h hlrc/sync/homes.c hlrc/sync/homes.h \
	hlrc/sync/lock.c hlrc/sync/lock.h hlrc/sync/lock_soon.h hlrc/sync/mcs.c hlrc/sync/mcs.h hlrc/sync/order.c hlrc/sync/order.h hlrc/sync/pairs.c hlrc/sync/pairs.h \
	hlrc/sync/parcel.c hlrc/sync/parcel.h hlrc/sync/reduce.c hlrc/sync/rwlock.c hlrc/sync/word.c hlrc/sync/word.h

# The shared heap and the collectives.
libhlrc_core_la_SOURCES += hlrc/heap/collective.c hlrc/heap/collective.h hlrc/heap/heap.c hlrc/heap/heap.h \
	hlrc/heap/heap_arena.c hlrc/heap/heap_arena.h hlrc/heap/heap_cache.c hlrc/heap/heap_cache.h hlrc/heap/heap_cached.h \
	hlrc/heap/heap_run.c hlrc/heap/heap_run.h hlrc/heap/heap_look.c hlrc/heap/heap_look.h hlrc/heap/heap_pages.c hlrc/heap/heap_pages.h \
	hlrc/heap/heap_small.c hlrc/heap/heap_small.h hlrc/heap/heap_runs.c \
	hlrc/heap/heap_runs.h hlrc/heap/alloc.c hlrc/heap/heap_sizes.c hlrc/heap/heap_tables.h hlrc/heap/placed.c hlrc/heap/sites.c \
	hlrc/heap/sites.h hlrc/heap/stream.c hlrc/heap/stream.h

# Windows: put, get, accumulate.
libhlrc_core_la_SOURCES += hlrc/rma/accumulate.c hlrc/rma/accumulate.h hlrc/rma/handle.c hlrc/rma/handle.h \
	hlrc/rma/mutex.c hlrc/rma/mutex.h hlrc/rma/pieces.c hlrc/rma/pieces.h hlrc/rma/rmw.c hlrc/rma/rmw.h hlrc/rma/rmw_queue.c hlrc/rma/rmw_queue.h \
	hlrc/rma/signal.c hlrc/rma/words.c hlrc/rma/section.c \
	hlrc/rma/shared.c hlrc/rma/shared.h hlrc/rma/transfer.c hlrc/rma/transfer.h hlrc/rma/window.c hlrc/rma/window.h

# Checkpoints: the saved data, their files, and the restart from them.
libhlrc_core_la_SOURCES += hlrc/checkpoint/checkpoint.c hlrc/checkpoint/checkpoint.h \
	hlrc/checkpoint/checkpoint_calls.c hlrc/checkpoint/checkpoint_calls.h \
	hlrc/checkpoint/checkpoint_context.c hlrc/checkpoint/checkpoint_context.h \
	hlrc/checkpoint/checkpoint_descriptors.c hlrc/checkpoint/checkpoint_descriptors.h \
	hlrc/checkpoint/checkpoint_image.c hlrc/checkpoint/checkpoint_image.h \
	hlrc/checkpoint/checkpoint_job.h hlrc/checkpoint/checkpoint_leave.c hlrc/checkpoint/checkpoint_leave.h \
	hlrc/checkpoint/checkpoint_image_file.c hlrc/checkpoint/checkpoint_image_file.h \
	hlrc/checkpoint/checkpoint_maps.c hlrc/checkpoint/checkpoint_maps.h \
	hlrc/checkpoint/checkpoint_memory.c hlrc/checkpoint/checkpoint_memory.h \
	hlrc/checkpoint/checkpoint_partner.c hlrc/checkpoint/checkpoint_partner.h \
	hlrc/checkpoint/checkpoint_choice.c hlrc/checkpoint/checkpoint_choice.h \
	hlrc/checkpoint/checkpoint_store.c hlrc/checkpoint/checkpoint_store.h \
	hlrc/checkpoint/checkpoint_process.c hlrc/checkpoint/checkpoint_process.h \
	hlrc/checkpoint/checkpoint_exchange.c hlrc/checkpoint/checkpoint_exchange.h \
	hlrc/checkpoint/checkpoint_queue.c hlrc/checkpoint/checkpoint_queue.h \
	hlrc/checkpoint/checkpoint_room.c hlrc/checkpoint/checkpoint_room.h \
	hlrc/checkpoint/checkpoint_restore.c hlrc/checkpoint/checkpoint_save.c hlrc/checkpoint/checkpoint_save.h \
	hlrc/checkpoint/checkpoint_threads.c hlrc/checkpoint/checkpoint_threads.h hlrc/checkpoint/restored_thread.h \
	hlrc/checkpoint/checkpoint_file.c hlrc/checkpoint/checkpoint_file.h hlrc/checkpoint/checkpoint_manifest.c \
	hlrc/checkpoint/checkpoint_manifest.h hlrc/checkpoint/checkpoint_pages.c hlrc/checkpoint/checkpoint_pages.h \
	hlrc/checkpoint/checkpoint_state.c hlrc/checkpoint/checkpoint_state.h

# Races between nodes.
libhlrc_core_la_SOURCES += hlrc/races/race_report.c hlrc/races/race_report.h hlrc/races/races.c hlrc/races/races.h

# System calls that are given shared memory.
libhlrc_core_la_SOURCES += hlrc/system/bounce.c hlrc/system/bounce.h hlrc/system/calls.c hlrc/system/calls.h \
	hlrc/system/filter.c hlrc/system/filter.h hlrc/system/own.c hlrc/system/special.c hlrc/system/special.h \
	hlrc/system/trap.c hlrc/system/trap.h hlrc/system/vectors.c

# Start and end of a node.
libhlrc_core_la_SOURCES += hlrc/init.c hlrc/init_with.c hlrc/job_signals.c hlrc/job_signals.h hlrc/unite.c hlrc/unite.h hlrc/layout.c hlrc/layout.h \
	hlrc/size.c hlrc/size.h
