/* Trees as texts, counted by sorting them. */
#include <stdlib.h>

#include "analyze/forest/forest_inside.h"

typedef kan_forest_written written;
typedef kan_forest_writer writer;

static int compare_texts(const written *x, const written *y) {
    return kan_slice_compare((kan_slice){x->bytes, x->size}, (kan_slice){y->bytes, y->size});
}

static int compare_written(const void *a, const void *b) {
    const written *x = a, *y = b;
    return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : compare_texts(x, y);
}

int kan_forest_compare_texts(const void *a, const void *b) {
    return compare_texts(a, b);
}

/* Sizes stand before texts, so that no text can be read in two ways. */
static void add_sized(kan_text *to, const char *bytes, size_t size) {
    const uint64_t width = size;
    kan_text_add(to, (const char *)&width, sizeof width);
    kan_text_add(to, bytes, size);
}

/* The children of a row in one table are a stretch of that table's rows; *at is where it begins. */
static void add_children(writer *w, kan_text *to, size_t table, uint64_t row, uint64_t *at) {
    const written *rows = w->rows[table];
    const uint64_t n = w->forest->tables[table].table->n_rows;
    uint64_t end = *at;
    while (end < n && rows[end].parent == row)
        end++;
    const uint64_t count = end - *at;
    kan_text_add(to, (const char *)&count, sizeof count);
    for (; *at < end; ++*at)
        add_sized(to, rows[*at].bytes, rows[*at].size);
}

static kan_status write_table(writer *w, size_t t) {
    const kan_forest *forest = w->forest;
    const kan_forest_table *table = &forest->tables[t];
    const uint64_t n = table->table->n_rows;
    kan_text *to = &w->texts[t];
    uint64_t at[KAN_FOREST_TABLES] = {0};
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof(written), &w->rows[t]));
    for (uint64_t row = 0; row < n; row++) {
        written *made = &w->rows[t][row];
        *made = (written){
            .parent = t > 0 ? forest->parent_row[t][row] : 0, .row = row, .begin = to->size};
        for (size_t c = 0; c < table->n_quasi; c++) {
            const kan_slice value = kan_column_value(&table->table->columns[table->quasi[c]], row);
            add_sized(to, value.bytes, value.size);
        }
        for (size_t below = t + 1; below < forest->n; below++)
            if (forest->tables[below].parent == t)
                add_children(w, to, below, row, &at[below]);
        made->size = to->size - made->begin;
    }
    KAN_TRY(kan_text_status(to));
    for (uint64_t row = 0; row < n; row++)
        w->rows[t][row].bytes = to->bytes ? to->bytes + w->rows[t][row].begin : "";
    if (t > 0)
        qsort(w->rows[t], (size_t)n, sizeof(written), compare_written);
    return kan_check_cancel(forest->run);
}

uint64_t kan_forest_band_least(uint64_t k, size_t band) {
    return band == 0 ? 1 : k > UINT64_MAX >> (band - 1) ? UINT64_MAX : k << (band - 1);
}

static size_t band_of(uint64_t size, uint64_t k) {
    size_t band = 0;
    while (band + 1 < KAN_FOREST_BANDS && size >= kan_forest_band_least(k, band + 1))
        band++;
    return band;
}

/* The people in the order of their trees, and where those end who have the tree of the i-th. */
static written *sort_people(const writer *w) {
    qsort(w->rows[0], (size_t)w->forest->tables[0].table->n_rows, sizeof(written),
          kan_forest_compare_texts);
    return w->rows[0];
}

static uint64_t end_of_tree(const written *people, uint64_t n, uint64_t i) {
    uint64_t end = i + 1;
    while (end < n && compare_texts(&people[i], &people[end]) == 0)
        end++;
    return end;
}

static void count(const writer *w, uint64_t k, kan_forest_recount *out) {
    const written *people = sort_people(w);
    const uint64_t n = w->forest->tables[0].table->n_rows;
    *out = (kan_forest_recount){.n_people = n, .first_rare = UINT64_MAX};
    for (uint64_t i = 0, end; i < n; i = end) {
        end = end_of_tree(people, n, i);
        out->n_trees++;
        out->trees_of[band_of(end - i, k)]++;
        out->people_of[band_of(end - i, k)] += end - i;
        out->fewest = out->fewest == 0 || end - i < out->fewest ? end - i : out->fewest;
        if (end - i >= k)
            continue;
        out->n_rare += end - i;
        for (uint64_t j = i; j < end; j++)
            out->first_rare = people[j].row < out->first_rare ? people[j].row : out->first_rare;
    }
}

kan_status kan_forest_write(const kan_forest *forest, kan_forest_writer *out) {
    *out = (writer){.forest = forest};
    for (size_t t = 0; t < forest->n; t++)
        kan_text_init(&out->texts[t], forest->run);
    for (size_t t = forest->n; t-- > 0;)
        KAN_TRY(write_table(out, t));
    return KAN_OK;
}

void kan_forest_writer_destroy(kan_forest_writer *w) {
    for (size_t t = 0; t < w->forest->n; t++) {
        kan_text_destroy(&w->texts[t]);
        kan_free(w->forest->run, w->rows[t]);
    }
}

kan_status kan_forest_count(const kan_forest *forest, uint64_t k, kan_forest_recount *out) {
    writer w;
    const kan_status status = kan_forest_write(forest, &w);
    if (status == KAN_OK)
        count(&w, k, out);
    kan_forest_writer_destroy(&w);
    return status;
}

kan_status kan_forest_sizes(const kan_forest *forest, uint64_t *sizes, size_t *n) {
    const uint64_t n_people = forest->tables[0].table->n_rows;
    writer w;
    const kan_status status = kan_forest_write(forest, &w);
    *n = 0;
    if (status == KAN_OK) {
        const written *people = sort_people(&w);
        for (uint64_t i = 0, end; i < n_people; i = end) {
            end = end_of_tree(people, n_people, i);
            sizes[(*n)++] = end - i;
        }
    }
    kan_forest_writer_destroy(&w);
    return status;
}
