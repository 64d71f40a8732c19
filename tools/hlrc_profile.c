/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hlrc_profile - prints the report of --profile, draws its page, and gives the advice of --advise,
 * from the profile as JSON. Node 0 runs it at the end of a job (hlrc/report/profile_report.c). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/outfile.h"
#include "tools/profile_data.h"
#include "tools/usage.h"

#define USAGE                                             \
    "usage: hlrc_profile [--html=PAGE|--advise] [FILE]\n" \
    "Prints the profile in FILE, or in standard input, as --profile does, or only the advice.\n"

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

int main(int argc, char **argv)
{
    const char *page = argc > 1 && strncmp(argv[1], "--html=", 7) == 0 ? argv[1] + 7 : NULL;
    bool advise = argc > 1 && strcmp(argv[1], "--advise") == 0;
    const char *file = page || advise ? argv[2] : argv[1];
    if (usage_asked(argc, argv, "hlrc_profile", USAGE))
        return fflush(stdout) == 0 ? 0 : 1;
    if (argc > (page || advise ? 3 : 2) || (file && *file == '-')) {
        fputs(USAGE, stderr);
        return 2;
    }
    const struct json_read *profile = hlrc_profile_read(file);
    if (!profile) {
        json_read_free();
        return 1;
    }
    (advise ? profile_advise : profile_text)(stdout, profile);
    int rc = fflush(stdout) == 0 ? 0 : -errno;
    if (page)
        rc = outfile_write(page, true, profile_page_write, profile);
    if (rc)
        diag_warn("--profile=%s: cannot write the profile: %s; give a file in a directory that can "
                  "be written and has room",
                  page ? page : "-", strerror(-rc));
    json_read_free();
    return rc ? 1 : 0;
}
