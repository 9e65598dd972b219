/* The door of job/found: a list of people held against a release, and what is told of those who are found.
 *
 * What somebody knows who has the list, who of it is matched by how many rows, or is nearest to which, whose
 * value is certain, and how much of that is so (analyze/intruder): as JSON, in sentences, and with those who are
 * most exposed. May touch what job/tell may, and analyze. */
#ifndef KANON_JOB_FOUND_FOUND_H
#define KANON_JOB_FOUND_FOUND_H

#include "analyze/intruder/intruder.h"
#include "analyze/verify/verify.h"
#include "job/tell/tell.h"

/* ---- words --------------------------------------------------------------------------------------- */

/* Sentences, as text, as a list, or as both. */
typedef struct kan_found_words {
    kan_text *text; /* NULL: none */
    json_t *said;   /* the list, one string each; NULL: none */
    bool failed;    /* memory ran out for the list */
} kan_found_words;

/* A sentence, broken into lines and indented. */
void kan_found_say(kan_found_words *words, const char *format, ...) KAN_PRINTF(2, 3);
/* An empty line; a list has none. */
void kan_found_pause(kan_found_words *words);

typedef struct kan_found_number {
    char text[32];
} kan_found_number;

/* "1,234" */
kan_found_number kan_found_count_of(uint64_t count);

/* ---- what somebody knows ---------------------------------------------------------------------------- */

typedef struct kan_found_profile {
    const char *name, *who; /* "A neighbour" */
    size_t n_columns;       /* quasi-identifiers: the worst so many; 0: all that the list has */
    bool knows_others;      /* all columns that the list has, but the one that is wanted */
    bool knows_who_is_in;   /* the release; people who are not in the original are not looked for */
    bool wants_any_row;     /* whoever is found will do */
} kan_found_profile;

/* NULL: there is none of that name. */
const kan_found_profile *kan_found_profile_named(const char *name);

/* ---- asking ------------------------------------------------------------------------------------------- */

#define KAN_FOUND_NOBODY UINT64_MAX

/* Who is who, as far as the original tells. */
typedef struct kan_found_truth {
    const kan_table *original;
    const size_t *sensitive; /* its columns, in the order of the question's */
    /* By row of the list: hers of the original; KAN_FOUND_NOBODY: she is not in it. NULL: the list is the original. */
    const uint64_t *original_of;
    /* By row of the release: the row of the original that it was made from; KAN_FOUND_NOBODY: it could be
     * several. NULL: nobody knows, and why. */
    const uint64_t *row_of;
    const char *why;
    bool is_granted; /* that rows stand in the order of the original: nothing says so */
} kan_found_truth;

/* All of it must outlive what is found. */
typedef struct kan_found_question {
    kan_run *run;
    kan_arena *arena;
    const kan_table *release, *people; /* sealed; the columns are encoded */
    const kan_shown_rows *shown;       /* which rows of its file the release has here; NULL: all */
    const char *people_name;
    const char *people_path; /* NULL: it is no file */
    const kan_known_column
        *columns; /* first n_quasi quasi-identifiers, then others that are known */
    size_t n_columns, n_quasi;
    const size_t *quasi; /* all quasi-identifiers of the release: its columns */
    size_t n_all_quasi;
    const size_t *sensitive; /* columns of the release */
    size_t n_sensitive;
    const kan_found_profile *profile; /* NULL: none was named */
    uint64_t k, n_sample, seed;
    uint64_t most_pairs; /* that are looked at before people are drawn; 0: as many as is usual */
    bool wants_nearest;  /* otherwise only where numbers were changed */
    const kan_found_truth *truth; /* NULL: nobody knows */
} kan_found_question;

typedef struct kan_found kan_found;

/* KAN_BAD_INPUT where a profile asks for what is not there. The question is copied. */
KAN_MUST_USE kan_status kan_found_list(const kan_found_question *question, kan_found **out);
json_t *kan_found_json(const kan_found *found);
void kan_found_tell(const kan_found *found, kan_found_words *words);
void kan_found_destroy(kan_found *found); /* NULL is none */

/* How many sets of columns a profile makes of n quasi-identifiers; more than the most are refused. */
enum { KAN_FOUND_MOST_SETS = 2000 };
uint64_t kan_found_sets(const kan_found_profile *profile, size_t n);

#endif
