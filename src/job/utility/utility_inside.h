/* The inside of the command `utility`. With a workload: reading (walk_utility.c) and telling
 * (utility_result.c). Without: reading (walk_fidelity.c), telling in JSON (fidelity_json.c) and in
 * words (fidelity_words.c), of the table as a whole in both (fidelity_whole.c), and in a picture
 * (fidelity_draw.c). */
#ifndef KANON_JOB_UTILITY_UTILITY_INSIDE_H
#define KANON_JOB_UTILITY_UTILITY_INSIDE_H

#include <jansson.h>

#include "analyze/classify/classify.h"
#include "analyze/fidelity/fidelity.h"
#include "analyze/regress/regress.h"
#include "analyze/workload/workload.h"
#include "data/formula/formula.h"
#include "job/input/input.h"
#include "job/settings/settings.h"

/* Where a column of the workload is. */
typedef struct kan_asked_place {
    size_t original, released, means;
    bool has_means, is_quasi;
    const char *spec; /* its hierarchy as the user wrote it; NULL: not said */
    kan_hierarchy *hierarchy;
} kan_asked_place;

typedef struct kan_utility_walk {
    kan_job *job;
    kan_run *run;
    kan_workload *workload;
    const char *release_path; /* of a release that has no name yet; NULL: `input` names it */
    bool is_guarded;          /* it was written with --guard-formulas */
    kan_input release, original;
    kan_asked_place *places;   /* by name of the workload */
    kan_asked_column *columns; /* by name of the workload */
    kan_utility utility;
    double start_ms, read_ms, answer_ms;
} kan_utility_walk;

/* JSON and summary of what was measured. */
KAN_MUST_USE kan_status kan_utility_write(const kan_utility_walk *u, kan_result *out);

/* The hierarchy that a column was made with, as `spec` or --hierarchies say; NULL: none is known. */
KAN_MUST_USE kan_status kan_utility_bind_hierarchy(kan_job *job, const kan_column *original,
                                                   const kan_column *released, const char *spec,
                                                   kan_hierarchy **out);

/* ---- without a workload --------------------------------------------------------------------- */

/* Where a column that both tables have is. */
typedef struct kan_common_column {
    size_t original, released;
    bool is_quasi;
    const char *spec; /* its hierarchy as the user wrote it; NULL: not said */
    kan_hierarchy *hierarchy;
} kan_common_column;

/* A model that somebody asks for (models.c), and where its columns are. */
typedef struct kan_model_place {
    size_t original;
    size_t compared; /* of the columns of both; KAN_NOT_RELEASED */
} kan_model_place;

typedef struct kan_asked_model {
    const char *text; /* as it was written */
    kan_formula formula;
    kan_model_place outcome, *terms;
    size_t n_terms;
    kan_regress_column *columns; /* of --regress: the terms as they were read */
    kan_regression regression;
    size_t *features; /* of --classify: the terms among the columns of both */
    kan_classification classification;
} kan_asked_model;

typedef struct kan_asked_models {
    size_t n;
    kan_asked_model *models;
} kan_asked_models;

typedef struct kan_fidelity_walk {
    kan_job *job;
    kan_run *run;
    kan_input release, original;
    kan_roles roles; /* the original is the first table */
    size_t n;        /* columns of both */
    kan_common_column *places;
    kan_fidelity_column *columns;
    kan_fidelity_question question;
    kan_fidelity *fidelity;
    /* of --sampling-weight; without it both are empty */
    const char *weight;
    kan_row_weights weights, released_weights;
    bool weights_by_row; /* the release does not have them: row i has the weight of row i */
    kan_fidelity_weights original_weights, released_weights_read; /* as they were weighed by */
    kan_asked_models regressions, classifications;
    kan_column_fidelity *of_columns;
    size_t n_pairs;
    kan_pair_fidelity *of_pairs;
    kan_numbers_fidelity of_numbers;
    kan_propensity propensity;
    size_t *changed; /* pairs, those whose contingency table changed most first */
    double start_ms, read_ms, measure_ms;
} kan_fidelity_walk;

/* `utility` without a workload. */
KAN_MUST_USE kan_status kan_fidelity_walk_run(kan_job *job, kan_result *out);

enum { KAN_MOST_CHANGED = 20 }; /* contingency tables that are told of */

json_t *kan_fidelity_json(const kan_fidelity_walk *w);
/* What is measured of columns that were read and weighed: into of_columns, of_pairs, changed,
 * of_numbers and propensity. */
KAN_MUST_USE kan_status kan_fidelity_measure_all(kan_fidelity_walk *w);

json_t *kan_fidelity_columns_json(const kan_fidelity_walk *w);
json_t *kan_fidelity_changed_json(const kan_fidelity_walk *w);
json_t *kan_fidelity_numbers_json(const kan_fidelity_walk *w);
json_t *kan_fidelity_propensity_json(const kan_fidelity_walk *w);
void kan_fidelity_propensity_words(const kan_fidelity_walk *w, char *room, size_t size);
void kan_fidelity_whole_words(const kan_fidelity_walk *w, kan_text *text);
void kan_fidelity_words(const kan_fidelity_walk *w, kan_text *text);

/* All that is said before the tables. */
void kan_fidelity_sentences(const kan_fidelity_walk *w, kan_text *text);
/* Sentences that were broken into lines, as one text; takes them over. NULL: memory is out. */
json_t *kan_fidelity_says_json(kan_text *words);

/* Adds the picture; writes the one that --picture asks for. */
KAN_MUST_USE kan_status kan_fidelity_picture(const kan_fidelity_walk *w, kan_text *to);
KAN_MUST_USE kan_status kan_fidelity_draw(const kan_fidelity_walk *w);

/* Columns of one table that are not compared, of those that the other does not have. */
bool kan_fidelity_is_alone(const kan_fidelity_walk *w, const kan_input *input, size_t column);

/* ---- models: of --regress (models.c, regress_json.c, regress_words.c), of --classify (classify_tell.c) */

/* Finds the columns that models name, and has them read; problems are told together. */
KAN_MUST_USE kan_status kan_models_find_columns(kan_fidelity_walk *w);
/* After everything was read and weighed. */
KAN_MUST_USE kan_status kan_models_measure(kan_fidelity_walk *w);
void kan_models_destroy(kan_fidelity_walk *w);

json_t *kan_regressions_json(const kan_fidelity_walk *w);
void kan_regressions_words(const kan_fidelity_walk *w, kan_text *text);
void kan_regression_sentences(const kan_fidelity_walk *w, const kan_asked_model *model,
                              kan_text *text);
json_t *kan_classifications_json(const kan_fidelity_walk *w);
void kan_classifications_words(const kan_fidelity_walk *w, kan_text *text);

#endif
