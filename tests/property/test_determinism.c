/* Same input, same options: same bytes out, on any number of threads.
 *
 * Whole jobs on generated census tables that are large enough for many blocks and tasks, run on 1,
 * 2, 3 and 8 threads: the release, byte for byte, and the JSON result apart from times and memory
 * must be those of one thread. A second run on the same number of threads must not differ
 * either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kanon.h"

enum { MOST_SETTINGS = 8 };

typedef struct {
    const char *title;
    const char *settings[MOST_SETTINGS][2];
} variant;

#define FIVE "age,gender,marital-status,education,salary-class"

static const variant variants[] = {
    {"plain", {{"qi", FIVE}, {"k", "3"}}},
    {"suppression", {{"qi", FIVE}, {"k", "10"}, {"suppress", "2%"}, {"cost", "ncp"}}},
    {"everything may be suppressed", {{"qi", FIVE}, {"k", "50"}, {"suppress", "all"}}},
    {"shuffled by a key",
     {{"qi", FIVE}, {"k", "3"}, {"suppress", "1%"}, {"shuffle-key", "key"}, {"seed", "9"}}},
    {"suppressed rows kept",
     {{"qi", FIVE}, {"k", "25"}, {"suppress", "5%"}, {"keep-suppressed", NULL}}},
    {"kept, shuffled by a key, ids left out",
     {{"qi", "age,race,education"},
      {"k", "7"},
      {"suppress", "100"},
      {"keep-suppressed", NULL},
      {"shuffle-key", "key"},
      {"id", "occupation,native-country"}}},
    {"a class column and its cost",
     {{"qi", "age,gender,education"},
      {"k", "5"},
      {"class", "salary-class"},
      {"cost", "classification"},
      {"suppress", "10"}}},
    {"every node, a promise that sizes do not decide",
     {{"qi", FIVE},
      {"k", "20"},
      {"sensitive", "occupation"},
      {"t", "0.2"},
      {"algorithm", "exhaustive"}}},
    {"every node, a promise of the whole table",
     {{"qi", FIVE}, {"k", "2"}, {"average-risk", "0.02"}, {"algorithm", "exhaustive"}}},
    {"nodes that k takes, checked one by one",
     {{"qi", FIVE}, {"k", "5"}, {"sensitive", "occupation"}, {"t", "0.3"}, {"suppress", "1%"}}},
    {"few quasi-identifiers, the rest passes through", {{"qi", "gender,race"}, {"k", "2"}}},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

typedef struct {
    char *release;
    size_t release_bytes;
    char *json;
} outcome;

static char home[] = "/tmp/kanon-determinism-XXXXXX";

static bool write_key(const char *path, const char *bytes) {
    FILE *file = fopen(path, "w");
    return file && fputs(bytes, file) >= 0 && chmod(path, 0600) == 0 && fclose(file) == 0;
}

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 && write_key("key", "sixteen bytes of one key") &&
                   write_key("other", "sixteen bytes of another")
               ? 0
               : -1;
}

static int remove_home(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

/* ---- running -------------------------------------------------------------------------------- */

