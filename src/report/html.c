/* What pages share. The style is in html_style.c. */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/signs.h"
#include "core/wording.h"
#include "report/svg.h"

enum { KEY_BYTES = 160, NUMBER_BYTES = 64 };

void kan_page_raw(kan_page *page, const char *text) {
    kan_svg_raw(page->to, text);
}

void kan_page_print(kan_page *page, const char *format, ...) {
    char room[1024];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(room, sizeof room, format, arguments);
    va_end(arguments);
    if (n > 0)
        kan_text_add(page->to, room, (size_t)n < sizeof room ? (size_t)n : sizeof room - 1);
}

/* ---- text ----------------------------------------------------------------------------------- */

/* Line breaks and tabs inside a value are seen as signs; other control characters as a question
 * mark, which kan_svg_escape does. */
static void add_escaped(kan_text *to, const char *bytes, size_t size) {
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        const char *seen = bytes[i] == '\n'   ? "\u21b5"
                           : bytes[i] == '\t' ? "\u21e5"
                           : bytes[i] == '\r' ? "\u240d"
                           : bytes[i] == '\'' ? "&#39;"
                                              : NULL;
        if (!seen)
            continue;
        kan_svg_escape(to, bytes + from, i - from);
        kan_svg_raw(to, seen);
        from = i + 1;
    }
    kan_svg_escape(to, bytes + from, size - from);
}

/* The bytes of the first `most` characters. */
static size_t cut_after(const char *bytes, size_t size, size_t most) {
    size_t at = 0;
    for (size_t n = 0; at < size && n < most; n++) {
        const size_t length = kan_utf8_length(bytes + at, size - at);
        at += length > 0 ? length : 1;
    }
    return at;
}

void kan_page_text(kan_page *page, const char *bytes, size_t size, size_t most) {
    const size_t shown = cut_after(bytes, size, most);
    add_escaped(page->to, bytes, shown);
    if (shown < size)
        kan_page_raw(page, "\u2026");
}

/* Where a line of a long value may end: behind a sign that joins words, such as the underscores of
 * names of columns, and within a word only where it is too long for any cell. Browsers would end it
 * anywhere, or not at all. */
static size_t next_piece(const char *bytes, size_t size) {
    enum { LEAST = 6, MOST = 24 };
    size_t at = 0;
    for (size_t n = 1; at < size && n <= MOST; n++) {
        const size_t length = kan_utf8_length(bytes + at, size - at);
        at += length > 0 ? length : 1;
        if (n >= LEAST && strchr("_./,;:|+=&@", bytes[at - 1]) && bytes[at - 1] != '\0')
            return at;
        if (bytes[at - 1] == ' ' || bytes[at - 1] == '-')
            n = 0; /* browsers know these */
    }
    return at;
}

void kan_page_name(kan_page *page, const char *bytes, size_t size, size_t most) {
    enum { SHORT = 16 }; /* bytes of what fits any cell as it is */
    const size_t shown = cut_after(bytes, size, most);
    kan_page_raw(page, "<bdi>");
    for (size_t at = 0; at < shown;) {
        const size_t n = shown <= SHORT ? shown : next_piece(bytes + at, shown - at);
        kan_page_raw(page, at > 0 ? "<wbr>" : "");
        add_escaped(page->to, bytes + at, n);
        at += n;
    }
    kan_page_raw(page, shown < size ? "\u2026</bdi>" : "</bdi>");
}

void kan_page_words(kan_page *page, const json_t *string, size_t most) {
    if (json_is_string(string))
        kan_page_text(page, json_string_value(string), json_string_length(string), most);
    else
        kan_page_raw(page, "\u2013");
}

void kan_page_value(kan_page *page, const json_t *string, size_t most) {
    if (json_is_string(string) && json_string_length(string) == 0) {
        kan_page_raw(page, "<i>(empty)</i>");
        return;
    }
    if (json_is_string(string))
        kan_page_name(page, json_string_value(string), json_string_length(string), most);
    else
        kan_page_raw(page, "\u2013");
}

/* ---- looking things up ---------------------------------------------------------------------- */

static const json_t *find(const kan_page *page, const char *key) {
    const json_t *at = page->root;
    char word[KEY_BYTES];
    while (at && *key) {
        const size_t size = strcspn(key, ".");
        if (size >= sizeof word)
            return NULL;
        memcpy(word, key, size);
        word[size] = '\0';
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(word, NULL, 10))
                               : json_object_get(at, word);
        key += size + (key[size] == '.');
    }
    return at;
}

#define MAKE_KEY(key)                                                                              \
    char key[KEY_BYTES];                                                                           \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    vsnprintf(key, sizeof key, format, arguments);                                                 \
    va_end(arguments)

const json_t *kan_page_find(const kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    return find(page, key);
}

double kan_page_number(const kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    const json_t *number = find(page, key);
    return json_is_number(number) ? json_number_value(number) : 0;
}

size_t kan_page_size(const kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    const json_t *array = find(page, key);
    return json_is_array(array) ? json_array_size(array) : 0;
}

bool kan_page_has(const kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    const json_t *there = find(page, key);
    return there && !json_is_null(there);
}

