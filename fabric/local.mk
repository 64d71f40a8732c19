# SPDX-License-Identifier: LGPL-2.1-or-later
libhlrc_core_la_SOURCES += fabric/fabric.c fabric/fabric.h fabric/shm.c fabric/shm_queue.c fabric/shm_queue.h \
	fabric/transports.h
