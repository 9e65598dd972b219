/* What `utility` found without a workload, as JSON. */
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

static json_t *path_json(const kan_fidelity_walk *w, const char *setting, const kan_input *input) {
    const char *path = kan_options_find(&w->job->options, setting);
    return input->is_file && path ? kan_json_text(path) : json_null();
}

static json_t *input_json(const kan_fidelity_walk *w, const char *setting, const kan_input *input) {
    return json_pack("{s:o, s:o}", "path", path_json(w, setting, input), "rows",
                     kan_json_count(input->table->n_rows));
}

static json_t *weights_json(const kan_fidelity_walk *w) {
    if (!w->weight)
        return json_null();
    const kan_row_weights *released = w->weights_by_row ? &w->weights : &w->released_weights;
    return json_pack("{s:o, s:o, s:o, s:b}", "column", kan_json_text(w->weight), "original",
                     kan_json_real(kan_row_weights_people(&w->weights, w->weights.total)),
                     "release", kan_json_real(kan_row_weights_people(released, released->total)),
                     "by_row", w->weights_by_row);
}

/* ---- columns -------------------------------------------------------------------------------- */

static json_t *distance_json(const kan_distribution_distance *distance) {
    return json_pack("{s:o, s:o}", "total_variation", kan_json_real(distance->variation),
                     "hellinger", kan_json_real(distance->hellinger));
}

static json_t *figure_json(bool is_there, double figure) {
    return is_there ? kan_json_real(figure) : json_null();
}

static json_t *numbers_json(const kan_number_summary *numbers) {
    static const char *const names[KAN_QUANTILES] = {"least",   "percentile_5",  "percentile_25",
                                                     "median",  "percentile_75", "percentile_95",
                                                     "greatest"};
    json_t *json = json_pack("{s:o, s:o, s:o}", "known", kan_json_real(numbers->known), "mean",
                             figure_json(numbers->has_mean, numbers->mean), "standard_deviation",
                             figure_json(numbers->has_deviation, numbers->deviation));
    for (size_t i = 0; i < KAN_QUANTILES; i++)
        json = kan_json_set(json, names[i], figure_json(numbers->has_mean, numbers->quantiles[i]));
    return json;
}

static json_t *class_json(const kan_fidelity_walk *w, size_t column, size_t which);

/* How the rows are distributed over the classes of the column. */
static json_t *classes_json(const kan_fidelity_walk *w, size_t i) {
    double before[KAN_MOST_CLASSES], after[KAN_MOST_CLASSES];
    const size_t n = kan_fidelity_class_shares(w->fidelity, i, before, after);
    json_t *classes = json_array();
    for (size_t which = 0; which < n; which++)
        classes =
            kan_json_append(classes, json_pack("{s:o, s:o, s:o}", "class", class_json(w, i, which),
                                               "original", kan_json_real(before[which]), "release",
                                               kan_json_real(after[which])));
    return classes;
}

static json_t *column_json(const kan_fidelity_walk *w, size_t i) {
    const kan_column_fidelity *column = &w->of_columns[i];
    const kan_column *original = w->columns[i].original;
    json_t *numbers = original->dictionary.type == KAN_TYPE_NUMBER
                          ? json_pack("{s:o, s:o}", "original", numbers_json(&column->original),
                                      "release", numbers_json(&column->released))
                          : json_null();
    json_t *cells =
        json_pack("{s:o, s:o, s:o}", "exact", kan_json_real(column->exact), "coarser",
                  kan_json_real(column->coarser), "hidden", kan_json_real(column->hidden));
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "name", kan_json_text(original->name),
                     "type", kan_type_name(original->dictionary.type), "cells", cells, "even",
                     distance_json(&column->even), "by_shares", distance_json(&column->by_shares),
                     "numbers", numbers, "classes", classes_json(w, i));
}

json_t *kan_fidelity_columns_json(const kan_fidelity_walk *w) {
    json_t *columns = json_array();
    for (size_t i = 0; i < w->n; i++)
        columns = kan_json_append(columns, column_json(w, i));
    return columns;
}

