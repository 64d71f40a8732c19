/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile_advise.c - the advice of --advise, from a profile: whether one node would have been
 * faster, and the blocks and locks that cost most, each with a remedy and what it would leave.
 *
 *   - One node: the time that all threads computed, divided by the processors that one node would
 *     have, but at least what one thread computed: that may be a part that only one thread runs.
 *   - The cost of barriers is what the node waits in them that waits least: others also wait for
 *     threads that have more to do, as they would on one node.
 *   - Pages count if at least two nodes use them. Each is of one cause.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/profile_data.h"

#define SHOWN      3      /* items */
#define COSTLY     0.05   /* of the threads' time: sharing below that is not mentioned; */
#define ITEM       0.02   /* nor an item below that, without barriers */
#define GAIN       0.8    /* one node is faster if it takes less than this part of the time */
#define SHORT      500e-6 /* seconds between two barriers of which the cost matters */
#define FEW_BYTES  64     /* changed by a diff of a page whose writers update the same values */
#define MANY_LOCKS 16     /* taken at one line: a lock for each element */

enum profile_advise_cause {
    CAUSE_FALSE,    /* nodes write different bytes, and read none of the others' */
    CAUSE_TURNS,    /* nodes overwrite the same bytes, or the same page seldom, by turns */
    CAUSE_VALUES,   /* nodes update the same few bytes */
    CAUSE_EXCHANGE, /* nodes write different bytes, and read the others' */
    CAUSE_READERS,  /* one node writes, others read */
    CAUSES
};

struct profile_advise_cost {
    double seconds;
    uint64_t pages, diffs, diff_bytes, fetches;
    uint64_t fetches_left; /* by the remedy */
};

/* A block, or the locks that are acquired at one line. */
struct profile_advise_item {
    double seconds;
    const struct json_read *block; /* NULL: locks */
    struct profile_advise_cost cause[CAUSES];
    uint64_t words;
    const char *at; /* of locks */
    uint64_t locks, waits, hands;
};

struct profile_advise_job {
    const struct json_read *profile;
    double all, time[STATS_CATEGORIES]; /* seconds of all threads */
    double most, barriers, wall;
    uint64_t nodes, threads, processors;
    struct profile_advise_item *item;
    size_t items;
};

static const char *const categories[STATS_CATEGORIES] = {
    [STATS_COMPUTE] = "compute", [STATS_FAULT] = "faults",     [STATS_PAGE] = "fetches",
    [STATS_LOCK] = "locks",      [STATS_BARRIER] = "barriers", [STATS_DIFF] = "diffs"
};

/* ---- the whole job ---- */

static void profile_advise_sum(struct profile_advise_job *job)
{
    double least = -1; /* per thread */
    for (JSON_READ_EACH(node, json_read_list(job->profile, "by_node"))) {
        const struct json_read *time = json_read_member(node, "time");
        uint64_t threads = json_read_count(node, "threads");
        double most = json_read_number(node, "most_computed_seconds");
        for (int k = 0; k < STATS_CATEGORIES; k++)
            job->time[k] += json_read_number(time, categories[k]);
        double waits = threads ? json_read_number(time, "barriers") / (double)threads : 0;
        least = least < 0 || waits < least ? waits : least;
        job->threads += threads;
        job->most = most > job->most ? most : job->most;
    }
    job->barriers = least > 0 ? least * (double)job->threads : 0;
    for (int k = 0; k < STATS_CATEGORIES; k++)
        job->all += job->time[k];
}

/* Processors of one node that run threads. */
static uint64_t profile_advise_processors(const struct profile_advise_job *job)
{
    uint64_t n = job->processors < job->threads ? job->processors : job->threads;
    return n > 0 ? n : 1;
}

static double profile_advise_one_node(const struct profile_advise_job *job)
{
    double s = job->time[STATS_COMPUTE] / (double)profile_advise_processors(job);
    return s > job->most ? s : job->most;
}

