/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* probe.c - what listeners share: which are on, and the threads; see probe.h. */
#include "hlrc/probe/probe.h"

unsigned probe_on;
struct probe_slots probe_slots;
_Thread_local struct probe_thread *probe_current;
