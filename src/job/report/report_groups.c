/* Groups of a release: what they tell of sensitive values, and a few released rows as examples. */
#include "analyze/risk/risk.h"
#include "job/report/report_data.h"

enum { MOST_COLUMNS = 24 };

static bool is_released(const kan_groups *groups, size_t g) {
    return !groups->is_released || groups->is_released[g];
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* What a group shows in a column. */
static kan_slice shown_by(const kan_solution *solution, size_t group, size_t column) {
    if (kan_recoding_has_regions(&solution->answer.recoding)) {
        const kan_group_column *c = &solution->by_group.columns[column];
        return c->labels[c->codes[group]];
    }
    const kan_freqset *set = &solution->quasi_set;
    const kan_shown *shown = &solution->shown[column];
    const uint32_t value =
        kan_key_field_value(&set->layout.fields[column], set->keys + group * set->layout.n_words);
    return shown->hierarchy->levels[shown->level].label[value];
}

/* Groups of one size by what they show: the order that they stand in depends on everybody. */
static bool comes_before(const kan_report_source *source, size_t a, size_t b, bool largest) {
    const kan_solution *solution = source->outcome->solution;
    const uint64_t *count = kan_solution_groups(solution)->count;
    const size_t n = kan_recoding_has_regions(&solution->answer.recoding)
                         ? solution->by_group.n_columns
                         : solution->setup->n_quasi;
    if (count[a] != count[b])
        return largest ? count[a] > count[b] : count[a] < count[b];
    for (size_t c = 0; c < n; c++) {
        const int order = kan_slice_compare(shown_by(solution, a, c), shown_by(solution, b, c));
        if (order)
            return order < 0;
    }
    return false;
}

kan_status kan_report_choose_groups(const kan_report_source *source, bool largest, size_t most,
                                    size_t *groups, size_t *n) {
    const kan_groups *all = kan_solution_groups(source->outcome->solution);
    *n = 0;
    for (size_t g = 0; g < all->n_groups; g++) {
        size_t at = *n;
        if (!is_released(all, g))
            continue;
        while (at > 0 && comes_before(source, g, groups[at - 1], largest)) {
            if (at < most)
                groups[at] = groups[at - 1];
            at--;
        }
        if (at < most)
            groups[at] = g;
        *n += *n < most;
    }
    return kan_check_cancel(source->outcome->setup->run);
}

/* Levels and cuts: what each code of each attribute is in the groups' keys. */
typedef struct {
    unsigned n_quasi;
    const kan_column *columns[KAN_MAX_ATTRIBUTES];
    uint32_t *shown_of[KAN_MAX_ATTRIBUTES];
} shown_codes;

static void shown_codes_destroy(kan_run *run, shown_codes *codes) {
    for (unsigned a = 0; a < codes->n_quasi; a++)
        kan_free(run, codes->shown_of[a]);
}

static kan_status shown_codes_make(const kan_report_source *source, shown_codes *out) {
    const kan_setup *setup = source->outcome->setup;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const kan_shown *shown = &source->outcome->solution->shown[a];
        const kan_hierarchy *h = shown->hierarchy;
        out->columns[a] = &setup->table->columns[setup->quasi[a]];
        out->n_quasi = a + 1;
        KAN_TRY(kan_alloc(setup->run, h->n_codes, sizeof **out->shown_of, &out->shown_of[a]));
        for (uint32_t code = 0; code < h->n_codes; code++)
            out->shown_of[a][code] = shown->level == 0
                                         ? h->leaf_of[code]
                                         : h->levels[shown->level].from_leaf[h->leaf_of[code]];
    }
    return KAN_OK;
}

static bool row_is_in(const shown_codes *codes, const kan_freqset *set, size_t group,
                      uint64_t row) {
    const uint64_t *key = set->keys + group * set->layout.n_words;
    for (unsigned a = 0; a < codes->n_quasi; a++)
        if (codes->shown_of[a][kan_column_code(codes->columns[a], row)] !=
            kan_key_field_value(&set->layout.fields[a], key))
            return false;
    return true;
}

kan_status kan_report_find_rows(const kan_report_source *source, const size_t *groups, size_t n,
                                uint64_t *rows) {
    const kan_setup *setup = source->outcome->setup;
    const kan_solution *solution = source->outcome->solution;
    const uint32_t *group_of_row = source->release->group_of_row;
    const uint8_t *is_suppressed = source->release->is_suppressed;
    shown_codes codes = {0};
    size_t n_left = n;
    kan_status status = group_of_row ? KAN_OK : shown_codes_make(source, &codes);
    for (size_t i = 0; i < n; i++)
        rows[i] = UINT64_MAX;
    for (uint64_t row = 0; status == KAN_OK && n_left > 0 && row < setup->table->n_rows; row++) {
        /* by person a group may have rows of those who leave beside those of who stays */
        for (size_t i = 0; i < n && !(is_suppressed && is_suppressed[row]); i++)
            if (rows[i] == UINT64_MAX &&
                (group_of_row ? group_of_row[row] == groups[i]
                              : row_is_in(&codes, &solution->quasi_set, groups[i], row))) {
                rows[i] = row;
                n_left--;
                break;
            }
        if (row % 65536 == 0)
            status = kan_check_cancel(setup->run);
    }
    shown_codes_destroy(setup->run, &codes);
    return status;
}

json_t *kan_report_released_columns(const kan_report_source *source, size_t *n_others) {
    const kan_release *release = source->release;
    json_t *names = json_array();
    size_t n = 0;
    for (size_t c = 0; c < release->n_columns; c++)
        if (!kan_release_keeps(&release->columns[c]) && n < MOST_COLUMNS) {
            names = kan_json_append(names, kan_json_text(release->columns[c].name));
            n++;
        }
    *n_others = release->n_columns - n;
    return names;
}

