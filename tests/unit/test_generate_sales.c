/* The synthetic sales: as many values as Figure 9 of the Incognito paper says, hierarchies of its
 * heights, the shape that the generator describes, and the same bytes everywhere. The table of full
 * size is read by the long suite alone (KANON_TEST_ROUNDS of 1000 and more); the same claims are
 * made about 300,000 rows otherwise. Files in general are test_generate.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "generate/generate.h"

enum {
    COLUMNS = 8,
    MOST_LEVELS = 6,
    SPACE = 100000, /* every value becomes a number below */
    DEFAULT_ROWS = 4591581,
    DEFAULT_SEED = 20050614,
    COMPLETE_ROWS = 300000, /* the least table with every value */
    LONG_SUITE = 1000
};
enum { ZIPCODE, DATE, GENDER, STYLE, PRICE, QUANTITY, COST, SHIPMENT };

static const char *const NAMES[COLUMNS] = {"zipcode", "order-date", "gender", "style",
                                           "price",   "quantity",   "cost",   "shipment"};
static const unsigned CARDINALITIES[COLUMNS] = {31953, 320, 2, 1509, 346, 1, 1412, 2};
static const unsigned HEIGHTS[COLUMNS] = {5, 3, 1, 1, 4, 1, 4, 1};

/* Hashes of 1,000 rows of seed 42, and of two tables of the default seed: the least complete one
 * and that of the paper's size. */
#define PINNED_SMALL    0x225280cab1391932u
#define PINNED_COMPLETE 0x33887ab7ce1c55d8u
#define PINNED_DEFAULT  0x6bf3435b0743a5efu

typedef struct fixture {
    kan_run *run;
    char directory[64], path[128];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    strcpy(f->directory, "/tmp/kanon-sales-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    *state = f;
    return 0;
}

/* Hidden files count. */
static unsigned files_in(const char *path, bool removes) {
    unsigned n = 0;
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            n++;
            if (removes)
                unlinkat(dirfd(directory), entry->d_name, 0);
        }
    closedir(directory);
    return n;
}

static int tear_down(void **state) {
    fixture *f = *state;
    files_in(f->directory, true);
    rmdir(f->directory);
    kan_run_destroy(f->run);
    free(f);
    return 0;
}

/* Valid until the next call. */
static const char *in_directory(fixture *f, const char *name) {
    snprintf(f->path, sizeof f->path, "%s/%s", f->directory, name);
    return f->path;
}

static char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    char *text = malloc((size_t)end + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)end, file), (size_t)end);
    fclose(file);
    text[end] = '\0';
    if (size)
        *size = (size_t)end;
    return text;
}

static kan_status generate(fixture *f, uint64_t rows, uint64_t seed, const char *name,
                           const char *hierarchies) {
    return kan_generator_sales.generate(f->run, rows, seed, name ? in_directory(f, name) : NULL,
                                        hierarchies, true);
}

static uint64_t sales_hash(fixture *f, uint64_t rows, uint64_t seed) {
    size_t size;
    assert_int_equal(generate(f, rows, seed, "t.csv", NULL), KAN_OK);
    char *text = file_read(in_directory(f, "t.csv"), &size);
    uint64_t hash = kan_hash_bytes(text, size);
    free(text);
    return hash;
}

/* ---- values as numbers ---------------------------------------------------------------------- */