static double profile_advise_cost(const struct profile_advise_job *job)
{
    return job->time[STATS_FAULT] + job->time[STATS_PAGE] + job->time[STATS_DIFF] +
           job->time[STATS_LOCK] + job->barriers;
}

/* ---- pages ---- */

static bool profile_advise_writes(const struct json_read *part)
{
    return json_read_list(part, "written") || json_read_count(part, "diffs") ||
           json_read_count(part, "write_faults");
}

static bool profile_advise_uses(const struct json_read *part)
{
    return profile_advise_writes(part) || json_read_count(part, "fetches") ||
           json_read_count(part, "read_faults") || json_read_count(part, "words");
}

static enum profile_advise_cause
profile_advise_cause_of(const char *verdict, const struct profile_advise_cost *c, int writers)
{
    if (strcmp(verdict, "false sharing") == 0)
        return CAUSE_FALSE;
    if (strcmp(verdict, "same bytes") == 0 || (strcmp(verdict, "seldom") == 0 && writers > 1))
        return c->diff_bytes <= c->diffs * FEW_BYTES ? CAUSE_VALUES : CAUSE_TURNS;
    return strcmp(verdict, "read") == 0 || writers > 1 ? CAUSE_EXCHANGE : CAUSE_READERS;
}

/*
 * Fetches of the page that the remedy would leave:
 *   padding           none; all, if nodes read the bytes of others
 *   one writer        those of nodes that only read
 *   the reader writes those of all readers but the one that reads most
 */
static uint64_t profile_advise_left(const struct json_read *parts, enum profile_advise_cause cause)
{
    uint64_t all = 0, readers = 0, most = 0;
    for (JSON_READ_EACH(part, parts)) {
        uint64_t own = json_read_count(part, "fetches");
        all += own;
        if (profile_advise_writes(part))
            continue;
        readers += own;
        most = own > most ? own : most;
    }
    if (cause == CAUSE_READERS)
        return readers - most;
    return cause == CAUSE_FALSE ? 0 : cause == CAUSE_EXCHANGE ? all : readers;
}

static void profile_advise_add_page(struct profile_advise_job *job, const struct json_read *page)
{
    const struct json_read *parts = json_read_list(page, "by_node");
    struct profile_advise_cost c = { .pages = 1 };
    uint64_t block = json_read_count(page, "block");
    int users = 0, writers = 0;
    for (JSON_READ_EACH(part, parts)) {
        users += profile_advise_uses(part);
        writers += profile_advise_writes(part);
        c.seconds += json_read_number(part, "seconds");
        c.diffs += json_read_count(part, "diffs");
        c.diff_bytes += json_read_count(part, "diff_bytes");
        c.fetches += json_read_count(part, "fetches");
    }
    if (users < 2 || block >= job->items)
        return;
    enum profile_advise_cause cause =
        profile_advise_cause_of(json_read_text(page, "verdict"), &c, writers);
    struct profile_advise_cost *to = &job->item[block].cause[cause];
    to->seconds += c.seconds;
    to->pages++;
    to->diffs += c.diffs;
    to->diff_bytes += c.diff_bytes;
    to->fetches += c.fetches;
    to->fetches_left += profile_advise_left(parts, cause);
    job->item[block].seconds += c.seconds;
}

/* ---- locks ---- */

static struct profile_advise_item *profile_advise_locks_at(struct profile_advise_job *job,
                                                           size_t first, const char *at)
{
    for (size_t i = first; i < job->items; i++)
        if (strcmp(job->item[i].at, at) == 0)
            return &job->item[i];
    struct profile_advise_item *item = &job->item[job->items++];
    *item = (struct profile_advise_item){ .at = at };
    return item;
}

