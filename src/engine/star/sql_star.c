/* The statements of a star. Own names that stand beside columns of the user's table have the prefix
 * of sql.h; in tables that are all our own they are short.
 *
 * Where a dialect joins, a value is found in the table of its dimension; where it maps
 * (KAN_MAP_TRANSFORM, one JOIN per SELECT), in arrays that are a part of the statement. Aliases stand
 * for their expression in all of such a SELECT, so none is called like a column of what it selects
 * from. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/star/star_state.h"

static void add(kan_text *sql, const char *text) {
    kan_text_add(sql, text, strlen(text));
}

static const char *join_of(const kan_star *star) {
    const char *const join = star->engine->table.dialect->join;
    return join ? join : " JOIN ";
}

void kan_sql_set_columns(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    const char *const type = star->engine->table.dialect->count_type;
    for (unsigned i = 0; i < order->n; i++)
        kan_text_print(sql, "c%u %s, ", order->attributes[i], type);
    kan_text_print(sql, "n %s", type);
}

/* ---- the base -------------------------------------------------------------------------------- */

static void add_groups(kan_text *sql, const kan_star *star) {
    const kan_sql_table *const table = &star->engine->table;
    bool *encode;
    if (kan_alloc_zero(sql->run, table->n_columns, sizeof *encode, &encode) != KAN_OK) {
        sql->failed = true;
        return;
    }
    for (unsigned d = 0; d < star->plan.n; d++)
        encode[star->dimensions[d].column] = true;
    kan_sql_groups(sql, table, encode);
    kan_free(sql->run, encode);
}

/* Rows are grouped first, by the columns themselves, and each group is looked up once. A group that
 * has a value of which no dimension knows stays, with NULL: kan_star_create finds it. (An inner join
 * would be planned badly, too: of expressions PostgreSQL has no statistics, and takes each join for one
 * that leaves few rows.) */
static void add_joined_base(kan_text *sql, const kan_star *star) {
    const kan_sql_table *const table = &star->engine->table;
    const char *const p = table->prefix;
    char of[64];
    (void)snprintf(of, sizeof of, "%st", p);
    add(sql, "SELECT ");
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "%sd%u.g, ", p, d);
    kan_text_print(sql, "sum(%s.%sn) FROM (", of, p);
    add_groups(sql, star);
    kan_text_print(sql, ") AS %s", of);
    for (unsigned d = 0; d < star->plan.n && !sql->failed; d++) {
        kan_text_print(sql, " LEFT JOIN %s AS %sd%u ON %sd%u.k = ", star->keys[d], p, d, p, d);
        kan_sql_group_text(sql, table, star->dimensions[d].column, of);
    }
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "%s%sd%u.g", d ? ", " : " GROUP BY ", p, d);
}

static void add_key_arrays(kan_text *sql, const kan_star *star, unsigned dimension) {
    const kan_dialect *const dialect = star->engine->table.dialect;
    const unsigned lowest = star->dimensions[dimension].lowest;
    const char *between = "[";
    kan_slice text;
    uint32_t code;
    for (kan_star_texts t = kan_star_texts_begin(star, dimension);
         kan_star_texts_next(&t, &text, &code); between = ", ") {
        add(sql, between);
        kan_sql_text(sql, dialect, text);
    }
    between = "], [";
    for (kan_star_texts t = kan_star_texts_begin(star, dimension);
         kan_star_texts_next(&t, &text, &code); between = ", ")
        kan_text_print(sql, "%s%" PRIu64, between,
                       (uint64_t)kan_star_stand_in(star, dimension, lowest, code) + 1);
    add(sql, "]");
}

/* What no array has is 0, and left out: then the numbers of rows differ. One SELECT, so that shards
 * group their own rows, and send groups: of a subquery they would send every row. */
static void add_mapped_base(kan_text *sql, const kan_star *star) {
    const kan_sql_table *const table = &star->engine->table;
    const char *const p = table->prefix;
    add(sql, "SELECT ");
    for (unsigned d = 0; d < star->plan.n; d++) {
        add(sql, "toUInt64(transform(");
        kan_sql_column_key(sql, table, star->dimensions[d].column, NULL);
        add(sql, ", ");
        add_key_arrays(sql, star, d);
        kan_text_print(sql, ", 0)) AS %sx%u, ", p, d);
    }
    kan_text_print(sql, "count(*) FROM %s", table->place);
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "%s%sx%u <> 0", d ? " AND " : " WHERE ", p, d);
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "%s%sx%u", d ? ", " : " GROUP BY ", p, d);
}

void kan_sql_base(kan_text *sql, const kan_star *star) {
    if (kan_star_maps(star))
        add_mapped_base(sql, star);
    else
        add_joined_base(sql, star);
}

/* ---- roll-up --------------------------------------------------------------------------------- */

static bool is_raised(const kan_star *star, const kan_count_order *order, unsigned place) {
    return star->sets[order->from].levels[order->attributes[place]] != order->levels[place];
}

