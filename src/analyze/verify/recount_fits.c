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
    uint64_t
        *most; /* of a released tuple, where it is not known who is released; fits is the least */
    uint64_t *first_row;
    uint64_t *hidden; /* of the release: columns */
} side;

/* Original tuples that are alike in the columns at hand. */
typedef struct {
    uint32_t tuple; /* the first, and 1; 0: free */
    uint64_t people, most, rows;
    uint64_t here; /* of the block at hand */
} meeting;

/* A row of the original that may have a released one. */
typedef struct {
    uint32_t block, tuple;
} open_row;

typedef struct {
    kan_run *run;
    const kan_fits_question *question;
    side released, original;
    uint32_t *ordered; /* released tuples, by what they hide */
    size_t n_slots;
    meeting *slots;
    uint32_t *slot_of; /* by original tuple */
    size_t n_open, open_room;
    open_row *open;    /* by block */
    uint64_t *open_in; /* by original tuple: how many of these */
} counting;

/* ---- tuples --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t *rows; /* by tuple */
    size_t n, room;
    kan_run *run;
    const kan_table *table;
    const uint8_t *is_left_out;
    counting *open; /* of the original: where open rows go; NULL: there are none */
} row_sums;

static kan_status note_open(counting *c, uint64_t row, size_t tuple) {
    const uint32_t block = c->question->open->block_of[row];
    if (block == KAN_FITS_KNOWN)
        return KAN_OK;
    KAN_TRY(kan_reserve(c->run, c->n_open + 1, sizeof *c->open, &c->open_room, &c->open));
    c->open[c->n_open++] = (open_row){block, (uint32_t)tuple};
    return KAN_OK;
}

