/* Groups of each release are its distinct tuples; cells are distinct tuples of group numbers, of keys that link. What
 * other keys may add to a crowd is counted by group and key. */
#include "analyze/intruder/join.h"

#include <string.h>

#include "analyze/tuples/tuples.h"
#include "core/hash.h"

enum { KEYS_BETWEEN_CHECKS = 1 << 14 };

typedef struct {
    size_t n;
    uint32_t *of_row;
} groups_of;

typedef struct {
    kan_run *run;
    const kan_join_question *q;
    groups_of *groups; /* by side */
    uint64_t **count;  /* by side and key: rows */
    uint64_t **row;    /* the same: the first of them */
    kan_tuples cells;  /* n_sides group numbers each */
    bool has_cells;
    uint32_t *cell_of; /* by key; KAN_NO_KEY: it does not link */
    uint64_t *crowd;   /* by cell */
    /* By sensitive column and cell: the only value so far, from 1; 0: none; UINT32_MAX: several. */
    uint32_t **value;
    /* Keys that do not link, by side and group: how many rows. */
    kan_tuples parts;
    bool has_parts;
    size_t *part_start; /* by group of the first side: its parts, in part_list */
    size_t *part_list;
    kan_join *out;
} joining;

typedef struct {
    uint32_t side, group, key;
} part;

/* ---- groups ------------------------------------------------------------------------------------ */

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    uint32_t *of_row = context;
    for (size_t i = 0; i < n; i++)
        of_row[row + i] = (uint32_t)groups[i];
    return KAN_OK;
}

static kan_status make_groups(joining *j) {
    KAN_TRY(kan_alloc_zero(j->run, j->q->n_sides, sizeof *j->groups, &j->groups));
    for (size_t s = 0; s < j->q->n_sides; s++) {
        const kan_join_side *side = &j->q->sides[s];
        kan_recount_groups found = {0};
        KAN_TRY(kan_alloc(j->run, (size_t)side->table->n_rows, sizeof *j->groups[s].of_row,
                          &j->groups[s].of_row));
        KAN_TRY(kan_recount_group(j->run, side->table, side->quasi, side->n_quasi,
                                  &(kan_recount_follower){follow, j->groups[s].of_row}, &found));
        j->groups[s].n = found.tuples.n;
        kan_tuples_destroy(&found.tuples);
    }
    return KAN_OK;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static kan_status count_keys(joining *j) {
    KAN_TRY(kan_alloc_zero(j->run, j->q->n_sides, sizeof *j->count, &j->count));
    KAN_TRY(kan_alloc_zero(j->run, j->q->n_sides, sizeof *j->row, &j->row));
    for (size_t s = 0; s < j->q->n_sides; s++) {
        const kan_join_side *side = &j->q->sides[s];
        KAN_TRY(kan_alloc_zero(j->run, j->q->n_keys, sizeof **j->count, &j->count[s]));
        KAN_TRY(kan_alloc_zero(j->run, j->q->n_keys, sizeof **j->row, &j->row[s]));
        for (uint64_t row = 0; row < side->table->n_rows; row++) {
            const uint32_t key = side->key_of[row];
            if (key != KAN_NO_KEY && j->count[s][key]++ == 0)
                j->row[s][key] = row;
        }
        KAN_TRY(kan_check_cancel(j->run));
    }
    return KAN_OK;
}

static bool links(const joining *j, uint32_t key) {
    for (size_t s = 0; s < j->q->n_sides; s++)
        if (j->count[s][key] != 1)
            return false;
    return true;
}

/* Whether it may be somebody's who is in all releases. */
static bool may_link(const joining *j, uint32_t key) {
    for (size_t s = 0; s < j->q->n_sides; s++)
        if (j->count[s][key] == 0)
            return false;
    return true;
}

/* ---- cells ----------------------------------------------------------------------------------------- */

static kan_status make_cells(joining *j) {
    const size_t n = j->q->n_sides;
    uint32_t *tuple;
    size_t cell;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(j->run, j->q->n_keys, sizeof *j->cell_of, &j->cell_of));
    KAN_TRY(kan_alloc(j->run, n, sizeof *tuple, &tuple));
    kan_tuples_init(&j->cells, j->run, n * sizeof *tuple);
    j->has_cells = true;
    for (uint32_t key = 0; key < j->q->n_keys && status == KAN_OK; key++) {
        j->cell_of[key] = KAN_NO_KEY;
        if (!links(j, key))
            continue;
        for (size_t s = 0; s < n; s++)
            tuple[s] = j->groups[s].of_row[j->row[s][key]];
        status = kan_tuples_add(&j->cells, tuple, key, &cell);
        j->cell_of[key] = (uint32_t)cell;
        j->out->n_linked++;
        if (status == KAN_OK && key % KEYS_BETWEEN_CHECKS == 0)
            status = kan_check_cancel(j->run);
    }
    kan_free(j->run, tuple);
    j->out->n_cells = j->cells.n;
    return status;
}

