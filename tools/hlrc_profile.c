/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hlrc_profile - prints the report of --profile, draws its page, and gives the advice of --advise,
 * from the profile as JSON. Node 0 runs it at the end of a job (hlrc/report/profile_report.c). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "tools/profile_data.h"
#include "tools/profile_open.h"
#include "tools/usage.h"

#define USAGE                                                                           \
    "usage: hlrc_profile [--html=PAGE] [--open | --advise] [FILE]\n"                    \
    "Prints the profile in FILE, or in standard input, as --profile does, or only\n"    \
    "the advice. --open shows it in the browser: BROWSER, or xdg-open. FILE may be a\n" \
    "page then.\n"

struct hlrc_profile_options {
    const char *page, *file;
    bool advise, open;
};

static bool hlrc_profile_wrong(const char *option, const char *why)
{
    fprintf(stderr, "hlrc_profile: %s: %s\n%s", option, why, USAGE);
    return false;
}

static bool hlrc_profile_parse(int argc, char **argv, struct hlrc_profile_options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--html=", 7) == 0 && argv[i][7])
            o->page = argv[i] + 7;
        else if (strcmp(argv[i], "--open") == 0)
            o->open = true;
        else if (strcmp(argv[i], "--advise") == 0)
            o->advise = true;
        else if (*argv[i] == '-')
            return hlrc_profile_wrong(argv[i], "unknown option");
        else if (o->file)
            return hlrc_profile_wrong(argv[i], "a second file; give one");
        else
            o->file = argv[i];
    }
    if (o->advise && (o->open || o->page))
        return hlrc_profile_wrong("--advise", "prints text; it has no page");
    if (!o->file && isatty(STDIN_FILENO))
        return hlrc_profile_wrong("standard input", "is a terminal; give a file that "
                                                    "--profile=FILE has written");
    return true;
}

static const struct json_read *hlrc_profile_read(const char *file)
{
    FILE *in = file ? fopen(file, "r") : stdin;
    const char *why = in ? NULL : strerror(errno);
    const struct json_read *profile = in ? json_read_file(in, &why) : NULL;
    if (profile && strcmp(json_read_text(profile, "format"), "hlrc-profile") == 0 &&
        json_read_count(profile, "version") == 1)
        return profile;
    fprintf(stderr, "hlrc_profile: %s: %s; give a file that --profile=FILE has written\n",
            file ? file : "standard input", profile ? "no profile of version 1" : why);
    return NULL;
}

/* Into a file that remains for the browser. Returns NULL after a message. */
static const char *hlrc_profile_temporary(void)
{
    static char name[256];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/hlrc-profile-XXXXXX.html", folder && *folder ? folder : "/tmp");
    int fd = mkstemps(name, 5);
    if (fd >= 0) {
        close(fd);
        return name;
    }
    fprintf(stderr, "hlrc_profile: --open: cannot create %s: %s; give --html=PAGE\n", name,
            strerror(errno));
    return NULL;
}

static bool hlrc_profile_is_page(const char *file)
{
    size_t len = file ? strlen(file) : 0;
    return len > 5 && strcmp(file + len - 5, ".html") == 0;
}

/* Returns 0, or 1 after a message. */
static int hlrc_profile_page(const char *page, const struct json_read *profile)
{
    int rc = outfile_write(page, true, profile_page_write, profile);
    if (rc)
        fprintf(stderr,
                "hlrc_profile: %s: cannot write the page: %s; give --html=PAGE in a directory that "
                "can be written and has room\n",
                page, strerror(-rc));
    return rc ? 1 : 0;
}

static int hlrc_profile_show(const struct hlrc_profile_options *o, const struct json_read *profile)
{
    const char *page = o->page || !o->open ? o->page : hlrc_profile_temporary();
    if (o->open && !page)
        return 1;
    if (o->advise)
        profile_advise(stdout, profile);
    else if (!o->open)
        profile_text(stdout, profile);
    int rc = fflush(stdout) == 0 ? 0 : errno;
    if (rc)
        fprintf(stderr, "hlrc_profile: standard output: %s; free some room\n", strerror(rc));
    if (page && hlrc_profile_page(page, profile) != 0)
        return 1;
    if (o->open && rc == 0) {
        printf("hlrc_profile: the page is %s\n", page);
        fflush(stdout);
        return profile_open_page(page);
    }
    return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct hlrc_profile_options o = { 0 };
    if (usage_asked(argc, argv, "hlrc_profile", USAGE))
        return fflush(stdout) == 0 ? 0 : 1;
    if (!hlrc_profile_parse(argc, argv, &o))
        return 2;
    if (o.open && !o.page && hlrc_profile_is_page(o.file) && access(o.file, R_OK) == 0)
        return profile_open_page(o.file);
    const struct json_read *profile = hlrc_profile_read(o.file);
    int rc = profile ? hlrc_profile_show(&o, profile) : 1;
    json_read_free();
    return rc;
}
