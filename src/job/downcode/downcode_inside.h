/* The inside of job/downcode: the job that is run again (downcode_job.c), tables that are tried
 * (downcode_probe.c), which values a label leaves open (downcode_labels.c), what is counted
 * (downcode_cells.c, downcode_tables.c, downcode_records.c), and how it is told (downcode_result.c). */
#ifndef KANON_JOB_DOWNCODE_DOWNCODE_INSIDE_H
#define KANON_JOB_DOWNCODE_DOWNCODE_INSIDE_H

#include "job/downcode/downcode.h"
#include "job/input/input.h"
#include "job/setup/setup.h"

enum { KAN_MOST_EXPOSED = 20 };

/* What rows of a release show, as texts in an order of their own: two releases are the same where these
 * are. */
typedef struct kan_downcode_shown {
    kan_text bytes;
    size_t n, *start; /* of each row; n + 1 of them */
    size_t *order;    /* rows by their text */
} kan_downcode_shown;

/* A quasi-identifier: the values that may stand in it, and which of them a label leaves open. */
typedef struct kan_downcode_column {
    size_t at; /* its column of the tables */
    const char *name;
    kan_table *domain; /* its one column has each value once */
    uint32_t n_values;
    const char **texts;        /* of the values */
    uint32_t n_labels;         /* of the release, and * behind them */
    uint32_t *start, *covered; /* values of label l: covered[start[l] .. start[l + 1]) */
    uint32_t *label_of_row;    /* n_labels: the row is left out, and may have any */
} kan_downcode_column;

/* Things of which each has a true value and others in whose place the job is run: cells, or whose record
 * is whose. */
typedef struct kan_downcode_count {
    bool is_wanted, is_all; /* every one was looked at, with each of its values */
    uint64_t n;             /* how many there are */
    uint64_t n_tried;       /* of which so many were looked at, each with some of its values */
    uint64_t n_partly;      /* of these: with a sample of its values */
    uint64_t n_determined;  /* of these: no other value that was tried makes the release */
    uint64_t n_probes, n_refused; /* refused: the job made no release at all */
    double open;                  /* values that labels leave open, on average over all n */
    double sum_left,
        sum_open; /* values that remain and that are open, of those that were looked at */
    double sum_left_squares, sum_open_squares, sum_products; /* of the two */
    double sum_bits_open, sum_bits_left;                     /* of the same */
    uint64_t exposed_row[KAN_MOST_EXPOSED]; /* the first that are determined, and wholly tried */
    size_t exposed_column[KAN_MOST_EXPOSED], n_exposed;
} kan_downcode_count;

/* All hidden cells at once. */
typedef struct kan_downcode_tables {
    bool is_counted;  /* all tables that labels allow were tried */
    double bits_open; /* the logarithm to base 2 of their number */
    uint64_t n_tried, n_same, n_refused;
} kan_downcode_tables;

struct kan_downcode {
    kan_job *job;  /* `attack` */
    kan_job *made; /* that made the release */
    kan_run *run;
    kan_input original, release;
    const kan_table *table;
    size_t
        n_columns; /* of the tables that are tried: those of the original, and the number of the row */
    const char **names;
    const char **cells; /* [column * n_rows + row], changed for each try */
    uint64_t n_rows;
    kan_arena arena;
    unsigned n_quasi;
    const char **files; /* of hierarchies, by quasi-identifier; NULL: the job names none */
    kan_downcode_column *columns;
    size_t n_sensitive, *sensitive; /* columns of the tables */
    uint32_t *group_of_row; /* rows that show the same quasi-identifiers; UINT32_MAX: left out */
    kan_table *reference;   /* what the job makes of the original */
    size_t *shown;          /* 0, 1, 2 ...: its columns, the number of the row last */
    kan_downcode_shown as_rows, as_set; /* with the numbers of rows, and without */
    uint64_t seed; /* of what is drawn here; that of the run is the job's meanwhile */
    uint64_t most_probes;
    bool has_no_limit;
    uint64_t n_made; /* anonymizations so far */
    bool is_interrupted;
    kan_downcode_count of_cells, of_records;
    kan_downcode_tables of_tables;
    double start_ms;
};

