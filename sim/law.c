/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* law.c - see law.h: parses the text. */
#include "sim/law.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/fail.h"

#define LINE_MOST 400

/* ---- the text ---- */

struct reader {
    struct law *l;
    struct law_text text;
    uint32_t open[LAW_STATEMENTS], depth; /* unfinished blocks */
    uint32_t line;
};

static void wrong(struct reader *r, const char *what)
{
    if (r->text.wrong == NULL)
        r->text.wrong = what;
}

static void want(struct reader *r, const char *sign)
{
    if (!law_sign(&r->text, sign))
        wrong(r, "a sign is missing, such as = or [ or ..");
}

/* A name on the left of an assignment: a new one, or one assigned before. */
static uint32_t assigned(struct reader *r)
{
    char word[LAW_WORD];
    uint32_t name;

    if (!law_word(&r->text, word)) {
        wrong(r, "a name is missing");
        return 0;
    }
    name = law_name(&r->l->e, word);
    if (name == LAW_NAMES)
        name = law_name_add(&r->l->e, word);
    if (name == LAW_NAMES)
        wrong(r, "there are too many names");
    else if (name <= NAME_PAGE || r->l->e.name[name].is_function)
        wrong(r, "this name is already defined");
    return name == LAW_NAMES ? 0 : name;
}

static struct law_statement *add(struct reader *r, enum law_kind kind)
{
    struct law *l = r->l;

    if (l->count == LAW_STATEMENTS) {
        wrong(r, "there are too many statements");
        return &l->at[0];
    }
    l->at[l->count] = (struct law_statement){ .kind = kind, .line = r->line };
    return &l->at[l->count++];
}

static void read_assignment(struct reader *r, enum law_kind kind)
{
    struct law_statement *s = add(r, kind);

    s->name = assigned(r);
    want(r, "=");
    s->expr[0] = law_parse(&r->l->e, &r->text);
    if (kind == LAW_FOR) {
        want(r, "..");
        s->expr[1] = law_parse(&r->l->e, &r->text);
    }
}

static void read_param(struct reader *r)
{
    uint32_t at = r->l->count;

    read_assignment(r, LAW_PARAM);
    r->l->is_param[r->l->at[at].name] = true;
}

static void read_weak(struct reader *r)
{
    struct law_statement *s = add(r, LAW_WEAK);

    s->name = assigned(r);
    if (!r->l->is_param[s->name])
        wrong(r, "this is not a parameter");
    want(r, "=");
    s->expr[0] = law_parse(&r->l->e, &r->text);
}

/* Arguments are separate names that are not visible afterwards. */
static void read_function(struct reader *r)
{
    struct law_exprs *e = &r->l->e;
    char word[LAW_WORD], arg[LAW_WORD];
    uint32_t name;

    if (!law_word(&r->text, word) || (name = law_name_add(e, word)) == LAW_NAMES) {
        wrong(r, "a new name is missing");
        return;
    }
    want(r, "(");
    do {
        uint32_t a = LAW_NAMES;
        if (e->name[name].args == 3 || !law_word(&r->text, arg) ||
            (a = law_name_add(e, arg)) == LAW_NAMES) {
            wrong(r, "an argument has no new name, or is the fourth");
            return;
        }
        e->name[name].arg[e->name[name].args++] = (uint16_t)a;
    } while (law_sign(&r->text, ","));
    want(r, ")");
    want(r, "=");
    e->name[name].body = law_parse(e, &r->text);
    e->name[name].is_function = true;
    for (uint32_t i = 0; i < e->name[name].args; i++)
        e->name[e->name[name].arg[i]].word[0] = '\0';
}

static uint32_t array_of(struct reader *r, const char *word)
{
    for (uint32_t i = 0; i < r->l->arrays; i++)
        if (strcmp(r->l->array[i], word) == 0)
            return i;
    wrong(r, "there is no such array");
    return 0;
}

static void read_seen(struct reader *r)
{
    char word[LAW_WORD] = "";
    struct law_statement *s = add(r, LAW_SEEN);

    s->name = assigned(r);
    want(r, "=");
    (void)law_word(&r->text, word);
    s->array = array_of(r, word);
}

static void read_array(struct reader *r)
{
    char word[LAW_WORD];
    struct law_statement *s = add(r, LAW_ARRAY);

    if (!law_word(&r->text, word) || r->l->arrays == LAW_ARRAYS) {
        wrong(r, "a name is missing, or there are too many arrays");
        return;
    }
    want(r, "[");
    s->expr[0] = law_parse(&r->l->e, &r->text);
    want(r, "]");
    strcpy(r->l->array[r->l->arrays], word);
    s->name = r->l->arrays++;
}

static void read_range(struct reader *r, enum law_kind kind)
{
    char word[LAW_WORD] = "";
    struct law_statement *s = add(r, kind);

    (void)law_word(&r->text, word);
    s->name = array_of(r, word);
    want(r, "[");
    s->expr[0] = law_parse(&r->l->e, &r->text);
    want(r, "..");
    s->expr[1] = law_parse(&r->l->e, &r->text);
    want(r, "]");
}

