/* The question: one attribute for each name of a quasi-identifier, trees of rows, prices of cells. */
#include <inttypes.h>
#include <string.h>

#include "job/tables/tables_inside.h"

/* ---- attributes ----------------------------------------------------------------------------- */

static unsigned find_attribute(const kan_clan *clan, kan_slice name) {
    unsigned a = 0;
    while (a < clan->n_attributes && !kan_slice_is(name, clan->attributes[a]))
        a++;
    return a;
}

/* The hierarchy that the first table with the attribute has. */
static const kan_hierarchy *first_hierarchy(const kan_clan *clan, unsigned a) {
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++)
            if (clan->tables[t].attribute[q] == a)
                return clan->tables[t].setup.hierarchies[q];
    return NULL;
}

/* One level is chosen for both, so that it has to mean the same. */
static void check_alike(const kan_clan *clan, const kan_clan_table *table, unsigned q) {
    const kan_hierarchy *own = table->setup.hierarchies[q],
                        *other = first_hierarchy(clan, table->attribute[q]);
    const char *name = clan->attributes[table->attribute[q]];
    if (own->height != other->height || strcmp(own->origin, other->origin) != 0)
        kan_problem_add(clan->run,
                        "column '%s' is a quasi-identifier of several tables, with the hierarchies "
                        "%s and %s; one level is chosen for all of them: name one hierarchy",
                        name, other->origin, own->origin);
    else if (kan_hierarchy_follows_rows(own))
        kan_problem_add(
            clan->run,
            "column '%s' is a quasi-identifier of several tables, and %s is made of the "
            "rows of each; name a file, or another builder",
            name, own->origin);
}

