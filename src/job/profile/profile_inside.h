/* The inside of the command `profile`: reading and counting (walk_profile.c), the job file to start
 * from (profile_job_file.c), what households share (profile_households.c), and telling
 * (profile_result.c, profile_summary.c, profile_advice.c). Of several tables: several.h. */
#ifndef KANON_JOB_PROFILE_PROFILE_INSIDE_H
#define KANON_JOB_PROFILE_PROFILE_INSIDE_H

#include <jansson.h>

#include "analyze/profile/profile.h"
#include "data/spelling_guess.h"
#include "io/streams/streams.h"
#include "job/input/input.h"
#include "job/rules/rules.h"
#include "job/settings/settings.h"

/* What was asked of a column that is counted where it is. */
typedef struct kan_profile_sum {
    bool is_there;
    kan_source_sum sum;
} kan_profile_sum;

/* What is done where nothing is said. */
#define KAN_PROFILE_SAMPLE  100000 /* --sample */
#define KAN_PROFILE_SUBSETS 5000   /* --subsets */
/* A combination singles people out when this share of the rows is alone with its values. */
#define KAN_PROFILE_TELLING 0.05

enum { KAN_PROFILE_WORD = 24 }; /* bytes of a word for missing values, and its end */
enum { KAN_PROFILE_ODD = 48 };  /* the same of a value that does not fit, which is cut there */

/* A value that does not fit, and where it stands. */
typedef struct kan_profile_odd {
    char text[KAN_PROFILE_ODD];
    uint64_t n_rows, row; /* the first of them; UINT64_MAX: it is not known */
} kan_profile_odd;

/* A word that stands for missing values in a column. */
typedef struct kan_profile_missing {
    char text[KAN_PROFILE_WORD];
    uint64_t n_rows;
    bool is_number; /* -9: it could be a value */
    bool is_taken;  /* it is read as missing from here on */
} kan_profile_missing;

/* How a column is written, as far as looking at its values tells. */
typedef struct kan_profile_convention {
    kan_type type; /* of its values when they are read so; TEXT: nothing but missing ones is said */
    unsigned n_missing;
    kan_profile_missing missing[2 * KAN_GUESS_MOST];
    char decimal, thousands; /* 0: as kanon writes them */
    bool has_other_numbers;  /* 1.234 may be read in two ways */
    char date_format[KAN_GUESS_FORMAT], other_format[KAN_GUESS_FORMAT]; /* "": none */
    uint32_t n_odd; /* different values that do not fit */
    uint64_t n_odd_rows;
    unsigned n_shown_odd; /* of them, the most frequent first: */
    kan_profile_odd odd[KAN_GUESS_MOST];
    uint64_t odd_line; /* of the first; 0: it is not known */
    bool is_notable;   /* something is to be said of it */
    bool is_taken;     /* numbers or dates are read so from here on */
    bool are_codes;    /* digits that nobody counts with: text from here on, if it can be said */
} kan_profile_convention;

typedef struct kan_profile_walk {
    kan_job *job;
    kan_run *run;
    kan_input input; /* its table has the columns that were read last */
    uint64_t n_rows;
    size_t skip; /* bytes that all names begin with */
    kan_profile_column *columns;
    kan_profile_convention *conventions; /* by column; NULL: nothing was looked for */
    kan_encoding_guess encoding; /* that was found; its name is NULL where none was needed */
    kan_profile_sum *sums;       /* by column, where rows are counted where they are */
    bool is_read;                /* all columns are in memory as they are to be read */
    bool shows_values;
    bool is_of_several;       /* one of several tables */
    uint64_t n_first_rows;    /* --first-rows */
    kan_source_tables tables; /* of the file; none: it holds one alone */
    json_t *first_rows;       /* a list of values for each; NULL: none are wanted */

    /* --household (profile_households.c): */
    bool has_household;
    size_t household; /* its column */
    kan_profile_households households;
    uint64_t
        *n_differing; /* by column: households that differ in it; UINT64_MAX: it is not known */

    /* Combinations: which columns, the most interesting first. */
    size_t *interesting;
    unsigned n_interesting;
    size_t n_ids, n_constant, n_beyond; /* columns that are in no combination: why */
    kan_subsets subsets;

    kan_rules *rules; /* --rules; NULL: none is named */

    double start_ms, read_ms, subsets_ms;
} kan_profile_walk;

void kan_profile_init(kan_profile_walk *p, kan_job *job);
void kan_profile_destroy(kan_profile_walk *p);
/* Reads and counts. */
KAN_MUST_USE kan_status kan_profile_measure(kan_profile_walk *p);
/* The same of several tables, with how they hang together, to the end. */
KAN_MUST_USE kan_status kan_profile_several(kan_job *job, kan_result *out);

