/* From an answer to a certificate, and to its file.
 *
 * The nodes are those of the search; what is said of each is counted by src/analyze, from the rows,
 * and a node that is not what the search says ends the job. No value and no label is written. The
 * bytes depend on the input and the options alone. */
#include <stdio.h>
#include <string.h>

#include "core/wording.h"
#include "job/release/certificate.h"
#include "job/settings/settings.h"
#include "job/verify/verify.h"

/* ---- what can be certified ------------------------------------------------------------------ */

static const char *wanted_path(const kan_setup *setup) {
    return kan_options_find(&setup->job->options, "certificate");
}

bool kan_certificate_is_wanted(const kan_setup *setup) {
    return wanted_path(setup) != NULL;
}

static kan_status refuse_search(const kan_setup *setup) {
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, 0);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        if (kind->finds_all)
            kan_names_add(&list, kind->kind.name);
    }
    const char *cuts = setup->search->local     ? "takes several of them in one column"
                       : setup->search->regions ? "cuts the table into regions"
                                                : "cuts values into intervals";
    if (kan_search_orders(setup->search))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--certificate: a certificate is about levels of hierarchies, and "
                        "--algorithm %s %s; leave --certificate out, or %suse one of: %s",
                        setup->search->kind.name, cuts, kan_setup_before_levels(setup), names);
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
    if (setup->has_given)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--certificate: with --levels and --apply nothing is searched, so that "
                        "there is nothing to prove; leave one of the two out");
    if (kan_search_orders(setup->search) || !setup->search->finds_all)
        return refuse_search(setup);
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--certificate: there is no certificate for %s, only for k-anonymity; "
                            "leave one of the two out",
                            promise->models[m].kind->kind.name);
    if (setup->cost->of_rows)
        return kan_fail(
            setup->run, KAN_BAD_INPUT,
            "--certificate: it says what a cost of rows comes to, and nobody checks one "
            "of people; leave --count people or --certificate out");
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

static void take_solution(const kan_solution *solution, kan_certificate *certificate) {
    const kan_answer *answer = &solution->answer;
    for (unsigned a = 0; a < certificate->n_attributes; a++)
        certificate->solution.levels[a] = (uint8_t)answer->recoding.levels[a];
    certificate->solution.n_suppressed = solution->setup->promise.by_person
                                             ? solution->groups.n_left_out
                                             : solution->groups.n_suppressed;
    certificate->solution.cost = solution->setup->cost->kind.name;
    certificate->solution.is_optimal = answer->is_optimal;
    certificate->solution.must_release = true; /* as every search of a job is asked */
    certificate->solution.value = (kan_certificate_cost){
        .is_finite = __builtin_isfinite(answer->score.real),
        .is_whole = answer->score.is_whole && answer->score.whole <= INT64_MAX,
        .whole = answer->score.is_whole ? (uint64_t)answer->score.whole : 0,
        .real = answer->score.real};
}

kan_status kan_certificate_k(const kan_setup *setup, uint64_t *out) {
    const kan_promise *promise = &setup->promise;
    for (unsigned m = 0; m < promise->n_models; m++)
        if (!promise->models[m].kind->size_decides)
            return kan_fail(
                setup->run, KAN_FAILED,
                "internal error: no certificate knows the model %s, so nothing is certified; "
                "please report this",
                promise->models[m].kind->kind.name);
    if (promise->n_models == 0)
        return kan_fail(setup->run, KAN_FAILED,
                        "internal error: no k is promised, so nothing is certified; please report "
                        "this");
    *out = promise->k;
    return KAN_OK;
}

static kan_status take_person(const kan_setup *setup, kan_certificate *certificate,
                              kan_certificate_data *data) {
    if (!setup->person)
        return KAN_OK;
    data->has_person = true;
    data->person_column = (size_t)(setup->person - setup->table->columns);
    certificate->by_person = setup->promise.by_person;
    certificate->histories = setup->promise.histories;
    return copy_name(certificate, setup->person->name, &certificate->person_name);
}

static kan_status take_claims(const kan_setup *setup, const kan_solution *solution,
                              kan_certificate *certificate, kan_certificate_data *data) {
    const kan_answer *answer = &solution->answer;
    bool needs_class;
    data->table = setup->table;
    data->n_attributes = certificate->n_attributes = setup->n_quasi;
    certificate->is_weighted = setup->problem.is_weighted && setup->cost->uses_weights;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        data->columns[a] = setup->quasi[a];
        data->hierarchies[a] = setup->hierarchies[a];
        certificate->attributes[a].weight = setup->problem.weights[a];
        certificate->attributes[a].lowest = setup->lowest[a];
        certificate->attributes[a].highest = setup->highest[a];
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
    KAN_TRY(take_person(setup, certificate, data));
    certificate->limit = setup->promise.limit;
    KAN_TRY(kan_certificate_k(setup, &certificate->k));
    take_solution(solution, certificate);
    KAN_TRY(copy_nodes(certificate, answer->minimal, answer->n_minimal, &certificate->minimal));
    return copy_nodes(certificate, answer->failing, answer->n_failing, &certificate->failing);
}

static kan_status make(const kan_setup *setup, const kan_solution *solution, kan_text *text) {
    kan_certificate certificate;
    kan_certificate_data data = {0};
    kan_certificate_init(&certificate, setup->run);
    kan_status status = take_claims(setup, solution, &certificate, &data);
    if (status == KAN_OK)
        status = kan_certificate_make(&certificate, &data);
    if (status == KAN_OK)
        status = kan_certificate_print(&certificate, text);
    kan_certificate_destroy(&certificate);
    return status;
}

kan_status kan_certificate_write(const kan_setup *setup, const kan_solution *solution,
                                 kan_target **out) {
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
                            ? "there are too many to keep track of: name fewer quasi-identifiers, "
                              "or give hierarchies with fewer levels"
                            : "give the search more time with --time-limit");
    kan_text_init(&text, setup->run);
    KAN_TRY_DONE(make(setup, solution, &text));
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
