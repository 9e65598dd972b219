/* Risk: how likely is it that somebody in a table is recognised, and what would be learned then?
 *
 *   kan_group_sizes_count    the groups of a table as a histogram: size -> number of groups
 *   kan_risk_measure   what these sizes say of recognising people: prosecutor and marketer
 *   kan_kmap_measure   the same against a table of the population: journalist, k-map
 *   kan_estimate_make  how many people of the population are unique, by models (analyze/models/uniques.h)
 *   kan_risk_sensitive what groups tell of sensitive values (risk_sensitive.h)
 *
 * A group is a set of rows that show the same in every quasi-identifier. So are those that show *
 * in all of them: whoever knows that somebody is in the table, and finds her nowhere else, finds
 * her there. Rows that show nothing but *, in every column, are set aside by the caller (blank.h)
 * and counted apart. All that is below speaks of the other rows. */
#ifndef KANON_ANALYZE_RISK_RISK_GROUPS_H
#define KANON_ANALYZE_RISK_RISK_GROUPS_H

#include "analyze/models/models.h"
#include "analyze/verify/verify.h"

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Groups the rows of a sealed table by encoded columns. O(rows * columns); memory for the distinct
 * tuples. n_suppressed is for the caller to say. With person_of, by row, sizes are numbers of
 * different people. */
KAN_MUST_USE kan_status kan_group_sizes_count(kan_run *run, const kan_table *table,
                                              const size_t *columns, size_t n_columns,
                                              const uint32_t *person_of, kan_group_sizes *out);
/* The same of sizes that are known already: sizes[0 .. n-1], in any order, none 0. */
KAN_MUST_USE kan_status kan_group_sizes_make(kan_run *run, const uint64_t *sizes, size_t n,
                                             uint64_t n_suppressed, kan_group_sizes *out);
void kan_group_sizes_destroy(kan_group_sizes *sizes);

/* ---- risk of a table ------------------------------------------------------------------------ */

/* Plain numbers; nothing to destroy. Shares are of n_rows, and 0 without any. */
typedef struct kan_risk {
    uint64_t n_rows, n_groups;  /* without suppressed rows */
    uint64_t n_suppressed;      /* rows of nothing but * */
    uint64_t smallest, largest; /* sizes; 0 without any group */
    double mean_size;           /* rows / groups */
    uint64_t median_size;       /* size of the group that the median row (the lower one of
                                   two) is in, rows ordered by that size */
    uint64_t n_unique;          /* groups of one row: sample uniques */
    uint64_t threshold;         /* K: a row is at risk when its group has fewer than K rows,
                                   which is a risk above 1/K */
    uint64_t n_groups_at_risk, n_rows_at_risk;
    /* Prosecutor: somebody knows that a certain person is in the table, and her
     * quasi-identifiers. The risk of a row is 1 / size of its group. */
    double highest; /* 1 / smallest */
    double average; /* groups / rows */
    double share_at_risk, share_unique;
    /* Marketer: somebody links every row to a person, and is right in this share of rows as an
     * expected value, all people being in the table: groups / rows. With a population, see
     * kan_kmap. */
    double marketer;
} kan_risk;

/* threshold 0 counts as 1. */
void kan_risk_measure(const kan_group_sizes *sizes, uint64_t threshold, kan_risk *out);

/* A histogram for people: sizes in steps that grow. */
typedef struct kan_size_band {
    uint64_t least, most; /* sizes, both included */
    uint64_t n_groups, n_rows;
} kan_size_band;

enum { KAN_SIZE_BANDS = 64 };

/* Bands 1, 2, 3-4, 5-9, 10-19, 20-49, 50-99, ... from that of the smallest size up to that of the
 * largest, empty ones between them included. A band begins at the threshold, too, so that what is
 * at risk stands apart. Returns how many; at most KAN_SIZE_BANDS. */
size_t kan_size_bands(const kan_group_sizes *sizes, uint64_t threshold, kan_size_band *bands);

/* ---- against a population ------------------------------------------------------------------- */

typedef kan_match_pair kan_kmap_pair; /* a quasi-identifier in both tables: relation.h */

typedef struct kan_kmap_question {
    const kan_table *release, *population; /* sealed; the columns are encoded */
    const kan_kmap_pair *quasi;
    size_t n_quasi;
    uint64_t threshold;
    /* Who has each row, of either table: people are counted then. Both or none. */
    const uint32_t *person_of, *population_person_of;
    uint64_t *people; /* by row of the release: F, at the first row of each group; NULL: nobody
                         asks */
} kan_kmap_question;

/* Journalist: somebody has a list of the population, does not know who of them is in the release,
 * and wants to recognise anybody. People of the population match a released group when each
 * quasi-identifier covers theirs, as in kan_cover_question (verify.h). Let f be the rows of a group
 * and F the people that match it: the risk of each of its rows is 1/F. Where people are counted f is
 * the different people of the group, rows are people in their groups, and whoever of the population
 * matches a group by any of her rows is one of F. */
typedef struct kan_kmap {
    uint64_t n_people;         /* of the population */
    uint64_t n_rows, n_groups; /* of the release, suppressed rows aside */
    uint64_t k;                /* the k of the k-map: the least F; 0: a group matches nobody */
    uint64_t largest;          /* the greatest F */
    double highest;            /* 1 / k */
    double average;            /* sum of f / F over groups, by rows: what a marketer who has the
                                  population gets right, as an expected share */
    uint64_t n_rows_at_risk, n_groups_at_risk; /* F below the threshold */
    double share_at_risk;
    uint64_t n_unique;       /* groups that match one single person: 1/F is 1 */
    uint64_t n_short_groups; /* F < f: the population lacks people of the release */
    /* Groups that match nobody: the figures above do not count them, and mean nothing when there
     * are any. */
    uint64_t n_unmatched_groups, n_unmatched_rows;
    uint64_t first_unmatched; /* a row of the first such group, from 1; 0: none */
    size_t fault;             /* quasi-identifier whose value there matches nobody at all;
                                 SIZE_MAX: it is the combination */
} kan_kmap;

/* O(rows * columns) for folding both tables to distinct tuples, then a walk over pairs of prefixes
 * of released tuples and tuples of the population that match so far; memory for the tuples. */
KAN_MUST_USE kan_status kan_kmap_measure(kan_run *run, const kan_kmap_question *question,
                                         kan_kmap *out);

#endif