static inline const char **kan_downcode_cell(const kan_downcode *d, size_t column, uint64_t row) {
    return &d->cells[column * d->n_rows + row];
}

/* ---- downcode_job.c --------------------------------------------------------------------------- */

/* KAN_BAD_INPUT, with the reason, where the job cannot be run again. Makes d->made. */
KAN_MUST_USE kan_status kan_downcode_take_job(kan_downcode *d);
/* The settings of d->made that decide what a release shows; the caller's. */
KAN_MUST_USE kan_status kan_downcode_job(const kan_downcode *d, kan_job **out);

/* ---- downcode_probe.c ------------------------------------------------------------------------- */

/* The release of the table in d->cells; the caller's. *out is NULL where the job makes none. KAN_CANCELLED:
 * somebody interrupted. */
KAN_MUST_USE kan_status kan_downcode_make(kan_downcode *d, kan_table **out);
/* What these columns of a release show. */
KAN_MUST_USE kan_status kan_downcode_show(const kan_table *release, const size_t *columns,
                                          size_t n_columns, kan_downcode_shown *out);
bool kan_downcode_shows_same(const kan_downcode_shown *a, const kan_downcode_shown *b);
void kan_downcode_shown_destroy(kan_run *run, kan_downcode_shown *shown);
/* Whether the table in d->cells makes the same release: row by row, or as a set of rows. */
KAN_MUST_USE kan_status kan_downcode_is_same(kan_downcode *d, bool by_row, bool *is_same,
                                             bool *is_refused);

/* ---- downcode_labels.c ------------------------------------------------------------------------ */

/* Finds the files of hierarchies that the job names, whether its search looks at them or not: before they are
 * bound. */
KAN_MUST_USE kan_status kan_downcode_find_files(kan_downcode *d, const kan_setup *setup);
/* The values of each quasi-identifier, and which of them each label of d->reference leaves open. */
KAN_MUST_USE kan_status kan_downcode_read_labels(kan_downcode *d, const kan_setup *setup);
void kan_downcode_forget_labels(kan_downcode *d);
/* How many values the label of a row leaves open, and the i-th of them. */
static inline uint32_t kan_downcode_open_values(const kan_downcode_column *column, uint64_t row) {
    const uint32_t label = column->label_of_row[row];
    return column->start[label + 1] - column->start[label];
}
static inline const char *kan_downcode_value(const kan_downcode_column *column, uint64_t row,
                                             uint32_t i) {
    return column->texts[column->covered[column->start[column->label_of_row[row]] + i]];
}

/* ---- downcode_count.c ------------------------------------------------------------------------- */

/* A thing with a true value: how many others may stand in its place, and doing so and undoing it. */
typedef struct kan_downcode_unit {
    uint64_t row;
    size_t at; /* of cells: quasi-identifier */
    uint64_t n_others;
} kan_downcode_unit;

typedef struct kan_downcode_source {
    kan_downcode *d;
    uint64_t n; /* units */
    /* The i-th of them. */
    kan_downcode_unit (*unit)(void *context, uint64_t i);
    /* Puts the j-th other in its place; called again, with is_back, it takes it back. */
    void (*put)(void *context, const kan_downcode_unit *unit, uint64_t j, bool is_back);
    void *context;
    bool by_row;
    const char *stage;
} kan_downcode_source;

/* Units are drawn at random where there are more than the probes reach; so are others of a unit that has
 * more than a few. */
KAN_MUST_USE kan_status kan_downcode_count_units(const kan_downcode_source *source, uint64_t seed,
                                                 kan_downcode_count *out);

KAN_MUST_USE kan_status kan_downcode_count_cells(kan_downcode *d);
KAN_MUST_USE kan_status kan_downcode_count_records(kan_downcode *d);
KAN_MUST_USE kan_status kan_downcode_count_tables(kan_downcode *d);

#endif
