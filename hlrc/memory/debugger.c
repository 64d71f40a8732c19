/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* debugger.c - see debugger.h. */
#include "hlrc/memory/debugger.h"

/* Different bodies without instructions: so a compiler removes no call, and a linker merges no
 * two. */
#define PLACE(number) __asm__ volatile("" ::"i"(number))

__attribute__((noinline)) void hlrc_debug_faults_begin(void)
{
    PLACE(1);
}

__attribute__((noinline)) void hlrc_debug_faults_end(void)
{
    PLACE(2);
}

__attribute__((noinline)) void hlrc_debug_fault_foreign(void)
{
    PLACE(3);
}