static void profile_advise_add_locks(struct profile_advise_job *job)
{
    size_t first = job->items;
    for (JSON_READ_EACH(node, json_read_list(job->profile, "by_node")))
        for (JSON_READ_EACH(lock, json_read_list(node, "locks"))) {
            struct profile_advise_item *item =
                profile_advise_locks_at(job, first, json_read_text(lock, "at"));
            item->locks++;
            item->seconds += json_read_number(lock, "seconds");
            item->waits += json_read_count(lock, "waits");
            item->hands += json_read_count(lock, "from_others");
        }
}

static int profile_advise_by_seconds(const void *a, const void *b)
{
    const struct profile_advise_item *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The most costly first. */
static bool profile_advise_list(struct profile_advise_job *job)
{
    size_t room = 1;
    for (JSON_READ_EACH(block, json_read_list(job->profile, "blocks")))
        room++;
    for (JSON_READ_EACH(node, json_read_list(job->profile, "by_node")))
        for (JSON_READ_EACH(lock, json_read_list(node, "locks")))
            room++;
    job->item = calloc(room, sizeof *job->item);
    if (!job->item)
        return false;
    for (JSON_READ_EACH(block, json_read_list(job->profile, "blocks")))
        job->item[job->items++] =
            (struct profile_advise_item){ .block = block,
                                          .words = json_read_count(block, "words") };
    for (JSON_READ_EACH(page, json_read_list(job->profile, "pages")))
        profile_advise_add_page(job, page);
    profile_advise_add_locks(job);
    qsort(job->item, job->items, sizeof *job->item, profile_advise_by_seconds);
    return true;
}

/* ---- remedies ---- */

static bool profile_advise_is_unknown(const struct json_read *block)
{
    return strcmp(json_read_text(block, "kind"), "unknown") == 0;
}

static void profile_advise_put_pages(FILE *out, uint64_t pages)
{
    fprintf(out, "%" PRIu64 " page%s", pages, pages == 1 ? "" : "s");
}

/* What the remedy would leave. */
static void profile_advise_put_left(FILE *out, const struct profile_advise_cost *c)
{
    fprintf(out, ": of %" PRIu64 " diffs and %" PRIu64 " fetches, 0 and %" PRIu64 " would be left",
            c->diffs, c->fetches, c->fetches_left);
}

static void profile_advise_put_false(FILE *out, const struct json_read *block,
                                     const struct profile_advise_item *item)
{
    const struct json_read *f = json_read_member(block, "false_sharing");
    const struct profile_advise_cost *c = &item->cause[CAUSE_FALSE];
    uint64_t shared = 0;
    for (int k = 0; k < CAUSES; k++)
        shared += item->cause[k].pages;
    profile_advise_put_pages(out, c->pages);
    fprintf(out,
            " with false sharing: nodes write different bytes. Padding: %s. It would leave %" PRIu64
            " of %" PRIu64 " shared pages shared, and save %.6f s",
            json_read_text(f, "cure"), shared - c->pages, shared,
            json_read_number(f, "saves_seconds"));
}

static void profile_advise_put_turns(FILE *out, const struct profile_advise_cost *c)
{
    profile_advise_put_pages(out, c->pages);
    fputs(" overwritten by alternating nodes. Let one node write each page: the same schedule in "
          "all loops, and data in the order in which it is divided",
          out);
    profile_advise_put_left(out, c);
}

static void profile_advise_put_values(FILE *out, const struct profile_advise_item *item)
{
    const struct profile_advise_cost *c = &item->cause[CAUSE_VALUES];
    fprintf(out,
            "nodes update the same few bytes in turn: %" PRIu64 " diffs of %" PRIu64
            " bytes, %" PRIu64 " fetches, %" PRIu64 " operations on words. Let each thread add up "
            "in private memory, and combine once (a reduction): one update for each thread would "
            "be left. Or use atomic operations without a lock",
            c->diffs, c->diffs ? c->diff_bytes / c->diffs : 0, c->fetches, item->words);
}

static void profile_advise_put_exchange(FILE *out, const struct profile_advise_cost *c)
{
    profile_advise_put_pages(out, c->pages);
    fputs(" in which nodes read what others write. Exchange less often, in larger parts, or run on "
          "one node. Padding so that one node writes each page would not end the reads",
          out);
    profile_advise_put_left(out, c);
}

static void profile_advise_put_readers(FILE *out, const struct profile_advise_cost *c, bool unknown)
{
    profile_advise_put_pages(out, c->pages);
    fputs(" written by one node and read by others. ", out);
    if (unknown)
        fputs("Variables of a thread that a region shares: pass them by value (firstprivate)", out);
    else
        fputs("Let the node that reads a page write it, from its first touch on: initialise in "
              "parallel, with the same schedule",
              out);
    profile_advise_put_left(out, c);
}

static void profile_advise_put_lock(FILE *out, const struct profile_advise_item *item)
{
    fprintf(out, "%" PRIu64 " waits, %" PRIu64 " of them for another node. ", item->waits,
            item->hands);
    if (!*item->at)
        fputs("The runtime acquires it for its own data, such as tasks or parts of loops: use "
              "longer tasks, or larger parts (schedule(dynamic, 100))",
              out);
    else if (item->locks > MANY_LOCKS)
        fputs("Let one node update all elements of a lock (divide the data, not the updates), or "
              "use atomic operations instead of locks",
              out);
    else
        fputs(
            "Take it less often: let each thread add up in private memory and take the lock once "
            "at the end (one wait for each thread would be left), or set a flag for larger parts. "
            "Or use an atomic operation instead",
            out);
}

static enum profile_advise_cause profile_advise_main_cause(const struct profile_advise_item *item)
{
    enum profile_advise_cause most = CAUSE_READERS;
    for (int k = 0; k < CAUSES; k++)
        if (item->cause[k].seconds > item->cause[most].seconds)
            most = (enum profile_advise_cause)k;
    return item->words > item->cause[most].fetches ? CAUSE_VALUES : most;
}

static void profile_advise_put_remedy(FILE *out, const struct profile_advise_item *item)
{
    enum profile_advise_cause cause = profile_advise_main_cause(item);
    fputs("hlrc: advice:    ", out);
    if (!item->block)
        profile_advise_put_lock(out, item);
    else if (cause == CAUSE_FALSE)
        profile_advise_put_false(out, item->block, item);
    else if (cause == CAUSE_TURNS)
        profile_advise_put_turns(out, &item->cause[cause]);
    else if (cause == CAUSE_VALUES)
        profile_advise_put_values(out, item);
    else if (cause == CAUSE_EXCHANGE)
        profile_advise_put_exchange(out, &item->cause[cause]);
    else
        profile_advise_put_readers(out, &item->cause[cause],
                                   profile_advise_is_unknown(item->block));
    fputs(".\n", out);
}

/* ---- the text ---- */

/* Without the first word of "at 0x1234 of program". */
static void profile_advise_put_line(FILE *out, const char *what, const char *where)
{
    if (*where)
        fprintf(out, "%s%s", what, strncmp(where, "at 0x", 5) == 0 ? where + 3 : where);
}

static void profile_advise_put_item(FILE *out, const struct profile_advise_job *job, int number,
                                    const struct profile_advise_item *item)
{
    char name[PROFILE_NAME];
    fprintf(out, "hlrc: advice: %d. %.6f s (%.0f %%): ", number, item->seconds,
            item->seconds / job->all * 100);
    if (!item->block) {
        fputs(item->locks > MANY_LOCKS ? "locks" : "a lock", out);
        profile_advise_put_line(out, " acquired at ", item->at);
        if (!*item->at)
            fputs(" of the runtime, which no line of the program acquires", out);
    } else if (profile_advise_is_unknown(item->block)) {
        fputs("a stack, or other memory without a known allocation", out);
        profile_advise_put_line(out, "; read at ", json_read_text(item->block, "read_at"));
    } else {
        fputs(profile_data_name(item->block, name, sizeof name), out);
        profile_advise_put_line(out, "; written at ", json_read_text(item->block, "written_at"));
        profile_advise_put_line(out, "; read at ", json_read_text(item->block, "read_at"));
    }
    fputc('\n', out);
    profile_advise_put_remedy(out, item);
}

static void profile_advise_put_barriers(FILE *out, const struct profile_advise_job *job)
{
    const struct json_read *nodes = json_read_list(job->profile, "by_node");
    uint64_t count = json_read_count(nodes, "barriers");
    double between =
        count && job->threads ? job->time[STATS_COMPUTE] / (double)job->threads / (double)count : 1;
    if (between > SHORT || job->barriers < job->all * ITEM)
        return;
    fprintf(out,
            "hlrc: advice: barriers cost %.6f s (%.0f %%) without unequal work: %" PRIu64
            ", with %.0f us of computing of a thread between two. Fewer and longer parallel "
            "regions, loops joined or without a barrier (nowait), would cost less.\n",
            job->barriers, job->barriers / job->all * 100, count, between * 1e6);
}

static void profile_advise_put_head(FILE *out, const struct profile_advise_job *job)
{
    double one = profile_advise_one_node(job), share = job->all / 100;
    fprintf(out,
            "hlrc: advice: %" PRIu64 " nodes took %.3f s. One node would have taken about %.3f s, "
            "estimated as the %.3f s that %" PRIu64
            " threads computed on all nodes, divided by the "
            "%" PRIu64 " processors that one node would use, but at least the %.3f s of one "
            "thread.\n",
            job->nodes, job->wall, one, job->time[STATS_COMPUTE], job->threads,
            profile_advise_processors(job), job->most);
    fprintf(out,
            "hlrc: advice: time of the threads: computing %.0f %%, page faults %.0f %%, fetches "
            "%.0f %%, diffs %.0f %%, waiting for locks %.0f %%, for barriers %.0f %%.\n",
            job->time[STATS_COMPUTE] / share, job->time[STATS_FAULT] / share,
            job->time[STATS_PAGE] / share, job->time[STATS_DIFF] / share,
            job->time[STATS_LOCK] / share, job->time[STATS_BARRIER] / share);
}

static void profile_advise_put_all(FILE *out, const struct profile_advise_job *job)
{
    profile_advise_put_head(out, job);
    double least = (job->all - job->time[STATS_BARRIER]) * ITEM;
    for (size_t i = 0; i < job->items && i < SHOWN && job->item[i].seconds >= least; i++)
        profile_advise_put_item(out, job, (int)i + 1, &job->item[i]);
    profile_advise_put_barriers(out, job);
    if (profile_advise_one_node(job) < job->wall * GAIN)
        fputs(
            "hlrc: advice: as it is, sharing costs more than it gains: run it with -n 1. A program "
            "of hlrcc on one host needs only --placement-control on, and none of the options that "
            "observe nodes.\n",
            out);
}

void profile_advise(FILE *out, const struct json_read *profile)
{
    struct profile_advise_job job = { .profile = profile,
                                      .wall = json_read_number(profile, "wall_seconds"),
                                      .nodes = json_read_count(profile, "nodes"),
                                      .processors = json_read_count(profile, "processors") };
    profile_advise_sum(&job);
    if (job.nodes < 2 || profile_advise_cost(&job) < job.all * COSTLY)
        fprintf(out,
                "hlrc: advice: nothing to change: sharing cost %.1f %% of the time of %" PRIu64
                " threads on %" PRIu64 " node%s.\n",
                job.all > 0 ? profile_advise_cost(&job) / job.all * 100 : 0, job.threads, job.nodes,
                job.nodes == 1 ? "" : "s");
    else if (profile_advise_list(&job))
        profile_advise_put_all(out, &job);
    free(job.item);
}
