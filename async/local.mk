# SPDX-License-Identifier: LGPL-2.1-or-later
libhlrc_core_la_SOURCES += async/async.c
