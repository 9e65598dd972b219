/* --level with searches whose cells have levels of their own: no cell is shown more generally than the
 * highest level that was said, or less than the lowest, whatever else is improved or taken over. */
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random_problem.h"

enum { N_COLUMNS = 3, MOST_ROWS = 60 };

/* Values are numbers; the label of a level begins with its letter, and * is the top. */
typedef struct {
    const char *name, *letters;
    unsigned n_values, width[3]; /* values of a label, by level */
} column_kind;

static const column_kind kinds[N_COLUMNS] = {
    {"a", "lm*", 40, {5, 20, 40}}, {"b", "l*", 8, {4, 8}}, {"c", "*", 4, {4}}};

static size_t n_released;

static void make_hierarchy(const column_kind *kind, char *path) {
    strcpy(path, "/tmp/kanon-levels-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (unsigned value = 0; value < kind->n_values; value++) {
        fprintf(file, "%u", value);
        for (unsigned i = 0; kind->letters[i]; i++)
            if (kind->letters[i] == '*')
                fprintf(file, ";*\n");
            else
                fprintf(file, ";%c%u", kind->letters[i], value / kind->width[i]);
    }
    assert_int_equal(fclose(file), 0);
}

static kan_table *make_table(kan_run *run, uint64_t *random) {
    const char *cells[N_COLUMNS];
    char numbers[N_COLUMNS][16];
    kan_table *table;
    for (unsigned c = 0; c < N_COLUMNS; c++)
        cells[c] = kinds[c].name;
    EXPECT_OK(run, kan_table_create(run, N_COLUMNS, cells, &table));
    for (uint64_t n = 8 + kan_random_below(random, MOST_ROWS - 8); n > 0; n--) {
        for (unsigned c = 0; c < N_COLUMNS; c++) {
            snprintf(numbers[c], sizeof numbers[c], "%u",
                     (unsigned)kan_random_below(random, kinds[c].n_values));
            cells[c] = numbers[c];
        }
        EXPECT_OK(run, kan_table_add_row(table, cells));
    }
    return table;
}

static unsigned level_of(const column_kind *kind, char first) {
    const char *at = strchr(kind->letters, first);
    return at ? 1 + (unsigned)(at - kind->letters) : 0;
}

static void expect_levels(const kan_table *release, const unsigned *low, const unsigned *high,
                          const char *search) {
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++)
        for (unsigned c = 0; c < N_COLUMNS; c++) {
            size_t size;
            const char *shown = kan_table_value(release, row, c, &size);
            const unsigned level = level_of(&kinds[c], shown[0]);
            if (level < low[c] || level > high[c])
                fail_msg("%s: %s is shown as %.*s, levels are %u to %u", search, kinds[c].name,
                         (int)size, shown, low[c], high[c]);
        }
}

static void ask(kan_run *run, kan_table *table, uint64_t *random, char paths[][32]) {
    static const char *const searches[] = {"iterate", "iterate", "progressive", "top-down"};
    static const char *const costs[] = {"ncp", "discernibility", "precision", "average-class"};
    static const char *const limits[] = {"0", "10%", "all"};
    const char *search = searches[kan_random_below(random, 4)];
    unsigned low[N_COLUMNS], high[N_COLUMNS];
    char text[64];
    kan_result *result;
    kan_job *job;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (unsigned c = 0; c < N_COLUMNS; c++) {
        const size_t height = strlen(kinds[c].letters);
        high[c] =
            (unsigned)(c == 2 ? kan_random_below(random, 2) : 1 + kan_random_below(random, height));
        low[c] = (unsigned)kan_random_below(random, high[c] + UINT64_C(1));
        snprintf(text, sizeof text, "%s=%s", kinds[c].name, paths[c]);
        EXPECT_OK(run, kan_job_set(job, "qi", text));
        snprintf(text, sizeof text, "%s=%u..%u", kinds[c].name, low[c], high[c]);
        EXPECT_OK(run, kan_job_set(job, "level", text));
    }
    EXPECT_OK(run, kan_job_set(job, "k", kan_random_below(random, 2) ? "2" : "3"));
    EXPECT_OK(run, kan_job_set(job, "suppress", limits[kan_random_below(random, 3)]));
    EXPECT_OK(run, kan_job_set(job, "algorithm", search));
    if (kan_random_below(random, 4))
        EXPECT_OK(run, kan_job_set(job, "cost", costs[kan_random_below(random, 4)]));
    const kan_status status = kan_job_run(job, "anonymize", &result);
    kan_job_destroy(job);
    if (status == KAN_UNSATISFIED)
        return;
    EXPECT_OK(run, status);
    expect_levels(kan_result_table(result), low, high, search);
    kan_result_destroy(result);
    n_released++;
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 65537;
    char paths[N_COLUMNS][32];
    for (unsigned c = 0; c < N_COLUMNS; c++)
        make_hierarchy(&kinds[c], paths[c]);
    kan_table *table = make_table(run, &random);
    for (int i = 0; i < 3; i++)
        ask(run, table, &random, paths);
    kan_table_destroy(table);
    for (unsigned c = 0; c < N_COLUMNS; c++)
        unlink(paths[c]);
}

static void cells_stay_within_the_levels_that_were_said(void **state) {
    (void)state;
    n_released = 0;
    random_rounds(150, one_table);
    print_message("%zu released\n", n_released);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_released > 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(cells_stay_within_the_levels_that_were_said, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
