/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: whole command lines of hlrcrun, with the environment. An input is a program of bytes
 * that puts words together, of names, values, and bytes of its own. What is refused leaves one line
 * and a status; what is accepted is a job that could start: every value in range, every variable
 * one that means something. With FUZZ_HLRCRUN=PATH what is refused is given to that hlrcrun as
 * well, which must say the same and start nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/aliases.h"
#include "launch/command.h"
#include "tests/fuzz/fuzz.h"

enum { WORDS = 40, WORD = 3000, LINE = CONFIG_ERROR_MAX + 256 };

extern char **environ;

static const char *const values[] = {
    "0",
    "1",
    "2",
    "-1",
    "3x",
    "1024",
    "1025",
    "99999999999999999999",
    "auto",
    "none",
    "yes",
    "no",
    "on",
    "off",
    "maybe",
    "core",
    "shm",
    "verbs",
    "async",
    "ardmar",
    "handler",
    "mcs",
    "shm+chaos",
    "onesided",
    "1G",
    "512M",
    "15T",
    "16T",
    "1.5g",
    "1e9",
    "a:2,b",
    "a:2,b:0",
    "-",
    "x.json",
    "/tmp",
    "/none",
    "/dev/null",
    "/etc/passwd",
    "A=1",
    "HLRC_SPIN=3",
    "A",
    "=",
    "true",
    "/bin/true",
    "nosuchprogram",
    "/",
    "\n",
    "HLRC_PROTOCL=async",
};

static const char *const own[] = { "help", "version", "man", "n", "h", "V", "" };

/* Names that begin with HLRC_ and are no options, as the manual, the sites' environment modules and
 * the tests have them; a '*' stands for what follows. */
static const char *const harmless[] = {
    "HLRC_NODE",         "HLRC_LAUNCH_FD", "HLRC_TERMINAL", "HLRC_LINES",       "HLRC_PMIX_NODE",
    "HLRC_VERSION",      "HLRC_ROOT",      "HLRC_HOME",     "HLRC_DIR",         "HLRC_BASE",
    "HLRC_BIN",          "HLRC_LIB",       "HLRC_INC",      "HLRC_INFO",        "HLRC_PERTURB",
    "HLRC_PERTURB_SEED", "HLRC_CHAOS_*",   "HLRC_TEST_*",   "HLRC_MUTANTS_RUN", "HLRC_SOAK*",
    "HLRC_KILL_*",
};

static char words[WORDS][WORD]; /* word 0 is the program's name */
static bool variable[WORDS];    /* the word is one of the environment */
static int count;
static int here; /* the directory in which this began */
static char path_variable[4096];
static const char *real; /* hlrcrun, or NULL */

static void print_words(void)
{
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%s '%s'\n", variable[i] ? "variable" : "argument", words[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *path = getenv("PATH");

    (void)argc, (void)argv;
    fuzz_context = print_words;
    real = getenv("FUZZ_HLRCRUN");
    here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(path_variable, sizeof path_variable, "PATH=%s", path != NULL ? path : "/bin");
    program_invocation_short_name = (char *)(uintptr_t) "hlrcrun";
    return here < 0;
}

/* ---- from bytes to words ---- */

struct bytes {
    const uint8_t *at;
    size_t left;
};

static uint8_t next(struct bytes *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->at++;
}

static void append(const char *text, size_t len)
{
    char *word = words[count - 1];
    size_t used = strlen(word);

    if (len > WORD - 1 - used)
        len = WORD - 1 - used;
    memcpy(word + used, text, len);
    word[used + len] = '\0';
}

static void begin(bool of_environment)
{
    if (count == WORDS)
        return;
    words[count][0] = '\0';
    variable[count++] = of_environment;
}

static const char *name_of(uint8_t which)
{
    int aliases = 0, owns = sizeof own / sizeof *own, n;

    while (alias(aliases) != NULL)
        aliases++;
    n = which % (CONFIG_COUNT + aliases + owns);
    if (n < CONFIG_COUNT)
        return config_option((enum config_id)n)->name;
    if (n < CONFIG_COUNT + owns)
        return own[n - CONFIG_COUNT];
    const char *name = alias(n - CONFIG_COUNT - owns)->name;
    return name != NULL ? name : "x";
}

