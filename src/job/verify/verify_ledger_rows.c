/* Which row of the original each released row is, where they stand in another order: the ledger says in which group
 * each person is, and what the groups show. So a released row is one of the rows of its group that have the same in
 * all other columns; any of them will do, as nothing tells them apart. Whoever asks holds each row against the one
 * that it is said to be. */
#include <string.h>

#include "core/spill.h"
#include "job/verify/verify_inside.h"

typedef struct {
    const kan_verification *v;
    const kan_cover_question *question;
    const kan_verify_ledger_rows *rows;
    uint32_t *
        group_at; /* by released row: its group, as the ledger numbers it, from 1; 0: it has none such */
    kan_tuples kinds;  /* the group, and what other columns show, of released rows */
    uint64_t *kind_of; /* by released row */
    uint64_t *first;   /* by kind: where its rows begin in by_kind, and one more */
    uint64_t *by_kind; /* released rows */
    uint32_t **
        codes_of; /* by other column and code of the original: that of the release, or UINT32_MAX */
} matching;

/* ---- groups by what they show ------------------------------------------------------------------- */

/* The codes of the release of what each group of the ledger shows; false where one shows what no row does. */
static kan_status lay_out_groups(matching *m, const kan_ledger_release *release, kan_tuples *labels,
                                 size_t *columns, bool *can_be) {
    const kan_table *table = m->v->release.table;
    uint32_t *codes;
    size_t number;
    KAN_TRY(kan_alloc_zero(m->v->run, release->n_shown + 1, sizeof *codes, &codes));
    kan_status status = KAN_OK;
    for (uint32_t g = 0; g < release->n_tuples && *can_be && status == KAN_OK; g++) {
        for (uint32_t c = 0; c < release->n_shown && *can_be; c++) {
            const kan_ledger_shown *shown = &release->shown[c];
            *can_be = kan_column_find_value(&table->columns[columns[c]],
                                            shown->texts[shown->codes[g]], &codes[c]);
        }
        if (*can_be)
            status = kan_tuples_add(labels, codes, g, &number);
        *can_be &= status != KAN_OK || number == g;
    }
    kan_free(m->v->run, codes);
    return status;
}

static kan_status number_groups(matching *m, const kan_tuples *labels, const size_t *columns,
                                size_t n_columns) {
    const kan_table *table = m->v->release.table;
    uint32_t *codes;
    size_t number;
    KAN_TRY(kan_alloc_zero(m->v->run, n_columns + 1, sizeof *codes, &codes));
    for (uint64_t row = 0; row < table->n_rows; row++) {
        for (size_t c = 0; c < n_columns; c++)
            codes[c] = kan_column_code(&table->columns[columns[c]], row);
        m->group_at[row] = kan_tuples_find(labels, codes, &number) ? (uint32_t)number + 1 : 0;
    }
    kan_free(m->v->run, codes);
    return kan_check_cancel(m->v->run);
}

/* The column of the release; behind the name of one of means the ledger says that it is. */
static const kan_column *find_shown(const matching *m, const char *name, size_t *at) {
    const kan_table *release = m->v->release.table;
    const size_t end = strlen(KAN_LEDGER_OF_MEANS), size = strlen(name);
    const kan_column *column = kan_table_find(release, name, at);
    for (size_t c = 0; !column && size > end && c < release->n_columns; c++)
        if (strcmp(name + size - end, KAN_LEDGER_OF_MEANS) == 0 &&
            strlen(release->columns[c].name) == size - end &&
            memcmp(release->columns[c].name, name, size - end) == 0) {
            column = &release->columns[c];
            *at = c;
        }
    return column;
}

static kan_status find_groups(matching *m, bool *can_be) {
    const kan_ledger *file = m->v->ledger.file;
    const kan_ledger_release *release = kan_ledger_release_at(file, m->v->ledger.at);
    kan_tuples labels;
    size_t *columns = NULL;
    kan_status status;
    kan_tuples_init(&labels, m->v->run, (release->n_shown + 1) * sizeof(uint32_t));
    KAN_TRY_DONE(kan_alloc(m->v->run, release->n_shown, sizeof *columns, &columns));
    *can_be = release->n_shown == m->v->n_groups_by;
    for (uint32_t c = 0; c < release->n_shown && *can_be; c++) {
        const kan_column *column = find_shown(m, release->shown[c].column, &columns[c]);
        *can_be = column && column->is_encoded;
    }
    if (*can_be)
        KAN_TRY_DONE(lay_out_groups(m, release, &labels, columns, can_be));
    if (*can_be)
        KAN_TRY_DONE(number_groups(m, &labels, columns, release->n_shown));
done:
    kan_tuples_destroy(&labels);
    kan_free(m->v->run, columns);
    return status;
}

