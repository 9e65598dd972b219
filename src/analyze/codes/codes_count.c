/* Who has which sets of codes: each set written down for each cell, and sorted. */
#include <stdlib.h>
#include <string.h>

#include "analyze/codes/codes_inside.h"

typedef struct {
    kan_run *run;
    const kan_code_sets *release;
    uint64_t k;
    unsigned known;
    kan_label_covers covers;
    kan_arena arena;
    uint64_t *people; /* by cell: rows that have it */
    uint64_t *first;  /* by cell: the first of these */
    /* Labels that somebody shows, in order, and the classes of codes that each covers. */
    kan_slice *labels;
    uint32_t n_labels;
    uint32_t *class_of; /* by leaf; 0: nothing shown covers it */
    uint32_t n_classes;
    /* Classes of each cell, ascending, each once: classes[start[cell] .. start[cell + 1]). */
    uint64_t *start;
    uint32_t *classes;
    /* Sets that begin with one class: `known` classes each, UINT32_MAX behind the last, and the cell. */
    uint32_t *sets;
    size_t n_sets, capacity;
    uint32_t set[KAN_CODE_SETS_KNOWN_MOST];
    kan_code_sets_recount *out;
} counter;

static const kan_dictionary *cells(const counter *c) {
    return &c->release->column->dictionary;
}

static int compare_slices(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

/* ---- labels --------------------------------------------------------------------------------- */

static kan_status count_cells(counter *c) {
    KAN_TRY(kan_arena_alloc(&c->arena, cells(c)->n, sizeof *c->people, &c->people));
    KAN_TRY(kan_arena_alloc(&c->arena, cells(c)->n, sizeof *c->first, &c->first));
    memset(c->people, 0, cells(c)->n * sizeof *c->people);
    for (uint64_t row = 0; row < c->release->column->n_rows; row++) {
        const uint32_t cell = kan_column_code(c->release->column, row);
        if (c->people[cell]++ == 0)
            c->first[cell] = row;
    }
    return KAN_OK;
}

/* All labels of cells that somebody has, each once. */
static kan_status list_labels(counter *c) {
    kan_slice rest, label;
    size_t n = 0, kept = 0;
    for (uint32_t cell = 0; cell < cells(c)->n; cell++)
        for (rest = kan_dictionary_value(cells(c), cell);
             kan_code_sets_next(&rest, c->release->separator, &label);)
            n++;
    KAN_TRY(kan_arena_alloc(&c->arena, n, sizeof *c->labels, &c->labels));
    n = 0;
    for (uint32_t cell = 0; cell < cells(c)->n; cell++)
        for (rest = kan_dictionary_value(cells(c), cell);
             c->people[cell] > 0 && kan_code_sets_next(&rest, c->release->separator, &label);)
            c->labels[n++] = label;
    qsort(c->labels, n, sizeof *c->labels, compare_slices);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !kan_slice_equal(c->labels[i], c->labels[i - 1]))
            c->labels[kept++] = c->labels[i];
    c->n_labels = (uint32_t)kept;
    return KAN_OK;
}

/* The row of the first cell with a label that nothing explains. */
static void find_foreign(counter *c) {
    kan_slice rest, label;
    for (uint64_t row = 0; row < c->release->column->n_rows && !c->out->is_foreign; row++)
        for (rest = kan_column_value(c->release->column, row);
             kan_code_sets_next(&rest, c->release->separator, &label);) {
            size_t from, to;
            kan_label_covers_find(&c->covers, label, &from, &to);
            if (from < to)
                continue;
            c->out->is_foreign = true;
            c->out->foreign_row = row;
            c->out->foreign = label;
            break;
        }
}

/* ---- classes -------------------------------------------------------------------------------- */

/* A class while labels divide them. */
typedef struct {
    uint32_t n_codes, n_hit; /* of these the label covers */
    uint32_t part;           /* the class of those that it covers; 0: none was made */
} code_class;

