/* See search_choice.h. A search alone makes the first of its models. A model alone is made by the
 * first search of the registry whose own it is, else by the first that can make it. One exception:
 * of the searches over cuts the one that proves goes on until it has its proof, which may be never,
 * so that without a time limit it is not chosen for somebody who did not ask for it. */
#include "job/settings/search_choice.h"

#include <string.h>

#include "job/registry/registry.h"

static const kan_search_kind *search_at(size_t i) {
    return (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
}

/* The first search whose own model it is, or with `is_any` that can make it; `is_fast` passes over
 * those over cuts that go on until they have a proof. */
static const kan_search_kind *find_search(const kan_recoding_kind *model, bool is_any,
                                          bool is_fast) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind = search_at(i);
        const bool fits = is_any ? kan_search_makes(kind, model) : kind->models[0] == model;
        if (fits && !(is_fast && kind->cuts && kind->finds_best))
            return kind;
    }
    return NULL;
}

const kan_search_kind *kan_choice_search_for(const kan_recoding_kind *model,
                                             const kan_options *options) {
    const bool is_fast = !(kan_options_real(options, "time-limit", 0) > 0);
    const kan_search_kind *own = find_search(model, false, is_fast);
    return own ? own : find_search(model, true, is_fast);
}

const kan_search_kind *kan_choice_sound(const kan_search_kind *search,
                                        const kan_recoding_kind *model) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *kind = search_at(i);
        if (!kind->needs_monotone && kind->finds_best && kind->models[0] == search->models[0] &&
            kan_search_makes(kind, model))
            return kind;
    }
    return search;
}

static const kan_kind *find_named(const kan_options *options, const char *setting,
                                  kan_family family) {
    const char *name = kan_options_find(options, setting);
    if (!name || kan_options_find(options, "levels") || kan_options_find(options, "apply"))
        return NULL;
    return kan_registry_find(family, name); /* none is called auto */
}

const kan_search_kind *kan_choice_search(const kan_options *options) {
    const kan_kind *search = find_named(options, "algorithm", KAN_FAMILY_SEARCH);
    const kan_kind *model = find_named(options, "recoding", KAN_FAMILY_RECODING);
    return search  ? (const kan_search_kind *)search
           : model ? kan_choice_search_for((const kan_recoding_kind *)model, options)
                   : NULL;
}

const kan_recoding_kind *kan_choice_model(const kan_options *options) {
    const kan_kind *model = find_named(options, "recoding", KAN_FAMILY_RECODING);
    const kan_search_kind *search = kan_choice_search(options);
    return model ? (const kan_recoding_kind *)model : search ? search->models[0] : NULL;
}

/* ---- what numbers and text are shown as ----------------------------------------------------- */

kan_summary_form kan_summary_of(const char *text) {
    if (text && strcmp(text, "mean") == 0)
        return KAN_SUMMARY_MEAN;
    if (text && strcmp(text, "median") == 0)
        return KAN_SUMMARY_MEDIAN;
    return text && strcmp(text, "both") == 0 ? KAN_SUMMARY_BOTH : KAN_SUMMARY_RANGE;
}

/* Whether the search that made the release may have done what the option says. */
static bool may_have(const kan_options *options, const char *option) {
    const kan_search_kind *search = kan_choice_search(options);
    return !search || kan_kind_has_option(&search->kind, option);
}

kan_summary_form kan_choice_summary(const kan_options *options) {
    return may_have(options, "summary") ? kan_summary_of(kan_options_find(options, "summary"))
                                        : KAN_SUMMARY_RANGE;
}

bool kan_choice_modes(const kan_options *options) {
    return may_have(options, "modes") && kan_options_switch(options, "modes");
}
