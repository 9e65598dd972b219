/* analyze/certificate/certificate.h and job/verify/certificate_file.h: covering the lattice,
 * checksums, the file's form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/certificate/certificate_inside.h"
#include "job/settings/job.h"
#include "job/verify/certificate_file.h"
#include "support/plain.h"

/* ---- covering the lattice ------------------------------------------------------------------- */

static void set_nodes(kan_certificate *c, kan_certificate_nodes *nodes, const uint8_t *levels,
                      size_t n) {
    EXPECT_OK(c->run, kan_certificate_reserve(c, nodes, n));
    if (n)
        memcpy(nodes->levels, levels, n * c->n_attributes);
}

/* A lattice of n attributes, all of that height. */
static void make_lattice(kan_run *run, unsigned n, unsigned height, kan_certificate *out) {
    kan_certificate_init(out, run);
    out->n_attributes = n;
    for (unsigned a = 0; a < n; a++) {
        out->attributes[a].name = "x";
        out->attributes[a].height = out->attributes[a].highest = height;
    }
}

static void a_lattice_of_any_size_is_covered_by_a_few_nodes(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_certificate c;
    kan_covering covering;
    uint8_t minimal[64] = {0}, failing[64];
    make_lattice(run, 64, 64, &c); /* 65^64 nodes */
    minimal[7] = 5;
    memset(failing, 64, sizeof failing);
    failing[7] = 4;
    set_nodes(&c, &c.minimal, minimal, 1);
    set_nodes(&c, &c.failing, failing, 1);
    EXPECT_OK(run, kan_certificate_cover(&c, &covering));
    assert_true(covering.is_covered);
    assert_false(covering.is_countable);
    c.failing.levels[7] = 3; /* level 4 of attribute 7 is spoken of nowhere */
    EXPECT_OK(run, kan_certificate_cover(&c, &covering));
    assert_false(covering.is_covered);
    assert_int_equal(covering.hole[7], 4);
    kan_certificate_destroy(&c);
    kan_run_destroy(run);
}

static void without_any_node_the_bottom_is_a_hole(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_certificate c;
    kan_covering covering;
    make_lattice(run, 3, 2, &c);
    set_nodes(&c, &c.minimal, NULL, 0);
    set_nodes(&c, &c.failing, NULL, 0);
    EXPECT_OK(run, kan_certificate_cover(&c, &covering));
    assert_false(covering.is_covered);
    assert_memory_equal(covering.hole, ((uint8_t[]){0, 0, 0}), 3);
    kan_certificate_destroy(&c);
    kan_run_destroy(run);
}

/* A monotone function of all nodes: the weighted sum of levels reaches a threshold. */
enum { N_ATTRIBUTES = 8, HEIGHT = 3, N_NODES = 1 << 2 * N_ATTRIBUTES };

static unsigned level_of(uint32_t node, unsigned a) {
    return node >> 2 * (N_ATTRIBUTES - 1 - a) & 3;
}

static unsigned sum_of(uint32_t node, const unsigned *weights) {
    unsigned sum = 0;
    for (unsigned a = 0; a < N_ATTRIBUTES; a++)
        sum += weights[a] * level_of(node, a);
    return sum;
}

/* The nodes next to the threshold; `below` is the side. Returns their number. */
static size_t edge_nodes(const unsigned *weights, unsigned threshold, bool below, uint8_t *out) {
    size_t n = 0;
    for (uint32_t node = 0; node < N_NODES; node++) {
        unsigned sum = sum_of(node, weights);
        bool is_edge = below ? sum < threshold : sum >= threshold;
        for (unsigned a = 0; a < N_ATTRIBUTES && is_edge; a++) {
            unsigned level = level_of(node, a);
            if (below ? level < HEIGHT : level > 0)
                is_edge = below ? sum + weights[a] >= threshold : sum - weights[a] < threshold;
        }
        for (unsigned a = 0; is_edge && a < N_ATTRIBUTES; a++)
            out[n * N_ATTRIBUTES + a] = (uint8_t)level_of(node, a);
        n += is_edge;
    }
    return n;
}

