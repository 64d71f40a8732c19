# SPDX-License-Identifier: LGPL-2.1-or-later
# Wire-up: how the processes of a job find each other, and learn that it ends.
libhlrc_core_la_SOURCES += boot/boot.c boot/boot.h boot/boot_backend.h boot/boot_environment.c boot/boot_local.c boot/boot_single.c boot/boot_user.c \
	boot/monitor.c boot/monitor.h boot/wire.h
libhlrc_core_la_LIBADD += $(DL_LIBS)
EXTRA_DIST += doc/cluster.md boot/boot_pmix.c
if PMIX
# in a library of its own for the header's flags
noinst_LTLIBRARIES += libhlrc_pmix.la
libhlrc_pmix_la_SOURCES = boot/boot_pmix.c
libhlrc_pmix_la_CPPFLAGS = $(AM_CPPFLAGS) $(PMIX_CFLAGS)
libhlrc_core_la_LIBADD += libhlrc_pmix.la
endif
