/* How many people of a population match each group of a release: each of their quasi-identifiers is
 * covered by what the group shows, as in kan_cover_question (verify_release.h). */
#ifndef KANON_ANALYZE_VERIFY_MATCH_PEOPLE_H
#define KANON_ANALYZE_VERIFY_MATCH_PEOPLE_H

#include "data/hierarchy.h"
#include "data/table.h"

/* A quasi-identifier in both tables. */
typedef struct kan_match_pair {
    size_t released, population;    /* columns */
    const kan_hierarchy *hierarchy; /* bound to the population's column; NULL: none is known */
} kan_match_pair;

typedef struct kan_match_question {
    const kan_table *release, *population; /* sealed; the columns are encoded */
    const kan_match_pair *quasi;
    size_t n_quasi;
} kan_match_question;

/* The groups, in the order in which the release shows them first. */
typedef struct kan_matched {
    kan_run *run;
    size_t n;
    uint64_t *rows;           /* of each group */
    uint64_t *people;         /* that match it */
    uint64_t *first_row;      /* that shows it, from 0 */
    uint64_t first_unmatched; /* the first row, from 1, that matches nobody; 0: none */
    size_t fault;             /* quasi-identifier whose value there matches nobody at all;
                                 SIZE_MAX: it is the combination */
} kan_matched;

/* O(rows * columns) for folding both tables to distinct tuples, then a walk over pairs of prefixes
 * of released tuples and tuples of the population that match so far; memory for the tuples. */
KAN_MUST_USE kan_status kan_match_people(kan_run *run, const kan_match_question *question,
                                         kan_matched *out);
void kan_matched_destroy(kan_matched *people);

#endif
