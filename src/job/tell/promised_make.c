/* From settings to what the recount must find. Nothing here asks the privacy models: decimals are
 * read by data/decimal.h, values counted row by row.
 *
 * O(rows) per sensitive column, and memory for its values. */
#include "job/tell/promised_make.h"

#include "data/decimal.h"
#include "data/hierarchy.h"
#include "job/input/input.h"
#include "privacy/privacy.h"

/* ---- models --------------------------------------------------------------------------------- */

static kan_status read_decimal(const kan_job *job, const char *name, kan_promised_model *model) {
    const char *text = kan_options_find(&job->options, name);
    unsigned scale = 0;
    kan_wide units = 0;
    bool is_exact = false;
    const kan_slice slice = kan_slice_of(text ? text : "");
    if (!text || !kan_decimal_scale(slice, &scale) ||
        !kan_decimal_floor(slice, scale, &units, &is_exact) || !is_exact || units < 0 ||
        units > INT64_MAX)
        return kan_fail(job->run, KAN_BAD_INPUT, "--%s: '%s' is not a decimal such as 0.5", name,
                        text ? text : "");
    model->text = text;
    model->numerator = (uint64_t)units;
    model->denominator = 1;
    for (; scale > 0; scale--)
        model->denominator *= 10;
    return KAN_OK;
}

static kan_status read_whole(const kan_job *job, const char *name, uint64_t *out) {
    const char *text = kan_options_find(&job->options, name);
    if (text && kan_parse_count(text, out))
        return KAN_OK;
    return kan_fail(job->run, KAN_BAD_INPUT,
                    "--%s: '%s' is not a whole number, and different values are counted; write "
                    "--%s 2, or --l-kind entropy, which takes decimals",
                    name, text ? text : "", name);
}

static kan_status add_alpha(const kan_job *job, kan_promised *out) {
    kan_promised_model *model = &out->models[out->n_models++];
    *model = (kan_promised_model){
        .kind = KAN_PROMISED_ALPHA,
        .name = kan_privacy_alpha.kind.name,
        .is_refined = kan_options_switch(&job->options, "refined"),
        .is_combined = kan_options_switch(&job->options, "alpha-combined"),
    };
    KAN_TRY(read_decimal(job, "alpha", model));
    if (model->numerator == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--alpha: 0 is not a share that a value can have; write a decimal above 0");
    if (model->is_combined && !kan_options_find(&job->options, "alpha-value"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--alpha-combined: no value is named; say which ones count together with "
                        "--alpha-value VALUE");
    return KAN_OK;
}

static kan_status add_l(const kan_job *job, kan_promised *out) {
    static const struct {
        const char *name;
        kan_promised_kind kind;
    } kinds[] = {{"distinct", KAN_PROMISED_DISTINCT},
                 {"entropy", KAN_PROMISED_ENTROPY},
                 {"recursive", KAN_PROMISED_RECURSIVE}};
    const char *wanted = kan_options_find(&job->options, "l-kind");
    kan_promised_model *model = &out->models[out->n_models++];
    *model = (kan_promised_model){.kind = KAN_PROMISED_DISTINCT,
                                  .name = kan_privacy_l_diversity.kind.name};
    for (size_t i = 0; wanted && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(wanted, kinds[i].name) == 0)
            model->kind = kinds[i].kind;
    if (model->kind != KAN_PROMISED_ENTROPY)
        KAN_TRY(read_whole(job, "l", &model->l));
    if (model->kind == KAN_PROMISED_DISTINCT)
        return KAN_OK;
    KAN_TRY(read_decimal(job, model->kind == KAN_PROMISED_ENTROPY ? "l" : "c", model));
    if (model->kind == KAN_PROMISED_ENTROPY && model->numerator < model->denominator)
        return kan_fail(job->run, KAN_BAD_INPUT, "--l: %s is too small; the least is 1",
                        model->text);
    return KAN_OK;
}

static kan_status add_t(const kan_job *job, kan_promised *out) {
    kan_promised_model *model = &out->models[out->n_models++];
    *model =
        (kan_promised_model){.kind = KAN_PROMISED_CLOSE, .name = kan_privacy_t_closeness.kind.name};
    return read_decimal(job, "t", model);
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status count_values(kan_arena *arena, const kan_column *from, uint64_t n_rows,
                               kan_promised_column *column) {
    enum { WINDOW = 1 << 20 };
    const kan_dictionary *dictionary = &from->dictionary;
    kan_slice *values;
    uint64_t *rows;
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *values, &values));
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *rows, &rows));
    for (uint32_t code = 0; code < dictionary->n; code++)
        values[code] = kan_dictionary_value(dictionary, code);
    for (uint64_t row = 0; row < n_rows; row++) {
        rows[kan_column_code(from, row)]++;
        if ((row + 1) % WINDOW == 0)
            kan_column_done(arena->run, from, row + 1 - WINDOW, WINDOW);
    }
    *column = (kan_promised_column){.name = from->name,
                                    .n_rows = n_rows,
                                    .n_values = dictionary->n,
                                    .values = values,
                                    .rows = rows};
    return KAN_OK;
}