/* Names of columns that the other table does not have. */
static json_t *alone_json(const kan_fidelity_walk *w, const kan_input *input) {
    json_t *names = json_array();
    for (size_t i = 0; i < input->n_columns; i++)
        if (kan_fidelity_is_alone(w, input, i))
            names = kan_json_append(names, kan_json_text(input->columns[i]));
    return names;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static json_t *before_after_json(const kan_before_after *figure) {
    return json_pack(
        "{s:o, s:o, s:o}", "original", figure_json(figure->has_before, figure->before), "release",
        figure_json(figure->has_after, figure->after), "difference",
        figure_json(figure->has_before && figure->has_after, figure->after - figure->before));
}

static json_t *names_json(const kan_fidelity_walk *w, const kan_pair_fidelity *pair) {
    return json_pack("[o, o]", kan_json_text(w->columns[pair->a].original->name),
                     kan_json_text(w->columns[pair->b].original->name));
}

static json_t *pair_json(const kan_fidelity_walk *w, const kan_pair_fidelity *pair) {
    const bool are_numbers = w->columns[pair->a].original->dictionary.type != KAN_TYPE_TEXT &&
                             w->columns[pair->b].original->dictionary.type != KAN_TYPE_TEXT;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "columns", names_json(w, pair), "total_variation",
        kan_json_real(pair->variation), "cramers_v", before_after_json(&pair->v), "correlation",
        are_numbers ? before_after_json(&pair->correlation) : json_null(), "rank_correlation",
        are_numbers ? before_after_json(&pair->rank_correlation) : json_null());
}

static json_t *pairs_json(const kan_fidelity_walk *w) {
    json_t *all = json_array();
    for (size_t i = 0; i < w->n_pairs; i++)
        all = kan_json_append(all, pair_json(w, &w->of_pairs[i]));
    return all;
}

static json_t *class_json(const kan_fidelity_walk *w, size_t column, size_t which) {
    kan_text name;
    kan_text_init(&name, w->run);
    kan_fidelity_add_class(w->fidelity, column, which, &name);
    json_t *json = kan_text_status(&name) == KAN_OK
                       ? kan_json_slice((kan_slice){name.bytes, name.size})
                       : NULL;
    kan_text_destroy(&name);
    return json;
}

/* The contingency tables that changed most, and where each of them did. */
json_t *kan_fidelity_changed_json(const kan_fidelity_walk *w) {
    json_t *all = json_array();
    for (size_t i = 0; i < w->n_pairs && i < KAN_MOST_CHANGED; i++) {
        const kan_pair_fidelity *pair = &w->of_pairs[w->changed[i]];
        json_t *classes = json_pack("[o, o]", class_json(w, pair->a, pair->class_a),
                                    class_json(w, pair->b, pair->class_b));
        all = kan_json_append(all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "columns",
                                             names_json(w, pair), "total_variation",
                                             kan_json_real(pair->variation), "classes", classes,
                                             "original", kan_json_real(pair->share.before),
                                             "release", kan_json_real(pair->share.after)));
    }
    return all;
}

/* ---- all ------------------------------------------------------------------------------------ */

static json_t *says_json(const kan_fidelity_walk *w) {
    kan_text words;
    kan_text_init(&words, w->run);
    kan_fidelity_sentences(w, &words);
    return kan_fidelity_says_json(&words);
}

json_t *kan_fidelity_json(const kan_fidelity_walk *w) {
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(w->read_ms), "measure",
                  kan_json_time(w->measure_ms), "total", kan_json_time(kan_now_ms() - w->start_ms));
    return json_pack(
        "{s:s, s:s, s:b, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o}",
        "kanon", KANON_VERSION, "command", "utility", "internal", true, "input",
        input_json(w, "input", &w->release), "original", input_json(w, "original", &w->original),
        "weights", weights_json(w), "rows_in_order", kan_fidelity_keeps_rows(w->fidelity),
        "columns", kan_fidelity_columns_json(w), "numbers", kan_fidelity_numbers_json(w),
        "propensity", kan_fidelity_propensity_json(w), "pairs", pairs_json(w), "changed",
        kan_fidelity_changed_json(w), "regressions", kan_regressions_json(w), "classifications",
        kan_classifications_json(w), "only_original", alone_json(w, &w->original), "only_release",
        alone_json(w, &w->release), "says", says_json(w), "time_ms", times, "peak_memory_bytes",
        kan_json_count(kan_run_peak_memory(w->run)));
}