static bool hides(const joining *j, uint64_t row) {
    return j->q->hides && j->q->hides[row];
}

/* One more row of those that are looked at together. */
static void join_value(const joining *j, size_t column, uint64_t row, uint32_t *value) {
    const kan_column *shown = &j->q->sides[0].table->columns[j->q->sensitive[column]];
    const uint32_t code = hides(j, row) ? UINT32_MAX : kan_column_code(shown, row) + 1;
    *value = *value == 0 || *value == code ? code : UINT32_MAX;
}

static void add_value(joining *j, size_t column, size_t cell, uint64_t row) {
    join_value(j, column, row, &j->value[column][cell]);
}

static kan_status fill_cells(joining *j) {
    KAN_TRY(kan_alloc_zero(j->run, j->cells.n, sizeof *j->crowd, &j->crowd));
    KAN_TRY(kan_alloc_zero(j->run, j->q->n_sensitive, sizeof *j->value, &j->value));
    for (size_t c = 0; c < j->q->n_sensitive; c++)
        KAN_TRY(kan_alloc_zero(j->run, j->cells.n, sizeof **j->value, &j->value[c]));
    for (uint32_t key = 0; key < j->q->n_keys; key++) {
        if (j->cell_of[key] == KAN_NO_KEY)
            continue;
        j->crowd[j->cell_of[key]]++;
        for (size_t c = 0; c < j->q->n_sensitive; c++)
            add_value(j, c, j->cell_of[key], j->row[0][key]);
    }
    return kan_check_cancel(j->run);
}

/* ---- keys that do not link ------------------------------------------------------------------------- */

static kan_status count_parts(joining *j) {
    size_t unused;
    kan_tuples_init(&j->parts, j->run, sizeof(part));
    j->has_parts = true;
    for (size_t s = 0; s < j->q->n_sides; s++) {
        const kan_join_side *side = &j->q->sides[s];
        for (uint64_t row = 0; row < side->table->n_rows; row++) {
            const uint32_t key = side->key_of[row];
            if (key == KAN_NO_KEY || j->cell_of[key] != KAN_NO_KEY || !may_link(j, key))
                continue;
            const part at = {(uint32_t)s, j->groups[s].of_row[row], key};
            KAN_TRY(kan_tuples_add(&j->parts, &at, row, &unused));
        }
        KAN_TRY(kan_check_cancel(j->run));
    }
    return KAN_OK;
}

/* Parts of the first side by their group. */
static kan_status list_parts(joining *j) {
    const size_t n = j->groups[0].n;
    KAN_TRY(kan_alloc_zero(j->run, n + 1, sizeof *j->part_start, &j->part_start));
    KAN_TRY(kan_alloc(j->run, j->parts.n, sizeof *j->part_list, &j->part_list));
    for (int fills = 0; fills < 2; fills++) {
        for (size_t i = 0; i < j->parts.n; i++) {
            part at;
            memcpy(&at, kan_tuples_at(&j->parts, i), sizeof at);
            if (at.side == 0 && fills)
                j->part_list[j->part_start[at.group]++] = i;
            else if (at.side == 0)
                j->part_start[at.group + 1]++;
        }
        for (size_t g = 0; g < n && !fills; g++)
            j->part_start[g + 1] += j->part_start[g];
    }
    memmove(j->part_start + 1, j->part_start, n * sizeof *j->part_start);
    j->part_start[0] = 0;
    return KAN_OK;
}

