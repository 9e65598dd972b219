#include "engine/apply_sql.h"

#include <stdio.h>

static const kan_dialect *dialect_of(const kan_apply_plan *plan) {
    return plan->input->dialect;
}

static const char *prefix_of(const kan_apply_plan *plan) {
    return plan->input->prefix;
}

static void add(kan_text *sql, const char *text) {
    kan_text_add(sql, text, strlen(text));
}

/* ---- the tables ----------------------------------------------------------------------------- */

bool kan_apply_tests_text(const kan_apply_plan *plan, const kan_apply_column *column) {
    return column->way == KAN_APPLY_RAW &&
           !kan_sql_form_rewrites(plan->input->columns[column->source].form);
}

kan_map_needs kan_apply_map_needs(const kan_apply_plan *plan, size_t source) {
    kan_map_needs needs = {.label_of = SIZE_MAX, .test_of = SIZE_MAX};
    for (size_t i = 0; i < plan->n_keys && plan->has_outcomes; i++)
        needs.has_code = needs.has_code || plan->keys[i] == source;
    for (size_t i = 0; i < plan->n_columns; i++)
        if (!plan->columns[i].passes && plan->columns[i].source == source &&
            plan->columns[i].way == KAN_APPLY_VALUE)
            needs.label_of = i;
    for (size_t i = 0; i < plan->n_tested && plan->has_suppressed; i++) {
        const kan_apply_column *const column = &plan->columns[plan->tested[i]];
        if (column->source == source && !kan_apply_tests_text(plan, column))
            needs.test_of = plan->tested[i];
    }
    return needs;
}

bool kan_map_is_needed(const kan_map_needs *needs) {
    return needs->has_code || needs->label_of != SIZE_MAX || needs->test_of != SIZE_MAX;
}

void kan_sql_map_columns(kan_text *sql, const kan_apply_plan *plan, size_t source) {
    const kan_map_needs needs = kan_apply_map_needs(plan, source);
    const kan_dialect *const dialect = dialect_of(plan);
    kan_text_print(sql, "%sv %s", prefix_of(plan), dialect->key_type);
    if (needs.has_code)
        kan_text_print(sql, ", %si %s", prefix_of(plan), dialect->count_type);
    if (needs.label_of != SIZE_MAX)
        kan_text_print(sql, ", %sl%zu %s", prefix_of(plan), needs.label_of, dialect->label_type);
    if (needs.test_of != SIZE_MAX)
        kan_text_print(sql, ", %sg%zu %s", prefix_of(plan), needs.test_of, dialect->count_type);
}

void kan_sql_suppressed_columns(kan_text *sql, const kan_apply_plan *plan) {
    for (size_t i = 0; i < plan->n_tested; i++) {
        const bool is_text = kan_apply_tests_text(plan, &plan->columns[plan->tested[i]]);
        kan_text_print(sql, "%s%sk%zu %s", i ? ", " : "", prefix_of(plan), plan->tested[i],
                       is_text ? dialect_of(plan)->key_type : dialect_of(plan)->count_type);
    }
}

void kan_sql_outcome_columns(kan_text *sql, const kan_apply_plan *plan) {
    const char *const type = dialect_of(plan)->count_type, *const prefix = prefix_of(plan);
    if (dialect_of(plan)->maps == KAN_MAP_TRANSFORM)
        kan_text_print(sql, "%su %s, ", prefix,
                       kan_apply_key_is_number(plan) ? type : dialect_of(plan)->key_type);
    else
        for (size_t i = 0; i < plan->n_keys; i++)
            kan_text_print(sql, "%si%zu %s, ", prefix, plan->keys[i], type);
    if (plan->divides)
        kan_text_print(sql, "%slo %s, %shi %s, ", prefix, type, prefix, type);
    kan_text_print(sql, "%sg %s", prefix, type);
}

