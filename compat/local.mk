# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that know nothing of HLRC: what they are compiled by, and linked with.
EXTRA_DIST += compat/compat.map

if COMPAT
lib_LTLIBRARIES += libhlrc_compat.la
libhlrc_compat_la_SOURCES = \
	compat/start/calls.c \
	compat/start/heap.c compat/start/heap.h compat/start/heap_wrap.c \
	compat/start/image.c compat/start/image.h \
	compat/start/lane.c compat/start/lane.h \
	compat/start/stack.c compat/start/stack.h \
	compat/start/start.c compat/start/start.h \
	compat/start/tls.c compat/start/tls.h
libhlrc_compat_la_LIBADD = libhlrc.la
libhlrc_compat_la_LDFLAGS = -pthread -no-undefined -version-info 0:0:0 -shared \
	-Wl,--version-script=$(top_srcdir)/compat/compat.map
libhlrc_compat_la_DEPENDENCIES = libhlrc.la compat/compat.map
endif
