/* The groups of each table by itself: rows that show the same, of whomever they are. Texts are sorted, and
 * people of a group follow each other. */
#include <stdlib.h>

#include "analyze/forest/forest_inside.h"

typedef struct {
    kan_slice text;
    uint64_t person, row;
} shown;

static int compare_shown(const void *a, const void *b) {
    const shown *x = a, *y = b;
    const int order = kan_slice_compare(x->text, y->text);
    return order != 0 ? order : (x->person > y->person) - (x->person < y->person);
}

/* What each row shows, by itself: as texts with their sizes. */
static kan_status write_rows(const kan_forest *forest, size_t t, kan_text *to, shown *rows) {
    const kan_forest_table *table = &forest->tables[t];
    const uint64_t n = table->table->n_rows;
    for (uint64_t row = 0; row < n; row++) {
        const size_t begin = to->size;
        for (size_t c = 0; c < table->n_quasi; c++) {
            const kan_slice value = kan_column_value(&table->table->columns[table->quasi[c]], row);
            const uint64_t size = value.size;
            kan_text_add(to, (const char *)&size, sizeof size);
            kan_text_add(to, value.bytes, value.size);
        }
        rows[row] = (shown){{NULL, to->size - begin}, forest->person_of[t][row], row};
    }
    KAN_TRY(kan_text_status(to));
    const char *at = to->bytes ? to->bytes : "";
    for (uint64_t row = 0; row < n; row++) {
        rows[row].text.bytes = at;
        at += rows[row].text.size;
    }
    return KAN_OK;
}

/* A stretch of sorted rows that show the same. */
typedef struct {
    uint64_t end, n_people, first; /* the first of its rows in the table */
} stretch;

static stretch find_stretch(const shown *rows, uint64_t n, uint64_t begin) {
    stretch found = {.end = begin, .first = rows[begin].row};
    for (uint64_t i = begin; i < n && kan_slice_equal(rows[begin].text, rows[i].text); i++) {
        found.n_people += i == begin || rows[i].person != rows[i - 1].person;
        found.first = rows[i].row < found.first ? rows[i].row : found.first;
        found.end = i + 1;
    }
    return found;
}

/* The rows of a table in the order of what they show; `text` holds that. */
static kan_status sort_rows(const kan_forest *forest, size_t t, kan_text *text, shown **out) {
    const size_t n = (size_t)forest->tables[t].table->n_rows;
    KAN_TRY(kan_alloc(forest->run, n, sizeof **out, out));
    KAN_TRY(write_rows(forest, t, text, *out));
    qsort(*out, n, sizeof **out, compare_shown);
    return kan_check_cancel(forest->run);
}

/* Asks something of each group of a table. */
typedef void (*asker)(const shown *rows, uint64_t begin, const stretch *group, size_t t,
                      void *user);

static kan_status ask_groups(const kan_forest *forest, size_t t, asker ask, void *user) {
    const uint64_t n = forest->tables[t].table->n_rows;
    kan_text text;
    shown *rows = NULL;
    kan_text_init(&text, forest->run);
    const kan_status status = sort_rows(forest, t, &text, &rows);
    for (uint64_t i = 0; status == KAN_OK && i < n;) {
        const stretch group = find_stretch(rows, n, i);
        ask(rows, i, &group, t, user);
        i = group.end;
    }
    kan_text_destroy(&text);
    kan_free(forest->run, rows);
    return status;
}

/* ---- how many there are --------------------------------------------------------------------- */

typedef struct {
    uint64_t k;
    kan_forest_groups *out;
} counter;

static void count_group(const shown *rows, uint64_t begin, const stretch *group, size_t t,
                        void *user) {
    const counter *c = user;
    kan_forest_groups *out = c->out;
    (void)rows;
    (void)begin;
    out->n_groups++;
    out->fewest = out->fewest == 0 || group->n_people < out->fewest ? group->n_people : out->fewest;
    if (group->n_people >= c->k)
        return;
    if (out->n_small++ == 0 || (out->table == t && group->first < out->row)) {
        out->table = t;
        out->row = group->first;
    }
}

kan_status kan_forest_count_groups(const kan_forest *forest, uint64_t k, kan_forest_groups *out) {
    counter c = {k, out};
    *out = (kan_forest_groups){.n_groups = 0};
    for (size_t t = 0; t < forest->n; t++)
        KAN_TRY(ask_groups(forest, t, count_group, &c));
    return KAN_OK;
}

/* ---- whom the smallest are of --------------------------------------------------------------- */

static void note_group(const shown *rows, uint64_t begin, const stretch *group, size_t t,
                       void *user) {
    uint64_t *fewest = user;
    (void)t;
    for (uint64_t i = begin; i < group->end; i++) {
        uint64_t *of = &fewest[rows[i].person];
        *of = group->n_people < *of ? group->n_people : *of;
    }
}

kan_status kan_forest_nearest(const kan_forest *forest, uint64_t *fewest) {
    for (uint64_t p = 0; p < forest->tables[0].table->n_rows; p++)
        fewest[p] = UINT64_MAX; /* each has a row in the table of people */
    for (size_t t = 0; t < forest->n; t++)
        KAN_TRY(ask_groups(forest, t, note_group, fewest));
    return KAN_OK;
}
