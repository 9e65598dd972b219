/* From an answer to a certificate, and to its file.
 *
 * The nodes are those of the search; what is said of each is counted by src/analyze, from the rows,
 * and a node that is not what the search says ends the job. No value and no label is written. The
 * bytes depend on the input and the options alone. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/inspect/certificate_file.h"
#include "job/outcome/outcome_json.h"
#include "job/settings/registry.h"

/* ---- what can be certified ------------------------------------------------------------------ */

static const char *wanted_path(const kan_setup *setup) {
    return kan_options_find(&setup->job->options, "certificate");
}

static kan_status refuse_search(const kan_setup *setup) {
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (kind->finds_all && used < sizeof names - 1)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     kind->kind.name);
    }
    const char *cuts = setup->search->local     ? "takes several of them in one column"
                       : setup->search->regions ? "cuts the table into regions"
                                                : "cuts values into intervals";
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--certificate: a certificate is about levels of hierarchies, and "
                        "--algorithm %s %s; leave --certificate out, or use one of: %s",
                        setup->search->kind.name, cuts, names);
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--certificate: --algorithm %s does not look for all generalizations that "
                    "satisfy, so it can prove nothing about the others; use one that does: %s",
                    setup->search->kind.name, names);
}

kan_status kan_certificate_is_possible(const kan_setup *setup) {
    const kan_promise *promise = &setup->promise;
    bool needs_class;
    if (!wanted_path(setup))
        return KAN_OK;
    if (kan_search_orders(setup->search) || !setup->search->finds_all)
        return refuse_search(setup);
    for (unsigned m = 0; m < promise->n_models; m++)
        if (promise->models[m].kind != &kan_privacy_k_anonymity)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--certificate: there is no certificate for %s, only for k-anonymity; "
                            "leave one of the two out",
                            promise->models[m].kind->kind.name);
    if (!kan_certificate_knows(setup->cost->kind.name, &needs_class))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--certificate: the check does not know the cost %s; choose another with "
                        "--cost, such as discernibility",
                        setup->cost->kind.name);
    return KAN_OK;
}

/* ---- making --------------------------------------------------------------------------------- */

static kan_status copy_name(kan_certificate *certificate, const char *name, const char **out) {
    json_t *clean = kan_json_text(name);
    if (!clean)
        return kan_fail(certificate->run, KAN_FAILED, "out of memory");
    kan_status status = kan_arena_copy(&certificate->arena, json_string_value(clean),
                                       json_string_length(clean), out);
    json_decref(clean);
    return status;
}

static kan_status copy_nodes(kan_certificate *certificate, const uint8_t *levels, size_t n,
                             kan_certificate_nodes *out) {
    KAN_TRY(kan_certificate_reserve(certificate, out, n));
    if (n > 0)
        memcpy(out->levels, levels, n * certificate->n_attributes);
    return KAN_OK;
}

static void take_solution(const kan_solution *solution, bool must_release,
                          kan_certificate *certificate) {
    const kan_answer *answer = &solution->answer;
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        certificate->solution.levels[a] = (uint8_t)answer->recoding.levels[a];
    certificate->solution.n_suppressed = solution->groups.n_suppressed;
    certificate->solution.cost = solution->setup->cost->kind.name;
    certificate->solution.is_optimal = answer->is_optimal;
    certificate->solution.must_release = must_release;
    certificate->solution.value = (kan_certificate_cost){
        .is_finite = __builtin_isfinite(answer->score.real),
        .is_whole = answer->score.is_whole && answer->score.whole <= INT64_MAX,
        .whole = answer->score.is_whole ? (uint64_t)answer->score.whole : 0,
        .real = answer->score.real};
}

