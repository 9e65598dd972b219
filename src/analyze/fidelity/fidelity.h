/* The door of analyze/fidelity: what a release still says of the table that it was made from, without
 * a workload: column by column, pair by pair, and as a whole. May touch core, data, analyze/tuples,
 * analyze/workload and analyze/fit.
 *
 * Order of calls: kan_fidelity_create reads what the released values stand for, kan_fidelity_weigh
 * says how much each row counts, then what is to be measured.
 *
 * What a released value stands for is told by analyze/workload/workload_cells.h, and nothing here
 * knows more than that. Three ways to take a coarser one:
 *
 *   even     each of the values and units that it stands for is as likely as any other
 *   shares   each of the values that it stands for is as likely as it is in the original
 *   middle   a number: the middle between the least and the greatest number that it stands for,
 *            which is what an analyst takes; what is hidden (*) is missing then
 *
 * Missing values ("" and "?") are one value. Two spellings of a number or a date are one.
 *
 * Everything here compares with the original: it is for those who may see that. Sums are made in the
 * order of values or of rows, whatever the number of threads, of plain operations and square roots,
 * which are the same on every machine: so are the figures, to the last digit. */
#ifndef KANON_ANALYZE_FIDELITY_FIDELITY_H
#define KANON_ANALYZE_FIDELITY_FIDELITY_H

#include "data/hierarchies/hierarchies.h"
#include "data/table.h"

/* A column that both tables have. */
typedef struct kan_fidelity_column {
    const kan_column *original, *released; /* encoded */
    const kan_hierarchy *hierarchy;        /* bound to the original; NULL: none is known */
    bool shows_middles; /* means, medians or modes, which are told from values by this alone */
} kan_fidelity_column;

typedef struct kan_fidelity_question {
    const kan_fidelity_column *columns;
    size_t n_columns;
    uint64_t n_original, n_released; /* rows, not 0 */
    const char *release_name;        /* for messages */
    /* By row of the release: the row of the original that it was made from, each at most once; NULL:
     * nobody knows, and the order of the rows is looked at. */
    const uint64_t *row_of;
} kan_fidelity_question;

/* How much the rows of a table count, in whole units. */
typedef struct kan_fidelity_weights {
    const kan_column *column; /* of the weights; NULL: each row counts one */
    const uint64_t *units;    /* by code of that column; borrowed */
} kan_fidelity_weights;

static inline uint64_t kan_fidelity_units(const kan_fidelity_weights *weights, uint64_t row) {
    return weights->column ? weights->units[kan_column_code(weights->column, row)] : 1;
}

/* ---- a column by itself --------------------------------------------------------------------- */

/* How far two distributions over the same values are apart, from 0 (the same) to 1. With p the
 * original's shares and q the release's: half the sum of |p - q|, and the root of half the sum of
 * (sqrt(p) - sqrt(q))^2. */
typedef struct kan_distribution_distance {
    double variation, hellinger;
} kan_distribution_distance;

enum { KAN_QUANTILES = 7 };
/* In thousandths: 0 is the least, 1000 the greatest. */
extern const unsigned kan_quantiles[KAN_QUANTILES];

/* What an analyst computes of a column of numbers. A quantile is the least number that so much of the
 * weight does not exceed. The variance is the weighted mean of (x - mean)^2 times n / (n - 1), of n
 * rows with a number. */
typedef struct kan_number_summary {
    double known;       /* share that is a number, neither missing nor hidden */
    bool has_mean;      /* a row has a number */
    bool has_deviation; /* two have */
    double mean, deviation;
    double quantiles[KAN_QUANTILES];
} kan_number_summary;

typedef struct kan_column_fidelity {
    double exact, coarser, hidden; /* shares of the released cells */
    kan_distribution_distance even, by_shares;
    kan_number_summary original, released; /* of a column of numbers */
} kan_column_fidelity;

/* ---- two columns ---------------------------------------------------------------------------- */

/* A figure of the original and of the release. */
typedef struct kan_before_after {
    bool has_before, has_after; /* it is defined */
    double before, after;
} kan_before_after;

/* Columns are cut into classes, the same for both tables. Text: its values; where there are more than
 * KAN_MOST_CLASSES, the most frequent ones of the original, and all others as the last class. Numbers
 * and dates: their values, and where there are more the tenths of the original, values of one number
 * together; what lies between two classes belongs to the lower one. Missing values are a class. A
 * released row counts in each class by the share of the values and units that its cell stands for,
 * spread evenly, and in two columns by the product of both shares. */
