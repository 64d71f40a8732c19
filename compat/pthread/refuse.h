/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refuse.h - what of POSIX threads, and of C and C++, is not there. */
#ifndef COMPAT_REFUSE_H
#define COMPAT_REFUSE_H

/* Why a program that takes this name from libraries cannot run; NULL: it can. */
const char *refuse_name(const char *name);

#endif
