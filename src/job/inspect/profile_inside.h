/* The inside of the command `profile`: reading and counting (walk_profile.c), the job file to start
 * from (profile_job_file.c), and telling (profile_result.c, profile_summary.c, profile_advice.c).
 */
#ifndef KANON_JOB_INSPECT_PROFILE_INSIDE_H
#define KANON_JOB_INSPECT_PROFILE_INSIDE_H

#include "analyze/profile/profile.h"
#include "job/input/input.h"
#include "job/settings/settings.h"

/* What is done where nothing is said. */
#define KAN_PROFILE_SAMPLE  100000 /* --sample */
#define KAN_PROFILE_SUBSETS 5000   /* --subsets */
/* A combination singles people out when this share of the rows is alone with its values. */
#define KAN_PROFILE_TELLING 0.05

typedef struct kan_profile_walk {
    kan_job *job;
    kan_run *run;
    kan_input input; /* its table has the columns that were read last */
    uint64_t n_rows;
    size_t skip; /* bytes that all names begin with */
    kan_profile_column *columns;
    bool shows_values;

    /* Combinations: which columns, the most interesting first. */
    size_t *interesting;
    unsigned n_interesting;
    size_t n_ids, n_constant, n_beyond; /* columns that are in no combination: why */
    kan_subsets subsets;

    double start_ms, read_ms, subsets_ms;
} kan_profile_walk;

/* Writes what --job-out names, if anything. */
KAN_MUST_USE kan_status kan_profile_write_job(const kan_profile_walk *p);
/* The text of it. Fails where a column that has a role cannot be named in a job file. */
KAN_MUST_USE kan_status kan_profile_print_job(const kan_profile_walk *p, const char *path,
                                              kan_text *text);

/* JSON and summary. */
KAN_MUST_USE kan_status kan_profile_write(const kan_profile_walk *p, kan_result *out);
KAN_MUST_USE kan_status kan_profile_summarize(const kan_profile_walk *p, kan_text *text);
/* The end of the summary: warnings, what is undecided, the next command. */
void kan_profile_advise(const kan_profile_walk *p, kan_text *text);

/* Words in lines of at most 79 columns, from that column on; further lines are indented. */
void kan_profile_add_words(kan_text *text, const char *words, unsigned column, unsigned indent);
/* "1 row", "4,093 rows" */
const char *kan_profile_counted(uint64_t n, const char *one, const char *many, char room[64]);

/* Whether the column looks like one that belongs to a person, and has a value in several rows: then
 * a person may have several rows, and k rows may be fewer people. */
bool kan_profile_repeats(const kan_profile_walk *p, const kan_profile_column *column);
/* Columns of a suggested role. */
size_t kan_profile_count_of(const kan_profile_walk *p, kan_role role);

/* "quasi-identifier" */
const char *kan_profile_role_name(kan_role role);

#endif
