/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.c - see json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <stdarg.h>
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

static void json_put_text(FILE *out, const char *text)
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

static void json_begin(struct json *j, const char *name)
{
    if (j->more)
        fputc(',', j->out);
    if (name)
        fprintf(j->out, "\"%s\":", name);
    j->more = true;
}

void json_open(struct json *j, const char *name, char bracket)
{
    json_begin(j, name);
    fputc(bracket, j->out);
    j->more = false;
}

void json_close(struct json *j, char bracket)
{
    fputc(bracket, j->out);
    j->more = true;
}

void json_line(struct json *j)
{
    fputs(j->more ? ",\n" : "\n", j->out);
    j->more = false;
}

void json_put(struct json *j, const char *name, const char *format, ...)
{
    va_list args;
    json_begin(j, name);
    va_start(args, format);
    vfprintf(j->out, format, args);
    va_end(args);
}

void json_put_count(struct json *j, const char *name, uint64_t value)
{
    json_put(j, name, "%" PRIu64, value);
}

void json_put_seconds(struct json *j, const char *name, double value)
{
    uint64_t us = value > 0 ? (uint64_t)(value * 1e6 + 0.5) : 0;
    json_put(j, name, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
}

void json_put_string(struct json *j, const char *name, const char *text)
{
    json_begin(j, name);
    fputc('"', j->out);
    json_put_text(j->out, text);
    fputc('"', j->out);
}

void json_put_counts(struct json *j, const char *name, const uint64_t *value, uint32_t count)
{
    json_open(j, name, '[');
    for (uint32_t i = 0; i < count; i++)
        json_put_count(j, NULL, value[i]);
    json_close(j, ']');
}