/* Whether the list has a node below (or, of failing nodes, above) the given one. */
static bool speaks_of(const kan_certificate_nodes *nodes, bool is_failing, const uint8_t *node) {
    for (size_t i = 0; i < nodes->n; i++) {
        const uint8_t *levels = nodes->levels + i * N_ATTRIBUTES;
        unsigned a = 0;
        while (a < N_ATTRIBUTES && (is_failing ? levels[a] >= node[a] : levels[a] <= node[a]))
            a++;
        if (a == N_ATTRIBUTES)
            return true;
    }
    return false;
}

static void every_removed_node_leaves_a_hole(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    uint8_t *minimal = malloc((size_t)N_NODES * N_ATTRIBUTES),
            *failing = malloc((size_t)N_NODES * N_ATTRIBUTES);
    assert_true(minimal && failing);
    uint64_t random = 5;
    for (unsigned round = 0; round < 4; round++) {
        unsigned weights[N_ATTRIBUTES], threshold = 0, n_satisfying = 0;
        for (unsigned a = 0; a < N_ATTRIBUTES; a++) {
            weights[a] = 1 + (unsigned)kan_random_below(&random, 20);
            threshold += weights[a];
        }
        threshold += (unsigned)kan_random_below(&random, threshold);
        for (uint32_t node = 0; node < N_NODES; node++)
            n_satisfying += sum_of(node, weights) >= threshold;
        size_t n_minimal = edge_nodes(weights, threshold, false, minimal);
        size_t n_failing = edge_nodes(weights, threshold, true, failing);
        kan_certificate c;
        kan_covering covering;
        make_lattice(run, N_ATTRIBUTES, HEIGHT, &c);
        set_nodes(&c, &c.minimal, minimal, n_minimal);
        set_nodes(&c, &c.failing, failing, n_failing);
        EXPECT_OK(run, kan_certificate_cover(&c, &covering));
        assert_true(covering.is_covered);
        assert_int_equal(covering.n_nodes, N_NODES);
        assert_int_equal(covering.n_satisfying, n_satisfying);
        assert_false(covering.is_comparable[0] || covering.is_comparable[1]);
        for (unsigned turn = 0; turn < 4; turn++) {
            bool is_failing = turn % 2;
            size_t n = is_failing ? n_failing : n_minimal;
            size_t at = (size_t)kan_random_below(&random, n);
            const uint8_t *from = is_failing ? failing : minimal;
            kan_certificate_nodes *nodes = is_failing ? &c.failing : &c.minimal;
            set_nodes(&c, nodes, from, n);
            memmove(nodes->levels + at * N_ATTRIBUTES, nodes->levels + (at + 1) * N_ATTRIBUTES,
                    (n - at - 1) * N_ATTRIBUTES);
            nodes->n--;
            EXPECT_OK(run, kan_certificate_cover(&c, &covering));
            assert_false(covering.is_covered);
            assert_false(speaks_of(&c.minimal, false, covering.hole));
            assert_false(speaks_of(&c.failing, true, covering.hole));
            set_nodes(&c, nodes, from, n);
        }
        kan_certificate_destroy(&c);
    }
    free(minimal);
    free(failing);
    kan_run_destroy(run);
}

static void a_node_that_follows_from_another_is_found(void **state) {
    (void)state;
    static const uint8_t nodes[] = {0, 2, 0, /**/ 1, 0, 1, /**/ 1, 2, 0};
    kan_run *run = kan_run_create();
    kan_certificate c;
    kan_covering covering;
    make_lattice(run, 3, 2, &c);
    set_nodes(&c, &c.minimal, nodes, 3);
    set_nodes(&c, &c.failing, nodes, 2);
    EXPECT_OK(run, kan_certificate_cover(&c, &covering));
    assert_true(covering.is_comparable[0]);
    assert_false(covering.is_comparable[1]);
    assert_int_equal(covering.lower[0], 0);
    assert_int_equal(covering.upper[0], 2);
    kan_certificate_destroy(&c);
    kan_run_destroy(run);
}

/* ---- a real one ----------------------------------------------------------------------------- */

static const char rows[] = "34,Bonn\n35,Bonn\n36,Mainz\n61,Trier\n62,Trier\n63,Essen\n";
static const char *const hierarchies[] = {
    "34;30s;*\n35;30s;*\n36;30s;*\n61;60s;*\n62;60s;*\n63;60s;*\n",
    "Bonn;west;*\nMainz;south;*\nTrier;south;*\nEssen;west;*\n"};