/* Digits, and nothing else: `n` of them. */
static unsigned number_of(const char *text, size_t n) {
    unsigned number = 0;
    for (size_t i = 0; i < n; i++) {
        assert_in_range(text[i], '0', '9');
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    return number;
}

/* Checks how a value is written, and gives it a number below SPACE. */
static unsigned value_parse(unsigned column, const char *text, size_t size) {
    switch (column) {
    case ZIPCODE:
        assert_int_equal(size, 5);
        return number_of(text, 5);
    case DATE: /* 2003-mm-dd */
        assert_int_equal(size, 10);
        assert_memory_equal(text, "2003-", 5);
        assert_int_equal(text[7], '-');
        return number_of(text + 5, 2) * 100 + number_of(text + 8, 2);
    case STYLE:
        assert_int_equal(size, 5);
        return number_of(text, 5);
    case PRICE:
    case COST: /* cents */
        assert_in_range(size, 4, 6);
        assert_int_equal(text[size - 3], '.');
        assert_true(text[0] != '0' || size == 4);
        return number_of(text, size - 3) * 100 + number_of(text + size - 2, 2);
    default:
        assert_int_equal(size, 1);
        return (unsigned char)text[0];
    }
}

typedef struct table {
    size_t n_rows;
    uint32_t (*rows)[COLUMNS];
    uint32_t (*counts)[SPACE]; /* by column and value */
} table;

static table *table_read(fixture *f, const char *name, uint64_t n_rows) {
    static const char header[] = "zipcode,order-date,gender,style,price,quantity,cost,shipment\n";
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->rows = calloc(n_rows, sizeof *t->rows);
    t->counts = calloc(COLUMNS, sizeof *t->counts);
    assert_true(t->rows && t->counts);
    char *text = file_read(in_directory(f, name), NULL);
    assert_memory_equal(text, header, sizeof header - 1);
    for (const char *at = text + sizeof header - 1; *at; t->n_rows++) {
        assert_true(t->n_rows < n_rows);
        for (unsigned column = 0; column < COLUMNS; column++) {
            size_t size =
                0; /* counted by hand: under a sanitizer strcspn looks at the whole rest */
            while (at[size] && at[size] != ',' && at[size] != '\n')
                size++;
            unsigned value = value_parse(column, at, size);
            t->rows[t->n_rows][column] = value;
            t->counts[column][value]++;
            assert_int_equal(at[size], column + 1 < COLUMNS ? ',' : '\n');
            at += size + 1;
        }
    }
    assert_int_equal(t->n_rows, n_rows);
    free(text);
    return t;
}

static table *table_make(fixture *f, uint64_t n_rows, uint64_t seed) {
    assert_int_equal(generate(f, n_rows, seed, "sales.csv", f->directory), KAN_OK);
    return table_read(f, "sales.csv", n_rows);
}

static void table_free(table *t) {
    free(t->rows);
    free(t->counts);
    free(t);
}

static unsigned distinct(const table *t, unsigned column) {
    unsigned n = 0;
    for (unsigned value = 0; value < SPACE; value++)
        n += t->counts[column][value] > 0;
    return n;
}

/* ---- what the tables hold ------------------------------------------------------------------- */

static void sales_are_of_the_papers_size_by_default(void **state) {
    (void)state;
    assert_int_equal(kan_generator_sales.default_rows, DEFAULT_ROWS);
    assert_int_equal(kan_generator_sales.default_seed, DEFAULT_SEED);
}

static void complete_sales_show_every_value(void **state) {
    static const uint64_t seeds[] = {DEFAULT_SEED, 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        table *t = table_make(*state, COMPLETE_ROWS, seeds[i]);
        for (unsigned column = 0; column < COLUMNS; column++)
            assert_int_equal(distinct(t, column), CARDINALITIES[column]);
        table_free(t);
    }
}

static void small_sales_have_as_many_rows_as_asked_for(void **state) {
    static const uint64_t sizes[] = {1, 2, 3, 2047, 2048, 2049, 12345, 31953};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        table *t = table_make(*state, sizes[i], 9); /* counts its rows */
        for (unsigned column = 0; column < COLUMNS; column++)
            assert_in_range(distinct(t, column), 1, CARDINALITIES[column]);
        table_free(t);
    }
}

/* The rows stand in another order than that of drawing, and none is lost or doubled by it: while no
 * sale goes through all values, one row more means one sale more. */
static void a_larger_table_holds_the_smaller_ones(void **state) {
    enum { SMALL = 5000 };
    table *small = table_make(*state, SMALL, 7), *large = table_make(*state, SMALL + 1, 7);
    for (unsigned column = 0; column < COLUMNS; column++) {
        unsigned more = 0;
        for (unsigned value = 0; value < SPACE; value++) {
            assert_true(large->counts[column][value] >= small->counts[column][value]);
            more += large->counts[column][value] - small->counts[column][value];
        }
        assert_int_equal(more, 1);
    }
    assert_memory_not_equal(small->rows, large->rows, SMALL * sizeof *small->rows);
    table_free(large);
    table_free(small);
}