void kan_sql_group_columns(kan_text *sql, const kan_apply_plan *plan) {
    kan_text_print(sql, "%sg %s", prefix_of(plan), dialect_of(plan)->count_type);
    for (size_t i = 0; i < plan->n_grouped; i++)
        kan_text_print(sql, ", %sl%zu %s", prefix_of(plan), plan->grouped[i],
                       dialect_of(plan)->label_type);
}

void kan_sql_secret_columns(kan_text *sql, const kan_apply_plan *plan) {
    kan_text_print(sql, "%sv %s", prefix_of(plan), dialect_of(plan)->key_type);
}

bool kan_apply_key_is_number(const kan_apply_plan *plan) {
    uint64_t n = 1;
    for (size_t i = 0; i < plan->n_keys; i++)
        if (__builtin_mul_overflow(
                n, (uint64_t)plan->order->table->columns[plan->keys[i]].dictionary.n + 1, &n))
            return false;
    return n <= INT64_MAX;
}

/* ---- columns of the release ----------------------------------------------------------------- */

static void add_input(kan_text *sql, const kan_apply_plan *plan, size_t source, const char *of) {
    if (of)
        kan_text_print(sql, "%s.", of);
    kan_sql_name(sql, dialect_of(plan), plan->input->columns[source].name);
}

void kan_sql_raw(kan_text *sql, const kan_apply_plan *plan, const kan_apply_column *column,
                 const char *of) {
    const kan_sql_column *const input = &plan->input->columns[column->source];
    const bool is_mended = !column->passes && input->form->is_text && input->may_be_null;
    const bool is_cast = is_mended && dialect_of(plan)->casts_back;
    if (is_mended) {
        add(sql, is_cast ? "CAST(CASE WHEN " : "CASE WHEN ");
        kan_sql_column_text(sql, plan->input, column->source, of);
        add(sql, " <> '' THEN ");
    }
    add_input(sql, plan, column->source, of);
    if (is_mended)
        add(sql, " END");
    if (is_cast)
        kan_text_print(sql, " AS %s)", input->type);
}

/* A label, and NULL where it is "". */
static void add_label(kan_text *sql, const kan_apply_plan *plan, const kan_apply_column *column,
                      const char *label) {
    if (column->has_empty)
        kan_sql_pattern(sql, dialect_of(plan)->label_null, label);
    else
        add(sql, label);
}

/* A column that follows from the input's own, where maps are joined to it. */
static void add_value_column(kan_text *sql, const kan_apply_plan *plan, size_t at, const char *of) {
    const kan_apply_column *const column = &plan->columns[at];
    char label[128];
    if (column->passes || column->way == KAN_APPLY_RAW) {
        kan_sql_raw(sql, plan, column, of);
        return;
    }
    (void)snprintf(label, sizeof label, "%sm%zu.%sl%zu", prefix_of(plan), column->source,
                   prefix_of(plan), at);
    add_label(sql, plan, column, label);
}

static void add_as(kan_text *sql, const kan_apply_plan *plan, size_t at) {
    add(sql, " AS ");
    kan_sql_name(sql, dialect_of(plan), plan->columns[at].release->name);
}

/* ---- joins ---------------------------------------------------------------------------------- */

/* The input, with the map of each column that has one beside it. */
static void add_joins(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                      const char *from, const char *input) {
    const char *const prefix = prefix_of(plan);
    kan_text_print(sql, " FROM %s AS %s", from, input);
    for (size_t i = 0; i < plan->input->n_columns; i++) {
        if (!places->maps[i])
            continue;
        kan_text_print(sql, " LEFT JOIN %s AS %sm%zu ON %sm%zu.%sv = ", places->maps[i], prefix, i,
                       prefix, i, prefix);
        kan_sql_column_key(sql, plan->input, i, input);
    }
}

