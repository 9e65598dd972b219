/* The page of the promise: what its files share. */
#ifndef KANON_SERVER_PROMISE_PROMISE_H
#define KANON_SERVER_PROMISE_PROMISE_H

#include "server/solutions/solutions.h"

/* ---- models of the registry ----------------------------------------------------------------- */

/* What is worth an estimate, flags with values: "l 3", "at-risk 0.05 below 10". NULL: no more. */
const char *sv_model_try(const json_t *model, size_t index);
/* Whether the table has what the model looks at: a sensitive column, a population. */
bool sv_model_fits(const sv_project *project, const json_t *model);

/* The index-th setting about people who have several rows, a choice with its words; NULL: there are
 * fewer. */
const kan_setting *sv_people_setting_at(size_t index);

/* ---- the page ------------------------------------------------------------------------------- */

/* The form, from <form> to </form>. */
void sv_promise_form(const sv_request *request, sv_text *out, const json_t *registry);

/* What others ask for, each with its source, as buttons that set k. */
void sv_promise_usual(const sv_request *request, sv_text *out);

/* The form that brings a table of the population. */
void sv_population_form(const sv_request *request, sv_text *out, const json_t *registry);

/* Takes the fields of the form over into the settings, in memory: false, and `wrong` says why. What
 * has no field stays as it is. */
bool sv_promise_take(sv_request *request, sv_text *wrong);

/* Starts the task of estimates. */
bool sv_promise_run(const sv_request *request, sv_text *wrong);
/* What it found. */
void sv_promise_results(const sv_request *request, sv_text *out, const json_t *registry);
/* The chart of the loss against the limit, a line for each k of the cells. */
/* `all`: of whom the limit is a part, rows or whoever is left out together. */
void sv_promise_chart(sv_text *out, const json_t *compared, const char *cost, double all,
                      const char *counted);
/* What is left out together, and counted by the limit: "rows", "households" or "people". */
const char *sv_limit_counts(const sv_project *project);
/* How many of them the table has; 0: nobody counted them. */
double sv_limit_all(const sv_request *request, double rows);
/* A limit as a share of the rows in per cent: "1%", "50"; 100 for all. */
double sv_limit_percent(const char *limit, double rows);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_promise(sv_request *request, sv_reply *reply);          /* GET  /p/NAME/promise          */
void sv_promise_change(sv_request *request, sv_reply *reply);   /* POST /p/NAME/promise          */
void sv_promise_estimate(sv_request *request, sv_reply *reply); /* POST /p/NAME/promise/estimate */
void sv_promise_population(sv_request *request, sv_reply *reply); /* POST .../promise/population */

#endif
