/* Reading expressions (cohort.h), by recursive descent. `not` is moved down to the tests on the way: behind an
 * odd number of them `and` becomes `or`, and a test its negation. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core/signs.h"
#include "data/cohort/cohort.h"

enum { MOST_DEPTH = 64, MOST_VALUES = 10000 };

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* a name or a keyword */
    TOKEN_QUOTED, /* its text without the quotes, each doubled one single */
    TOKEN_NUMBER, /* what begins as a number or a date */
    TOKEN_SIGN    /* ( ) , and comparisons */
} token_kind;

typedef struct token {
    token_kind kind;
    kan_slice text;
    size_t from; /* offset in the expression */
} token;

typedef struct parsing {
    kan_run *run;
    kan_arena *arena;
    const char *text;
    size_t at; /* behind the token */
    token now;
    kan_cohort *cohort;
    unsigned depth;
} parsing;

/* ---- messages ------------------------------------------------------------------------------- */

static size_t character_of(const char *text, size_t offset) {
    return kan_text_columns(text, offset) + 1;
}

static kan_status fail_at(const parsing *p, size_t offset, const char *format, ...) {
    char words[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(words, sizeof words, format, list);
    va_end(list);
    return kan_fail(p->run, KAN_BAD_INPUT, "--where: character %zu: %s",
                    character_of(p->text, offset), words);
}

/* The token as a message shows it. */
static const char *shown(const token *t, char room[256]) {
    return t->kind == TOKEN_END ? "the end" : kan_quote(t->text, room);
}

/* ---- tokens --------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_word(char c) {
    return is_letter(c) || kan_is_digit(c) || c == '.' || c == '-';
}

static bool begins_number(const char *text) {
    const char c = *text;
    const size_t sign = c == '-' || c == '+';
    return kan_is_digit(text[sign]) || (text[sign] == '.' && kan_is_digit(text[sign + 1]));
}

static bool goes_on(const char *text, size_t at) {
    const char c = text[at];
    return kan_is_digit(c) || is_letter(c) || c == '.' || c == ':' || c == '-' ||
           (c == '+' && (text[at - 1] == 'e' || text[at - 1] == 'E'));
}

static kan_status next_quoted(parsing *p) {
    const char quote = p->text[p->at];
    size_t at = p->at + 1, n = 0;
    char *bytes;
    size_t room = 0; /* to the end of the quote, or of the text where there is none */
    while (p->text[at + room] && (p->text[at + room] != quote || p->text[at + room + 1] == quote))
        room += p->text[at + room] == quote ? 2 : 1;
    KAN_TRY(kan_arena_alloc(p->arena, room + 1, 1, &bytes));
    for (;; at++) {
        if (!p->text[at])
            return fail_at(p, p->at,
                           "a quote begins here and does not end; within quotes, a quote "
                           "stands twice");
        if (p->text[at] == quote && p->text[++at] != quote)
            break;
        bytes[n++] = p->text[at];
    }
    p->now = (token){TOKEN_QUOTED, {bytes, n}, p->at};
    p->at = at;
    return KAN_OK;
}

static kan_status next_sign(parsing *p) {
    static const char *const signs[] = {"==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ","};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(p->text + p->at, signs[i], strlen(signs[i])) == 0) {
            p->now = (token){TOKEN_SIGN, kan_slice_of(signs[i]), p->at};
            p->at += strlen(signs[i]);
            return KAN_OK;
        }
    char quoted[256];
    return fail_at(p, p->at,
                   "%s means nothing here; write tests such as age >= 18, joined by and, or, not "
                   "and parentheses, and put names of columns that are no plain words in quotes",
                   kan_quote((kan_slice){p->text + p->at, 1}, quoted));
}

static kan_status next(parsing *p) {
    p->at += strspn(p->text + p->at, " \t\r\n");
    const char *from = p->text + p->at;
    size_t n = 0;
    if (*from == '"' || *from == '\'')
        return next_quoted(p);
    if (begins_number(from)) {
        for (n = 1; goes_on(from, n);)
            n++;
        p->now = (token){TOKEN_NUMBER, {from, n}, p->at};
    } else if (is_letter(*from)) {
        while (is_word(from[n]))
            n++;
        p->now = (token){TOKEN_WORD, {from, n}, p->at};
    } else if (*from) {
        return next_sign(p);
    } else {
        p->now = (token){TOKEN_END, {from, 0}, p->at};
    }
    p->at += n;
    return KAN_OK;
}

