/* Which values may stand in each quasi-identifier, and which of them the release leaves open.
 *
 * The values of a column are those that the original has, and those that its hierarchy file has: what built
 * hierarchies could do with others nobody wrote down. A row that was left out may have any of them. Labels
 * are read as a stranger reads them (analyze/cover). */
#include <string.h>

#include "analyze/cover/cover.h"
#include "io/side_files/side_files.h"
#include "job/downcode/downcode_inside.h"

/* ---- the values ------------------------------------------------------------------------------- */

static kan_status find_in_folder(kan_downcode *d, const char *column, const char **out) {
    const char *folder = kan_options_find(&d->made->options, "hierarchies");
    bool is_missing = true;
    kan_text path;
    if (!folder)
        return KAN_OK;
    kan_status status = kan_input_find_hierarchy(d->run, folder, column, &path, &is_missing);
    if (status == KAN_OK && !is_missing)
        status = kan_arena_copy(&d->arena, path.bytes, path.size, out);
    kan_text_destroy(&path);
    return status;
}

kan_status kan_downcode_find_files(kan_downcode *d, const kan_setup *setup) {
    kan_status status = KAN_OK;
    KAN_TRY(kan_arena_alloc(&d->arena, setup->n_quasi, sizeof *d->files, &d->files));
    kan_problems_begin(d->run);
    for (unsigned a = 0; a < setup->n_quasi && status == KAN_OK; a++) {
        const char *spec = setup->specs[a];
        d->files[a] = spec && !kan_hierarchy_is_spec(spec) ? spec : NULL;
        if (!spec)
            status = find_in_folder(d, setup->input.columns[setup->quasi[a]], &d->files[a]);
        else if (d->files[a])
            status = kan_arena_copy(&d->arena, spec, strlen(spec), &d->files[a]);
    }
    KAN_TRY(kan_problems_end(d->run));
    return status;
}

/* One value in a table of one column. */
static kan_status add_value(kan_downcode *d, kan_table *table, kan_slice value) {
    const char *text;
    KAN_TRY(kan_arena_copy(&d->arena, value.bytes, value.size, &text));
    return kan_table_add_row(table, &text);
}

static kan_status add_leaves(kan_downcode *d, const kan_column *column, const char *path,
                             kan_table *table) {
    kan_hierarchy_lines *lines = NULL;
    kan_hierarchy_tree *tree = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_hierarchy_read_lines(d->run, path, column->spelling, &lines));
    KAN_TRY_DONE(kan_hierarchy_tree_make(lines, NULL, &tree));
    for (uint32_t i = 0; i < tree->levels[0].n && status == KAN_OK; i++)
        status = add_value(d, table, tree->levels[0].nodes[i].label);
done:
    kan_hierarchy_tree_destroy(tree);
    kan_hierarchy_lines_destroy(lines);
    return status;
}

/* Each value once: sealing sorts them, and the table is made again of its dictionary. */
static kan_status make_domain(kan_downcode *d, const kan_column *column, const char *path,
                              kan_table **out) {
    kan_status status;
    kan_table *all = NULL, *once = NULL;
    KAN_TRY_DONE(kan_table_create(d->run, 1, &column->name, &all));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        KAN_TRY_DONE(add_value(d, all, kan_dictionary_value(&column->dictionary, code)));
    if (path)
        KAN_TRY_DONE(add_leaves(d, column, path, all));
    KAN_TRY_DONE(kan_table_seal(all));
    KAN_TRY_DONE(kan_table_create(d->run, 1, &column->name, &once));
    for (uint32_t code = 0; code < all->columns[0].dictionary.n; code++)
        KAN_TRY_DONE(add_value(d, once, kan_dictionary_value(&all->columns[0].dictionary, code)));
    KAN_TRY_DONE(kan_table_seal(once));
    once->columns[0].spelling = column->spelling;
    *out = once;
    once = NULL;
done:
    kan_table_destroy(all);
    kan_table_destroy(once);
    return status;
}

static kan_status keep_texts(kan_downcode *d, kan_downcode_column *c) {
    const kan_dictionary *values = &c->domain->columns[0].dictionary;
    c->n_values = values->n;
    KAN_TRY(kan_arena_alloc(&d->arena, c->n_values, sizeof *c->texts, &c->texts));
    for (uint32_t i = 0; i < c->n_values; i++) {
        const kan_slice value = kan_dictionary_value(values, i);
        KAN_TRY(kan_arena_copy(&d->arena, value.bytes, value.size, &c->texts[i]));
    }
    return KAN_OK;
}

/* ---- the labels ------------------------------------------------------------------------------- */

