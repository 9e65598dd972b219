/* The cover relation of one pair of columns: which released values may stand for which original
 * ones. For src/analyze alone. */
#ifndef KANON_ANALYZE_COVER_RELATION_H
#define KANON_ANALYZE_COVER_RELATION_H

#include "analyze/cover/cover_rows.h"

/* The release does not have the label. No code is as large. */
#define KAN_NO_CODE UINT32_MAX

/* Original codes first .. end - 1. */
typedef struct kan_code_run {
    uint32_t first, end;
} kan_code_run;

typedef struct kan_relation {
    const kan_column *released, *original;
    uint32_t star;      /* code of * in the release where * covers everything; else KAN_NO_CODE */
    unsigned n_levels;  /* the value itself, then its labels */
    uint32_t *shown_as; /* n_levels for each original code: the release's codes of its labels */
    /* What is neither may be an interval or a list: by released code, and one more, where the runs
     * begin that it holds, ascending and apart from each other. NULL: nothing was read so. */
    size_t *run_start;
    kan_code_run *runs;
} kan_relation;

/* With `is_quasi` labels and * cover; without, nothing but the value itself does. */
KAN_MUST_USE kan_status kan_relation_init(kan_relation *relation, kan_run *run,
                                          const kan_cover_question *question,
                                          const kan_cover_pair *pair, bool is_quasi);
void kan_relation_destroy(kan_relation *relation, kan_run *run);

static inline bool kan_relation_covers(const kan_relation *relation, uint32_t released,
                                       uint32_t original) {
    const uint32_t *shown_as = relation->shown_as + (size_t)original * relation->n_levels;
    if (released == relation->star)
        return true;
    for (unsigned level = 0; level < relation->n_levels; level++)
        if (shown_as[level] == released)
            return true;
    if (!relation->run_start)
        return false;
    size_t low = relation->run_start[released], high = relation->run_start[released + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (original < relation->runs[middle].first)
            high = middle;
        else if (original >= relation->runs[middle].end)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/* ---- matching rows in any order ------------------------------------------------------------- */

/* Matches the rows as multisets; relations are those of the quasi-identifiers, then those of the
 * others. Fills in holds, n_unmatched, first_unmatched and n_not_released. */
KAN_MUST_USE kan_status kan_cover_match(kan_run *run, const kan_cover_question *question,
                                        const kan_relation *relations, kan_cover *out);

/* ---- people of a population -------------------------------------------------------------------- */

/* How many people of a population match each group of a release: each of their quasi-identifiers is
 * covered by what the group shows, as in kan_cover_question. */

/* A quasi-identifier in both tables. */
typedef struct kan_match_pair {
    size_t released, population;    /* columns */
    const kan_hierarchy *hierarchy; /* bound to the population's column; NULL: none is known */
} kan_match_pair;

typedef struct kan_match_question {
    const kan_table *release, *population; /* sealed; the columns are encoded */
    const kan_match_pair *quasi;
    size_t n_quasi;
    /* By row of the population: a number of the person who has it, who counts once for a group
     * whichever of her rows match it. NULL: each row is somebody else. */
    const uint32_t *person_of;
} kan_match_question;

/* The groups, in the order in which the release shows them first. */
typedef struct kan_matched {
    kan_run *run;
    size_t n;
    uint64_t *rows;           /* of each group */
    uint64_t *people;         /* that match it */
    uint64_t n_people;        /* of the whole population */
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
