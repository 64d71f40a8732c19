/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pi-parmacs: a program written with the ANL macros, as SPLASH uses them: pi as the area below
 * 4 / (1 + x * x), in strips that are distributed over the processes.
 *
 *     m4 "$(pkg-config --variable=macros hlrc)" pi-parmacs.C >pi-parmacs.c
 *     hlrcc -O2 -pthread pi-parmacs.c -o pi-parmacs
 *     hlrcrun -n 3 ./pi-parmacs
 */
MAIN_ENV

#define PROCESSES 4
#define STRIPS    1000000

struct global {
    LOCKDEC(lock)
    BARDEC(start)
    double sum;
    int ids;
};
struct global *global;

void work(void)
{
    double sum = 0, x;
    int me, i;

    LOCK(global->lock)
    me = global->ids++;
    UNLOCK(global->lock)
    BARRIER(global->start, PROCESSES)
    for (i = me; i < STRIPS; i += PROCESSES) {
        x = (i + 0.5) / STRIPS;
        sum += 4 / (1 + x * x) / STRIPS;
    }
    LOCK(global->lock)
    global->sum += sum;
    UNLOCK(global->lock)
}

int main(void)
{
    int i;

    MAIN_INITENV(, 1000000)
    global = (struct global *)G_MALLOC(sizeof(struct global));
    LOCKINIT(global->lock)
    BARINIT(global->start)
    global->sum = 0;
    global->ids = 0;
    for (i = 1; i < PROCESSES; i++) {
        CREATE(work)
    }
    work();
    WAIT_FOR_END(PROCESSES - 1)
    printf("pi is %.6f\n", global->sum);
    MAIN_END
}
