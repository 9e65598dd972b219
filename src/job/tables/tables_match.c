/* A release without keys: which original row each of its rows may be. Rows stand in any order, so that it is
 * worked out who stays at the levels that are shown, and what their rows would show; when the release shows the
 * same, as often, equal rows are paired. Whoever finds the pairs is not believed: all is counted by them. */
#include <stdlib.h>
#include <string.h>

#include "job/tables/tables_inside.h"

enum { MOST_TRIES = 256 };

/* ---- levels --------------------------------------------------------------------------------- */

static int compare_slices(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

/* Whether all that the column shows is shown at that level. */
static kan_status is_at_level(kan_run *run, const kan_column *shown, const kan_hierarchy *h,
                              unsigned level, bool *holds) {
    const kan_level *l = &h->levels[level];
    kan_slice *labels;
    KAN_TRY(kan_alloc(run, l->n_groups, sizeof *labels, &labels));
    memcpy(labels, l->label, l->n_groups * sizeof *labels);
    qsort(labels, l->n_groups, sizeof *labels, compare_slices);
    for (uint32_t code = 0; code < shown->dictionary.n && *holds; code++) {
        const kan_slice value = kan_dictionary_value(&shown->dictionary, code);
        *holds = bsearch(&value, labels, l->n_groups, sizeof *labels, compare_slices) != NULL;
    }
    kan_free(run, labels);
    return KAN_OK;
}

/* may[attribute][level]: whether all tables can show that level. */
static kan_status find_levels(const kan_clan *clan, const kan_forest_table *released,
                              bool may[][KAN_HEIGHT_MOST + 1]) {
    for (unsigned a = 0; a < clan->n_attributes; a++)
        for (unsigned level = 0; level <= clan->heights[a]; level++)
            may[a][level] = true;
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++) {
            const unsigned a = clan->tables[t].attribute[q];
            const kan_column *shown = &released[t].table->columns[released[t].quasi[q]];
            for (unsigned level = 0; level <= clan->heights[a]; level++)
                KAN_TRY(is_at_level(clan->run, shown, clan->tables[t].setup.hierarchies[q], level,
                                    &may[a][level]));
        }
    return KAN_OK;
}

/* Whether nobody sees by what is shown which of two levels it is: what either of them makes of a value is the same,
 * or is not shown. */
static bool show_the_same(const kan_column *shown, const kan_hierarchy *h, unsigned low,
                          unsigned high) {
    const kan_level *a = &h->levels[low], *b = &h->levels[high];
    uint32_t code;
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        const kan_slice x = a->label[a->from_leaf[leaf]], y = b->label[b->from_leaf[leaf]];
        if (!kan_slice_equal(x, y) && (kan_dictionary_find(&shown->dictionary, x, &code) ||
                                       kan_dictionary_find(&shown->dictionary, y, &code)))
            return false;
    }
    return true;
}

static bool all_show_the_same(const kan_clan *clan, const kan_forest_table *released, unsigned a,
                              unsigned low, unsigned high) {
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++)
            if (clan->tables[t].attribute[q] == a &&
                !show_the_same(&released[t].table->columns[released[t].quasi[q]],
                               clan->tables[t].setup.hierarchies[q], low, high))
                return false;
    return true;
}

/* Of levels that show the same the lowest is enough for k and distinct l: those who stay above show the same there,
 * and so they stay; nobody stays there who does not stay above. */
static void drop_alike(const kan_clan *clan, const kan_forest_table *released,
                       bool may[][KAN_HEIGHT_MOST + 1]) {
    for (unsigned a = 0; a < clan->n_attributes; a++)
        for (unsigned high = 1; high <= clan->heights[a]; high++)
            for (unsigned low = 0; low < high && may[a][high]; low++)
                if (may[a][low] && all_show_the_same(clan, released, a, low, high))
                    may[a][high] = false;
}