/* A name, or a variable's; how: as it is, or with a letter gone, doubled, exchanged, or cut off. */
static void append_name(uint8_t which, uint8_t how)
{
    char name[64];
    size_t len, at;

    if (variable[count - 1])
        config_variable(name_of(which), name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", name_of(which));
    len = strlen(name);
    at = len > 0 ? (how / 8) % len : 0;
    if (len > 0 && how % 8 == 1)
        memmove(name + at, name + at + 1, len - at);
    if (len > 0 && how % 8 == 2 && len + 1 < sizeof name)
        memmove(name + at + 1, name + at, len + 1 - at);
    if (len > 0 && how % 8 == 3)
        name[at] = (char)(name[at] ^ 1);
    if (how % 8 == 4)
        name[at] = '\0';
    append(name, strlen(name));
}

static void append_raw(struct bytes *in)
{
    size_t len = next(in);

    for (; len > 0 && in->left > 0; len--) {
        char c = (char)next(in);
        if (c != '\0')
            append(&c, 1);
    }
}

static void append_long(uint8_t what)
{
    char text[1500];

    memset(text, what ? what : 'x', sizeof text);
    append(text, sizeof text);
}

static void append_value(struct bytes *in)
{
    uint8_t which = next(in);

    if (which % 16 == 15)
        append_raw(in);
    else if (which == 16)
        append_long(next(in));
    else
        append(values[which % (sizeof values / sizeof *values)],
               strlen(values[which % (sizeof values / sizeof *values)]));
}

/* A name as it is half of the time. */
static void append_some_name(struct bytes *in)
{
    uint8_t which = next(in), how = next(in);

    append_name(which, how % 2 ? (uint8_t)(how / 2) : 0);
}

static void compose_option(struct bytes *in, const char *dashes)
{
    begin(false);
    append(dashes, strlen(dashes));
    append_some_name(in);
    uint8_t how = next(in);
    if (how % 4 == 0)
        return;
    if (how % 4 == 1)
        append("=", 1);
    else
        begin(false);
    append_value(in);
}

static void compose_word(struct bytes *in)
{
    uint8_t kind = next(in) % 16;

    if (kind < 6) {
        compose_option(in, "--");
    } else if (kind < 8) {
        compose_option(in, "-");
    } else if (kind < 13) {
        begin(true);
        append_some_name(in);
        append("=", 1);
        append_value(in);
    } else {
        begin(false);
        if (kind == 14)
            append_raw(in);
        else
            append_value(in);
    }
}

static void compose(struct bytes in)
{
    count = 0;
    begin(false);
    append("hlrcrun", 7);
    while (in.left > 1)
        compose_word(&in);
    if (next(&in) % 8 != 0) {
        begin(false);
        append("true", 4);
    }
}

/* Both end with NULL. */
static void arrange(char *argv[WORDS + 1], int *argc, char *env[WORDS + 2])
{
    int args = 0, variables = 0;

    env[variables++] = path_variable;
    for (int i = 0; i < count; i++)
        if (!variable[i])
            argv[args++] = words[i];
        else if (strchr(words[i], '=') != NULL && words[i][0] != '=' &&
                 strncmp(words[i], "PATH=", 5) != 0)
            env[variables++] = words[i];
    argv[args] = NULL;
    env[variables] = NULL;
    *argc = args;
}

/* ---- what must hold ---- */

static void check_line(const char *err)
{
    size_t len = strnlen(err, LINE);

    must(len > 0 && len < LINE);
    for (size_t i = 0; i < len; i++)
        must((unsigned char)err[i] >= ' ' && err[i] != 127);
}

static bool means_something(const char *name, size_t len)
{
    char known[64];

    for (int id = 0; id < CONFIG_COUNT; id++) {
        config_environment_name((enum config_id)id, known, sizeof known);
        if (strlen(known) == len && strncmp(name, known, len) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        size_t most = strcspn(harmless[i], "*");
        if ((harmless[i][most] == '*' ? len >= most : len == most) &&
            strncmp(name, harmless[i], most) == 0)
            return true;
    }
    return false;
}

static void check_variables(void)
{
    for (char **at = environ; *at != NULL; at++) {
        size_t len = strcspn(*at, "=");
        if (strncmp(*at, "HLRC_", 5) == 0 && (*at)[len] == '=' && (*at)[len + 1] != '\0')
            must(means_something(*at, len));
    }
}

static void check_number(const struct config *cfg, const struct config_option *o)
{
    const char *field = (const char *)cfg + o->offset;
    int number;

    memcpy(&number, field, sizeof number);
    if (o->kind == CONFIG_NUMBER)
        must((number >= o->low && number <= o->high) || (*o->values && number == -1));
    if (o->kind == CONFIG_TEXT)
        must(memchr(field, '\0', CONFIG_TEXT_MAX) != NULL);
}

static void check_job(const struct command_line *line, int argc, char **argv)
{
    for (int id = 0; id < CONFIG_COUNT; id++)
        check_number(&line->config, config_option((enum config_id)id));
    must(line->options.rest > 0 && line->options.rest < argc);
    check_variables();
    if (line->note[0] != '\0')
        check_line(line->note);
    if (line->wish != COMMAND_JOB)
        return;
    must(access(line->path, X_OK) == 0);
    must(line->config.gdb < line->config.nodes);
    must(strchr(argv[line->options.rest], '/') == NULL ||
         strcmp(line->path, argv[line->options.rest]) == 0);
}

/* ---- the same by hlrcrun itself ---- */

static size_t read_all(int fd, char *text, size_t room)
{
    size_t used = 0;
    ssize_t got;

    while (used < room - 1 && (got = read(fd, text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(fd);
    return used;
}

static void compare(char **argv, char **env, int wanted, const char *err)
{
    posix_spawn_file_actions_t actions;
    char said[LINE + 64], expected[LINE + 64];
    int ends[2], status;
    pid_t pid;

    must(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    must(posix_spawn(&pid, real, &actions, NULL, argv, env) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    read_all(ends[0], said, sizeof said);
    must(waitpid(pid, &status, 0) == pid);
    must(WIFEXITED(status) && WEXITSTATUS(status) == wanted);
    snprintf(expected, sizeof expected, "hlrcrun: %s\n", err);
    must(strcmp(said, expected) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct command_line line;
    char *argv[WORDS + 1], *env[WORDS + 2], *own_env[WORDS + 2], **before = environ;
    char *err = malloc(LINE); /* a sanitizer sees a write behind it */
    int argc, ret;

    must(err != NULL);
    memset(err, '\n', LINE);
    compose((struct bytes){ data, size });
    arrange(argv, &argc, env);
    memcpy(own_env, env, sizeof env);
    environ = own_env;
    ret = command_read(argc, argv, &line, err, LINE);
    must(fchdir(here) == 0);
    if (ret != 0) {
        must(ret == EXIT_USAGE || ret == EXIT_NO_ACCESS || ret == EXIT_NO_PROGRAM);
        check_line(err);
        if (real != NULL)
            compare(argv, env, ret, err);
    } else if (line.wish == COMMAND_JOB || line.wish == COMMAND_HOSTS) {
        check_job(&line, argc, argv);
    }
    command_free(&line);
    environ = before;
    free(err);
    return 0;
}

#define SEED(text)            \
    {                         \
        text, sizeof text - 1 \
    }
/* Kind of word, name as it is (0) or changed (odd), how its value follows (0: not), the value. */
const struct fuzz_seed fuzz_seeds[] = {
    SEED("\000\000\000\002\002\001"),
    SEED("\000\001\000\001\022\001"),
    SEED("\010\001\000\022\001"),
    SEED("\010\012\000\031\000\002\000\001\022\001"),
    SEED("\006\046\000\002\002\001"),
    SEED("\000\001\003\001\022\001"),
    SEED("\010\001\003\022\001"),
    SEED("\000\033\000\000\000\040\000\000\001"),
    SEED("\000\035\000\001\036\001"),
    SEED("\000\036\000\002\051\001"),
    SEED("\000\037\000\002\042\001"),
    SEED("\000\060\000\002\046\001"),
    SEED("\016\010--fabric\001"),
    SEED("\000\012\000\001\020x\001"),
    { NULL, 0 },
};
