/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distribute.c - see distribute.h. */
#include "compat/treadmarks/distribute.h"

#include <errno.h>
#include <hlrc.h>
#include <string.h>

#include "compat/treadmarks/Tmk.h"
#include "compat/treadmarks/place.h"

#define PAGE 4096u

/* Each has separate pages, so that reading a link does not fetch others' writes. */
struct distribute_record {
    struct distribute_record *next; /* written once, by the holder of the chain's lock */
    struct tmk_place place;
    size_t size;
    unsigned char data[];
};

static hlrc_lock_t chain;
static struct distribute_record *last; /* taken by this process */
static struct distribute_record *oldest,
    *was[2]; /* process 0: not freed; taken at the last barriers */

static struct distribute_record *distribute_record_make(size_t size)
{
    size_t bytes = (sizeof(struct distribute_record) + size + PAGE - 1) / PAGE * PAGE;
    struct distribute_record *r = hlrc_aligned_alloc(PAGE, bytes);
    if (!r)
        Tmk_errexit("Tmk_distribute: no shared memory left for %zu bytes; raise --memory\n", size);
    return r;
}

void distribute_begin(void)
{
    int err = Tmk_proc_id == 0 ? hlrc_lock_create(&chain) : 0;
    if (err < 0)
        Tmk_errexit("Tmk_startup: cannot create a lock: %s\n", strerror(-err));
    if (Tmk_proc_id == 0)
        last = distribute_record_make(0);
    if (hlrc_broadcast(&chain, sizeof chain, 0) < 0 || hlrc_broadcast(&last, sizeof last, 0) < 0)
        Tmk_errexit("Tmk_startup: hlrc_broadcast failed\n");
    oldest = was[0] = was[1] = last;
}

/* The chain's lock is held. */
static void distribute_take(void)
{
    while (last->next) {
        last = last->next;
        void *here = place_here(&last->place);
        if (!here)
            Tmk_errexit("Tmk_distribute: a variable of a library that process %u has not loaded\n",
                        Tmk_proc_id);
        memcpy(here, last->data, last->size);
    }
}

void distribute_accept(void)
{
    if (Tmk_nprocs == 1 || !__atomic_load_n(&last->next, __ATOMIC_RELAXED))
        return;
    hlrc_lock(chain);
    distribute_take();
    hlrc_unlock(chain);
}

void distribute_meet(void)
{
    hlrc_barrier();
    distribute_accept();
    if (Tmk_proc_id != 0)
        return;
    while (oldest != was[1]) {
        struct distribute_record *r = oldest;
        oldest = r->next;
        hlrc_free(r);
    }
    was[1] = was[0];
    was[0] = last;
}

void Tmk_distribute(const void *ptr, size_t size)
{
    struct tmk_place place;
    /* all processes have shared memory */
    if (Tmk_nprocs == 1 || size == 0 || hlrc_home(ptr) != -EINVAL)
        return;
    if (!place_find(ptr, size, true, &place))
        Tmk_errexit("Tmk_distribute: %zu bytes at %p are not in a global or static variable, so "
                    "other processes have other data there; use a global or static variable\n",
                    size, ptr);
    struct distribute_record *r = distribute_record_make(size);
    r->place = place;
    r->size = size;
    memcpy(r->data, ptr, size);
    hlrc_lock(chain);
    distribute_take();
    last->next = r;
    distribute_take(); /* its own, too: an earlier one may be of the same variable */
    hlrc_unlock(chain);
}
