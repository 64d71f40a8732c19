# SPDX-License-Identifier: LGPL-2.1-or-later
# ONESIDED: diffs, notices, locks and barriers without a handler.
libhlrc_core_la_SOURCES += onesided/barrier_counter.c onesided/barrier_pairs.c onesided/conds_mcs.c \
	onesided/diffs_write.c onesided/locks_mcs.c onesided/notices_read.c
EXTRA_DIST += onesided/README.md