/* The least number of rows that any release has with the key in the group of the cell. */
static uint64_t least_rows(const joining *j, const uint32_t *groups, size_t first) {
    uint64_t least = j->parts.count[first];
    part at;
    memcpy(&at, kan_tuples_at(&j->parts, first), sizeof at);
    for (size_t s = 1; s < j->q->n_sides && least > 0; s++) {
        const part other = {(uint32_t)s, groups[s], at.key};
        size_t i;
        const uint64_t n = kan_tuples_find(&j->parts, &other, &i) ? j->parts.count[i] : 0;
        least = n < least ? n : least;
    }
    return least;
}

/* Rows of a key that does not link may show several values. */
static kan_status add_values(joining *j, const uint8_t *adds, size_t cell, uint32_t group,
                             const uint64_t *rows, const size_t *row_start) {
    for (size_t i = row_start[group]; i < row_start[group + 1]; i++)
        if (adds[j->q->sides[0].key_of[rows[i]]])
            for (size_t c = 0; c < j->q->n_sensitive; c++)
                add_value(j, c, cell, rows[i]);
    return KAN_OK;
}

/* Rows of the first side whose key does not link, by their group. */
static kan_status list_rows(const joining *j, uint64_t **rows, size_t **start) {
    const kan_join_side *side = &j->q->sides[0];
    const size_t n = j->groups[0].n;
    KAN_TRY(kan_alloc_zero(j->run, n + 1, sizeof **start, start));
    KAN_TRY(kan_alloc(j->run, (size_t)side->table->n_rows, sizeof **rows, rows));
    for (int fills = 0; fills < 2; fills++) {
        for (uint64_t row = 0; row < side->table->n_rows; row++) {
            const uint32_t key = side->key_of[row], group = j->groups[0].of_row[row];
            if (key == KAN_NO_KEY || j->cell_of[key] != KAN_NO_KEY)
                continue;
            if (fills)
                (*rows)[(*start)[group]++] = row;
            else
                (*start)[group + 1]++;
        }
        for (size_t g = 0; g < n && !fills; g++)
            (*start)[g + 1] += (*start)[g];
    }
    memmove(*start + 1, *start, n * sizeof **start);
    (*start)[0] = 0;
    return KAN_OK;
}

static kan_status add_parts(joining *j) {
    uint8_t *adds = NULL;
    uint64_t *rows = NULL;
    size_t *row_start = NULL;
    kan_status status;
    KAN_TRY_DONE(count_parts(j));
    if (j->parts.n == 0)
        return KAN_OK;
    KAN_TRY_DONE(list_parts(j));
    KAN_TRY_DONE(list_rows(j, &rows, &row_start));
    KAN_TRY_DONE(kan_alloc_zero(j->run, j->q->n_keys, sizeof *adds, &adds));
    for (size_t cell = 0; cell < j->cells.n; cell++) {
        const uint32_t *groups = kan_tuples_at(&j->cells, cell);
        const size_t first = j->part_start[groups[0]], end = j->part_start[groups[0] + 1];
        part at;
        for (size_t i = first; i < end; i++) {
            const uint64_t n = least_rows(j, groups, j->part_list[i]);
            memcpy(&at, kan_tuples_at(&j->parts, j->part_list[i]), sizeof at);
            adds[at.key] = n > 0;
            j->crowd[cell] += n;
        }
        KAN_TRY_DONE(add_values(j, adds, cell, groups[0], rows, row_start));
        for (size_t i = first; i < end; i++) {
            memcpy(&at, kan_tuples_at(&j->parts, j->part_list[i]), sizeof at);
            adds[at.key] = 0;
        }
        KAN_TRY_DONE(kan_check_cancel(j->run));
    }
done:
    kan_free(j->run, adds);
    kan_free(j->run, rows);
    kan_free(j->run, row_start);
    return status;
}