static kan_status take_claims(const kan_setup *setup, const kan_solution *solution,
                              bool must_release, kan_certificate *certificate,
                              kan_certificate_data *data) {
    const kan_answer *answer = &solution->answer;
    bool needs_class;
    data->table = setup->table;
    data->n_attributes = certificate->n_attributes = setup->n_quasi;
    certificate->is_weighted = setup->problem.is_weighted && setup->cost->uses_weights;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        data->columns[a] = setup->quasi[a];
        data->hierarchies[a] = setup->hierarchies[a];
        certificate->attributes[a].weight = setup->problem.weights[a];
        KAN_TRY(copy_name(certificate, setup->table->columns[setup->quasi[a]].name,
                          &certificate->attributes[a].name));
    }
    (void)kan_certificate_knows(setup->cost->kind.name, &needs_class);
    for (size_t c = 0; needs_class && c < setup->table->n_columns; c++)
        if (setup->roles[c] == KAN_ROLE_CLASS) {
            data->has_class = true;
            data->class_column = c;
            KAN_TRY(
                copy_name(certificate, setup->table->columns[c].name, &certificate->class_name));
        }
    certificate->limit = setup->promise.limit;
    KAN_TRY(kan_setup_recounted_k(setup, &certificate->k));
    take_solution(solution, must_release, certificate);
    KAN_TRY(copy_nodes(certificate, answer->minimal, answer->n_minimal, &certificate->minimal));
    return copy_nodes(certificate, answer->failing, answer->n_failing, &certificate->failing);
}

static kan_status make(const kan_setup *setup, const kan_solution *solution, bool must_release,
                       kan_text *text) {
    kan_certificate certificate;
    kan_certificate_data data = {0};
    kan_certificate_init(&certificate, setup->run);
    kan_status status = take_claims(setup, solution, must_release, &certificate, &data);
    if (status == KAN_OK)
        status = kan_certificate_make(&certificate, &data);
    if (status == KAN_OK)
        status = kan_certificate_print(&certificate, text);
    kan_certificate_destroy(&certificate);
    return status;
}

