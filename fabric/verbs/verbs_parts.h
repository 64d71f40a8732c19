/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verbs_parts.h - functions that the files of the verbs fabric call in each other. */
#ifndef FABRIC_VERBS_PARTS_H
#define FABRIC_VERBS_PARTS_H

#include "fabric/verbs/verbs.h"

/* verbs_device.c */
int verbs_find_device(struct verbs_fabric *v);      /* -ENODEV: no adapter with an active port */
int verbs_probe(char *why, size_t len);             /* as fabric_probe */
void verbs_describe(void (*say)(const char *line)); /* as fabric_describe */
/* collective; leaves the rest to verbs_disconnect on failure */
int verbs_connect(struct verbs_fabric *v);
void verbs_disconnect(struct verbs_fabric *v);
void verbs_release_device(struct verbs_fabric *v);

/* verbs_memory.c */
/* Registers memory; ends the job if that is refused, with the limit to raise. */
struct ibv_mr *verbs_register(struct verbs_fabric *v, void *at, size_t len, unsigned access);
void verbs_may_register(bool may); /* for this thread, from now on */
int verbs_memory_start(struct verbs_fabric *v);
void verbs_memory_end(struct verbs_fabric *v);
int verbs_window_create(struct fabric *f, size_t size, struct fabric_window *out);
int verbs_window_discard(struct fabric *f, int win, size_t off, size_t len);
bool verbs_window_release(struct fabric *f, int win, size_t off, size_t len);
int verbs_window_prepare(struct fabric *f, int win, size_t off, size_t len);
void verbs_window_require(struct fabric *f, int peer, int win, size_t off, size_t len);
void verbs_make_known(struct verbs_fabric *v, int win, size_t piece); /* for the registrar */
/* Key of the peer's piece at `off`; if necessary requests the registration from the peer and
 * waits; *len is cut to the rest of the piece. */
uint32_t verbs_remote_key(struct verbs_fabric *v, int peer, int win, size_t off, size_t *len);
bool verbs_in_window(struct verbs_fabric *v, const void *buf);
/* Key of a local buffer, if it lies in a registered piece of a window; *len is cut as above. If it
 * is not registered, and `want`, requests that. */
bool verbs_local_key(struct verbs_fabric *v, const void *buf, bool want, uint32_t *key,
                     size_t *len);

/* verbs_registrar.c */
int verbs_registrar_start(struct verbs_fabric *v);
void verbs_registrar_stop(struct verbs_fabric *v); /* earlier requests are known afterwards */
/* requests registration; does not wait */
void verbs_want(struct verbs_fabric *v, int win, size_t piece);
void verbs_registrar_look(struct verbs_fabric *v);                     /* wakes the registrar */
void verbs_await_known(struct verbs_fabric *v, int win, size_t piece); /* after verbs_want */
bool verbs_known(const struct verbs_window *w, size_t piece);
void verbs_set_known(struct verbs_fabric *v, struct verbs_window *w, size_t piece);

/* verbs_near.c */
int verbs_near_find(struct verbs_fabric *v); /* finds the near peers; collective */
int verbs_near_map(struct verbs_fabric *v, struct verbs_window *w); /* maps windows; collective */
void verbs_near_unmap(struct verbs_fabric *v, struct verbs_window *w);

/* verbs_count.c */
int verbs_count_start(struct verbs_fabric *v); /* collective */
void verbs_count_end(struct verbs_fabric *v);
void verbs_time_round_trip(struct verbs_fabric *v); /* after verbs_count_start */
void verbs_counters(struct fabric *f, struct fabric_counters *out);
void verbs_check(struct fabric *f);

/* verbs_rx.c */
int verbs_node_of(const struct verbs_fabric *v, uint32_t qp_num); /* the peer of this queue pair */
int verbs_rx_start(struct verbs_fabric *v);
void verbs_rx_end(struct verbs_fabric *v);
int verbs_rx_poll(struct fabric *f, struct fabric_event *ev);
bool verbs_rx_pending(struct fabric *f);
void verbs_rx_busy(struct fabric *f);
uint32_t verbs_rx_ticket(struct fabric *f, enum fabric_sleeper s);
bool verbs_rx_arm(struct fabric *f, enum fabric_sleeper s, enum fabric_level level);
void verbs_rx_sleep(struct fabric *f, enum fabric_sleeper s, uint32_t ticket, int64_t timeout_ns);
void verbs_rx_wake(struct fabric *f, enum fabric_sleeper s);

/* verbs_pieces.c */
void verbs_read_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                       size_t count, struct fabric_op *op);
void verbs_write_pieces(struct fabric *f, int peer, int win, const struct fabric_piece *pieces,
                        size_t count, struct fabric_op *op);
/* Copies the data of a completed read to the destinations of its parts. */
void verbs_hand_out(struct verbs_fabric *v, const struct verbs_work *w);

/* verbs_long.c: as fabric_read_long and fabric_write_long */
void verbs_read_long(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                     struct fabric_op *op);
void verbs_write_long(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                      struct fabric_op *op);
void verbs_region_done(struct verbs_fabric *v, struct verbs_region *r); /* operation done */
void verbs_regions_reap(struct verbs_fabric *v); /* deregisters ENDED ones: by the registrar */

/* verbs.c */
/* Parameters of one work request. */
struct verbs_order {
    enum verbs_kind kind;
    int peer;
    struct fabric_op *op;
    void *local; /* in registered memory, or the source of an inline write */
    uint32_t lkey;
    size_t len;
    bool is_inline;
    uint64_t remote;
    uint32_t rkey, imm;
    bool urgent;
    uint64_t a, b;
    int bounce;                  /* slot to free at completion, -1 none */
    void *dst;                   /* destination of its contents; */
    int parts;                   /* or number of parts in it, 0 none */
    struct verbs_region *region; /* its memory was registered for this; NULL: no */
};

static inline char *verbs_bounce_at(struct verbs_fabric *v, int slot)
{
    return v->bounce + (size_t)slot * FABRIC_INLINE;
}

static inline uint64_t verbs_remote_at(struct verbs_fabric *v, int peer, int win, size_t off)
{
    return v->window[win].peer_base[peer] + off;
}

/* Starts it, once there is room. */
void verbs_post(struct verbs_fabric *v, const struct verbs_order *o);
/* Takes a slot as its local buffer, once there is one. */
void verbs_take_bounce(struct verbs_fabric *v, struct verbs_order *o);
/* Starts as many requests as necessary, for any memory. */
void verbs_transfer(struct verbs_fabric *v, struct verbs_order *o, int win, size_t off, char *local,
                    size_t len);
void verbs_read(struct fabric *f, int peer, int win, size_t off, void *dst, size_t len,
                struct fabric_op *op);
void verbs_write(struct fabric *f, int peer, int win, size_t off, const void *src, size_t len,
                 struct fabric_op *op);
_Noreturn void verbs_fail(struct verbs_fabric *v, const char *what, int peer, const char *why);
void verbs_progress(struct verbs_fabric *v); /* takes completions */
void verbs_send_internal(struct verbs_fabric *v, int peer, uint32_t imm, bool urgent);
/* At most FABRIC_INLINE bytes at an address of the peer's; dst NULL: only to test whether they can
 * be read. */
void verbs_read_at(struct verbs_fabric *v, int peer, uint64_t addr, uint32_t rkey, void *dst,
                   size_t len, struct fabric_op *op);
void verbs_write_word(struct verbs_fabric *v, int peer, uint64_t addr, uint32_t rkey,
                      uint64_t value, struct fabric_op *op);
void verbs_wait(struct fabric *f, struct fabric_op *op);

#endif
