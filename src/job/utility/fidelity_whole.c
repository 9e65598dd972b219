/* What `utility` found without a workload of the table as a whole: all numbers together, and how well a
 * model tells the two tables apart. */
#include <stdio.h>

#include "analyze/fit/fit.h"
#include "core/wording.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

enum { LINE = 80, INDENT = 2 };

static void add_sentence(kan_text *text, const char *words) {
    kan_text_print(text, "%*s", INDENT, "");
    kan_text_add_wrapped(text, words, INDENT, INDENT, LINE);
}

/* ---- all numbers together ------------------------------------------------------------------- */

static const char *const absent_words[] = {
    [KAN_ABSENT_NUMBERS] = "numbers", [KAN_ABSENT_ROWS] = "rows",
    [KAN_ABSENT_HIDDEN] = "hidden",   [KAN_ABSENT_TIED] = "tied",
    [KAN_ABSENT_WIDE] = "wide",       [KAN_ABSENT_UNSETTLED] = "unsettled"};

static json_t *figure_json(kan_absence absence, double figure, size_t columns) {
    const bool is_there = absence == KAN_ABSENT_NOT;
    return json_pack("{s:o, s:o, s:o}", "value", is_there ? kan_json_real(figure) : json_null(),
                     "columns", kan_json_count(columns), "absent",
                     is_there ? json_null() : json_string(absent_words[absence]));
}

json_t *kan_fidelity_numbers_json(const kan_fidelity_walk *w) {
    const kan_numbers_fidelity *numbers = &w->of_numbers;
    json_t *il1s = figure_json(numbers->no_il1s, numbers->il1s, numbers->n_il1s);
    il1s = kan_json_set(il1s, "compared",
                        numbers->no_il1s == KAN_ABSENT_NOT ? kan_json_real(numbers->compared)
                                                           : json_null());
    return json_pack("{s:o, s:o}", "il1s", il1s, "eigenvalues",
                     figure_json(numbers->no_eigen, numbers->eigen, numbers->n_eigen));
}

static void add_il1s(const kan_fidelity_walk *w, kan_text *text) {
    const kan_numbers_fidelity *numbers = &w->of_numbers;
    char sentence[1024], share[KAN_PERCENT_BYTES];
    if (numbers->no_il1s == KAN_ABSENT_ROWS)
        snprintf(sentence, sizeof sentence,
                 "IL1s is left out: it needs to know which row was made from which, and the rows "
                 "of %s are not those of %s in their order.",
                 w->release.name, w->original.name);
    else if (numbers->no_il1s == KAN_ABSENT_HIDDEN)
        snprintf(sentence, sizeof sentence,
                 "IL1s is left out: no cell has a number before and after.");
    else if (numbers->compared < 1)
        snprintf(sentence, sizeof sentence,
                 "IL1s, how far cells moved: %.4g over %zu %s of numbers; %s of their cells have a "
                 "number before and after, the others add nothing.",
                 numbers->il1s, numbers->n_il1s, numbers->n_il1s == 1 ? "column" : "columns",
                 kan_percent_text(100 * numbers->compared, KAN_PERCENT_TIGHT, share));
    else
        snprintf(sentence, sizeof sentence,
                 "IL1s, how far cells moved: %.4g over %zu %s of numbers.", numbers->il1s,
                 numbers->n_il1s, numbers->n_il1s == 1 ? "column" : "columns");
    if (numbers->no_il1s != KAN_ABSENT_NUMBERS)
        add_sentence(text, sentence);
}

static void add_eigen(const kan_fidelity_walk *w, kan_text *text) {
    const kan_numbers_fidelity *numbers = &w->of_numbers;
    char sentence[256];
    if (numbers->no_eigen == KAN_ABSENT_TIED)
        snprintf(sentence, sizeof sentence,
                 "The difference of eigenvalues is left out: in the original a column of numbers "
                 "follows from the others.");
    else
        snprintf(sentence, sizeof sentence,
                 "Eigenvalues of the correlations of %zu columns of numbers: difference %.4g.",
                 numbers->n_eigen, numbers->eigen);
    if (numbers->no_eigen != KAN_ABSENT_NUMBERS)
        add_sentence(text, sentence);
}

/* ---- propensity ----------------------------------------------------------------------------- */

static json_t *bins_json(const double *bins) {
    json_t *json = json_array();
    for (size_t i = 0; i < KAN_PROPENSITY_BINS; i++)
        json = kan_json_append(json, kan_json_real(bins[i]));
    return json;
}

static json_t *guesses_json(const kan_propensity *found) {
    return json_pack("{s:o, s:o, s:o, s:o}", "least", kan_json_real(found->least), "greatest",
                     kan_json_real(found->greatest), "original", bins_json(found->original),
                     "release", bins_json(found->released));
}

json_t *kan_fidelity_propensity_json(const kan_fidelity_walk *w) {
    const kan_propensity *found = &w->propensity;
    const bool is_there = found->absent == KAN_ABSENT_NOT;
    json_t *json = json_pack("{s:o, s:o, s:o, s:o}", "absent",
                             is_there ? json_null() : json_string(absent_words[found->absent]),
                             "rows", kan_json_count((uint64_t)found->rows), "released_share",
                             kan_json_real(found->released_share), "guesses",
                             is_there ? guesses_json(found) : json_null());
    json = kan_json_set(json, "pmse", is_there ? kan_json_real(found->pmse) : json_null());
    json = kan_json_set(json, "expected", is_there ? kan_json_real(found->expected) : json_null());
    json = kan_json_set(json, "ratio",
                        found->expected > 0 ? kan_json_real(found->ratio) : json_null());
    json = kan_json_set(json, "parameters",
                        is_there ? kan_json_count(found->n_parameters) : json_null());
    return kan_json_set(json, "separated",
                        is_there ? kan_json_count(found->n_separated) : json_null());
}

/* Three digits, and all of what is whole. */
static const char *ratio_text(double ratio, char room[32]) {
    if (ratio >= 1000 && ratio < 1e15)
        return kan_count_text((uint64_t)ratio, room);
    snprintf(room, 32, "%.3g", ratio);
    return room;
}

void kan_fidelity_propensity_words(const kan_fidelity_walk *w, char *room, size_t size) {
    const kan_propensity *found = &w->propensity;
    char ratio[32];
    if (found->absent == KAN_ABSENT_WIDE)
        snprintf(room, size,
                 "The propensity score is left out: its model would have more than %d parameters; "
                 "--drop NAME leaves columns out.",
                 KAN_DESIGN_MOST_COLUMNS);
    else if (found->absent == KAN_ABSENT_UNSETTLED)
        snprintf(room, size, "The propensity score is left out: its model did not converge.");
    else if (found->pmse == 0)
        snprintf(room, size,
                 "Propensity score: a logistic model of %zu %s cannot tell the two tables apart "
                 "(pMSE 0).",
                 found->n_parameters, kan_plural(found->n_parameters, "parameter", "parameters"));
    else
        snprintf(room, size,
                 "Propensity score: a logistic model of %zu parameters tells the two tables apart "
                 "with pMSE %.3g, %s times what an independent draw from the same distribution "
                 "would give.",
                 found->n_parameters, found->pmse, ratio_text(found->ratio, ratio));
}

static void add_propensity(const kan_fidelity_walk *w, kan_text *text) {
    char sentence[512];
    kan_fidelity_propensity_words(w, sentence, sizeof sentence);
    add_sentence(text, sentence);
}

void kan_fidelity_whole_words(const kan_fidelity_walk *w, kan_text *text) {
    add_il1s(w, text);
    add_eigen(w, text);
    add_propensity(w, text);
}
