/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* protocol_env.h - the callbacks that hlrc_init passes to protocols. */
#ifndef HLRC_PROTOCOL_ENV_H
#define HLRC_PROTOCOL_ENV_H

#include "hlrc/core/protocol.h"

extern const struct protocol_env engine_env;

#endif