static void divide_classes(counter *c, code_class *classes, uint32_t *touched, kan_slice label) {
    size_t from, to;
    uint32_t n_touched = 0;
    kan_label_covers_find(&c->covers, label, &from, &to);
    for (size_t i = from; i < to; i++) {
        const uint32_t own = c->class_of[c->covers.all[i].leaf];
        if (classes[own].n_hit++ == 0)
            touched[n_touched++] = own;
    }
    for (size_t i = from; i < to; i++) {
        uint32_t *own = &c->class_of[c->covers.all[i].leaf];
        code_class *before = &classes[*own];
        if (before->n_hit == before->n_codes)
            continue;
        if (before->part == 0) {
            before->part = c->n_classes;
            classes[c->n_classes++] = (code_class){.n_codes = before->n_hit};
        }
        *own = before->part;
    }
    for (uint32_t i = 0; i < n_touched; i++) {
        code_class *before = &classes[touched[i]];
        if (before->part > 0)
            before->n_codes -= before->n_hit;
        before->n_hit = before->part = 0;
    }
}

/* Codes that the same labels cover. Class 0 is of those that none covers, and has one more than there
 * are, so that it is never another. */
static kan_status make_classes(counter *c) {
    const uint32_t n_leaves = c->release->hierarchy->n_codes;
    code_class *classes;
    uint32_t *touched;
    KAN_TRY(kan_arena_alloc(&c->arena, (size_t)n_leaves + 1, sizeof *classes, &classes));
    KAN_TRY(kan_arena_alloc(&c->arena, (size_t)n_leaves + 1, sizeof *touched, &touched));
    KAN_TRY(kan_arena_alloc(&c->arena, n_leaves, sizeof *c->class_of, &c->class_of));
    memset(c->class_of, 0, n_leaves * sizeof *c->class_of);
    classes[0] = (code_class){.n_codes = n_leaves + 1};
    c->n_classes = 1;
    for (uint32_t l = 0; l < c->n_labels; l++)
        divide_classes(c, classes, touched, c->labels[l]);
    return KAN_OK;
}

