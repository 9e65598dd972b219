/* `utility` without a workload: holds the columns that both tables have against each other.
 *
 * Order: open both tables, find the columns of both, read those alone, bind the hierarchies that are
 * known, read weights, measure, tell. Nothing is promised here. The result is for those who may see
 * the original. */
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

static bool is_compared(const kan_fidelity_walk *w, size_t column) {
    const kan_role role = w->roles.of[0][column];
    return role != KAN_ROLE_DROP && role != KAN_ROLE_WEIGHT;
}

bool kan_fidelity_is_alone(const kan_fidelity_walk *w, const kan_input *input, size_t column) {
    const kan_input *other = input == &w->original ? &w->release : &w->original;
    size_t unused;
    return !kan_input_find(other, kan_slice_of(input->columns[column]), &unused);
}

static kan_status read_roles(kan_fidelity_walk *w) {
    const unsigned named =
        KAN_ROLE_SET(KAN_ROLE_QUASI) | KAN_ROLE_SET(KAN_ROLE_DROP) | KAN_ROLE_SET(KAN_ROLE_WEIGHT);
    const kan_role_table tables[] = {
        {.input = &w->original, .needs = named, .reads = KAN_ROLE_SET(KAN_ROLE_WEIGHT)},
        {.input = &w->release, .reads = KAN_ROLE_SET(KAN_ROLE_WEIGHT)}};
    kan_problems_begin(w->run);
    KAN_TRY(kan_roles_read(w->job, "utility", tables, 2, &w->roles));
    return kan_problems_end(w->run);
}

static void take_column(kan_fidelity_walk *w, size_t original, size_t released) {
    const kan_role_list *quasi = &w->roles.named[KAN_ROLE_QUASI];
    kan_common_column *place = &w->places[w->n++];
    *place = (kan_common_column){.original = original, .released = released};
    for (size_t i = 0; i < quasi->n; i++)
        if (quasi->columns[i].at[0] == original) {
            place->is_quasi = true;
            place->spec = quasi->columns[i].hierarchy;
        }
    w->original.encode[original] = w->release.encode[released] = true;
}

static kan_status find_columns(kan_fidelity_walk *w) {
    size_t released;
    KAN_TRY(read_roles(w));
    KAN_TRY(kan_alloc_zero(w->run, w->original.n_columns, sizeof *w->places, &w->places));
    for (size_t i = 0; i < w->original.n_columns; i++)
        if (is_compared(w, i) &&
            kan_input_find(&w->release, kan_slice_of(w->original.columns[i]), &released))
            take_column(w, i, released);
    return w->n > 0 ? KAN_OK
                    : kan_fail(w->run, KAN_BAD_INPUT,
                               "%s and %s have no column in common that could be compared; is "
                               "--original the table that the release was made from?",
                               w->release.name, w->original.name);
}

static kan_status read_tables(kan_fidelity_walk *w) {
    const kan_input *inputs[] = {&w->original, &w->release};
    KAN_TRY(kan_input_read(&w->original));
    KAN_TRY(kan_input_read_release(&w->release, &w->original));
    for (size_t i = 0; i < 2; i++)
        if (inputs[i]->table->n_rows == 0)
            return kan_fail(w->run, KAN_BAD_INPUT, "%s has no rows, so there is nothing to compare",
                            inputs[i]->name);
    return KAN_OK;
}

/* Whether cells show one value for all rows of a group: --summary and --modes say so of
 * quasi-identifiers, which are those of --qi, or all columns. */
static bool shows_middles(const kan_fidelity_walk *w, const kan_common_column *place,
                          const kan_column *column) {
    const kan_options *options = &w->job->options;
    if (!place->is_quasi && w->roles.named[KAN_ROLE_QUASI].n > 0)
        return false;
    if (column->dictionary.type == KAN_TYPE_TEXT)
        return kan_choice_modes(options);
    return column->dictionary.type == KAN_TYPE_NUMBER &&
           kan_summary_is_number(kan_choice_summary(options));
}

static kan_status bind_columns(kan_fidelity_walk *w) {
    KAN_TRY(kan_alloc_zero(w->run, w->n, sizeof *w->columns, &w->columns));
    kan_problems_begin(w->run);
    for (size_t i = 0; i < w->n; i++) {
        kan_common_column *place = &w->places[i];
        const kan_column *original = &w->original.table->columns[place->original];
        const kan_column *released = &w->release.table->columns[place->released];
        const size_t before = kan_problems_count(w->run);
        const kan_status status =
            kan_utility_bind_hierarchy(w->job, original, released, place->spec, &place->hierarchy);
        if (status != KAN_OK && kan_problems_count(w->run) == before)
            return status;
        w->columns[i] = (kan_fidelity_column){.original = original,
                                              .released = released,
                                              .hierarchy = place->hierarchy,
                                              .shows_middles = shows_middles(w, place, original)};
    }
    return kan_problems_end(w->run);
}

