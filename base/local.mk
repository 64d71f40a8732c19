# SPDX-License-Identifier: LGPL-2.1-or-later
# The ground: the table of options, diagnostics, spin locks, the clock, tables, the points at which tests delay threads.
libhlrc_core_la_SOURCES += base/backoff.h base/config.c base/config.h base/config_memory.c base/config_memory.h base/config_names.c \
	base/config_show.c base/clock.c base/clock.h base/companion.c base/companion.h base/config_table.c base/counts.h base/diag.c base/diag.h base/digest.h base/fence.h base/fold.c base/fold.h base/futex.h base/headroom.c base/headroom.h base/json.c base/json.h base/limits.h \
	base/addresses.c base/addresses.h base/nearest.c base/nearest.h base/outfile.c base/outfile.h base/perturb.c base/parse.h base/perturb.h base/procfs.c base/procfs.h base/quiet_thread.h base/race.c base/race.h base/record.c base/record.h base/reserve.c base/reserve.h base/spin.c base/spin.h base/stack_switch.c base/stack_switch.h base/streams.c base/streams.h base/system_sigaction.h base/tool.h \
	base/tasks.c base/tasks.h

base/companion.lo: AM_CPPFLAGS += -DBINDIR='"$(bindir)"'