/* ---- what comes of it ------------------------------------------------------------------------------ */

static bool is_more_exposed(const kan_join_exposed *a, const kan_join_exposed *b) {
    return a->crowd != b->crowd ? a->crowd < b->crowd : a->row < b->row;
}

static void expose(kan_join *out, kan_join_exposed one) {
    size_t at = out->n_exposed;
    if (at == KAN_JOIN_MOST_EXPOSED && !is_more_exposed(&one, &out->exposed[at - 1]))
        return;
    out->n_exposed += at < KAN_JOIN_MOST_EXPOSED;
    for (at = out->n_exposed - 1; at > 0 && is_more_exposed(&one, &out->exposed[at - 1]); at--)
        out->exposed[at] = out->exposed[at - 1];
    out->exposed[at] = one;
}

static void count_people(joining *j) {
    kan_join *out = j->out;
    for (uint32_t key = 0; key < j->q->n_keys; key++) {
        const uint32_t cell = j->cell_of[key];
        if (cell == KAN_NO_KEY)
            continue;
        const uint64_t crowd = j->crowd[cell];
        out->smallest = out->smallest == 0 || crowd < out->smallest ? crowd : out->smallest;
        out->n_unique += crowd == 1;
        out->n_below += crowd < j->q->k;
        expose(out, (kan_join_exposed){j->row[0][key], crowd});
        for (size_t c = 0; c < j->q->n_sensitive; c++)
            out->certain[c] += j->value[c][cell] != UINT32_MAX;
    }
}

/* Of the groups of the first side, all of its rows counted. */
static kan_status count_alone(joining *j) {
    const kan_join_side *side = &j->q->sides[0];
    uint64_t *size = NULL;
    uint32_t *value = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(j->run, j->groups[0].n, sizeof *size, &size));
    KAN_TRY_DONE(kan_alloc(j->run, j->groups[0].n, sizeof *value, &value));
    for (uint64_t row = 0; row < side->table->n_rows; row++)
        size[j->groups[0].of_row[row]]++;
    for (uint32_t key = 0; key < j->q->n_keys; key++) {
        const bool is_found = j->cell_of[key] != KAN_NO_KEY && !hides(j, j->row[0][key]);
        const uint64_t n = is_found ? size[j->groups[0].of_row[j->row[0][key]]] : 0;
        j->out->n_unique_alone += n == 1;
        j->out->n_below_alone += n > 0 && n < j->q->k;
    }
    for (size_t c = 0; c < j->q->n_sensitive; c++) {
        memset(value, 0, j->groups[0].n * sizeof *value);
        for (uint64_t row = 0; row < side->table->n_rows; row++)
            join_value(j, c, row, &value[j->groups[0].of_row[row]]);
        for (uint32_t key = 0; key < j->q->n_keys; key++)
            if (j->cell_of[key] != KAN_NO_KEY)
                j->out->certain_alone[c] +=
                    value[j->groups[0].of_row[j->row[0][key]]] != UINT32_MAX;
    }
    status = kan_check_cancel(j->run);
done:
    kan_free(j->run, size);
    kan_free(j->run, value);
    return status;
}

static void joining_destroy(joining *j) {
    for (size_t s = 0; s < j->q->n_sides; s++) {
        kan_free(j->run, j->groups ? j->groups[s].of_row : NULL);
        kan_free(j->run, j->count ? j->count[s] : NULL);
        kan_free(j->run, j->row ? j->row[s] : NULL);
    }
    for (size_t c = 0; j->value && c < j->q->n_sensitive; c++)
        kan_free(j->run, j->value[c]);
    if (j->has_cells)
        kan_tuples_destroy(&j->cells);
    if (j->has_parts)
        kan_tuples_destroy(&j->parts);
    kan_free(j->run, j->groups);
    kan_free(j->run, j->count);
    kan_free(j->run, j->row);
    kan_free(j->run, j->cell_of);
    kan_free(j->run, j->crowd);
    kan_free(j->run, j->value);
    kan_free(j->run, j->part_start);
    kan_free(j->run, j->part_list);
}

