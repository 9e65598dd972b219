/* Finished trials as JSON and as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/streams/streams.h"
#include "job/compare/compare_inside.h"
#include "job/outcome/outcome.h"
#include "job/settings/settings.h"

static kan_status no_memory(const kan_compare *compare) {
    return kan_fail(compare->run, KAN_FAILED, "out of memory while the comparison was written");
}

/* ---- one trial ------------------------------------------------------------------------------- */

/* What was asked for; all that a trial has before it is finished. */
static json_t *asked_json(const kan_compare_trial *trial) {
    uint64_t k = 0;
    const bool has_k = trial->k && kan_parse_count(trial->k, &k);
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o}", "algorithm", trial->algorithm, "cost",
                     trial->cost, "k", has_k ? kan_json_count(k) : json_null(), "suppress",
                     trial->suppress, "command", kan_json_text(trial->command), "asked_recoding",
                     trial->recoding ? json_string(trial->recoding) : json_null());
}

/* The same value at a path of the search's own JSON; null where there is none. */
static json_t *copied(const json_t *search, const char *outer, const char *key) {
    json_t *value = json_object_get(outer ? json_object_get(search, outer) : search, key);
    return value ? json_incref(value) : json_null();
}

/* Prosecutor risk, as analyze/risk/risk.h defines it: one over the rows of the smallest group, and
 * groups over rows. Nothing that was left out can be recognised. Where people are counted, that of a
 * person; with --missing-matches by the rows that match her. */
static json_t *risk_json(const json_t *search) {
    json_t *of_people = json_object_get(json_object_get(search, "person"), "risk");
    json_t *of_matches = json_object_get(json_object_get(search, "matches"), "risk");
    if (of_people || of_matches)
        return json_incref(of_people ? of_people : of_matches);
    const json_t *solution = json_object_get(search, "solution");
    const double groups = json_number_value(json_object_get(solution, "groups"));
    const double smallest = json_number_value(json_object_get(solution, "smallest_group"));
    const double rows =
        json_number_value(json_object_get(json_object_get(search, "input"), "rows")) -
        json_number_value(json_object_get(json_object_get(search, "suppression"), "rows"));
    return json_pack("{s:o, s:o}", "highest", kan_json_real(smallest > 0 ? 1 / smallest : 0),
                     "average", kan_json_real(rows > 0 ? groups / rows : 0));
}

/* --missing-matches: what takes the place of groups. */
static json_t *matches_json(const json_t *search) {
    const json_t *matches = json_object_get(search, "matches");
    const double people = json_number_value(json_object_get(matches, "fewest_people"));
    const double rows = json_number_value(json_object_get(matches, "fewest_rows"));
    if (!json_is_object(matches))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "fewest",
                     json_integer((json_int_t)(people < rows ? people : rows)), "hidden",
                     copied(matches, NULL, "hidden"), "least_hidden",
                     copied(matches, NULL, "least_hidden"), "hidden_by_groups",
                     copied(matches, NULL, "hidden_by_groups"));
}

static json_t *solved_json(const json_t *search) {
    return json_pack(
        "{s:i, s:n, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o}",
        "status", 0, "error", "verified", copied(search, NULL, "verified"), "search",
        copied(search, NULL, "algorithm"), "recoding", copied(search, NULL, "recoding"),
        "recoding_model", copied(search, NULL, "recoding_model"), "optimal",
        copied(search, NULL, "optimal"), "bound", copied(search, NULL, "bound"), "effort",
        copied(search, NULL, "effort"), "gap", copied(search, NULL, "gap"), "groups",
        copied(search, "solution", "groups"), "smallest_group",
        copied(search, "solution", "smallest_group"), "suppressed",
        copied(search, "suppression", "rows"), "suppression_limit",
        copied(search, "suppression", "limit"), "metrics", copied(search, NULL, "metrics"), "sse",
        copied(search, NULL, "sse"), "risk", risk_json(search), "time_ms", "search",
        copied(search, "time_ms", "search"), "verify", copied(search, "time_ms", "verify"), "total",
        copied(search, "time_ms", "total"), "count", copied(search, NULL, "count"), "matches",
        matches_json(search), "utility", copied(search, NULL, "utility"), "models",
        copied(search, NULL, "models"));
}

