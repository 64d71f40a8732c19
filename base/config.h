/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef HLRC_CONFIG_H
#define HLRC_CONFIG_H

/*
 * Configuration of a job, generated from one table.
 *
 * CONFIG_OPTIONS below is the only definition of an option. It generates the fields of struct
 * config, the parser, the environment variable of each option (HLRC_ and its name in capitals, '-'
 * as '_'), hlrcrun's options and --help, the listing of hlrc_info and the text of the manual page.
 *
 *   - A struct config is a plain value without pointers: it can be copied, and sent to another
 *     node.
 *   - An option's value comes from the last of: default, environment, command line; source[] says
 *     which. A variable that is set but empty counts as not set.
 *   - After config_load() or config_resolve() no part (pages, diffs, notices, locks, barrier) is
 *     "auto": the protocol decides the parts that were not set.
 *   - hlrcrun resolves first, exports every value that is not a default, and the nodes load the
 *     same values.
 *   - A variable that begins with HLRC_ and is neither an option nor another known name
 *     (config_names.c) is refused, and the message suggests the nearest name.
 *   - --check races turns off options that would hide a write, and refuses a value that the user
 *     set to the contrary.
 *   - --trace-sim-detail all turns off options that would hide an access, and refuses in the same
 *     way.
 *   - Older words for the values of a CHOICE are accepted (config_alias).
 *   - An option that is given its default value has the same effect as one that is not given.
 *     --check races and --trace-sim-detail all replace the value in both cases.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/limits.h"

enum { CONFIG_TEXT_MAX = 1024, CONFIG_ERROR_MAX = 512 };

/* Beginning of the name of a directory that hlrcrun --hosts --partner chooses. */
#define CONFIG_HOSTS_ROOT "hlrc-hosts."

/* The order of each enum is that of the choices in the table. */
enum config_protocol { PROTOCOL_ASYNC, PROTOCOL_ARDMAR, PROTOCOL_ONESIDED };
enum config_pages { PAGES_AUTO, PAGES_ASYNC, PAGES_ARDMAR };
enum config_diffs { DIFFS_AUTO, DIFFS_MESSAGE, DIFFS_WRITE };
enum config_notices { NOTICES_AUTO, NOTICES_LOG, NOTICES_READ };
enum config_locks { LOCKS_AUTO, LOCKS_MANAGER, LOCKS_MCS };
enum config_barrier { BARRIER_AUTO, BARRIER_MASTER, BARRIER_COUNTER, BARRIER_TREE, BARRIER_PAIRS };
enum config_handler { HANDLER_BLOCK, HANDLER_SPIN_BLOCK, HANDLER_POLL };
enum config_switch { SWITCH_ON, SWITCH_OFF };
enum config_check { CHECK_OFF, CHECK_RACES };
enum config_detail { DETAIL_OWN, DETAIL_ALL };
enum config_syscalls { SYSCALLS_OFF, SYSCALLS_TOUCH, SYSCALLS_AUTO };
enum config_signals { SIGNALS_REFUSE, SIGNALS_MASK };
enum config_core { CORE_SMALL, CORE_FULL };
enum config_placement { PLACEMENT_CYCLIC, PLACEMENT_BLOCK, PLACEMENT_LOCAL };
enum config_control { CONTROL_ON, CONTROL_OFF, CONTROL_MEASURE, CONTROL_ALTERNATE };
enum config_default_homes { DEFAULT_HOMES_DEALT, DEFAULT_HOMES_FIRST };
enum config_bind { BIND_AUTO, BIND_CORE, BIND_SHARE, BIND_NONE };

/* clang-format off */
/* Fabrics by name; the second column is NULL, or the reason why the fabric cannot be used. */
#ifdef HAVE_VERBS
#define CONFIG_VERBS_REASON NULL
#else
#define CONFIG_VERBS_REASON "left out of this build: libibverbs was not found"
#endif
#ifdef HAVE_OFI
#define CONFIG_OFI_REASON NULL
#else
#define CONFIG_OFI_REASON "left out of this build: libfabric was not found"
#endif
#define CONFIG_FABRICS(X)   \
    X("shm", NULL)                                                                                 \
    X("verbs", CONFIG_VERBS_REASON)                                                                \
    X("mixed", CONFIG_VERBS_REASON)                                                                \
    X("ofi", CONFIG_OFI_REASON)                                                                    \
    X("auto", NULL)

