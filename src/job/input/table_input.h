/* A table that a setting names, or the job's own table in memory. */
#ifndef KANON_JOB_INPUT_TABLE_INPUT_H
#define KANON_JOB_INPUT_TABLE_INPUT_H

#include "data/treatment.h"
#include "io/source.h"
#include "job/input/spelling_input.h"
#include "job/settings/settings.h"

/* What is shown for an end of a capped column. */
typedef struct kan_end_text {
    char bytes[68];
} kan_end_text;

typedef struct kan_input {
    kan_run *run;
    kan_source *source; /* NULL: the rows are in memory, or there is no table */
    kan_table *owned;
    bool is_file;           /* the source is what a setting names, and not in memory */
    const kan_table *table; /* once it is read; at once where the rows are in memory */
    const char *name;       /* for messages; NULL: there is no table */
    bool is_cohort;         /* rows were chosen (--where) */
    bool is_population;     /* it need not have every column that settings name */
    size_t n_columns;
    const char **columns; /* their names */
    bool *encode;         /* by column: it will be read */
    bool *as_is;          /* by column: as it is, because it will be written so (io/source.h) */
    bool *compared;       /* by column: only held against the same column of another table */
    bool takes_counts;    /* kan_input_take_counts */
    bool is_noted;        /* the note on its encoding was given */
    /* One of several tables: whose its rows are others tell, so that it is not treated when it is read,
     * but by kan_input_treat_tied. Before treatments are found. */
    bool is_tied;
    const kan_job *job;
    const kan_spellings *spellings; /* as settings say; NULL: as kanon writes */
    /* Columns that are treated, once somebody has asked for it (treatment_input.h): `table` has
     * them so, `raw` as they were read. */
    const kan_table *raw; /* once it is read; the same as `table` where nothing is treated */
    kan_table *treated;
    kan_treatment *treatments;
    size_t n_treatments;
    kan_end_text *end_texts;   /* what is shown for their ends */
    kan_field *treated_fields; /* what is known of them then */
    uint8_t *key;              /* of pseudonyms; wiped when the input is closed */
    size_t key_size;
} kan_input;

/* Opens what the setting names; `input` may also be the job's table. A setting that is not given
 * opens nothing: name is NULL then. `is_guarded`: it was written with --guard-formulas. The input
 * is initialised by this call, also when it fails: always close it. */
KAN_MUST_USE kan_status kan_input_open(const kan_job *job, const char *setting, bool is_guarded,
                                       kan_input *out);
/* Whether a table of that path is read as text in columns. */
bool kan_input_is_text(const kan_job *job, const char *path);
/* The path of the table that `input` names where that is a file of text; else NULL. */
const char *kan_input_text_path(const kan_job *job);
/* The same of a release, which may be encoded as --output-encoding says. */
KAN_MUST_USE kan_status kan_input_open_release(const kan_job *job, const char *setting,
                                               bool is_guarded, kan_input *out);
/* The same of the path of a release. */
KAN_MUST_USE kan_status kan_input_open_path(const kan_job *job, const char *path, bool is_guarded,
                                            kan_input *out);

/* The same of what has a known kind, and is read as these options say. */
KAN_MUST_USE kan_status kan_input_open_as(const kan_job *job, const char *path,
                                          const kan_source_kind *kind,
                                          const kan_source_options *options, kan_input *out);

/* Whether there is a column of that name. */
bool kan_input_find(const kan_input *input, kan_slice name, size_t *column);
/* The same, and it will be read; a problem, with the nearest name, when there is none. `flag` is
 * the setting that names it. */
bool kan_input_take(kan_input *input, const char *flag, kan_slice name, size_t *column);
/* A problem: the setting `flag` names a column that the table does not have. */
void kan_input_add_unknown(const kan_input *input, const char *flag, kan_slice name);
/* The column that somebody may have meant, or NULL. */
const char *kan_input_nearest(const kan_input *input, kan_slice name);

/* What is known of a column; NULL: text, of no known type. */
const kan_field *kan_input_field(const kan_input *input, size_t column);

/* Reads the columns of `encode`; again where it was read before. */
KAN_MUST_USE kan_status kan_input_read(kan_input *input);
/* The same of a release, or of what may be one; its values are written as those of the original,
 * which was read before (NULL, or without a table: it is not at hand). */
KAN_MUST_USE kan_status kan_input_read_release(kan_input *release, const kan_input *original);

/* Who reads it knows counted tables: rows that were counted where they are stay so. Before it is
 * read. Who does, and who does not and why, stands in docs/architecture.md, "Counted tables". */
void kan_input_take_counts(kan_input *input);
/* Divides the rows of a counted table that was read: kan_table_divide, also of what was treated. */
KAN_MUST_USE kan_status kan_input_divide(const kan_input *input, const uint64_t *row_of,
                                         uint64_t n_rows, uint64_t *counts);

void kan_input_close(kan_input *input);

#endif