/* The same of several tables: groups are people with one tree, or those of all tables. */
static json_t *solved_tables_json(const json_t *search) {
    const json_t *people = json_object_get(search, "people");
    json_t *groups = json_object_get(people, json_object_get(people, "trees") ? "trees" : "groups");
    return json_pack(
        "{s:i, s:n, s:o, s:s, s:s, s:n, s:o, s:o, s:o, s:n, s:o, s:o, s:o, s:o, s:o, s:n, s:o, "
        "s:{s:o, s:o, s:o}, s:n, s:n, s:n, s:n}",
        "status", 0, "error", "verified", copied(search, NULL, "verified"), "search", "levels",
        "recoding", "full-domain", "recoding_model", "optimal", copied(search, NULL, "optimal"),
        "bound", copied(search, NULL, "bound"), "effort", copied(search, NULL, "nodes_checked"),
        "gap", "groups", groups ? json_incref(groups) : json_null(), "smallest_group",
        copied(search, "people", "fewest"), "suppressed", copied(search, NULL, "suppressed_people"),
        "suppression_limit", copied(search, "people", "limit"), "metrics",
        copied(search, NULL, "metrics"), "sse", "risk", copied(search, NULL, "risk"), "time_ms",
        "search", copied(search, "time_ms", "search"), "verify",
        copied(search, "time_ms", "verify"), "total", copied(search, "time_ms", "total"), "count",
        "matches", "utility", "models");
}

/* Every key that a solved trial has, so that readers need not ask. */
static json_t *failed_json(kan_status status, const char *error) {
    const size_t size = strcspn(error, "\n");
    return json_pack("{s:i, s:o, s:b, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, "
                     "s:n, s:n, s:n, s:n, s:n, s:n, s:n}",
                     "status", (int)status, "error", kan_json_slice((kan_slice){error, size}),
                     "verified", false, "search", "recoding", "recoding_model", "optimal", "bound",
                     "effort", "gap", "groups", "smallest_group", "suppressed", "suppression_limit",
                     "metrics", "sse", "risk", "time_ms", "count", "matches", "utility", "models");
}

/* As json_object_update_missing, which does not tell of a key that it had no memory for. */
static bool add_missing(json_t *object, json_t *other) {
    const char *key;
    json_t *value;
    json_object_foreach(other, key, value) {
        if (!json_object_get(object, key) && json_object_set(object, key, value) != 0)
            return false;
    }
    return true;
}

/* Takes both over. */
static kan_status finish(const kan_compare *compare, kan_compare_trial *trial, json_t *found,
                         bool is_resumed) {
    json_t *json = asked_json(trial);
    const bool is_made = json && found && add_missing(json, found) &&
                         json_object_set_new(json, "resumed", json_boolean(is_resumed)) == 0;
    json_decref(found);
    if (is_made) {
        trial->json = json;
        return KAN_OK;
    }
    json_decref(json);
    return no_memory(compare);
}

kan_status kan_compare_take(kan_compare *compare, kan_compare_trial *trial, kan_status status,
                            const char *search_json) {
    if (status != KAN_OK)
        return finish(compare, trial, failed_json(status, kan_run_error(compare->run)), false);
    json_t *search = json_loads(search_json, 0, NULL);
    json_t *found = !search               ? NULL
                    : compare->job->parts ? solved_tables_json(search)
                                          : solved_json(search);
    if (search && compare->job->parts)
        compare->n_rows =
            (uint64_t)json_integer_value(json_object_get(json_object_get(search, "people"), "all"));
    json_decref(search);
    return finish(compare, trial, found, false);
}

kan_status kan_compare_take_saved(kan_compare *compare, kan_compare_trial *trial, json_t *saved) {
    return finish(compare, trial, saved, true);
}

bool kan_compare_is_solved(const kan_compare_trial *trial) {
    return trial->json && json_integer_value(json_object_get(trial->json, "status")) == 0;
}

double kan_compare_number(const kan_compare_trial *trial, const char *path) {
    const json_t *at = kan_compare_is_solved(trial) ? trial->json : NULL;
    char part[32];
    for (const char *rest = path; *rest;) {
        const size_t size = strcspn(rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)size, rest);
        at = json_is_array(at) ? json_array_get(at, strtoul(part, NULL, 10))
                               : json_object_get(at, part);
        rest += size + (rest[size] == '.');
    }
    return json_is_number(at) ? json_number_value(at) : NAN;
}

