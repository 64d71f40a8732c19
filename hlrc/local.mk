# SPDX-License-Identifier: LGPL-2.1-or-later
# Planned, each with its header: config diag monitor diff space page fault twin interval notice msg serve lock
# barrier cond atomic heap collective home stats stats_print init thread async. List a file when it exists.
libhlrc_core_la_SOURCES +=

# What every part of the runtime and the launcher need.
libhlrc_core_la_SOURCES += hlrc/config.c hlrc/config.h hlrc/config_memory.c hlrc/config_memory.h \
	hlrc/config_show.c hlrc/diag.c hlrc/diag.h hlrc/monitor.c hlrc/monitor.h

# Diffs.
libhlrc_core_la_SOURCES += hlrc/diff.c hlrc/diff.h hlrc/diff_loops.c hlrc/diff_loops.h

# The engine.
libhlrc_core_la_SOURCES += hlrc/async.c hlrc/atomic.c hlrc/atomic.h hlrc/barrier.c hlrc/barrier.h hlrc/bulk.c \
	hlrc/bulk.h hlrc/call.h hlrc/cond.c hlrc/cond.h hlrc/engine.h hlrc/fault.c hlrc/fault.h hlrc/handles.c \
	hlrc/handles.h hlrc/home.c hlrc/init.c hlrc/interval.c hlrc/interval.h hlrc/layout.c hlrc/lock.c hlrc/lock.h \
	hlrc/msg.c hlrc/msg.h hlrc/notice.c hlrc/notice.h hlrc/page.c hlrc/page.h hlrc/page_fetch.c hlrc/page_fetch.h \
	hlrc/page_view.c hlrc/page_view.h \
	hlrc/protocol.c hlrc/protocol.h hlrc/serve.c hlrc/serve.h hlrc/space.c hlrc/space.h hlrc/spin.h hlrc/stats.c \
	hlrc/stats.h hlrc/thread.c hlrc/thread.h hlrc/twin.c hlrc/twin.h hlrc/watch.c hlrc/watch.h

# The shared heap, the collectives, and the statistics at the end.
libhlrc_core_la_SOURCES += hlrc/collective.c hlrc/collective.h hlrc/heap.c hlrc/heap.h hlrc/heap_arena.c \
	hlrc/heap_arena.h hlrc/heap_runs.c hlrc/heap_runs.h hlrc/stats_print.c
