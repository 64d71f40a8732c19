/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For programs that include it after armci.h, which has its declarations. */
#include "armci.h"