static kan_status add_attributes(kan_clan *clan, size_t t) {
    kan_clan_table *table = &clan->tables[t];
    for (unsigned q = 0; q < table->setup.n_quasi; q++) {
        const char *name = table->setup.table->columns[table->setup.quasi[q]].name;
        const unsigned a = find_attribute(clan, kan_slice_of(name));
        if (a == KAN_MAX_ATTRIBUTES)
            return kan_fail(clan->run, KAN_BAD_INPUT,
                            "more than %d quasi-identifiers over all tables", KAN_MAX_ATTRIBUTES);
        const bool is_new = a == clan->n_attributes;
        clan->n_attributes += is_new;
        clan->attributes[a] = name;
        table->attribute[q] = a;
        if (is_new)
            clan->heights[a] = table->setup.hierarchies[q]->height;
        else
            check_alike(clan, table, q);
    }
    return KAN_OK;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* The weight that the settings give the column, the last where there are several; false: none. */
static bool find_weight(const kan_options *options, const char *column, double *out) {
    bool is_found = false;
    for (size_t i = 0; i < kan_options_count_of(options, "weight"); i++) {
        kan_slice name;
        double weight;
        if (!kan_weight_parse(kan_options_at(options, "weight", i), &name, &weight) ||
            !kan_slice_is(name, column))
            continue;
        *out = weight;
        is_found = true;
    }
    return is_found;
}

/* What stands within a table goes before what stands beside `tables`. */
static double weight_of(const kan_clan *clan, size_t t, unsigned q) {
    const kan_clan_table *table = &clan->tables[t];
    const char *column = clan->attributes[table->attribute[q]];
    double weight = 1;
    if (!find_weight(&table->part->job->options, column, &weight))
        (void)find_weight(&clan->job->options, column, &weight);
    return weight;
}

static bool has_quasi(const kan_clan *clan, const kan_clan_table *table, kan_slice name) {
    for (unsigned q = 0; q < table->setup.n_quasi; q++)
        if (kan_slice_is(name, clan->attributes[table->attribute[q]]))
            return true;
    return false;
}

/* Weights of columns that are no quasi-identifiers; NULL: of any table. */
static void check_weights(const kan_clan *clan, const kan_clan_table *table) {
    const kan_options *options = table ? &table->part->job->options : &clan->job->options;
    for (size_t i = 0; i < kan_options_count_of(options, "weight"); i++) {
        kan_slice name;
        double weight;
        char quoted[256];
        if (!kan_weight_parse(kan_options_at(options, "weight", i), &name, &weight))
            continue;
        kan_quote(name, quoted);
        if (table && !has_quasi(clan, table, name))
            kan_problem_add(clan->run,
                            "%s: table '%s': --weight: %s is not one of its quasi-identifiers, and "
                            "only these have weights; " KAN_NO_SURVEY_WEIGHTS,
                            table->part->place, table->part->name, quoted);
        else if (!table && find_attribute(clan, name) == clan->n_attributes)
            kan_problem_add(clan->run,
                            "--weight: %s is a quasi-identifier of no table, and only these have "
                            "weights; " KAN_NO_SURVEY_WEIGHTS,
                            quoted);
    }
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void take_bound(kan_clan *clan, const char *text) {
    kan_slice name;
    const char *range;
    uint64_t low, high;
    char quoted[256];
    if (!kan_level_parse(text, &name, &range, &low, &high))
        return;
    const unsigned a = find_attribute(clan, name);
    kan_quote(name, quoted);
    if (a == clan->n_attributes) {
        kan_problem_add(clan->run,
                        "--level: %s is a quasi-identifier of no table, and only these have "
                        "levels; name it with `qi`, or leave --level out",
                        quoted);
        return;
    }
    const uint64_t last = high < UINT64_MAX ? high : clan->heights[a];
    if (low > clan->heights[a] || last > clan->heights[a])
        kan_problem_add(clan->run,
                        "--level: %s %s: its hierarchy has no level above %u; `kanon hierarchy "
                        "show` prints the levels",
                        quoted, range, clan->heights[a]);
    else if (low > last)
        kan_problem_add(clan->run,
                        "--level: %s %s: the lowest level is above the highest; write the smaller "
                        "number first",
                        quoted, range);
    else {
        clan->question.lowest[a] = (unsigned)low;
        clan->question.highest[a] = (unsigned)last;
    }
}

kan_status kan_clan_check_quasi(const kan_clan *clan) {
    for (size_t t = 0; t < clan->n; t++)
        if (clan->tables[t].setup.n_quasi > 0)
            return KAN_OK;
    return kan_fail(clan->run, KAN_BAD_INPUT,
                    "%s: no table has a quasi-identifier; write qi: and the columns by which "
                    "somebody could be recognised",
                    clan->job->parts->place);
}

kan_status kan_clan_attributes(kan_clan *clan) {
    const kan_options *options = &clan->job->options;
    KAN_TRY(kan_clan_check_quasi(clan));
    kan_problems_begin(clan->run);
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY(add_attributes(clan, t));
    KAN_TRY(kan_problems_end(clan->run));
    memcpy(clan->question.highest, clan->heights, sizeof clan->heights);
    kan_problems_begin(clan->run);
    for (size_t i = 0; i < kan_options_count_of(options, "level"); i++)
        take_bound(clan, kan_options_at(options, "level", i));
    check_weights(clan, NULL);
    for (size_t t = 0; t < clan->n; t++)
        check_weights(clan, &clan->tables[t]);
    return kan_problems_end(clan->run);
}

/* ---- prices --------------------------------------------------------------------------------- */

/* A share of what the dearest cell costs that is left out, in units: whole numbers, so that sums are
 * exact. */
static uint64_t units_of(double price, double dearest) {
    enum { UNITS = 1 << 30 };
    return dearest > 0 ? (uint64_t)(price / dearest * UNITS + 0.5) : 0;
}

static kan_status price_column(kan_clan *clan, const kan_hierarchy *h, double weight,
                               double dearest, kan_kin_column *column) {
    const kan_cell_price *price = clan->cost->price;
    const uint32_t **groups;
    uint64_t **prices;
    column->suppressed = units_of(price->suppressed(h->height, weight), dearest);
    KAN_TRY(kan_arena_alloc(&clan->arena, h->height + 1, sizeof *groups, &groups));
    KAN_TRY(kan_arena_alloc(&clan->arena, h->height + 1, sizeof *prices, &prices));
    for (unsigned level = 0; level <= h->height; level++) {
        const kan_level *l = &h->levels[level];
        KAN_TRY(kan_arena_alloc(&clan->arena, h->n_codes, sizeof **prices, &prices[level]));
        groups[level] = l->from_leaf;
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            const double steps = price->is_by_share ? l->share[l->from_leaf[leaf]] : level;
            uint64_t units = units_of(price->shown(h->height, weight, steps), dearest);
            if (level > 0 && units < prices[level - 1][leaf])
                units = prices[level - 1][leaf];
            prices[level][leaf] = units < column->suppressed ? units : column->suppressed;
        }
    }
    column->groups = groups;
    column->prices = (const uint64_t *const *)prices;
    return KAN_OK;
}

static double dearest_cell(const kan_clan *clan) {
    double dearest = 0;
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++) {
            const unsigned height = clan->heights[clan->tables[t].attribute[q]];
            const double price = clan->cost->price->suppressed(height, weight_of(clan, t, q));
            dearest = price > dearest ? price : dearest;
        }
    return dearest;
}