static const unsigned columns[] = {0, 1};

static void make_data(const test_problem *made, kan_certificate_data *out) {
    *out = (kan_certificate_data){.table = made->table, .n_attributes = 2, .columns = {0, 1}};
    for (unsigned a = 0; a < 2; a++)
        out->hierarchies[a] = made->hierarchies[a];
}

static kan_checksum sum_of_rows(kan_run *run, const char *text, const char *first, unsigned a) {
    plain_table plain;
    test_problem made;
    kan_certificate_data data;
    kan_checksum sum;
    const char *both[] = {first, hierarchies[1]};
    plain_parse(text, 2, columns, both, &plain);
    test_problem_make(run, &plain, &made);
    make_data(&made, &data);
    if (a == 0)
        EXPECT_OK(run, kan_checksum_hierarchy(run, made.hierarchies[0], &sum));
    else
        EXPECT_OK(run, kan_checksum_table(&data, &sum));
    test_problem_destroy(&made);
    plain_destroy(&plain);
    return sum;
}

static bool is_same(kan_checksum a, kan_checksum b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

static void checksums_tell_tables_and_hierarchies_apart(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const char *own = hierarchies[0];
    kan_checksum table = sum_of_rows(run, rows, own, 1), tree = sum_of_rows(run, rows, own, 0);
    assert_true(is_same(table, sum_of_rows(run, rows, own, 1)));
    /* the order of rows does not matter; a value does, and which rows have it */
    assert_true(is_same(
        table,
        sum_of_rows(run, "63,Essen\n35,Bonn\n34,Bonn\n61,Trier\n36,Mainz\n62,Trier\n", own, 1)));
    assert_false(is_same(
        table,
        sum_of_rows(run, "34,Bonn\n35,Bonn\n36,Mainz\n61,Trier\n62,Essen\n63,Essen\n", own, 1)));
    assert_false(is_same(
        table,
        sum_of_rows(run, "34,Mainz\n35,Bonn\n36,Bonn\n61,Trier\n62,Trier\n63,Essen\n", own, 1)));
    /* the order of lines and the words of labels do not matter, what falls together does */
    assert_true(is_same(tree, sum_of_rows(run, rows,
                                          "61;old;*\n63;old;*\n62;old;*\n34;young;*\n36;young;*\n"
                                          "35;young;*\n",
                                          0)));
    assert_false(is_same(tree, sum_of_rows(run, rows,
                                           "34;30s;*\n35;30s;*\n36;60s;*\n61;60s;*\n62;60s;*\n"
                                           "63;60s;*\n",
                                           0)));
    /* an absent value widens the domain */
    assert_false(is_same(tree, sum_of_rows(run, rows,
                                           "34;30s;*\n35;30s;*\n36;30s;*\n61;60s;*\n62;60s;*\n"
                                           "63;60s;*\n99;90s;*\n",
                                           0)));
    kan_run_destroy(run);
}

/* ---- the optimum ---------------------------------------------------------------------------- */

/* All rows may be suppressed: every node satisfies, and the bottom is the only minimal one. */
static void without_the_time_to_look_the_optimum_is_not_checked(void **state) {
    (void)state;
    static const uint8_t bottom[] = {0, 0};
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    kan_certificate_data data;
    kan_certificate c;
    kan_certificate_report report;
    kan_subject subject;
    kan_optimum optimum;
    kan_counted counted;
    plain_parse(rows, 2, columns, hierarchies, &plain);
    test_problem_make(run, &plain, &made);
    make_data(&made, &data);
    make_lattice(run, 2, 2, &c);
    c.k = 2;
    c.limit = 6;
    c.solution.cost = "discernibility";
    c.solution.levels[0] = 1; /* 30s and 60s, three rows each */
    c.solution.levels[1] = 2;
    c.solution.value = (kan_certificate_cost){true, true, 18, 18};
    c.solution.is_optimal = true;
    set_nodes(&c, &c.minimal, bottom, 1);
    set_nodes(&c, &c.failing, NULL, 0);
    EXPECT_OK(run, kan_certificate_make(&c, &data));
    EXPECT_OK(run, kan_certificate_check(&c, &data, 0, &report));
    if (!report.holds)
        fail_msg("%s", report.faults.bytes);
    assert_int_equal(report.optimality, KAN_OPTIMALITY_PROVEN);
    assert_true(report.n_measured > 1);
    EXPECT_OK(run, kan_subject_make(run, &data, &subject));
    EXPECT_OK(run, kan_count_nodes(&subject, &c, true, c.solution.levels, 1, &counted));
    EXPECT_OK(run, kan_certificate_optimum(&subject, &c, &counted, NULL, 1, &optimum));
    assert_int_equal(optimum.optimality, KAN_OPTIMALITY_NOT_CHECKED);
    c.solution.is_optimal = false;
    EXPECT_OK(run, kan_certificate_optimum(&subject, &c, &counted, NULL, 1, &optimum));
    assert_int_equal(optimum.optimality, KAN_OPTIMALITY_NOT_CLAIMED);
    kan_subject_destroy(&subject);
    kan_certificate_report_destroy(&report);
    kan_certificate_destroy(&c);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

/* ---- the file ------------------------------------------------------------------------------- */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void set(kan_job *job, const char *name, const char *value) {
    assert_int_equal(kan_job_set(job, name, value), KAN_OK);
}

static kan_table *people(kan_run *run) {
    static const char *const names[] = {"age", "city"};
    static const char *const cells[][2] = {{"34", "Bonn"},  {"35", "Bonn"},  {"36", "Mainz"},
                                           {"61", "Trier"}, {"62", "Trier"}, {"63", "Essen"}};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, 2, names, &table));
    for (size_t i = 0; i < 6; i++)
        EXPECT_OK(run, kan_table_add_row(table, cells[i]));
    return table;
}