/* The hierarchy of the search, for all values: that of its file, or one that is built in its place. */
static kan_status bind(const kan_downcode *d, const kan_downcode_column *c,
                       const kan_hierarchy *hierarchy, kan_hierarchy **out) {
    const kan_column *column = &c->domain->columns[0];
    kan_status status = KAN_OK;
    *out = NULL;
    if (!hierarchy || !hierarchy->origin)
        return KAN_OK;
    kan_problems_begin(d->run);
    status = kan_hierarchy_is_spec(hierarchy->origin)
                 ? kan_hierarchy_build(d->run, hierarchy->origin, column, out)
                 : kan_hierarchy_read(d->run, hierarchy->origin, column, out);
    KAN_TRY(kan_problems_end(d->run));
    return status;
}

/* Without a file the values are those of the original's column, and its hierarchy may depend on its rows. */
static kan_status list_covered(const kan_downcode *d, const kan_downcode_column *c,
                               const kan_setup *setup, unsigned a, kan_covered_values *out) {
    size_t released;
    kan_hierarchy *own = NULL;
    if (!kan_table_find(d->reference, c->name, &released))
        return kan_fail(d->run, KAN_BAD_INPUT,
                        "the release has no column '%s', so nothing is hidden in it; leave "
                        "--knowing-method out",
                        c->name);
    if (d->files[a])
        KAN_TRY(bind(d, c, setup->hierarchies[a], &own));
    kan_hierarchy *hierarchy = d->files[a] ? own : setup->hierarchies[a];
    const kan_cover_question question = {.release = d->reference,
                                         .original = d->files[a] ? c->domain : setup->table,
                                         .reads_intervals = true};
    const kan_cover_pair pair = {released, d->files[a] ? 0 : setup->quasi[a], hierarchy};
    kan_status status = KAN_OK;
    if (hierarchy)
        status = kan_hierarchy_fit_names(hierarchy, &d->reference->columns[released]);
    if (status == KAN_OK)
        status = kan_cover_list_values(d->run, &question, &pair, out);
    kan_hierarchy_destroy(own);
    return status;
}

/* Behind the labels of the release one that leaves everything open: that of rows which are left out. */
static kan_status take_covered(kan_downcode *d, kan_downcode_column *c,
                               const kan_covered_values *covered, uint32_t n_labels) {
    const size_t n = covered->start[n_labels] + c->n_values;
    if (n > UINT32_MAX)
        return kan_fail(d->run, KAN_FAILED, "column '%s' has more labels and values than fit",
                        c->name);
    c->n_labels = n_labels;
    KAN_TRY(kan_arena_alloc(&d->arena, (size_t)n_labels + 2, sizeof *c->start, &c->start));
    KAN_TRY(kan_arena_alloc(&d->arena, n, sizeof *c->covered, &c->covered));
    for (uint32_t label = 0; label <= n_labels; label++)
        c->start[label] = (uint32_t)covered->start[label];
    c->start[n_labels + 1] = (uint32_t)n;
    for (size_t i = 0; i < covered->start[n_labels]; i++)
        c->covered[i] = covered->codes[i];
    for (uint32_t value = 0; value < c->n_values; value++)
        c->covered[c->start[n_labels] + value] = value;
    return KAN_OK;
}

/* A suppressed row that is kept does not show its number either; then all rows stand there, in order. */
static kan_status find_row(const kan_downcode *d, uint64_t shown, uint64_t *row) {
    char text[32];
    const kan_column *numbers = &d->reference->columns[d->reference->n_columns - 1];
    const kan_slice value = kan_column_value(numbers, shown);
    const size_t size = value.size < sizeof text ? value.size : sizeof text - 1;
    if (kan_slice_is(value, "*") && d->reference->n_rows == d->n_rows) {
        *row = shown;
        return KAN_OK;
    }
    memcpy(text, value.bytes, size);
    text[size] = '\0';
    if (!kan_parse_count(text, row) || *row == 0 || *row > d->n_rows)
        return kan_fail(d->run, KAN_FAILED,
                        "internal error: a release does not show the numbers of its rows; please "
                        "report this");
    --*row;
    return KAN_OK;
}

/* What stands in place of values (means, and the like) leaves nothing open that could be tried. */
static kan_status check_true_value(const kan_downcode *d, const kan_downcode_column *c,
                                   uint64_t row) {
    const char *truth = *kan_downcode_cell(d, c->at, row);
    for (uint32_t i = 0; i < kan_downcode_open_values(c, row); i++)
        if (strcmp(kan_downcode_value(c, row, i), truth) == 0)
            return KAN_OK;
    return kan_fail(
        d->run, KAN_BAD_INPUT,
        "the job shows something in column '%s' that is no label of its values, such as "
        "a mean: --knowing-method does not know which values that leaves open",
        c->name);
}

