# SPDX-License-Identifier: LGPL-2.1-or-later
# ASYNC: all that a handler does.
libhlrc_core_la_SOURCES += async/barrier_master.c async/diffs_message.c async/locks_manager.c async/notices_log.c \
	async/pages_async.c
EXTRA_DIST += async/README.md
