/* Rows that are alike at the lowest levels become one item: the first of them stands for all. */
#include "group/kin/kin_inside.h"

static kan_status fold_column(kan_arena *arena, const kan_kin_space *space, size_t t,
                              const kan_kin_column *from, kan_kin_column *to) {
    const uint32_t n = space->n_classes[t];
    uint32_t *codes;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *codes, &codes));
    for (uint32_t i = 0; i < n; i++)
        codes[i] = from->codes[space->firsts[t][i]];
    *to = *from;
    to->codes = codes;
    return KAN_OK;
}

/* A table whose rows only count keeps no members: its rows are never looked at. */
static kan_status fold_children(kan_arena *arena, const kan_kin_space *space, size_t t,
                                const kan_kin_children *from, kan_kin_children *to) {
    const uint32_t n = space->n_classes[t];
    const bool is_plain = kan_kin_is_plain(&space->kin->tables[from->table]);
    uint64_t *start, at = 0;
    uint32_t *members = NULL;
    KAN_TRY(kan_arena_alloc(arena, (size_t)n + 1, sizeof *start, &start));
    start[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = space->firsts[t][i];
        start[i + 1] = start[i] + (from->start[row + 1] - from->start[row]);
    }
    if (!is_plain) {
        KAN_TRY(kan_arena_alloc(arena, (size_t)start[n], sizeof *members, &members));
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t row = space->firsts[t][i];
            for (uint64_t m = from->start[row]; m < from->start[row + 1]; m++)
                members[at++] = space->classes[from->table][from->members[m]];
        }
    }
    *to = (kan_kin_children){from->table, start, members};
    return KAN_OK;
}

static kan_status fold_table(kan_arena *arena, const kan_kin_space *space, size_t t,
                             kan_kin_table *out) {
    const kan_kin_table *from = &space->kin->tables[t];
    kan_kin_column *columns;
    kan_kin_children *children;
    KAN_TRY(kan_arena_alloc(arena, from->n_columns, sizeof *columns, &columns));
    KAN_TRY(kan_arena_alloc(arena, from->n_children, sizeof *children, &children));
    for (size_t c = 0; c < from->n_columns; c++)
        KAN_TRY(fold_column(arena, space, t, &from->columns[c], &columns[c]));
    for (size_t c = 0; c < from->n_children; c++)
        KAN_TRY(fold_children(arena, space, t, &from->children[c], &children[c]));
    *out = (kan_kin_table){.n = kan_kin_is_plain(from) ? 0 : space->n_classes[t],
                           .n_columns = from->n_columns,
                           .columns = columns,
                           .n_children = from->n_children,
                           .children = children};
    return KAN_OK;
}

static kan_status count_people(kan_arena *arena, const kan_kin_space *space, kan_kin_folded *out) {
    const kan_kin_table *rows = &space->kin->tables[0];
    uint64_t *counts;
    KAN_TRY(kan_arena_alloc(arena, space->n_classes[0], sizeof *counts, &counts));
    memset(counts, 0, (size_t)space->n_classes[0] * sizeof *counts);
    for (uint32_t row = 0; row < rows->n; row++) {
        counts[out->item_of[0][row]] += rows->counts ? rows->counts[row] : 1;
    }
    out->kin.tables[0].n =
        space->n_classes[0]; /* people without anything to show are people, too */
    out->kin.tables[0].counts = counts;
    return KAN_OK;
}

static kan_status note_items(kan_arena *arena, const kan_kin_space *space, kan_kin_folded *out) {
    for (size_t t = 0; t < space->kin->n_tables; t++) {
        const uint32_t n = space->kin->tables[t].n;
        KAN_TRY(kan_arena_alloc(arena, n, sizeof **out->item_of, &out->item_of[t]));
        if (n > 0)
            memcpy(out->item_of[t], space->classes[t], n * sizeof **out->item_of);
    }
    return KAN_OK;
}

kan_status kan_kin_fold(kan_run *run, const kan_kin *rows, const unsigned *lowest,
                        kan_kin_folded *out) {
    kan_status status;
    kan_kin_space *space = NULL;
    *out = (kan_kin_folded){.run = run};
    kan_arena_init(&out->arena, run);
    out->kin.n_tables = rows->n_tables;
    out->kin.n_attributes = rows->n_attributes;
    out->kin.heights = rows->heights;
    out->kin.n_levels = rows->n_levels;
    KAN_TRY(kan_kin_space_create(run, rows, &space));
    KAN_TRY_DONE(kan_kin_number(space, lowest));
    for (size_t t = 0; t < rows->n_tables; t++)
        KAN_TRY_DONE(fold_table(&out->arena, space, t, &out->kin.tables[t]));
    KAN_TRY_DONE(note_items(&out->arena, space, out));
    KAN_TRY_DONE(count_people(&out->arena, space, out));
done:
    kan_kin_space_destroy(space);
    return status;
}

void kan_kin_folded_destroy(kan_kin_folded *folded) {
    if (folded->run)
        kan_arena_destroy(&folded->arena);
}
