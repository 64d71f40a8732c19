# SPDX-License-Identifier: LGPL-2.1-or-later
# ARDMAR: pages by compare-and-swap and RDMA Read.
libhlrc_core_la_SOURCES += ardmar/pages_ardmar.c
EXTRA_DIST += ardmar/README.md
