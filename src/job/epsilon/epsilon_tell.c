/* What is told of a release of drawn rows. All of it follows from settings, from names of columns and
 * from released rows: no row that was read, drawn or left out is counted, and nothing is timed. */
#include <inttypes.h>
#include <math.h>

#include "job/epsilon/epsilon_inside.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *kan_epsilon_promise_json(const kan_draws *draws) {
    return json_pack("{s:s,s:o,s:o,s:o,s:o}", "model", "differential-privacy", "epsilon",
                     kan_json_real(draws->epsilon), "delta", kan_json_real(draws->delta), "k",
                     kan_json_count(draws->k), "drawn", kan_json_real(draws->share));
}

static json_t *column_json(const kan_epsilon_job *e, const kan_epsilon_column *column) {
    const kan_epsilon_rule *rule = column->quasi >= 0 ? &e->rules[column->quasi] : NULL;
    return json_pack("{s:o,s:s,s:o,s:o,s:o}", "name", kan_json_text(column->name), "role",
                     kan_role_word(e->setup.roles[column->column]), "hierarchy",
                     rule ? kan_json_text(rule->origin) : json_null(), "height",
                     rule ? json_integer(rule->height) : json_null(), "level",
                     rule ? json_integer(rule->level) : json_null());
}

static kan_status set_json(const kan_epsilon_job *e, const char *output, kan_result *out) {
    const kan_drawn *drawn = &e->drawn;
    json_t *columns = json_array(), *names = json_array(), *levels = json_array();
    for (size_t i = 0; i < e->n_columns; i++)
        columns = kan_json_append(columns, column_json(e, &e->columns[i]));
    for (unsigned a = 0; a < e->setup.n_quasi; a++) {
        names = kan_json_append(names, kan_json_text(e->rules[a].name));
        levels = kan_json_append(levels, json_integer(e->rules[a].level));
    }
    return kan_result_set_json(
        out, json_pack("{s:s,s:s,s:o,s:o,s:s,s:{s:o},s:o,s:{s:o,s:o,s:o},s:{s:o,s:b}}", "kanon",
                       KANON_VERSION, "command", "anonymize", "promise",
                       kan_epsilon_promise_json(&e->draws), "quasi_identifiers", names, "recoding",
                       kan_recoding_name(KAN_RECODING_LEVELS), "solution", "levels", levels,
                       "columns", columns, "released", "rows", kan_json_count(drawn->n_rows),
                       "groups", kan_json_count(drawn->n_groups), "smallest_group",
                       kan_json_count(drawn->smallest), "release", "path", kan_json_text(output),
                       "verified", 1));
}

/* ---- words ---------------------------------------------------------------------------------- */

void kan_epsilon_add_promise(const kan_draws *draws, kan_text *text) {
    kan_text_print(text,
                   "  %-12sdifferential privacy with epsilon %.10g and delta %.10g: with a row or "
                   "without it, no\n"
                   "  %-12srelease becomes more than %.3g times as likely, save with probability "
                   "delta\n",
                   "promise", draws->epsilon, draws->delta, "", exp(draws->epsilon));
}

static void add_levels(const kan_epsilon_job *e, kan_text *text) {
    char quoted[256];
    for (unsigned a = 0; a < e->n_rules; a++)
        kan_text_print(text, "%s%s level %u of %u", a == 0 ? "  levels      " : ", ",
                       kan_quote(kan_slice_of(e->rules[a].name), quoted), e->rules[a].level,
                       e->rules[a].height);
    if (e->n_rules > 0)
        kan_text_print(text, "\n");
}

static void add_as_is(const kan_epsilon_job *e, kan_text *text) {
    char quoted[256];
    bool is_first = true;
    for (size_t i = 0; i < e->n_columns; i++) {
        if (e->columns[i].quasi >= 0)
            continue;
        kan_text_print(text, "%s%s", is_first ? "  as it is    " : ", ",
                       kan_quote(kan_slice_of(e->columns[i].name), quoted));
        is_first = false;
    }
    if (!is_first)
        kan_text_print(text, ": part of what a group shows\n");
}

kan_status kan_epsilon_tell(const kan_epsilon_job *e, const char *output, kan_result *out) {
    const kan_draws *draws = &e->draws;
    kan_text *text = &out->summary;
    char rows[32], groups[32];
    kan_text_print(text, "%s: %s %s\n\n", output, kan_count_text(e->drawn.n_rows, rows),
                   kan_plural(e->drawn.n_rows, "row", "rows"));
    kan_epsilon_add_promise(draws, text);
    kan_text_print(text,
                   "  %-12seach row with probability %.4f, by the system's randomness; which ones "
                   "is kept nowhere\n"
                   "  %-12sof drawn rows that show the same in every column, at least %" PRIu64
                   "; others are left out\n",
                   "drawn", draws->share, "groups", draws->k);
    add_levels(e, text);
    add_as_is(e, text);
    kan_text_print(text,
                   "  %-12sa further release of these people spends its own epsilon and delta, and "
                   "they add up: two\n"
                   "  %-12slike this come to %.10g and %.10g\n"
                   "  %-12swhoever has several rows, and levels or hierarchies that were chosen by "
                   "looking at the table\n",
                   "spent", "", 2 * draws->epsilon, 2 * draws->delta, "not covered");
    kan_text_print(text, "  %-12sread again and counted before it was named: %s %s", "verified",
                   kan_count_text(e->drawn.n_groups, groups),
                   kan_plural(e->drawn.n_groups, "group", "groups"));
    if (e->drawn.n_groups > 0)
        kan_text_print(text, ", the smallest of %s rows", kan_count_text(e->drawn.smallest, rows));
    kan_text_print(text, "\n");
    KAN_TRY(kan_text_status(text));
    return set_json(e, output, out);
}
