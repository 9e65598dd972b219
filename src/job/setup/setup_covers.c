/* --attacker knows-if: which newcomers the earlier groups of a past would take in, by what these groups showed
 * (docs/papers/over-time.md).
 *
 * A label covers a value when it is the value, or what a hierarchy of this job shows for it at some level. Whatever
 * else it is, it covers nobody, which is the safe side: labels of other intervals, names of hierarchies that are made
 * of how many rows have each value, means; columns that are no quasi-identifiers now, or are changed, unless they
 * showed * alone; and releases in which people had several rows. */
#include <stdlib.h>
#include <string.h>

#include "core/spill.h"
#include "job/setup/setup.h"

/* Leaves first .. end - 1, in the order of the hierarchy. */
typedef struct {
    uint32_t first, end;
} leaf_run;

typedef struct {
    const kan_ledger_shown *shown;
    unsigned attribute, n_levels;
    leaf_run *runs; /* by text and level */
} label_column;

typedef struct {
    bool is_readable;
    uint32_t n_columns;
    label_column *columns;
} label_release;

struct kan_setup_covers {
    const kan_setup *setup;
    size_t n_releases;
    label_release *releases;
    uint64_t *row_of; /* by person */
};

/* ---- who is covered ------------------------------------------------------------------------- */

static bool takes_in(const struct kan_setup_covers *covers, const label_column *column,
                     uint32_t group, uint64_t row) {
    const kan_setup *setup = covers->setup;
    const kan_hierarchy *h = setup->hierarchies[column->attribute];
    const kan_column *values = &setup->table->columns[setup->quasi[column->attribute]];
    const uint32_t leaf = h->leaf_of[kan_column_code(values, row)];
    const leaf_run *runs = column->runs + (size_t)column->shown->codes[group] * column->n_levels;
    unsigned level = 0;
    while (level < column->n_levels && !(runs[level].first <= leaf && leaf < runs[level].end))
        level++;
    return level < column->n_levels;
}

static bool covers_newcomer(const kan_pasts *pasts, uint32_t past, uint32_t newcomer) {
    const struct kan_setup_covers *covers = pasts->context;
    const uint32_t *groups = covers->setup->past->classes.groups + past * covers->n_releases;
    for (size_t r = 0; r < covers->n_releases; r++) {
        const label_release *release = &covers->releases[r];
        if (groups[r] != 0 && !release->is_readable)
            return false;
        for (uint32_t c = 0; groups[r] != 0 && c < release->n_columns; c++)
            if (!takes_in(covers, &release->columns[c], groups[r] - 1, covers->row_of[newcomer]))
                return false;
    }
    return true;
}

/* ---- labels --------------------------------------------------------------------------------- */

typedef struct {
    kan_slice text;
    uint32_t code;
} placed_text;

static int compare_texts(const void *a, const void *b) {
    const placed_text *x = a, *y = b;
    const size_t size = x->text.size < y->text.size ? x->text.size : y->text.size;
    const int order = size > 0 ? memcmp(x->text.bytes, y->text.bytes, size) : 0;
    return order != 0 ? order : (x->text.size > y->text.size) - (x->text.size < y->text.size);
}

/* Names that are made of rows, or of the values of a release, may be those of other values. */
static bool can_read(const kan_hierarchy *h, unsigned level) {
    return level == 0 || level == h->height || !(kan_hierarchy_follows_rows(h) || h->names_whole);
}

static void read_level(const kan_hierarchy *h, unsigned level, const placed_text *sorted,
                       label_column *out) {
    const kan_level *here = &h->levels[level];
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        const uint32_t group = here->from_leaf[leaf];
        if (leaf > 0 && here->from_leaf[leaf - 1] == group)
            continue;
        const placed_text wanted = {here->label[group], 0};
        const placed_text *found =
            bsearch(&wanted, sorted, out->shown->n_texts, sizeof *sorted, compare_texts);
        if (found)
            out->runs[(size_t)found->code * out->n_levels + level] =
                (leaf_run){leaf, kan_hierarchy_first_leaf(h, level, group + 1)};
    }
}