static void read_end(struct reader *r, enum law_kind kind)
{
    uint32_t at = r->l->count, begin;
    struct law_statement *s = add(r, kind);

    if (r->depth == 0) {
        wrong(r, "this end has no for or if");
        return;
    }
    begin = r->open[--r->depth];
    s->begin = begin;
    r->l->at[begin].end = at;
    if (kind == LAW_ELSE) {
        if (r->l->at[begin].kind != LAW_IF)
            wrong(r, "an else has no if");
        r->open[r->depth++] = at;
    }
}

static const struct {
    const char *word;
    enum law_kind kind;
} words[] = {
    { "let", LAW_LET },     { "weak", LAW_WEAK },
    { "array", LAW_ARRAY }, { "read", LAW_READ },
    { "write", LAW_WRITE }, { "update", LAW_UPDATE },
    { "touch", LAW_TOUCH }, { "seen", LAW_SEEN },
    { "mark", LAW_MARK },   { "prefetch", LAW_PREFETCH },
    { "work", LAW_WORK },   { "barrier", LAW_BARRIER },
    { "lock", LAW_LOCK },   { "unlock", LAW_UNLOCK },
    { "for", LAW_FOR },     { "if", LAW_IF },
    { "else", LAW_ELSE },   { "end", LAW_END },
};

#define WORDS (sizeof words / sizeof *words)

static void read_kind(struct reader *r, enum law_kind kind)
{
    switch (kind) {
    case LAW_LET:
        read_assignment(r, LAW_LET);
        return;
    case LAW_FOR:
        r->open[r->depth++] = r->l->count;
        read_assignment(r, LAW_FOR);
        return;
    case LAW_WEAK:
        read_weak(r);
        return;
    case LAW_ARRAY:
        read_array(r);
        return;
    case LAW_IF:
        r->open[r->depth++] = r->l->count;
        add(r, LAW_IF)->expr[0] = law_parse(&r->l->e, &r->text);
        return;
    case LAW_ELSE:
    case LAW_END:
        read_end(r, kind);
        return;
    case LAW_BARRIER:
        (void)add(r, LAW_BARRIER);
        return;
    case LAW_SEEN:
        read_seen(r);
        return;
    case LAW_MARK:
    case LAW_WORK:
    case LAW_LOCK:
    case LAW_UNLOCK: {
        struct law_statement *s = add(r, kind);
        s->expr[0] = law_parse(&r->l->e, &r->text);
        return;
    }
    default:
        read_range(r, kind);
        return;
    }
}

static void read_statement(struct reader *r)
{
    char word[LAW_WORD] = "";
    size_t i = 0;

    (void)law_word(&r->text, word);
    if (strcmp(word, "param") == 0) {
        read_param(r);
        return;
    }
    if (strcmp(word, "def") == 0) {
        read_function(r);
        return;
    }
    while (i < WORDS && strcmp(words[i].word, word) != 0)
        i++;
    if (i < WORDS)
        read_kind(r, words[i].kind);
    else
        wrong(r, "there is no such statement");
}

static void read_line(struct reader *r, char *line)
{
    char word[LAW_WORD];

    line[strcspn(line, "#\r")] = '\0';
    r->text = (struct law_text){ .at = line };
    (void)law_sign(&r->text, "");
    if (*r->text.at == '\0')
        return;
    read_statement(r);
    if (r->text.wrong == NULL && (law_word(&r->text, word) || *r->text.at != '\0'))
        wrong(r, "there is extra text after the statement");
}

const char *law_say(struct law *l, uint32_t line, const char *what)
{
    snprintf(l->wrong, sizeof l->wrong, "line %" PRIu32 ": %s", line, what);
    return l->wrong;
}

const char *law_read(struct law *l, const char *text)
{
    static const char *const own[] = { "N", "n", "M", "page" };
    struct reader r = { .l = l };
    char line[LINE_MOST];

    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        (void)law_name_add(&l->e, own[i]);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        r.line++;
        if (length >= sizeof line)
            return law_say(l, r.line, "it is too long");
        memcpy(line, text, length);
        line[length] = '\0';
        text += length + (text[length] != '\0');
        read_line(&r, line);
        if (r.text.wrong != NULL)
            return law_say(l, r.line, r.text.wrong);
    }
    if (r.depth > 0)
        return law_say(l, l->at[r.open[r.depth - 1]].line, "this statement has no end");
    l->at[l->count] = (struct law_statement){ .kind = LAW_END, .line = r.line };
    return NULL;
}

void law_load(struct law *l, const char *file)
{
    static char text[65536];
    FILE *in = fopen(file, "r");
    size_t got = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
    const char *what;

    if (in == NULL || ferror(in))
        sim_fail(SIM_FAILED, "%s: %s; give the file of a law, as in share/hlrc/laws", file,
                 strerror(errno));
    fclose(in);
    text[got] = '\0';
    what = got == sizeof text - 1 ? "it is too long" : law_read(l, text);
    if (what != NULL)
        sim_fail(SIM_FAILED, "%s: %s; see doc/growth.md", file, what);
}

bool law_set(struct law *l, const char *name, int64_t value)
{
    uint32_t i = law_name(&l->e, name);

    if (i == LAW_NAMES || !l->is_param[i])
        return false;
    l->given[i] = value;
    l->is_given[i] = true;
    return true;
}
