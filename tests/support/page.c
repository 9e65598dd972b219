#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/page.h"

enum { MOST_OPEN = 64, NAME = 24 };

static const char *const known_tags[] = {
    "html",   "head",       "meta", "title",  "style",   "body",  "p",     "header",  "h1",
    "main",   "section",    "svg",  "circle", "path",    "div",   "h2",    "ul",      "li",
    "data",   "nav",        "ol",   "a",      "dl",      "dt",    "dd",    "small",   "strong",
    "span",   "rect",       "h3",   "table",  "caption", "thead", "tbody", "tr",      "th",
    "td",     "bdi",        "br",   "wbr",    "i",       "pre",   "code",  "details", "summary",
    "figure", "figcaption", "img",  "text",   "g",       "footer"};

static const char *const known_attributes[] = {"lang",
                                               "charset",
                                               "http-equiv",
                                               "content",
                                               "name",
                                               "class",
                                               "id",
                                               "viewBox",
                                               "aria-hidden",
                                               "aria-label",
                                               "cx",
                                               "cy",
                                               "r",
                                               "fill",
                                               "stroke",
                                               "stroke-width",
                                               "stroke-linecap",
                                               "stroke-linejoin",
                                               "d",
                                               "x",
                                               "y",
                                               "width",
                                               "height",
                                               "preserveAspectRatio",
                                               "value",
                                               "data-key",
                                               "data-label",
                                               "href",
                                               "scope",
                                               "tabindex",
                                               "role",
                                               "rowspan",
                                               "alt",
                                               "src",
                                               "text-anchor",
                                               "transform"};

static bool is_listed(const char *const *list, size_t n, const char *name, size_t size) {
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == size && memcmp(list[i], name, size) == 0)
            return true;
    return false;
}

#define IS_KNOWN(list, name, size) is_listed(list, sizeof(list) / sizeof *(list), name, size)

/* Not strncmp and strcspn: a sanitizer that checks their arguments reads the whole page every time.
 */
static bool begins(const char *text, const char *with) {
    while (*with && *text == *with) {
        text++;
        with++;
    }
    return *with == '\0';
}

/* Bytes before the first of `ends`, or before the end. */
static size_t size_before(const char *text, const char *ends) {
    size_t n = 0;
    while (text[n] && !strchr(ends, text[n]))
        n++;
    return n;
}

/* What stands behind a tag's name; returns behind its bracket. */
static const char *expect_attributes(const char *at, bool *is_closed) {
    *is_closed = false;
    for (;;) {
        while (*at == ' ' || *at == '\n')
            at++;
        if (begins(at, "/>")) {
            *is_closed = true;
            return at + 2;
        }
        if (*at == '>')
            return at + 1;
        const size_t size = size_before(at, "=> \n");
        if (!IS_KNOWN(known_attributes, at, size))
            fail_msg("an attribute that is none of ours: %.*s", (int)size, at);
        const bool is_place = begins(at, "href=") || begins(at, "src=");
        at += size;
        assert_true(begins(at, "=\""));
        at += 2;
        const size_t value = size_before(at, "\"");
        assert_true(at[value] == '"' && size_before(at, "<>") > value);
        if (is_place && *at != '#' && !begins(at, "data:image/svg+xml;base64,"))
            fail_msg("the page points elsewhere: %.60s", at);
        at += value + 1;
    }
}

void expect_safe_page(const char *page) {
    static const char *const single[] = {"meta", "img", "br", "wbr"};
    char open[MOST_OPEN][NAME];
    size_t n = 0;
    bool is_closed;
    const char *at = page;
    assert_true(begins(at, "<!DOCTYPE html>\n"));
    at += strlen("<!DOCTYPE html>\n");
    while (*at) {
        if (*at != '<') {
            if (*at == '>' && !(n > 0 && strcmp(open[n - 1], "style") == 0))
                fail_msg("a bracket that is not a tag: %.40s", at);
            at++;
            continue;
        }
        const bool ends = at[1] == '/';
        at += 1 + ends;
        const size_t size = size_before(at, " />\n");
        if (!IS_KNOWN(known_tags, at, size))
            fail_msg("a tag that is none of ours: %.40s", at);
        if (ends) {
            if (n == 0 || strlen(open[n - 1]) != size || memcmp(open[n - 1], at, size) != 0)
                fail_msg("</%.*s> closes %s", (int)size, at, n ? open[n - 1] : "nothing");
            n--;
            at += size;
            assert_true(*at++ == '>');
            continue;
        }
        const char *name = at;
        at = expect_attributes(at + size, &is_closed);
        if (is_closed || IS_KNOWN(single, name, size))
            continue;
        assert_true(n < MOST_OPEN && size < NAME);
        memcpy(open[n], name, size);
        open[n++][size] = '\0';
    }
    assert_int_equal(n, 0);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const json_t *find(const json_t *at, const char *key, size_t size) {
    const char *end = key + size;
    while (at && key < end) {
        char word[128];
        size_t n = 0;
        while (key + n < end && key[n] != '.')
            n++;
        assert_true(n < sizeof word);
        memcpy(word, key, n);
        word[n] = '\0';
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(word, NULL, 10))
                               : json_object_get(at, word);
        key += n + 1;
    }
    return at;
}

size_t expect_page_numbers(const char *page, const json_t *document) {
    static const char begin[] = "<data value=\"";
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, begin)) != NULL; n++) {
        char *end;
        at += strlen(begin);
        const double value = strtod(at, &end);
        assert_true(begins(end, "\" data-key=\""));
        const char *key = end + strlen("\" data-key=\"");
        const size_t size = size_before(key, "\"");
        const json_t *number = find(document, key, size);
        if (!json_is_number(number) || (float)json_number_value(number) != (float)value)
            fail_msg("the page says %.15g at %.*s, the document something else", value, (int)size,
                     key);
        /* what is read by people: the same digits, or rounded, or a share in percent */
        const char *shown = strchr(key, '>') + 1;
        char digits[64];
        size_t d = 0;
        for (; *shown != '<' && d + 1 < sizeof digits; shown++)
            if ((*shown >= '0' && *shown <= '9') || strchr(".-+e", *shown))
                digits[d++] = *shown;
        digits[d] = '\0';
        const double read = strtod(digits, NULL),
                     room = 0.06 + 0.006 * (value < 0 ? -value : value);
        const double plain = read - value, percent = read - 100 * value;
        if (!((plain <= room && plain >= -room) ||
              (percent <= 100 * room && percent >= -100 * room)))
            fail_msg("%.*s is %.15g, and is shown as %s", (int)size, key, value, digits);
    }
    return n;
}