static kan_status sum_rows(void *context, uint64_t row, size_t n, const size_t *groups) {
    row_sums *sums = context;
    for (size_t i = 0; i < n; i++) {
        KAN_TRY(
            kan_reserve(sums->run, groups[i] + 1, sizeof *sums->rows, &sums->room, &sums->rows));
        for (; sums->n <= groups[i]; sums->n++)
            sums->rows[sums->n] = 0;
        if (!sums->is_left_out || !sums->is_left_out[row + i])
            sums->rows[groups[i]] += sums->table->counts ? sums->table->counts[row + i] : 1;
        if (sums->open)
            KAN_TRY(note_open(sums->open, row + i, groups[i]));
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
    KAN_TRY(kan_alloc_zero(c->run, out->n, sizeof *out->most, &out->most));
    KAN_TRY(kan_alloc(c->run, out->n, sizeof *out->first_row, &out->first_row));
    KAN_TRY(kan_alloc_zero(c->run, out->n, sizeof *out->hidden, &out->hidden));
    if (out->n > 0)
        memcpy(out->first_row, from->first_row, out->n * sizeof *out->first_row);
    return take_codes(c, from, table, columns, out);
}

static kan_status fold(const counting *c, const kan_table *table, const size_t *columns,
                       const uint8_t *is_left_out, counting *open, side *out) {
    row_sums sums = {.run = c->run, .table = table, .is_left_out = is_left_out, .open = open};
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
    kan_free(run, s->most);
    kan_free(run, s->first_row);
    kan_free(run, s->hidden);
}

/* * and missing values fit anything, but for what is no cell of a person. */
static void find_hidden(counting *c) {
    const size_t n_columns = c->question->n_columns;
    for (size_t a = 0; a < n_columns - c->question->has_strata; a++) {
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

/* Of the open rows of a block that meet here, at least those are released for which no other row of
 * the block is left that could be the one without. */
static void add_block(const counting *c, const open_row *rows, size_t n) {
    const uint64_t n_released = c->question->open->n_released[rows->block];
    const uint64_t n_gone = n > n_released ? n - n_released : 0;
    for (size_t i = 0; i < n; i++)
        c->slots[c->slot_of[rows[i].tuple]].here++;
    for (size_t i = 0; i < n; i++) {
        meeting *met = &c->slots[c->slot_of[rows[i].tuple]];
        met->people += met->here > n_gone ? met->here - n_gone : 0;
        met->most += met->here < n_released ? met->here : n_released;
        met->here = 0;
    }
}

static void add_open(const counting *c) {
    for (size_t i = 0, end; i < c->n_open; i = end) {
        for (end = i + 1; end < c->n_open && c->open[end].block == c->open[i].block; end++)
            ;
        add_block(c, c->open + i, end - i);
    }
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
        c->slots[at].most += people->rows[t];
        c->slot_of[t] = (uint32_t)at;
    }
    add_open(c);
    for (size_t i = first; i < end; i++) {
        const uint32_t t = c->ordered[i];
        meeting *met = &c->slots[find_slot(c, c->released.codes + t * n_columns, hidden)];
        c->released.fits[t] = met->people;
        c->released.most[t] = met->most;
        met->rows += met->tuple ? c->released.rows[t] : 0;
    }
    for (size_t t = 0; t < people->n; t++)
        people->fits[t] += c->slots[c->slot_of[t]].rows;
}

static kan_status make_room(counting *c) {
    for (c->n_slots = 16; c->n_slots < 2 * c->original.n;)
        c->n_slots *= 2;
    KAN_TRY(kan_alloc(c->run, c->n_slots, sizeof *c->slots, &c->slots));
    KAN_TRY(kan_alloc(c->run, c->original.n, sizeof *c->slot_of, &c->slot_of));
    return order_tuples(c);
}

static kan_status meet_all(counting *c) {
    const size_t n = c->released.n;
    if (c->original.n > 0)
        memset(c->original.fits, 0, c->original.n * sizeof *c->original.fits);
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

/* ---- who is released ------------------------------------------------------------------------ */

static int compare_open(const void *a, const void *b) {
    const open_row *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return (x->tuple > y->tuple) - (x->tuple < y->tuple);
}

/* Whom no row fits has no released row, and nobody has one of a block without; where no more are left
 * than are released, all of these are. Returns whether anything changed. */
static bool settle(counting *c) {
    const uint64_t *n_released = c->question->open->n_released;
    const size_t before = c->n_open;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < before; i++)
        if (c->original.fits[c->open[i].tuple] > 0 && n_released[c->open[i].block] > 0)
            c->open[n++] = c->open[i];
    c->n_open = 0;
    for (size_t end; at < n; at = end) {
        for (end = at + 1; end < n && c->open[end].block == c->open[at].block; end++)
            ;
        const bool is_known = end - at <= n_released[c->open[at].block];
        for (size_t i = at; i < end; i++)
            if (is_known)
                c->original.rows[c->open[i].tuple]++;
            else
                c->open[c->n_open++] = c->open[i];
    }
    return c->n_open < before;
}

static kan_status meet_open(counting *c) {
    if (c->n_open > 0)
        qsort(c->open, c->n_open, sizeof *c->open, compare_open);
    KAN_TRY(meet_all(c));
    if (settle(c))
        KAN_TRY(meet_all(c));
    KAN_TRY(kan_alloc_zero(c->run, c->original.n, sizeof *c->open_in, &c->open_in));
    for (size_t i = 0; i < c->n_open; i++)
        c->open_in[c->open[i].tuple]++;
    return KAN_OK;
}

/* ---- strata --------------------------------------------------------------------------------- */

kan_status kan_stratified_make(kan_run *run, const kan_table *release, const kan_column *stratum,
                               const uint64_t *row_of, kan_table *out) {
    const size_t n = release->n_columns;
    uint32_t *codes;
    *out = *release;
    KAN_TRY(kan_alloc(run, n + 1, sizeof *out->columns, &out->columns));
    memcpy(out->columns, release->columns, n * sizeof *out->columns);
    KAN_TRY(kan_alloc(run, (size_t)release->n_rows, sizeof *codes, &codes));
    for (uint64_t row = 0; row < release->n_rows; row++)
        codes[row] = kan_column_code(stratum, row_of[row]);
    out->columns[n] = *stratum;
    out->columns[n].counts = NULL;
    out->columns[n].n_rows = release->n_rows;
    out->columns[n].codes = codes;
    out->columns[n].width = sizeof *codes;
    out->n_columns = n + 1;
    return KAN_OK;
}

void kan_stratified_destroy(kan_run *run, const kan_table *release, kan_table *made) {
    if (made->columns == release->columns)
        return;
    if (made->n_columns > release->n_columns)
        kan_free(run, made->columns[release->n_columns].codes);
    kan_free(run, made->columns);
    *made = *release;
}

/* ---- all ------------------------------------------------------------------------------------ */

void kan_fits_sizes_destroy(kan_run *run, kan_fits_sizes *sizes) {
    kan_free(run, sizes->rows);
    kan_free(run, sizes->people);
    *sizes = (kan_fits_sizes){0};
}

static kan_status list_sizes(const counting *c, kan_fits_sizes *out) {
    kan_fits_sizes sizes = {0};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(c->run, c->original.n, sizeof *sizes.rows, &sizes.rows));
    KAN_TRY_DONE(kan_alloc(c->run, c->original.n, sizeof *sizes.people, &sizes.people));
    for (size_t t = 0; t < c->original.n; t++)
        if (c->original.rows[t] > 0) {
            sizes.rows[sizes.n] = c->original.fits[t] + c->question->least_blank;
            sizes.people[sizes.n++] = c->original.rows[t];
        }
    *out = sizes;
    return KAN_OK;
done:
    kan_fits_sizes_destroy(c->run, &sizes);
    return status;
}

/* Released people: whom a row fits by each of these. */
static void sum_people(const counting *c, kan_fits_recount *sum) {
    double risks = 0;
    uint64_t n_people = 0;
    for (size_t t = 0; t < c->original.n; t++) {
        const uint64_t n = c->original.fits[t] + c->question->least_blank;
        const uint64_t rows = c->original.rows[t];
        const uint64_t most = c->original.fits[t] + c->question->most_blank;
        const uint64_t n_open = c->open_in ? c->open_in[t] : 0;
        if (rows + n_open == 0) /* all of them were left out */
            continue;
        sum->fewest_rows = n < sum->fewest_rows ? n : sum->fewest_rows;
        sum->n_small_people += most < sum->k ? rows : 0;
        sum->n_open_people += n >= sum->k ? 0 : most < sum->k ? n_open : rows + n_open;
        risks += (double)(rows + n_open) / (double)(n ? n : 1);
        n_people += rows + n_open;
    }
    sum->average_risk = n_people > 0 ? risks / (double)n_people : 0;
}

static void sum_up(const counting *c, kan_fits_recount *out) {
    kan_fits_recount sum = {.is_counted = true, .k = c->question->k};
    uint64_t n_rows = 0;
    sum.fewest_people = sum.fewest_rows = UINT64_MAX;
    for (size_t t = 0; t < c->released.n; t++) {
        const uint64_t n = c->released.fits[t], rows = c->released.rows[t];
        const uint64_t most = c->released.most[t] + c->question->most_blank;
        if (rows == 0) /* it is not counted */
            continue;
        n_rows += rows;
        sum.fewest_people = n < sum.fewest_people ? n : sum.fewest_people;
        sum.n_hidden += rows * (uint64_t)__builtin_popcountll(c->released.hidden[t]);
        sum.n_open_rows += n < sum.k && most >= sum.k ? rows : 0;
        if (most >= sum.k)
            continue;
        sum.n_small_rows += rows;
        if (sum.n_examples < KAN_RECOUNT_EXAMPLES)
            sum.examples[sum.n_examples++] = c->released.first_row[t];
    }
    sum.n_hidden += c->question->least_blank * c->question->n_columns;
    sum_people(c, &sum);
    sum.holds = n_rows > 0 && sum.n_small_rows == 0 && sum.n_small_people == 0 &&
                sum.n_open_rows == 0 && sum.n_open_people == 0;
    *out = sum;
}

kan_status kan_verify_fits(kan_run *run, const kan_fits_question *question, kan_fits_recount *out) {
    counting c = {.run = run, .question = question};
    kan_status status;
    if (question->n_columns > KAN_FITS_COLUMNS)
        return kan_fail(run, KAN_BAD_INPUT, "--missing-matches looks at up to %d columns",
                        (int)KAN_FITS_COLUMNS);
    KAN_TRY_DONE(
        fold(&c, question->release, question->released, question->is_unseen, NULL, &c.released));
    KAN_TRY_DONE(fold(&c, question->original, question->originals, question->is_left_out,
                      question->open ? &c : NULL, &c.original));
    find_hidden(&c);
    KAN_TRY_DONE(make_room(&c));
    KAN_TRY_DONE(question->open ? meet_open(&c) : meet_all(&c));
    sum_up(&c, out);
    status = question->sizes && !question->open ? list_sizes(&c, question->sizes) : KAN_OK;
done:
    side_destroy(run, &c.released);
    side_destroy(run, &c.original);
    kan_free(run, c.ordered);
    kan_free(run, c.slots);
    kan_free(run, c.slot_of);
    kan_free(run, c.open);
    kan_free(run, c.open_in);
    return status;
}
