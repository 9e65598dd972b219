/* Special uniques: the smallest sets of columns that tell a row from all others, and the scores of
 * SUDA.
 *
 * A set of columns makes a row unique when no other row shows the same in all of them. It is
 * minimal (a minimal sample unique) when no part of it does. Whoever knows these few values of a
 * person finds her row. A row that is unique by few columns is more likely unique in the population
 * than one that needs them all (Elliot, Manning and Ford 2002).
 *
 * Score (Elliot, Manning, Mayes, Gurd and Bane 2005): a minimal set of k columns, of ATT columns in
 * all, searched up to sets of M columns, counts
 *     (ATT - k) (ATT - k - 1) ... (ATT - M),
 * where M is at most ATT - 1, and 1 where nothing is left to multiply; the score of a row is the
 * sum over its sets. M scales all scores alike. With M = ATT - 1 it is (ATT - k)!, as in sdcMicro
 * and ARX; with a smaller M ARX leaves out the last factor. sdcMicro's older scores weigh otherwise.
 *
 * DIS (Skinner and Elliot 2002): of the rows that are unique, U, and those in groups of two, P, of
 * a table that is the share f of a population: U f / (U f + P (1 - f)) estimates how likely a
 * unique match is the right person. DIS-SUDA (Elliot 2004) spreads it over rows by their scores S,
 * as sdcMicro and ARX do: 1 / (1 + (U / DIS - U) / (S^q A)), where q = 1 + (8 - ATT) / 20 and A is
 * the sum of 1 / S^q over rows with a score. That M scales scores does not change it. From 28
 * columns on q is not above 0, and it means nothing. */
#ifndef KANON_ANALYZE_RISK_SUDA_H
#define KANON_ANALYZE_RISK_SUDA_H

#include "analyze/risk/matches.h"

enum {
    KAN_SUDA_SIZE = 4,    /* columns of a set at most */
    KAN_SUDA_LISTED = 126 /* sets of a row that are listed at most: all of up to nine columns */
};

/* Up to four columns, ascending, in a byte each from the lowest on; KAN_SUDA_NONE behind the last.
 */
typedef uint32_t kan_suda_set;
enum { KAN_SUDA_NONE = 0xff };

static inline unsigned kan_suda_column(kan_suda_set set, unsigned place) {
    return set >> (8 * place) & 0xff;
}

typedef struct kan_suda_question {
    const kan_risk_tuples *tuples;
    unsigned most; /* columns of a set: 1 .. KAN_SUDA_SIZE */
    /* Hidden values match any: NULL, or what matches. */
    kan_matching *matching;
    const uint64_t *matches; /* with `matching`, of all columns; by tuple */
} kan_suda_question;

typedef struct kan_suda {
    kan_run *run;
    unsigned n_columns, most;  /* most: no more than there are columns */
    uint64_t n_sets;           /* that were looked at */
    uint32_t n_unique;         /* rows that all columns make unique */
    uint32_t *unique_of_tuple; /* the place of such a row below; UINT32_MAX: it is none */
    uint32_t *n_minimal_of[KAN_SUDA_SIZE]; /* by such a row: its minimal sets, by size less one */
    uint32_t *first_set;                   /* n_unique + 1, into `sets` */
    kan_suda_set *sets; /* by size, then by columns; KAN_SUDA_LISTED of a row at most */
    /* Over all rows, by size less one: */
    uint64_t n_minimal[KAN_SUDA_SIZE];  /* minimal sets */
    uint64_t n_rows[KAN_SUDA_SIZE];     /* rows that have one */
    uint64_t n_smallest[KAN_SUDA_SIZE]; /* rows that have one, and none smaller */
    uint64_t held_by[KAN_RISK_COLUMNS]; /* minimal sets that hold the column */
} kan_suda;

/* Sets of columns, on all threads; the answer is the same for any number of them. Time O(sets x
 * tuples that are not unique yet), with `matching` O(sets x patterns x tuples). Memory: two bits a
 * set of most - 1 columns and unique row, eight bytes a set that is listed, and a few words per
 * tuple and thread. */
KAN_MUST_USE kan_status kan_suda_find(const kan_suda_question *question, kan_suda *out);
void kan_suda_destroy(kan_suda *suda);

/* What a minimal set of so many columns counts; the numbers are 1 at least. */
uint64_t kan_suda_weight(unsigned n_columns, unsigned most, unsigned size);
uint64_t kan_suda_score(const kan_suda *suda, uint32_t unique);
/* All minimal sets of a unique row, also those that are not listed. */
uint64_t kan_suda_sets_of(const kan_suda *suda, uint32_t unique);

/* 0 where nobody is unique. */
double kan_suda_dis(uint64_t n_unique, uint64_t n_in_pairs, double fraction);
/* By unique row; 0 for one without a score. Fewer than KAN_SUDA_SPREAD columns. */
enum { KAN_SUDA_SPREAD = 28 };
void kan_suda_spread(const kan_suda *suda, double dis, double *dis_suda);

#endif
