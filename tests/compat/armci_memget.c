/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that one process allocates and others use, and a program that has a function in place of
 * ARMCI_Put. Prints "right". With a word for argument, one of the mistakes that end the job with a
 * line.
 */
#include <armci.h>
#include <parmci.h>
#include <string.h>

#include "tests/compat/right.h"

static int puts_seen;

int ARMCI_Put(void *src, void *dst, int bytes, int proc)
{
    puts_seen++;
    return PARMCI_Put(src, dst, bytes, proc);
}

/* The structure of the previous process; the next one gets `mine`. */
static armci_meminfo_t from_previous(armci_meminfo_t *mine)
{
    armci_meminfo_t got;
    int size;
    armci_msg_snd(1, mine, sizeof *mine, (me + 1) % n);
    armci_msg_rcv(1, &got, sizeof got, &size, (me - 1 + n) % n);
    RIGHT(size == (int)sizeof got && got.cpid == (me - 1 + n) % n);
    return got;
}

/* Writes all bytes of a new block of the previous process from `offset` on, which that process
 * then finds there. */
static void exchange(armci_meminfo_t *mine, size_t bytes, long offset)
{
    char sent[200], back[200];
    ARMCI_Memget(bytes, mine, 0);
    RIGHT(mine->cpid == me && mine->size == bytes && ARMCI_Memat(mine, 0) == mine->addr);
    memset(mine->addr, 0, bytes);
    armci_meminfo_t theirs = from_previous(mine);
    char *at = ARMCI_Memat(&theirs, offset);
    int rest = (int)(bytes - (size_t)offset);
    memset(sent, 'a' + me, sizeof sent);
    RIGHT(ARMCI_Put(sent, at, rest, theirs.cpid) == 0);
    RIGHT(ARMCI_Get(at, back, rest, theirs.cpid) == 0 && memcmp(sent, back, (size_t)rest) == 0);
    ARMCI_Barrier();
    memset(sent, 'a' + (me + 1) % n, sizeof sent);
    RIGHT(memcmp((char *)mine->addr + offset, sent, (size_t)rest) == 0);
    RIGHT(offset == 0 || *(char *)mine->addr == 0);
    ARMCI_Barrier();
}

/* Later blocks lie where an earlier one was that other processes still have the structure of. */
static void blocks(void)
{
    armci_meminfo_t first, second, third;
    exchange(&first, 100, 40);
    void *begin = first.addr;
    ARMCI_Memctl(&first);
    RIGHT(first.addr == NULL);
    exchange(&second, 64, 0);
    RIGHT(second.addr == begin);
    exchange(&third, 64, 0);
    RIGHT((char *)third.addr == (char *)begin + 64);
    armci_meminfo_t theirs = from_previous(&third);
    (void)ARMCI_Memat(&theirs, 0);
    ARMCI_Memdt(&theirs, 0);
    ARMCI_Barrier();
    ARMCI_Memctl(&second);
    ARMCI_Memctl(&third);
    exchange(&first, 200, 0);
    ARMCI_Memctl(&first);
}

static void profiled(void)
{
    void **at = malloc((size_t)n * sizeof *at);
    int value = 5, before = puts_seen, counted, p = (me + 1) % n;
    RIGHT(at && PARMCI_Malloc(at, 2 * sizeof(int)) == 0);
    memset(at[me], 0, 2 * sizeof(int));
    parmci_msg_barrier();
    RIGHT(ARMCI_Put_flag(&value, at[p], sizeof value, (int *)at[p] + 1, 7, p) == 0);
    RIGHT(puts_seen == before);
    RIGHT(ARMCI_Put(&value, at[p], sizeof value, p) == 0 && puts_seen == before + 1);
    RIGHT(PARMCI_Put(&value, at[p], sizeof value, p) == 0 && puts_seen == before + 1);
    RIGHT(PARMCI_GetValueInt((int *)at[p] + 1, p) == 7);
    (void)parmci_notify(p);
    RIGHT(parmci_notify_wait((me - 1 + n) % n, &counted) == 1 && counted == 1);
    PARMCI_Barrier();
    RIGHT(PARMCI_Free(at[me]) == 0);
    free(at);
}

static void mistake(const char *word)
{
    armci_meminfo_t mine = { 0 };
    char bytes[32] = { 0 };
    if (strcmp(word, "none") == 0)
        (void)ARMCI_Memat(&mine, 0);
    ARMCI_Memget(strcmp(word, "empty") != 0 ? 16 : 0, &mine, 0);
    armci_meminfo_t theirs = from_previous(&mine);
    if (strcmp(word, "private") == 0)
        theirs.armci_addr = bytes;
    void *at = ARMCI_Memat(&theirs, 0);
    if (strcmp(word, "detached") == 0)
        ARMCI_Memdt(&theirs, 0);
    (void)ARMCI_Put(bytes, at, sizeof bytes, theirs.cpid);
}

int main(int argc, char **argv)
{
    ARMCI_Init();
    me = armci_msg_me(), n = armci_msg_nproc();
    if (argc > 1)
        mistake(argv[1]);
    blocks();
    profiled();
    ARMCI_Barrier();
    if (me == 0)
        puts("right");
    ARMCI_Finalize();
    return 0;
}
