/* Who is hidden: by each earlier release, and each column that its groups showed, which values a label may stand for
 * is read as a stranger reads it (analyze/cover). A cell takes a newcomer in when each of its earlier groups does. */
#include "analyze/over_time/newcomers.h"

#include <string.h>

#include "analyze/cover/cover.h"

/* A column of an earlier release. */
typedef struct {
    const kan_column *shown;    /* by group of it */
    const kan_column *original; /* the newcomers' values */
    uint8_t *covers;            /* by code of both; NULL: it cannot be read, and * alone covers */
} label_column;

typedef struct {
    kan_run *run;
    const kan_newcomers_question *question;
    kan_table *tables;     /* by release: what its groups showed, a row for each */
    label_column *columns; /* release after release */
    size_t *start;         /* by release, and one more */
    uint64_t *group_of;    /* by row: the group of the new release */
    size_t n_groups;
    kan_tuples cells; /* of a group and a trace */
    uint8_t *is_open; /* by group: a newcomer of it is not hidden */
} newcomers;

/* ---- labels ----------------------------------------------------------------------------------- */

static const kan_over_time_value *find_value(const kan_over_time_hidden *hidden, const char *name) {
    for (size_t i = 0; i < hidden->n_values; i++)
        if (strcmp(hidden->values[i].name, name) == 0)
            return &hidden->values[i];
    return NULL;
}

/* The texts of a column, one after the other. */
static kan_status lay_out(kan_run *run, const kan_over_time_label_column *from, size_t n_groups,
                          kan_column *out) {
    kan_dictionary *texts = &out->dictionary;
    size_t n_bytes = 0;
    *out = (kan_column){.name = from->name,
                        .is_encoded = true,
                        .width = sizeof *from->codes,
                        .codes = (void *)(uintptr_t)from->codes, /* borrowed */
                        .n_rows = n_groups};
    texts->type = KAN_TYPE_TEXT;
    texts->n = from->n_texts;
    for (uint32_t i = 0; i < from->n_texts; i++)
        n_bytes += from->texts[i].size;
    KAN_TRY(kan_alloc(run, n_bytes, 1, &texts->bytes));
    KAN_TRY(kan_alloc(run, (size_t)from->n_texts + 1, sizeof *texts->start, &texts->start));
    n_bytes = 0;
    for (uint32_t i = 0; i < from->n_texts; i++) {
        texts->start[i] = n_bytes;
        memcpy(texts->bytes + n_bytes, from->texts[i].bytes, from->texts[i].size);
        n_bytes += from->texts[i].size;
    }
    texts->start[from->n_texts] = n_bytes;
    return KAN_OK;
}

static kan_status make_table(kan_run *run, const kan_over_time_labels *labels, kan_table *out) {
    out->n_rows = labels->n_groups;
    out->n_columns = labels->are_known ? labels->n_columns : 0;
    KAN_TRY(kan_alloc_zero(run, out->n_columns, sizeof *out->columns, &out->columns));
    for (size_t c = 0; c < out->n_columns; c++)
        KAN_TRY(lay_out(run, &labels->columns[c], labels->n_groups, &out->columns[c]));
    return KAN_OK;
}

static void destroy_table(kan_run *run, kan_table *table) {
    for (size_t c = 0; table->columns && c < table->n_columns; c++) {
        kan_free(run, table->columns[c].dictionary.bytes);
        kan_free(run, table->columns[c].dictionary.start);
    }
    kan_free(run, table->columns);
}

static kan_status read_column(newcomers *n, const kan_table *shown, size_t at, label_column *out) {
    const kan_over_time_hidden *hidden = n->question->over_time->hidden;
    const kan_over_time_value *value = find_value(hidden, shown->columns[at].name);
    kan_covered_values values;
    out->shown = &shown->columns[at];
    if (!value)
        return KAN_OK;
    const kan_cover_pair pair = {at, value->column, value->hierarchy};
    const kan_cover_question question = {
        .release = shown, .original = hidden->original, .reads_intervals = true};
    out->original = &hidden->original->columns[value->column];
    const size_t n_labels = out->shown->dictionary.n, n_values = out->original->dictionary.n;
    KAN_TRY(kan_cover_list_values(n->run, &question, &pair, &values));
    const kan_status status = kan_alloc_zero(n->run, n_labels * n_values, 1, &out->covers);
    for (size_t label = 0; label < n_labels && status == KAN_OK; label++)
        for (size_t i = values.start[label]; i < values.start[label + 1]; i++)
            out->covers[label * n_values + values.codes[i]] = 1;
    kan_covered_values_destroy(&values);
    return status;
}

static kan_status read_labels(newcomers *n) {
    const kan_over_time_question *q = n->question->over_time;
    const size_t n_releases = q->earlier->n_releases;
    size_t n_columns = 0;
    KAN_TRY(kan_alloc_zero(n->run, n_releases + 1, sizeof *n->start, &n->start));
    KAN_TRY(kan_alloc_zero(n->run, n_releases, sizeof *n->tables, &n->tables));
    for (size_t r = 0; r < n_releases; r++) {
        KAN_TRY(make_table(n->run, &q->hidden->shown[r], &n->tables[r]));
        n_columns += n->tables[r].n_columns;
        n->start[r + 1] = n_columns;
    }
    KAN_TRY(kan_alloc_zero(n->run, n_columns, sizeof *n->columns, &n->columns));
    for (size_t r = 0; r < n_releases; r++)
        for (size_t i = n->start[r]; i < n->start[r + 1]; i++)
            KAN_TRY(read_column(n, &n->tables[r], i - n->start[r], &n->columns[i]));
    return KAN_OK;
}

