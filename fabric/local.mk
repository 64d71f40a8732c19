# SPDX-License-Identifier: LGPL-2.1-or-later
# The network: what an adapter does, on one machine (shm), on RDMA adapters (verbs), on any network (ofi), and the hook for tests (chaos).
libhlrc_core_la_SOURCES += fabric/fabric.c fabric/fabric.h fabric/failure.c fabric/failure.h fabric/transports.h fabric/locality.c fabric/locality.h \
	fabric/shm/shm.c fabric/shm/shm_map.c fabric/shm/shm_map.h fabric/shm/shm_object.c fabric/shm/shm_object.h \
	fabric/shm/shm_queue.c fabric/shm/shm_queue.h \
	fabric/chaos/chaos.c fabric/chaos/chaos.h fabric/chaos/chaos_list.c fabric/chaos/chaos_parts.h

VERBS_SOURCES = fabric/verbs/verbs.c fabric/verbs/verbs.h fabric/verbs/verbs_count.c fabric/verbs/verbs_device.c \
	fabric/verbs/verbs_long.c fabric/verbs/verbs_memory.c fabric/verbs/verbs_near.c fabric/verbs/verbs_parts.h \
	fabric/verbs/verbs_pieces.c fabric/verbs/verbs_registrar.c fabric/verbs/verbs_rx.c
EXTRA_DIST += $(VERBS_SOURCES)
if LIBIBVERBS
libhlrc_core_la_SOURCES += $(VERBS_SOURCES)
endif

OFI_SOURCES = fabric/ofi/ofi.c fabric/ofi/ofi.h fabric/ofi/ofi_choose.c fabric/ofi/ofi_connect.c fabric/ofi/ofi_link.c \
	fabric/ofi/ofi_long.c fabric/ofi/ofi_numa.c fabric/ofi/ofi_pack.c fabric/ofi/ofi_progress.c fabric/ofi/ofi_serve.c fabric/ofi/ofi_stream.c
EXTRA_DIST += $(OFI_SOURCES)
if OFI
libhlrc_core_la_SOURCES += $(OFI_SOURCES)
endif