/* ---- trees ---------------------------------------------------------------------------------- */

static kan_status make_columns(kan_clan *clan, size_t t, kan_kin_table *out) {
    kan_clan_table *table = &clan->tables[t];
    const double dearest = dearest_cell(clan);
    kan_kin_column *columns;
    KAN_TRY(kan_arena_alloc(&clan->arena, table->setup.n_quasi, sizeof *columns, &columns));
    for (unsigned q = 0; q < table->setup.n_quasi; q++) {
        const kan_hierarchy *h = table->setup.hierarchies[q];
        const kan_column *from = &table->setup.table->columns[table->setup.quasi[q]];
        uint32_t *codes;
        table->weights[q] = weight_of(clan, t, q);
        KAN_TRY(kan_arena_alloc(&clan->arena, out->n, sizeof *codes, &codes));
        for (uint32_t row = 0; row < out->n; row++)
            codes[row] = h->leaf_of[kan_column_code(from, row)];
        columns[q] = (kan_kin_column){
            .attribute = table->attribute[q], .codes = codes, .n_codes = h->n_codes};
        KAN_TRY(price_column(clan, h, table->weights[q], dearest, &columns[q]));
    }
    out->columns = columns;
    out->n_columns = table->setup.n_quasi;
    return KAN_OK;
}

/* The children in table `below` of each row of its parent. */
static kan_status list_children(kan_clan *clan, size_t below, kan_kin_children *out) {
    const kan_clan_table *table = &clan->tables[below];
    const uint64_t n = clan->tables[table->parent].setup.table->n_rows,
                   n_below = table->setup.table->n_rows;
    uint64_t *start;
    uint32_t *members;
    KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)n + 2, sizeof *start, &start));
    KAN_TRY(kan_arena_alloc(&clan->arena, (size_t)n_below, sizeof *members, &members));
    memset(start, 0, (size_t)(n + 2) * sizeof *start);
    for (uint64_t row = 0; row < n_below; row++)
        start[table->parent_row[row] + 2]++;
    for (uint64_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (uint64_t row = 0; row < n_below; row++)
        members[start[table->parent_row[row] + 1]++] = (uint32_t)row;
    *out = (kan_kin_children){below, start, members};
    return KAN_OK;
}

static kan_status make_table(kan_clan *clan, size_t t, kan_kin_table *out) {
    kan_kin_children *children;
    out->n = (uint32_t)clan->tables[t].setup.table->n_rows;
    KAN_TRY(make_columns(clan, t, out));
    KAN_TRY(kan_arena_alloc(&clan->arena, clan->n, sizeof *children, &children));
    for (size_t below = t + 1; below < clan->n; below++)
        if (clan->tables[below].parent == t)
            KAN_TRY(list_children(clan, below, &children[out->n_children++]));
    out->children = children;
    return KAN_OK;
}

/* What it would cost to release nobody. */
static double cost_of_nobody(const kan_clan *clan) {
    kan_u128 sum = 0;
    for (size_t t = 0; t < clan->n; t++)
        for (size_t c = 0; c < clan->kin.tables[t].n_columns; c++)
            sum += (kan_u128)clan->kin.tables[t].n * clan->kin.tables[t].columns[c].suppressed;
    return (double)sum;
}

kan_status kan_clan_kin(kan_clan *clan) {
    kan_kin *kin = &clan->kin;
    *kin = (kan_kin){.n_tables = clan->n,
                     .n_attributes = clan->n_attributes,
                     .heights = clan->heights,
                     .n_levels = 1};
    for (unsigned a = 0; a < clan->n_attributes; a++)
        if (clan->heights[a] >= kin->n_levels)
            kin->n_levels = clan->heights[a] + 1;
    for (size_t t = 0; t < clan->n; t++)
        KAN_TRY(make_table(clan, t, &kin->tables[t]));
    const double all = cost_of_nobody(clan);
    clan->unit = all > 0 ? 1 / all : 0;
    return KAN_OK;
}
