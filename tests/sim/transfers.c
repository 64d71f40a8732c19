/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* transfers - put, get, accumulate and atomics in windows, each node in the next one's: what
 * tests/sim/transfers.sh traces. */
#include <hlrc.h>
#include <stdint.h>

#define ROUNDS 20
#define SIDE   200 /* of a square of doubles */
#define PART   100
#define LISTED 70

static double near[SIDE][SIDE];

/* A section of PART rows. */
static void sections(double *there, int next)
{
    size_t stride = SIDE * sizeof *there, counts[2] = { 10 * sizeof *there, PART };
    const double half = 0.5;
    hlrc_handle_t handle;

    hlrc_put_strided(there, &stride, near, &stride, counts, 1, next);
    hlrc_get_strided(near, &stride, there, &stride, counts, 1, next);
    hlrc_put_strided_nb(there, &stride, near, &stride, counts, 1, next, &handle);
    hlrc_wait(handle);
    (void)hlrc_acc_strided(there, &stride, near, &stride, counts, 1, HLRC_DOUBLE, HLRC_SUM, &half,
                           next);
}

static void lists(double *there, int next)
{
    void *far[LISTED], *here[LISTED];

    for (int i = 0; i < LISTED; i++) {
        far[i] = there + 3 * i;
        here[i] = near[i];
    }
    hlrc_put_vector(far, (const void *const *)here, LISTED, 16, next);
    hlrc_get_vector(here, (const void *const *)far, LISTED, 16, next);
    (void)hlrc_acc_vector(far, (const void *const *)here, LISTED, 8, HLRC_DOUBLE, HLRC_SUM, NULL,
                          next);
}

/* Nobody else changes these words, so an atomic that compares is repeated once at most. */
static void words(uint64_t *there, int next)
{
    uint64_t value = 5, old, narrow = 3;

    (void)hlrc_word_fetch(hlrc_word_window(&there[0], next), HLRC_UINT64, HLRC_SUM, &value, &old,
                          HLRC_RELAXED);
    (void)hlrc_word_fetch(hlrc_word_window(&there[1], next), HLRC_UINT64, HLRC_REPLACE, &value,
                          &old, HLRC_RELAXED);
    (void)hlrc_word_fetch(hlrc_word_window(&there[1], next), HLRC_UINT64, HLRC_NO_OP, NULL, &old,
                          HLRC_RELAXED);
    (void)hlrc_word_fetch(hlrc_word_window(&there[2], next), HLRC_UINT32, HLRC_SUM, &narrow, &old,
                          HLRC_RELAXED);
    (void)hlrc_word_compare(hlrc_word_window(&there[3], next), HLRC_UINT64, &value, &narrow,
                            HLRC_RELAXED);
}

int main(int argc, char **argv)
{
    if (hlrc_init(&argc, &argv) != 0)
        return 1;
    int next = (hlrc_node_id() + 1) % hlrc_node_count();
    double *square = hlrc_window_create(sizeof near);
    uint64_t *word = hlrc_window_create(64);
    double *shared = hlrc_malloc_all(8192); /* it goes by way of a stage */
    hlrc_handle_t handle;
    if (square == NULL || word == NULL || shared == NULL)
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        sections(square, next);
        lists(square, next);
        hlrc_mutex_lock((unsigned)next, next); /* nobody else does */
        words(word, next);
        hlrc_mutex_unlock((unsigned)next, next);
        hlrc_put(square, shared, 8192, next);
        (void)hlrc_acc(square, near, 5000, HLRC_DOUBLE, HLRC_SUM, NULL, next);
        (void)hlrc_acc_nb(square, near, 100, HLRC_DOUBLE, HLRC_SUM, NULL, next, &handle);
        hlrc_wait(handle);
    }
    hlrc_barrier();
    hlrc_window_free(word);
    hlrc_window_free(square);
    hlrc_finalize();
    return 0;
}
