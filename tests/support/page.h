/* Pages of HTML in tests: is it safe, and does it say what its document says? */
#ifndef KANON_TESTS_PAGE_H
#define KANON_TESTS_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Fails the test unless every tag is one of ours and closed in order, no attribute runs a script or
 * names a place elsewhere, and nothing but tags has an angle bracket. */
void expect_safe_page(const char *page);

/* Fails the test unless every <data value data-key> of the page has the number that the document
 * has at that key. Returns how many there are. */
size_t expect_page_numbers(const char *page, const json_t *document);

#endif
