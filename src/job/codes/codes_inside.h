/* The inside of job/codes. */
#ifndef KANON_JOB_CODES_CODES_INSIDE_H
#define KANON_JOB_CODES_CODES_INSIDE_H

#include "analyze/codes/codes.h"
#include "data/encoder.h"
#include "job/codes/codes.h"
#include "job/release/release.h"
#include "job/setup/setup.h"
#include "search/codes/codes.h"

/* Distinct codes, as a column without rows. */
typedef struct kan_code_list {
    kan_run *run;
    kan_encoder encoder;
    bool is_open;
    uint32_t *map;
    kan_column column;
} kan_code_list;

typedef struct kan_code_job {
    kan_job *job;
    kan_run *run;
    kan_arena arena;
    char separator;
    uint64_t k;
    unsigned known;
    const char *column_name, *spec; /* of --codes; the second may be NULL */
    kan_setup setup;                /* of the original; of verify without one it has no table */
    bool is_open;
    size_t column;                    /* of the original */
    kan_code_list codes, all;         /* those of the original; and all that the hierarchy has */
    kan_hierarchy *hierarchy, *whole; /* bound to these; the second may be the first */
    kan_hierarchy_lines *lines;
    const kan_cost_kind *cost;
    bool checks_recoding; /* a release is held to the rule of its recoding */
    kan_roles released;   /* of verify without the original: what settings say of the release */
    bool has_released;
    kan_codes_question question;
    kan_codes_answer answer;
    bool has_answer;
    kan_release_texts texts;
    uint32_t *shown;                    /* by row: which text */
    uint64_t n_codes, n_released_codes; /* of all people, and of those who are released */
    kan_code_sets_recount recount;
    double read_ms, search_ms, write_ms, verify_ms;
} kan_code_job;

/* Initialises it, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_code_job_init(kan_job *job, kan_code_job *out);
void kan_code_job_destroy(kan_code_job *c);

/* Reads the original, which the setting names; its codes, and their hierarchy. */
KAN_MUST_USE kan_status kan_code_job_read(kan_code_job *c, const char *setting);
/* The hierarchy alone, of verify without the original: its file has all codes. */
KAN_MUST_USE kan_status kan_code_job_bind(kan_code_job *c);

/* Searches, and makes what each person shows; KAN_UNSATISFIED where nothing is within the limit. */
KAN_MUST_USE kan_status kan_code_job_solve(kan_code_job *c);

/* What a release came to. */
typedef struct kan_code_verdict {
    kan_code_sets_recount recount;
    uint64_t n_people;  /* of the original; 0 without one */
    bool is_decided;    /* somebody said what becomes of columns that nobody names */
    bool has_columns;   /* and they are as that says */
    kan_text fault;     /* what is wrong, lines; empty: nothing */
    kan_text unchecked; /* what could not be checked */
} kan_code_verdict;

/* Reads what settings say of the columns of a release; of verify without the original. */
KAN_MUST_USE kan_status kan_code_job_take_released(kan_code_job *c, kan_input *release);
/* Counts the table again; row_of says which row of the original each of its rows is, NULL: nobody knows.
 * Without an original it is only counted. Initialises the verdict, also when it fails. */
KAN_MUST_USE kan_status kan_code_job_recount(kan_code_job *c, const kan_table *released,
                                             const char *name, const uint64_t *row_of,
                                             kan_code_verdict *out);
void kan_code_verdict_destroy(kan_code_verdict *verdict);

KAN_MUST_USE kan_status kan_code_job_tell_release(kan_code_job *c, const char *output,
                                                  kan_result *out);
KAN_MUST_USE kan_status kan_code_job_tell_verdict(kan_code_job *c, const char *name,
                                                  const kan_code_verdict *verdict, kan_result *out);

#endif
