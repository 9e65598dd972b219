#include "analyze/verify/recount_fits.h"

#include <stdlib.h>

#include "core/hash.h"

/* The distinct tuples of a table, in codes of the release and 1. */
typedef struct {
    size_t n;
    uint32_t *codes; /* [tuple * n_columns + column]; 0: the release does not show the value */
    uint64_t *rows;  /* those that were left out aside */
    uint64_t
        *fits; /* of a released tuple the people whom it fits, of the others the rows that do */
    uint64_t *first_row;
    uint64_t *hidden; /* of the release: columns */
} side;

/* Original tuples that are alike in the columns at hand. */
typedef struct {
    uint32_t tuple; /* the first, and 1; 0: free */
    uint64_t people, rows;
} meeting;

typedef struct {
    kan_run *run;
    const kan_fits_question *question;
    side released, original;
    uint32_t *ordered; /* released tuples, by what they hide */
    size_t n_slots;
    meeting *slots;
    uint32_t *slot_of; /* by original tuple */
} counting;

/* ---- tuples --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t *rows; /* by tuple */
    size_t n, room;
    kan_run *run;
    const kan_table *table;
    const uint8_t *is_left_out;
} row_sums;

static kan_status sum_rows(void *context, uint64_t row, size_t n, const size_t *groups) {
    row_sums *sums = context;
    for (size_t i = 0; i < n; i++) {
        KAN_TRY(
            kan_reserve(sums->run, groups[i] + 1, sizeof *sums->rows, &sums->room, &sums->rows));
        for (; sums->n <= groups[i]; sums->n++)
            sums->rows[sums->n] = 0;
        if (!sums->is_left_out || !sums->is_left_out[row + i])
            sums->rows[groups[i]] += sums->table->counts ? sums->table->counts[row + i] : 1;
    }
    return KAN_OK;
}

static uint32_t code_at(const char *at, unsigned width) {
    uint32_t code = 0;
    uint16_t two;
    if (width == 1)
        return *(const unsigned char *)at;
    if (width == 2) {
        memcpy(&two, at, sizeof two);
        return two;
    }
    memcpy(&code, at, sizeof code);
    return code;
}

/* The codes of what the release shows in a column, by their bytes: "7" is not "07". */
typedef struct {
    const kan_dictionary *dictionary;
    size_t n_slots;
    uint32_t *slots; /* a code and 1, or 0 */
} value_index;

static uint32_t *find_value(const value_index *index, kan_slice value) {
    size_t at = (size_t)kan_hash_bytes(value.bytes, value.size) & (index->n_slots - 1);
    while (index->slots[at] &&
           !kan_slice_equal(kan_dictionary_value(index->dictionary, index->slots[at] - 1), value))
        at = (at + 1) & (index->n_slots - 1);
    return &index->slots[at];
}

/* What each value of a column is in the release: its code and 1, or 0. */
static kan_status translate(const counting *c, const kan_dictionary *from, const kan_dictionary *to,
                            uint32_t **out) {
    value_index index = {.dictionary = to};
    uint32_t *as = NULL;
    kan_status status;
    for (index.n_slots = 16; index.n_slots < 2 * (size_t)to->n;)
        index.n_slots *= 2;
    KAN_TRY_DONE(kan_alloc_zero(c->run, index.n_slots, sizeof *index.slots, &index.slots));
    KAN_TRY_DONE(kan_alloc(c->run, from->n, sizeof *as, &as));
    for (uint32_t code = 0; code < to->n; code++)
        *find_value(&index, kan_dictionary_value(to, code)) = code + 1;
    for (uint32_t code = 0; code < from->n; code++)
        as[code] = *find_value(&index, kan_dictionary_value(from, code));
    *out = as;
done:
    kan_free(c->run, index.slots);
    return status;
}

static kan_status take_column(const counting *c, const kan_tuples *from, size_t offset,
                              const kan_column *column, const kan_column *shown, uint32_t *codes) {
    uint32_t *as;
    KAN_TRY(translate(c, &column->dictionary, &shown->dictionary, &as));
    for (size_t t = 0; t < from->n; t++)
        codes[t * c->question->n_columns] =
            as[code_at((const char *)kan_tuples_at(from, t) + offset, column->width)];
    kan_free(c->run, as);
    return KAN_OK;
}