static void set(kan_run *run, kan_job *job, const char *name, const char *value) {
    if (kan_job_set(job, name, value) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
}

static void generate(const char *rows, const char *seed) {
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result;
    assert_non_null(run);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    set(run, job, "generator", "census");
    set(run, job, "rows", rows);
    set(run, job, "seed", seed);
    set(run, job, "output", "census.csv");
    set(run, job, "hierarchies", "h");
    set(run, job, "force", "true");
    if (kan_job_run(job, "generate", &result) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
}

static char *take_bytes(const char *path, size_t *size) {
    struct stat info;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *bytes = malloc((size_t)info.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)info.st_size, file);
    assert_int_equal(*size, info.st_size);
    fclose(file);
    return bytes;
}

/* The text itself, not only its meaning: keys in the same order, numbers with the same digits. */
static char *timeless(const char *text) {
    json_error_t where;
    json_t *object = json_loads(text, 0, &where);
    assert_non_null(object);
    assert_int_equal(json_object_del(object, "time_ms"), 0);
    assert_int_equal(json_object_del(object, "peak_memory_bytes"), 0);
    char *dump = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    json_decref(object);
    return dump;
}

static void run_variant(const variant *wanted, const char *command, const char *threads,
                        outcome *out) {
    kan_run *run = kan_run_create();
    kan_job *job;
    kan_result *result;
    assert_non_null(run);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (size_t i = 0; i < MOST_SETTINGS && wanted->settings[i][0]; i++)
        set(run, job, wanted->settings[i][0], wanted->settings[i][1]);
    set(run, job, "input", "census.csv");
    set(run, job, "hierarchies", "h");
    set(run, job, "threads", threads);
    bool writes = strcmp(command, "anonymize") == 0;
    if (writes) {
        set(run, job, "output", "release.csv");
        set(run, job, "force", "true");
    }
    if (kan_job_run(job, command, &result) != KAN_OK)
        fail_msg("%s on %s threads: %s", wanted->title, threads, kan_run_error(run));
    *out = (outcome){.json = timeless(kan_result_json(result))};
    if (writes)
        out->release = take_bytes("release.csv", &out->release_bytes);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
}

static void drop(outcome *old) {
    free(old->release);
    free(old->json);
}

static void compare(const variant *wanted, const char *command, const char *threads,
                    const outcome *reference) {
    outcome now;
    run_variant(wanted, command, threads, &now);
    if (strcmp(now.json, reference->json) != 0)
        fail_msg("%s, %s threads: another result:\n%s\n%s", wanted->title, threads, now.json,
                 reference->json);
    if (now.release_bytes != reference->release_bytes ||
        (now.release && memcmp(now.release, reference->release, now.release_bytes) != 0))
        fail_msg("%s, %s threads: another release", wanted->title, threads);
    drop(&now);
}

static void compare_all(const char *command) {
    static const char *const threads[] = {"1", "2", "3", "8"};
    for (size_t v = 0; v < N_VARIANTS; v++) {
        outcome reference;
        run_variant(&variants[v], command, "1", &reference);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            compare(&variants[v], command, threads[t], &reference);
        drop(&reference);
    }
}

/* ---- claims --------------------------------------------------------------------------------- */

static void releases_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    const char *rounds = getenv("KANON_TEST_ROUNDS"); /* fewer where they are slow */
    const bool is_slow = rounds && strtol(rounds, NULL, 10) < 100;
    const char *const tables[][2] = {
        {"500", "1"}, {"3000", "2"}, {is_slow ? "12000" : "60000", "3"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        generate(tables[i][0], tables[i][1]);
        compare_all("anonymize");
    }
}

/* Half the settings do not concern a search; those that do must give the same answer. */
static void searches_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    static const variant wanted[] = {
        {"seven columns", {{"qi", FIVE ",work-class,race"}, {"k", "5"}, {"suppress", "1%"}}},
        {"weights", {{"qi", FIVE}, {"k", "5"}, {"cost", "precision"}, {"weight", "age=3"}}}};
    static const char *const threads[] = {"1", "2", "3", "8"};
    generate("4000", "4");
    for (size_t v = 0; v < sizeof wanted / sizeof *wanted; v++) {
        outcome reference;
        run_variant(&wanted[v], "search", "1", &reference);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            compare(&wanted[v], "search", threads[t], &reference);
        drop(&reference);
    }
}

static void expect_other_bytes(const variant *one, const variant *other) {
    outcome a, b;
    run_variant(one, "anonymize", "2", &a);
    run_variant(other, "anonymize", "2", &b);
    assert_int_equal(a.release_bytes, b.release_bytes);
    assert_int_not_equal(memcmp(a.release, b.release, a.release_bytes), 0);
    drop(&a);
    drop(&b);
}

/* The comparison can fail: another key is another order, and without one so is every run. */
static void other_keys_give_other_bytes_and_so_does_no_key(void **state) {
    (void)state;
    static const variant key = {"a key", {{"qi", FIVE}, {"k", "3"}, {"shuffle-key", "key"}}};
    static const variant other = {"another", {{"qi", FIVE}, {"k", "3"}, {"shuffle-key", "other"}}};
    static const variant none = {"none", {{"qi", FIVE}, {"k", "3"}, {"shuffle", NULL}}};
    generate("3000", "2");
    expect_other_bytes(&key, &other);
    expect_other_bytes(&none, &none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(searches_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(other_keys_give_other_bytes_and_so_does_no_key),
    };
    return cmocka_run_group_tests_name("property: determinism", tests, make_home, remove_home);
}
