# SPDX-License-Identifier: LGPL-2.1-or-later
# The ground: knows of nothing above it.
libhlrc_core_la_SOURCES += base/perturb.c base/perturb.h
