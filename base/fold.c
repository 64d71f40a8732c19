/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/fold.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns of the terminal; 0: not a terminal, lines are not folded. */
static size_t fold_columns(FILE *out)
{
    struct winsize size = { 0 };

    return isatty(fileno(out)) == 1 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void fold_print(FILE *out, size_t at, size_t indent, const char *text)
{
    size_t columns = fold_columns(out);
    const char *blank = "";

    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (*blank != '\0' && columns > 0 && at + 1 + word > columns) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            blank = "";
        }
        fprintf(out, "%s%.*s", blank, (int)word, text);
        at += strlen(blank) + word;
        blank = " ";
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}
