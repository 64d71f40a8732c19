/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* locale_slot.c - see locale_slot.h for the invariants. */
#include "compat/process/locale_slot.h"

#include <assert.h>
#include <hlrc.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "compat/start/start.h"
#include "hlrc/memory/fault.h"

#define SLOTS       128
#define SLOT_BYTES  4096 /* a page */
#define NAMES_BYTES 1024
#define CLASSES     384 /* entries of a table of characters, from -128 on */
#define CATEGORIES  (sizeof((struct __locale_struct *)0)->__names / sizeof(char *))

/* Each node's; [locale.slot]. The tables of characters are part of it: facets of C++ keep their
 * addresses. */
static union locale_slot {
    struct {
        struct __locale_struct locale;
        unsigned short kinds[CLASSES];
        int lower[CLASSES], upper[CLASSES];
    } in;
    char page[SLOT_BYTES];
} slots[SLOTS] __attribute__((aligned(SLOT_BYTES)));
static_assert(sizeof *slots == SLOT_BYTES, "a slot is a page");

/* In shared memory; written by node 0 before the locale is returned to the program. One name, or
 * one for each category. */
static char (*names)[NAMES_BYTES];

static int used;           /* of node 0 */
static bool filled[SLOTS]; /* of other nodes */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static locale_t classic; /* "C" */

static void locale_slot_name(char to[NAMES_BYTES], locale_t own)
{
    size_t at = 0, count = 1;
    for (size_t i = 0; i < CATEGORIES; i++)
        if (i != LC_ALL && strcmp(own->__names[i], own->__names[0]) != 0)
            count = CATEGORIES;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = i == LC_ALL ? 0 : strlen(own->__names[i]);
        if (at + bytes + 2 > NAMES_BYTES)
            start_fail("newlocale: the names of the locale's categories have more than %d bytes; "
                       "use shorter ones",
                       NAMES_BYTES);
        memcpy(to + at, own->__names[i], bytes);
        at += bytes;
        to[at++] = '\n';
    }
    to[at] = '\0';
}

/* NULL: the system does not have it. */
static locale_t locale_slot_make(const char *text)
{
    char name[NAMES_BYTES];
    locale_t made = NULL;
    bool single = !strchr(strchr(text, '\n') + 1, '\n');
    for (int category = 0; *text; category++) {
        size_t bytes = (size_t)(strchr(text, '\n') - text);
        memcpy(name, text, bytes);
        name[bytes] = '\0';
        text += bytes + 1;
        if (category == LC_ALL)
            continue;
        locale_t next = newlocale(single ? LC_ALL_MASK : 1 << category, name, made);
        if (!next && made)
            freelocale(made);
        if (!next)
            return NULL;
        made = next;
    }
    return made;
}

/* Fills `page`, which is or becomes the slot. `own` is kept for good. */
static void locale_slot_copy(union locale_slot *page, int slot, locale_t own)
{
    struct __locale_struct *l = &page->in.locale;
    *l = *own;
    memcpy(page->in.kinds, own->__ctype_b - CLASSES / 3, sizeof page->in.kinds);
    memcpy(page->in.lower, own->__ctype_tolower - CLASSES / 3, sizeof page->in.lower);
    memcpy(page->in.upper, own->__ctype_toupper - CLASSES / 3, sizeof page->in.upper);
    l->__ctype_b = slots[slot].in.kinds + CLASSES / 3;
    l->__ctype_tolower = slots[slot].in.lower + CLASSES / 3;
    l->__ctype_toupper = slots[slot].in.upper + CLASSES / 3;
}

/* Other threads of the node see the page inaccessible or filled. */
static void locale_slot_fill(int slot)
{
    locale_t own = locale_slot_make(names[slot]);
    if (!own)
        start_fail("newlocale: node %d does not have the locale %.*s of node 0; install it on all "
                   "hosts",
                   hlrc_node_id(), (int)strcspn(names[slot], "\n"), names[slot]);
    union locale_slot *page =
        mmap(NULL, SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        locale_slot_copy(page, slot, own);
    if (page == MAP_FAILED || mremap(page, SLOT_BYTES, SLOT_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
                                     &slots[slot]) == MAP_FAILED)
        start_fail("no memory for a locale");
    filled[slot] = true;
}

static bool locale_slot_serve(void *addr)
{
    if (!locale_slot_has(addr))
        return false;
    long slot = (union locale_slot *)addr - slots;
    pthread_mutex_lock(&mutex);
    bool known = names[slot][0];
    if (known && !filled[slot])
        locale_slot_fill((int)slot);
    pthread_mutex_unlock(&mutex);
    return known;
}

bool locale_slot_has(locale_t locale)
{
    return (char *)locale >= (char *)slots && (char *)locale < (char *)(slots + SLOTS);
}

/* Under the mutex. */
static locale_t locale_slot_find(locale_t own)
{
    char text[NAMES_BYTES];
    locale_slot_name(text, own);
    for (int i = 0; i < used; i++)
        if (strcmp(names[i], text) == 0) {
            freelocale(own);
            return &slots[i].in.locale;
        }
    if (used == SLOTS)
        start_fail("newlocale: more than %d different locales; use fewer", SLOTS);
    strcpy(names[used], text);
    locale_slot_copy(&slots[used], used, own);
    return &slots[used++].in.locale;
}

locale_t locale_slot_put(locale_t own)
{
    if (!own || own == classic)
        return own;
    pthread_mutex_lock(&mutex);
    locale_t slot = locale_slot_find(own);
    pthread_mutex_unlock(&mutex);
    return slot;
}

locale_t locale_slot_current(void)
{
    locale_t now = uselocale(NULL);
    if (now != LC_GLOBAL_LOCALE && now != classic && !locale_slot_has(now))
        start_fail("a thread of node %d has set a locale that a library has made on this node "
                   "only, and node 0 performs a call for it; make the locale by newlocale in main",
                   hlrc_node_id());
    return now;
}

static void locale_slot_begin(void)
{
    if (!start_sharing)
        return;
    names = start_shared_memory(SLOTS * sizeof *names, "names of locales");
    classic = newlocale(LC_ALL_MASK, "C", NULL);
    if (hlrc_node_id() == 0)
        return;
    if (mprotect(slots, sizeof slots, PROT_NONE) != 0)
        start_fail("cannot protect the pages of locales");
    hlrc_fault_other(locale_slot_serve);
}

__attribute__((constructor)) static void locale_slot_at_start(void)
{
    start_at_begin(locale_slot_begin);
}