/* Suffixes of a fabric's name, for tests: an adapter that lacks operations, and the hook
 * (chaos.h). */
#define CONFIG_FABRIC_HOOKS \
    "-noread|-noimm|-noswap|+chaos|-noread+chaos|-noimm+chaos|-noswap+chaos"

/*
 * X(kind, type, field, name, default, low, high, values, agree, help)
 *   kind    CHOICE: one of the words in values, stored as its index; NUMBER: low..high, a
 *           non-empty values is a word for -1, or words for -1 and -2; SIZE: bytes, low..high,
 *           with K, M, G or T, a word after a '|' in values means 0; TEXT; FLAG
 *   agree   1: all nodes of a job must have the same value
 */
#define CONFIG_OPTIONS(X)                                                                          \
    X(NUMBER, int, nodes, "nodes", "1", 1, NODES_MAX, "", 1,                                       \
      "number of nodes (processes) of the job")                                                    \
    X(CHOICE, enum config_protocol, protocol, "protocol", "ardmar", 0, 0,                          \
      "async|ardmar|onesided", 1,                                                                  \
      "coherence protocol; sets the default of pages, diffs, notices, locks and barrier")          \
    X(CHOICE, enum config_pages, pages, "pages", "auto", 0, 0, "auto|async|ardmar", 1,             \
      "how a page is fetched and how its home is assigned")                                        \
    X(CHOICE, enum config_diffs, diffs, "diffs", "auto", 0, 0, "auto|message|write", 1,            \
      "how diffs are sent to the home: in messages to its handler, or by remote writes")           \
    X(CHOICE, enum config_notices, notices, "notices", "auto", 0, 0, "auto|log|read", 1,           \
      "how write notices are distributed: the writer sends them into a log at every node, "        \
      "whose handler frees space there; or readers read them from the writer")                     \
    X(CHOICE, enum config_locks, locks, "locks", "auto", 0, 0, "auto|manager|mcs", 1,              \
      "how locks are granted: by a manager's handler, or by an MCS queue of remote atomics")       \
    X(CHOICE, enum config_barrier, barrier, "barrier", "auto", 0, 0,                               \
      "auto|master|counter|tree|pairs", 1,                                                         \
      "barrier algorithm: at the handler of a master; by remote atomics, with one counter or "     \
      "a tree of counters (with two nodes a pair); or by remote writes between pairs")             \
    X(NUMBER, int, barrier_fan, "barrier-fan", "4", 2, NODES_MAX, "", 1,                           \
      "nodes that gather at each node of the tree of --barrier tree")                              \
    X(TEXT, char, fabric, "fabric", "auto", 0, 0, "NAME", 1,                                       \
      "the network: shm (one machine), verbs (InfiniBand, RoCE), ofi (any network of libfabric, "  \
      "as TCP), mixed (one of these between machines only), or auto: shm if it can, else mixed")   \
    X(TEXT, char, device, "device", "", 0, 0, "NAME[:PORT[:GID]]", 0,                              \
      "network adapter for verbs, its port and GID index, or PROVIDER:INTERFACE for ofi; found "   \
      "automatically by default")                                                                  \
    X(SIZE, uint64_t, memory, "memory", "auto", INT64_C(1) << 20, INT64_C(15) << 40,               \
      "SIZE|auto", 1,                                                                              \
      "size of the shared space; it uses address space, and memory only for pages that "           \
      "are touched; auto: the memory of the machines, or the limit of their control "              \
      "groups")                                                                                    \
    X(SIZE, uint64_t, cache_size, "cache-size", "auto", INT64_C(64) << 10, INT64_C(15) << 40,      \
      "SIZE|auto", 0,                                                                              \
      "memory for copies of other nodes' pages, per node; auto: the available memory of "          \
      "the machine and the control group")                                                         \
    X(TEXT, char, stats, "stats", "", 0, 0, "FILE", 1,                                             \
      "print statistics at the end: - as a table on standard error, otherwise into FILE "          \
      "(as JSON if it ends in .json); if the job fails, the counts until then")                    \
    X(TEXT, char, trace, "trace", "", 0, 0, "FILE", 1,                                             \
      "write a timeline into FILE, for ui.perfetto.dev: the events of each thread of each "        \
      "node")                                                                                      \
    X(SIZE, uint64_t, trace_size, "trace-size", "8M", INT64_C(64) << 10, INT64_C(4) << 30, "SIZE", \
      1,                                                                                           \
      "buffer of one thread for --trace; an event takes 40 bytes, and the oldest are "             \
      "dropped")                                                                                   \
    X(TEXT, char, trace_sim, "trace-sim", "", 0, 0, "FILE", 1,                                     \
      "record the program for hlrc_sim replay into FILE: computing, pages, locks, "                \
      "barriers")                                                                                  \
    X(SIZE, uint64_t, trace_sim_size, "trace-sim-size", "64M", INT64_C(64) << 10, INT64_C(4) << 30,\
      "SIZE", 1,                                                                                   \
      "buffer of one thread for --trace-sim; an event takes some bytes")                           \
    X(CHOICE, enum config_detail, trace_sim_detail, "trace-sim-detail", "own", 0, 0, "own|all", 1, \
      "detail of --trace-sim: own: the job unchanged, with valid times; all: every access "        \
      "and every change, for hlrc_sim replay --default-options, without readahead, "               \
      "retained pages and home migration, which takes longer")                                     \
    X(TEXT, char, profile, "profile", "", 0, 0, "FILE", 1,                                         \
      "print at the end, on standard error, the cost of shared memory by block, lock and "         \
      "barrier, and false sharing; with FILE, also write the whole profile, as JSON or as "        \
      "a page, FILE.html")                                                                         \
    X(FLAG, bool, advise, "advise", "no", 0, 0, "", 1,                                             \
      "print at the end, on standard error, what one node would have taken, what sharing "         \
      "cost, and the blocks and locks that cost most, each with a remedy")                         \
    X(CHOICE, enum config_check, check, "check", "off", 0, 0, "off|races", 1,                      \
      "report writes of two nodes to the same byte that no lock and no barrier orders")            \
    X(CHOICE, enum config_handler, handler, "handler", "block", 0, 0, "block|spin-block|poll", 0,  \
      "how the handler thread waits for requests; poll is the same as spin-block if there "        \
      "are less than two cores per node")                                                          \
    X(NUMBER, int, spin, "spin", "auto", 0, 1000000, "auto", 0,                                    \
      "microseconds that a wait spins before it yields and sleeps; auto: 2 if nodes share "        \
      "cores, otherwise 200 or more")                                                              \
    X(NUMBER, int, threads, "threads", "64", 1, 1024, "", 1,                                       \
      "threads of one node that may use shared memory")                                            \
    X(NUMBER, int, threads_per_node, "threads-per-node", "auto", 1, 1024, "auto", 1,               \
      "threads of each node that run an OpenMP program (hlrcc); auto: the variable "               \
      "OMP_NUM_THREADS divided by the nodes; if that is not set, the processors of a node")        \
    X(CHOICE, enum config_placement, placement, "placement", "cyclic", 0, 0, "cyclic|block|local", \
      1,                                                                                           \
      "node on which each thread of a POSIX program starts (hlrcc): round-robin over the "         \
      "nodes; or --threads-per-node threads on each node in turn; or all on node 0")               \
    X(CHOICE, enum config_control, placement_control, "placement-control", "on", 0, 0,             \
      "on|off|measure|alternate", 1,                                                               \
      "a program of threads (hlrcc) runs as one process if all nodes are on one host; otherwise "  \
      "its threads run all on node 0 while that is measured to be faster; off: always on their "   \
      "own nodes; measure: on one host, too; alternate: by turns, for tests")                      \
    X(NUMBER, int, hot_pages, "hot-pages", "16", 0, 255, "", 1,                                    \
      "a page that is written in many intervals stays writable across flushes, until this "        \
      "number of flushes in a row found it unchanged; 0: never")                                   \
    X(CHOICE, enum config_switch, exclusive_pages, "exclusive-pages", "on", 0, 0, "on|off", 1,     \
      "write a home page without tracking while no other node has read it")                        \
    X(NUMBER, int, lazy_release, "lazy-release", "8", 0, 255, "", 1,                               \
      "after this number of unlocks in a row on one node, an unlock publishes nothing "            \
      "until another node requests the lock; 0: every unlock publishes")                           \
    X(CHOICE, enum config_switch, move_homes, "move-homes", "on", 0, 0, "on|off", 1,               \
      "move the home of a page to the only node that writes it")                                   \
    X(CHOICE, enum config_default_homes, default_homes, "default-homes", "dealt", 0, 0,            \
      "dealt|first", 1,                                                                            \
      "nodes where pages get a home when they are used first: dealt to all nodes in blocks, or "   \
      "all at node 0 (default of hlrcc programs that begin there)")                                \
    X(NUMBER, int, ahead, "ahead", "32", 0, 256, "", 0,                                            \
      "maximum number of pages to fetch and open by readahead after consecutive faults; "          \
      "0: none")                                                                                   \
    X(NUMBER, int, renew, "renew", "32", 0, 255, "", 0,                                            \
      "a copy that was fetched again after an invalidation is updated at acquires instead "        \
      "of invalidated, at most this number of times until an invalidation tests whether "          \
      "it is still used; 0: never")                                                                \
    X(CHOICE, enum config_signals, signals, "signals", "refuse", 0, 0, "refuse|mask", 0,           \
      "what happens if a signal handler accesses shared memory inside an HLRC call: "              \
      "refuse: the job ends; mask: signals are deferred until the end of the call")                \
    X(CHOICE, enum config_syscalls, syscalls, "syscalls", "off", 0, 0, "off|touch|auto", 0,        \
      "let system calls use shared memory, whatever the state of its pages: touch: "               \
      "always; auto: if the system allows it (default of hlrcc programs)")                         \
    X(CHOICE, enum config_core, core, "core", "small", 0, 0, "small|full", 0,                      \
      "shared memory in core dumps: small: none; full: the pages that the node has "               \
      "touched")                                                                                   \
    X(CHOICE, enum config_bind, bind, "bind", "auto", 0, 0, "auto|core|share|none", 0,             \
      "bind nodes to cores: share: each to its share of the machine, if there are enough "         \
      "cores; core: one core each, in order; none: no binding; auto: as share")                    \
    X(TEXT, char, checkpoint, "checkpoint", "", 0, 0, "TIME[:DIR]", 1,                             \
      "save the job in DIR, by default hlrc-checkpoint, in the first call of hlrc_checkpoint "     \
      "after each TIME (90, 90s, 5m, 2h; 0: every call), and after a SIGUSR1 to hlrcrun")          \
    X(TEXT, char, restart, "restart", "", 0, 0, "DIR", 1,                                          \
      "continue the job that was saved last in DIR, with its program, arguments and options")      \
    X(NUMBER, int, restarts, "restarts", "0", 0, 1000000, "", 0,                                   \
      "after the death of a node by a signal, continue the job from its last checkpoint, at "      \
      "most this number of times")                                                                 \
    X(TEXT, char, partner, "partner", "", 0, 0, "on|DIR", 1,                                       \
      "save in memory, below /dev/shm or DIR, with a copy at another node, and continue after "   \
      "the death of a node")                                                                       \
    X(FLAG, bool, report_bindings, "report-bindings", "no", 0, 0, "", 0,                           \
      "report on standard error to which cores each node is bound")                                \
    X(FLAG, bool, label, "label", "no", 0, 0, "", 0,                                               \
      "begin each line of output with the number of its node")                                     \
    X(FLAG, bool, progress, "progress", "no", 0, 0, "", 0,                                         \
      "show the progress of the job on standard error from its start; without this, only if "      \
      "output is a terminal and the job takes longer than 5 s (=no: never)")                       \
    X(TEXT, char, hosts, "hosts", "", 0, 0, "HOST:N,HOST:N,...", 0,                                \
      "start N nodes on each host, with the first of srun, mpirun and prterun that works "         \
      "here")                                                                                      \
    X(TEXT, char, hostfile, "hostfile", "", 0, 0, "FILE", 0,                                       \
      "as --hosts, with a line for each host in FILE: HOST, HOST:N or HOST slots=N")               \
    X(TEXT, char, wdir, "wdir", "", 0, 0, "DIR", 0,                                                \
      "working directory of the nodes")                                                            \
    X(FLAG, bool, no_aslr, "no-aslr", "no", 0, 0, "", 0,                                           \
      "load all nodes at equal addresses, for function pointers in shared memory")                 \
    X(NUMBER, int, gdb, "gdb", "none", 0, NODES_MAX - 1, "none|all", 0, \
      "start this node under gdb; all: each node waits for a gdb, in a pane of tmux if hlrcrun " \
      "runs there, else by a command that is printed") \
    X(NUMBER, int, watchdog, "watchdog", "off", 1, 86400, "off", 0,                                \
      "maximum seconds for one wait; then the nodes report all waits, and the job ends")           \
    X(NUMBER, int, timeout, "timeout", "off", 1, 31536000, "off", 0,                               \
      "maximum seconds for the job; then the nodes report all waits, and the job ends "            \
      "with status 124")                                                                           \
    X(NUMBER, int, peer_timeout, "peer-timeout", "5", 1, 3600, "", 1,                              \
      "seconds without a message after which a node on another host counts as dead")

