/* Whether people of a release can be people of the original. Both stand in the same order, so that taking
 * the first who fits loses nothing: whoever comes later can have any that is left. */
#include "analyze/forest/forest_inside.h"

static bool covers_value(kan_slice shown, const kan_hierarchy *h, uint32_t code) {
    if (kan_slice_is(shown, "*"))
        return true;
    const uint32_t leaf = h->leaf_of[code];
    for (unsigned level = 0; level <= h->height; level++)
        if (kan_slice_equal(shown, h->levels[level].label[h->levels[level].from_leaf[leaf]]))
            return true;
    return false;
}

bool kan_forest_covers_row(const kan_forest_table *release, uint64_t released,
                           const kan_forest_table *original, uint64_t row) {
    for (size_t c = 0; c < original->n_quasi; c++) {
        const kan_column *from = &original->table->columns[original->quasi[c]];
        const kan_slice shown =
            kan_column_value(&release->table->columns[release->quasi[c]], released);
        if (!kan_slice_equal(shown, kan_column_value(from, row)) &&
            !covers_value(shown, original->hierarchies[c], kan_column_code(from, row)))
            return false;
    }
    for (size_t c = 0; c < original->n_others; c++)
        if (!kan_slice_equal(
                kan_column_value(&release->table->columns[release->others[c]], released),
                kan_column_value(&original->table->columns[original->others[c]], row)))
            return false;
    return true;
}

/* The place among the rows of its person of the row that a row is below. */
static uint64_t parent_place(const kan_forest *forest, size_t t, uint64_t row) {
    return t == 0 ? 0
                  : forest->of_person[forest->tables[t].parent].place[forest->parent_row[t][row]];
}

static bool covers_rows(const kan_forest *release, uint64_t person, const kan_forest *original,
                        uint64_t candidate, size_t t) {
    const kan_forest_rows *shown = &release->of_person[t], *rows = &original->of_person[t];
    const uint64_t n = shown->start[person + 1] - shown->start[person];
    if (rows->start[candidate + 1] - rows->start[candidate] != n)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t released = shown->rows[shown->start[person] + i];
        const uint64_t row = rows->rows[rows->start[candidate] + i];
        if (parent_place(release, t, released) != parent_place(original, t, row) ||
            !kan_forest_covers_row(&release->tables[t], released, &original->tables[t], row))
            return false;
    }
    return true;
}

static bool covers_person(const kan_forest *release, uint64_t person, const kan_forest *original,
                          uint64_t candidate) {
    for (size_t t = 0; t < release->n; t++)
        if (!covers_rows(release, person, original, candidate, t))
            return false;
    return true;
}

/* A row of the person that is nobody's. */
static void find_invented(const kan_forest *release, uint64_t person, const kan_forest *original,
                          kan_forest_match *out) {
    for (size_t t = 0; t < release->n; t++) {
        const kan_forest_rows *shown = &release->of_person[t];
        const uint64_t n = original->tables[t].table->n_rows;
        for (uint64_t i = shown->start[person]; i < shown->start[person + 1]; i++) {
            uint64_t row = 0;
            while (row < n && !kan_forest_covers_row(&release->tables[t], shown->rows[i],
                                                     &original->tables[t], row))
                row++;
            if (row < n)
                continue;
            out->is_certain = true;
            out->table = t;
            out->row = shown->rows[i];
            return;
        }
    }
    out->table = 0;
    out->row = person;
}

kan_status kan_forest_cover(const kan_forest *release, const kan_forest *original,
                            kan_forest_match *out) {
    const uint64_t n = release->tables[0].table->n_rows, n_all = original->tables[0].table->n_rows;
    uint64_t candidate = 0;
    *out = (kan_forest_match){0};
    for (; out->n_matched < n; out->n_matched++, candidate++) {
        if (out->n_matched % 4096 == 0)
            KAN_TRY(kan_check_cancel(release->run));
        while (candidate < n_all && !covers_person(release, out->n_matched, original, candidate))
            candidate++;
        if (candidate == n_all) {
            find_invented(release, out->n_matched, original, out);
            return KAN_OK;
        }
    }
    out->holds = true;
    return KAN_OK;
}