/* The certificate of the people, searched with these settings; freed by the caller. */
static char *certify(kan_run *run, const char *command, const char *suppress, const char *threads) {
    char path[] = "/tmp/kanon-certificate-XXXXXX";
    kan_table *table = people(run);
    kan_job *job;
    kan_result *result;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    set(job, "qi", "age=intervals:10,30,city=prefix:1");
    set(job, "k", "2");
    set(job, "suppress", suppress);
    set(job, "threads", threads);
    set(job, "force", NULL);
    set(job, "certificate", path);
    EXPECT_OK(run, kan_job_run(job, command, &result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    char *text = read_file(path);
    unlink(path);
    return text;
}

static void a_certificate_holds_no_value_and_no_label(void **state) {
    (void)state;
    static const char *const secrets[] = {"34",   "35",    "36",    "61",    "62",    "63",
                                          "Bonn", "Mainz", "Trier", "Essen", "30-39", "*"};
    kan_run *run = kan_run_create();
    char *text = certify(run, "search", "1", "2");
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        /* digits may stand in a checksum */
        for (const char *at = text; (at = strstr(at, secrets[i])) != NULL; at++) {
            const char *quote = at;
            while (quote > text && *quote != '"' && *quote != '\n')
                quote--;
            if (!(*quote == '"' && strcspn(quote + 1, "\"") == 32))
                fail_msg("%s stands in the certificate:\n%s", secrets[i], text);
        }
    }
    free(text);
    kan_run_destroy(run);
}

static void the_bytes_do_not_depend_on_threads(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (unsigned i = 0; i < 2; i++) {
        const char *command = i ? "anonymize" : "search";
        char *one = certify(run, command, "2", "1"), *three = certify(run, command, "2", "3");
        assert_string_equal(one, three);
        free(one);
        free(three);
    }
    kan_run_destroy(run);
}

/* Replaces the first `from` by `to` in a copy of the text. */
static char *replace(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("%s is not in the certificate:\n%s", from, text);
    size_t before = (size_t)(at - text), size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
    return out;
}

static void what_is_not_a_certificate_is_refused(void **state) {
    (void)state;
    static const char *const edits[][2] = {
        {"kanon-certificate", "kanon-result"},
        {"\"version\": 2", "\"version\": 1"},
        {"\"version\": 2", "\"version\": \"2\""},
        {"\"kanon\":", "\"kamon\":"},
        {"\"rows\": 6", "\"rows\": -6"},
        {"\"rows\": 6", "\"rows\": 0"},
        {"\"rows\": 6", "\"rows\": 6.5"},
        {"\"rows\": 6,", "\"rows\": 6, \"rows\": 6,"},
        {"\"rows\": 6,", "\"rows\": 6, \"columns\": 2,"},
        {"\"name\": \"city\"", "\"name\": \"age\""},
        {"\"name\": \"city\"", "\"name\": 5"},
        {"\"height\": 2", "\"height\": 65"},
        {"\"height\": 2", "\"height\": 0"},
        {"\"height\": 2", "\"weight\": 1.0, \"height\": 2"},
        {"\"class\": null", "\"class\": \"age\""},
        {"\"class\": null", "\"class\": 1"},
        {"k-anonymity", "l-diversity"},
        {"\"k\": 2", "\"k\": 0"},
        {"\"k\": 2", "\"k\": 7"},
        {"\"k\": 2}", "\"k\": 2}, {\"model\": \"k-anonymity\", \"k\": 3}"},
        {"\"limit\": 1", "\"limit\": 7"},
        {"\"limit\": 1", "\"limit\": -1"},
        {"discernibility", "beauty"},
        {"\"cost\":", "\"price\":"},
        {"\"value\": ", "\"value\": -"},
        {"\"optimal\": true", "\"optimal\": 1"},
        {"\"must_release\": true", "\"must_release\": null"},
        {"\"minimal\": [\n  {\"levels\": [", "\"minimal\": [\n  {\"levels\": [0,"},
        {"\"minimal\": [\n  {\"levels\": [", "\"minimal\": [\n  {\"levels\": [9"},
        {"\"minimal\": [", "\"minimal\": [5,"},
        {"\"failing\": [", "\"failing\": [[],"},
        {"\"failing\": [", "\"failing\": {}, \"x\": ["},
        {"\"checksum\": \"", "\"checksum\": \"0"},
        {"\"checksum\": \"", "\"checksum\": \""
                             "X"},
        {"]}\n", "]}\n]"},
        {"{", "["},
    };
    kan_run *run = kan_run_create();
    char *text = certify(run, "search", "1", "1");
    kan_certificate c;
    EXPECT_OK(run, kan_certificate_parse(run, "c", text, strlen(text), &c));
    kan_certificate_destroy(&c);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *changed = replace(text, edits[i][0], edits[i][1]);
        kan_status status = kan_certificate_parse(run, "c", changed, strlen(changed), &c);
        if (status != KAN_BAD_INPUT || strncmp(kan_run_error(run), "c:", 2) != 0)
            fail_msg("%s for %s: status %d, %s", edits[i][1], edits[i][0], status,
                     kan_run_error(run));
        kan_certificate_destroy(&c);
        free(changed);
    }
    for (size_t size = 0; size < strlen(text) - 1; size += 7) {
        assert_int_equal(kan_certificate_parse(run, "c", text, size, &c), KAN_BAD_INPUT);
        kan_certificate_destroy(&c);
    }
    free(text);
    kan_run_destroy(run);
}

static void a_table_given_for_a_certificate_is_not_quoted(void **state) {
    (void)state;
    static const char text[] = "name,age\nAnn,34\n";
    kan_run *run = kan_run_create();
    kan_certificate c;
    assert_int_equal(kan_certificate_parse(run, "c", text, sizeof text - 1, &c), KAN_BAD_INPUT);
    assert_null(strstr(kan_run_error(run), "Ann"));
    assert_null(strstr(kan_run_error(run), "name"));
    kan_certificate_destroy(&c);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lattice_of_any_size_is_covered_by_a_few_nodes),
        cmocka_unit_test(without_any_node_the_bottom_is_a_hole),
        cmocka_unit_test(every_removed_node_leaves_a_hole),
        cmocka_unit_test(a_node_that_follows_from_another_is_found),
        cmocka_unit_test(checksums_tell_tables_and_hierarchies_apart),
        cmocka_unit_test(without_the_time_to_look_the_optimum_is_not_checked),
        cmocka_unit_test(a_certificate_holds_no_value_and_no_label),
        cmocka_unit_test(the_bytes_do_not_depend_on_threads),
        cmocka_unit_test(what_is_not_a_certificate_is_refused),
        cmocka_unit_test(a_table_given_for_a_certificate_is_not_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
