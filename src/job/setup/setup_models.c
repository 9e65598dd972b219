/* The models of a promise. A model is created once, for all sensitive columns; where its options name
 * columns, once for each set of columns that have the same numbers, with a problem in which the
 * others are passed over. So no model knows of columns with other numbers. */
#include <string.h>

#include "job/setup/setup.h"

enum { MOST_OPTIONS = 8 };

/* What the options of a kind say of one column, in the order of its specs; NULL: nothing. */
typedef struct {
    const char *values[MOST_OPTIONS];
} terms;

static bool names_columns(const kan_options *options, const kan_kind *kind) {
    const char *text, *value;
    kan_slice column;
    for (size_t o = 0; o < kind->n_options; o++)
        for (size_t i = 0; kind->options[o].is_per_column &&
                           (text = kan_options_at(options, kind->options[o].name, i)) != NULL;
             i++) {
            kan_option_split(text, &column, &value);
            if (value != text)
                return true;
        }
    return false;
}

static terms terms_of(const kan_options *options, const kan_kind *kind, const char *column) {
    terms out = {.values = {NULL}};
    KAN_ASSERT(kind->n_options <= MOST_OPTIONS);
    for (size_t o = 0; o < kind->n_options; o++)
        if (kind->options[o].is_per_column)
            out.values[o] = kan_options_for(options, kind->options[o].name, kan_slice_of(column));
    return out;
}

static bool is_same(const terms *a, const terms *b) {
    for (size_t o = 0; o < MOST_OPTIONS; o++)
        if ((a->values[o] == NULL) != (b->values[o] == NULL) ||
            (a->values[o] && strcmp(a->values[o], b->values[o]) != 0))
            return false;
    return true;
}

/* The settings with these terms in place of what they say for several columns. */
static kan_status narrow(const kan_options *from, const kan_kind *kind, const terms *of,
                         kan_options *out) {
    for (size_t i = 0; i < from->n; i++) {
        bool is_replaced = false;
        for (size_t o = 0; o < kind->n_options; o++)
            is_replaced |= kind->options[o].is_per_column &&
                           strcmp(kind->options[o].name, from->values[i].name) == 0;
        if (!is_replaced)
            KAN_TRY(kan_options_add(out, from->values[i].name, from->values[i].value));
    }
    for (size_t o = 0; o < kind->n_options; o++)
        if (of->values[o])
            KAN_TRY(kan_options_add(out, kind->options[o].name, of->values[o]));
    return KAN_OK;
}

static kan_status add_for(kan_setup *setup, const kan_privacy_kind *kind, const terms *of,
                          unsigned tails, unsigned all) {
    kan_options options;
    kan_problem problem = setup->problem;
    problem.passed_over = ~tails;
    problem.left_alone = ~all;
    kan_options_init(&options, &setup->job->arena);
    options.is_known = setup->job->options.is_known;
    kan_status status = narrow(&setup->job->options, &kind->kind, of, &options);
    if (status == KAN_OK)
        status = kan_promise_add(&setup->promise, setup->run, &setup->job->arena, kind, &options,
                                 &problem);
    kan_options_destroy(&options);
    return status;
}

/* Adds to `looked_at` the tails that the models look at. */
static kan_status add_kind(kan_setup *setup, const kan_options *options,
                           const kan_privacy_kind *kind, unsigned *looked_at) {
    const kan_space *space = &setup->problem.space;
    terms of[KAN_MAX_TAILS];
    unsigned left = 0, all; /* tails that have the model, and were not taken yet */
    if (!names_columns(options, &kind->kind)) {
        *looked_at |= kind->needs_tallies && !kind->needs_weights ? ~0U : 0U;
        return kan_promise_add(&setup->promise, setup->run, &setup->job->arena, kind, options,
                               &setup->problem);
    }
    for (unsigned t = setup->problem.has_person; t < space->n_tails; t++) {
        const kan_column *column = space->dimensions[space->n_attributes + t].column;
        of[t] = terms_of(options, &kind->kind, column->name);
        if ((int)t != setup->problem.class_tail && !kan_problem_is_sampling(&setup->problem, t) &&
            of[t].values[0])
            left |= 1U << t;
    }
    all = left;
    *looked_at |= all;
    for (unsigned t = setup->problem.has_person; t < space->n_tails; t++) {
        unsigned same = 0;
        for (unsigned other = t; other < space->n_tails && left >> t & 1; other++)
            if (left >> other & 1 && is_same(&of[t], &of[other]))
                same |= 1U << other;
        left &= ~same;
        if (same)
            KAN_TRY(add_for(setup, kind, &of[t], same, all));
    }
    return KAN_OK;
}

static void note_unprotected(const kan_setup *setup, unsigned looked_at) {
    const kan_space *space = &setup->problem.space;
    char quoted[256];
    if (looked_at == 0) {
        if (kan_options_find(&setup->job->options, "sensitive"))
            kan_note(setup->run, "no model of this promise looks at sensitive values: all rows of "
                                 "a group may share one");
        return;
    }
    for (unsigned t = setup->problem.has_person; t < space->n_tails; t++)
        if ((int)t != setup->problem.class_tail && !kan_problem_is_sampling(&setup->problem, t) &&
            !((looked_at | setup->is_second) >> t & 1))
            kan_note(
                setup->run,
                "no model of this promise looks at the sensitive column %s: all rows of a "
                "group may share a value",
                kan_quote(kan_slice_of(space->dimensions[space->n_attributes + t].column->name),
                          quoted));
}

/* What kinds are asked by: where sets of columns are promised, --k is theirs. */
static kan_status take_options(const kan_setup *setup, kan_options *out) {
    const kan_options *given = &setup->job->options;
    out->is_known = given->is_known;
    for (size_t i = 0; i < given->n; i++)
        if (setup->subsets.n == 0 || strcmp(given->values[i].name, "k") != 0)
            KAN_TRY(kan_options_add(out, given->values[i].name, given->values[i].value));
    return KAN_OK;
}

static kan_status add_all(kan_setup *setup, const kan_options *options) {
    unsigned looked_at = 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted;
        KAN_TRY(kan_registry_ask(setup->run, &kind->kind, options, &is_wanted));
        if (is_wanted)
            KAN_TRY(add_kind(setup, options, kind, &looked_at));
    }
    setup->problem.has_room = setup->promise.needs_room;
    note_unprotected(setup, looked_at);
    return KAN_OK;
}

kan_status kan_setup_models(kan_setup *setup) {
    kan_options options;
    kan_options_init(&options, &setup->job->arena);
    kan_status status = take_options(setup, &options);
    if (status == KAN_OK)
        status = add_all(setup, &options);
    kan_options_destroy(&options);
    return status;
}