/* The sales that go through all zip codes would show in the tenth where they sat. */
static void rare_zip_codes_are_spread_over_the_table(void **state) {
    enum { TENTH = COMPLETE_ROWS / 10 };
    table *t = table_make(*state, COMPLETE_ROWS, DEFAULT_SEED);
    unsigned least = UINT32_MAX, most = 0;
    for (unsigned part = 0; part < 10; part++) {
        uint8_t *seen = calloc(SPACE, 1);
        unsigned n = 0;
        assert_non_null(seen);
        for (size_t row = part * TENTH; row < (part + 1) * (size_t)TENTH; row++)
            n += !seen[t->rows[row][ZIPCODE]]++;
        least = n < least ? n : least;
        most = n > most ? n : most;
        free(seen);
    }
    assert_true(most < least + least / 10);
    table_free(t);
}

/* Rows with these two values, in thousandths of those with the first. */
static unsigned share(const table *t, unsigned column, unsigned least, unsigned most,
                      unsigned other_column, unsigned other) {
    uint64_t all = 0, both = 0;
    for (size_t row = 0; row < t->n_rows; row++)
        if (t->rows[row][column] >= least && t->rows[row][column] <= most) {
            all++;
            both += t->rows[row][other_column] == other;
        }
    assert_true(all > 0);
    return (unsigned)(both * 1000 / all);
}

static int compare_descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Shares in millionths. */
static void assert_zip_codes_are_skewed(const table *t, unsigned top_least, unsigned top_most,
                                        unsigned half_least, unsigned half_most) {
    uint32_t counts[31953];
    unsigned n = 0, rare = 0;
    uint64_t first = 0;
    for (unsigned value = 0; value < SPACE; value++)
        if (t->counts[ZIPCODE][value] > 0)
            counts[n++] = t->counts[ZIPCODE][value];
    assert_int_equal(n, 31953);
    qsort(counts, n, sizeof *counts, compare_descending);
    for (unsigned i = 0; i < 1450; i++)
        first += counts[i];
    for (unsigned i = 0; i < n; i++)
        rare += counts[i] < 5;
    assert_in_range((uint64_t)counts[0] * 1000000 / t->n_rows, top_least, top_most);
    assert_in_range(first * 1000000 / t->n_rows, half_least, half_most);
    assert_true(rare >= 1000);
    assert_int_equal(counts[n - 1], 1); /* no 2-anonymity without generalizing */
}

static void assert_price_and_cost_correlate(const table *t) {
    double n = (double)t->n_rows, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        double price = t->rows[row][PRICE], cost = t->rows[row][COST];
        x += price;
        y += cost;
        xx += price * price;
        yy += cost * cost;
        xy += price * cost;
    }
    assert_true((n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y)) > 0.9);
}

static void assert_columns_depend_on_each_other(const table *t) {
    enum { ALL = SPACE - 1 };
    assert_in_range(share(t, ZIPCODE, 0, ALL, GENDER, 'F'), 715, 725);
    assert_in_range(share(t, DATE, 0, 1031, SHIPMENT, 'E'), 97, 103);
    assert_in_range(share(t, DATE, 1101, 1116, SHIPMENT, 'E'), 193, 207);
    /* A style has one cost, and is for one gender, or now and then for both. */
    unsigned female = 0, male = 0;
    uint32_t costs[1509] = {0}, women[1509] = {0};
    for (size_t row = 0; row < t->n_rows; row++) {
        unsigned style = t->rows[row][STYLE] - 10001, cost = t->rows[row][COST];
        assert_true(style < 1509);
        assert_true(costs[style] == 0 || costs[style] == cost);
        costs[style] = cost;
        women[style] += t->rows[row][GENDER] == 'F';
    }
    for (unsigned style = 0; style < 1509; style++) {
        unsigned percent = women[style] * 100 / t->counts[STYLE][style + 10001];
        female += percent > 85;
        male += percent < 35;
    }
    assert_in_range(female, 750, 1000);
    assert_in_range(male, 380, 530);
    assert_price_and_cost_correlate(t);
}