static kan_status read_column(const kan_setup *setup, label_column *out) {
    const kan_hierarchy *h = setup->hierarchies[out->attribute];
    const uint32_t n = out->shown->n_texts;
    placed_text *sorted;
    out->n_levels = h->height + 1;
    KAN_TRY(kan_alloc_zero(setup->run, (size_t)n * out->n_levels, sizeof *out->runs, &out->runs));
    KAN_TRY(kan_alloc(setup->run, n, sizeof *sorted, &sorted));
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = (placed_text){out->shown->texts[i], i};
    if (n > 0)
        qsort(sorted, n, sizeof *sorted, compare_texts);
    for (unsigned level = 0; level <= h->height; level++)
        if (can_read(h, level))
            read_level(h, level, sorted, out);
    kan_free(setup->run, sorted);
    return kan_check_cancel(setup->run);
}

static bool find_attribute(const kan_setup *setup, const char *name, unsigned *out) {
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (strcmp(setup->table->columns[setup->quasi[a]].name, name) == 0) {
            *out = a;
            return !kan_input_treatment(&setup->input, setup->quasi[a]);
        }
    return false;
}

static bool tells_nothing(const kan_ledger_shown *shown) {
    return shown->n_texts == 1 && kan_slice_is(shown->texts[0], "*");
}

/* Where everybody had one row, groups of people are groups of rows. */
static kan_status read_release(struct kan_setup_covers *covers, const kan_ledger_release *release,
                               label_release *out) {
    const kan_setup *setup = covers->setup;
    out->is_readable =
        release->n_rows == release->n_people && release->n_tuples == release->n_groups;
    KAN_TRY(kan_alloc_zero(setup->run, release->n_shown, sizeof *out->columns, &out->columns));
    for (uint32_t c = 0; c < release->n_shown && out->is_readable; c++) {
        label_column *column = &out->columns[out->n_columns];
        column->shown = &release->shown[c];
        if (find_attribute(setup, column->shown->column, &column->attribute)) {
            out->n_columns++;
            KAN_TRY(read_column(setup, column));
        } else {
            out->is_readable = tells_nothing(column->shown);
        }
    }
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status find_rows(struct kan_setup_covers *covers) {
    const kan_setup *setup = covers->setup;
    const kan_column *id = setup->past->id;
    KAN_TRY(kan_spill_alloc(setup->run, id->dictionary.n, sizeof *covers->row_of, &covers->row_of));
    for (uint64_t row = 0; row < id->n_rows; row++)
        covers->row_of[kan_column_code(id, row)] = row;
    return KAN_OK;
}

kan_status kan_setup_take_covers(kan_setup *setup) {
    kan_setup_past *past = setup->past;
    struct kan_setup_covers *covers;
    KAN_TRY(kan_alloc_zero(setup->run, 1, sizeof *covers, &covers));
    past->covers = covers;
    covers->setup = setup;
    covers->n_releases = kan_setup_n_earlier(setup);
    KAN_TRY(kan_alloc_zero(setup->run, covers->n_releases, sizeof *covers->releases,
                           &covers->releases));
    for (size_t r = 0; r < covers->n_releases; r++)
        KAN_TRY(read_release(covers, kan_ledger_release_at(past->ledger, r), &covers->releases[r]));
    KAN_TRY(find_rows(covers));
    past->pasts.covers = covers_newcomer;
    past->pasts.context = covers;
    return KAN_OK;
}

void kan_setup_destroy_covers(kan_setup *setup) {
    struct kan_setup_covers *covers = setup->past->covers;
    if (!covers)
        return;
    for (size_t r = 0; covers->releases && r < covers->n_releases; r++) {
        for (uint32_t c = 0; c < covers->releases[r].n_columns; c++)
            kan_free(setup->run, covers->releases[r].columns[c].runs);
        kan_free(setup->run, covers->releases[r].columns);
    }
    kan_free(setup->run, covers->releases);
    kan_free(setup->run, covers->row_of);
    kan_free(setup->run, covers);
    setup->past->covers = NULL;
}
