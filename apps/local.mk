# SPDX-License-Identifier: LGPL-2.1-or-later
# The applications link the library as a program of a user does. Each is also built as a program of one process that
# links no HLRC, *_seq: the baseline.
APPS_COMMON = apps/common.c apps/common.h apps/sequential.h

noinst_PROGRAMS += apps/is apps/is_seq
apps_is_SOURCES = apps/is.c apps/is_check.c apps/is_check.h $(APPS_COMMON)
apps_is_LDADD = libhlrc.la
apps_is_seq_SOURCES = $(apps_is_SOURCES)
apps_is_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL

noinst_PROGRAMS += apps/fft3d apps/fft3d_seq
apps_fft3d_SOURCES = apps/fft3d.c apps/fft3d_check.c apps/fft3d_check.h apps/fft.c apps/fft.h $(APPS_COMMON)
apps_fft3d_LDADD = libhlrc.la -lm
apps_fft3d_seq_SOURCES = $(apps_fft3d_SOURCES)
apps_fft3d_seq_CPPFLAGS = $(AM_CPPFLAGS) -DSEQUENTIAL
apps_fft3d_seq_LDADD = -lm
