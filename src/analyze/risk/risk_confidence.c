/* Rows are counted by group, and by group and value; then every pair is a share of its group. Where
 * people are counted, by group and person, and by group, value and person: each of these once. In
 * columns of numbers or dates all spellings of one are one value. */
#include "analyze/risk/risk_confidence.h"

#include "analyze/verify/verify.h"
#include "data/spelling.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 14 };

/* The person is 0 where rows are counted. */
typedef struct {
    size_t group, person;
} member;

typedef struct {
    size_t group, code, person;
} holder;

typedef struct {
    size_t group, code;
} pair;

typedef struct {
    kan_run *run;
    const kan_confidence_question *question;
    kan_tuples groups, members;
    size_t n_columns;
    kan_tuples *holders; /* by column */
    uint64_t *whole;     /* by group: its rows, or people */
    uint8_t *is_certain; /* by group */
    uint8_t *is_seen;    /* by person */
} counting;

static kan_status count_row(counting *c, uint64_t row, const uint32_t *key) {
    const kan_column *person = c->question->person;
    const size_t who = person ? kan_column_code(person, row) : 0;
    const uint64_t n_rows = c->n_columns > 0 ? kan_column_rows(c->question->columns[0], row) : 1;
    size_t group, index;
    KAN_TRY(kan_tuples_add_rows(&c->groups, key, row, n_rows, &group));
    KAN_TRY(kan_tuples_add_rows(&c->members, &(member){group, who}, row, n_rows, &index));
    for (size_t i = 0; i < c->n_columns; i++) {
        const holder one = {group, kan_column_code(c->question->columns[i], row), who};
        KAN_TRY(kan_tuples_add_rows(&c->holders[i], &one, row, n_rows, &index));
    }
    return KAN_OK;
}

static kan_status count_rows(counting *c, uint32_t *key) {
    for (uint64_t row = 0; row < c->question->n_rows; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(c->run));
        if (c->question->find_group(c->question->context, row, key))
            KAN_TRY(count_row(c, row, key));
    }
    return KAN_OK;
}

/* A tuple with a person counts once, one without as often as it has rows. */
static uint64_t weight(const counting *c, const kan_tuples *tuples, size_t i) {
    return c->question->person ? 1 : tuples->count[i];
}

static kan_status count_groups(counting *c) {
    const kan_column *person = c->question->person;
    KAN_TRY(kan_alloc_zero(c->run, c->groups.n + 1, sizeof *c->whole, &c->whole));
    KAN_TRY(kan_alloc(c->run, c->groups.n + 1, 1, &c->is_certain));
    KAN_TRY(kan_alloc(c->run, person ? person->dictionary.n : 1, 1, &c->is_seen));
    for (size_t i = 0; i < c->members.n; i++) {
        const member *at = kan_tuples_at(&c->members, i);
        c->whole[at->group] += weight(c, &c->members, i);
    }
    return KAN_OK;
}

/* Members of certain groups; somebody in several of them once. */
static uint64_t count_certain(counting *c) {
    const kan_column *person = c->question->person;
    uint64_t n = 0;
    memset(c->is_seen, 0, person ? person->dictionary.n : 1);
    for (size_t i = 0; i < c->members.n; i++) {
        const member *at = kan_tuples_at(&c->members, i);
        if (!c->is_certain[at->group] || (person && c->is_seen[at->person]))
            continue;
        c->is_seen[at->person] = 1;
        n += weight(c, &c->members, i);
    }
    return n;
}

/* The pairs, each with how many have it as the sum of its holders. */
static kan_status take_pairs(counting *c, const kan_tuples *holders, kan_tuples *pairs) {
    for (size_t i = 0; i < holders->n; i++) {
        const holder *at = kan_tuples_at(holders, i);
        size_t index;
        KAN_TRY(kan_tuples_add(pairs, &(pair){at->group, at->code}, 0, &index));
        pairs->count[index] += weight(c, holders, i) - 1;
    }
    return KAN_OK;
}

/* ---- spellings ------------------------------------------------------------------------------ */

/* By code of a column the first that means the same, by the values that rows of groups show. */
static kan_status find_same(const counting *c, size_t column, const uint8_t *is_shown,
                            size_t *same_as, bool *has_several) {
    const kan_column *from = c->question->columns[column];
    kan_slice *texts;
    kan_meant_list meant;
    KAN_TRY(kan_alloc(c->run, from->dictionary.n, sizeof *texts, &texts));
    for (uint32_t code = 0; code < from->dictionary.n; code++)
        texts[code] = kan_dictionary_value(&from->dictionary, code);
    kan_status status = kan_meant_read(c->run, texts, from->dictionary.n, &meant);
    if (status == KAN_OK) {
        *has_several = false;
        if (!kan_column_is_called_text(from) &&
            kan_meant_kind(&meant, is_shown, from->ends) != KAN_TYPE_TEXT)
            status = kan_meant_same(&meant, same_as, has_several);
        kan_meant_destroy(&meant);
    }
    kan_free(c->run, texts);
    return status;
}