/* clang-format on */

enum config_kind { CONFIG_CHOICE, CONFIG_NUMBER, CONFIG_SIZE, CONFIG_TEXT, CONFIG_FLAG };
enum { GDB_NONE = -1, GDB_ALL = -2 }; /* values of --gdb that are no node */

enum config_source { CONFIG_DEFAULT, CONFIG_ENVIRONMENT, CONFIG_COMMAND };

/* CONFIG_ID_protocol and so on: index of an option in the table and in source[] */
#define CONFIG_ID_(kind, type, field, ...) CONFIG_ID_##field,
enum config_id { CONFIG_OPTIONS(CONFIG_ID_) CONFIG_COUNT };
#undef CONFIG_ID_

#define CONFIG_FIELD_CHOICE(type, field)      type field;
#define CONFIG_FIELD_NUMBER(type, field)      type field;
#define CONFIG_FIELD_SIZE(type, field)        type field;
#define CONFIG_FIELD_FLAG(type, field)        type field;
#define CONFIG_FIELD_TEXT(type, field)        type field[CONFIG_TEXT_MAX];
#define CONFIG_FIELD_(kind, type, field, ...) CONFIG_FIELD_##kind(type, field)
struct config {
    CONFIG_OPTIONS(CONFIG_FIELD_)
    unsigned char source[CONFIG_COUNT]; /* enum config_source */
};
#undef CONFIG_FIELD_

