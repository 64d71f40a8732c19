/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* signals.h - see signals.c. */
#ifndef COMPAT_SIGNALS_H
#define COMPAT_SIGNALS_H

/* Sets what node 0 does on this signal at this node, too. */
void signals_get_handler(int sig);

int __wrap_raise(int sig);

#endif
