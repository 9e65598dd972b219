/* The wide census: the rules of its model, hierarchies that hold every value, columns that depend on
 * others as it says, and the same bytes everywhere. Files in general are test_generate.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "generate/generate.h"
#include "generate/wide_census_model.h"

enum { ROWS = 20000, MOST_LEVELS = 8 };

/* Of 1,000 rows of seed 42, and of the default table. */
#define PINNED_SMALL   0xc11c439cbdc89d71u
#define PINNED_DEFAULT 0x6206cd05b4319e72u

typedef struct fixture {
    kan_run *run;
    char directory[64], path[160];
} fixture;

/* Valid until the next call. */
static const char *path_of(fixture *f, const char *name) {
    snprintf(f->path, sizeof f->path, "%s/%s.csv", f->directory, name);
    return f->path;
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->run = kan_run_create();
    assert_non_null(f->run);
    strcpy(f->directory, "/tmp/kanon-wide-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++)
        unlink(path_of(f, kan_wide_domains[column].name));
    unlink(path_of(f, "table"));
    assert_int_equal(rmdir(f->directory), 0);
    kan_run_destroy(f->run);
    free(f);
    return 0;
}

static char *file_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    text[*size] = '\0';
    return text;
}

static char *generate(fixture *f, uint64_t rows, uint64_t seed, size_t *size) {
    assert_int_equal(kan_generator_wide_census.generate(f->run, rows, seed, path_of(f, "table"),
                                                        f->directory, true),
                     KAN_OK);
    return file_read(path_of(f, "table"), size);
}

/* ---- the model ------------------------------------------------------------------------------ */

static unsigned n_classes(unsigned column) {
    const kan_wide_domain *domain = &kan_wide_domains[column];
    unsigned n = 0;
    for (unsigned value = 0; domain->classes && value < domain->n_values; value++)
        n = domain->classes[value] - '0' >= (int)n ? (unsigned)(domain->classes[value] - '0') + 1
                                                   : n;
    return domain->classes ? n : domain->n_values;
}

/* Returns how many of the rows have a dot. */
static unsigned check_driver(unsigned column, const struct kan_wide_driver *driver) {
    unsigned n_dotted = 0, n = 0;
    const unsigned expected = driver->column == KAN_WIDE_ALONE ? 1 : n_classes(driver->column);
    assert_true(driver->column < column || driver->column == KAN_WIDE_ALONE);
    for (; n < KAN_WIDE_CLASSES && driver->factors[n]; n++) {
        const char *factors = driver->factors[n];
        assert_in_range(strlen(factors), 1, kan_wide_domains[column].n_values);
        assert_int_equal(strspn(factors, ".0123456789"), strlen(factors));
        assert_true(strspn(factors, ".") < strlen(factors));
        n_dotted += strchr(factors, '.') != NULL;
    }
    assert_int_equal(n, expected);
    return n_dotted;
}

static void something_can_always_be_drawn(void **state) {
    (void)state;
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        const kan_wide_domain *domain = &kan_wide_domains[column];
        unsigned n_dotted = 0;
        assert_non_null(domain->drivers[0].factors[0]);
        for (unsigned i = 0; i < KAN_WIDE_DRIVERS && domain->drivers[i].factors[0]; i++)
            n_dotted += check_driver(column, &domain->drivers[i]) > 0;
        assert_true(n_dotted <= 1);
        if (domain->classes)
            assert_int_equal(strlen(domain->classes), domain->n_values);
    }
}

/* Each interval holds whole ones of the level below. */
static void intervals_are_nested(void **state) {
    (void)state;
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        const kan_wide_numbers *numbers = kan_wide_domains[column].numbers;
        if (!numbers)
            continue;
        assert_int_equal(numbers->widths[0] % numbers->step, 0);
        for (unsigned i = 1; i < KAN_WIDE_WIDTHS && numbers->widths[i] > 0; i++)
            assert_int_equal(numbers->widths[i] % numbers->widths[i - 1], 0);
    }
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The place of each value in its hierarchy file is its code here. */
typedef struct table {
    size_t n_rows;
    uint16_t codes[ROWS][KAN_WIDE_COLUMNS];
    size_t n_values[KAN_WIDE_COLUMNS];
    char *texts[KAN_WIDE_COLUMNS], *values[KAN_WIDE_COLUMNS][1024];
} table;

static void read_hierarchy(fixture *f, table *t, unsigned column) {
    size_t size, n_levels = 0;
    char *rest = t->texts[column] = file_read(path_of(f, kan_wide_domains[column].name), &size);
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        size_t n = 1;
        for (const char *at = line; (at = strchr(at, ';')); at++)
            n++;
        assert_true(n_levels == 0 || n == n_levels);
        n_levels = n;
        assert_string_equal(strrchr(line, ';'), ";*");
        *strchr(line, ';') = '\0';
        assert_true(t->n_values[column] < 1024);
        t->values[column][t->n_values[column]++] = line;
    }
    assert_in_range(n_levels, 2, MOST_LEVELS - 1);
}

