/* The door of job/rules: tables held against rules (analyze/rules), and the command `check`.
 *
 *   rule_file.c     a rule that an office wrote, in YAML
 *   rules_load.c    what settings say: the rule, the day of release, the list of areas
 *   rules_columns.c reading a table, and judging its columns
 *   rules_promise.c what the rule promises, recounted as `verify` does
 *   rules_tell.c    JSON and words
 *   rules_job.c     a job that satisfies the rule
 *   walk_check.c    the command
 *
 * May touch what job/verify may, and analyze/rules. */
#ifndef KANON_JOB_RULES_RULES_H
#define KANON_JOB_RULES_RULES_H

#include "analyze/rules/rules.h"
#include "io/beside.h"
#include "job/input/input.h"
#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_check(kan_job *job, kan_result *out);

/* Reads a rule from YAML; its texts live in the job's arena. KAN_BAD_INPUT with all problems, each with
 * file and line. */
KAN_MUST_USE kan_status kan_rule_file_read(kan_job *job, const char *path, kan_rule *out);

/* The bytes of a small file, a `what` for messages. */
KAN_MUST_USE kan_status kan_rules_read_bytes(kan_run *run, const char *path, const char *what,
                                             kan_text *out);

/* What became of the whole. */
typedef enum kan_rules_status {
    KAN_RULES_SATISFIED,
    KAN_RULES_UNCHECKED, /* something that was asked for could not be decided */
    KAN_RULES_BROKEN
} kan_rules_status;
/* "satisfied", "not checked", "not satisfied" */
const char *kan_rules_status_word(kan_rules_status status);

/* Who decided about a column beside the rule. */
typedef enum kan_rules_decided {
    KAN_RULES_BY_NOBODY,
    KAN_RULES_BY_PERSON,  /* --reviewed, --sensitive */
    KAN_RULES_BY_OFFICE,  /* the rule keeps it */
    KAN_RULES_BY_PROMISE, /* a quasi-identifier of the promise */
    KAN_RULES_BY_DROP     /* the rule drops it, and it is there */
} kan_rules_decided;

typedef struct kan_rules {
    kan_job *job;
    kan_run *run;
    kan_rule rule;
    bool is_file; /* an office wrote it */
    kan_zip_areas areas;
    const char *release_date; /* NULL: none was given */
    int release_year;         /* 0: the same */

    kan_input input;
    uint64_t n_rows;
    size_t skip;
    kan_profile_column *profiles; /* by column */
    kan_rule_column *columns;
    kan_rules_decided *decided;
    kan_rule_verdict caps[KAN_RULE_COLUMNS]; /* by cap of the rule */
    bool has_cap[KAN_RULE_COLUMNS];          /* the table has the column */

    /* What the file has beside its table, and the kinds of identifiers that stand there. */
    kan_beside beside;
    bool has_beside;
    unsigned beside_kinds;

    bool has_promise;
    kan_rules_status promise;
    const char *promise_reason; /* why it could not be checked; NULL: it was */
    json_t *recount;            /* of `verify`; NULL: there is none */
    double start_ms;
} kan_rules;

/* Takes the settings of a job that names a rule. Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_rules_begin(kan_job *job, kan_rules *out);
void kan_rules_end(kan_rules *r);

/* Opens a table, by setting or by path, and judges its columns. */
KAN_MUST_USE kan_status kan_rules_open(kan_rules *r, const char *setting);
/* The same of the bytes of a release that has no name yet. */
KAN_MUST_USE kan_status kan_rules_open_as(kan_rules *r, const char *path,
                                          const kan_source_kind *kind,
                                          const kan_source_options *options);
KAN_MUST_USE kan_status kan_rules_judge(kan_rules *r);
/* Recounts the promise of the rule; nothing where it has none. */
KAN_MUST_USE kan_status kan_rules_recount(kan_rules *r);

/* Whether the job names the column in `qi` or in `reviewed`. */
bool kan_rules_names(const kan_job *job, const char *setting, const char *column);

kan_rules_status kan_rules_status_of(const kan_rules *r);
size_t kan_rules_count(const kan_rules *r, kan_rule_verdict verdict);

/* "columns checked against 45 CFR 164.514(b)(2), text of 2013-06-07; actual knowledge was not" */
void kan_rules_add_claim(const kan_rules *r, kan_text *text);
/* NULL when memory runs out. */
json_t *kan_rules_json(const kan_rules *r);
/* What goes with a release that was held against the rule. */
json_t *kan_rules_told_json(const kan_rules *r);
/* The columns that are not clear, and what was checked: for `profile`. */
void kan_rules_add_columns(const kan_rules *r, kan_text *text);
kan_status kan_rules_summarize(const kan_rules *r, kan_text *text);

/* Writes what --job-out names, if anything. */
KAN_MUST_USE kan_status kan_rules_write_job(const kan_rules *r);

#endif
