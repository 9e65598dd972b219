/* The inside of the command `risk`: reading and measuring (walk_risk.c), columns and tables
 * (risk_tables.c), rows by themselves (risk_special.c), weights and households (risk_individual.c),
 * what numbers tell of those before (risk_near.c), the file of rows (risk_rows.c), JSON
 * (risk_result.c) and text (risk_summary.c, risk_page.c). */
#ifndef KANON_JOB_RISK_RISK_INSIDE_H
#define KANON_JOB_RISK_RISK_INSIDE_H

#include "analyze/risk/risk.h"
#include "io/sink.h"
#include "job/risk/risk_result.h"
#include "job/verify/verify.h"

/* The tables: the one that is asked about, the one it was made from, and everybody. */
typedef enum kan_risk_table {
    KAN_RISK_TABLE,
    KAN_RISK_ORIGINAL,
    KAN_RISK_POPULATION,
    KAN_RISK_TABLES
} kan_risk_table;

/* What was measured of a table, the one asked about or the original. */
typedef struct kan_risk_measures {
    kan_group_sizes sizes;
    kan_risk risk;
    bool has_kmap, has_estimates, has_sensitive;
    kan_people_near near;   /* where people are counted, and what is below */
    kan_group_sizes crowds; /* a size for each person: people of her smallest group */
    kan_risk person;
    kan_kmap kmap;
    kan_estimates estimates;
    kan_sensitive_risks sensitive;
} kan_risk_measures;

/* What was measured of its rows by themselves. */
typedef struct kan_risk_special {
    kan_risk_tuples tuples;
    kan_matching *matching; /* hidden values match any; NULL: they are values like others */
    uint64_t *matches;      /* by tuple; the same */
    bool has_crowds, has_suda, has_dis;
    kan_crowds crowds;
    kan_suda suda;
    double dis;
    uint64_t *people;    /* as in kan_kmap_question; NULL: nobody asks, or there is no population */
    uint64_t *people_at; /* by row: its place in `people` */
    double *stands_for;  /* by tuple: the sum of weights of its rows, or of those that it matches;
                            NULL: no weights */
    double population;   /* the sum of all weights */
    bool has_individual;
    kan_individual_risks individual;
} kan_risk_special;

typedef struct kan_risk_walk {
    kan_job *job;
    kan_run *run;
    bool has[KAN_RISK_TABLES];
    kan_verify_side sides[KAN_RISK_TABLES];
    kan_roles roles;
    size_t role_table[KAN_RISK_TABLES]; /* which of its tables each of these is */
    size_t n_quasi;
    size_t *quasi[KAN_RISK_TABLES]; /* columns, as the user named them */
    const char **specs;             /* hierarchy of each as the user wrote it, or NULL */
    kan_hierarchy **hierarchies;    /* of each, bound to the population, or NULL */
    size_t n_means;
    size_t *groups_by; /* columns of the table: quasi-identifiers, then columns of means */
    size_t n_sensitive;
    const char *person;       /* the column that identifies the person; NULL: rows are counted */
    kan_risk_figures figures; /* told of each; in the job's arena */
    uint64_t threshold;
    double n_people;               /* of whom the table is a sample; 0: not known */
    kan_risk_measures measures[2]; /* of the table, of the original */
    bool matches_missing;          /* --missing-matches */
    bool wants_sets;               /* of columns that make rows of the table unique */
    bool wants_individual;         /* weights, households, a tolerated risk */
    unsigned most_columns;         /* of such a set */
    kan_risk_special special[2];   /* as measures */
    bool has_near;
    kan_near near;                    /* --near */
    size_t near_of[KAN_NEAR_COLUMNS]; /* which quasi-identifier each of its columns is */
    double start_ms, read_ms, measure_ms;
} kan_risk_walk;

/* ---- risk_tables.c -------------------------------------------------------------------------- */

/* Opens the tables, finds the columns in them, reads these, and binds hierarchies to the
 * population. */
KAN_MUST_USE kan_status kan_risk_read(kan_risk_walk *w);
/* Whatever reading has made. */
void kan_risk_close(kan_risk_walk *w);