kan_status kan_join_releases(kan_run *run, const kan_join_question *question, kan_join *out) {
    kan_join join = {.run = run};
    joining j = {.run = run, .q = question, .out = &join};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_sensitive, sizeof *join.certain, &join.certain));
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_sensitive, sizeof *join.certain_alone,
                                &join.certain_alone));
    KAN_TRY_DONE(make_groups(&j));
    KAN_TRY_DONE(count_keys(&j));
    KAN_TRY_DONE(make_cells(&j));
    KAN_TRY_DONE(fill_cells(&j));
    if (join.n_linked > 0)
        KAN_TRY_DONE(add_parts(&j));
    count_people(&j);
    KAN_TRY_DONE(count_alone(&j));
    *out = join;
done:
    joining_destroy(&j);
    if (status != KAN_OK)
        kan_join_destroy(&join);
    return status;
}

void kan_join_destroy(kan_join *join) {
    kan_free(join->run, join->certain);
    kan_free(join->run, join->certain_alone);
}

/* ---- keys of what rows show ------------------------------------------------------------------------- */

/* Codes of a column as those of the first table. */
static kan_status translate(kan_run *run, const kan_column *column, const kan_column *first,
                            uint32_t **out) {
    uint32_t *code_of;
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *code_of, &code_of));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        if (!kan_dictionary_find(&first->dictionary,
                                 kan_dictionary_value(&column->dictionary, code), &code_of[code]))
            code_of[code] = KAN_NO_KEY; /* nobody of the first shows it: it links nothing */
    *out = code_of;
    return KAN_OK;
}

static kan_status number_side(kan_run *run, const kan_join_columns *sides, size_t s,
                              size_t n_columns, kan_tuples *keys) {
    const kan_join_columns *side = &sides[s];
    uint32_t **code_of = NULL, *tuple = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, n_columns, sizeof *code_of, &code_of));
    KAN_TRY_DONE(kan_alloc(run, n_columns, sizeof *tuple, &tuple));
    for (size_t c = 0; c < n_columns; c++)
        KAN_TRY_DONE(translate(run, &side->table->columns[side->columns[c]],
                               &sides[0].table->columns[sides[0].columns[c]], &code_of[c]));
    for (uint64_t row = 0; row < side->table->n_rows; row++) {
        bool is_known = side->keys[row] != KAN_NO_KEY;
        size_t key = KAN_NO_KEY;
        for (size_t c = 0; c < n_columns && is_known; c++) {
            tuple[c] = code_of[c][kan_column_code(&side->table->columns[side->columns[c]], row)];
            is_known = tuple[c] != KAN_NO_KEY;
        }
        if (is_known && s == 0)
            KAN_TRY_DONE(kan_tuples_add(keys, tuple, row, &key));
        else if (is_known && !kan_tuples_find(keys, tuple, &key))
            key = KAN_NO_KEY;
        side->keys[row] = (uint32_t)key;
    }
    status = kan_check_cancel(run);
done:
    for (size_t c = 0; code_of && c < n_columns; c++)
        kan_free(run, code_of[c]);
    kan_free(run, code_of);
    kan_free(run, tuple);
    return status;
}

kan_status kan_join_number(kan_run *run, const kan_join_columns *sides, size_t n_sides,
                           size_t n_columns, uint32_t *n_keys) {
    kan_tuples keys;
    kan_status status = KAN_OK;
    kan_tuples_init(&keys, run, n_columns * sizeof(uint32_t));
    for (size_t s = 0; s < n_sides && status == KAN_OK; s++)
        status = number_side(run, sides, s, n_columns, &keys);
    *n_keys = (uint32_t)keys.n;
    kan_tuples_destroy(&keys);
    return status;
}
