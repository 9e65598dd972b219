/* The models of a claim, as their recounts read them: one of a kind, or one for each set of sensitive
 * columns of which the settings say the same. What holds for a column is worked out here once more,
 * and shares nothing with how a search finds it (job/setup/setup_models.c). O(settings * columns).
 */
#include <string.h>

#include "analyze/models/models.h"
#include "job/tell/claim_make.h"

/* ---- what a column has ---------------------------------------------------------------------- */

static bool is_option_of(const kan_kind *kind, const char *name) {
    for (size_t o = 0; o < kind->n_options; o++)
        if (kind->options[o].is_per_column && strcmp(kind->options[o].name, name) == 0)
            return true;
    return false;
}

/* Whether a setting is about another column, or about all while this one has its own. */
static bool is_of_others(const kan_options *settings, size_t index, const char *column) {
    const char *text = settings->values[index].value, *equals = strrchr(text, '=');
    const size_t size = strlen(column);
    if (equals)
        return (size_t)(equals - text) != size || memcmp(text, column, size) != 0;
    for (size_t i = 0; i < settings->n; i++) {
        const char *other = settings->values[i].value;
        const char *other_equals = strrchr(other, '=');
        if (strcmp(settings->values[i].name, settings->values[index].name) == 0 && other_equals &&
            (size_t)(other_equals - other) == size && memcmp(other, column, size) == 0)
            return true;
    }
    return false;
}

/* The settings as they are for one column; `out` lives in the arena. */
static kan_status settings_of(kan_arena *arena, const kan_options *settings, const kan_kind *kind,
                              const char *column, kan_options **out) {
    kan_options *made;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->arena = arena;
    KAN_TRY(kan_arena_alloc(arena, settings->n, sizeof *made->values, &made->values));
    for (size_t i = 0; i < settings->n; i++) {
        struct kan_option_value value = settings->values[i];
        if (is_option_of(kind, value.name)) {
            const char *equals = strrchr(value.value, '=');
            if (is_of_others(settings, i, column))
                continue;
            value.value = equals ? equals + 1 : value.value;
        }
        made->values[made->n++] = value;
    }
    *out = made;
    return KAN_OK;
}

static bool say_the_same(const kan_kind *kind, const kan_options *a, const kan_options *b) {
    for (size_t o = 0; o < kind->n_options; o++) {
        const char *x = kan_options_find(a, kind->options[o].name);
        const char *y = kan_options_find(b, kind->options[o].name);
        if (kind->options[o].is_per_column && (!x != !y || (x && strcmp(x, y) != 0)))
            return false;
    }
    return true;
}

static bool names_columns(const kan_options *settings, const kan_kind *kind) {
    for (size_t i = 0; i < settings->n; i++)
        if (is_option_of(kind, settings->values[i].name) && strchr(settings->values[i].value, '='))
            return true;
    return false;
}

/* ---- models --------------------------------------------------------------------------------- */

static kan_status add_model(const kan_job *job, const kan_recount_kind *kind,
                            const kan_options *options, const bool *looks_at, kan_claim *claim) {
    if (claim->n_models == KAN_CLAIM_MODELS)
        return kan_fail(job->run, KAN_BAD_INPUT, "more than %d privacy models at once",
                        KAN_CLAIM_MODELS);
    kan_claim_model *model = &claim->models[claim->n_models++];
    *model = (kan_claim_model){
        .kind = kind, .options = options, .looks_at = looks_at, .of_people = claim->person != NULL};
    if (claim->household && claim->person && (!kind->counts_people || kind->check_groups))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--household-promise composition: %s has no meaning for compositions of "
                        "households; leave one of the two out",
                        kind->name);
    if (claim->person && !kind->counts_people)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--person: %s counts rows, and has no meaning for people yet; leave one of the two out",
            kind->name);
    if (claim->histories && kind->check_groups)
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "--person-promise histories: %s has no meaning for histories; leave one of the two out",
            kind->name);
    if (kind->uses_households && !claim->household)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--%s: which rows are one household's? name the column that says so with "
                        "--household NAME, and leave --suppress-by row out: a row that is left out "
                        "changes the risk of its household",
                        kind->name);
    return kind->read(job->run, options, model);
}

/* One model for each set of columns; the first column of a set speaks for it. */
static kan_status add_by_columns(kan_job *job, const kan_kind *kind,
                                 const kan_recount_kind *recount, kan_claim *claim) {
    const size_t n = kan_role_count(&job->options, KAN_ROLE_SENSITIVE);
    kan_options **of;
    bool *is_done, *looks_at;
    KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *of, &of));
    KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *is_done, &is_done));
    for (size_t c = 0; c < n; c++) {
        KAN_TRY(settings_of(&job->arena, &job->options, kind,
                            kan_role_at(&job->options, KAN_ROLE_SENSITIVE, c).name.bytes, &of[c]));
        is_done[c] = !kan_options_find(of[c], kind->options[0].name);
    }
    for (size_t c = 0; c < n; c++) {
        if (is_done[c])
            continue;
        KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *looks_at, &looks_at));
        for (size_t other = c; other < n; other++)
            if (!is_done[other] && say_the_same(kind, of[c], of[other]))
                looks_at[other] = is_done[other] = true;
        KAN_TRY(add_model(job, recount, of[c], looks_at, claim));
    }
    return KAN_OK;
}

kan_status kan_claim_add_kind(kan_job *job, const kan_kind *kind, kan_claim *claim) {
    const kan_recount_kind *recount = kan_recount_find(kind->name);
    if (!recount)
        return kan_claim_refuse(job, kind->name);
    return names_columns(&job->options, kind) ? add_by_columns(job, kind, recount, claim)
                                              : add_model(job, recount, &job->options, NULL, claim);
}

kan_status kan_claim_add_subsets(kan_job *job, kan_claim *claim) {
    return add_model(job, kan_recount_find("subsets"), &job->options, NULL, claim);
}