/* ---- risk_people.c -------------------------------------------------------------------------- */

/* KAN_BAD_INPUT where a table lacks the column of --person, which is found. */
KAN_MUST_USE kan_status kan_risk_find_person(kan_risk_walk *w);
/* Who has each row of a table; the caller's. NULL where rows are counted. */
KAN_MUST_USE kan_status kan_risk_person_of(const kan_risk_walk *w, kan_risk_table table,
                                           uint32_t **out);
/* Measures people of a table, where they are counted. */
KAN_MUST_USE kan_status kan_risk_measure_people(kan_risk_walk *w, kan_risk_table table);
void kan_risk_people_destroy(kan_risk_measures *m);
/* By row of the table that is asked about: the least of `by_row` over all rows of its person; the
 * caller's. */
KAN_MUST_USE kan_status kan_risk_least_of_person(const kan_risk_walk *w, const uint64_t *by_row,
                                                 uint64_t **out);

/* ---- risk_special.c, risk_rows.c ------------------------------------------------------------- */

/* Once the columns are known: what is wanted of single rows. */
KAN_MUST_USE kan_status kan_risk_special_begin(kan_risk_walk *w);
/* After everything else was measured of the table. */
KAN_MUST_USE kan_status kan_risk_special_measure(kan_risk_walk *w, kan_risk_table table);
void kan_risk_special_destroy(kan_risk_walk *w);
/* JSON null where no sets were looked for. */
json_t *kan_json_special(const kan_risk_walk *w);
void kan_risk_special_summary(const kan_risk_walk *w, kan_text *text);

/* KAN_BAD_INPUT where the file of --rows cannot be written: before and after the table is read. */
KAN_MUST_USE kan_status kan_risk_rows_check(const kan_risk_walk *w);
KAN_MUST_USE kan_status kan_risk_rows_begin(const kan_risk_walk *w);
/* Writes the file, and leaves it to be committed; *out stays where none is wanted. */
KAN_MUST_USE kan_status kan_risk_rows_write(const kan_risk_walk *w, kan_sink **out);
/* Once it has its name. */
void kan_risk_rows_note(const kan_risk_walk *w);

/* ---- risk_individual.c ------------------------------------------------------------------------ */

bool kan_risk_wants_individual(const kan_risk_walk *w);
/* Whether weights are summed: those that a job file names for a promise may be left out of the release. */
bool kan_risk_has_weights(const kan_risk_walk *w);
/* Whether a table has to have the column of the weights: somebody asks for it here. */
bool kan_risk_needs_weights(const kan_job *job);
/* Once the tuples are known, and their matches; KAN_BAD_INPUT where a weight is none. */
KAN_MUST_USE kan_status kan_risk_individual_measure(kan_risk_walk *w, kan_risk_table table);
void kan_risk_individual_destroy(kan_run *run, kan_risk_special *special);
/* Of a row of the table that is asked about. */
uint32_t kan_risk_household_of(const kan_risk_walk *w, uint64_t row);
json_t *kan_json_individual(const kan_risk_side *side);

/* ---- risk_near.c ------------------------------------------------------------------------------ */

/* Before tables are read: columns that say whether rows are in the same order will be. KAN_BAD_INPUT
 * without an original. */
KAN_MUST_USE kan_status kan_risk_near_begin(kan_risk_walk *w);
/* KAN_BAD_INPUT where rows are not in the same order, or no numbers are shown. */
KAN_MUST_USE kan_status kan_risk_near_measure(kan_risk_walk *w);
/* JSON null where nobody asked. */
json_t *kan_json_near(const kan_risk_walk *w);
void kan_risk_near_summary(const kan_risk_walk *w, kan_text *text);

/* ---- telling -------------------------------------------------------------------------------- */

/* A side for kan_json_risk; nothing is copied. */
kan_risk_side kan_risk_side_of(const kan_risk_walk *w, kan_risk_table table);
KAN_MUST_USE kan_status kan_risk_write(const kan_risk_walk *w, kan_result *out);
KAN_MUST_USE kan_status kan_risk_summary(const kan_risk_walk *w, kan_text *text);

#endif