enum { KAN_MOST_CLASSES = 20, KAN_TENTHS = 10 };

typedef struct kan_pair_fidelity {
    size_t a, b;             /* columns, a < b */
    double variation;        /* total variation distance of the two contingency tables */
    kan_before_after v;      /* Cramer's V of these; there is none where a column has one class */
    size_t class_a, class_b; /* where the tables differ most, and the shares of rows there */
    kan_before_after share;
    /* Of two columns of numbers or dates, over rows that have both, by middles: */
    kan_before_after correlation,
        rank_correlation;        /* Pearson's; Spearman's, ties by their middle rank */
    kan_before_after covariance; /* with n / (n - 1), of n rows */
} kan_pair_fidelity;

/* Of pairs in their order: where that of a and b is, a < b. */
static inline size_t kan_pair_at(size_t n_columns, size_t a, size_t b) {
    return a * n_columns - a * (a + 1) / 2 + b - a - 1;
}

static inline size_t kan_pairs_of(size_t n_columns) {
    return n_columns < 2 ? 0 : n_columns * (n_columns - 1) / 2;
}

/* ---- all numbers together ------------------------------------------------------------------- */

typedef enum kan_absence {
    KAN_ABSENT_NOT,
    KAN_ABSENT_NUMBERS,  /* too few columns of numbers that vary */
    KAN_ABSENT_ROWS,     /* nobody knows which row is which */
    KAN_ABSENT_HIDDEN,   /* no cell has a number before and after */
    KAN_ABSENT_TIED,     /* a column of the original follows from the others */
    KAN_ABSENT_WIDE,     /* more parameters than a model may have */
    KAN_ABSENT_UNSETTLED /* the model did not converge */
} kan_absence;

/* Of the columns of numbers that vary in the original, by middles. With S the standard deviation of a
 * column of the original:
 *
 *   il1s    the mean of |x - y| / (sqrt(2) S) over all cells of the original; a cell that is missing
 *           or hidden adds nothing
 *   eigen   the sum of |e - d| / e, of e the eigenvalues of the original's correlations, d those of
 *           the release's, both from the greatest on. A correlation is the covariance over the rows
 *           that have both, by the standard deviations of all rows. Columns that vary in both. */
typedef struct kan_numbers_fidelity {
    size_t n_il1s, n_eigen; /* columns */
    kan_absence no_il1s, no_eigen;
    double il1s, eigen;
    double compared; /* share of the cells of these columns that il1s has both numbers of */
} kan_numbers_fidelity;

/* ---- both tables together ------------------------------------------------------------------- */

enum { KAN_PROPENSITY_BINS = 40 };

/* A logistic model guesses of each row of both tables whether it was released: N rows, c of them
 * released. pMSE is the mean of (guess - c)^2, 0 where the model cannot tell the two apart; an
 * independent draw of as many rows from the same distribution would give (p - 1) (1 - c)^2 c / N, p the
 * number of parameters with the constant.
 *
 * Numbers and dates enter as middles; a missing one is told by a parameter of its own, and a hidden one
 * is where the shown ones are on average, or in the middle of all where none is shown. Text enters by
 * its class; what it covers is spread evenly over the classes, as rows with shares. With weights the
 * rows of each table count one on average. */
typedef struct kan_propensity {
    kan_absence absent;
    size_t n_parameters, n_separated; /* p; those among them that grow without end */
    double rows, released_share;      /* N, c */
    double pmse, expected, ratio;     /* ratio: 0 where nothing is expected */
    double least, greatest;           /* guess; of each table the shares of rows between them */
    double original[KAN_PROPENSITY_BINS], released[KAN_PROPENSITY_BINS];
} kan_propensity;

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct kan_fidelity kan_fidelity;

/* The question and all that it points to is borrowed. A released value that cannot be read is
 * KAN_BAD_INPUT: all columns are told. O(cells of the table, and original values * levels). */
KAN_MUST_USE kan_status kan_fidelity_create(kan_run *run, const kan_fidelity_question *question,
                                            kan_fidelity **out);
void kan_fidelity_destroy(kan_fidelity *fidelity);

/* Whether row i of the release can be row i of the original for all i: there are as many, and each
 * cell covers that of the row. A mean must lie between the least and the greatest number of those rows
 * that show it, a mode must be the value of one of them. */
bool kan_fidelity_keeps_rows(const kan_fidelity *fidelity);

