/* From settings to what the recount must find. Nothing here asks the privacy models: each recount
 * reads its own settings, and values are counted row by row.
 *
 * O(rows) per sensitive column, and memory for its values. */
#include "job/tell/claim_make.h"

#include <stdlib.h>

#include "analyze/verify/verify.h"
#include "data/hierarchy.h"
#include "data/spelling.h"
#include "job/input/input.h"

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    uint32_t value, person;
} value_of_person;

static int compare_pairs(const void *a, const void *b) {
    const value_of_person *left = a, *right = b;
    const int order = (left->value > right->value) - (left->value < right->value);
    return order ? order : (left->person > right->person) - (left->person < right->person);
}

/* The people who have each value, and how many pairs of both there are. */
static kan_status count_people(kan_run *run, const kan_column *from, const kan_column *person,
                               uint64_t *people, uint64_t *n_pairs) {
    const size_t n_rows = (size_t)from->n_rows;
    value_of_person *pairs;
    KAN_TRY(kan_alloc(run, n_rows, sizeof *pairs, &pairs));
    for (size_t row = 0; row < n_rows; row++)
        pairs[row] = (value_of_person){kan_column_code(from, row), kan_column_code(person, row)};
    qsort(pairs, n_rows, sizeof *pairs, compare_pairs);
    *n_pairs = 0;
    for (size_t i = 0; i < n_rows; i++)
        if (i == 0 || compare_pairs(&pairs[i - 1], &pairs[i]) != 0) {
            people[pairs[i].value]++;
            ++*n_pairs;
        }
    kan_free(run, pairs);
    return KAN_OK;
}

static kan_status count_values(kan_arena *arena, const kan_column *from, const kan_column *person,
                               uint64_t n_rows, kan_claim_column *column) {
    enum { WINDOW = 1 << 20 };
    const kan_dictionary *dictionary = &from->dictionary;
    kan_slice *values;
    uint64_t *rows;
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *values, &values));
    KAN_TRY(kan_arena_alloc(arena, dictionary->n, sizeof *rows, &rows));
    for (uint32_t code = 0; code < dictionary->n; code++)
        values[code] = kan_dictionary_value(dictionary, code);
    uint64_t n_pairs = kan_column_total(from);
    for (uint64_t row = 0; row < n_rows && !person; row++) {
        rows[kan_column_code(from, row)] += kan_column_rows(from, row);
        if ((row + 1) % WINDOW == 0)
            kan_column_done(arena->run, from, row + 1 - WINDOW, WINDOW);
    }
    if (person)
        KAN_TRY(count_people(arena->run, from, person, rows, &n_pairs));
    *column = (kan_claim_column){.name = from->name,
                                 .n_rows = n_pairs,
                                 .n_values = dictionary->n,
                                 .values = values,
                                 .rows = rows};
    return KAN_OK;
}