static kan_status replace_codes(counting *c, size_t column, const size_t *same_as) {
    kan_tuples *from = &c->holders[column], joined;
    kan_status status = KAN_OK;
    kan_tuples_init(&joined, c->run, sizeof(holder));
    for (size_t i = 0; i < from->n && status == KAN_OK; i++) {
        holder one = *(const holder *)kan_tuples_at(from, i);
        size_t index;
        one.code = same_as[one.code];
        status = kan_tuples_add_rows(&joined, &one, 0, from->count[i], &index);
    }
    kan_tuples_destroy(from);
    *from = joined;
    return status;
}

/* Where a number is spelled in several ways, its holders get one code. */
static kan_status join_spellings(counting *c, size_t column) {
    const uint32_t n_codes = c->question->columns[column]->dictionary.n;
    uint8_t *is_shown = NULL;
    size_t *same_as = NULL;
    bool has_several;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(c->run, n_codes, 1, &is_shown));
    KAN_TRY_DONE(kan_alloc(c->run, n_codes, sizeof *same_as, &same_as));
    for (size_t i = 0; i < c->holders[column].n; i++)
        is_shown[((const holder *)kan_tuples_at(&c->holders[column], i))->code] = 1;
    KAN_TRY_DONE(find_same(c, column, is_shown, same_as, &has_several));
    if (has_several)
        KAN_TRY_DONE(replace_codes(c, column, same_as));
done:
    kan_free(c->run, is_shown);
    kan_free(c->run, same_as);
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status take_column(counting *c, size_t column, kan_tuples *pairs, kan_confidence *out) {
    const uint32_t n_codes = c->question->columns[column]->dictionary.n;
    kan_confidence found = {0};
    uint8_t *has_code;
    KAN_TRY(join_spellings(c, column));
    KAN_TRY(take_pairs(c, &c->holders[column], pairs));
    KAN_TRY(kan_alloc_zero(c->run, n_codes, 1, &has_code));
    memset(c->is_certain, 0, c->groups.n);
    for (size_t i = 0; i < pairs->n; i++) {
        const pair *at = kan_tuples_at(pairs, i);
        const uint64_t part = pairs->count[i], whole = c->whole[at->group];
        if (found.whole == 0 || kan_model_compare(part, whole, found.part, found.whole) > 0) {
            found.part = part;
            found.whole = whole;
        }
        c->is_certain[at->group] |= part == whole;
        found.n_values += !has_code[at->code];
        has_code[at->code] = 1;
    }
    kan_free(c->run, has_code);
    found.n_certain = count_certain(c);
    *out = found;
    return KAN_OK;
}

static kan_status take_columns(counting *c, kan_confidence *out) {
    KAN_TRY(count_groups(c));
    for (size_t i = 0; i < c->n_columns; i++) {
        kan_tuples pairs;
        kan_tuples_init(&pairs, c->run, sizeof(pair));
        const kan_status status = take_column(c, i, &pairs, &out[i]);
        kan_tuples_destroy(&pairs);
        KAN_TRY(status);
    }
    return KAN_OK;
}

kan_status kan_confidence_measure(kan_run *run, const kan_confidence_question *question,
                                  kan_confidence *out) {
    counting c = {.run = run, .question = question};
    uint32_t *key = NULL;
    kan_status status;
    kan_tuples_init(&c.groups, run, question->n_words * sizeof *key);
    kan_tuples_init(&c.members, run, sizeof(member));
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_words, sizeof *key, &key));
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_columns, sizeof *c.holders, &c.holders));
    for (; c.n_columns < question->n_columns; c.n_columns++)
        kan_tuples_init(&c.holders[c.n_columns], run, sizeof(holder));
    KAN_TRY_DONE(count_rows(&c, key));
    KAN_TRY_DONE(take_columns(&c, out));
done:
    for (size_t i = 0; i < c.n_columns; i++)
        kan_tuples_destroy(&c.holders[i]);
    kan_tuples_destroy(&c.groups);
    kan_tuples_destroy(&c.members);
    kan_free(run, c.holders);
    kan_free(run, c.whole);
    kan_free(run, c.is_certain);
    kan_free(run, c.is_seen);
    kan_free(run, key);
    return status;
}
