/* The inside of job/epsilon. */
#ifndef KANON_JOB_EPSILON_EPSILON_INSIDE_H
#define KANON_JOB_EPSILON_EPSILON_INSIDE_H

#include "io/side_files/side_files.h"
#include "job/epsilon/epsilon.h"
#include "job/epsilon/epsilon_draw.h"
#include "job/setup/setup.h"

/* How the values of a column are shown. It knows no table: what a value shows follows from the value. */
typedef struct kan_epsilon_rule {
    const char *name;           /* of the column */
    const char *spec;           /* of a builder, or NULL */
    kan_hierarchy_lines *lines; /* of a file, or NULL; without both values are shown as they are */
    const char *origin;         /* how the hierarchy is called; NULL: there is none */
    unsigned height, level;
} kan_epsilon_rule;

/* Finds the hierarchy of a quasi-identifier: `said` of --qi, or NULL. Problems are added. The rule is
 * initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_epsilon_rule_find(const kan_job *job, const char *name,
                                              const char *said, kan_epsilon_rule *out);
void kan_epsilon_rule_destroy(kan_epsilon_rule *rule);
/* What the rule shows for a value: `*` for one that it does not know. Copied into the arena. */
KAN_MUST_USE kan_status kan_epsilon_label(kan_run *run, const kan_epsilon_rule *rule,
                                          kan_slice value, kan_arena *arena, kan_slice *out);

/* A column of the release. */
typedef struct kan_epsilon_column {
    const char *name;
    size_t column;     /* of the table */
    int quasi;         /* which quasi-identifier; below 0: none */
    kan_slice *labels; /* different ones, in the order of their bytes */
    uint32_t *shown;   /* by code */
    uint32_t n_labels;
} kan_epsilon_column;

typedef struct kan_epsilon_job {
    kan_job *job;
    kan_run *run;
    kan_arena arena;
    kan_draws draws;
    kan_setup setup; /* the table and its roles, and no more */
    bool is_open;
    kan_hierarchy heights[KAN_MAX_ATTRIBUTES]; /* for messages about levels: nothing but a height */
    kan_epsilon_rule rules[KAN_MAX_ATTRIBUTES]; /* by quasi-identifier */
    unsigned n_rules;
    kan_epsilon_column *columns; /* of the release, in the order of the table */
    size_t n_columns;
    kan_drawn drawn;
    bool is_drawn;
} kan_epsilon_job;

/* Opens the table and reads its header, settles columns and levels, and then reads the rows. */
KAN_MUST_USE kan_status kan_epsilon_read(kan_epsilon_job *e);

KAN_MUST_USE kan_status kan_epsilon_tell(const kan_epsilon_job *e, const char *output,
                                         kan_result *out);
/* The lines that `anonymize` and `verify` share. */
void kan_epsilon_add_promise(const kan_draws *draws, kan_text *text);
json_t *kan_epsilon_promise_json(const kan_draws *draws);

#endif