/* The months of the season, per day: November sells three times as much as February. */
static void assert_days_have_seasons(const table *t) {
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 16};
    static const unsigned weights[] = {70, 60, 65, 75, 85, 90, 80, 85, 95, 120, 180};
    double all = 0, sold[11] = {0};
    for (unsigned month = 0; month < 11; month++) {
        all += lengths[month] * weights[month];
        for (unsigned day = 1; day <= 31; day++) {
            unsigned n = t->counts[DATE][(month + 1) * 100 + day];
            assert_int_equal(n > 0, day <= lengths[month]);
            sold[month] += n;
        }
    }
    for (unsigned month = 0; month < 11; month++) {
        double expected = lengths[month] * weights[month] / all;
        double seen = sold[month] / (double)t->n_rows;
        assert_true(seen > 0.95 * expected && seen < 1.05 * expected); /* weekdays differ, too */
    }
    /* the week of Monday 2003-06-02 */
    assert_true(t->counts[DATE][602] > t->counts[DATE][607]);
}

static void complete_sales_have_the_shape_that_is_described(void **state) {
    table *t = table_make(*state, COMPLETE_ROWS, DEFAULT_SEED);
    /* One row in ten goes through all zip codes: what is popular has a tenth less. */
    assert_zip_codes_are_skewed(t, 900, 1300, 420000, 500000);
    assert_columns_depend_on_each_other(t);
    assert_days_have_seasons(t);
    table_free(t);
}

static void sales_of_the_papers_size_show_every_value(void **state) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    if (!rounds || atoi(rounds) < LONG_SUITE) {
        print_message("the long suite makes the whole table\n");
        skip();
    }
    fixture *f = *state;
    assert_int_equal(sales_hash(f, 0, DEFAULT_SEED), PINNED_DEFAULT);
    table *t = table_read(f, "t.csv", DEFAULT_ROWS);
    for (unsigned column = 0; column < COLUMNS; column++)
        assert_int_equal(distinct(t, column), CARDINALITIES[column]);
    assert_zip_codes_are_skewed(t, 800, 1600, 480000, 520000);
    assert_columns_depend_on_each_other(t);
    assert_days_have_seasons(t);
    table_free(t);
}

static void prices_end_as_shops_like_them(void **state) {
    table *t = table_make(*state, COMPLETE_ROWS, 3);
    for (unsigned cents = 0; cents < SPACE; cents++)
        if (t->counts[PRICE][cents] > 0) {
            unsigned ending = cents % 100;
            assert_true(ending == 0 || ending == 50 || ending == 95 || ending == 99);
            assert_in_range(cents, 400, 39900);
        }
    table_free(t);
}

/* A style is sold at its own price, or reduced to one near 80, 70 or 50 % of it. */
static void most_sales_are_at_the_full_price(void **state) {
    table *t = table_make(*state, COMPLETE_ROWS, DEFAULT_SEED);
    uint32_t full[1509] = {0};
    size_t n_full = 0;
    for (size_t row = 0; row < t->n_rows; row++) {
        uint32_t *price = &full[t->rows[row][STYLE] - 10001];
        if (t->rows[row][PRICE] > *price)
            *price = t->rows[row][PRICE];
    }
    for (size_t row = 0; row < t->n_rows; row++) {
        unsigned own = full[t->rows[row][STYLE] - 10001], price = t->rows[row][PRICE];
        unsigned cost = t->rows[row][COST];
        n_full += price == own;
        assert_true(price * 5 >= own * 2); /* the list is dense enough for that */
        assert_true(cost * 100 >= own * 37 && cost * 100 <= own * 56);
    }
    assert_in_range(n_full * 1000 / t->n_rows, 845, 860);
    table_free(t);
}

/* ---- hierarchies ---------------------------------------------------------------------------- */

typedef struct line {
    char *labels[MOST_LEVELS];
    unsigned n_labels;
} line;

static bool line_next(char **rest, line *out) {
    char *text = strsep(rest, "\n");
    *out = (line){0};
    if (!text || !*text)
        return false;
    for (char *label; (label = strsep(&text, ";")); out->n_labels++) {
        assert_true(out->n_labels < MOST_LEVELS && *label);
        out->labels[out->n_labels] = label;
    }
    return true;
}