static int compare_classes(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The classes that the labels of a cell cover, into `out`, or only counted where that is NULL. */
static uint64_t classes_of(const counter *c, uint32_t cell, uint32_t *out) {
    kan_slice rest = kan_dictionary_value(cells(c), cell), label;
    uint64_t n = 0, kept = 0;
    while (kan_code_sets_next(&rest, c->release->separator, &label)) {
        size_t from, to;
        kan_label_covers_find(&c->covers, label, &from, &to);
        for (size_t i = from; i < to; i++, n++)
            if (out)
                out[n] = c->class_of[c->covers.all[i].leaf];
    }
    if (!out)
        return n;
    qsort(out, (size_t)n, sizeof *out, compare_classes);
    for (uint64_t i = 0; i < n; i++)
        if (i == 0 || out[i] != out[i - 1])
            out[kept++] = out[i];
    return kept;
}

static kan_status list_classes(counter *c) {
    uint64_t most = 0, total = 0;
    uint32_t *room;
    KAN_TRY(kan_arena_alloc(&c->arena, (size_t)cells(c)->n + 1, sizeof *c->start, &c->start));
    for (uint32_t cell = 0; cell < cells(c)->n; cell++) {
        const uint64_t n = classes_of(c, cell, NULL);
        most = n > most ? n : most;
    }
    KAN_TRY(kan_arena_alloc(&c->arena, (size_t)most, sizeof *room, &room));
    for (uint32_t cell = 0; cell < cells(c)->n; cell++)
        total += c->people[cell] > 0 ? classes_of(c, cell, room) : 0;
    KAN_TRY(kan_arena_alloc(&c->arena, (size_t)total, sizeof *c->classes, &c->classes));
    total = 0;
    for (uint32_t cell = 0; cell < cells(c)->n; cell++) {
        c->start[cell] = total;
        const uint64_t n = c->people[cell] > 0 ? classes_of(c, cell, room) : 0;
        if (n > 0)
            memcpy(c->classes + total, room, (size_t)n * sizeof *room);
        total += n;
    }
    c->start[cells(c)->n] = total;
    return KAN_OK;
}

/* ---- sets ----------------------------------------------------------------------------------- */

static kan_status add_set(counter *c, unsigned size, uint32_t cell) {
    const size_t stride = c->known + 1;
    KAN_TRY(kan_reserve(c->run, (c->n_sets + 1) * stride, sizeof *c->sets, &c->capacity, &c->sets));
    uint32_t *to = c->sets + c->n_sets++ * stride;
    for (unsigned i = 0; i < c->known; i++)
        to[i] = i < size ? c->set[i] : UINT32_MAX;
    to[c->known] = cell;
    return KAN_OK;
}

/* All sets of a cell that begin with the first `size` classes of c->set, and go on from `at`. */
static kan_status add_sets(counter *c, unsigned size, uint32_t cell, uint64_t at) {
    KAN_TRY(add_set(c, size, cell));
    for (; size < c->known && at < c->start[cell + 1]; at++) {
        c->set[size] = c->classes[at];
        KAN_TRY(add_sets(c, size + 1, cell, at + 1));
    }
    return KAN_OK;
}

static int compare_sets(const void *a, const void *b, void *known) {
    const uint32_t *x = a, *y = b;
    for (unsigned i = 0; i <= *(const unsigned *)known; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void judge(counter *c, uint64_t n_people, unsigned size, uint64_t row) {
    kan_code_sets_recount *out = c->out;
    if (out->fewest == 0 || n_people < out->fewest)
        out->fewest = n_people;
    if (n_people >= c->k)
        return;
    if (out->n_rare++ == 0 || row < out->rare_row) {
        out->rare_row = row;
        out->rare_size = size;
    }
}

static unsigned size_of(const counter *c, const uint32_t *set) {
    unsigned size = 0;
    while (size < c->known && set[size] != UINT32_MAX)
        size++;
    return size;
}

/* Runs of equal sets. */
static void count_sets(counter *c) {
    const size_t stride = c->known + 1;
    qsort_r(c->sets, c->n_sets, stride * sizeof *c->sets, compare_sets, &c->known);
    for (size_t i = 0, end; i < c->n_sets; i = end) {
        const uint32_t *set = c->sets + i * stride;
        uint64_t n_people = 0, row = UINT64_MAX;
        for (end = i;
             end < c->n_sets && memcmp(c->sets + end * stride, set, c->known * sizeof *set) == 0;
             end++) {
            const uint32_t cell = c->sets[end * stride + c->known];
            n_people += c->people[cell];
            row = c->first[cell] < row ? c->first[cell] : row;
        }
        c->out->n_sets++;
        judge(c, n_people, size_of(c, set), row);
    }
}

/* Sets by their first class, so that not all of them have to be there at once. */
static kan_status count_all(counter *c) {
    uint64_t *at;
    const uint32_t n = cells(c)->n;
    KAN_TRY(kan_arena_alloc(&c->arena, n, sizeof *at, &at));
    if (n > 0)
        memcpy(at, c->start, n * sizeof *at);
    if (c->out->n_people > 0)
        judge(c, c->out->n_people, 0, 0);
    for (uint32_t first = 1; first < c->n_classes; first++) {
        KAN_TRY(kan_check_cancel(c->run));
        c->n_sets = 0;
        for (uint32_t cell = 0; cell < n; cell++) {
            if (at[cell] == c->start[cell + 1] || c->classes[at[cell]] != first)
                continue;
            c->set[0] = first;
            at[cell]++;
            KAN_TRY(add_sets(c, 1, cell, at[cell]));
        }
        count_sets(c);
    }
    return KAN_OK;
}

kan_status kan_code_sets_count(kan_run *run, const kan_code_sets *release, uint64_t k,
                               unsigned known, kan_code_sets_recount *out) {
    kan_status status;
    counter c = {.run = run, .release = release, .k = k, .known = known, .out = out};
    KAN_ASSERT(known >= 1 && known <= KAN_CODE_SETS_KNOWN_MOST);
    *out = (kan_code_sets_recount){.n_people = release->column->n_rows};
    kan_arena_init(&c.arena, run);
    KAN_TRY_DONE(kan_label_covers_make(run, release->hierarchy, &c.covers));
    find_foreign(&c);
    if (out->is_foreign)
        goto done;
    KAN_TRY_DONE(count_cells(&c));
    KAN_TRY_DONE(list_labels(&c));
    KAN_TRY_DONE(make_classes(&c));
    KAN_TRY_DONE(list_classes(&c));
    KAN_TRY_DONE(count_all(&c));
done:
    kan_label_covers_destroy(&c.covers);
    kan_free(run, c.sets);
    kan_arena_destroy(&c.arena);
    return status;
}