/* The first levels that may be, or the next; false: there are none. */
static bool next_levels(const kan_clan *clan, bool may[][KAN_HEIGHT_MOST + 1], bool is_first,
                        unsigned *levels) {
    for (unsigned a = clan->n_attributes; a-- > 0;) {
        unsigned level = is_first ? 0 : levels[a] + 1;
        while (level <= clan->heights[a] && !may[a][level])
            level++;
        if (level <= clan->heights[a]) {
            levels[a] = level;
            if (!is_first)
                return true;
            continue;
        }
        if (is_first)
            return false;
        for (levels[a] = 0; !may[a][levels[a]];)
            levels[a]++;
    }
    return is_first;
}

/* ---- rows ----------------------------------------------------------------------------------- */

typedef struct {
    kan_slice text;
    uint64_t row;
} told;

static int compare_told(const void *a, const void *b) {
    const told *x = a, *y = b;
    const int order = kan_slice_compare(x->text, y->text);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static void add_value(kan_text *to, kan_slice value) {
    const uint64_t size = value.size;
    kan_text_add(to, (const char *)&size, sizeof size);
    kan_text_add(to, value.bytes, value.size);
}

/* What a row of the original shows at these levels; of a release what it shows. */
static void add_row(const kan_clan *clan, size_t t, const kan_forest_table *from,
                    const unsigned *levels, uint64_t row, kan_text *to) {
    const kan_clan_table *table = &clan->tables[t];
    for (size_t q = 0; q < from->n_quasi; q++) {
        const kan_column *column = &from->table->columns[from->quasi[q]];
        const kan_hierarchy *h = table->setup.hierarchies[q];
        kan_slice value = kan_column_value(column, row);
        if (levels) {
            const kan_level *l = &h->levels[levels[table->attribute[q]]];
            value = l->label[l->from_leaf[h->leaf_of[kan_column_code(column, row)]]];
        }
        add_value(to, value);
    }
    for (size_t i = 0; i < from->n_others; i++)
        add_value(to, kan_column_value(&from->table->columns[from->others[i]], row));
}

/* The rows that are not left out, in the order of what they show. */
static kan_status write_rows(const kan_clan *clan, size_t t, const kan_forest_table *from,
                             const unsigned *levels, const uint8_t *is_left, kan_text *text,
                             told *rows) {
    size_t n = 0;
    for (uint64_t row = 0; row < from->table->n_rows; row++) {
        const size_t begin = text->size;
        if (is_left && is_left[row])
            continue;
        add_row(clan, t, from, levels, row, text);
        rows[n++] = (told){{NULL, text->size - begin}, row};
    }
    KAN_TRY(kan_text_status(text));
    const char *at = text->bytes ? text->bytes : "";
    for (size_t i = 0; i < n; i++) {
        rows[i].text.bytes = at;
        at += rows[i].text.size;
    }
    qsort(rows, n, sizeof *rows, compare_told);
    return kan_check_cancel(clan->run);
}

static kan_status pair_rows(const kan_clan *clan, size_t t, const kan_forest_table *released,
                            const kan_forest_table *original, const unsigned *levels,
                            const uint8_t *is_left, uint64_t *row_of, bool *holds) {
    const size_t n = (size_t)released->table->n_rows, n_all = (size_t)original->table->n_rows;
    kan_text shown, known;
    told *left = NULL, *right = NULL;
    kan_status status;
    kan_text_init(&shown, clan->run);
    kan_text_init(&known, clan->run);
    KAN_TRY_DONE(kan_alloc(clan->run, n, sizeof *left, &left));
    KAN_TRY_DONE(kan_alloc(clan->run, n_all, sizeof *right, &right));
    KAN_TRY_DONE(write_rows(clan, t, released, NULL, NULL, &shown, left));
    KAN_TRY_DONE(write_rows(clan, t, original, levels, is_left, &known, right));
    for (size_t i = 0; i < n && *holds; i++) {
        *holds = kan_slice_equal(left[i].text, right[i].text);
        row_of[left[i].row] = right[i].row;
    }
done:
    kan_text_destroy(&shown);
    kan_text_destroy(&known);
    kan_free(clan->run, left);
    kan_free(clan->run, right);
    return status;
}

/* ---- people --------------------------------------------------------------------------------- */

/* Rows of all tables go with their people; whether as many stay as are released. */
static bool spread(const kan_clan *clan, const kan_forest_table *released,
                   uint8_t *const *is_left) {
    for (size_t t = 0; t < clan->n; t++) {
        uint64_t n = 0;
        for (uint64_t row = 0; row < clan->tables[t].setup.table->n_rows; row++) {
            is_left[t][row] = is_left[0][kan_clan_person(clan, t, row)];
            n += !is_left[t][row];
        }
        if (n != released[t].table->n_rows)
            return false;
    }
    return true;
}

static kan_status try_levels(kan_clan *clan, const kan_forest_table *released,
                             const kan_forest_table *originals, const unsigned *levels,
                             uint8_t *const *is_left, uint64_t *const *row_of, bool *holds) {
    uint64_t n_left;
    KAN_TRY(kan_trees_leave(clan->run, &clan->question, levels, is_left[0], &n_left));
    *holds = spread(clan, released, is_left);
    for (size_t t = 0; t < clan->n && *holds; t++)
        KAN_TRY(
            pair_rows(clan, t, &released[t], &originals[t], levels, is_left[t], row_of[t], holds));
    return KAN_OK;
}

/* Levels that may be, one after the other. */
static kan_status try_all(kan_clan *clan, const kan_forest_table *released,
                          const kan_forest_table *originals, bool may[][KAN_HEIGHT_MOST + 1],
                          uint8_t *const *is_left, uint64_t *const *row_of, bool *is_found) {
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    bool is_there = next_levels(clan, may, true, levels);
    for (unsigned tries = 0; is_there && !*is_found && tries < MOST_TRIES; tries++) {
        KAN_TRY(try_levels(clan, released, originals, levels, is_left, row_of, is_found));
        is_there = next_levels(clan, may, false, levels);
    }
    return KAN_OK;
}

static kan_status match(kan_clan *clan, const kan_forest_table *released,
                        const kan_forest_table *originals, bool may[][KAN_HEIGHT_MOST + 1],
                        uint8_t *const *is_left, uint64_t *const *row_of, bool *is_found) {
    KAN_TRY(find_levels(clan, released, may));
    if (clan->answer.is_found) /* who makes the release knows them */
        KAN_TRY(
            try_levels(clan, released, originals, clan->answer.levels, is_left, row_of, is_found));
    if (*is_found)
        return KAN_OK;
    drop_alike(clan, released, may);
    KAN_TRY(try_all(clan, released, originals, may, is_left, row_of, is_found));
    if (*is_found || !clan->has_models)
        return KAN_OK;
    KAN_TRY(find_levels(clan, released, may));
    return try_all(clan, released, originals, may, is_left, row_of, is_found);
}

kan_status kan_clan_match(kan_clan *clan, const kan_forest_table *released,
                          const kan_forest_table *originals, uint64_t *const *row_of,
                          bool *is_found) {
    bool(*may)[KAN_HEIGHT_MOST + 1] = NULL;
    uint8_t *is_left[KAN_MOST_TABLES] = {NULL};
    kan_status status;
    *is_found = false;
    KAN_TRY_DONE(kan_alloc_zero(clan->run, KAN_MAX_ATTRIBUTES, sizeof *may, &may));
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY_DONE(
            kan_alloc(clan->run, (size_t)clan->tables[t].setup.table->n_rows, 1, &is_left[t]));
    KAN_TRY_DONE(kan_clan_kin(clan));
    KAN_TRY_DONE(kan_clan_pose(clan, &clan->kin, NULL, &clan->question));
    clan->question.k = kan_clan_k(clan->job);
    KAN_TRY_DONE(match(clan, released, originals, may, is_left, row_of, is_found));
done:
    kan_clan_forget(clan);
    for (size_t t = 0; t < clan->n; t++)
        kan_free(clan->run, is_left[t]);
    kan_free(clan->run, may);
    return status;
}