static void add_not_suppressed(kan_text *sql, const kan_apply_plan *plan,
                               const kan_apply_places *places, const char *input) {
    const char *const prefix = prefix_of(plan);
    kan_text_print(sql, " WHERE NOT EXISTS (SELECT 1 FROM %s AS %sx WHERE ", places->suppressed,
                   prefix);
    for (size_t i = 0; i < plan->n_tested; i++) {
        const size_t at = plan->tested[i];
        kan_text_print(sql, "%s%sx.%sk%zu = ", i ? " AND " : "", prefix, prefix, at);
        if (kan_apply_tests_text(plan, &plan->columns[at]))
            kan_sql_column_key(sql, plan->input, plan->columns[at].source, input);
        else
            kan_text_print(sql, "%sm%zu.%sg%zu", prefix, plan->columns[at].source, prefix, at);
    }
    add(sql, plan->n_tested ? ")" : "1 = 1)");
}

static void add_by_values(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                          const char *from, const char *input) {
    add(sql, "SELECT ");
    for (size_t i = 0; i < plan->n_columns; i++) {
        add(sql, i ? ", " : "");
        add_value_column(sql, plan, i, input);
        add_as(sql, plan, i);
    }
    add_joins(sql, plan, places, from, input);
    if (plan->has_suppressed)
        add_not_suppressed(sql, plan, places, input);
}

/* ---- outcomes ------------------------------------------------------------------------------- */

/* The inner SELECT: columns that follow from values, keys, and the row's number among those that
 * are alike in all of them. */
static void add_keyed_rows(kan_text *sql, const kan_apply_plan *plan,
                           const kan_apply_places *places, const char *from, const char *input) {
    const char *const prefix = prefix_of(plan);
    const char *between = "";
    add(sql, "SELECT ");
    for (size_t i = 0; i < plan->n_columns; i++) {
        if (!plan->columns[i].passes && plan->columns[i].way == KAN_APPLY_GROUP)
            continue;
        add(sql, between);
        add_value_column(sql, plan, i, input);
        kan_text_print(sql, " AS %sc%zu", prefix, i);
        between = ", ";
    }
    for (size_t i = 0; i < plan->n_keys; i++) {
        kan_text_print(sql, "%s%sm%zu.%si AS %si%zu", between, prefix, plan->keys[i], prefix,
                       prefix, plan->keys[i]);
        between = ", ";
    }
    if (plan->divides) {
        kan_text_print(sql, "%srow_number() OVER (PARTITION BY ", between);
        for (size_t i = 0; i < plan->n_keys; i++)
            kan_text_print(sql, "%s%sm%zu.%si", i ? ", " : "", prefix, plan->keys[i], prefix);
        kan_text_print(sql, ") AS %sr", prefix);
    }
    add_joins(sql, plan, places, from, input);
}

static void add_outcome_join(kan_text *sql, const kan_apply_plan *plan,
                             const kan_apply_places *places) {
    const char *const p = prefix_of(plan);
    kan_text_print(sql, " LEFT JOIN %s AS %su ON ", places->outcomes, p);
    for (size_t i = 0; i < plan->n_keys; i++)
        kan_text_print(sql, "%s%su.%si%zu = %ss.%si%zu", i ? " AND " : "", p, p, plan->keys[i], p,
                       p, plan->keys[i]);
    if (plan->divides)
        kan_text_print(sql, " AND %ss.%sr BETWEEN %su.%slo AND %su.%shi", p, p, p, p, p, p);
    if (plan->n_grouped)
        kan_text_print(sql, " LEFT JOIN %s AS %sp ON %sp.%sg = %su.%sg", places->groups, p, p, p, p,
                       p);
    kan_text_print(sql, " WHERE %su.%sg IS NULL OR %su.%sg <> %d", p, p, p, p,
                   KAN_OUTCOME_SUPPRESSED);
}