bool kan_page_is(const kan_page *page, const char *key, const char *text) {
    const json_t *there = find(page, key);
    return json_is_string(there) && strcmp(json_string_value(there), text) == 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* As the document writes it. */
static void exact_text(const json_t *number, char room[NUMBER_BYTES]) {
    if (json_is_integer(number))
        snprintf(room, NUMBER_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(number));
    else
        snprintf(room, NUMBER_BYTES, "%.15g", json_real_value(number));
}

static void plain_text(const json_t *number, char room[NUMBER_BYTES]) {
    const double value = json_number_value(number);
    if (json_is_integer(number) && value >= 0)
        (void)kan_count_text((uint64_t)json_integer_value(number), room);
    else if (value == nearbyint(value) && value >= 1000 && value < 1e15)
        (void)kan_count_text((uint64_t)value, room);
    else
        snprintf(room, NUMBER_BYTES, "%.4g", value);
}

static void add_number(kan_page *page, const char *key, bool is_percent) {
    const json_t *number = find(page, key);
    char exact[NUMBER_BYTES], shown[NUMBER_BYTES];
    if (!json_is_number(number)) {
        kan_page_raw(page, "\u2013");
        return;
    }
    exact_text(number, exact);
    if (is_percent)
        (void)kan_percent_text(100 * json_number_value(number), KAN_PERCENT_PAGE, shown);
    else
        plain_text(number, shown);
    kan_page_print(page, "<data value=\"%s\" data-key=\"", exact);
    kan_page_text(page, key, strlen(key), KEY_BYTES); /* names of costs come from the document */
    kan_page_print(page, "\">%s</data>", shown);
}

void kan_page_count(kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    add_number(page, key, false);
}

void kan_page_percent(kan_page *page, const char *format, ...) {
    MAKE_KEY(key);
    add_number(page, key, true);
}

void kan_page_counted(kan_page *page, const char *one, const char *many, const char *format, ...) {
    MAKE_KEY(key);
    const json_t *number = find(page, key);
    add_number(page, key, false);
    kan_page_print(page, " %s", json_number_value(number) == 1 ? one : many);
}

/* ---- the frame ------------------------------------------------------------------------------ */

/* As the content of a box in a style sheet: whatever is not plain is written as its number, so that
 * no name ends the text, the rule or the sheet. */
static void add_style_text(kan_page *page, const char *bytes, size_t size, size_t most) {
    const size_t shown = cut_after(bytes, size, most);
    for (size_t at = 0; at < shown;) {
        const size_t n = kan_utf8_length(bytes + at, shown - at);
        const unsigned char byte = (unsigned char)bytes[at];
        const bool is_plain = kan_is_name_sign(bytes[at]) || strchr(" .-", byte);
        if (n == 1 && byte != '\0' && is_plain)
            kan_text_add(page->to, bytes + at, 1);
        else if (n == 0 || byte < ' ' || kan_utf8_steers(bytes + at, n))
            kan_page_raw(page, "?");
        else if (n == 1)
            kan_page_print(page, "\\%x ", byte);
        else
            kan_text_add(page->to, bytes + at, n);
        at += n > 0 ? n : 1;
    }
    if (shown < size)
        kan_page_raw(page, "\u2026");
}

/* What stands on every printed page: what it is about, and which page it is. */
static void add_foot(kan_page *page, const char *name) {
    kan_page_raw(page, "@page{@bottom-left{content:\"");
    kan_page_raw(page, page->is_internal ? "INTERNAL \u2013 " : "");
    add_style_text(page, name, strlen(name), 70);
    kan_page_raw(page, " \u2013 anonymization report\"}@bottom-right{content:\"page \" "
                       "counter(page) \" of \" counter(pages)}}\n");
}

void kan_page_begin(kan_page *page, const char *title, const char *name) {
    kan_page_raw(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
                       "'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"referrer\" content=\"no-referrer\">\n"
                       "<meta name=\"generator\" content=\"kanon\">\n<title>");
    if (page->is_internal)
        kan_page_raw(page, "INTERNAL \u2013 ");
    kan_page_text(page, title, strlen(title), 160);
    kan_page_raw(page, "</title>\n<style>\n");
    kan_page_raw(page, kan_page_style());
    add_foot(page, name);
    kan_page_raw(page, "</style>\n</head>\n");
    kan_page_raw(page, page->is_internal ? "<body class=\"report secret\">\n"
                                         : "<body class=\"report\">\n");
    if (page->is_internal)
        kan_page_raw(
            page,
            "<p class=\"stamp\">Internal \u2013 contains raw values \u2013 do not share</p>\n");
}

void kan_page_end(kan_page *page) {
    kan_page_raw(page, "</body>\n</html>\n");
}

void kan_page_section(kan_page *page, const char *id, const char *title, bool is_internal) {
    page->n_sections++;
    kan_page_print(page, "<section id=\"%s\"%s>\n<h2>%s", id,
                   is_internal ? " class=\"internal\"" : "", title);
    if (page->is_internal)
        kan_page_raw(page, " <span class=\"tag\">internal</span>");
    kan_page_raw(page, "</h2>\n");
}

void kan_page_section_end(kan_page *page) {
    kan_page_raw(page, "</section>\n");
}
