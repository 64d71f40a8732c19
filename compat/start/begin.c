/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* begin.c - linked into each program of hlrcc: see early.h. */
#include "compat/start/early.h"

__attribute__((section(".preinit_array"), used)) static void (*const begin)(int, char **,
                                                                            char **) = hlrc_begin;
