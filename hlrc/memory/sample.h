/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sample.h - with --profile: which parts of pages written by other nodes this node uses
 * (profile.h). */
#ifndef HLRC_SAMPLE_H
#define HLRC_SAMPLE_H

/* Closes some pages that other nodes write: the next access to them shows its address. By the
 * acquiring thread, before the acquire ends. Spins. */
void sample_some(void);

/* recorder.h: closes the pages opened since the last call, except dirty or BUSY ones. After an
 * acquire. Spins. */
void sample_all(void);

#endif
