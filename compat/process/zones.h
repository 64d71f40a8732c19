/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* zones.h - see zones.c. */
#ifndef COMPAT_ZONES_H
#define COMPAT_ZONES_H

/* Called by node 0 before a thread of another node begins: tzname has texts in shared memory. */
void zones_share_names(void);

#endif
