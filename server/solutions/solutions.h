/* The door of server/solutions, for the pages of promise, explore, compare and release: what is asked of the release, every solution,
 * and the one that is taken. Here is what they share: figures for people, axes of charts, how fresh
 * a result is, the registry of models and costs, and recoding models. */
#ifndef KANON_SERVER_SOLUTIONS_SOLUTIONS_H
#define KANON_SERVER_SOLUTIONS_SOLUTIONS_H

#include "recodings.h"
#include "server/pages/pages.h"

/* ---- figures -------------------------------------------------------------------------------- */

/* "677,167", "12.5", "3.1 %"; a dash for what is not a number. */
void sv_figure(sv_text *out, double value, bool is_share);
/* The number at a key of an object; NAN: none. */
double sv_number(const json_t *object, const char *key);

/* ---- axes ----------------------------------------------------------------------------------- */

/* From data to pixels. */
typedef struct sv_axis {
    double low, high, from, to;
    bool is_log, is_share;
} sv_axis;

/* An axis over what is to be shown, widened to round numbers; logarithmic where `may_log` and it
 * spans more than a factor of fifty. */
sv_axis sv_axis_over(double least, double most, double from, double to, bool may_log);
double sv_axis_at(const sv_axis *axis, double value);
/* Lines and numbers across a picture from x1 to x2, or up from y1 to y2. */
void sv_axis_draw_y(sv_text *out, const sv_axis *axis, double x1, double x2);
void sv_axis_draw_x(sv_text *out, const sv_axis *axis, double y1, double y2);

/* ---- results -------------------------------------------------------------------------------- */

/* Whether the result of a task was made with other settings than those of now. */
bool sv_is_stale(const sv_request *request, const sv_task_state *state);
bool sv_is_busy(const sv_task_state *state);
/* "made with other settings", with nothing else. */
void sv_stale_note(sv_text *out);

/* ---- columns -------------------------------------------------------------------------------- */

/* The name of the index-th quasi-identifier, without its hierarchy, and that of a sensitive column;
 * false: there are fewer. */
bool sv_quasi_name(const sv_project *project, size_t index, sv_text *out);
size_t sv_setting_count(const sv_project *project, const char *name);
/* What a setting of pairs (NAME=VALUE) says of a column, or of all (column NULL, no name before
 * it); NULL: nothing. */
const char *sv_pair(const sv_project *project, const char *setting, const char *column);

/* ---- registry ------------------------------------------------------------------------------- */

/* Whose a risk is: "person" where people are counted, else "row". */
const char *sv_risk_of(const sv_project *project);

/* Whether the promise has a model of the registry. */
bool sv_model_is_on(const sv_project *project, const json_t *model);
/* Whether it is the one that the setting `k` turns on. */
bool sv_model_is_k(const json_t *model);
/* The cost that the job asks for. */
const char *sv_cost(const sv_project *project);
/* What is said behind the name of a cost of a result: that it is by people, or nothing. */
const char *sv_cost_of_whom(const json_t *result);
/* Whether a search cuts ordered domains and goes on until it has a proof, which may be never: it gets
 * a time limit. The first of the registry; NULL: there is none. */
bool sv_search_proves_cuts(const json_t *registry, const json_t *search);
const json_t *sv_search_of_cuts(const json_t *registry);
/* The cost by which searches that cut ordered domains look: they take some, and whatever they find is
 * measured by all. NULL: that of the job. It is the registry's. */
const char *sv_cuts_cost(const sv_project *project, const json_t *registry);
/* <option>s of all costs. */
void sv_cost_options(sv_text *out, const json_t *registry, const char *chosen);

/* ---- commands ------------------------------------------------------------------------------- */

enum { SV_MOST_WORDS = 40 };

/* A command that is put together. The words are borrowed. */
typedef struct sv_words {
    const char *at[SV_MOST_WORDS + 1];
    size_t n;
} sv_words;

void sv_word(sv_words *words, const char *word);
void sv_word_pair(sv_words *words, const char *flag, const char *value);

#endif
