/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each macro of c.m4.hlrc does: what is printed is the same for any number of threads of 2 and
 * more, which is the first argument. With a second one, threads begin one by one. */
MAIN_ENV

#define STEPS 30
#define LOCKS 8
#define ITEMS 200

extern long other_sum(long threads);

struct shared {
    LOCKDEC(ids)
    LOCKDEC(lock)
    ALOCKDEC(locks, LOCKS)
    BARDEC(start)
    BARDEC(steps)
    PAUSEDEC(go)
    PAUSEDEC(turn)
    GSDEC(next)
    CONDVARDEC(full)
    long id, threads, count, taken, rounds, waiting;
    long per_lock[LOCKS], item[ITEMS], *row;
};
struct shared *all;
static long step[1024];

static void locks(long me)
{
    long i;
    for (i = 0; i < STEPS; i++) {
        LOCK(all->lock)
        all->count++;
        UNLOCK(all->lock)
        ALOCK(all->locks, (me + i) % LOCKS)
        all->per_lock[(me + i) % LOCKS]++;
        AULOCK(all->locks, (me + i) % LOCKS)
    }
}

static void barriers(long me)
{
    long i, t, wrong = 0;
    for (i = 1; i <= STEPS; i++) {
        step[me] = i;
        BARRIER(all->steps, all->threads)
        for (t = 0; t < all->threads; t++)
            wrong += step[t] != i;
        BARRIER(all->start, all->threads)
    }
    if (wrong)
        printf("thread %ld: %ld steps that others had not come to\n", me, wrong);
}

static void subscripts(void)
{
    long i, round;
    for (round = 0; round < 2; round++) {
        GETSUB(all->next, i, ITEMS - 1, all->threads)
        while (i >= 0) {
            all->item[i]++;
            LOCK(all->lock)
            all->taken++;
            UNLOCK(all->lock)
            GETSUB(all->next, i, ITEMS - 1, all->threads)
        }
    }
}

static void conditions(void)
{
    LOCK(all->lock)
    if (++all->waiting == all->threads) {
        CONDVARBCAST(all->full)
    }
    while (all->waiting < all->threads) {
        CONDVARWAIT(all->full, all->lock)
    }
    UNLOCK(all->lock)
}

void slave(void)
{
    long me;
    LOCK(all->ids)
    me = all->id++;
    UNLOCK(all->ids)
    WAITPAUSE(all->go)
    locks(me);
    BARRIER(all->start, all->threads)
    barriers(me);
    subscripts();
    conditions();
    all->row[me] = me;
    if (me == 1) {
        PAUSE(all->turn)
        all->rounds++;
        SETPAUSE(all->go)
    }
    BARRIER(all->start, all->threads)
}

static void begin(long threads)
{
    all = (struct shared *)G_MALLOC(sizeof *all);
    all->row = (long *)NU_MALLOC(threads * sizeof(long), 1);
    LOCKINIT(all->ids)
    LOCKINIT(all->lock)
    ALOCKINIT(all->locks, LOCKS)
    BARINIT(all->start)
    BARINIT(all->steps, threads)
    PAUSEINIT(all->go)
    PAUSEINIT(all->turn)
    GSINIT(all->next)
    CONDVARINIT(all->full)
    all->threads = threads;
    all->id = all->count = all->taken = all->rounds = all->waiting = 0;
    SETPAUSE(all->go)
    SETPAUSE(all->turn)
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 2, i, sum = 0, items = 0;
    unsigned long before, after;
    MAIN_INITENV(, 1000000)
    CLOCK(before)
    begin(threads);
    if (argc > 2) {
        for (i = 1; i < threads; i++) {
            CREATE(slave)
        }
        slave();
    } else {
        CREATE(slave, threads)
    }
    WAIT_FOR_END(threads)
    CLOCK(after)
    for (i = 0; i < LOCKS; i++)
        sum += all->per_lock[i];
    for (i = 0; i < ITEMS; i++)
        items += all->item[i] == 2;
    printf("count %ld of %ld, by lock %ld\n", all->count / threads, (long)STEPS, sum / threads);
    printf("items %ld, taken %ld, rounds %ld\n", items, all->taken, all->rounds);
    printf("rows %d, other file %ld, clock %d\n", other_sum(threads) == threads * (threads - 1) / 2,
           other_sum(threads) - threads * (threads - 1) / 2, after >= before);
    G_FREE(all->row)
    ;
    MAIN_END
}
