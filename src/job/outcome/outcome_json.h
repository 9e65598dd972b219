/* The result of `search` and `anonymize`: JSON for programs, a summary for people. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_JSON_H
#define KANON_JOB_OUTCOME_OUTCOME_JSON_H

#include <jansson.h>

#include "job/outcome/columns.h"
#include "job/released/released.h"
#include "job/tell/tell.h"

/* Lines of the file of --nodes. */
typedef struct kan_nodes_listed {
    uint64_t n_written;
    uint64_t n_in_order; /* of these, the first: no node that is not among them costs less */
    bool is_complete;    /* all nodes of the lattice */
    bool is_interrupted; /* before */
} kan_nodes_listed;

/* What is known beyond setup and solution once a release was written; NULL members of a search. */
/* What became of released weights (--calibrate). */
typedef struct kan_calibrated {
    bool is_made;
    uint64_t n_strata, n_changed; /* those with other weights than before */
    double most;                  /* by which any is multiplied */
} kan_calibrated;

typedef struct kan_outcome {
    const char *command;
    const kan_setup *setup;
    const kan_solution *solution;
    kan_released released; /* for what may be shared */
    const char *output;    /* NULL: nothing was written */
    bool is_verified;      /* the released values were recounted, and the promise holds */
    kan_claim claim;
    kan_models_recount recounted;
    kan_fits_sizes match_sizes; /* --missing-matches: released people by how many rows match them */
    bool is_recounted;   /* false: every row is suppressed, and there was nothing to recount */
    uint64_t n_released; /* rows in the release */
    bool keeps_suppressed, shows_suppressed;
    bool guards_formulas;
    kan_column_findings columns;
    kan_calibrated calibrated;
    /* Cells that a spreadsheet would run if nothing guarded them; UINT64_MAX: not counted. */
    uint64_t n_formulas;
    double apply_ms, write_ms, verify_ms, total_ms;
    const kan_nodes_listed *nodes; /* NULL: there is no such file */
    json_t *
        utility; /* what can still be done with it, of a search that compare asks for; NULL: none */
    json_t *models; /* of --regress and --classify, the same; NULL: none */
    json_t *rules;  /* the rule that the release was held against; NULL: none was named */
    json_t *report; /* the key `report` (job/report/report_data.h); NULL: none is asked for */
} kan_outcome;

/* Whether figures over all rows may stand in what people see: nobody is suppressed, or nothing is
 * released, and what is seen is for those who may see the table. */
static inline bool kan_outcome_tells_all(const kan_outcome *outcome) {
    return outcome->released.is_all || strcmp(outcome->command, "search") == 0;
}

static inline kan_recounted kan_outcome_recounted(const kan_outcome *outcome) {
    return (kan_recounted){.job = outcome->setup->job,
                           .claim = &outcome->claim,
                           .found = outcome->is_recounted ? &outcome->recounted : NULL};
}

/* Whether a column is sensitive, and nothing is promised about it. */
static inline bool kan_outcome_is_unprotected(const kan_outcome *outcome, size_t column) {
    return outcome->setup->roles[column] == KAN_ROLE_SENSITIVE &&
           !kan_claim_protects(&outcome->claim, outcome->setup->table->columns[column].name);
}

KAN_MUST_USE kan_status kan_result_write(const kan_outcome *outcome, kan_result *out);

/* The largest share of its cost by which an answer could be better: 0 when it is optimal, 1 when
 * nothing is known. */
double kan_result_gap(const kan_answer *answer);

/* The number of nodes of the lattice, however large; exact up to 2^53. */
double kan_result_nodes(const kan_solution *solution);

/* --importance: the column of a rank; NULL: all that were not named. */
const char *kan_outcome_ranked(const kan_setup *setup, unsigned rank);
/* What something costs; null where nothing is released and the cost has no value for that. */
json_t *kan_json_score(const kan_score *score);

/* The lines for people, into out->summary. */
KAN_MUST_USE kan_status kan_summary_write(const kan_outcome *outcome, kan_result *out);

#endif