static kan_status take_codes(const counting *c, const kan_tuples *from, const kan_table *table,
                             const size_t *columns, side *out) {
    const kan_fits_question *q = c->question;
    size_t offset = 0;
    for (size_t a = 0; a < q->n_columns; a++) {
        const kan_column *column = &table->columns[columns[a]];
        KAN_TRY(take_column(c, from, offset, column, &q->release->columns[q->released[a]],
                            out->codes + a));
        offset += column->width;
    }
    return KAN_OK;
}

static kan_status take_tuples(const counting *c, const kan_tuples *from, const kan_table *table,
                              const size_t *columns, side *out) {
    out->n = from->n;
    if (out->n >= UINT32_MAX)
        return kan_fail(c->run, KAN_FAILED, "too many different rows to be matched");
    KAN_TRY(kan_alloc(c->run, out->n * c->question->n_columns, sizeof *out->codes, &out->codes));
    KAN_TRY(kan_alloc_zero(c->run, out->n, sizeof *out->fits, &out->fits));
    KAN_TRY(kan_alloc(c->run, out->n, sizeof *out->first_row, &out->first_row));
    KAN_TRY(kan_alloc_zero(c->run, out->n, sizeof *out->hidden, &out->hidden));
    if (out->n > 0)
        memcpy(out->first_row, from->first_row, out->n * sizeof *out->first_row);
    return take_codes(c, from, table, columns, out);
}

static kan_status fold(const counting *c, const kan_table *table, const size_t *columns,
                       const uint8_t *is_left_out, side *out) {
    row_sums sums = {.run = c->run, .table = table, .is_left_out = is_left_out};
    const kan_recount_follower follower = {sum_rows, &sums};
    kan_recount_groups groups;
    kan_status status =
        kan_recount_group(c->run, table, columns, c->question->n_columns, &follower, &groups);
    out->rows = sums.rows;
    KAN_TRY(status);
    status = take_tuples(c, &groups.tuples, table, columns, out);
    kan_tuples_destroy(&groups.tuples);
    return status;
}

static void side_destroy(kan_run *run, side *s) {
    kan_free(run, s->codes);
    kan_free(run, s->rows);
    kan_free(run, s->fits);
    kan_free(run, s->first_row);
    kan_free(run, s->hidden);
}

/* * and missing values fit anything. */
static void find_hidden(counting *c) {
    const size_t n_columns = c->question->n_columns;
    for (size_t a = 0; a < n_columns; a++) {
        const kan_column *column = &c->question->release->columns[c->question->released[a]];
        for (size_t t = 0; t < c->released.n; t++) {
            const kan_slice shown =
                kan_dictionary_value(&column->dictionary, c->released.codes[t * n_columns + a] - 1);
            c->released.hidden[t] |= (uint64_t)(shown.size == 0 || kan_slice_is(shown, "*")) << a;
        }
    }
}

/* ---- meetings ------------------------------------------------------------------------------- */

typedef struct {
    uint64_t hidden;
    uint32_t tuple;
} hidden_tuple;

static int compare_hidden(const void *a, const void *b) {
    const hidden_tuple *x = a, *y = b;
    if (x->hidden != y->hidden)
        return x->hidden < y->hidden ? -1 : 1;
    return (x->tuple > y->tuple) - (x->tuple < y->tuple);
}

static kan_status order_tuples(counting *c) {
    const size_t n = c->released.n;
    hidden_tuple *all;
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->ordered, &c->ordered));
    KAN_TRY(kan_alloc(c->run, n, sizeof *all, &all));
    for (size_t t = 0; t < n; t++)
        all[t] = (hidden_tuple){c->released.hidden[t], (uint32_t)t};
    if (n > 0)
        qsort(all, n, sizeof *all, compare_hidden);
    for (size_t i = 0; i < n; i++)
        c->ordered[i] = all[i].tuple;
    kan_free(c->run, all);
    return KAN_OK;
}

static bool is_same(const counting *c, const uint32_t *a, const uint32_t *b, uint64_t hidden) {
    for (size_t i = 0; i < c->question->n_columns; i++)
        if (!(hidden >> i & 1) && a[i] != b[i])
            return false;
    return true;
}