static bool is_keyword(const parsing *p, const char *word) {
    return p->now.kind == TOKEN_WORD && p->now.text.size == strlen(word) &&
           strncasecmp(p->now.text.bytes, word, p->now.text.size) == 0;
}

static bool is_sign(const parsing *p, const char *sign) {
    return p->now.kind == TOKEN_SIGN && kan_slice_is(p->now.text, sign);
}

/* ---- values --------------------------------------------------------------------------------- */

static kan_status fail_value(const parsing *p) {
    char quoted[256];
    if (p->now.kind == TOKEN_WORD)
        return fail_at(p, p->now.from, "put text in quotes: \"%.*s\"",
                       (int)(p->now.text.size < 60 ? p->now.text.size : 60), p->now.text.bytes);
    if (p->now.kind == TOKEN_NUMBER)
        return fail_at(p, p->now.from,
                       "%s is neither a number such as 18 or 70.5 nor a date such as 2020-01-31; "
                       "put text in quotes",
                       kan_quote(p->now.text, quoted));
    return fail_at(p, p->now.from,
                   "a value is wanted here, not %s: a number, a date such as 2020-01-31, or text "
                   "in quotes",
                   shown(&p->now, quoted));
}

static kan_status take_value(parsing *p, kan_slice *value, kan_type *type) {
    double number;
    kan_date date;
    *value = p->now.text;
    if (p->now.kind == TOKEN_QUOTED)
        *type = KAN_TYPE_TEXT;
    else if (p->now.kind == TOKEN_NUMBER && kan_date_parse(*value, &date))
        *type = KAN_TYPE_DATE;
    else if (p->now.kind == TOKEN_NUMBER && kan_value_exact(KAN_TYPE_NUMBER, *value, &number))
        *type = KAN_TYPE_NUMBER;
    else
        return fail_value(p);
    if (kan_value_is_unknown(*value))
        return fail_at(p, p->now.from,
                       "this stands for a missing value, which equals nothing; write COLUMN is "
                       "missing, or COLUMN is not missing");
    return next(p);
}

