/* Sampling weights (--sampling-weight): what each row stands for. They are checked wherever they are
 * named; where a model asks for them they are the last tail of the space. */
#include "job/input/input.h"
#include "job/settings/settings.h"
#include "job/setup/setup.h"

static kan_status find_need(const kan_job *job, bool *out) {
    const bool has_size = kan_options_find(&job->options, "population-size") ||
                          kan_options_find(&job->options, "sampling-fraction");
    *out = false;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        bool is_wanted;
        KAN_TRY(kan_registry_ask(job->run, &kind->kind, &job->options, &is_wanted));
        *out |= is_wanted && kind->needs_weights && !(kind->takes_size && has_size);
    }
    return KAN_OK;
}

static kan_status take(kan_setup *setup, const kan_row_weights *read) {
    kan_space *space = &setup->problem.space;
    uint64_t *units;
    KAN_TRY(
        kan_arena_alloc(&setup->job->arena, setup->weight->dictionary.n, sizeof *units, &units));
    for (uint32_t code = 0; code < setup->weight->dictionary.n; code++)
        units[code] = read->units[code];
    setup->sampling = (kan_sampling){.tail = space->n_tails,
                                     .n_values = setup->weight->dictionary.n,
                                     .units = units,
                                     .total = read->total,
                                     .one = read->one};
    setup->problem.sampling = &setup->sampling;
    return kan_space_add_tail(space, setup->weight);
}

static kan_status check_column(const kan_setup *setup, size_t column, kan_row_weights *out) {
    const kan_column *weight = &setup->table->columns[column];
    char quoted[256];
    if (kan_input_treatment(&setup->input, column))
        return kan_fail(setup->run, KAN_BAD_INPUT,
                        "--sampling-weight: column %s is also changed, and the promise would be "
                        "about weights that are none; leave one of the two out",
                        kan_quote(kan_slice_of(weight->name), quoted));
    KAN_TRY(kan_row_weights_read(&setup->input, weight, out));
    if (out->has_bad)
        return kan_row_weights_refuse(&setup->input, weight, out, out->first_bad);
    kan_row_weights_note(&setup->input, weight, out);
    return KAN_OK;
}

/* Weights that nobody asks about; says who would. */
static kan_status note_unused(kan_setup *setup) {
    kan_text text;
    bool is_first = true;
    kan_text_init(&text, setup->run);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_privacy_kind *kind =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (!kind->needs_weights)
            continue;
        kan_text_print(&text, "%s--%s", is_first ? "" : ", ", kind->kind.options[0].name);
        is_first = false;
    }
    const kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        kan_note(setup->run, "--sampling-weight does nothing without a promise about it: %s",
                 text.bytes);
    kan_text_destroy(&text);
    return status;
}

kan_status kan_setup_take_weights(kan_setup *setup) {
    kan_row_weights read = {.units = NULL};
    bool is_needed;
    KAN_TRY(find_need(setup->job, &is_needed));
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        if (setup->roles[i] != KAN_ROLE_WEIGHT)
            continue;
        kan_status status = check_column(setup, i, &read);
        setup->weight = is_needed ? &setup->table->columns[i] : NULL;
        if (status == KAN_OK && is_needed)
            status = take(setup, &read);
        else if (status == KAN_OK && setup->n_strata == 0)
            status = note_unused(setup);
        kan_free(setup->run, read.units);
        return status;
    }
    return KAN_OK;
}
