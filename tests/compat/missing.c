/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Needs a function that is not supported: an older gcc would call it for a parallel region. */
void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);

static void region(void *data)
{
    (void)data;
}

int main(void)
{
    GOMP_parallel_start(region, 0, 2);
    return 0;
}