static bool is_amount(unsigned column) {
    return column == PRICE || column == COST;
}

static int labels_compare(unsigned column, const char *a, const char *b) {
    if (!is_amount(column) || strcmp(a, b) == 0)
        return strcmp(a, b);
    return value_parse(column, a, strlen(a)) < value_parse(column, b, strlen(b)) ? -1 : 1;
}

/* Lines are ascending at every level, so that equal labels stand together; and equal labels have
 * equal ones above them. Counts the labels of each level. */
static void hierarchy_check(fixture *f, unsigned column, const table *t,
                            unsigned n_labels[MOST_LEVELS]) {
    char name[32];
    snprintf(name, sizeof name, "%s.csv", NAMES[column]);
    char *text = file_read(in_directory(f, name), NULL), *rest = text;
    line last = {0}, next;
    unsigned n_met = 0;
    memset(n_labels, 0, MOST_LEVELS * sizeof *n_labels);
    for (; line_next(&rest, &next); last = next) {
        assert_int_equal(next.n_labels, HEIGHTS[column] + 1);
        assert_string_equal(next.labels[HEIGHTS[column]], "*");
        unsigned value = value_parse(column, next.labels[0], strlen(next.labels[0]));
        n_met += t->counts[column][value] > 0;
        for (unsigned level = 0; level < next.n_labels; level++) {
            int order = last.n_labels == 0
                            ? -1
                            : labels_compare(column, last.labels[level], next.labels[level]);
            assert_true(order < 0 || (order == 0 && level > 0));
            n_labels[level] += order < 0;
            if (order == 0 && level < HEIGHTS[column])
                assert_string_equal(last.labels[level + 1], next.labels[level + 1]);
        }
    }
    assert_int_equal(n_met, distinct(t, column)); /* a line for every value */
    free(text);
}

static void hierarchies_cover_all_values_nest_and_have_the_papers_heights(void **state) {
    fixture *f = *state;
    static const uint64_t sizes[] = {100, COMPLETE_ROWS};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned n[COLUMNS][MOST_LEVELS];
        table *t = table_make(f, sizes[i], 5);
        assert_int_equal(files_in(f->directory, false), COLUMNS + 1);
        for (unsigned column = 0; column < COLUMNS; column++) {
            hierarchy_check(f, column, t, n[column]);
            assert_int_equal(n[column][0], CARDINALITIES[column]);
            assert_int_equal(n[column][HEIGHTS[column]], 1);
        }
        assert_in_range(n[ZIPCODE][1], 5000, 10000);
        assert_int_equal(n[ZIPCODE][2], 900);
        assert_in_range(n[ZIPCODE][3], 90, 100);
        assert_int_equal(n[ZIPCODE][4], 10);
        assert_int_equal(n[DATE][1], 11);
        assert_int_equal(n[DATE][2], 4);
        table_free(t);
    }
}

/* Labels are what the value says, with less and less of it. */
static void labels_are_cut_from_their_values(void **state) {
    fixture *f = *state;
    assert_int_equal(generate(f, 1, 5, NULL, f->directory), KAN_OK);
    for (unsigned column = 0; column < COLUMNS; column++) {
        char name[32], expected[32];
        snprintf(name, sizeof name, "%s.csv", NAMES[column]);
        char *text = file_read(in_directory(f, name), NULL), *rest = text;
        for (line next; line_next(&rest, &next);) {
            const char *value = next.labels[0];
            for (unsigned level = 1; level < HEIGHTS[column]; level++) {
                if (column == ZIPCODE) {
                    strcpy(expected, value);
                    memset(expected + 5 - level, '*', level);
                } else if (column == DATE && level == 1) {
                    snprintf(expected, sizeof expected, "%.7s", value);
                } else if (column == DATE) {
                    snprintf(expected, sizeof expected, "2003-Q%u",
                             (number_of(value + 5, 2) - 1) / 3 + 1);
                } else { /* the last digits become 0 */
                    unsigned cents = value_parse(column, value, strlen(value));
                    unsigned unit = level == 1 ? 10 : level == 2 ? 100 : 1000;
                    cents = cents / unit * unit;
                    snprintf(expected, sizeof expected, "%u.%02u", cents / 100, cents % 100);
                }
                assert_string_equal(next.labels[level], expected);
            }
        }
        free(text);
    }
}

