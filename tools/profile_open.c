/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_open.c - opens a page in the user's browser. */
#include "tools/profile_open.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { PROFILE_OPEN_WORDS = 16, PROFILE_OPEN_TEXT = 4096 };

/* Waits for it. Returns its wait status, or a negative errno if it cannot be executed. */
static int profile_open_execute(char **argv)
{
    pid_t pid;
    int status, rc = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (rc)
        return -rc;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status;
}

/* Splits the command at blanks; no shell reads it. */
static int profile_open_command(char *command, char *page)
{
    char *argv[PROFILE_OPEN_WORDS + 2], *save = NULL;
    int count = 0;
    bool placed = false;
    for (char *w = strtok_r(command, " \t", &save); w && count < PROFILE_OPEN_WORDS;
         w = strtok_r(NULL, " \t", &save)) {
        bool here = strcmp(w, "%s") == 0;
        argv[count++] = here ? page : w;
        placed |= here;
    }
    if (count == 0)
        return -ENOENT;
    if (!placed)
        argv[count++] = page;
    argv[count] = NULL;
    return profile_open_execute(argv);
}

static int profile_open_failed(const char *command, int status, const char *page)
{
    if (status == 0)
        return 0;
    fprintf(stderr, "hlrc_profile: --open: %s ", command);
    if (status < 0)
        fprintf(stderr, "cannot be executed: %s", strerror(-status));
    else if (WIFSIGNALED(status))
        fprintf(stderr, "was killed by signal %d", WTERMSIG(status));
    else
        fprintf(stderr, "exited with status %d", WEXITSTATUS(status));
    fprintf(stderr, "; set BROWSER to a browser, or open %s in one\n", page);
    return 1;
}

int profile_open_page(const char *page)
{
    char list[PROFILE_OPEN_TEXT], absolute[PROFILE_OPEN_TEXT], *save = NULL;
    const char *browsers = getenv("BROWSER");
    char *found = realpath(page, NULL);
    snprintf(absolute, sizeof absolute, "%s", found ? found : page);
    free(found);
    snprintf(list, sizeof list, "%s:xdg-open", browsers ? browsers : "");
    for (char *c = strtok_r(list, ":", &save); c; c = strtok_r(NULL, ":", &save)) {
        int status = profile_open_command(c, absolute);
        if (status != -ENOENT) /* the command, cut after its first word by now */
            return profile_open_failed(c + strspn(c, " \t"), status, absolute);
    }
    fprintf(stderr,
            "hlrc_profile: --open: no browser: %s, and there is no xdg-open (package xdg-utils); "
            "set BROWSER to a browser, or open %s in one\n",
            browsers && *browsers ? "no command of BROWSER exists" : "BROWSER is not set",
            absolute);
    return 1;
}
