/* Small tables in which people have several rows, and promises about them: what tests of searches
 * that count people share. The brute force knows nothing of frequency sets: it takes rows. */
#ifndef KANON_TESTS_ORACLE_PEOPLE_H
#define KANON_TESTS_ORACLE_PEOPLE_H

#include <jansson.h>

#include "support/plain.h"
#include "support/random_problem.h"

enum {
    PEOPLE_ROWS = 20,
    PEOPLE_MOST = 7,
    PEOPLE_QUASI = 3,
    PEOPLE_VALUES = 3,
    PEOPLE_LEVELS = 3,
    PEOPLE_KNOWN = 50
};

typedef struct {
    unsigned person, value, class;
    char cells[PEOPLE_QUASI][3];
} people_row;

typedef struct {
    unsigned n_rows, n_people, n_quasi;
    people_row rows[PEOPLE_ROWS];
    unsigned k, l, alpha, t; /* shares in tenths; 0: not promised */
    unsigned beta;           /* basic, in tenths */
    unsigned delta;          /* a whole number */
    /* Of the whole table: the average risk in tenths, the share at risk in tenths of people in groups of
     * fewer than `below`; 0: not promised, but a share of 0 with `below` is. */
    unsigned average, at_risk, below;
    /* Of a population, who has any rows; 0 rows: there is none. Presence in tenths; `high` of 0: not promised. */
    unsigned n_known;
    people_row known[PEOPLE_KNOWN];
    unsigned k_map, low, high;
    char l_kind; /* distinct, entropy, recursive with c = 2 */
    bool by_person, histories, has_class;
    unsigned limit;
    const char *cost;
    bool of_people; /* costs count people */
} people_question;

typedef struct {
    unsigned n_rows, people, have[PEOPLE_VALUES]; /* people as bits */
    unsigned of_class[2];
    unsigned known; /* of the population, as bits */
} people_group;

static inline unsigned people_count(unsigned bits) {
    return (unsigned)__builtin_popcount(bits);
}

/* Whether two rows show the same at these levels. */
bool people_show_alike(const people_question *q, const unsigned *levels, const people_row *a,
                       const people_row *b);
/* The group of a row, of the rows that `is_in` has; without levels all of them. */
people_group people_find_group(const people_question *q, const unsigned *levels, const bool *is_in,
                               unsigned row);
/* Whether a group keeps the promise; of histories, the rows of those who share one. */
bool people_pass(const people_question *q, const people_group *group);
/* Whether a group that passes does so with any other one in it, whatever is promised of all. */
bool people_absorb(const people_question *q);
/* Whether something is promised of the whole table; then whether these people keep it, each of whom has
 * a group of so many people as her smallest: 0, she is not there. */
bool people_promise_all(const people_question *q);
bool people_keep_all(const people_question *q, const unsigned *smallest);
/* Whether no more general release may break it. */
bool people_survive(const people_question *q);

/* The rows of a set of people. */
void people_take(const people_question *q, unsigned people, bool *is_in);
/* The people of a set who have rows in groups that fail, or have fewer than `least` people, without
 * all others. */
unsigned people_find_failing(const people_question *q, const unsigned *levels, unsigned people,
                             unsigned least);
/* What a row weighs where costs count people. */
double people_weight(const people_question *q, unsigned row);
/* The people of whom a row is not there. */
unsigned people_left(const people_question *q, const bool *is_in);
/* Whether two people have the same history. */
bool people_are_alike(const people_question *q, const unsigned *levels, unsigned a, unsigned b);

/* Columns: row, who, dx, class, and the quasi-identifiers, with a level for each character. */
kan_table *people_make_table(kan_run *run, const people_question *q);
kan_job *people_make_job(kan_run *run, const people_question *q, kan_table *table);
json_t *people_read_result(const kan_result *result);

/* Every group of a release, by its own cells, has the people it should; who is left out is within the
 * limit, and by person has no row there. `told`: what the cost says, which is measured again where it is
 * discernibility, and by people where groups, or values with stars, tell. */
void people_expect_release(const people_question *q, const kan_table *table, double told);

void people_random_question(uint64_t *random, people_question *q);
/* Adds a population that holds the table, under other numbers or the same, and promises about it, or none. */
void people_random_known(uint64_t *random, people_question *q);
/* Adds promises of the whole table, or none. */
void people_random_whole(uint64_t *random, people_question *q);

#endif
