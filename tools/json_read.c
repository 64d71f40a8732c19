/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_read.c - see json_read.h. Texts stay where the file was read, and are decoded there. */
#include "tools/json_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, CHUNK = 1 << 16 };

static char *buffer;           /* the text, which the values point into */
static struct json_read *made; /* the last value */

struct json_read_input {
    char *at;
    int depth;
    /* the character that the '\0' after the last number or word has replaced; '\0': none */
    char ended;
    const char *why;
};

static void json_read_skip(struct json_read_input *in)
{
    in->ended = '\0';
    in->at++;
}

/* Not a space. */
static char json_read_next(struct json_read_input *in)
{
    char c;
    while ((c = in->ended ? in->ended : *in->at) && strchr(" \t\r\n", c))
        json_read_skip(in);
    return c;
}

static bool json_read_takes(struct json_read_input *in, char c)
{
    if (json_read_next(in) != c)
        return false;
    json_read_skip(in);
    return true;
}

/* Of "\u" only what json.h writes: control characters. */
static char json_read_escaped(struct json_read_input *in)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *found = strchr(from, *++in->at);
    if (*in->at == 'u' && strspn(in->at + 1, "0123456789abcdefABCDEF") >= 4) {
        char digits[5] = { in->at[1], in->at[2], in->at[3], in->at[4], '\0' };
        in->at += 4;
        return (char)strtol(digits, NULL, 16);
    }
    return *in->at && found ? to[found - from] : *in->at;
}

/* After the first quote; NULL: it does not end. */
static const char *json_read_string(struct json_read_input *in)
{
    char *text = in->at, *to = text;
    for (; *in->at && *in->at != '"'; in->at++) {
        *to++ = *in->at == '\\' ? json_read_escaped(in) : *in->at;
        if (!*in->at)
            break;
    }
    if (*in->at != '"') {
        in->why = "a string does not end";
        return NULL;
    }
    json_read_skip(in);
    *to = '\0';
    return text;
}

static struct json_read *json_read_value(struct json_read_input *in, const char *name);

static struct json_read *json_read_member_value(struct json_read_input *in, bool named)
{
    const char *name = NULL;
    if (named && (!json_read_takes(in, '"') || !(name = json_read_string(in)) ||
                  !json_read_takes(in, ':'))) {
        in->why = "a member without a name";
        return NULL;
    }
    return json_read_value(in, name);
}

/* After the opening bracket. */
static bool json_read_members(struct json_read_input *in, struct json_read *of, char end)
{
    struct json_read **last = &of->list;
    if (json_read_takes(in, end))
        return true;
    do {
        *last = json_read_member_value(in, end == '}');
        if (!*last)
            return false;
        last = &(*last)->next;
    } while (json_read_takes(in, ','));
    in->why = "no comma, and no end";
    return json_read_takes(in, end);
}

static bool json_read_word(struct json_read_input *in, struct json_read *v)
{
    size_t len = strspn(in->at, "+-.0123456789aeEflnrstu");
    v->text = in->at;
    in->at += len;
    in->ended = *in->at;
    *in->at = '\0';
    in->why = "no value";
    return len > 0;
}

static struct json_read *json_read_value(struct json_read_input *in, const char *name)
{
    struct json_read *v = in->depth < DEPTH ? malloc(sizeof *v) : NULL;
    bool ok = false;
    if (!v) {
        in->why = in->depth < DEPTH ? "no memory" : "too deep";
        return NULL;
    }
    *v = (struct json_read){ .name = name, .text = "", .made_before = made };
    made = v;
    in->depth++;
    if (json_read_takes(in, '{'))
        ok = json_read_members(in, v, '}');
    else if (json_read_takes(in, '['))
        ok = json_read_members(in, v, ']');
    else if (json_read_takes(in, '"'))
        ok = (v->text = json_read_string(in)) != NULL;
    else
        ok = json_read_word(in, v);
    in->depth--;
    return ok ? v : NULL;
}

/* All of a file, and a '\0'; NULL: an error. */
static char *json_read_all(FILE *file)
{
    char *text = NULL;
    size_t bytes = 0, got;
    do {
        char *more = realloc(text, bytes + CHUNK + 1);
        if (!more)
            break;
        text = more;
        got = fread(text + bytes, 1, CHUNK, file);
        text[bytes += got] = '\0';
        if (got == 0 && !ferror(file))
            return text;
    } while (got > 0);
    free(text);
    return NULL;
}

const struct json_read *json_read_file(FILE *file, const char **why)
{
    buffer = json_read_all(file);
    struct json_read_input in = { .at = buffer, .why = "it cannot be read" };
    const struct json_read *root = buffer ? json_read_value(&in, NULL) : NULL;
    *why = in.why;
    return root;
}

void json_read_free(void)
{
    while (made) {
        struct json_read *v = made;
        made = v->made_before;
        free(v);
    }
    free(buffer);
    buffer = NULL;
}

const struct json_read *json_read_member(const struct json_read *of, const char *name)
{
    static const struct json_read none = { .text = "" };
    for (JSON_READ_EACH(v, of->list))
        if (v->name && strcmp(v->name, name) == 0)
            return v;
    return &none;
}

const struct json_read *json_read_list(const struct json_read *of, const char *name)
{
    return json_read_member(of, name)->list;
}

const char *json_read_text(const struct json_read *of, const char *name)
{
    return json_read_member(of, name)->text;
}

uint64_t json_read_count(const struct json_read *of, const char *name)
{
    return strtoull(json_read_text(of, name), NULL, 10);
}

double json_read_number(const struct json_read *of, const char *name)
{
    return strtod(json_read_text(of, name), NULL);
}