static kan_status rank_values(kan_arena *arena, const kan_dictionary *dictionary,
                              kan_promised_column *column) {
    uint32_t *rank;
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *rank, &rank));
    for (uint32_t code = 1; code < dictionary->n; code++) {
        double here, before;
        const bool is_equal =
            kan_value_number(dictionary->type, column->values[code - 1], &before) &&
            kan_value_number(dictionary->type, column->values[code], &here) && !(before < here);
        rank[code] = rank[code - 1] + !is_equal;
    }
    column->rank = rank;
    column->n_ranks = dictionary->n > 0 ? rank[dictionary->n - 1] + 1 : 0;
    return KAN_OK;
}

static kan_status copy_tree(kan_arena *arena, const kan_hierarchy *tree,
                            kan_promised_column *column) {
    const uint32_t **node;
    KAN_TRY(kan_arena_alloc(arena, (size_t)tree->height + 1, sizeof *node, &node));
    for (unsigned level = 0; level <= tree->height; level++) {
        uint32_t *here;
        KAN_TRY(kan_arena_alloc(arena, column->n_values, sizeof *here, &here));
        for (uint32_t code = 0; code < column->n_values; code++)
            here[code] = tree->levels[level].from_leaf[tree->leaf_of[code]];
        node[level] = here;
    }
    column->height = tree->height;
    column->node = node;
    return KAN_OK;
}

/* What t-closeness needs to know of a column. Problems of the hierarchy are the caller's. */
static kan_status measure_distance(kan_job *job, const kan_column *from,
                                   kan_promised_column *column) {
    const char *wanted = kan_options_find(&job->options, "t-distance");
    const bool is_auto = !wanted || strcmp(wanted, "auto") == 0;
    const bool has_order = from->dictionary.type != KAN_TYPE_TEXT;
    kan_hierarchy *tree;
    char quoted[256];
    KAN_TRY(kan_input_tree(job, from, &tree));
    if (tree) {
        column->distance = KAN_DISTANCE_HIERARCHICAL;
        kan_status status = copy_tree(&job->arena, tree, column);
        kan_hierarchy_destroy(tree);
        return status;
    }
    if (is_auto ? has_order : strcmp(wanted, "ordered") == 0)
        column->distance = KAN_DISTANCE_ORDERED;
    if ((column->distance == KAN_DISTANCE_ORDERED && !has_order) ||
        (!is_auto && strcmp(wanted, "hierarchical") == 0))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--t-distance %s: column %s has %s; leave it to auto", wanted,
                        kan_quote(kan_slice_of(from->name), quoted),
                        has_order ? "no hierarchy" : "neither an order nor a hierarchy");
    return column->distance == KAN_DISTANCE_ORDERED
               ? rank_values(&job->arena, &from->dictionary, column)
               : KAN_OK;
}