/* The slot of those who have these codes, or the free one where they belong. */
static size_t find_slot(const counting *c, const uint32_t *codes, uint64_t hidden) {
    const size_t n_columns = c->question->n_columns;
    uint64_t hash = hidden;
    for (size_t i = 0; i < n_columns; i++)
        if (!(hidden >> i & 1))
            hash = kan_hash_word(hash ^ codes[i]) + i;
    size_t at = (size_t)kan_hash_word(hash) & (c->n_slots - 1);
    while (c->slots[at].tuple &&
           !is_same(c, c->original.codes + (c->slots[at].tuple - 1) * n_columns, codes, hidden))
        at = (at + 1) & (c->n_slots - 1);
    return at;
}

/* The released tuples ordered[first .. end-1], which hide the same, with everybody. */
static void meet(counting *c, size_t first, size_t end) {
    const uint64_t hidden = c->released.hidden[c->ordered[first]];
    const size_t n_columns = c->question->n_columns;
    side *people = &c->original;
    memset(c->slots, 0, c->n_slots * sizeof *c->slots);
    for (size_t t = 0; t < people->n; t++) {
        const size_t at = find_slot(c, people->codes + t * n_columns, hidden);
        if (c->slots[at].tuple == 0)
            c->slots[at].tuple = (uint32_t)t + 1;
        c->slots[at].people += people->rows[t];
        c->slot_of[t] = (uint32_t)at;
    }
    for (size_t i = first; i < end; i++) {
        const uint32_t t = c->ordered[i];
        meeting *met = &c->slots[find_slot(c, c->released.codes + t * n_columns, hidden)];
        c->released.fits[t] = met->people;
        met->rows += met->tuple ? c->released.rows[t] : 0;
    }
    for (size_t t = 0; t < people->n; t++)
        people->fits[t] += c->slots[c->slot_of[t]].rows;
}

static kan_status meet_all(counting *c) {
    const size_t n = c->released.n;
    for (c->n_slots = 16; c->n_slots < 2 * c->original.n;)
        c->n_slots *= 2;
    KAN_TRY(kan_alloc(c->run, c->n_slots, sizeof *c->slots, &c->slots));
    KAN_TRY(kan_alloc(c->run, c->original.n, sizeof *c->slot_of, &c->slot_of));
    KAN_TRY(order_tuples(c));
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && c->released.hidden[c->ordered[end]] == c->released.hidden[c->ordered[i]];
             end++)
            ;
        meet(c, i, end);
        KAN_TRY(kan_check_cancel(c->run));
    }
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void sum_up(const counting *c, kan_fits_recount *out) {
    kan_fits_recount sum = {.is_counted = true, .k = c->question->k};
    sum.fewest_people = sum.fewest_rows = UINT64_MAX;
    for (size_t t = 0; t < c->released.n; t++) {
        const uint64_t n = c->released.fits[t], rows = c->released.rows[t];
        sum.fewest_people = n < sum.fewest_people ? n : sum.fewest_people;
        sum.n_hidden += rows * (uint64_t)__builtin_popcountll(c->released.hidden[t]);
        if (n >= sum.k)
            continue;
        sum.n_small_rows += rows;
        if (sum.n_examples < KAN_RECOUNT_EXAMPLES)
            sum.examples[sum.n_examples++] = c->released.first_row[t];
    }
    for (size_t t = 0; t < c->original.n; t++) {
        const uint64_t n = c->original.fits[t], rows = c->original.rows[t];
        if (rows == 0) /* all of them were left out */
            continue;
        sum.fewest_rows = n < sum.fewest_rows ? n : sum.fewest_rows;
        sum.n_small_people += n < sum.k ? rows : 0;
    }
    sum.holds = c->released.n > 0 && sum.n_small_rows == 0 && sum.n_small_people == 0;
    *out = sum;
}

kan_status kan_verify_fits(kan_run *run, const kan_fits_question *question, kan_fits_recount *out) {
    counting c = {.run = run, .question = question};
    kan_status status;
    if (question->n_columns > KAN_FITS_COLUMNS)
        return kan_fail(run, KAN_BAD_INPUT, "--missing-matches looks at up to %d columns",
                        (int)KAN_FITS_COLUMNS);
    KAN_TRY_DONE(fold(&c, question->release, question->released, NULL, &c.released));
    KAN_TRY_DONE(
        fold(&c, question->original, question->originals, question->is_left_out, &c.original));
    find_hidden(&c);
    KAN_TRY_DONE(meet_all(&c));
    sum_up(&c, out);
done:
    side_destroy(run, &c.released);
    side_destroy(run, &c.original);
    kan_free(run, c.ordered);
    kan_free(run, c.slots);
    kan_free(run, c.slot_of);
    return status;
}