json_t *kan_report_released_row(const kan_report_source *source, uint64_t row) {
    const kan_release *release = source->release;
    json_t *values = json_array();
    size_t n = 0;
    for (size_t c = 0; c < release->n_columns && n < MOST_COLUMNS; c++) {
        const kan_release_column *column = &release->columns[c];
        if (kan_release_keeps(column))
            continue;
        n++;
        values = kan_json_append(
            values, kan_release_hides(release, column, row)
                        ? json_string("*")
                        : kan_report_label(column->labels[kan_release_code(release, column, row)]));
    }
    return values;
}

kan_status kan_report_sample(const kan_report_source *source, json_t **out) {
    kan_run *run = source->outcome->setup->run;
    const kan_groups *all = kan_solution_groups(source->outcome->solution);
    size_t groups[KAN_REPORT_ROWS] = {0}, n, n_others;
    uint64_t rows[KAN_REPORT_ROWS];
    json_t *list = json_array();
    KAN_TRY(kan_report_choose_groups(source, true, KAN_REPORT_ROWS, groups, &n));
    kan_status status = kan_report_find_rows(source, groups, n, rows);
    for (size_t i = 0; status == KAN_OK && i < n; i++)
        if (rows[i] != UINT64_MAX)
            list = kan_json_append(list, json_pack("{s:o, s:o}", "group_rows",
                                                   kan_json_count(all->count[groups[i]]), "values",
                                                   kan_report_released_row(source, rows[i])));
    if (status != KAN_OK) {
        json_decref(list);
        return status;
    }
    json_t *columns = kan_report_released_columns(source, &n_others);
    return kan_report_json(run,
                           json_pack("{s:o, s:o, s:o}", "columns", columns, "other_columns",
                                     kan_json_count(n_others), "rows", list),
                           out);
}

/* ---- sensitive values ----------------------------------------------------------------------- */

typedef struct {
    const kan_release *release;
    shown_codes codes; /* of levels and cuts */
} row_groups;

static bool find_group(const void *context, uint64_t row, uint32_t *key) {
    const row_groups *rows = context;
    const kan_release *release = rows->release;
    if (release->is_suppressed && release->is_suppressed[row])
        return false;
    if (release->group_of_row)
        key[0] = release->group_of_row[row];
    for (unsigned a = 0; a < rows->codes.n_quasi; a++)
        key[a] = rows->codes.shown_of[a][kan_column_code(rows->codes.columns[a], row)];
    return true;
}

/* Whoever guesses right nine times in ten knows it, for all purposes: so much is told beside the
 * promise, whatever that is. */
static bool is_nearly_sure(const kan_confidence *found) {
    return found->whole > 0 && (kan_u128)found->part * 10 >= (kan_u128)found->whole * 9;
}

static json_t *confidence_json(const kan_report_source *source, const kan_column *column,
                               const kan_confidence *found) {
    const kan_setup *setup = source->outcome->setup;
    const size_t at = (size_t)(column - setup->table->columns);
    const bool by_groups = !setup->matches_missing; /* else nobody is known to be in one */
    return json_pack("{s:o, s:o, s:o, s:o, s:b}", "column", kan_json_text(column->name), "values",
                     kan_json_count(found->n_values), "confidence",
                     found->whole > 0 && by_groups
                         ? kan_json_real((double)found->part / (double)found->whole)
                         : json_null(),
                     setup->person ? "people_certain" : "rows_certain",
                     by_groups ? kan_json_count(found->n_certain) : json_null(), "open",
                     (int)((by_groups && is_nearly_sure(found)) ||
                           kan_outcome_is_unprotected(source->outcome, at)));
}

/* Nothing but what anybody can count who has the release; of people, shares of whole groups. */
static kan_status measure_sensitive(const kan_report_source *source,
                                    const kan_column *const *columns, size_t n, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    row_groups rows = {.release = source->release};
    kan_confidence *found;
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *found, &found));
    kan_status status =
        source->release->group_of_row ? KAN_OK : shown_codes_make(source, &rows.codes);
    const kan_confidence_question question = {.n_rows = setup->table->n_rows,
                                              .n_words =
                                                  rows.codes.n_quasi ? rows.codes.n_quasi : 1,
                                              .find_group = find_group,
                                              .context = &rows,
                                              .n_columns = n,
                                              .columns = columns,
                                              .person = setup->person};
    if (status == KAN_OK)
        status = kan_confidence_measure(setup->run, &question, found);
    if (status == KAN_OK) {
        json_t *list = json_array();
        for (size_t i = 0; i < n; i++)
            list = kan_json_append(list, confidence_json(source, columns[i], &found[i]));
        status = kan_report_json(setup->run, list, out);
    }
    shown_codes_destroy(setup->run, &rows.codes);
    kan_free(setup->run, found);
    return status;
}

kan_status kan_report_sensitive(const kan_report_source *source, json_t **out) {
    const kan_setup *setup = source->outcome->setup;
    const kan_column **columns;
    size_t n = 0;
    KAN_TRY(kan_alloc(setup->run, setup->table->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (setup->table->columns[i].is_encoded && setup->roles[i] == KAN_ROLE_SENSITIVE)
            columns[n++] = &setup->table->columns[i];
    kan_status status = n > 0 ? measure_sensitive(source, columns, n, out)
                              : kan_report_json(setup->run, json_array(), out);
    kan_free(setup->run, columns);
    return status;
}