static void add_joined_value(kan_text *sql, const kan_star *star, const kan_count_order *order,
                             unsigned place) {
    const unsigned d = order->attributes[place];
    if (is_raised(star, order, place))
        kan_text_print(sql, "d%u.l%u", d, order->levels[place]);
    else
        kan_text_print(sql, "s.c%u", d);
}

/* A set with the levels of what is raised beside it. */
static void add_joins(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    kan_text_print(sql, " FROM %s AS s", star->sets[order->from].place);
    for (unsigned i = 0; i < order->n; i++)
        if (is_raised(star, order, i))
            kan_text_print(sql, "%s%s AS d%u ON d%u.g = s.c%u", join_of(star),
                           star->levels[order->attributes[i]], order->attributes[i],
                           order->attributes[i], order->attributes[i]);
}

static void add_joined(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    add(sql, "SELECT ");
    for (unsigned i = 0; i < order->n; i++) {
        add_joined_value(sql, star, order, i);
        kan_text_print(sql, " AS x%u, ", order->attributes[i]);
    }
    add(sql, "sum(s.n) AS xn");
    add_joins(sql, star, order);
    for (unsigned i = 0; i < order->n; i++) {
        add(sql, i ? ", " : " GROUP BY ");
        add_joined_value(sql, star, order, i);
    }
}

/* From the values that stand for others at one level to those at another. */
static void add_level_arrays(kan_text *sql, const kan_star *star, unsigned d, unsigned from,
                             unsigned to) {
    const uint32_t n = star->dimensions[d].values->n;
    const char *between = "[";
    for (uint32_t code = 0; code < n; code++)
        if (kan_star_stand_in(star, d, from, code) == code) {
            kan_text_print(sql, "%s%" PRIu64, between, (uint64_t)code + 1);
            between = ", ";
        }
    between = "], [";
    for (uint32_t code = 0; code < n; code++)
        if (kan_star_stand_in(star, d, from, code) == code) {
            kan_text_print(sql, "%s%" PRIu64, between,
                           (uint64_t)kan_star_stand_in(star, d, to, code) + 1);
            between = ", ";
        }
    add(sql, "]");
}

static void add_mapped_value(kan_text *sql, const kan_star *star, const kan_count_order *order,
                             unsigned place) {
    const unsigned d = order->attributes[place];
    if (!is_raised(star, order, place)) {
        kan_text_print(sql, "c%u", d);
        return;
    }
    kan_text_print(sql, "toUInt64(transform(c%u, ", d);
    add_level_arrays(sql, star, d, star->sets[order->from].levels[d], order->levels[place]);
    add(sql, ", 0))");
}

static void add_mapped(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    add(sql, "SELECT ");
    for (unsigned i = 0; i < order->n; i++) {
        add_mapped_value(sql, star, order, i);
        kan_text_print(sql, " AS x%u, ", order->attributes[i]);
    }
    kan_text_print(sql, "sum(n) AS xn FROM %s", star->sets[order->from].place);
    for (unsigned i = 0; i < order->n; i++)
        kan_text_print(sql, "%sx%u", i ? ", " : " GROUP BY ", order->attributes[i]);
}

void kan_sql_roll_up(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    if (kan_star_maps(star))
        add_mapped(sql, star, order);
    else
        add_joined(sql, star, order);
}

/* ---- large groups ---------------------------------------------------------------------------- */

/* As a LEFT JOIN that stays one, for what add_joined_base says of plans. */
static void add_large_joined(kan_text *sql, const kan_star *star, const kan_count_order *order,
                             uint64_t least) {
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "s.c%u, ", d);
    add(sql, "s.n");
    add_joins(sql, star, order);
    add(sql, " LEFT JOIN (");
    kan_sql_roll_up(sql, star, order);
    for (unsigned i = 0; i < order->n; i++) {
        kan_text_print(sql, "%sxs.x%u = ", i ? " AND " : ") AS xs ON ", order->attributes[i]);
        add_joined_value(sql, star, order, i);
    }
    kan_text_print(sql, " WHERE COALESCE(xs.xn, 0) >= %" PRIu64, least);
}

static void add_large_mapped(kan_text *sql, const kan_star *star, const kan_count_order *order,
                             uint64_t least) {
    for (unsigned d = 0; d < star->plan.n; d++)
        kan_text_print(sql, "c%u, ", d);
    kan_text_print(sql, "n FROM %s", star->sets[order->from].place);
    for (unsigned i = 0; i < order->n; i++) {
        add(sql, i ? ", " : " WHERE (");
        add_mapped_value(sql, star, order, i);
    }
    for (unsigned i = 0; i < order->n; i++)
        kan_text_print(sql, "%sx%u", i ? ", " : ") IN (SELECT ", order->attributes[i]);
    add(sql, " FROM (");
    kan_sql_roll_up(sql, star, order);
    kan_text_print(sql, ") AS xs WHERE xn >= %" PRIu64 ")", least);
}

void kan_sql_large(kan_text *sql, const kan_star *star, const kan_count_order *order) {
    const uint64_t least = order->least_size < INT64_MAX ? order->least_size : INT64_MAX;
    add(sql, "SELECT ");
    (kan_star_maps(star) ? add_large_mapped : add_large_joined)(sql, star, order, least);
}