/* One row of the table. */
struct config_option {
    enum config_kind kind;
    const char *name;
    const char *fallback; /* the default, as the user would write it */
    /* words of a CHOICE; the words for -1 and -2 of a NUMBER; name of the argument otherwise */
    const char *values;
    const char *help;
    int64_t low, high;
    size_t offset;
    bool agree;
};

const struct config_option *config_option(enum config_id id);

/* An older word for a value of a CHOICE. It is accepted; printed and exported is the value. */
struct config_alias {
    enum config_id id;
    const char *old, *value;
};

/* config_alias - the alias of index 0, 1, ..., in the order of the options; NULL after the last */
const struct config_alias *config_alias(int index);

/* The value of such an option is a file's name: neither off, nor "-". */
static inline bool config_is_file(const char *value)
{
    return value[0] != '\0' && !(value[0] == '-' && value[1] == '\0');
}

/* --profile and --advise need the counts of profile.h. */
static inline bool config_profiles(const struct config *cfg)
{
    return cfg->profile[0] != '\0' || cfg->advise;
}

/* Options that may be named without a value. */
static inline bool config_optional(enum config_id id)
{
    return id == CONFIG_ID_stats || id == CONFIG_ID_profile;
}

/*
 * Every function that fails returns -EINVAL (-ERANGE, -ENOTSUP, -ENOMEM) and leaves one line in
 * err, without a program's name before it or a newline after it.
 */