static kan_status rank_values(kan_arena *arena, const kan_dictionary *dictionary,
                              kan_claim_column *column) {
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

static kan_status copy_tree(kan_arena *arena, const kan_hierarchy *tree, kan_claim_column *column) {
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

/* How far the values of a column are apart. Problems of the hierarchy are the caller's. */
static kan_status measure_distance(kan_job *job, const kan_column *from, kan_claim_column *column) {
    const char *wanted = kan_options_for(&job->options, "t-distance", kan_slice_of(from->name));
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

/* Whose each row is; NULL where rows are counted. */
static const kan_column *person_of(const kan_job *job, const kan_table *whole) {
    const char *name = kan_options_find(&job->options, "person");
    const kan_column *person = name ? kan_table_find(whole, name, NULL) : NULL;
    return person && person->is_encoded ? person : NULL;
}

static kan_status add_column(kan_job *job, const kan_table *whole, const char *name,
                             bool needs_distance, kan_claim_column *out) {
    const kan_column *from = kan_table_find(whole, name, NULL);
    const size_t before = kan_problems_count(job->run);
    char quoted[256];
    if (!from || !from->is_encoded) {
        kan_problem_add(job->run, "no column %s (--sensitive)",
                        kan_quote(kan_slice_of(name), quoted));
        return KAN_OK;
    }
    KAN_TRY(count_values(&job->arena, from, person_of(job, whole), whole->n_rows, out));
    out->spelling = from->spelling;
    const kan_status status = needs_distance ? measure_distance(job, from, out) : KAN_OK;
    return kan_problems_count(job->run) == before ? status : KAN_OK;
}

static bool uses_distance(const kan_claim *claim, size_t column) {
    for (size_t m = 0; m < claim->n_models; m++)
        if (claim->models[m].kind->uses_distance && kan_claim_looks_at(&claim->models[m], column))
            return true;
    return false;
}

kan_status kan_claim_columns(kan_job *job, const kan_table *whole, bool all_distances,
                             kan_claim *out) {
    const size_t n = kan_options_count_of(&job->options, "sensitive");
    kan_claim_column *columns;
    if (n == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "no sensitive column; name what must not be learned about somebody with "
                        "--sensitive NAME");
    KAN_TRY(kan_arena_alloc(&job->arena, n, sizeof *columns, &columns));
    kan_problems_begin(job->run);
    for (size_t i = 0; i < n; i++)
        KAN_TRY(add_column(job, whole, kan_options_at(&job->options, "sensitive", i),
                           all_distances || uses_distance(out, i), &columns[i]));
    KAN_TRY(kan_problems_end(job->run));
    out->columns = columns;
    out->n_columns = n;
    return KAN_OK;
}

/* ---- models --------------------------------------------------------------------------------- */

/* Nobody in the table has the value: a typing error, or in a release the work of suppression. */
static kan_status miss_value(const kan_job *job, const char *option, const char *value,
                             bool is_release) {
    char quoted[256];
    kan_quote(kan_slice_of(value), quoted);
    if (!is_release)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--%s: no sensitive column has the value %s; values are written as in the "
                        "table",
                        option, quoted);
    kan_note(job->run,
             "--%s: no sensitive column of the release has the value %s, so it is rare there; "
             "--original FILE tells whether it is written as in the table before",
             option, quoted);
    return KAN_OK;
}

static bool has_kind(const kan_claim *claim, const kan_recount_kind *kind, size_t column) {
    for (size_t m = 0; m < claim->n_models; m++)
        if (claim->models[m].kind == kind && kan_claim_looks_at(&claim->models[m], column))
            return true;
    return false;
}

/* Of several models of a kind one tells. */
static bool is_first(const kan_claim *claim, const kan_claim_model *model) {
    size_t m = 0;
    while (claim->models[m].kind != model->kind)
        m++;
    return &claim->models[m] == model;
}

/* Which values a model looks at. */
static kan_status name_values(kan_job *job, const kan_claim *claim, bool is_release,
                              kan_claim_model *model) {
    const char *option = model->kind->values_option;
    const size_t n_named = option ? kan_options_count_of(&job->options, option) : 0;
    const bool **by_column;
    bool *is_found, *is_named;
    if (n_named == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&job->arena, n_named, sizeof *is_found, &is_found));
    KAN_TRY(kan_arena_alloc(&job->arena, claim->n_columns, sizeof *by_column, &by_column));
    for (size_t c = 0; c < claim->n_columns; c++) {
        const kan_claim_column *column = &claim->columns[c];
        KAN_TRY(kan_arena_alloc(&job->arena, column->n_values, sizeof *is_named, &is_named));
        for (size_t i = 0; i < n_named; i++) {
            char room[KAN_SPELLING_ROOM];
            const kan_slice wanted = kan_spelling_take(
                column->spelling, kan_slice_of(kan_options_at(&job->options, option, i)), room);
            for (size_t v = 0; v < column->n_values; v++)
                if (kan_slice_equal(column->values[v], wanted)) {
                    is_named[v] = true;
                    is_found[i] |= has_kind(claim, model->kind, c);
                }
        }
        by_column[c] = is_named;
    }
    for (size_t i = 0; i < n_named; i++)
        if (!is_found[i] && is_first(claim, model))
            KAN_TRY(miss_value(job, option, kan_options_at(&job->options, option, i), is_release));
    model->is_named = by_column;
    return KAN_OK;
}

kan_status kan_claim_refuse(const kan_job *job, const char *name) {
    return kan_fail(job->run, KAN_FAILED,
                    "internal error: no recount knows the model %s, so nothing is released; "
                    "please report this",
                    name);
}

kan_status kan_claim_make(kan_job *job, const kan_table *whole, bool is_release, kan_claim *out) {
    const char *promised = kan_options_find(&job->options, "person-promise");
    kan_claim claim = {.k = kan_options_count(&job->options, "k", 1),
                       .person = kan_options_find(&job->options, "person"),
                       .histories = promised && strcmp(promised, "histories") == 0};
    bool has_k = false, uses_columns = false;
    KAN_TRY(kan_per_column_check(job));
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        const bool is_k = strcmp(kind->name, KAN_CLAIM_K) == 0;
        bool is_wanted;
        KAN_TRY(kan_registry_ask(job->run, kind, &job->options, &is_wanted));
        has_k |= is_k && is_wanted;
        if (is_wanted && !is_k)
            KAN_TRY(kan_claim_add_kind(job, kind, &claim));
    }
    if (!has_k && claim.n_models == 0)
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "nothing is promised: say how large a crowd everybody hides in with --k N");
    for (size_t m = 0; m < claim.n_models; m++)
        uses_columns |= claim.models[m].kind->check != NULL;
    if (uses_columns)
        KAN_TRY(kan_claim_columns(job, whole, false, &claim));
    for (size_t m = 0; m < claim.n_models; m++)
        KAN_TRY(name_values(job, &claim, is_release, &claim.models[m]));
    *out = claim;
    return KAN_OK;
}
