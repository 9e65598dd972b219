/* The page of the promise: what its files share. */
#ifndef KANON_SERVER_PROMISE_PROMISE_H
#define KANON_SERVER_PROMISE_PROMISE_H

#include "server/solutions/solutions.h"

enum { SV_MOST_TRIES = 3 };

/* A model of the registry in plain words, and values that are worth a try: each is a list of flags
 * and values, "l 3" or "at-risk 0.05 below 10". */
typedef struct sv_model {
    const char *name;  /* in the registry */
    const char *title; /* for people */
    const char *words;
    const char *tries[SV_MOST_TRIES];
    bool needs_population;
} sv_model;

/* NULL: the registry has grown, and nobody wrote words for it yet. */
const sv_model *sv_model_find(const char *name);
const sv_model *sv_model_at(size_t index);
/* Whether a model speaks of sensitive columns: its first option may name one. */
bool sv_model_is_sensitive(const json_t *model);

/* What an option of a model asks for, in plain words. */
const char *sv_option_words(const json_t *option);

/* The form, from <form> to </form>. */
void sv_promise_form(const sv_request *request, sv_text *out, const json_t *registry);

/* The form that brings a table of the population. */
void sv_population_form(const sv_request *request, sv_text *out);

/* Takes the fields of the form over into the settings, in memory: false, and `wrong` says why. What
 * has no field stays as it is. */
bool sv_promise_take(sv_request *request, sv_text *wrong);

/* Starts the task of estimates. */
bool sv_promise_run(const sv_request *request, sv_text *wrong);
/* What it found. */
void sv_promise_results(const sv_request *request, sv_text *out);
/* The chart of the loss against the limit, a line for each k of the cells. */
void sv_promise_chart(sv_text *out, const json_t *compared, const char *cost, double rows);
/* A limit as a share of the rows in per cent: "1%", "50"; 100 for all. */
double sv_limit_percent(const char *limit, double rows);

/* ---- handlers, for routes.c ------------------------------------------------------------------ */

void sv_promise(sv_request *request, sv_reply *reply);          /* GET  /p/NAME/promise          */
void sv_promise_change(sv_request *request, sv_reply *reply);   /* POST /p/NAME/promise          */
void sv_promise_estimate(sv_request *request, sv_reply *reply); /* POST /p/NAME/promise/estimate */
void sv_promise_population(sv_request *request, sv_reply *reply); /* POST .../promise/population */

#endif