/* Counts what each value has. O(cells of both tables). */
KAN_MUST_USE kan_status kan_fidelity_weigh(kan_fidelity *fidelity,
                                           const kan_fidelity_weights *original,
                                           const kan_fidelity_weights *released);

/* out[0 .. n_columns - 1]; after kan_fidelity_weigh. */
KAN_MUST_USE kan_status kan_fidelity_measure_columns(kan_fidelity *fidelity,
                                                     kan_column_fidelity *out);

/* out[0 .. kan_pairs_of(n_columns) - 1], first all pairs of the first column; after
 * kan_fidelity_weigh. O(pairs * rows * classes of a cell). */
KAN_MUST_USE kan_status kan_fidelity_measure_pairs(kan_fidelity *fidelity, kan_pair_fidelity *out);

/* `columns` and `pairs` are what was measured. O(cells of numbers, and columns of numbers ^ 3). */
KAN_MUST_USE kan_status kan_fidelity_measure_numbers(const kan_fidelity *fidelity,
                                                     const kan_column_fidelity *columns,
                                                     const kan_pair_fidelity *pairs,
                                                     kan_numbers_fidelity *out);

/* After kan_fidelity_measure_pairs. A released row whose texts cover more than 64 combinations of classes
 * (fewer where the release has more than 8,192 rows, at least 2) is so many rows that a fixed sequence
 * draws evenly. O(rows * columns ^ 2 + parameters ^ 3), for each step of the model. */
KAN_MUST_USE kan_status kan_fidelity_measure_propensity(const kan_fidelity *fidelity,
                                                        kan_propensity *out);

/* Shares of rows by class, before and after, spread evenly: into room for KAN_MOST_CLASSES each. How many
 * there are. After kan_fidelity_measure_pairs. */
size_t kan_fidelity_class_shares(const kan_fidelity *fidelity, size_t column, double *before,
                                 double *after);

/* What a class of a column is called: a value, "17 to 24", "missing", "3 others". */
void kan_fidelity_add_class(const kan_fidelity *fidelity, size_t column, size_t which,
                            kan_text *text);

/* ---- for models of the rows (fidelity_cells.c) ----------------------------------------------- */

/* The rows of a table, and how much each of them counts. */
typedef struct kan_fidelity_rows {
    uint64_t n;
    kan_fidelity_weights weights;
    double one; /* units of a person */
} kan_fidelity_rows;

typedef enum kan_showing { KAN_SHOWS_EXACT, KAN_SHOWS_COARSER, KAN_SHOWS_HIDDEN } kan_showing;

/* What a value of the release shows, by its code; whether some value of the column is coarser, and
 * whether some is not hidden. */
kan_showing kan_fidelity_shows(const kan_fidelity *fidelity, size_t column, uint32_t cell);
bool kan_fidelity_has_coarser(const kan_fidelity *fidelity, size_t column);
bool kan_fidelity_shows_any(const kan_fidelity *fidelity, size_t column);
/* The number or the day that a value of an original column is; NaN: text, or missing. */
double kan_fidelity_number(const kan_column *original, uint32_t code);
/* The squares of numbers keep their digits from the inverse of this up to it. A problem where some number
 * of an original column is beyond, other than 0. */
#define KAN_FIDELITY_MOST 1e60
void kan_fidelity_check_numbers(kan_run *run, const kan_column *original);
/* NaN: text, missing or hidden. */
double kan_fidelity_middle(const kan_fidelity *fidelity, size_t column, uint32_t cell);
/* The value of the original that an exact cell shows; of several spellings the first. */
uint32_t kan_fidelity_value_of(const kan_fidelity *fidelity, size_t column, uint32_t cell);

/* The values of the original that each cell may stand for: those of cell c are codes[first[c] .. first[c + 1] - 1].
 * The caller frees both. */
KAN_MUST_USE kan_status kan_fidelity_list_values(const kan_fidelity *fidelity, size_t column,
                                                 uint32_t **codes, uint64_t **first);

/* By code of the original: one of the released values that may stand for it; KAN_NO_CELL: none does. With `rows`, by
 * released value, the one that most of its rows show, if each of the values that it stands for is as likely as any
 * other; without, the one that stands for the fewest, and is not hidden if there is another. They are disjoint
 * where no two that are not hidden stand for the same. */
#define KAN_NO_CELL UINT32_MAX
KAN_MUST_USE kan_status kan_fidelity_find_cells(const kan_fidelity *fidelity, size_t column,
                                                const uint64_t *rows, uint32_t *cells,
                                                bool *are_disjoint);

#endif
