/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layers.h - the layers of start.h, and which of them the program needs, by the names that it
 * imports. */
#ifndef COMPAT_LAYERS_H
#define COMPAT_LAYERS_H

#include "compat/start/start.h"

/* Chooses the layer; asks whether the program can run on that many nodes. Returns why it cannot,
 * one line; NULL: it can. */
const char *layers_choose(int nodes);
/* The chosen one; NULL: none. */
const struct start_layer *layers_chosen(void);
/* Is this the name by which a program imports a function that sets signal handlers? */
bool layers_sets_handlers(const char *name);

#endif
