/* Pages of HTML that show a JSON document. Whatever comes from the document is escaped and cut, and
 * every number on the page names the place in the document that it is from:
 *
 *     <data value="45222" data-key="input.rows">45,222</data>
 *
 * so that a page can be held against its document, by programs as well.
 *
 * Everything is added to a text; a failed allocation sticks there, and its status tells. */
#ifndef KANON_REPORT_HTML_H
#define KANON_REPORT_HTML_H

#include <jansson.h>

#include "core/text.h"

typedef struct kan_page {
    kan_text *to;
    const json_t *root;
    bool is_internal; /* it has what only those may see who may see the table */
    unsigned n_sections;
} kan_page;

/* Begins the document: everything up to the first heading of the page. The title is what windows,
 * bookmarks and printed files are named by; `name`, what the page is about, stands at the foot of
 * every printed page. Both may hold any bytes. */
void kan_page_begin(kan_page *page, const char *title, const char *name);
void kan_page_end(kan_page *page);

/* A section with its heading; `id` is a word of ours. An internal one is marked as such. */
void kan_page_section(kan_page *page, const char *id, const char *title, bool is_internal);
void kan_page_section_end(kan_page *page);

/* Our own words and tags, as they are. */
void kan_page_raw(kan_page *page, const char *text);
void kan_page_print(kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);

/* Bytes from anywhere: escaped, control characters made visible, cut after `most` characters. */
void kan_page_text(kan_page *page, const char *bytes, size_t size, size_t most);
/* A string of the document as a value: kept apart from the direction of the text around it, and
 * with places at which a line may end where it is long. What is not a string is shown as a dash; an
 * empty one as (empty). */
void kan_page_value(kan_page *page, const json_t *string, size_t most);
/* The same with bytes from anywhere. */
void kan_page_name(kan_page *page, const char *bytes, size_t size, size_t most);
/* A string of the document as plain words. */
void kan_page_words(kan_page *page, const json_t *string, size_t most);

/* The member of the document at a key such as "report.columns.0.values.3.before"; NULL: none. */
const json_t *kan_page_find(const kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
/* The number there; 0 where there is none. */
double kan_page_number(const kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
size_t kan_page_size(const kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
bool kan_page_has(const kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
bool kan_page_is(const kan_page *page, const char *key, const char *text);

/* The number at a key: 45,222; 0.00649; 12.5 %. What is not a number is shown as a dash. */
void kan_page_count(kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
void kan_page_percent(kan_page *page, const char *format, ...) KAN_PRINTF(2, 3);
/* The number with its word: "1 row", "12 rows". */
void kan_page_counted(kan_page *page, const char *one, const char *many, const char *format, ...)
    KAN_PRINTF(4, 5);

#endif
