/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* base/json.h: escapes (JS1), and that all output is UTF-8, as iconv(3) sees it. */
#include <iconv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/unit.h"

static char *text_of(const char *text)
{
    char *made = NULL;
    size_t bytes;
    FILE *out = open_memstream(&made, &bytes);
    assert_non_null(out);
    json_put_string(&(struct json){ .out = out }, NULL, text);
    assert_int_equal(fclose(out), 0);
    return made;
}

static void expect(const char *text, const char *wanted)
{
    char *made = text_of(text);
    assert_string_equal(made, wanted);
    free(made);
}

static void escapes(void)
{
    expect("", "\"\"");
    expect("a b/c", "\"a b/c\"");
    expect("say \"x\"", "\"say \\\"x\\\"\"");
    expect("C:\\new", "\"C:\\\\new\"");
    expect("\n\t\001\037 \177", "\"\\u000a\\u0009\\u0001\\u001f \177\"");
}

static void characters(void)
{
    expect("Knoten \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80",
           "\"Knoten \xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"");
    expect("\xff"
           "a",
           "\"?a\"");
    expect("\xc3", "\"?\"");           /* cut off */
    expect("\xc0\xaf", "\"??\"");      /* too long for '/' */
    expect("\xed\xa0\x80", "\"???\""); /* a surrogate */
}

static int is_utf8(const char *text)
{
    char out[64], *to = out, *from = (char *)(uintptr_t)text;
    size_t left = strlen(text), room = sizeof out;
    iconv_t check = iconv_open("UTF-32LE", "UTF-8");
    assert_true(check != (iconv_t)-1);
    int good = iconv(check, &from, &left, &to, &room) != (size_t)-1 && left == 0;
    iconv_close(check);
    return good;
}

/* All sequences of up to three of these bytes: those that are valid stay as they are. */
static void sequences(void)
{
    static const unsigned char bytes[] = { 'a',  0x7f, 0x80, 0xbf, 0xc1, 0xc2, 0xdf,
                                           0xe0, 0xed, 0xef, 0x9f, 0xa0, 0xf0, 0xf8 };
    enum { BYTES = sizeof bytes };
    for (int i = 0; i < BYTES * BYTES * BYTES; i++) {
        char text[4] = { (char)bytes[i % BYTES], (char)bytes[i / BYTES % BYTES],
                         (char)bytes[i / BYTES / BYTES], '\0' };
        char *made = text_of(text);
        assert_true(is_utf8(made));
        if (is_utf8(text))
            assert_memory_equal(made + 1, text, 3);
        free(made);
    }
}

UNIT_MAIN(NULL, NULL, TEST(escapes), TEST(characters), TEST(sequences))