/* config_load - defaults, then the environment, then config_resolve(); called by a node */
int config_load(struct config *cfg, char *err, size_t errlen);

void config_default(struct config *cfg);
int config_environment(struct config *cfg, char *err, size_t errlen);
/* config_set - value NULL: the option was named without a value (FLAG: yes; --stats, --profile:
 * -) */
int config_set(struct config *cfg, enum config_id id, const char *value, enum config_source from,
               char *err, size_t errlen);
int config_resolve(struct config *cfg, char *err, size_t errlen);

/*
 * config_check_job - checks options that depend on the number of nodes, in the launcher. A node
 * learns that number only from boot_nodes(), and finds 1 in nodes.
 */
int config_check_job(const struct config *cfg, char *err, size_t errlen);

/* config_check_launched - in a node started by another launcher than hlrcrun: refuses options that
 * only hlrcrun can follow */
int config_check_launched(const struct config *cfg, char *err, size_t errlen);

/* config_check_memory - can this machine back --memory? 0; MEMORY_MAY_NOT_FIT if less is available
 * than the job may touch; a negative errno if the resource limits forbid it. err has the reason if
 * not 0 */
#define MEMORY_MAY_NOT_FIT 1
int config_check_memory(const struct config *cfg, char *err, size_t errlen);

/* config_export - set HLRC_* for every value that is not a default, clear the others. Not
 * thread-safe. */
