/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* protocol_env.c - the table by which protocols call the engine; see protocol/protocol.h. */
#include "hlrc/protocol_env.h"

#include "hlrc/memory/exclusive.h"
#include "hlrc/memory/first_write.h"
#include "hlrc/memory/page.h"
#include "hlrc/memory/space.h"
#include "hlrc/progress/msg.h"
#include "hlrc/progress/progress.h"
#include "hlrc/progress/thread.h"

static void protocol_env_wait_for(struct waits_wait what, bool (*done)(void *), void *arg)
{
    progress_wait(what, done, arg, WAIT_STATE);
}

static struct request *protocol_env_compose(uint32_t token, int type, uint32_t page)
{
    return msg_compose(token, (enum request_type)type, page);
}

static uint64_t protocol_env_await(uint32_t token)
{
    return msg_wait(token)->arg;
}

static void protocol_env_forward(const struct request *req, int type, int to)
{
    msg_forward(req, (enum request_type)type, to, NULL);
}

static void protocol_env_reply(const struct request *req, uint64_t arg)
{
    msg_reply(req, 0, arg, NULL);
}

static void protocol_env_wake(uint32_t token)
{
    struct thread *t = thread_of_token(token);
    if (t)
        thread_wake(t);
}

/* [races.tracked]: a touched page was read, or has a home. */
static bool protocol_env_written_untracked(uint32_t page)
{
    return !first_write_races_checked() && space_touched(page);
}

const struct protocol_env engine_env = {
    .wait = protocol_env_wait_for,
    .compose = protocol_env_compose,
    .send = msg_send,
    .await = protocol_env_await,
    .forward = protocol_env_forward,
    .reply = protocol_env_reply,
    .parked = msg_slot,
    .wake = protocol_env_wake,
    .page_demote = page_demote,
    .page_restore = page_restore_exclusive,
    .page_set_home = page_set_home,
    .page_touched = protocol_env_written_untracked,
    .page_reader = exclusive_reader,
};
