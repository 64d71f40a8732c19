/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reload.h - equal addresses on all nodes where the system forbids personality(2), as containers
 * do by default.
 *
 * The executable is at its own addresses; only what the loader maps (libraries) differs between
 * nodes. The system maps at the highest free address. So all addresses above a limit that is equal
 * on all nodes are reserved, the executable's data are mapped from its file again, and a second
 * loader, mapped below the limit, begins with the arguments that the first one got. It maps the
 * libraries below the limit, and calls hlrc_begin again. The first loader and its libraries remain,
 * unused, at addresses that HLRC does not use.
 */
#ifndef COMPAT_RELOAD_H
#define COMPAT_RELOAD_H

#include <stdbool.h>

/* Whether this process's libraries are where reload_begin makes the loader map them. */
bool reload_done(void);

/* Makes the reserved addresses available again, after the libraries were mapped. */
void reload_end(void);

/* Starts the program again. Returns only on failure: a negative errno. ASSUMPTION: no library was
 * initialised; the executable is at fixed addresses (hlrcc links with -no-pie). */
int reload_begin(void);

#endif