/* ---- the bytes ------------------------------------------------------------------------------ */

static void sales_bytes_depend_on_seed_and_rows_alone(void **state) {
    fixture *f = *state;
    uint64_t first = sales_hash(f, 4000, 1);
    assert_true(first == sales_hash(f, 4000, 1));
    assert_true(first != sales_hash(f, 4000, 2));
    assert_true(first != sales_hash(f, 4000, 0));
    assert_true(first != sales_hash(f, 4001, 1));
}

/* The same on every platform and in every release: published figures rest on it. */
static void sales_bytes_are_those_of_the_first_release(void **state) {
    assert_int_equal(sales_hash(*state, 1000, 42), PINNED_SMALL);
    assert_int_equal(sales_hash(*state, COMPLETE_ROWS, DEFAULT_SEED), PINNED_COMPLETE);
}

/* ---- memory and interruptions --------------------------------------------------------------- */

static void sales_memory_does_not_grow_with_the_rows(void **state) {
    fixture *f = *state;
    const kan_generator_kind *kind = &kan_generator_sales;
    assert_int_equal(kind->generate(f->run, 10, 1, "/dev/null", NULL, false), KAN_OK);
    uint64_t small = kan_run_peak_memory(f->run);
    assert_int_equal(kind->generate(f->run, 400000, 1, "/dev/null", NULL, false), KAN_OK);
    assert_int_equal(kan_run_peak_memory(f->run), small);
    assert_true(small < 2 << 20);
}

/* The budget runs out at every larger allocation in turn. */
static void too_little_memory_leaves_nothing(void **state) {
    fixture *f = *state;
    kan_status status = KAN_FAILED;
    unsigned failures = 0;
    for (uint64_t budget = 1; status != KAN_OK; budget += 1 + budget / 16) {
        kan_run_set_memory(f->run, budget);
        status = generate(f, 10, 1, "t.csv", f->directory);
        assert_true(budget < 1 << 24);
        if (status == KAN_OK)
            break;
        failures++;
        assert_int_equal(status, KAN_FAILED);
        assert_int_equal(files_in(f->directory, false), 0);
    }
    assert_true(failures > 100);
    assert_int_equal(files_in(f->directory, false), COLUMNS + 1);
}

static void cancel(void *user, const kan_progress *progress) {
    assert_string_equal(progress->stage, "generate");
    assert_int_equal(progress->total, 1000000);
    kan_run_cancel(user);
}

static void a_cancel_leaves_nothing(void **state) {
    fixture *f = *state;
    kan_run_on_progress(f->run, cancel, f->run);
    assert_int_equal(generate(f, 1000000, 1, "t.csv", f->directory), KAN_CANCELLED);
    assert_int_equal(files_in(f->directory, false), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(sales_are_of_the_papers_size_by_default),
        TEST(complete_sales_show_every_value),
        TEST(small_sales_have_as_many_rows_as_asked_for),
        TEST(a_larger_table_holds_the_smaller_ones),
        TEST(rare_zip_codes_are_spread_over_the_table),
        TEST(complete_sales_have_the_shape_that_is_described),
        TEST(sales_of_the_papers_size_show_every_value),
        TEST(prices_end_as_shops_like_them),
        TEST(most_sales_are_at_the_full_price),
        TEST(hierarchies_cover_all_values_nest_and_have_the_papers_heights),
        TEST(labels_are_cut_from_their_values),
        TEST(sales_bytes_depend_on_seed_and_rows_alone),
        TEST(sales_bytes_are_those_of_the_first_release),
        TEST(sales_memory_does_not_grow_with_the_rows),
        TEST(too_little_memory_leaves_nothing),
        TEST(a_cancel_leaves_nothing),
    };
    return cmocka_run_group_tests_name("generate sales", tests, NULL, NULL);
}
