/* Slices of bytes, and a text that grows. */
#ifndef KANON_CORE_TEXT_H
#define KANON_CORE_TEXT_H

#include <string.h>

#include "core/run.h"

/* Borrowed bytes, not NUL-terminated. Any byte may occur in them. */
typedef struct kan_slice {
    const char *bytes;
    size_t size;
} kan_slice;

static inline kan_slice kan_slice_of(const char *text) {
    return (kan_slice){text, strlen(text)};
}

static inline bool kan_slice_equal(kan_slice a, kan_slice b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline bool kan_slice_is(kan_slice a, const char *text) {
    return kan_slice_equal(a, kan_slice_of(text));
}

static inline bool kan_slice_begins(kan_slice a, kan_slice begin) {
    return a.size >= begin.size &&
           (begin.size == 0 || memcmp(a.bytes, begin.bytes, begin.size) == 0);
}

/* By bytes; a prefix comes first. */
int kan_slice_compare(kan_slice a, kan_slice b);

/* A growing text, always NUL-terminated once it has been added to. A failed allocation sticks:
 * later adds do nothing, and kan_text_status tells. */
typedef struct kan_text {
    kan_run *run;
    char *bytes;
    size_t size, capacity;
    bool failed;
} kan_text;

void kan_text_init(kan_text *text, kan_run *run);
void kan_text_destroy(kan_text *text);
void kan_text_add(kan_text *text, const char *bytes, size_t size);
void kan_text_print(kan_text *text, const char *format, ...) KAN_PRINTF(2, 3);
kan_status kan_text_status(const kan_text *text);

/* Columns that a terminal needs for UTF-8 bytes (one per code point, wide ones not counted). */
size_t kan_text_columns(const char *bytes, size_t size);

/* Edits that turn one name into the other (insert, delete, replace, swap of neighbours); for
 * "did you mean". Names longer than 63 bytes count as far apart. */
unsigned kan_edit_distance(const char *a, const char *b);

/* Length of the valid UTF-8 sequence at `at`, 0 when it is not one; `left` is 1 or more. */
size_t kan_utf8_length(const char *at, size_t left);

/* Whether a valid sequence of that length steers what shows it instead of being seen: controls (of
 * ASCII and of Unicode after 0x7f), line breaks of Unicode, and what turns the direction of the
 * text behind it. Marks that belong to written languages are none of these. */
bool kan_utf8_steers(const char *at, size_t length);

/* Text made fit for a terminal: all that steers it but line breaks, and bytes that are no UTF-8,
 * become a question mark each. */
void kan_text_make_plain(kan_text *text);

/* A value made fit for a message: quoted, what steers and invalid UTF-8 as \xNN, cut after about
 * 40 bytes. `room` needs 256 bytes; returns `room`. */
const char *kan_quote(kan_slice value, char *room);

/* "1,234,567" into `room` (at least 32 bytes); returns `room`. */
const char *kan_count_text(uint64_t count, char *room);
/* The word that goes with so many: one row, two rows. */
static inline const char *kan_plural(uint64_t n, const char *one, const char *many) {
    return n == 1 ? one : many;
}
/* "12.3 MiB" into `room` (at least 32 bytes); returns `room`. */
const char *kan_bytes_text(uint64_t bytes, char *room);

/* Numbers as users write them; false when the text is not one. Independent of the locale. */
bool kan_parse_count(const char *text, uint64_t *out);
bool kan_parse_real(const char *text, size_t size, double *out);
/* "512M", "2G", "64K", "1048576": powers of 1024. */
bool kan_parse_bytes(const char *text, uint64_t *out);

#endif