bool kan_compare_has(const kan_compare *compare, const char *path) {
    for (size_t i = 0; i < compare->n_trials; i++)
        if (isfinite(kan_compare_number(&compare->trials[i], path)))
            return true;
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int add_text(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return ((kan_text *)text)->failed ? -1 : 0;
}

/* Takes the value over. */
static bool add_json(kan_text *text, const char *before, json_t *value) {
    kan_text_print(text, "%s", before);
    const bool is_added =
        value &&
        json_dump_callback(value, add_text, text, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) == 0;
    json_decref(value);
    return is_added;
}

static json_t *input_json(const kan_compare *compare) {
    const char *path = kan_compare_path(compare);
    return json_pack("{s:o, s:o}", "path", path ? kan_json_text(path) : json_null(), "rows",
                     compare->n_rows ? kan_json_count(compare->n_rows) : json_null());
}

static json_t *add_names(const kan_job *job, json_t *names) {
    for (size_t i = 0; i < kan_role_count(&job->options, KAN_ROLE_QUASI); i++)
        names = kan_json_append(names,
                                kan_json_slice(kan_role_at(&job->options, KAN_ROLE_QUASI, i).name));
    return names;
}

static json_t *names_json(const kan_compare *compare) {
    json_t *names = add_names(compare->job, json_array());
    for (const kan_job_part *part = compare->job->parts; part; part = part->next)
        names = add_names(part->job, names);
    return names;
}

static json_t *trial_json(const kan_compare_trial *trial) {
    return trial->json ? json_incref(trial->json) : asked_json(trial);
}

kan_status kan_compare_json(const kan_compare *compare, kan_result *out) {
    kan_text *text = &out->json;
    bool is_added = add_json(text, "{\"kanon\": ", json_string(KANON_VERSION)) &&
                    add_json(text, ",\n \"command\": ", json_string("compare")) &&
                    add_json(text, ",\n \"input\": ", input_json(compare)) &&
                    add_json(text, ",\n \"quasi_identifiers\": ", names_json(compare));
    kan_text_print(text, ",\n \"cells\": [");
    for (size_t i = 0; is_added && i < compare->n_trials; i++)
        is_added = add_json(text, i ? ",\n  " : "\n  ", trial_json(&compare->trials[i]));
    is_added =
        is_added &&
        add_json(text, "],\n \"interrupted\": ", json_boolean(compare->is_interrupted)) &&
        add_json(text, ",\n \"time_ms\": ",
                 json_pack("{s:o, s:o}", "read", kan_json_time(compare->read_ms), "total",
                           kan_json_time(compare->total_ms))) &&
        add_json(text,
                 ",\n \"peak_memory_bytes\": ", kan_json_count(kan_run_peak_memory(compare->run)));
    kan_text_print(text, "}\n");
    return is_added && !text->failed ? KAN_OK : no_memory(compare);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_field(kan_text *text, const char *field) {
    if (!strpbrk(field, ",\"\r\n")) {
        kan_text_print(text, "%s,", field);
        return;
    }
    kan_text_print(text, "\"");
    for (; *field; field++)
        kan_text_print(text, *field == '"' ? "\"\"" : "%c", *field);
    kan_text_print(text, "\",");
}

static void add_number(kan_text *text, const kan_compare_trial *trial, const char *path) {
    const double value = kan_compare_number(trial, path);
    if (isfinite(value))
        kan_text_print(text, "%.15g", value);
    kan_text_print(text, ",");
}

/* "exit 3: ...", so that no spreadsheet takes a flag at its beginning for a formula. */
static void add_outcome(kan_text *text, const kan_compare *compare,
                        const kan_compare_trial *trial) {
    const char *error = json_string_value(json_object_get(trial->json, "error"));
    kan_text line;
    kan_text_init(&line, compare->run);
    kan_text_print(&line, "%s", error ? "" : "solved");
    if (error)
        kan_text_print(&line, "exit %d: %s",
                       (int)json_integer_value(json_object_get(trial->json, "status")), error);
    text->failed |= line.failed;
    if (!line.failed)
        add_field(text, line.bytes);
    kan_text_destroy(&line);
}

static const char *const of_regression[] = {"mean_overlap", "lost", "coefficients"},
                         *const of_class[] = {"accuracy", "auc", "original_accuracy",
                                              "original_auc", "majority"};
static const size_t n_of_regression = sizeof of_regression / sizeof *of_regression,
                    n_of_class = sizeof of_class / sizeof *of_class;

/* Of all models; their names where trial is NULL, with a number behind where there are several. */
static void add_models(kan_text *text, const kan_compare *compare, const kan_compare_trial *trial) {
    for (int is_regression = 1; is_regression >= 0; is_regression--) {
        const size_t n = kan_compare_count_models(compare, is_regression);
        const size_t n_keys = is_regression ? n_of_regression : n_of_class;
        for (size_t m = 0; m < n; m++)
            for (size_t i = 0; i < n_keys; i++) {
                char path[64];
                const char *key = is_regression ? of_regression[i] : of_class[i];
                kan_compare_model_path(is_regression, m, key, path);
                if (trial)
                    add_number(text, trial, path);
                else if (n > 1)
                    kan_text_print(text, "%s_%zu,", key, m + 1);
                else
                    kan_text_print(text, "%s,", key);
            }
    }
}

static void add_row(kan_text *text, const kan_compare *compare, const kan_compare_trial *trial) {
    static const char *const before[] = {"groups", "smallest_group", "suppressed"},
                             *const matches[] = {"matches.fewest", "matches.hidden",
                                                 "matches.least_hidden"},
                             *const utility[] = {"utility.pmse",  "utility.pmse_ratio",
                                                 "utility.moved", "utility.moved_by_shares",
                                                 "utility.il1s",  "utility.eigenvalues"},
                             *const after[] = {"risk.highest", "risk.average", "time_ms.search"};
    const size_t n_utility = sizeof utility / sizeof *utility;
    if (compare->recodings.n > 0)
        add_field(text, trial->recoding);
    add_field(text, trial->algorithm);
    add_field(text, trial->cost);
    add_field(text, trial->k ? trial->k : "");
    add_field(text, trial->suppress);
    add_outcome(text, compare, trial);
    for (size_t i = 0; i < 3; i++)
        add_number(text, trial, before[i]);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++) {
        char path[128];
        snprintf(path, sizeof path, "metrics.%s", kan_registry_at(KAN_FAMILY_COST, i)->name);
        add_number(text, trial, path);
    }
    if (kan_compare_has(compare, "sse"))
        add_number(text, trial, "sse");
    for (size_t i = 0; i < 3 && kan_compare_has(compare, "matches.fewest"); i++)
        add_number(text, trial, matches[i]);
    for (size_t i = 0; i < n_utility && kan_compare_has(compare, "utility.moved"); i++)
        add_number(text, trial, utility[i]);
    add_models(text, compare, trial);
    for (size_t i = 0; i < 3; i++)
        add_number(text, trial, after[i]);
    add_field(text, trial->command);
    if (!text->failed)
        text->bytes[text->size - 1] = '\n'; /* in the place of the last comma */
}

kan_status kan_compare_write_csv(const kan_compare *compare) {
    const char *path = kan_options_find(&compare->job->options, "output");
    kan_text text;
    if (!path)
        return KAN_OK;
    kan_text_init(&text, compare->run);
    kan_text_print(&text, "%s", compare->recodings.n > 0 ? "recoding," : "");
    kan_text_print(&text, "algorithm,cost,k,suppress,outcome,groups,smallest_group,suppressed,");
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST); i++)
        kan_text_print(&text, "%s,", kan_registry_at(KAN_FAMILY_COST, i)->name);
    kan_text_print(&text, "%s", kan_compare_has(compare, "sse") ? "sse," : "");
    if (kan_compare_has(compare, "matches.fewest"))
        kan_text_print(&text, "fewest_matches,hidden_cells,least_hidden_cells,");
    if (kan_compare_has(compare, "utility.moved"))
        kan_text_print(&text, "pmse,pmse_ratio,moved,moved_by_shares,il1s,eigenvalues,");
    add_models(&text, compare, NULL);
    kan_text_print(&text, "risk_highest,risk_average,search_ms,command\n");
    for (size_t i = 0; i < compare->n_trials; i++)
        add_row(&text, compare, &compare->trials[i]);
    const kan_status status = kan_compare_write_text(compare, path, &text);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_compare_write_text(const kan_compare *compare, const char *path,
                                  const kan_text *text) {
    const bool overwrite = kan_options_switch(&compare->job->options, "force");
    KAN_TRY(kan_text_status(text));
    return kan_target_put(compare->run, path, overwrite, KAN_TARGET_SHARED, text->bytes,
                          text->size);
}
