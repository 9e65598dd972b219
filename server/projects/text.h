/* Text that grows, for pages. Whatever comes from a table, a file or a request goes through
 * sv_html, which escapes it; sv_raw is for our own markup alone. When memory is out the text is
 * marked as failed, and the reply becomes an error: no page is sent half. */
#ifndef KANON_SERVER_PROJECTS_TEXT_H
#define KANON_SERVER_PROJECTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct sv_text {
    char *bytes; /* NUL-terminated once anything was added; NULL before */
    size_t size, room;
    bool failed;
} sv_text;

void sv_text_free(sv_text *text);
/* Bytes as they are. */
void sv_raw(sv_text *text, const char *markup);
void sv_bytes(sv_text *text, const char *bytes, size_t size);
/* As printf, but what stands for %s is escaped for HTML text and for attributes in double quotes.
 * The format itself is markup. Control characters become the replacement character, and bytes that
 * are no UTF-8, too. */
void sv_html(sv_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As printf, nothing is escaped: for numbers, paths and messages, never for pages. */
void sv_print(sv_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For a part of a link: all but letters, digits and -._~ become %XX. */
void sv_url(sv_text *text, const char *value);
/* A word of a shell command, quoted where it must be. */
void sv_shell(sv_text *text, const char *word);
/* A count with commas between thousands: 30,162. */
void sv_count(sv_text *text, unsigned long long count);

/* The server may not include src: what core/signs.h has, as far as pages need it. */
static inline bool sv_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool sv_is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || sv_is_digit(c);
}

/* Whether something stands before the ending. */
static inline bool sv_ends_with(const char *text, const char *end) {
    const size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

#endif
