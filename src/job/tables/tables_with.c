/* Columns of a parent as quasi-identifiers of its children (`with`): where no key is released, a stay may be
 * recognised by the age of its patient. The values are copied into a table in memory, which is the table from then
 * on; a column that two tables have has one level in both. */
#include <string.h>

#include "job/tables/tables_inside.h"

static kan_status fail(const kan_clan_table *table, const char *column, const char *why) {
    char quoted[256];
    return kan_fail(table->setup.run, KAN_BAD_INPUT, "%s: table '%s': with: %s %s",
                    table->part->place, table->part->name, kan_quote(kan_slice_of(column), quoted),
                    why);
}

static kan_status check_table(const kan_clan *clan, size_t t) {
    const kan_clan_table *table = &clan->tables[t];
    const char *first = table->part->with->column;
    const kan_options *options = &table->part->job->options;
    if (t == 0)
        return fail(table, first,
                    "is no column of a parent, as the table is of no other; leave it out");
    if (!clan->drops_keys)
        return fail(
            table, first,
            "is told by the keys, which join a row with its parent; leave it out, or the keys "
            "of all tables (`drop`)");
    if (!table->setup.input.source->kind->is_text || kan_options_find(options, "separator") ||
        kan_options_find(options, "encoding"))
        return fail(
            table, first,
            "is added to CSV files alone so far, which are UTF-8 and whose separator is found "
            "and not said; convert the table first");
    return KAN_OK;
}

/* What is said of the column as a quasi-identifier of the parent is said of it here. */
static kan_status add_quasi(kan_clan_table *table, const kan_job *parent, const char *column) {
    const char *value, *hierarchy;
    kan_slice name;
    for (size_t i = 0; (value = kan_options_at(&parent->options, "qi", i)) != NULL; i++) {
        kan_quasi_parse(value, &name, &hierarchy);
        if (kan_slice_is(name, column))
            return kan_job_add(table->part->job, "qi", value);
    }
    return fail(table, column,
                "is no quasi-identifier of its parent, and has no level; name it there with `qi`");
}

static kan_status copy_column(kan_clan *clan, size_t t, const char *name, kan_column *out) {
    const kan_clan_table *table = &clan->tables[t], *parent = &clan->tables[table->parent];
    const uint64_t n = table->raw->n_rows;
    size_t at, unused;
    uint32_t *codes;
    if (!kan_input_find(&parent->setup.input, kan_slice_of(name), &at))
        return fail(table, name, "is no column of its parent; is it spelled as there?");
    if (kan_input_find(&table->setup.input, kan_slice_of(name), &unused))
        return fail(table, name, "is a column of the table itself, too; rename one of them");
    if (kan_input_treatment(&parent->setup.input, at))
        return fail(table, name,
                    "is rounded, capped or shifted in its parent, which is not taken "
                    "yet; leave one of the two out");
    const kan_column *from = &parent->raw->columns[at];
    if (!from->is_encoded)
        return fail(table, name,
                    "is no quasi-identifier of its parent, and has no level; name it "
                    "there with `qi`");
    KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)n, sizeof *codes, &codes));
    *out = *from;
    out->width = sizeof *codes;
    out->codes = codes;
    out->n_rows = n;
    if (from->missing_of)
        KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)n, 1, &out->missing_of));
    for (uint64_t row = 0; row < n; row++) {
        codes[row] = kan_column_code(from, table->parent_row[row]);
        if (from->missing_of)
            out->missing_of[row] = from->missing_of[table->parent_row[row]];
    }
    return KAN_OK;
}

kan_status kan_clan_widen(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    const kan_table *own = table->raw;
    size_t n = own->n_columns;
    kan_column *columns;
    if (!table->part->with)
        return KAN_OK;
    KAN_TRY(check_table(clan, t));
    KAN_TRY(kan_clan_link_table(clan, t));
    for (const kan_job_with *with = table->part->with; with; with = with->next)
        n++;
    KAN_TRY(kan_arena_alloc(&clan->arena, n, sizeof *columns, &columns));
    memcpy(columns, own->columns, own->n_columns * sizeof *columns);
    n = own->n_columns;
    for (const kan_job_with *with = table->part->with; with; with = with->next) {
        KAN_TRY(copy_column(clan, t, with->column, &columns[n++]));
        KAN_TRY(add_quasi(table, clan->tables[table->parent].part->job, with->column));
    }
    table->widened = *own;
    table->widened.columns = columns;
    table->widened.n_columns = n;
    return KAN_OK;
}

/* ---- the recount ---------------------------------------------------------------------------- */

static bool shows_parent(const kan_clan *clan, const kan_forest *origin, size_t t,
                         const char *name) {
    const size_t parent = clan->tables[t].parent;
    const kan_table *own = origin->tables[t].table, *above = origin->tables[parent].table;
    const kan_column *column = kan_table_find(own, name, NULL);
    const kan_column *from = kan_table_find(above, name, NULL);
    for (uint64_t row = 0; column && from && row < own->n_rows; row++)
        if (!kan_slice_equal(kan_column_value(column, row),
                             kan_column_value(from, origin->parent_row[t][row])))
            return false;
    return column && from;
}

kan_status kan_clan_check_widened(const kan_clan *clan, const kan_forest *origin) {
    for (size_t t = 0; t < clan->n; t++)
        for (const kan_job_with *with = clan->tables[t].part->with; with; with = with->next)
            if (!shows_parent(clan, origin, t, with->column))
                return kan_fail(clan->run, KAN_FAILED,
                                "internal error: rows of '%s' have other values of '%s' than their "
                                "parents; please report it",
                                clan->tables[t].part->name, with->column);
    return KAN_OK;
}
