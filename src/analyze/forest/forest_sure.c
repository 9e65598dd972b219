/* How sure a release makes somebody of a value. */
#include <stdlib.h>

#include "analyze/forest/forest.h"

/* A person has a value in a part of her tree. */
typedef struct {
    uint64_t part, person;
    uint32_t code;
} held;

static int compare_people(const void *a, const void *b) {
    const held *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->person > y->person) - (x->person < y->person);
}

static int compare_values(const void *a, const void *b) {
    const held *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return compare_people(a, b);
}

/* Different people of a stretch in which those of one person follow each other. */
static uint64_t count_people(const held *list, uint64_t n) {
    uint64_t n_people = n > 0;
    for (uint64_t i = 1; i < n; i++)
        n_people += list[i].person != list[i - 1].person;
    return n_people;
}

static double part_share(held *list, uint64_t n) {
    const double n_people = (double)count_people(list, n);
    uint64_t most = 0;
    qsort(list, (size_t)n, sizeof *list, compare_values);
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].code == list[i].code; end++)
            ;
        const uint64_t n_with = count_people(list + i, end - i);
        most = n_with > most ? n_with : most;
    }
    return (double)most / n_people;
}

kan_status kan_forest_sure(const kan_forest *forest, size_t table, size_t column,
                           const size_t *same_as, const uint64_t *part_of, double *out) {
    const kan_column *values = &forest->tables[table].table->columns[column];
    const uint64_t n = forest->tables[table].table->n_rows;
    held *list;
    KAN_TRY(kan_alloc(forest->run, (size_t)n, sizeof *list, &list));
    for (uint64_t row = 0; row < n; row++)
        list[row] = (held){part_of[row], forest->person_of[table][row],
                           (uint32_t)same_as[kan_column_code(values, row)]};
    qsort(list, (size_t)n, sizeof *list, compare_people);
    *out = 0;
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].part == list[i].part; end++)
            ;
        const double share = part_share(list + i, end - i);
        *out = share > *out ? share : *out;
    }
    kan_free(forest->run, list);
    return KAN_OK;
}
