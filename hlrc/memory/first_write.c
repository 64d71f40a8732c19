/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* first_write.c - see first_write.h. */
#include "hlrc/memory/first_write.h"

#include <errno.h>

#include "base/reserve.h"
#include "hlrc/progress/thread.h"

static struct first_write *notes; /* by page */
static _Thread_local uintptr_t code_now;

#define NOTES_BYTES ((size_t)engine.pages * sizeof *notes)

int first_write_init(void)
{
    if (!first_write_races_checked())
        return 0;
    notes = reserve(NOTES_BYTES);
    return notes ? 0 : -ENOMEM;
}

void first_write_end(void)
{
    reserve_end(notes, NOTES_BYTES);
    notes = NULL;
}

void first_write_by(uintptr_t code)
{
    code_now = code;
}

void first_write_note(uint32_t page)
{
    if (notes)
        notes[page] = (struct first_write){ code_now, thread_self()->index };
}

struct first_write first_write_of(uint32_t page)
{
    return notes[page];
}
