/* What the recount of a release is held against, and what it found, as results show it. */
#ifndef KANON_JOB_TELL_RECOUNTED_H
#define KANON_JOB_TELL_RECOUNTED_H

#include <jansson.h>

#include "analyze/verify/verify.h"
#include "job/settings/settings.h"
#include "privacy/privacy.h"

/* The claim of the settings, for the recount. KAN_FAILED when the settings or `promise` (NULL:
 * there is none) have a model that it lacks: nothing is released, nor verified, that was not
 * counted. `whole` and is_release as for kan_claim_make. */
KAN_MUST_USE kan_status kan_recounted_claim(kan_job *job, const kan_promise *promise,
                                            const kan_table *whole, bool is_release,
                                            kan_claim *out);

typedef struct kan_recounted {
    const kan_job *job;
    const kan_claim *claim;
    const kan_models_recount *found; /* NULL: there was nothing to be recounted */
    bool tells_holds;                /* say of each model whether it holds, and where not */
    bool hides_distances; /* tell no distance to the whole table: suppressed rows are in it */
} kan_recounted;

/* A list of all models: what was promised, in the user's own numbers, and what is reached. Values
 * are named only where the user named them. NULL when memory runs out. */
json_t *kan_recounted_json(const kan_recounted *recounted, bool k_holds);

/* Whether a model of the claim looks at the sensitive column. The sizes of groups do not. */
bool kan_claim_protects(const kan_claim *claim, const char *column);

/* Whether k is a part of what was promised, and not the 1 that every table has. */
bool kan_recounted_has_k(const kan_recounted *recounted);

/* "t-closeness t=0.2 by ordered distance"; m is the number of a model. */
void kan_recounted_add_promised(const kan_recounted *recounted, size_t m, kan_text *text);
/* ", the greatest distance is 0.18", ", l=3 is reached"; nothing where nothing was recounted. */
void kan_recounted_add_reached(const kan_recounted *recounted, size_t m, kan_text *text);

/* --missing-matches: what the recount found; null where that was not promised. And the sentence that
 * says what it is not, without a line end. */
json_t *kan_matches_json(const kan_fits_recount *fits);
/* "every row matches k=3 people, and every person 3 rows", what is promised of them. */
void kan_matches_add_promised(const kan_claim *claim, kan_text *text);
void kan_matches_add(const kan_models_recount *found, kan_text *text);

/* The same of --per-column, and what results call that promise. */
#define KAN_PROMISE_PER_COLUMN "per-column"
json_t *kan_by_column_json(const kan_columns_recount *found);
void kan_by_column_add(const kan_models_recount *found, kan_text *text);

#endif
