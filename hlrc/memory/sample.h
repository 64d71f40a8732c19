/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sample.h - with --profile: what of a page that other nodes write this one uses (profile.h
 * PF2). */
#ifndef HLRC_SAMPLE_H
#define HLRC_SAMPLE_H

#include "hlrc/memory/profile.h"

/* page_invalidate, counted. */
void sample_invalidate(uint32_t first, uint32_t count, int writer, uint64_t interval);

/* Closes some pages that others write: the next access to them shows what it is to. By the thread
 * that acquires, before the acquire ends. Spins. */
void sample_some(void);

/* recorder.h TS6: closes what was opened since it was called last, but for what is dirty or under
 * way. Behind an acquire. Spins. */
void sample_all(void);

#endif