int config_export(const struct config *cfg);

/* config_difference - name of the first option that must agree and does not; NULL if none */
const char *config_difference(const struct config *a, const struct config *b);

/* config_digest - adds the options that must agree to a digest (base/digest.h) */
uint64_t config_digest(const struct config *config, uint64_t digest);

/* config_environment_name - "HLRC_PEER_TIMEOUT"; returns buf */
const char *config_environment_name(enum config_id id, char *buf, size_t len);
const char *config_variable(const char *name, char *buf, size_t len); /* by the option's name */

/* config_check_names - 0 if the environment has no unknown variable; part of
 * config_environment() */
int config_check_names(char *err, size_t errlen);

/* config_offer - offers the names of all options to a search for the nearest (nearest.h) */
struct nearest;
void config_offer(struct nearest *nearest);

/* config_one_line - replaces control characters by '?', since a value may contain any */
void config_one_line(char *text);

/* config_value - the value as the user would write it; returns buf */
const char *config_value(const struct config *cfg, enum config_id id, char *buf, size_t len);

/* config_argument - the allowed values: "auto|log|read", "1..128", "SIZE"; "" for a FLAG;
 * returns buf */
const char *config_argument(enum config_id id, char *buf, size_t len);

/* config_ask_fabrics - sets the function that tests whether a fabric can be used, as
 * fabric_probe(); without it every fabric built in counts as usable */
void config_ask_fabrics(int (*ask)(const char *name, char *why, size_t len));

/* config_fabric_reason - NULL: usable; else why not. Index from 0; NULL in *name after the
 * last. */
const char *config_fabric_reason(int index, const char **name);

void config_list(FILE *out, const struct config *cfg); /* value, source and help of each option */
/* Index of word in "a|b|c", or -1. */
int config_choice_index(const char *choices, const char *word);

/* config_checkpoint - parts of the value of --checkpoint: 0, or -EINVAL. The directory of --restart
 * stands in for one that is not given. */
enum { CONFIG_CHECKPOINT_MOST = 31536000 }; /* seconds */
int config_checkpoint(const struct config *cfg, int64_t *seconds, const char **dir);

void config_help(FILE *out); /* the options in --help */
/* the options in a manual page (man macros) */
void config_man(FILE *out);

#endif
