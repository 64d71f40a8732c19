# SPDX-License-Identifier: LGPL-2.1-or-later
libhlrc_core_la_SOURCES += fabric/chaos.c fabric/chaos.h fabric/chaos_list.c fabric/chaos_parts.h \
	fabric/fabric.c fabric/fabric.h fabric/shm.c fabric/shm_map.c fabric/shm_map.h fabric/shm_queue.c \
	fabric/shm_queue.h fabric/transports.h fabric/where.c fabric/where.h

VERBS_SOURCES = fabric/verbs.c fabric/verbs.h fabric/verbs_count.c fabric/verbs_device.c \
	fabric/verbs_memory.c fabric/verbs_near.c fabric/verbs_parts.h fabric/verbs_registrar.c \
	fabric/verbs_rx.c
EXTRA_DIST += $(VERBS_SOURCES)
if LIBIBVERBS
libhlrc_core_la_SOURCES += $(VERBS_SOURCES)
endif
