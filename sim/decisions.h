/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * decisions.h - the decisions of a replay about pages, beside those of the traced run.
 *
 * A decision is a fault, or what made one superfluous: a page opened by readahead, a copy updated
 * by an acquire, a page that a flush found changed although no fault had opened it (retained
 * writable), at its home or elsewhere (home migration). They are counted by node, by the number of
 * barriers that the node has left, and by page, since their order within an interval does not
 * matter. A trace has the engine's decisions (hlrc/probe/recorder.h).
 */
#ifndef SIM_DECISIONS_H
#define SIM_DECISIONS_H

#include "sim/trace.h"

/* X(name, word) */
#define DECISION_KINDS(X)                                                                \
    X(DECISION_LOAD, "load_fault")                                                       \
    X(DECISION_STORE, "store_fault")                                                     \
    X(DECISION_AHEAD, "ahead")               /* opened for loads by readahead */         \
    X(DECISION_AHEAD_STORES, "ahead_stores") /* for stores */                            \
    X(DECISION_CLAIM, "claim") /* with this node as its home [readahead.dense-claims] */ \
    X(DECISION_UPDATE, "update")                                                         \
    X(DECISION_FLUSH, "flush")                                                           \
    X(DECISION_FLUSH_HOME, "flush_home")

enum decisions_kind {
#define X(name, word) name,
    DECISION_KINDS(X)
#undef X
};

struct decisions_entry {
    uint32_t node, barriers, page;
    enum decisions_kind kind;
    bool traced;
};

struct decisions {
    struct decisions_entry *at;
    uint32_t count, room;
};

void decisions_note(struct decisions *all, struct decisions_entry decision);

/* decisions_note_ahead - pages that readahead opens; `how`: enum of base/record.h */
void decisions_note_ahead(struct decisions *all, struct decisions_entry decision, uint32_t count,
                          uint64_t how);

/* decisions_note_traced - all decisions of the run */
void decisions_note_traced(struct decisions *all, const struct trace *t);

/* decisions_print - a row for each node, number of barriers, kind and page */
void decisions_print(struct decisions *all);

void decisions_free(struct decisions *all);

#endif
