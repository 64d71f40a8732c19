/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * transfer.c - hlrc_put and hlrc_get of contiguous bytes.
 *
 * One operation of the fabric, with few instructions around it. Program memory in the shared space
 * is staged on the stack [thread.no-fault]; such a transfer is complete when the call returns, with
 * or without a handle.
 */
#include "hlrc/rma/transfer.h"

#include <hlrc.h>
#include <string.h>

#include "hlrc/core/call.h"
#include "hlrc/probe/probe.h"
#include "hlrc/progress/thread.h"
#include "hlrc/rma/handle.h"
#include "hlrc/rma/shared.h"

void transfer_stage_end(struct transfer_stage *s)
{
    if (s->count == 0)
        return;
    struct fabric_op op = FABRIC_OP_INIT;
    transfer_record(s->way, s->node, s->used, RECORD_AWAITED, s->count);
    struct thread *t = thread_enter();
    if (s->way == PUT)
        fabric_write_pieces(engine.fabric, s->node, arena.id, s->piece, s->count, &op);
    else
        fabric_read_pieces(engine.fabric, s->node, arena.id, s->piece, s->count, &op);
    transfer_finish(&op);
    thread_leave(t);
    PROBE(computing_resumed);
    for (size_t i = 0; s->way == GET && i < s->count; i++)
        memcpy(s->user[i], s->piece[i].local, s->piece[i].len);
    s->count = s->used = 0;
}

void transfer_stage_add(struct transfer_stage *s, size_t off, void *local, size_t len)
{
    char *mine = local;
    while (len) {
        if (s->count == PIECES || s->used == sizeof s->room)
            transfer_stage_end(s);
        size_t n = len < sizeof s->room - s->used ? len : sizeof s->room - s->used;
        char *room = s->room + s->used;
        if (s->way == PUT)
            memcpy(room, mine, n);
        s->piece[s->count] = (struct fabric_piece){ off, room, n };
        s->user[s->count++] = mine;
        s->used += n;
        off += n;
        mine += n;
        len -= n;
    }
}

static void transfer_copied(enum transfer_way way, int node, size_t off, void *local, size_t len)
{
    struct transfer_stage s;
    s.way = way;
    s.node = node;
    s.count = s.used = 0;
    transfer_stage_add(&s, off, local, len);
    transfer_stage_end(&s);
}

static inline void transfer(enum transfer_way way, int node, size_t off, void *local, size_t len)
{
    if (__builtin_expect(window_local_is_shared(local, len), 0)) {
        transfer_copied(way, node, off, local, len);
        return;
    }
    if (len == 0)
        return;
    struct fabric_op op = FABRIC_OP_INIT;
    transfer_record(way, node, len, RECORD_AWAITED, 1);
    struct thread *t = thread_enter();
    transfer_start(way, node, off, window_local_mem(local), len, &op);
    transfer_finish(&op);
    thread_leave(t);
    PROBE(computing_resumed);
}

static void transfer_nb(enum transfer_way way, int node, size_t off, void *local, size_t len,
                        hlrc_handle_t *handle)
{
    bool shared = window_local_is_shared(local, len);
    if (shared)
        transfer_copied(way, node, off, local, len);
    else if (len)
        transfer_record(way, node, len, RECORD_LEFT, 1);
    struct thread *t = thread_enter();
    struct handle *h = handle ? handle_take(node) : NULL;
    if (!shared && len)
        transfer_start(way, node, off, window_local_mem(local), len,
                       h ? &h->op : handle_none(node));
    uint64_t name = h ? handle_name(h) : 0;
    thread_leave(t);
    PROBE(computing_resumed);
    if (handle)
        *handle = (hlrc_handle_t){ name }; /* may lie in shared memory */
}

static inline void transfer_check_local(const char *call, enum transfer_way way, const void *local,
                                        size_t len)
{
    if (len)
        call_check_given(call, way == PUT ? "src" : "dst", local);
}

static __attribute__((noinline)) void transfer_of_homes(const char *call, enum transfer_way way,
                                                        void *there, void *local, size_t len)
{
    pieces_shared_check(call, there, len);
    transfer_check_local(call, way, local, len);
    shared_copy(way, there, local, len);
}

void hlrc_put(void *dst, const void *src, size_t len, int node)
{
    if (__builtin_expect(node == HLRC_HOMES, 0)) {
        transfer_of_homes("hlrc_put", PUT, dst, (void *)(uintptr_t)src, len);
        return;
    }
    size_t off = window_offset("hlrc_put", dst, len, node);
    transfer_check_local("hlrc_put", PUT, src, len);
    transfer(PUT, node, off, (void *)(uintptr_t)src, len);
}

void hlrc_get(void *dst, const void *src, size_t len, int node)
{
    if (__builtin_expect(node == HLRC_HOMES, 0)) {
        transfer_of_homes("hlrc_get", GET, (void *)(uintptr_t)src, dst, len);
        return;
    }
    size_t off = window_offset("hlrc_get", src, len, node);
    transfer_check_local("hlrc_get", GET, dst, len);
    transfer(GET, node, off, dst, len);
}

void hlrc_put_nb(void *dst, const void *src, size_t len, int node, hlrc_handle_t *handle)
{
    if (node == HLRC_HOMES) {
        transfer_of_homes("hlrc_put_nb", PUT, dst, (void *)(uintptr_t)src, len);
        if (handle)
            *handle = (hlrc_handle_t){ handle_done() };
        return;
    }
    size_t off = window_offset("hlrc_put_nb", dst, len, node);
    transfer_check_local("hlrc_put_nb", PUT, src, len);
    transfer_nb(PUT, node, off, (void *)(uintptr_t)src, len, handle);
}

void hlrc_get_nb(void *dst, const void *src, size_t len, int node, hlrc_handle_t *handle)
{
    if (node == HLRC_HOMES) {
        transfer_of_homes("hlrc_get_nb", GET, (void *)(uintptr_t)src, dst, len);
        if (handle)
            *handle = (hlrc_handle_t){ handle_done() };
        return;
    }
    size_t off = window_offset("hlrc_get_nb", src, len, node);
    transfer_check_local("hlrc_get_nb", GET, dst, len);
    transfer_nb(GET, node, off, dst, len, handle);
}
