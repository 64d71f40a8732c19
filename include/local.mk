# SPDX-License-Identifier: LGPL-2.1-or-later
include_HEADERS = include/hlrc.f90 include/hlrc.h include/hlrc.hpp include/hlrc_atomic.h include/hlrc_group.h include/hlrc_memory.h \
	include/hlrc_rma.h include/hlrc_sync.h include/hlrc_types.h
