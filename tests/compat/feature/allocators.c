/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocators: alignment, pools and what is done when one is used up, defaults, what a region's
 * threads get and give back for each other. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void expect(int holds)
{
    if (!holds) {
#pragma omp atomic
        wrong++;
    }
}

static omp_allocator_handle_t make(size_t align, size_t pool, omp_alloctrait_value_t fallback)
{
    omp_alloctrait_t traits[] = { { omp_atk_alignment, align },
                                  { omp_atk_pool_size, pool },
                                  { omp_atk_fallback, fallback } };
    return omp_init_allocator(omp_default_mem_space, 3, traits);
}

static void pools(void)
{
    omp_allocator_handle_t a = make(4096, 60000, omp_atv_null_fb);
    omp_allocator_handle_t b = make(64, 60000, omp_atv_default_mem_fb);
    char *p = omp_alloc(40000, a), *q = omp_alloc(40000, a), *r = omp_alloc(100000, b);
    expect(p && (uintptr_t)p % 4096 == 0 && !q && r);
    memset(p, 1, 40000);
    memset(r, 2, 100000);
    omp_free(p, a);
    q = omp_calloc(100, 400, a);
    expect(q && q[0] == 0 && q[39999] == 0);
    omp_free(q, omp_null_allocator);
    omp_free(r, b);
    omp_destroy_allocator(a);
    omp_destroy_allocator(b);
}

/* What is counted in a pool; which traits there are. */
static void counted(void)
{
    omp_alloctrait_t null[] = { { omp_atk_fallback, omp_atv_null_fb },
                                { omp_atk_pool_size, 4096 } };
    omp_alloctrait_t pinned = { omp_atk_pinned, omp_atv_true }, access = { omp_atk_access, 99 };
    omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 2, null);
    char *p = omp_alloc(3071, a), *q, *r;
    p = omp_realloc(p, 3072, omp_null_allocator, omp_null_allocator);
    q = omp_alloc(4, a);
    printf("%d %d", p != NULL, q != NULL);
    r = omp_realloc(q, 3072, a, a);
    printf(" %d", r != NULL);
    r = omp_alloc(950, a);
    printf(" %d", r != NULL);
    r = omp_realloc(q, 900, omp_default_mem_alloc, a);
    q = omp_alloc(900, a);
    printf(" %d %d\n", r != NULL, q != NULL);
    omp_free(p, a);
    omp_free(q, a);
    omp_free(r, a);
    omp_destroy_allocator(a);
    printf("%d %d %d\n", omp_init_allocator(omp_default_mem_space, 1, &pinned) != 0,
           omp_init_allocator(omp_default_mem_space, 1, &access) != 0,
           omp_init_allocator(omp_high_bw_mem_space, 0, NULL) != 0);
}

static void passed_on(void)
{
    static char *texts[16];
    omp_allocator_handle_t a = make(256, 1 << 20, omp_atv_null_fb);
#pragma omp parallel
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 16; i++) {
            texts[i] = omp_aligned_alloc(512, 50000, a);
            expect(texts[i] && (uintptr_t)texts[i] % 512 == 0);
            memset(texts[i], 'a' + i, 50000);
        }
#pragma omp for schedule(static, 1)
        for (int i = 15; i >= 0; i--) {
            expect(texts[i][0] == 'a' + i && texts[i][49999] == 'a' + i);
            texts[i] = omp_realloc(texts[i], 100, a, a);
            expect(texts[i] && texts[i][99] == 'a' + i);
            omp_free(texts[i], a);
        }
    }
    char *all = omp_alloc(900000, a); /* everything has come back */
    expect(all != NULL);
    omp_free(all, a);
    omp_destroy_allocator(a);
}

static void defaults(void)
{
    omp_allocator_handle_t a = make(128, 60000, omp_atv_null_fb);
    expect(omp_get_default_allocator() == omp_default_mem_alloc);
    omp_set_default_allocator(a);
#pragma omp parallel
    {
        expect(omp_get_default_allocator() == a);
        omp_set_default_allocator(omp_large_cap_mem_alloc);
    }
    char *p = omp_alloc(10, omp_null_allocator), *q = omp_aligned_calloc(32, 10, 10, a);
    expect((uintptr_t)p % 128 == 0 && q && q[99] == 0 && omp_get_default_allocator() == a);
    omp_free(p, a);
    omp_free(q, a);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_destroy_allocator(a);
    expect(make(3, 1, omp_atv_null_fb) == omp_null_allocator);
}

int main(void)
{
    int x = 5, y[100] = { 1 };
    omp_allocator_handle_t a = make(1024, 1 << 20, omp_atv_abort_fb);
    pools();
    counted();
    passed_on();
    defaults();
#pragma omp parallel firstprivate(x, y) allocate(a : x, y)
    {
        y[99] = x + omp_get_thread_num();
        expect(y[0] == 1 && y[99] == 5 + omp_get_thread_num());
    }
    omp_destroy_allocator(a);
    printf("%d wrong\n", wrong);
    return 0;
}