/* Whether a column has lists or records: it is never read. */
bool kan_profile_is_nested(const kan_profile_walk *p, size_t column);
/* Finds the encoding, before the table is opened; from here on it is a setting of the job. */
KAN_MUST_USE kan_status kan_profile_find_encoding(kan_profile_walk *p);
/* Before columns are read: which rows are wanted of them, where they are counted. */
KAN_MUST_USE kan_status kan_profile_some_ask(kan_profile_walk *p);
/* After that: learns the number of rows. */
void kan_profile_some_take(kan_profile_walk *p);
/* Counts a column that was read just now. */
KAN_MUST_USE kan_status kan_profile_some_count(kan_profile_walk *p, size_t column);
/* Of combinations that were read in part: rows that stand for all of the table. */
void kan_profile_some_draw(kan_profile_walk *p);

/* Looks at the columns that are in memory. */
KAN_MUST_USE kan_status kan_profile_look(kan_profile_walk *p, size_t first, size_t end);
/* When all were looked at: what is beyond doubt becomes settings of the job. */
KAN_MUST_USE kan_status kan_profile_take_conventions(kan_profile_walk *p, bool *is_changed);
/* In plain words, without a value of the table but for well-known words: "decimal comma; missing:
 * NA (2.0 %)". Empty where there is nothing to say. */
enum { KAN_PROFILE_TOLD = 640 };
void kan_profile_tell_convention(const kan_profile_walk *p, size_t column,
                                 char room[KAN_PROFILE_TOLD]);
void kan_profile_add_conventions(const kan_profile_walk *p, kan_text *text);
json_t *kan_profile_conventions_json(const kan_profile_walk *p);
/* The lines of a job file that say how the table is read. */
void kan_profile_add_reading(const kan_profile_walk *p, kan_text *text);

/* The rows of --first-rows: whether they can be shown, and the columns that are in memory, which
 * come in their order. */
KAN_MUST_USE kan_status kan_profile_rows_begin(kan_profile_walk *p);
KAN_MUST_USE kan_status kan_profile_rows_take(kan_profile_walk *p, size_t first, size_t end);
/* The file of --all-rows, complete but for its name; NULL where none is asked for. */
KAN_MUST_USE kan_status kan_profile_rows_write(kan_profile_walk *p, kan_target **out);

/* Finds the column of --household, if it is asked for; it is read with all others then. */
KAN_MUST_USE kan_status kan_profile_find_household(kan_profile_walk *p);
/* Compares the columns that are in memory within households. */
KAN_MUST_USE kan_status kan_profile_take_household(kan_profile_walk *p, size_t first, size_t end);
/* When all columns have a role: that of the household is none of a person. */
void kan_profile_settle_household(kan_profile_walk *p);
json_t *kan_profile_household_json(const kan_profile_walk *p);
KAN_MUST_USE kan_status kan_profile_add_household(const kan_profile_walk *p, kan_text *text);

/* Writes what --job-out names, if anything. */
KAN_MUST_USE kan_status kan_profile_write_job(const kan_profile_walk *p);
/* The text of it. Fails where a column that has a role cannot be named in a job file. */
KAN_MUST_USE kan_status kan_profile_print_job(const kan_profile_walk *p, const char *path,
                                              kan_text *text);
/* The table as a job file at `path` names it, as a scalar of YAML; nothing, and false, where it may name
 * none. */
KAN_MUST_USE kan_status kan_profile_add_path(const kan_profile_walk *p, const char *path,
                                             kan_text *text, bool *is_named);
/* Whether a job file can hold the name. */
bool kan_profile_is_sayable(const char *name, bool is_quasi);

/* JSON and summary. Of one of several tables the latter ends without advice. */
json_t *kan_profile_json(const kan_profile_walk *p);
KAN_MUST_USE kan_status kan_profile_write(const kan_profile_walk *p, kan_result *out);
KAN_MUST_USE kan_status kan_profile_summarize(const kan_profile_walk *p, kan_text *text);
/* Its second line: whom it is for. */
void kan_profile_add_internal(bool shows_values, kan_text *text);
/* The end of the summary: warnings, what is undecided, the next command. */
void kan_profile_advise(const kan_profile_walk *p, kan_text *text);

/* Words in lines of at most 79 columns, from that column on; further lines are indented. */
void kan_profile_add_words(kan_text *text, const char *words, unsigned column, unsigned indent);
/* "1 row", "4,093 rows" */
const char *kan_profile_counted(uint64_t n, const char *one, const char *many, char room[64]);

/* Whether the column looks like one that belongs to a person, and has a value in several rows: then
 * a person may have several rows, and k rows may be fewer people. Of names it is said where no number
 * tells people apart. */
bool kan_profile_repeats(const kan_profile_walk *p, const kan_profile_column *column);
/* Whether --person can name the column: codes that repeat, every row has one, and neither a name, which
 * several people have, nor what is known or sensitive about people. */
bool kan_profile_is_person(const kan_profile_column *column);
/* The column that most likely identifies the person; SIZE_MAX: none. To count people by a number that
 * repeats is never less safe than to count rows. */
size_t kan_profile_find_person(const kan_profile_walk *p);
/* Whether what is written for the next step may count by it: an engine that makes the release cannot. */
bool kan_profile_counts_people(const kan_profile_walk *p, size_t *column);
/* Columns of a suggested role. */
size_t kan_profile_count_of(const kan_profile_walk *p, kan_role role);

/* "quasi-identifier" */
const char *kan_profile_role_name(kan_role role);

#endif
