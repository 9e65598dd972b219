/* Which recoding model is made, and by which search: --recoding and --algorithm.
 *
 * Either may be left out, and follows from the other then (job/settings/search_choice.h). */
#include <stdio.h>
#include <string.h>

#include "core/wording.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static const kan_search_kind *search_at(size_t i) {
    return (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
}

/* "bisect, screen", for messages. */
static const char *list_searches(const kan_recoding_kind *model, char *room, size_t size) {
    kan_name_list names = kan_names_begin(room, size, 0);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++)
        if (kan_search_makes(search_at(i), model))
            kan_names_add(&names, search_at(i)->kind.name);
    return kan_names_end(&names);
}

static kan_status refuse(const kan_setup *setup, const kan_recoding_kind *model) {
    char makers[512], own[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < KAN_SEARCH_MODELS && setup->search->models[i]; i++)
        used += (size_t)snprintf(own + used, sizeof own - used, "%s%s", used ? " or " : "",
                                 setup->search->models[i]->kind.name);
    return kan_fail(setup->run, KAN_BAD_INPUT,
                    "--recoding %s: --algorithm %s makes %s; use one of %s, or leave --algorithm "
                    "out",
                    model->kind.name, setup->search->kind.name, own,
                    list_searches(model, makers, sizeof makers));
}

static kan_status wanted_model(const kan_setup *setup, const kan_recoding_kind **out) {
    const char *name = kan_options_find(&setup->job->options, "recoding");
    const kan_kind *kind = NULL;
    if (name)
        KAN_TRY(kan_registry_need(setup->run, KAN_FAMILY_RECODING, name, &kind));
    *out = (const kan_recoding_kind *)kind;
    return KAN_OK;
}

kan_status kan_setup_choose_search(kan_setup *setup) {
    const char *algorithm = kan_options_find(&setup->job->options, "algorithm");
    const bool is_chosen = algorithm && strcmp(algorithm, "auto") != 0;
    const kan_recoding_kind *model;
    const kan_kind *kind;
    KAN_TRY(wanted_model(setup, &model));
    if (!is_chosen) {
        const kan_kind *usual = kan_registry_at(KAN_FAMILY_RECODING, 0);
        setup->search = kan_choice_search_for(model ? model : (const kan_recoding_kind *)usual,
                                              &setup->job->options);
        if (model && !setup->search)
            return kan_fail(setup->run, KAN_BAD_INPUT,
                            "--recoding %s: no search makes it; `kanon list` shows the models that "
                            "can be made",
                            model->kind.name);
    } else {
        KAN_TRY(kan_registry_need(setup->run, KAN_FAMILY_SEARCH, algorithm, &kind));
        setup->search = (const kan_search_kind *)kind;
    }
    if (model && !kan_search_makes(setup->search, model))
        return refuse(setup, model);
    setup->model = model ? model : setup->search->models[0];
    return KAN_OK;
}

const char *kan_setup_before_levels(const kan_setup *setup) {
    const bool is_asked = kan_options_find(&setup->job->options, "recoding") != NULL;
    return is_asked && kan_search_orders(setup->search) ? "leave --recoding out, and " : "";
}

/* ---- solutions that were given -------------------------------------------------------------- */

/* The first model of that type; of values and *, or of whole hierarchies. */
static const kan_recoding_kind *model_of_type(kan_recoding_type type, bool suppresses) {
    const kan_recoding_kind *first = NULL;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_RECODING); i++) {
        const kan_recoding_kind *model =
            (const kan_recoding_kind *)kan_registry_at(KAN_FAMILY_RECODING, i);
        if (model->type == type && model->suppresses == suppresses)
            return model;
        first = !first && model->type == type ? model : first;
    }
    return first;
}

kan_status kan_setup_model_of_given(kan_setup *setup) {
    const char *name = json_string_value(json_object_get(setup->given_result, "recoding_model"));
    const kan_recoding_kind *wanted, *said, *given;
    KAN_TRY(wanted_model(setup, &wanted));
    said = name ? (const kan_recoding_kind *)kan_registry_find(KAN_FAMILY_RECODING, name) : wanted;
    given = model_of_type(setup->given.type,
                          said && said->type == setup->given.type && said->suppresses);
    setup->model = given;
    if (wanted && wanted != given)
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--recoding %s: the solution that was given is %s; leave --recoding out",
                        wanted->kind.name, given->kind.name);
    return KAN_OK;
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

/* Whether any quasi-identifier has a hierarchy of more than values and *. */
static bool has_trees(const kan_setup *setup) {
    bool has_any = kan_options_find(&setup->job->options, "hierarchies") != NULL;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        has_any = has_any || (setup->specs[a] && strcmp(setup->specs[a], "suppress") != 0);
    return has_any;
}

kan_status kan_setup_fit_specs(kan_setup *setup) {
    if (!setup->model)
        return KAN_OK;
    const char *name = setup->model->kind.name;
    if (setup->model->suppresses) {
        if (has_trees(setup))
            kan_note(setup->run,
                     "--recoding %s: a value stays as it is or becomes *, and the hierarchies are "
                     "not used",
                     name);
        for (unsigned a = 0; a < setup->n_quasi; a++)
            setup->specs[a] = "suppress";
        return KAN_OK;
    }
    /* with bins setup_domains.c has more to say */
    if (setup->model->needs_trees && kan_options_find(&setup->job->options, "recoding") &&
        !kan_options_find(&setup->job->options, "bins") && !has_trees(setup))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--recoding %s shows nodes of hierarchies, and no quasi-identifier has "
                        "one; give them with --hierarchies DIR or --qi NAME=FILE, or use a model "
                        "that needs none: attribute-suppression, cell-suppression, ordered-set or "
                        "ordered-regions",
                        name);
    return KAN_OK;
}