static uint16_t code_of(const table *t, unsigned column, const char *value) {
    for (size_t i = 0; i < t->n_values[column]; i++)
        if (strcmp(t->values[column][i], value) == 0)
            return (uint16_t)i;
    fail_msg("%s: no line for '%s'", kan_wide_domains[column].name, value);
    return 0;
}

static table *read_table(fixture *f) {
    size_t size;
    table *t = calloc(1, sizeof *t);
    assert_non_null(t);
    char *text = generate(f, ROWS, 7, &size), *rest = text, *header = strsep(&rest, "\n");
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++) {
        assert_string_equal(strsep(&header, ","), kan_wide_domains[column].name);
        read_hierarchy(f, t, column);
    }
    assert_null(header);
    for (char *line; (line = strsep(&rest, "\n")) && *line; t->n_rows++)
        for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++)
            t->codes[t->n_rows][column] = code_of(t, column, strsep(&line, ","));
    assert_int_equal(t->n_rows, ROWS);
    free(text);
    return t;
}

static void table_free(table *t) {
    for (unsigned column = 0; column < KAN_WIDE_COLUMNS; column++)
        free(t->texts[column]);
    free(t);
}

/* Of the rows whose codes of `column` are in a range, in thousandths, those with other in another. */
static unsigned share(const table *t, unsigned column, unsigned least, unsigned most,
                      unsigned other, unsigned other_least, unsigned other_most) {
    uint64_t all = 0, both = 0;
    for (size_t row = 0; row < t->n_rows; row++)
        if (t->codes[row][column] >= least && t->codes[row][column] <= most) {
            all++;
            both += t->codes[row][other] >= other_least && t->codes[row][other] <= other_most;
        }
    assert_true(all > 0);
    return (unsigned)(both * 1000 / all);
}

static void columns_depend_on_each_other(void **state) {
    enum { MARRIED = 1, WIDOWED = 5, RETIRED = 7, BACHELOR = 8, LAST = 1023 };
    table *t = read_table(*state);
    /* Codes of ages are ages, those of incomes thousands. */
    assert_int_equal(share(t, KAN_WIDE_AGE, 0, 14, KAN_WIDE_MARITAL, MARRIED, WIDOWED), 0);
    assert_true(share(t, KAN_WIDE_AGE, 35, 49, KAN_WIDE_MARITAL, MARRIED, MARRIED) > 500);
    assert_true(share(t, KAN_WIDE_AGE, 65, 95, KAN_WIDE_WORK, RETIRED, RETIRED) > 700);
    assert_true(share(t, KAN_WIDE_AGE, 25, 49, KAN_WIDE_WORK, RETIRED, RETIRED) < 20);
    assert_int_equal(share(t, KAN_WIDE_AGE, 0, 14, KAN_WIDE_INCOME, 1, LAST), 0);
    assert_true(share(t, KAN_WIDE_AGE, 0, 17, KAN_WIDE_CHILDREN, 1, 9) < 10);
    /* Leading occupations: with and without a university. */
    assert_true(share(t, KAN_WIDE_EDUCATION, BACHELOR, 11, KAN_WIDE_OCCUPATION, 1, 6) >
                5 * share(t, KAN_WIDE_EDUCATION, 0, 5, KAN_WIDE_OCCUPATION, 1, 6));
    /* At least six rooms, and rents from 1,000: codes are steps of 25. */
    assert_true(2 * share(t, KAN_WIDE_INCOME, 100, LAST, KAN_WIDE_ROOMS, 5, 11) >
                3 * share(t, KAN_WIDE_INCOME, 0, 29, KAN_WIDE_ROOMS, 5, 11));
    assert_true(2 * share(t, KAN_WIDE_DISTRICT, 0, 99, KAN_WIDE_RENT, 40, LAST) >
                3 * share(t, KAN_WIDE_DISTRICT, 400, 599, KAN_WIDE_RENT, 40, LAST));
    /* A heavy tail, and its end. */
    assert_in_range(share(t, KAN_WIDE_AGE, 0, 95, KAN_WIDE_INCOME, 200, LAST), 5, 40);
    table_free(t);
}

static void bytes_are_the_same_everywhere(void **state) {
    size_t size;
    char *small = generate(*state, 1000, 42, &size);
    assert_int_equal(kan_hash_bytes(small, size), PINNED_SMALL);
    free(small);
    char *whole = generate(*state, 0, 1, &size);
    assert_int_equal(kan_hash_bytes(whole, size), PINNED_DEFAULT);
    free(whole);
}

static void a_shorter_table_is_the_beginning_of_a_longer_one(void **state) {
    size_t short_size, long_size;
    char *less = generate(*state, 1500, 3, &short_size);
    char *more = generate(*state, 2500, 3, &long_size);
    assert_true(long_size > short_size);
    assert_memory_equal(less, more, short_size);
    free(more);
    more = generate(*state, 1500, 4, &long_size);
    assert_string_not_equal(less, more);
    free(more);
    free(less);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(something_can_always_be_drawn),
        cmocka_unit_test(intervals_are_nested),
        cmocka_unit_test_setup_teardown(columns_depend_on_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_are_the_same_everywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shorter_table_is_the_beginning_of_a_longer_one, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