static int by_bytes(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

static int by_number(const void *a, const void *b) {
    return kan_value_order(KAN_TYPE_NUMBER, *(const kan_slice *)a, *(const kan_slice *)b);
}

static int by_date(const void *a, const void *b) {
    return kan_value_order(KAN_TYPE_DATE, *(const kan_slice *)a, *(const kan_slice *)b);
}

typedef int (*order)(const void *a, const void *b);

static order order_of(kan_type type) {
    switch (type) {
    case KAN_TYPE_NUMBER:
        return by_number;
    case KAN_TYPE_DATE:
        return by_date;
    case KAN_TYPE_TEXT:
        break;
    }
    return by_bytes;
}

static kan_status parse_values(parsing *p, kan_cohort_test *test) {
    kan_slice *values = NULL;
    size_t capacity = 0;
    for (;;) {
        const size_t from = p->now.from;
        kan_slice value;
        kan_type type;
        KAN_TRY(take_value(p, &value, &type));
        if (test->n_values > 0 && type != test->type)
            return fail_at(p, from,
                           "the values of a list are all numbers, all dates or all texts "
                           "in quotes");
        if (test->n_values == MOST_VALUES)
            return fail_at(p, from, "a list has %d values at most; write two, joined by or",
                           MOST_VALUES);
        test->type = type;
        if (test->n_values == capacity) {
            kan_slice *more;
            capacity = capacity ? 2 * capacity : 4;
            KAN_TRY(kan_arena_alloc(p->arena, capacity, sizeof *more, &more));
            if (test->n_values > 0)
                memcpy(more, values, test->n_values * sizeof *more);
            values = more;
        }
        values[test->n_values++] = value;
        if (is_sign(p, ")"))
            break;
        if (!is_sign(p, ","))
            return fail_at(p, p->now.from,
                           "a comma or a parenthesis is wanted behind a value of "
                           "the list");
        KAN_TRY(next(p));
    }
    qsort(values, test->n_values, sizeof *values, order_of(test->type));
    test->values = values;
    return next(p);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static kan_status fail_comparison(const parsing *p) {
    char quoted[256];
    return fail_at(p, p->now.from,
                   "a comparison is wanted behind the name of a column, not %s: = != < <= > >=, "
                   "in (...), is missing or is not missing",
                   shown(&p->now, quoted));
}

static kan_status parse_is(parsing *p, kan_cohort_test *test) {
    KAN_TRY(next(p));
    if (is_keyword(p, "not")) {
        test->is_negated = !test->is_negated;
        KAN_TRY(next(p));
    }
    if (!is_keyword(p, "missing"))
        return fail_at(p, p->now.from, "behind is stands missing, or not missing");
    test->relation = KAN_COHORT_MISSING;
    return next(p);
}

static kan_status parse_in(parsing *p, kan_cohort_test *test) {
    if (is_keyword(p, "not")) {
        test->is_negated = !test->is_negated;
        KAN_TRY(next(p));
    }
    if (!is_keyword(p, "in"))
        return fail_comparison(p);
    KAN_TRY(next(p));
    if (!is_sign(p, "("))
        return fail_at(p, p->now.from, "behind in stands a list in parentheses: in (\"A\", \"B\")");
    KAN_TRY(next(p));
    test->relation = KAN_COHORT_AMONG;
    return parse_values(p, test);
}

static const struct {
    const char *sign;
    kan_cohort_relation relation;
    bool is_negated;
} comparisons[] = {{"=", KAN_COHORT_AMONG, false}, {"==", KAN_COHORT_AMONG, false},
                   {"!=", KAN_COHORT_AMONG, true}, {"<>", KAN_COHORT_AMONG, true},
                   {"<", KAN_COHORT_BELOW, false}, {"<=", KAN_COHORT_UP_TO, false},
                   {">", KAN_COHORT_UP_TO, true},  {">=", KAN_COHORT_BELOW, true}};
enum { N_COMPARISONS = sizeof comparisons / sizeof *comparisons };

static kan_status parse_comparison(parsing *p, kan_cohort_test *test) {
    size_t i = 0;
    kan_slice *value;
    while (i < N_COMPARISONS && !is_sign(p, comparisons[i].sign))
        i++;
    if (i == N_COMPARISONS)
        return fail_comparison(p);
    KAN_TRY(next(p));
    const size_t from = p->now.from;
    KAN_TRY(kan_arena_alloc(p->arena, 1, sizeof *value, &value));
    KAN_TRY(take_value(p, value, &test->type));
    test->relation = comparisons[i].relation;
    test->is_negated ^= comparisons[i].is_negated;
    test->values = value;
    test->n_values = 1;
    if (test->type == KAN_TYPE_TEXT && test->relation != KAN_COHORT_AMONG)
        return fail_at(p, from,
                       "text has no order; compare with a number or a date that stands "
                       "without quotes, or list the values: in (\"A\", \"B\")");
    if (is_sign(p, ","))
        return fail_at(p, p->now.from,
                       "a comma means nothing here; a number has a point before its decimals: "
                       "70.5");
    return KAN_OK;
}

static kan_status add_step(parsing *p, kan_cohort_step step, size_t *out) {
    kan_cohort *const cohort = p->cohort;
    KAN_ASSERT(cohort->n_steps < KAN_COHORT_STEPS);
    *out = cohort->n_steps;
    cohort->steps[cohort->n_steps++] = step;
    return KAN_OK;
}

static kan_status parse_test(parsing *p, bool is_negated, size_t *out) {
    kan_cohort *const cohort = p->cohort;
    char quoted[256];
    if (p->now.kind != TOKEN_WORD && p->now.kind != TOKEN_QUOTED)
        return fail_at(p, p->now.from,
                       "the name of a column is wanted here, not %s; a test is COLUMN = VALUE, and "
                       "a name that is no plain word stands in quotes",
                       shown(&p->now, quoted));
    if (cohort->n_tests == KAN_COHORT_TESTS)
        return fail_at(p, p->now.from, "there are more than %d tests; use COLUMN in (...)",
                       KAN_COHORT_TESTS);
    kan_cohort_test *const test = &cohort->tests[cohort->n_tests];
    *test = (kan_cohort_test){.column = p->now.text, .is_negated = is_negated};
    if (is_keyword(p, "and") || is_keyword(p, "or") || is_keyword(p, "in") || is_keyword(p, "is"))
        return fail_at(p, p->now.from,
                       "%s stands where a column is wanted; a column of that name "
                       "is written in quotes",
                       kan_quote(p->now.text, quoted));
    KAN_TRY(next(p));
    if (is_keyword(p, "is"))
        KAN_TRY(parse_is(p, test));
    else if (is_keyword(p, "in") || is_keyword(p, "not"))
        KAN_TRY(parse_in(p, test));
    else
        KAN_TRY(parse_comparison(p, test));
    return add_step(p, (kan_cohort_step){KAN_COHORT_TEST, cohort->n_tests++, 0}, out);
}

/* ---- what joins them ------------------------------------------------------------------------ */

static kan_status parse_or(parsing *p, bool is_negated, size_t *out);

static kan_status parse_factor(parsing *p, bool is_negated, size_t *out) {
    for (; is_keyword(p, "not"); is_negated = !is_negated)
        KAN_TRY(next(p));
    if (!is_sign(p, "("))
        return parse_test(p, is_negated, out);
    const size_t from = p->now.from;
    if (++p->depth > MOST_DEPTH)
        return fail_at(p, from, "more than %d parentheses stand in each other", MOST_DEPTH);
    KAN_TRY(next(p));
    KAN_TRY(parse_or(p, is_negated, out));
    if (!is_sign(p, ")"))
        return fail_at(p, p->now.from,
                       "and, or or a closing parenthesis is wanted here; one is open since "
                       "character %zu",
                       character_of(p->text, from));
    p->depth--;
    return next(p);
}

static kan_status parse_and(parsing *p, bool is_negated, size_t *out) {
    KAN_TRY(parse_factor(p, is_negated, out));
    while (is_keyword(p, "and")) {
        size_t right;
        KAN_TRY(next(p));
        KAN_TRY(parse_factor(p, is_negated, &right));
        KAN_TRY(add_step(
            p, (kan_cohort_step){is_negated ? KAN_COHORT_OR : KAN_COHORT_AND, *out, right}, out));
    }
    return KAN_OK;
}

static kan_status parse_or(parsing *p, bool is_negated, size_t *out) {
    KAN_TRY(parse_and(p, is_negated, out));
    while (is_keyword(p, "or")) {
        size_t right;
        KAN_TRY(next(p));
        KAN_TRY(parse_and(p, is_negated, &right));
        KAN_TRY(add_step(
            p, (kan_cohort_step){is_negated ? KAN_COHORT_AND : KAN_COHORT_OR, *out, right}, out));
    }
    return KAN_OK;
}

kan_status kan_cohort_parse(kan_run *run, kan_arena *arena, const char *text, kan_cohort **out) {
    parsing p = {.run = run, .arena = arena};
    size_t whole;
    char quoted[256];
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *p.cohort, &p.cohort));
    *p.cohort = (kan_cohort){0};
    KAN_TRY(kan_arena_copy(arena, text, strlen(text), &p.text));
    KAN_TRY(kan_arena_alloc(arena, KAN_COHORT_TESTS, sizeof *p.cohort->tests, &p.cohort->tests));
    KAN_TRY(kan_arena_alloc(arena, KAN_COHORT_STEPS, sizeof *p.cohort->steps, &p.cohort->steps));
    p.cohort->text = p.text;
    KAN_TRY(next(&p));
    KAN_TRY(parse_or(&p, false, &whole));
    if (p.now.kind != TOKEN_END)
        return fail_at(&p, p.now.from, "and, or or the end is wanted here, not %s",
                       shown(&p.now, quoted));
    *out = p.cohort;
    return KAN_OK;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* -1, 0, 1: the value lies below the first, is among, lies behind the first and is not among. */
static int place_of(const kan_cohort_test *test, kan_slice value) {
    const order compare = order_of(test->type);
    if (test->n_values > 1)
        return bsearch(&value, test->values, test->n_values, sizeof *test->values, compare) ? 0 : 1;
    return compare(&value, test->values);
}

kan_cohort_answer kan_cohort_ask(const kan_cohort_test *test, kan_slice value) {
    const bool is_unknown = kan_value_is_unknown(value);
    double unused;
    bool holds = false;
    if (test->relation == KAN_COHORT_MISSING)
        return is_unknown != test->is_negated ? KAN_COHORT_YES : KAN_COHORT_NO;
    if (is_unknown)
        return KAN_COHORT_NO;
    if (test->type != KAN_TYPE_TEXT && !kan_value_exact(test->type, value, &unused))
        return KAN_COHORT_MISFIT;
    switch (test->relation) {
    case KAN_COHORT_AMONG:
        holds = place_of(test, value) == 0;
        break;
    case KAN_COHORT_BELOW:
        holds = place_of(test, value) < 0;
        break;
    case KAN_COHORT_UP_TO:
        holds = place_of(test, value) <= 0;
        break;
    case KAN_COHORT_MISSING:
        break;
    }
    return holds != test->is_negated ? KAN_COHORT_YES : KAN_COHORT_NO;
}
