/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that is not of main: locks and barriers of its own. */
EXTERN_ENV

static struct {
    LOCKDEC(lock)
    BARDEC(end)
    long sum, next;
} own;

static void add(void)
{
    long me;
    LOCK(own.lock)
    me = own.next++;
    own.sum += me;
    UNLOCK(own.lock)
    BARRIER(own.end, 2)
}

long other_sum(long threads)
{
    long i;
    LOCKINIT(own.lock)
    BARINIT(own.end)
    own.sum = own.next = 0;
    for (i = 0; i + 1 < threads; i += 2) {
        CREATE(add)
        add();
        WAIT_FOR_END(1)
    }
    if (i < threads)
        own.sum += own.next;
    return own.sum;
}