/* ---- rows of one kind --------------------------------------------------------------------------- */

static kan_status find_kinds(matching *m) {
    const kan_cover_question *q = m->question;
    uint32_t *kind;
    size_t number;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(m->v->run, m->kinds.size, 1, &kind));
    for (uint64_t row = 0; row < q->release->n_rows && status == KAN_OK; row++) {
        kind[0] = m->group_at[row];
        for (size_t i = 0; i < q->n_others; i++)
            kind[i + 1] = kan_column_code(&q->release->columns[q->others[i].released], row);
        status = kan_tuples_add(&m->kinds, kind, row, &number);
        m->kind_of[row] = number;
    }
    kan_free(m->v->run, kind);
    return status;
}

static kan_status sort_by_kind(matching *m) {
    const uint64_t n = m->question->release->n_rows;
    KAN_TRY(kan_alloc_zero(m->v->run, m->kinds.n + 2, sizeof *m->first, &m->first));
    for (size_t k = 0; k < m->kinds.n; k++)
        m->first[k + 2] = m->first[k + 1] + m->kinds.count[k];
    for (uint64_t row = 0; row < n; row++)
        m->by_kind[m->first[m->kind_of[row] + 1]++] = row;
    return kan_check_cancel(m->v->run); /* first[k] is where kind k begins now */
}

static kan_status translate(matching *m) {
    const kan_cover_question *q = m->question;
    KAN_TRY(kan_alloc_zero(m->v->run, q->n_others, sizeof *m->codes_of, &m->codes_of));
    for (size_t i = 0; i < q->n_others; i++) {
        const kan_column *from = &q->original->columns[q->others[i].original];
        const kan_column *to = &q->release->columns[q->others[i].released];
        KAN_TRY(kan_alloc(m->v->run, from->dictionary.n, sizeof **m->codes_of, &m->codes_of[i]));
        for (uint32_t code = 0; code < from->dictionary.n; code++)
            if (!kan_column_find_value(to, kan_dictionary_value(&from->dictionary, code),
                                       &m->codes_of[i][code]))
                m->codes_of[i][code] = UINT32_MAX;
    }
    return KAN_OK;
}

/* Each row of somebody who is released takes the next released row of its kind. */
static kan_status take_rows(matching *m, bool *found) {
    const kan_cover_question *q = m->question;
    const kan_verify_ledger_rows *rows = m->rows;
    uint64_t behind = q->release->n_rows;
    uint32_t *kind;
    size_t number;
    KAN_TRY(kan_alloc_zero(m->v->run, m->kinds.size, 1, &kind));
    for (uint64_t row = 0; row < q->original->n_rows && *found; row++) {
        kind[0] = rows->group_of[row];
        if (kind[0] == 0) {
            rows->order[behind++] = row;
            continue;
        }
        for (size_t i = 0; i < q->n_others; i++)
            kind[i + 1] =
                m->codes_of[i][kan_column_code(&q->original->columns[q->others[i].original], row)];
        *found = kan_tuples_find(&m->kinds, kind, &number) && m->kinds.count[number] > 0;
        if (*found)
            rows->order[m->by_kind[m->first[number] + --m->kinds.count[number]]] = row;
    }
    kan_free(m->v->run, kind);
    return kan_check_cancel(m->v->run);
}

kan_status kan_verify_match_ledger(const kan_verification *v, const kan_cover_question *question,
                                   const kan_verify_ledger_rows *rows, bool *found) {
    matching m = {.v = v, .question = question, .rows = rows};
    const size_t n = (size_t)question->release->n_rows;
    kan_status status;
    *found = false;
    kan_tuples_init(&m.kinds, v->run, (question->n_others + 1) * sizeof(uint32_t));
    KAN_TRY_DONE(kan_spill_alloc(v->run, n, sizeof *m.group_at, &m.group_at));
    KAN_TRY_DONE(kan_spill_alloc(v->run, n, sizeof *m.kind_of, &m.kind_of));
    KAN_TRY_DONE(kan_spill_alloc(v->run, n, sizeof *m.by_kind, &m.by_kind));
    KAN_TRY_DONE(find_groups(&m, found));
    if (*found) {
        KAN_TRY_DONE(find_kinds(&m));
        KAN_TRY_DONE(sort_by_kind(&m));
        KAN_TRY_DONE(translate(&m));
        KAN_TRY_DONE(take_rows(&m, found));
    }
done:
    kan_tuples_destroy(&m.kinds);
    kan_free(v->run, m.group_at);
    kan_free(v->run, m.kind_of);
    kan_free(v->run, m.first);
    kan_free(v->run, m.by_kind);
    for (size_t i = 0; m.codes_of && i < question->n_others; i++)
        kan_free(v->run, m.codes_of[i]);
    kan_free(v->run, m.codes_of);
    return status;
}