static bool label_covers(const label_column *column, uint64_t group, uint64_t original) {
    const uint32_t label = kan_column_code(column->shown, group);
    if (!column->covers)
        return kan_slice_is(kan_dictionary_value(&column->shown->dictionary, label), "*");
    return column->covers[(size_t)label * column->original->dictionary.n +
                          kan_column_code(column->original, original)];
}

/* Whether the groups of a trace would take in the person of a row. */
static bool takes_in(const newcomers *n, uint32_t trace, uint64_t row) {
    const kan_over_time_question *q = n->question->over_time;
    const uint32_t *groups = kan_tuples_at(n->question->traces, trace - 1);
    const uint64_t original = q->hidden->row_of[row];
    for (size_t r = 0; r < q->earlier->n_releases; r++) {
        if (groups[r] != 0 && !q->hidden->shown[r].are_known)
            return false;
        for (size_t i = n->start[r]; groups[r] != 0 && i < n->start[r + 1]; i++) {
            if (!label_covers(&n->columns[i], groups[r] - 1, original))
                return false;
        }
    }
    return true;
}

/* ---- groups ----------------------------------------------------------------------------------- */

static kan_status take_groups(void *context, uint64_t row, size_t n_rows, const size_t *groups) {
    newcomers *n = context;
    size_t unused;
    for (size_t i = 0; i < n_rows; i++) {
        const uint64_t cell[2] = {groups[i], n->question->trace_of[row + i]};
        n->group_of[row + i] = groups[i];
        KAN_TRY(kan_tuples_add(&n->cells, cell, row + i, &unused));
    }
    return KAN_OK;
}

static kan_status group_rows(newcomers *n) {
    const kan_models_question *release = n->question->over_time->release;
    const kan_recount_follower follower = {take_groups, n};
    kan_recount_groups groups = {.tuples = {.run = n->run}};
    KAN_TRY(kan_alloc(n->run, (size_t)release->release->n_rows, sizeof *n->group_of, &n->group_of));
    const kan_status status = kan_recount_group(n->run, release->release, release->quasi,
                                                release->n_quasi, &follower, &groups);
    n->n_groups = groups.tuples.n;
    kan_tuples_destroy(&groups.tuples);
    return status;
}

/* Whether a cell of k people, who were there before, takes her in. Cells of a group are in `first` and
 * `next`. */
static bool is_hidden(const newcomers *n, const size_t *first, const size_t *next, uint64_t row) {
    const uint64_t k = n->question->over_time->release->claim->k;
    for (size_t c = first[n->group_of[row]]; c != SIZE_MAX; c = next[c]) {
        const uint64_t *cell = kan_tuples_at(&n->cells, c);
        if (cell[1] != 0 && n->cells.count[c] >= k && takes_in(n, (uint32_t)cell[1], row))
            return true;
    }
    return false;
}

static kan_status look(newcomers *n) {
    const uint64_t n_rows = n->question->over_time->release->release->n_rows;
    size_t *first = NULL, *next = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(n->run, n->n_groups, sizeof *first, &first));
    KAN_TRY_DONE(kan_alloc(n->run, n->cells.n, sizeof *next, &next));
    KAN_TRY_DONE(kan_alloc_zero(n->run, n->n_groups, 1, &n->is_open));
    memset(first, 0xff, n->n_groups * sizeof *first); /* SIZE_MAX: none */
    for (size_t c = 0; c < n->cells.n; c++) {
        const uint64_t *cell = kan_tuples_at(&n->cells, c);
        next[c] = first[cell[0]];
        first[cell[0]] = c;
    }
    for (uint64_t row = 0; row < n_rows; row++) {
        if (n->question->trace_of[row] != 0 || n->is_open[n->group_of[row]])
            continue;
        n->is_open[n->group_of[row]] = !is_hidden(n, first, next, row);
        KAN_TRY_DONE(kan_check_cancel(n->run));
    }
done:
    kan_free(n->run, first);
    kan_free(n->run, next);
    return status;
}

kan_status kan_over_time_set_aside(kan_run *run, const kan_newcomers_question *question,
                                   uint8_t *is_aside, uint64_t *n_aside) {
    const uint64_t n_rows = question->over_time->release->release->n_rows;
    newcomers n = {.run = run, .question = question};
    kan_status status;
    kan_tuples_init(&n.cells, run, 2 * sizeof(uint64_t));
    KAN_TRY_DONE(read_labels(&n));
    KAN_TRY_DONE(group_rows(&n));
    KAN_TRY_DONE(look(&n));
    for (uint64_t row = 0; row < n_rows; row++) {
        is_aside[row] = question->trace_of[row] == 0 && !n.is_open[n.group_of[row]];
        *n_aside += is_aside[row];
    }
done:
    for (size_t i = 0;
         n.start && n.columns && i < n.start[question->over_time->earlier->n_releases]; i++)
        kan_free(run, n.columns[i].covers);
    for (size_t r = 0; n.tables && r < question->over_time->earlier->n_releases; r++)
        destroy_table(run, &n.tables[r]);
    kan_free(run, n.tables);
    kan_free(run, n.columns);
    kan_free(run, n.start);
    kan_free(run, n.group_of);
    kan_free(run, n.is_open);
    kan_tuples_destroy(&n.cells);
    return status;
}
