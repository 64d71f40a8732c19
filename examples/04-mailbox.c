/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 04-mailbox: a condition variable. Node 0 puts letters into a box that holds one letter; the
 * others take them out. */
#include <hlrc.h>
#include <stdio.h>

#define LETTERS 60

struct box {
    int letter; /* 0: empty */
    int taken;  /* number of letters taken out */
    long sum;   /* of their numbers */
    hlrc_lock_t lock;
    hlrc_cond_t changed; /* handles are plain values and may be in shared memory */
};

static void put(struct box *box, int letter)
{
    hlrc_lock(box->lock);
    while (box->letter)
        hlrc_cond_wait(box->changed, box->lock);
    box->letter = letter;
    hlrc_cond_broadcast(box->changed);
    hlrc_unlock(box->lock);
}

/* Returns 0 if there are no more letters. */
static int take(struct box *box)
{
    hlrc_lock(box->lock);
    while (!box->letter && box->taken < LETTERS)
        hlrc_cond_wait(box->changed, box->lock);
    int letter = box->letter;
    box->letter = 0;
    box->sum += letter;
    box->taken += letter != 0;
    hlrc_cond_broadcast(box->changed);
    hlrc_unlock(box->lock);
    return letter;
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    struct box *box = hlrc_malloc_all(sizeof *box);
    if (!box)
        return 1;
    if (hlrc_node_id() == 0 &&
        (hlrc_lock_create(&box->lock) != 0 || hlrc_cond_create(&box->changed) != 0))
        return 1;
    hlrc_barrier();
    for (int letter = 1; hlrc_node_id() == 0 && hlrc_node_count() > 1 && letter <= LETTERS;
         letter++)
        put(box, letter);
    while (hlrc_node_id() > 0 && take(box))
        ;
    hlrc_barrier();
    if (hlrc_node_id() == 0)
        printf("%d letters taken, sum %ld\n", box->taken, box->sum);
    hlrc_finalize();
    return 0;
}
