/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refuse.h - functions of POSIX threads, C and C++ that are not supported on several nodes. */
#ifndef COMPAT_REFUSE_H
#define COMPAT_REFUSE_H

/* The reason why a program that imports this name cannot run; NULL: it can. */
const char *refuse_name(const char *name, int nodes);

#endif
