/* Figures that may be shared: over released rows alone, as if the others had never been there
 * (job/released/released.h). O(rows) per quasi-identifier, and O(values * levels). */
#include <math.h>
#include <string.h>

#include "job/released/released.h"
#include "job/tables/tables_inside.h"

static kan_status count_column(kan_clan *clan, size_t t, unsigned q) {
    kan_clan_table *table = &clan->tables[t];
    const kan_hierarchy *h = table->setup.hierarchies[q];
    const kan_column *column = &table->setup.table->columns[table->setup.quasi[q]];
    uint64_t *leaf_rows;
    KAN_TRY(kan_arena_alloc(&clan->arena, h->n_codes, sizeof *leaf_rows, &leaf_rows));
    memset(leaf_rows, 0, h->n_codes * sizeof *leaf_rows);
    for (uint64_t row = 0; row < table->setup.table->n_rows; row++)
        if (!table->is_left[row])
            leaf_rows[h->leaf_of[kan_column_code(column, row)]]++;
    table->released[q] = (kan_released_column){
        .column = column, .hierarchy = h, .leaf_rows = leaf_rows, .level = table->levels[q]};
    return KAN_OK;
}

bool kan_clan_knows_levels(const kan_clan *clan, const kan_clan_table *table, unsigned q) {
    return clan->n_left == 0 || kan_released_column_knows_levels(&table->released[q]);
}

unsigned kan_clan_told_height(const kan_clan *clan, const kan_clan_table *table, unsigned q) {
    return clan->n_left == 0 ? table->setup.hierarchies[q]->height
                             : kan_released_column_height(&table->released[q]);
}

unsigned kan_clan_told_level(const kan_clan *clan, const kan_clan_table *table, unsigned q) {
    const unsigned height = kan_clan_told_height(clan, table, q);
    return table->levels[q] < height ? table->levels[q] : height;
}

bool kan_clan_told_attribute(const kan_clan *clan, unsigned a, unsigned *level, unsigned *height) {
    *level = *height = 0;
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++) {
            const kan_clan_table *table = &clan->tables[t];
            if (table->attribute[q] != a)
                continue;
            if (!kan_clan_knows_levels(clan, table, q))
                return false;
            const unsigned own = kan_clan_told_level(clan, table, q),
                           top = kan_clan_told_height(clan, table, q);
            *level = own > *level ? own : *level;
            *height = top > *height ? top : *height;
        }
    return true;
}

/* What released cells cost, and what they would if all were left out; false: that says something of
 * people who were left out. */
static bool price_column(const kan_clan *clan, size_t t, unsigned q, double *sum, double *most) {
    const kan_clan_table *table = &clan->tables[t];
    const kan_cell_price *price = clan->cost->price;
    const double n = (double)clan->n_released[t], height = kan_clan_told_height(clan, table, q),
                 weight = table->weights[q];
    *most += n * price->suppressed(height, weight);
    if (price->is_by_share)
        *sum += price->suppressed(height, weight) * kan_released_column_shares(&table->released[q]);
    else
        *sum += n * price->shown(height, weight, kan_clan_told_level(clan, table, q));
    return price->is_by_share || kan_clan_knows_levels(clan, table, q);
}

kan_status kan_clan_measure(kan_clan *clan) {
    double sum = 0, most = 0;
    bool is_told = true;
    for (size_t t = 0; t < clan->n; t++)
        for (unsigned q = 0; q < clan->tables[t].setup.n_quasi; q++) {
            KAN_TRY(count_column(clan, t, q));
            is_told = price_column(clan, t, q, &sum, &most) && is_told;
        }
    clan->released_cost = !is_told ? NAN : most > 0 ? sum / most : 0;
    return KAN_OK;
}
