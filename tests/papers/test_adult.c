/* The Adult table with the hierarchies of Incognito's Figure 9: node counts, anonymous nodes, and
 * the node that shows that with suppression the best node need not be minimal.
 *
 * The data is not part of the sources. It is looked for in the folder that the environment variable
 * KANON_DATA names, then beside the sources in ../shared/data; without it the tests are skipped. */
#include "support/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

enum { N_COLUMNS = 9 };

static const char *const columns[N_COLUMNS] = {
    "age",        "gender",     "race",        "marital-status", "education", "native-country",
    "work-class", "occupation", "salary-class"};

/* The file as a text, NULL when it is not there. */
static char *read_text(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/adult/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

typedef struct {
    char *rows, *hierarchies[N_COLUMNS];
} adult;

static void adult_destroy(adult *data) {
    free(data->rows);
    for (unsigned i = 0; i < N_COLUMNS; i++)
        free(data->hierarchies[i]);
}

static void adult_read(adult *out) {
    const char *folders[] = {getenv("KANON_DATA"), KANON_TESTS_DIR "/../../shared/data"};
    const char *folder = NULL;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 2 && !out->rows; i++)
        if (folders[i])
            out->rows = read_text(folder = folders[i], "adult.csv");
    if (!out->rows) {
        print_message("skipped: no adult/adult.csv in $KANON_DATA or ../shared/data\n");
        skip();
    }
    for (unsigned i = 0; i < N_COLUMNS; i++) {
        char name[128];
        snprintf(name, sizeof name, "hierarchies/%s.csv", columns[i]);
        out->hierarchies[i] = read_text(folder, name);
        assert_non_null(out->hierarchies[i]);
    }
}

/* The problem of the first n columns. */
static void adult_problem(kan_run *run, const adult *data, unsigned n, test_problem *out) {
    static const unsigned first[N_COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    plain_table plain;
    plain_parse(strchr(data->rows, '\n') + 1, n, first, (const char *const *)data->hierarchies,
                &plain);
    assert_int_equal(plain.n_rows, 45222);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}

static void node_counts_and_anonymous_nodes_are_those_of_the_data(void **state) {
    (void)state;
    static const uint64_t nodes[] = {20, 60, 240, 720, 2160, 6480, 12960};
    static const uint64_t anonymous[] = {10, 22, 53, 64, 112, 156, 234};
    adult data;
    adult_read(&data);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 2);
    for (unsigned n = 3; n <= N_COLUMNS; n++) {
        test_problem made;
        test_asked asked;
        kan_answer answer;
        adult_problem(run, &data, n, &made);
        test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
        EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
        assert_int_equal(answer.n_nodes, nodes[n - 3]);
        assert_int_equal(answer.n_anonymous, anonymous[n - 3]);
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
        test_problem_destroy(&made);
    }
    kan_run_destroy(run);
    adult_destroy(&data);
}

static void with_suppression_the_best_node_is_not_the_minimal_one(void **state) {
    (void)state;
    adult data;
    adult_read(&data);
    kan_run *run = kan_run_create();
    test_problem made;
    test_asked asked;
    kan_answer answer;
    adult_problem(run, &data, 3, &made);
    test_question question = {.cost = &kan_cost_discernibility, .k = 5, .limit = 45222 / 100};
    test_ask(&made, &question, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    assert_int_equal(answer.n_minimal, 1);
    assert_memory_equal(answer.minimal, ((uint8_t[]){0, 0, 0}), 3);
    assert_memory_equal(answer.recoding.levels, ((unsigned[]){0, 0, 1}), 3 * sizeof(unsigned));
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
    adult_destroy(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_counts_and_anonymous_nodes_are_those_of_the_data),
        cmocka_unit_test(with_suppression_the_best_node_is_not_the_minimal_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
