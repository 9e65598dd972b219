/* Parts: rows whose people have the same tree, and so have all rows on the way to them. Texts are sorted
 * and numbered, then pairs of the number of the part above and that of the own text. */
#include <stdlib.h>

#include "analyze/forest/forest_inside.h"

typedef struct {
    uint64_t above, text, row;
} place;

static int compare_places(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->above != y->above)
        return x->above < y->above ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

/* Equal texts of a table get one number. */
static void number_texts(kan_forest_written *rows, uint64_t n, place *places) {
    uint64_t number = 0;
    qsort(rows, (size_t)n, sizeof *rows, kan_forest_compare_texts);
    for (uint64_t i = 0; i < n; i++) {
        number += i > 0 && kan_forest_compare_texts(&rows[i - 1], &rows[i]) != 0;
        places[rows[i].row].text = number;
    }
}

static kan_status number_table(kan_forest_writer *w, size_t t, uint64_t *const *part_of) {
    const kan_forest *forest = w->forest;
    const uint64_t n = forest->tables[t].table->n_rows;
    uint64_t number = 0;
    place *places;
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof *places, &places));
    for (uint64_t row = 0; row < n; row++)
        places[row] = (place){
            t > 0 ? part_of[forest->tables[t].parent][forest->parent_row[t][row]] : 0, 0, row};
    number_texts(w->rows[t], n, places);
    qsort(places, (size_t)n, sizeof *places, compare_places);
    for (uint64_t i = 0; i < n; i++) {
        number += i > 0 && compare_places(&places[i - 1], &places[i]) != 0;
        part_of[t][places[i].row] = number;
    }
    kan_free(forest->run, places);
    return kan_check_cancel(forest->run);
}

kan_status kan_forest_find_parts(const kan_forest *forest, uint64_t *const *part_of) {
    kan_forest_writer w;
    kan_status status = kan_forest_write(forest, &w);
    for (size_t t = 0; t < forest->n && status == KAN_OK; t++)
        status = number_table(&w, t, part_of);
    kan_forest_writer_destroy(&w);
    return status;
}
