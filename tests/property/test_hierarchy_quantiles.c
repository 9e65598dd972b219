/* `quantiles` and `frequency` on random columns, recounted row by row: intervals are disjoint, in
 * order, nested, and none is thinner than half an even share; what is rare is what is "other". */
#include "core/hash.h"
#include "data/hierarchies/hierarchy_tree.h"
#include "support/random_problem.h"
#include "unit/hierarchy_column.h"

enum { VALUES_MOST = 60, ROWS_MOST = 400 };

typedef struct {
    kan_column column;
    uint8_t codes[ROWS_MOST];
    double numbers[VALUES_MOST];
    uint64_t counts[VALUES_MOST]; /* by code, counted here */
    uint64_t n_known;             /* rows with a number */
} random_column;

/* Numbers in value order, some heavy, some written in two ways, perhaps an unknown one first. */
static void make_column(uint64_t *random, random_column *c) {
    char texts[VALUES_MOST][32];
    kan_slice values[VALUES_MOST];
    uint32_t n = 0;
    const bool has_fractions = kan_random_below(random, 2), is_skewed = kan_random_below(random, 2);
    const uint32_t n_wanted = 2 + (uint32_t)kan_random_below(random, VALUES_MOST - 4);
    long number = (long)kan_random_below(random, 40) - 20;
    if (kan_random_below(random, 3) == 0) {
        strcpy(texts[n], "?");
        c->numbers[n++] = -1e9;
    }
    while (n < n_wanted) {
        number += 1 + (long)kan_random_below(random, 4);
        c->numbers[n] = has_fractions ? (double)number + 0.5 : (double)number;
        /* 07 before 7: equal numbers by bytes */
        if (number > 0 && kan_random_below(random, 8) == 0 && n + 1 < n_wanted) {
            snprintf(texts[n], sizeof texts[n], "0%ld%s", number, has_fractions ? ".5" : "");
            n++;
            c->numbers[n] = c->numbers[n - 1];
        }
        snprintf(texts[n], sizeof texts[n], has_fractions ? "%.1f" : "%.0f", c->numbers[n]);
        n++;
    }
    for (uint32_t i = 0; i < n; i++)
        values[i] = kan_slice_of(texts[i]);
    c->column = column_of_slices(KAN_TYPE_NUMBER, values, n);
    c->column.width = 1;
    c->column.codes = c->codes;
    c->column.n_rows = n + kan_random_below(random, ROWS_MOST - n);
    for (uint64_t row = 0; row < c->column.n_rows; row++) {
        uint64_t code = row < n ? row : kan_random_below(random, n);
        if (row >= n && is_skewed && kan_random_below(random, 2))
            code = n / 2;
        c->codes[row] = (uint8_t)code;
        c->counts[code]++;
        c->n_known += c->numbers[code] > -1e8;
    }
}

static kan_hierarchy *build(kan_run *run, const char *spec, const kan_column *column) {
    kan_hierarchy *h = NULL;
    kan_problems_begin(run);
    if (kan_hierarchy_build(run, spec, column, &h) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal(kan_problems_end(run), KAN_OK);
    assert_is_hierarchy(h, column);
    return h;
}

/* Whether the label, read as a person would, holds the number. */
static bool holds(const char *label, double number) {
    double lo, hi;
    char end;
    if (label[0] == '<')
        return number < atof(label + 1);
    if (strncmp(label, ">=", 2) == 0)
        return number >= atof(label + 2);
    if (sscanf(label, "[%lf, %lf%c", &lo, &hi, &end) == 3 && end == ')')
        return number >= lo && number < hi;
    const char *dots = strstr(label, "..");
    if (dots)
        return number >= atof(label) && number <= atof(dots + 2);
    if (sscanf(label, "%lf-%lf", &lo, &hi) == 2)
        return number >= lo && number <= hi;
    return number == atof(label);
}

static void judge_quantiles(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    random_column c = {0};
    char spec[64];
    make_column(&random, &c);
    const uint64_t fine = 4 + kan_random_below(&random, 17),
                   coarse = 2 + kan_random_below(&random, 2);
    snprintf(spec, sizeof spec, "quantiles:%d,%d", (int)fine, (int)coarse);
    kan_hierarchy *h = build(run, spec, &c.column);
    assert_true(h->height <= 3);
    for (unsigned level = 1; level < h->height; level++) {
        const double share =
            (double)c.n_known / (double)(h->height == 3 && level == 1 ? fine : coarse);
        uint64_t rows[VALUES_MOST] = {0};
        for (uint32_t code = 0; code < c.column.dictionary.n; code++) {
            const uint32_t group = h->levels[level].from_leaf[h->leaf_of[code]];
            if (c.numbers[code] < -1e8) {
                assert_string_equal(label_at(h, code, level), "?");
                continue;
            }
            assert_true(holds(label_at(h, code, level), c.numbers[code]));
            rows[group] += c.counts[code];
            /* no other label of the level holds it */
            for (uint32_t other = 0; other < c.column.dictionary.n; other++)
                if (c.numbers[other] > -1e8 &&
                    h->levels[level].from_leaf[h->leaf_of[other]] != group)
                    assert_false(holds(label_at(h, other, level), c.numbers[code]));
        }
        /* a level that was left out is told by a note alone: the bound of the finer one holds */
        const double least = (double)c.n_known / (double)fine / 2;
        for (uint32_t group = 0; group < h->levels[level].n_groups; group++)
            assert_true(rows[group] == 0 ||
                        (double)rows[group] >= (h->height == 3 ? share / 2 : least));
    }
    kan_hierarchy_destroy(h);
    column_destroy(&c.column);
}

static void judge_frequency(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    random_column c = {0};
    char spec[64];
    make_column(&random, &c);
    const uint64_t first = 2 + kan_random_below(&random, 6),
                   second = first + 1 + kan_random_below(&random, 8);
    snprintf(spec, sizeof spec, "frequency:%d,%d", (int)first, (int)second);
    kan_hierarchy *h = build(run, spec, &c.column);
    const uint32_t n = c.column.dictionary.n;
    uint64_t kept[2];
    unsigned n_kept = 0;
    uint32_t before = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t n_rare = 0;
        for (uint32_t code = 0; code < n; code++)
            n_rare += c.counts[code] < (i ? second : first);
        if (n_rare > 1 && n_rare > before && n_rare < n)
            kept[n_kept++] = i ? second : first;
        before = n_rare > 1 && n_rare < n ? n_rare : before;
    }
    assert_int_equal(h->height, n_kept + 1);
    for (unsigned level = 1; level <= n_kept; level++)
        for (uint32_t code = 0; code < n; code++) {
            const kan_slice value = kan_dictionary_value(&c.column.dictionary, code);
            const char *label = label_at(h, code, level);
            if (c.counts[code] < kept[level - 1])
                assert_string_equal(label, "other");
            else
                assert_true(kan_slice_is(value, label));
        }
    kan_hierarchy_destroy(h);
    column_destroy(&c.column);
}

static void quantiles_hold_their_numbers_and_enough_rows(void **state) {
    (void)state;
    random_rounds(100, judge_quantiles);
}

static void frequency_groups_exactly_what_is_rare(void **state) {
    (void)state;
    random_rounds(100, judge_frequency);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(quantiles_hold_their_numbers_and_enough_rows, random_tear_down),
        cmocka_unit_test_teardown(frequency_groups_exactly_what_is_rare, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
