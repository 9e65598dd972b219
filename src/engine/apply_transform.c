/* ClickHouse: values are mapped by transform(), whose arrays are a part of the statement; columns of
 * many values by a JOIN with a table, since each element of an array is looked at many times before
 * the statement begins. A SELECT has one JOIN, and what has no match in it is 0 or '', not NULL.
 * Aliases stand for their expression in all of a SELECT there, so columns get their own names only in
 * the outermost. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/apply_sql.h"
#include "engine/map_reader.h"

enum { MOST_ELEMENTS = 5000 }; /* of an array */

typedef struct writing {
    kan_text *sql;
    const kan_engine *engine;
    const kan_apply_plan *plan;
    const kan_apply_places *places;
    const char *p; /* the prefix */
} writing;

static const kan_dialect *dialect_of(const writing *w) {
    return w->plan->input->dialect;
}

bool kan_map_is_transform(const kan_engine *engine, const kan_apply_plan *plan, size_t source) {
    return plan->input->dialect->maps == KAN_MAP_TRANSFORM &&
           kan_map_reader_begin(engine, plan, source, SIZE_MAX).n <= MOST_ELEMENTS;
}

static bool is_joined(const writing *w, size_t source) {
    return w->places->maps[source] != NULL;
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* What an array has for a code of the source. */
typedef enum array_of { OF_TEXTS, OF_LABELS, OF_TESTS, OF_CODES } array_of;

static void add_element(const writing *w, size_t source, size_t column, array_of what,
                        kan_slice text, uint32_t code) {
    const kan_apply_column *const c = column == SIZE_MAX ? NULL : &w->plan->columns[column];
    (void)source;
    switch (what) {
    case OF_TEXTS:
        kan_sql_text(w->sql, dialect_of(w), text);
        break;
    case OF_LABELS:
        kan_sql_text(w->sql, dialect_of(w), kan_encoder_value(&c->texts, c->number_of_value[code]));
        break;
    case OF_TESTS:
        kan_text_print(w->sql, "%" PRIu32,
                       (c->way == KAN_APPLY_RAW ? code : c->number_of_value[code]) + 1);
        break;
    case OF_CODES:
        kan_text_print(w->sql, "%" PRIu32, code + 1);
        break;
    }
}

/* One entry for each text that the engine has for a value of the column. */
static void add_array(const writing *w, size_t source, size_t column, array_of what) {
    kan_map_reader reader = kan_map_reader_begin(w->engine, w->plan, source, column);
    kan_slice text;
    uint32_t code;
    kan_text_print(w->sql, "[");
    for (bool is_first = true; kan_map_read(&reader, &text, &code); is_first = false) {
        kan_text_print(w->sql, is_first ? "" : ",");
        add_element(w, source, column, what, text, code);
    }
    kan_text_print(w->sql, "]");
}

/* What a value becomes: by its map, which is joined, or by arrays. */
static void add_mapped(const writing *w, size_t source, size_t column, array_of what) {
    if (is_joined(w, source)) {
        if (what == OF_CODES)
            kan_text_print(w->sql, "%si%zu", w->p, source);
        else
            kan_text_print(w->sql, "%s%s%zu", w->p, what == OF_LABELS ? "l" : "g", column);
        return;
    }
    kan_text_print(w->sql, what == OF_LABELS ? "transform(" : "toUInt64(transform(");
    kan_sql_column_key(w->sql, w->plan->input, source, NULL);
    kan_text_print(w->sql, ", ");
    add_array(w, source, column, OF_TEXTS);
    kan_text_print(w->sql, ", ");
    add_array(w, source, column, what);
    kan_text_print(w->sql, what == OF_LABELS ? ", '')" : ", 0))");
}

/* ---- the input, with joined maps -------------------------------------------------------------- */

static bool is_key(const kan_apply_plan *plan, size_t source) {
    for (size_t i = 0; i < plan->n_keys && plan->has_outcomes; i++)
        if (plan->keys[i] == source)
            return true;
    return false;
}

/* Whether the rest of the statement looks at the column itself. */
static bool needs_input(const writing *w, size_t source) {
    const kan_apply_plan *const plan = w->plan;
    for (size_t i = 0; i < plan->n_columns; i++) {
        const kan_apply_column *const column = &plan->columns[i];
        if (column->source == source && (column->passes || column->way == KAN_APPLY_RAW))
            return true;
    }
    const kan_map_needs needs = kan_apply_map_needs(plan, source);
    return !is_joined(w, source) && (is_key(plan, source) || kan_map_is_needed(&needs));
}

/* The next column of a SELECT: a comma, but before the first. */
static void add_comma(const writing *w, bool *is_first) {
    kan_text_print(w->sql, *is_first ? "" : ", ");
    *is_first = false;
}

/* What the map of a column says; `is_map`: in a SELECT from the map, which calls its code Pi alone. */
static void add_map_columns(const writing *w, size_t source, bool is_map, bool *is_first) {
    const kan_map_needs needs = kan_apply_map_needs(w->plan, source);
    if (needs.has_code) {
        add_comma(w, is_first);
        if (is_map)
            kan_text_print(w->sql, "%si AS ", w->p);
        kan_text_print(w->sql, "%si%zu", w->p, source);
    }
    if (needs.label_of != SIZE_MAX) {
        add_comma(w, is_first);
        kan_text_print(w->sql, "%sl%zu", w->p, needs.label_of);
    }
    if (needs.test_of != SIZE_MAX) {
        add_comma(w, is_first);
        kan_text_print(w->sql, "%sg%zu", w->p, needs.test_of);
    }
}

/* The columns of a SELECT in which the maps of the columns below `n` are joined already: the input's
 * own, what these maps say, and the texts by which the others will be joined. */
static void add_joined_columns(const writing *w, size_t n) {
    const kan_sql_table *const input = w->plan->input;
    bool is_first = true;
    kan_text_print(w->sql, "SELECT ");
    for (size_t i = 0; i < input->n_columns; i++) {
        if (needs_input(w, i)) {
            add_comma(w, &is_first);
            kan_sql_name(w->sql, dialect_of(w), input->columns[i].name);
        }
        if (!is_joined(w, i))
            continue;
        if (i < n) {
            add_map_columns(w, i, false, &is_first);
            continue;
        }
        add_comma(w, &is_first);
        if (n == 0) {
            kan_sql_column_key(w->sql, input, i, NULL);
            kan_text_print(w->sql, " AS ");
        }
        kan_text_print(w->sql, "%sv%zu", w->p, i);
    }
    kan_text_print(w->sql, " FROM ");
}

/* The input with the maps of the columns below `n`: a SELECT around that of fewer for each of them. */
static void add_joins(const writing *w, size_t n, const char *from) {
    bool is_first = false;
    while (n > 0 && !is_joined(w, n - 1))
        n--;
    kan_text_print(w->sql, "(");
    add_joined_columns(w, n);
    if (n == 0) {
        kan_text_print(w->sql, "%s)", from);
        return;
    }
    add_joins(w, n - 1, from);
    kan_text_print(w->sql, " ANY LEFT JOIN (SELECT %sv AS %sv%zu", w->p, w->p, n - 1);
    add_map_columns(w, n - 1, true, &is_first);
    kan_text_print(w->sql, " FROM %s) USING (%sv%zu))", w->places->maps[n - 1], w->p, n - 1);
}

static void add_input(const writing *w, const char *from) {
    for (size_t i = 0; i < w->plan->input->n_columns; i++)
        if (is_joined(w, i)) {
            add_joins(w, w->plan->input->n_columns, from);
            return;
        }
    kan_text_print(w->sql, "%s", from);
}

/* ---- the SELECT ----------------------------------------------------------------------------- */

/* The number of a tuple, or the texts of its codes. */
static void add_tuple_key(const writing *w) {
    const kan_apply_plan *const plan = w->plan;
    const bool is_number = kan_apply_key_is_number(plan);
    uint64_t factor = 1;
    kan_text_print(w->sql, is_number ? "toUInt64(0" : "concat(''");
    for (size_t i = 0; i < plan->n_keys; i++) {
        kan_text_print(w->sql, is_number ? " + " : ", toString(");
        if (is_number && factor > 1)
            kan_text_print(w->sql, "%" PRIu64 " * ", factor);
        add_mapped(w, plan->keys[i], SIZE_MAX, OF_CODES);
        if (!is_number)
            kan_text_print(w->sql, "), ','");
        factor *= (uint64_t)plan->order->table->columns[plan->keys[i]].dictionary.n + 1;
    }
    kan_text_print(w->sql, ")");
}

static bool is_grouped(const kan_apply_column *column) {
    return !column->passes && column->way == KAN_APPLY_GROUP;
}

/* Columns that follow from values, under own names. */
static void add_inner(const writing *w, const char *from) {
    const kan_apply_plan *const plan = w->plan;
    const char *between = "";
    kan_text_print(w->sql, "SELECT ");
    for (size_t i = 0; i < plan->n_columns; i++) {
        const kan_apply_column *const column = &plan->columns[i];
        if (is_grouped(column))
            continue;
        kan_text_print(w->sql, "%s", between);
        if (column->passes || column->way == KAN_APPLY_RAW)
            kan_sql_raw(w->sql, plan, column, NULL);
        else
            add_mapped(w, column->source, i, OF_LABELS);
        kan_text_print(w->sql, " AS %sc%zu", w->p, i);
        between = ", ";
    }
    if (plan->has_outcomes) {
        kan_text_print(w->sql, "%s", between);
        add_tuple_key(w);
        kan_text_print(w->sql, " AS %su", w->p);
    }
    kan_text_print(w->sql, " FROM ");
    add_input(w, from);
}

static void add_not_suppressed(const writing *w) {
    const kan_apply_plan *const plan = w->plan;
    kan_text_print(w->sql, " WHERE (");
    for (size_t i = 0; i < plan->n_tested; i++) {
        const kan_apply_column *const column = &plan->columns[plan->tested[i]];
        kan_text_print(w->sql, i ? ", " : "");
        if (kan_apply_tests_text(plan, column))
            kan_sql_column_key(w->sql, plan->input, column->source, NULL);
        else
            add_mapped(w, column->source, plan->tested[i], OF_TESTS);
    }
    kan_text_print(w->sql, ") NOT IN (SELECT ");
    for (size_t i = 0; i < plan->n_tested; i++)
        kan_text_print(w->sql, "%s%sk%zu", i ? ", " : "", w->p, plan->tested[i]);
    kan_text_print(w->sql, " FROM %s)", w->places->suppressed);
}

/* The columns of the SELECT inside of this one. */
static void add_inner_names(const writing *w) {
    for (size_t i = 0; i < w->plan->n_columns; i++)
        if (!is_grouped(&w->plan->columns[i]))
            kan_text_print(w->sql, "%sc%zu, ", w->p, i);
}

static void add_outcomes(const writing *w, const char *from) {
    const char *const p = w->p;
    kan_text_print(w->sql, "SELECT ");
    add_inner_names(w);
    kan_text_print(w->sql, "%sg FROM (", p);
    add_inner(w, from);
    kan_text_print(w->sql, ") ANY LEFT JOIN (SELECT %su, %sg FROM %s) USING (%su) WHERE %sg <> %d",
                   p, p, w->places->outcomes, p, p, KAN_OUTCOME_SUPPRESSED);
}

static void add_groups(const writing *w, const char *from) {
    const kan_apply_plan *const plan = w->plan;
    kan_text_print(w->sql, "SELECT ");
    add_inner_names(w);
    for (size_t i = 0; i < plan->n_grouped; i++)
        kan_text_print(w->sql, "%s%sl%zu", i ? ", " : "", w->p, plan->grouped[i]);
    kan_text_print(w->sql, " FROM (");
    add_outcomes(w, from);
    kan_text_print(w->sql, ") ANY LEFT JOIN (SELECT %sg", w->p);
    for (size_t i = 0; i < plan->n_grouped; i++)
        kan_text_print(w->sql, ", %sl%zu", w->p, plan->grouped[i]);
    kan_text_print(w->sql, " FROM %s) USING (%sg)", w->places->groups, w->p);
}

static void add_outermost(const writing *w) {
    char name[64];
    kan_text_print(w->sql, "SELECT ");
    for (size_t i = 0; i < w->plan->n_columns; i++) {
        const kan_apply_column *const column = &w->plan->columns[i];
        const bool is_label = !column->passes && column->way != KAN_APPLY_RAW;
        (void)snprintf(name, sizeof name, "%s%s%zu", w->p, is_grouped(column) ? "l" : "c", i);
        kan_text_print(w->sql, i ? ", " : "");
        if (is_label && column->has_empty)
            kan_sql_pattern(w->sql, dialect_of(w)->label_null, name);
        else
            kan_text_print(w->sql, "%s", name);
        kan_text_print(w->sql, " AS ");
        kan_sql_name(w->sql, dialect_of(w), column->release->name);
    }
}

void kan_sql_apply_transform(kan_text *sql, const kan_engine *engine, const kan_apply_plan *plan,
                             const kan_apply_places *places, const char *from) {
    const writing w = {sql, engine, plan, places, plan->input->prefix};
    add_outermost(&w);
    kan_text_print(sql, " FROM (");
    if (plan->has_outcomes && plan->n_grouped)
        add_groups(&w, from);
    else if (plan->has_outcomes)
        add_outcomes(&w, from);
    else
        add_inner(&w, from);
    if (plan->has_suppressed)
        add_not_suppressed(&w);
    kan_text_print(sql, ")");
}