/* Nobody in the table has the value: a slip of the pen, or in a release somebody's work. */
static kan_status miss_value(const kan_job *job, const char *value, bool is_release) {
    char quoted[256];
    kan_quote(kan_slice_of(value), quoted);
    if (!is_release)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--alpha-value: no sensitive column has the value %s; values are written "
                        "as in the table",
                        quoted);
    kan_note(job->run,
             "--alpha-value: no sensitive column of the release has the value %s, so it is rare "
             "there; --original FILE tells whether it is written as in the table before",
             quoted);
    return KAN_OK;
}

/* Which values must be rare. */
static kan_status name_values(kan_job *job, kan_promised_column *columns, size_t n_columns,
                              bool is_release) {
    const size_t n_named = kan_options_count_of(&job->options, "alpha-value");
    bool *is_found, *is_named;
    if (n_named == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&job->arena, n_named, sizeof *is_found, &is_found));
    for (size_t c = 0; c < n_columns; c++) {
        KAN_TRY(kan_arena_alloc(&job->arena, columns[c].n_values, sizeof *is_named, &is_named));
        for (size_t i = 0; i < n_named; i++) {
            const char *wanted = kan_options_at(&job->options, "alpha-value", i);
            for (size_t v = 0; v < columns[c].n_values; v++)
                if (kan_slice_is(columns[c].values[v], wanted))
                    is_named[v] = is_found[i] = true;
        }
        columns[c].is_named = is_named;
    }
    for (size_t i = 0; i < n_named; i++)
        if (!is_found[i])
            KAN_TRY(miss_value(job, kan_options_at(&job->options, "alpha-value", i), is_release));
    return KAN_OK;
}

static kan_status add_columns(kan_job *job, const kan_table *whole, bool is_release,
                              kan_promised *out) {
    const size_t n = kan_options_count_of(&job->options, "sensitive");
    kan_promised_column *columns;
    char quoted[256];
    if (n == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "no sensitive column; name what must not be learned about somebody with "
                        "--sensitive NAME");
    KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *columns, &columns));
    kan_problems_begin(job->run);
    for (size_t i = 0; i < n; i++) {
        const char *name = kan_options_at(&job->options, "sensitive", i);
        const kan_column *from = kan_table_find(whole, name, NULL);
        const size_t before = kan_problems_count(job->run);
        if (!from || !from->is_encoded) {
            kan_problem_add(job->run, "no column %s (--sensitive)",
                            kan_quote(kan_slice_of(name), quoted));
            continue;
        }
        KAN_TRY(count_values(&job->arena, from, whole->n_rows, &columns[i]));
        if (!kan_options_find(&job->options, "t"))
            continue;
        kan_status status = measure_distance(job, from, &columns[i]);
        if (status != KAN_OK && kan_problems_count(job->run) == before)
            return status;
    }
    KAN_TRY(kan_problems_end(job->run));
    if (kan_options_find(&job->options, "alpha"))
        KAN_TRY(name_values(job, columns, n, is_release));
    out->columns = columns;
    out->n_columns = n;
    return KAN_OK;
}

kan_status kan_promised_make(kan_job *job, const kan_table *whole, bool is_release,
                             kan_promised *out) {
    kan_promised promised = {.k = kan_options_count(&job->options, "k", 1)};
    bool is_wanted, has_k;
    KAN_TRY(kan_registry_ask(job->run, &kan_privacy_k_anonymity.kind, &job->options, &has_k));
    KAN_TRY(kan_registry_ask(job->run, &kan_privacy_alpha.kind, &job->options, &is_wanted));
    if (is_wanted)
        KAN_TRY(add_alpha(job, &promised));
    KAN_TRY(kan_registry_ask(job->run, &kan_privacy_l_diversity.kind, &job->options, &is_wanted));
    if (is_wanted)
        KAN_TRY(add_l(job, &promised));
    KAN_TRY(kan_registry_ask(job->run, &kan_privacy_t_closeness.kind, &job->options, &is_wanted));
    if (is_wanted)
        KAN_TRY(add_t(job, &promised));
    if (!has_k && promised.n_models == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "nothing is promised: say how large a crowd everybody hides in with --k N");
    if (promised.n_models > 0)
        KAN_TRY(add_columns(job, whole, is_release, &promised));
    *out = promised;
    return KAN_OK;
}
