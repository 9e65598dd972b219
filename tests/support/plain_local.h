/* Local recodings by their definition, row by row and on texts: what a release must be, and whether
 * there is any. Nothing is shared with the searches; nodes are texts of the plain table. */
#ifndef KANON_TESTS_PLAIN_LOCAL_H
#define KANON_TESTS_PLAIN_LOCAL_H

#include "support/plain_privacy.h"
#include "support/searches.h"

enum { PLAIN_LOCAL_ROWS = 7 };

/* Odd labels, all of which a hierarchy may have: a node that is called like a value, like a node of
 * another level, or like the top. */
void plain_confuse_labels(plain_table *plain, uint64_t *random);

/* The label of a cell at a level of its attribute. */
const char *plain_label_at(const plain_table *plain, size_t row, unsigned a, unsigned level);
/* The level of the lowest node that covers these rows. */
unsigned plain_join(const plain_table *plain, unsigned a, const size_t *rows, size_t n);

/* Whether a row is one of those that a tuple of the problem's base stands for. */
bool plain_is_of_tuple(const test_problem *made, size_t tuple, size_t row);

/* Whether all rows of the table are a group that keeps k and the models. */
bool plain_whole_passes(const plain_privacy *models);

/* Fails the test unless the answer is a local recoding of the table: every row in one region, or
 * left out, those within the limit; a region shows the lowest nodes that cover its rows; no two
 * show the same; each keeps k and the models. */
void expect_local_is_right(const test_problem *made, const plain_privacy *models, uint64_t limit,
                           const kan_answer *answer);

/* How many of its regions could be divided in one attribute, into the nodes below the one shown, so
 * that all parts keep the promise. */
size_t plain_local_divisible(const test_problem *made, const plain_privacy *models,
                             const kan_answer *answer);

/* Of a table of at most PLAIN_LOCAL_ROWS rows: whether there is such a recoding at all, by looking
 * at every way to put its rows into classes. */
bool plain_local_exists(const plain_privacy *models, uint64_t limit);
/* Whether leaving out at most `limit` rows lets the others keep the promise as one group. */
bool plain_rest_exists(const plain_privacy *models, uint64_t limit);

/* Exact for one sensitive column and strict alpha on one value, or on several together: the fewest
 * rows that must be left out so that the others are a group that passes; SIZE_MAX: none will do. */
size_t plain_fewest_out(const plain_privacy *models);
/* Whether that is what is asked for. */
bool plain_is_single_alpha(const plain_privacy *models);

#endif