kan_status kan_certificate_write(const kan_setup *setup, const kan_solution *solution,
                                 bool must_release, kan_target **out) {
    const char *path = wanted_path(setup);
    kan_status status;
    kan_target *target = NULL;
    kan_text text;
    *out = NULL;
    if (!path)
        return KAN_OK;
    if (!solution->answer.is_complete)
        return kan_fail(setup->run, KAN_UNSATISFIED,
                        "--certificate: not every generalization is known to satisfy or to fail, "
                        "so there is nothing to certify; %s, or leave --certificate out",
                        solution->answer.is_optimal
                            ? "there are too many to keep account of: name fewer "
                              "quasi-identifiers, or give hierarchies with fewer levels"
                            : "give the search more time with --time-limit");
    kan_text_init(&text, setup->run);
    KAN_TRY_DONE(make(setup, solution, must_release, &text));
    KAN_TRY_DONE(kan_target_open(setup->run, path,
                                 kan_options_switch(&setup->job->options, "force"),
                                 KAN_TARGET_PRIVATE, &target));
    KAN_TRY_DONE(kan_target_write(target, text.bytes, text.size));
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    *out = target;
done:
    if (status != KAN_OK)
        kan_target_close(target);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_certificate_commit(const kan_setup *setup, const kan_solution *solution,
                                  kan_target *target, kan_result *result) {
    char minimal[32], failing[32];
    const char *path = wanted_path(setup);
    if (!target)
        return KAN_OK;
    kan_text_print(
        &result->summary,
        "\n  certificate %s: %s minimal and %s failing node%s; kanon verify --certificate "
        "checks it\n",
        strcmp(path, "-") == 0 ? "on standard output" : path,
        kan_count_text(solution->answer.n_minimal, minimal),
        kan_count_text(solution->answer.n_failing, failing),
        solution->answer.n_failing == 1 ? "" : "s");
    KAN_TRY(kan_text_status(&result->summary));
    return kan_target_commit(target);
}

void kan_certificate_withdraw(const kan_setup *setup, const kan_target *target) {
    const char *path = wanted_path(setup);
    struct stat info;
    if (target && strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        (void)unlink(path);
}

/* ---- printing ------------------------------------------------------------------------------- */

static int add_bytes(const char *bytes, size_t size, void *text) {
    kan_text_add(text, bytes, size);
    return ((kan_text *)text)->failed ? -1 : 0;
}

/* Texts and numbers as jansson writes them: escaped, and with a point in any locale. */
static kan_status add_json(kan_text *text, json_t *value) {
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
    bool is_added = value && json_dump_callback(value, add_bytes, text, flags) == 0;
    json_decref(value);
    if (!is_added)
        return kan_fail(text->run, KAN_FAILED, "out of memory while the certificate was written");
    return KAN_OK;
}

static void add_levels(kan_text *text, const uint8_t *levels, unsigned n) {
    kan_text_print(text, "{\"levels\": [");
    for (unsigned a = 0; a < n; a++)
        kan_text_print(text, "%s%u", a ? "," : "", levels[a]);
    kan_text_print(text, "], ");
}

static void add_checksum(kan_text *text, const kan_checksum *sum) {
    kan_text_print(text, "\"checksum\": \"%016llx%016llx\"", (unsigned long long)sum->words[0],
                   (unsigned long long)sum->words[1]);
}

static kan_status add_attribute(kan_text *text, const kan_certificate *certificate, unsigned a) {
    kan_text_print(text, "%s\n  {\"name\": ", a ? "," : "");
    KAN_TRY(add_json(text, json_string(certificate->attributes[a].name)));
    kan_text_print(text, ", \"height\": %u, ", certificate->attributes[a].height);
    if (certificate->is_weighted) {
        kan_text_print(text, "\"weight\": ");
        KAN_TRY(add_json(text, kan_json_real(certificate->attributes[a].weight)));
        kan_text_print(text, ", ");
    }
    add_checksum(text, &certificate->attributes[a].checksum);
    kan_text_print(text, "}");
    return KAN_OK;
}

static kan_status add_solution(kan_text *text, const kan_certificate *certificate) {
    const kan_certificate_cost *value = &certificate->solution.value;
    kan_text_print(text, " \"solution\": ");
    add_levels(text, certificate->solution.levels, certificate->n_attributes);
    kan_text_print(text, "\"suppressed\": %llu, \"cost\": ",
                   (unsigned long long)certificate->solution.n_suppressed);
    KAN_TRY(add_json(text, json_string(certificate->solution.cost)));
    kan_text_print(text, ", \"value\": ");
    KAN_TRY(add_json(text, !value->is_finite ? json_null()
                           : value->is_whole ? json_integer((json_int_t)value->whole)
                                             : kan_json_real(value->real)));
    kan_text_print(text, ", \"optimal\": %s, \"must_release\": %s}",
                   certificate->solution.is_optimal ? "true" : "false",
                   certificate->solution.must_release ? "true" : "false");
    return KAN_OK;
}

static void add_nodes(kan_text *text, const char *key, const char *fact,
                      const kan_certificate_nodes *nodes, unsigned n_attributes) {
    kan_text_print(text, ",\n \"%s\": [", key);
    for (size_t i = 0; i < nodes->n && !text->failed; i++) {
        kan_text_print(text, "%s\n  ", i ? "," : "");
        add_levels(text, nodes->levels + i * n_attributes, n_attributes);
        kan_text_print(text, "\"%s\": %llu}", fact, (unsigned long long)nodes->facts[i]);
    }
    kan_text_print(text, "%s]", nodes->n ? "\n " : "");
}

kan_status kan_certificate_print(const kan_certificate *certificate, kan_text *out) {
    kan_text_print(out, "{\"format\": \"kanon-certificate\",\n \"version\": 1,\n");
    kan_text_print(out, " \"kanon\": \"%s\",\n \"input\": {\"rows\": %llu, ", KANON_VERSION,
                   (unsigned long long)certificate->n_rows);
    add_checksum(out, &certificate->checksum);
    kan_text_print(out, "},\n \"quasi_identifiers\": [");
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        KAN_TRY(add_attribute(out, certificate, a));
    kan_text_print(out, "\n ],\n \"class\": ");
    KAN_TRY(add_json(out,
                     certificate->class_name ? json_string(certificate->class_name) : json_null()));
    kan_text_print(out,
                   ",\n \"privacy\": [{\"model\": \"k-anonymity\", \"k\": %llu}],\n"
                   " \"suppression\": {\"limit\": %llu},\n",
                   (unsigned long long)certificate->k, (unsigned long long)certificate->limit);
    KAN_TRY(add_solution(out, certificate));
    add_nodes(out, "minimal", "suppressed", &certificate->minimal, certificate->n_attributes);
    add_nodes(out, "failing", certificate->limit == 0 ? "row" : "suppressed", &certificate->failing,
              certificate->n_attributes);
    kan_text_print(out, "}\n");
    return kan_text_status(out);
}
