/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.c - see json.h. */
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

static bool json_continues(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Bytes of the UTF-8 character that begins here; 0: none. */
static size_t json_character_bytes(const unsigned char *at)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    unsigned code = *at & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if (!json_continues(at[i]))
            return 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return bytes > 1 && (*at >= 0xf8 || code < least[bytes] || surrogate || code > 0x10ffff)
               ? 0
               : bytes;
}

/* JS1 */
void json_put_text(FILE *out, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t bytes = json_character_bytes(at);
        if (bytes == 0)
            fputc('?', out);
        else if (*at < ' ')
            fprintf(out, "\\u%04x", *at);
        else
            fprintf(out, "%s%.*s", *at == '"' || *at == '\\' ? "\\" : "", (int)bytes,
                    (const char *)at);
        at += bytes ? bytes : 1;
    }
}

void json_put_string(FILE *out, const char *text)
{
    fputc('"', out);
    json_put_text(out, text);
    fputc('"', out);
}