static void add_by_outcomes(kan_text *sql, const kan_apply_plan *plan,
                            const kan_apply_places *places, const char *from, const char *input) {
    const char *const p = prefix_of(plan);
    char label[128];
    add(sql, "SELECT ");
    for (size_t i = 0; i < plan->n_columns; i++) {
        add(sql, i ? ", " : "");
        if (!plan->columns[i].passes && plan->columns[i].way == KAN_APPLY_GROUP) {
            (void)snprintf(label, sizeof label, "%sp.%sl%zu", p, p, i);
            add_label(sql, plan, &plan->columns[i], label);
        } else {
            kan_text_print(sql, "%ss.%sc%zu", p, p, i);
        }
        add_as(sql, plan, i);
    }
    add(sql, " FROM (");
    add_keyed_rows(sql, plan, places, from, input);
    kan_text_print(sql, ") AS %ss", p);
    add_outcome_join(sql, plan, places);
}

static void add_rows(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                     const char *from) {
    char input[64];
    (void)snprintf(input, sizeof input, "%st", prefix_of(plan));
    if (plan->has_outcomes)
        add_by_outcomes(sql, plan, places, from, input);
    else
        add_by_values(sql, plan, places, from, input);
}

/* ---- a secret order ------------------------------------------------------------------------- */

/* The key, and the row's place: no two have the same. */
static void add_hash(kan_text *sql, const kan_apply_plan *plan) {
    const char *const p = prefix_of(plan);
    char place[128];
    kan_text text;
    (void)snprintf(place, sizeof place, "%sy.%so", p, p);
    kan_text_init(&text, sql->run);
    kan_text_print(&text, "%sk.%sv || ':' || ", p, p);
    kan_sql_pattern(&text, dialect_of(plan)->number_text, place);
    if (kan_text_status(&text) == KAN_OK)
        kan_sql_pattern(sql, dialect_of(plan)->keyed_hash, text.bytes);
    else
        sql->failed = true;
    kan_text_destroy(&text);
}

static void add_shuffled(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                         const char *from) {
    const char *const p = prefix_of(plan);
    add(sql, "SELECT ");
    for (size_t i = 0; i < plan->n_columns; i++) {
        kan_text_print(sql, "%s%sy.", i ? ", " : "", p);
        kan_sql_name(sql, dialect_of(plan), plan->columns[i].release->name);
    }
    kan_text_print(sql, " FROM (SELECT %sz.*, row_number() OVER () AS %so FROM (", p, p);
    add_rows(sql, plan, places, from);
    kan_text_print(sql, ") AS %sz) AS %sy CROSS JOIN %s AS %sk ORDER BY ", p, p, places->secret, p);
    add_hash(sql, plan);
}

/* ---- the order of what rows show ------------------------------------------------------------ */

/* As text where the type is the input's own, which may have no order. */
static void add_shown(kan_text *sql, const kan_apply_plan *plan, size_t at) {
    const kan_apply_column *const column = &plan->columns[at];
    kan_text name;
    kan_text_init(&name, sql->run);
    kan_text_print(&name, "%sy.", prefix_of(plan));
    kan_sql_name(&name, dialect_of(plan), column->release->name);
    if (kan_text_status(&name) != KAN_OK)
        sql->failed = true;
    else if (column->passes || column->way == KAN_APPLY_RAW)
        kan_sql_pattern(sql, dialect_of(plan)->number_text, name.bytes);
    else
        add(sql, name.bytes);
    kan_text_destroy(&name);
}

/* Whoever joins rows to their outcomes, or numbers those that are alike, sorts them by their raw values:
 * stored so, the first of five [30-39] would be the youngest. */
static void add_ordered(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                        const char *from) {
    kan_text_print(sql, "SELECT * FROM (");
    add_rows(sql, plan, places, from);
    kan_text_print(sql, ") AS %sy ORDER BY ", prefix_of(plan));
    for (size_t i = 0; i < plan->n_columns; i++) {
        add(sql, i ? ", " : "");
        add_shown(sql, plan, i);
    }
}

void kan_sql_apply(kan_text *sql, const kan_apply_plan *plan, const kan_apply_places *places,
                   const char *from) {
    if (places->secret)
        add_shuffled(sql, plan, places, from);
    else if (plan->has_outcomes || plan->order->is_sorted)
        add_ordered(sql, plan, places, from);
    else
        add_rows(sql, plan, places, from);
}
