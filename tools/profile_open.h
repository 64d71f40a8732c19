/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_open.h - opens a page in the user's browser. */
#ifndef HLRC_PROFILE_OPEN_H
#define HLRC_PROFILE_OPEN_H

/* profile_open_page - runs the first command of BROWSER that exists (a list divided by colons, as
 * xdg-open reads it; %s in a command is the page), otherwise xdg-open, and waits until it ends.
 * Returns 0, or 1 after a message. */
int profile_open_page(const char *page);

#endif