static kan_status label_rows(kan_downcode *d, kan_downcode_column *c) {
    size_t released;
    const kan_column *column = kan_table_find(d->reference, c->name, &released);
    KAN_TRY(
        kan_arena_alloc(&d->arena, (size_t)d->n_rows, sizeof *c->label_of_row, &c->label_of_row));
    for (uint64_t row = 0; row < d->n_rows; row++)
        c->label_of_row[row] = c->n_labels;
    for (uint64_t shown = 0; shown < d->reference->n_rows; shown++) {
        uint64_t row;
        KAN_TRY(find_row(d, shown, &row));
        c->label_of_row[row] = kan_column_code(column, shown);
        KAN_TRY(check_true_value(d, c, row));
    }
    return KAN_OK;
}

static kan_status read_column(kan_downcode *d, const kan_setup *setup, unsigned a) {
    kan_downcode_column *c = &d->columns[a];
    kan_covered_values covered = {.run = d->run};
    const kan_column *column = &setup->table->columns[setup->quasi[a]];
    c->at = setup->quasi[a];
    c->name = d->names[c->at];
    KAN_TRY(make_domain(d, column, d->files[a], &c->domain));
    KAN_TRY(keep_texts(d, c));
    KAN_TRY(list_covered(d, c, setup, a, &covered));
    size_t released;
    const uint32_t n_labels = kan_table_find(d->reference, c->name, &released)->dictionary.n;
    const kan_status status = take_covered(d, c, &covered, n_labels);
    kan_covered_values_destroy(&covered);
    KAN_TRY(status);
    return label_rows(d, c);
}

/* ---- groups ----------------------------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b, void *context) {
    const kan_downcode *d = context;
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    for (unsigned q = 0; q < d->n_quasi; q++) {
        const uint32_t *labels = d->columns[q].label_of_row;
        if (labels[x] != labels[y])
            return labels[x] < labels[y] ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

/* Whether a released row shows nothing of its sensitive values, as suppressed rows that are kept. */
static bool hides_sensitive(const kan_downcode *d, uint64_t shown) {
    size_t released;
    for (size_t s = 0; s < d->n_sensitive; s++) {
        const kan_column *column =
            kan_table_find(d->reference, d->names[d->sensitive[s]], &released);
        if (!column || !kan_slice_is(kan_column_value(column, shown), "*"))
            return false;
    }
    return d->n_sensitive > 0;
}

static bool is_alike(const kan_downcode *d, uint64_t x, uint64_t y) {
    for (unsigned q = 0; q < d->n_quasi; q++)
        if (d->columns[q].label_of_row[x] != d->columns[q].label_of_row[y])
            return false;
    return true;
}

static kan_status find_groups(kan_downcode *d) {
    uint64_t *rows, n = 0;
    uint32_t n_groups = 0;
    kan_status status = KAN_OK;
    KAN_TRY(
        kan_arena_alloc(&d->arena, (size_t)d->n_rows, sizeof *d->group_of_row, &d->group_of_row));
    for (uint64_t row = 0; row < d->n_rows; row++)
        d->group_of_row[row] = UINT32_MAX; /* in none: it was left out, or shows that it was */
    KAN_TRY(kan_alloc(d->run, (size_t)d->n_rows, sizeof *rows, &rows));
    for (uint64_t shown = 0; shown < d->reference->n_rows && status == KAN_OK; shown++)
        if (!hides_sensitive(d, shown))
            status = find_row(d, shown, &rows[n++]);
    if (status == KAN_OK)
        qsort_r(rows, (size_t)n, sizeof *rows, compare_labels, d);
    for (uint64_t i = 0; i < n && status == KAN_OK; i++) {
        n_groups += i > 0 && !is_alike(d, rows[i - 1], rows[i]);
        d->group_of_row[rows[i]] = n_groups;
    }
    kan_free(d->run, rows);
    return status;
}

kan_status kan_downcode_read_labels(kan_downcode *d, const kan_setup *setup) {
    KAN_TRY(kan_arena_alloc(&d->arena, setup->n_quasi, sizeof *d->columns, &d->columns));
    memset(d->columns, 0, setup->n_quasi * sizeof *d->columns);
    d->n_quasi = setup->n_quasi;
    for (unsigned a = 0; a < d->n_quasi; a++)
        KAN_TRY(read_column(d, setup, a));
    return find_groups(d);
}

void kan_downcode_forget_labels(kan_downcode *d) {
    for (unsigned a = 0; a < d->n_quasi; a++)
        kan_table_destroy(d->columns[a].domain);
}