/* ---- weights -------------------------------------------------------------------------------- */

static kan_status read_weights_of(const kan_input *input, size_t column, kan_row_weights *out) {
    const kan_column *weights = &input->table->columns[column];
    KAN_TRY(kan_row_weights_read(input, weights, out));
    return out->has_bad ? kan_row_weights_refuse(input, weights, out, out->first_bad) : KAN_OK;
}

/* Rows that were suppressed and kept have no weight, but stand where they stood. */
static kan_status read_released_weights(kan_fidelity_walk *w, size_t column) {
    const bool keeps_rows = kan_fidelity_keeps_rows(w->fidelity);
    if (column == KAN_NO_COLUMN && !keeps_rows)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "%s has no column '%s' (--sampling-weight), and its rows are not those of "
                        "%s in their order; release the weights (--keep %s), or leave "
                        "--sampling-weight out: then each row counts once",
                        w->release.name, w->weight, w->original.name, w->weight);
    if (column != KAN_NO_COLUMN) {
        const kan_column *weights = &w->release.table->columns[column];
        KAN_TRY(kan_row_weights_read(&w->release, weights, &w->released_weights));
        if (!w->released_weights.has_bad)
            return KAN_OK;
        if (!keeps_rows)
            return kan_row_weights_refuse(&w->release, weights, &w->released_weights,
                                          w->released_weights.first_bad);
    }
    w->weights_by_row = true;
    return KAN_OK;
}

static kan_status weigh(kan_fidelity_walk *w) {
    const kan_role_column *weight = kan_roles_only(&w->roles, KAN_ROLE_WEIGHT);
    kan_fidelity_weights original = {.column = NULL}, released;
    w->original_weights = w->released_weights_read = original;
    if (!weight)
        return kan_fidelity_weigh(w->fidelity, &original, &original);
    w->weight = weight->name.bytes;
    KAN_TRY(read_weights_of(&w->original, weight->at[0], &w->weights));
    KAN_TRY(read_released_weights(w, weight->at[1]));
    original.column = &w->original.table->columns[weight->at[0]];
    original.units = w->weights.units;
    released = original;
    if (!w->weights_by_row) {
        released.column = &w->release.table->columns[weight->at[1]];
        released.units = w->released_weights.units;
    }
    w->original_weights = original;
    w->released_weights_read = released;
    return kan_fidelity_weigh(w->fidelity, &original, &released);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static kan_status measure(kan_fidelity_walk *w) {
    w->question = (kan_fidelity_question){.columns = w->columns,
                                          .n_columns = w->n,
                                          .n_original = w->original.table->n_rows,
                                          .n_released = w->release.table->n_rows,
                                          .release_name = w->release.name};
    const kan_status status = kan_fidelity_create(w->run, &w->question, &w->fidelity);
    if (status == KAN_BAD_INPUT) /* behind what could not be read */
        kan_problem_add(w->run, "--drop NAME leaves a column out of the comparison");
    KAN_TRY(status);
    KAN_TRY(weigh(w));
    return kan_fidelity_measure_all(w);
}

static kan_status walk(kan_fidelity_walk *w, kan_result *out) {
    KAN_TRY(kan_input_open_release(w->job, "input", false, &w->release));
    KAN_TRY(kan_input_open(w->job, "original", false, &w->original));
    KAN_TRY(find_columns(w));
    KAN_TRY(kan_models_find_columns(w));
    KAN_TRY(read_tables(w));
    KAN_TRY(bind_columns(w));
    w->read_ms = kan_now_ms() - w->start_ms;
    kan_report_progress(w->run, "utility", 0, 0);
    KAN_TRY(measure(w));
    KAN_TRY(kan_models_measure(w));
    w->measure_ms = kan_now_ms() - w->start_ms - w->read_ms;
    KAN_TRY(kan_fidelity_draw(w));
    KAN_TRY(kan_result_set_json(out, kan_fidelity_json(w)));
    kan_fidelity_words(w, &out->summary);
    return kan_text_status(&out->summary);
}

kan_status kan_fidelity_walk_run(kan_job *job, kan_result *out) {
    kan_fidelity_walk w = {.job = job, .run = job->run, .start_ms = kan_now_ms()};
    const kan_status status = walk(&w, out);
    kan_models_destroy(&w);
    kan_fidelity_destroy(w.fidelity);
    for (size_t i = 0; i < w.n; i++)
        kan_hierarchy_destroy(w.places[i].hierarchy);
    kan_free(w.run, w.places);
    kan_free(w.run, w.columns);
    kan_free(w.run, w.of_columns);
    kan_free(w.run, w.of_pairs);
    kan_free(w.run, w.changed);
    kan_free(w.run, w.weights.units);
    kan_free(w.run, w.released_weights.units);
    kan_input_close(&w.release);
    kan_input_close(&w.original);
    return status;
}
