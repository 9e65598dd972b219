/* Whole jobs with failing calls: memory, files, disks, threads.
 *
 * Whatever fails, a job ends in one of two ways. Either it fails: a status and a text, nothing new
 * under the final name, what stood there before untouched, no file left beside it, no memory and no
 * descriptor kept. Or it found another way: then release and result are the same, byte for byte,
 * as without the fault. Every call of a kind is made to fail in turn, until a run meets none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

enum { MOST_SETTINGS = 14, MOST_FILES = 24, MOST_NAME = 64, MOST_RUNS = 20000 };

typedef struct {
    const char *title, *command;
    const char *settings[MOST_SETTINGS][2];
    bool in_memory;       /* rows through kan_job_use_table, the release as a table */
    bool stands_there;    /* an older out/a is there before */
    const char *job_file; /* loaded after the settings */
} scenario;

#define PEOPLE                                                                                     \
    {"input", "people.csv"}, {"qi", "age,zip=zips.csv,sex=suppress"}, {                            \
        "k", "2"                                                                                   \
    }
#define ON_ONE                                                                                     \
    { "threads", "1" }
#define RELEASED                                                                                   \
    { "output", "out/a" }

static const scenario anonymizes = {
    "anonymize",
    "anonymize",
    {PEOPLE, {"hierarchies", "h"}, {"id", "name"}, {"suppress", "2"}, RELEASED, ON_ONE},
    false,
    false,
    NULL};
static const scenario overwrites = {
    "anonymize over an older file",
    "anonymize",
    {PEOPLE, {"hierarchies", "h"}, {"suppress", "2"}, {"force", "true"}, RELEASED, ON_ONE},
    false,
    true,
    NULL};
static const scenario shuffles = {"anonymize, shuffled and packed",
                                  "anonymize",
                                  {PEOPLE,
                                   {"hierarchies", "h"},
                                   {"suppress", "10%"},
                                   {"shuffle-key", "key"},
                                   {"keep-suppressed", NULL},
                                   {"class", "note"},
                                   {"cost", "classification"},
                                   {"output", "out/a.gz"},
                                   ON_ONE},
                                  false,
                                  false,
                                  NULL};
static const scenario guards = {"anonymize with formulas guarded",
                                "anonymize",
                                {{"input", "formulas.csv"},
                                 {"qi", "sex=suppress"},
                                 {"sensitive", "note"},
                                 {"k", "2"},
                                 {"l", "2"},
                                 {"guard-formulas", NULL},
                                 RELEASED,
                                 ON_ONE},
                                false,
                                false,
                                NULL};
static const scenario packs = {
    "anonymize from gzip to zstd",
    "anonymize",
    {{"input", "people.csv.gz"}, {"qi", "sex"}, {"k", "2"}, {"output", "out/a.zst"}, ON_ONE},
    false,
    false,
    NULL};
static const scenario on_two_threads = {
    "anonymize on two threads",
    "anonymize",
    {PEOPLE, {"hierarchies", "h"}, {"suppress", "2"}, RELEASED, {"threads", "2"}},
    false,
    false,
    NULL};
static const scenario in_memory = {"anonymize in memory",
                                   "anonymize",
                                   {{"qi", "age=intervals:10,zip=digits:5,sex"},
                                    {"id", "name"},
                                    {"k", "2"},
                                    {"suppress", "2"},
                                    ON_ONE},
                                   true,
                                   false,
                                   NULL};
static const scenario searches = {
    "search", "search", {PEOPLE, {"hierarchies", "h"}, {"suppress", "2"}, ON_ONE},
    false,    false,    NULL};
static const scenario lists_nodes = {
    "every node of a search",
    "search",
    {PEOPLE, {"hierarchies", "h"}, {"suppress", "2"}, {"nodes", "out/a"}, ON_ONE},
    false,
    false,
    NULL};
static const scenario lists_nodes_of_people = {"every node where people are counted",
                                               "search",
                                               {{"input", "people.csv"},
                                                {"qi", "age=intervals:10,zip=digits:5"},
                                                {"person", "name"},
                                                {"k", "2"},
                                                {"suppress", "2"},
                                                {"nodes", "out/a"},
                                                ON_ONE},
                                               false,
                                               false,
                                               NULL};
static const scenario searches_models = {"search under models of sensitive values",
                                         "search",
                                         {{"input", "people.csv"},
                                          {"qi", "age=intervals:10,zip=zips.csv"},
                                          {"sensitive", "sex"},
                                          {"alpha", "0.6"},
                                          {"alpha-value", "m"},
                                          {"l", "2"},
                                          {"t", "0.5"},
                                          {"t-hierarchy", "sex=sexes.csv"},
                                          {"suppress", "4"},
                                          ON_ONE},
                                         false,
                                         false,
                                         NULL};
static const scenario verifies = {"verify",
                                  "verify",
                                  {{"input", "release.csv"},
                                   {"original", "people.csv"},
                                   {"hierarchies", "h"},
                                   {"qi", "age,zip=zips.csv,sex=suppress"},
                                   {"k", "2"},
                                   ON_ONE},
                                  false,
                                  false,
                                  NULL};
static const scenario verifies_models = {"verify under models of sensitive values",
                                         "verify",
                                         {{"input", "release.csv"},
                                          {"original", "people.csv"},
                                          {"hierarchies", "h"},
                                          {"qi", "age,zip=zips.csv"},
                                          {"sensitive", "note"},
                                          {"alpha", "1"},
                                          {"alpha-value", "flu"},
                                          {"l", "1"},
                                          {"t", "1"},
                                          {"t-distance", "equal"},
                                          {"k", "2"},
                                          ON_ONE},
                                         false,
                                         false,
                                         NULL};
static const scenario cuts = {"anonymize by cuts",
                              "anonymize",
                              {PEOPLE,
                               {"hierarchies", "h"},
                               {"bins", "age=5"},
                               {"order", "sex=sex.txt"},
                               {"algorithm", "greedy"},
                               {"suppress", "2"},
                               {"class", "note"},
                               RELEASED,
                               ON_ONE},
                              false,
                              false,
                              NULL};
static const scenario cuts_in_memory = {
    "cuts in memory",
    "anonymize",
    {{"qi", "age,zip,sex"}, {"id", "name"}, {"k", "2"}, {"algorithm", "greedy"}, ON_ONE},
    true,
    false,
    NULL};
static const scenario seeded = {"cuts from an earlier result",
                                "search",
                                {PEOPLE,
                                 {"algorithm", "hill-climb"},
                                 {"restarts", "2"},
                                 {"seed-solution", "seed.json"},
                                 {"suppress", "2"},
                                 ON_ONE},
                                false,
                                false,
                                NULL};
/* The first run leaves the proof that the others read. */
static const scenario proves = {
    "a proof of an earlier run",
    "search",
    {PEOPLE, {"algorithm", "k-optimize"}, {"proof", "proof.json"}, {"suppress", "2"}, ON_ONE},
    false,
    false,
    NULL};
static const scenario verifies_cuts = {
    "verify of intervals",
    "verify",
    {{"input", "intervals.csv"}, {"original", "people.csv"}, {"qi", "age,zip"}, {"k", "2"}, ON_ONE},
    false,
    false,
    NULL};
static const scenario verifies_means = {"verify of means",
                                        "verify",
                                        {{"input", "means.csv"},
                                         {"original", "pair.csv"},
                                         {"qi", "age,zip"},
                                         {"k", "2"},
                                         {"summary", "both"},
                                         ON_ONE},
                                        false,
                                        false,
                                        NULL};
static const scenario regions = {"anonymize by regions",
                                 "anonymize",
                                 {PEOPLE,
                                  {"hierarchies", "h"},
                                  {"algorithm", "mondrian-relaxed"},
                                  {"class", "note"},
                                  {"shuffle-key", "key"},
                                  RELEASED,
                                  ON_ONE},
                                 false,
                                 false,
                                 NULL};
static const scenario regions_in_memory = {
    "regions in memory",
    "anonymize",
    {{"qi", "age,zip,sex"}, {"id", "name"}, {"k", "2"}, {"algorithm", "mondrian"}, ON_ONE},
    true,
    false,
    NULL};
static const scenario searches_regions = {"search for regions",
                                          "search",
                                          {PEOPLE, {"algorithm", "mondrian"}, ON_ONE},
                                          false,
                                          false,
                                          NULL};
static const scenario local = {"anonymize by a local recoding",
                               "anonymize",
                               {PEOPLE,
                                {"hierarchies", "h"},
                                {"algorithm", "progressive"},
                                {"class", "note"},
                                {"suppress", "2"},
                                {"keep-suppressed", NULL},
                                {"shuffle-key", "key"},
                                {"cells", NULL},
                                RELEASED,
                                ON_ONE},
                               false,
                               false,
                               NULL};
static const scenario local_in_memory = {"a local recoding in memory",
                                         "anonymize",
                                         {{"qi", "age=intervals:10,zip=digits:5,sex"},
                                          {"id", "name"},
                                          {"k", "2"},
                                          {"suppress", "2"},
                                          {"algorithm", "top-down"},
                                          ON_ONE},
                                         true,
                                         false,
                                         NULL};
static const scenario searches_local = {"search for a local recoding",
                                        "search",
                                        {{"input", "people.csv"},
                                         {"qi", "age=intervals:10,zip=zips.csv"},
                                         {"sensitive", "sex"},
                                         {"k", "2"},
                                         {"l", "2"},
                                         {"suppress", "2"},
                                         {"algorithm", "progressive"},
                                         {"cells", NULL},
                                         ON_ONE},
                                        false,
                                        false,
                                        NULL};
static const scenario loads = {"a job file", "anonymize", {ON_ONE}, false, false, "job.yaml"};
static const scenario generates = {
    "generate",
    "generate",
    {{"generator", "census"}, {"rows", "50"}, {"output", "out/a"}, {"hierarchies", "out"}, ON_ONE},
    false,
    false,
    NULL};

static const scenario *const all[] = {&anonymizes,
                                      &overwrites,
                                      &shuffles,
                                      &guards,
                                      &packs,
                                      &in_memory,
                                      &searches,
                                      &lists_nodes,
                                      &lists_nodes_of_people,
                                      &verifies,
                                      &cuts,
                                      &cuts_in_memory,
                                      &verifies_cuts,
                                      &loads,
                                      &generates,
                                      &seeded,
                                      &proves,
                                      &regions,
                                      &regions_in_memory,
                                      &searches_regions,
                                      &local,
                                      &local_in_memory,
                                      &searches_local,
                                      &verifies_means,
                                      &searches_models,
                                      &verifies_models};
enum { N_SCENARIOS = sizeof all / sizeof *all };

/* ---- the folder ----------------------------------------------------------------------------- */

static char home[] = "/tmp/kanon-fault-job-XXXXXX";
static const char older[] = "precious\n";

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* 24 people, two of them like nobody else. */
static void put_people(void) {
    FILE *file = fopen("people.csv", "w");
    assert_non_null(file);
    fputs("name,age,zip,sex,note\n", file);
    for (int i = 0; i < 24; i++)
        fprintf(file, "P%d,%d,%s,%c,%s\n", i, i < 22 ? 30 + i % 8 : 70 + i,
                i % 3 ? "53715" : "53703", i % 2 ? 'm' : 'f',
                i % 5 ? "flu" : "\"a, \"\"b\"\"\nc\"");
    assert_int_equal(fclose(file), 0);
    file = fopen("h/age.csv", "w");
    assert_non_null(file);
    for (int age = 30; age < 95; age++)
        fprintf(file, "%d;%d-%d;*\n", age, age / 10 * 10, age / 10 * 10 + 9);
    assert_int_equal(fclose(file), 0);
}

static int make_home(void **state) {
    (void)state;
    if (!mkdtemp(home) || chdir(home) != 0 || mkdir("h", 0777) != 0 || mkdir("out", 0777) != 0)
        return -1;
    put_people();
    put_file("sex.txt", "m\nf\n");
    put_file("key", "more than sixteen bytes");
    if (chmod("key", 0600) != 0)
        return -1;
    put_file("formulas.csv", "=id,sex,note\n=1,m,=x\n-2,m,'=x\n\"@3\",f,=x\n+4,f,y\n");
    put_file("sexes.csv", "m;*\nf;*\n");
    put_file("seed.json", "{\"solution\": {\"cuts\": {\"age\": [32, 36], \"zip\": [\"53715\"]}}}");
    put_file("intervals.csv", "age,zip\n[30-31],\"{53703, \"\"53715\"\"}\"\n"
                              "[30-31],\"{53703, \"\"53715\"\"}\"\n");
    put_file("pair.csv", "age,zip\n30,53703\n31,53703\n");
    put_file("means.csv", "age,age-mean,zip\n[30-31],30.5,53703\n[30-31],30.5,53703\n");
    put_file("zips.csv", "53715;5371*;*\n53703;5370*;*\n");
    put_file("job.yaml", "command: anonymize\ninput: people.csv\noutput: out/a\nk: 2\n"
                         "id: [name, note]\nsuppress: 2\nqi:\n  age: intervals:10\n  zip: "
                         "zips.csv\n  sex: suppress\n");
    return system("gzip -k people.csv && cp people.csv release.csv");
}

static int remove_home(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

typedef struct {
    char name[MOST_NAME];
    char *bytes;
    size_t size;
} one_file;

/* Everything in out/, hidden files included. */
typedef struct {
    one_file files[MOST_FILES];
    size_t n;
} folder;

static char *take_bytes(const char *path, size_t *size) {
    struct stat info;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *bytes = malloc((size_t)info.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)info.st_size, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const one_file *)a)->name, ((const one_file *)b)->name);
}

static void take_folder(folder *out) {
    DIR *directory = opendir("out");
    assert_non_null(directory);
    out->n = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char path[MOST_NAME + 8];
        assert_true(out->n < MOST_FILES && strlen(entry->d_name) < MOST_NAME);
        one_file *file = &out->files[out->n++];
        strcpy(file->name, entry->d_name);
        snprintf(path, sizeof path, "out/%s", file->name);
        file->bytes = take_bytes(path, &file->size);
    }
    closedir(directory);
    qsort(out->files, out->n, sizeof *out->files, by_name);
}

static void drop_folder(folder *old) {
    for (size_t i = 0; i < old->n; i++)
        free(old->files[i].bytes);
    old->n = 0;
}

static bool folders_equal(const folder *a, const folder *b) {
    bool are_equal = a->n == b->n;
    for (size_t i = 0; are_equal && i < a->n; i++)
        are_equal = strcmp(a->files[i].name, b->files[i].name) == 0 &&
                    a->files[i].size == b->files[i].size &&
                    memcmp(a->files[i].bytes, b->files[i].bytes, a->files[i].size) == 0;
    return are_equal;
}

static void clear_folder(const scenario *job) {
    folder now;
    take_folder(&now);
    for (size_t i = 0; i < now.n; i++) {
        char path[MOST_NAME + 8];
        snprintf(path, sizeof path, "out/%s", now.files[i].name);
        assert_int_equal(unlink(path), 0);
    }
    drop_folder(&now);
    if (job->stands_there)
        put_file("out/a", older);
}

static size_t open_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    size_t n = 0;
    while (directory && readdir(directory))
        n++;
    if (directory)
        closedir(directory);
    return n;
}

/* ---- one run -------------------------------------------------------------------------------- */

/* What a run left: all that may not differ between two runs that succeed. */
typedef struct {
    kan_status status;
    char error[2048];
    char *json; /* without times and memory */
    folder out;
} trace;

static void drop_trace(trace *old) {
    free(old->json);
    old->json = NULL;
    drop_folder(&old->out);
}

/* The result as far as it must be the same every time. Released rows in memory are added. */
static char *timeless(const kan_result *result) {
    json_error_t where;
    json_t *object = json_loads(kan_result_json(result), 0, &where);
    assert_non_null(object);
    json_object_del(object, "time_ms");
    json_object_del(object, "peak_memory_bytes");
    if (json_object_get(object, "search")) {
        json_object_del(json_object_get(object, "search"), "moments"); /* they have times */
        json_object_del(json_object_get(object, "search"), "proof");
    }
    const kan_table *table = kan_result_table(result);
    json_t *rows = json_array();
    for (uint64_t row = 0; table && row < kan_table_n_rows(table); row++)
        for (size_t column = 0; column < kan_table_n_columns(table); column++) {
            size_t size;
            const char *value = kan_table_value(table, row, column, &size);
            json_array_append_new(rows, json_stringn(value, size));
        }
    json_object_set_new(object, "rows in memory", rows);
    char *text = json_dumps(object, JSON_SORT_KEYS);
    json_decref(object);
    return text;
}

static kan_status fill_table(kan_run *run, kan_table **out) {
    static const char *const names[] = {"name", "age", "zip", "sex"};
    KAN_TRY(kan_table_create(run, 4, names, out));
    for (int i = 0; i < 40; i++) {
        char name[16], age[16];
        snprintf(name, sizeof name, "P%d", i);
        snprintf(age, sizeof age, "%d", i < 38 ? 30 + i % 8 : 70 + i);
        const char *const row[] = {name, age, i % 3 ? "53715" : "53703", i % 2 ? "m" : NULL};
        KAN_TRY(kan_table_add_row(*out, row));
    }
    return KAN_OK;
}

static kan_status start_job(const scenario *job, kan_run *run, kan_job **out, kan_table **table,
                            kan_result **result) {
    KAN_TRY(kan_job_create(run, out));
    for (size_t i = 0; i < MOST_SETTINGS && job->settings[i][0]; i++)
        KAN_TRY(kan_job_set(*out, job->settings[i][0], job->settings[i][1]));
    if (job->job_file)
        KAN_TRY(kan_job_load(*out, job->job_file));
    if (job->in_memory) {
        KAN_TRY(fill_table(run, table));
        KAN_TRY(kan_job_use_table(*out, *table));
    }
    return kan_job_run(*out, job->command, result);
}

typedef void (*arm_fn)(uint64_t n, int argument);

/* Runs the scenario with the n-th fault of a kind; true when it came to pass. */
static bool run_once(const scenario *job, arm_fn arm, uint64_t n, int argument, trace *out) {
    clear_folder(job);
    size_t n_open = open_descriptors();
    kan_run *run = kan_run_create();
    kan_job *work = NULL;
    kan_table *table = NULL;
    kan_result *result = NULL;
    assert_non_null(run);
    fault_reset();
    if (arm)
        arm(n, argument);
    out->status = start_job(job, run, &work, &table, &result);
    bool has_happened = fault_happened();
    fault_reset();
    snprintf(out->error, sizeof out->error, "%s", kan_run_error(run));
    out->json = out->status == KAN_OK ? timeless(result) : NULL;
    assert_true((out->status == KAN_OK) == (result != NULL));
    kan_result_destroy(result);
    kan_job_destroy(work);
    kan_table_destroy(table);
    kan_run_set_threads(run, 1); /* the pool ends */
    kan_run_set_memory(run, 1u << 30);
    uint64_t left = kan_run_memory_left(run);
    kan_run_destroy(run);
    if (left != 1u << 30)
        fail_msg("%s: fault %llu: %llu bytes were kept", job->title, (unsigned long long)n,
                 (unsigned long long)((1u << 30) - left));
    assert_int_equal(open_descriptors(), n_open);
    take_folder(&out->out);
    return has_happened;
}

typedef struct {
    trace success;
    folder before;
} trace_reference;

/* What a job may leave when it failed: what was there before. Only when the bytes are safe under
 * their name and nothing but the folder's sync failed, the release stands there, and the text says
 * so. */
static void check_failed(const scenario *job, uint64_t n, const trace *now,
                         const trace_reference *reference) {
    /* jansson tells some of its failed allocations as errors of syntax: refused all the same. */
    const bool is_refused =
        now->status == KAN_BAD_INPUT && (strstr(now->error, "seed.json:1: not a result") ||
                                         strstr(now->error, "proof.json: not a proof: "));
    if ((now->status != KAN_FAILED && !is_refused) || now->error[0] == '\0')
        fail_msg("%s: fault %llu: status %d, text '%s'", job->title, (unsigned long long)n,
                 (int)now->status, now->error);
    bool is_told = strstr(now->error, "the file was written") != NULL;
    if (!folders_equal(&now->out, is_told ? &reference->success.out : &reference->before))
        fail_msg("%s: fault %llu left something behind: %zu files, '%s' (%s)", job->title,
                 (unsigned long long)n, now->out.n, now->out.n ? now->out.files[0].name : "",
                 now->error);
}

static void check_succeeded(const scenario *job, uint64_t n, const trace *now,
                            const trace_reference *reference) {
    if (now->status != KAN_OK)
        fail_msg("%s: fault %llu: status %d, %s", job->title, (unsigned long long)n,
                 (int)now->status, now->error);
    assert_string_equal(now->json, reference->success.json);
    assert_true(folders_equal(&now->out, &reference->success.out));
}

static void take_reference(const scenario *job, trace_reference *out) {
    clear_folder(job);
    take_folder(&out->before);
    run_once(job, NULL, 0, 0, &out->success);
    if (out->success.status != KAN_OK)
        fail_msg("%s: %s", job->title, out->success.error);
}

static void drop_reference(trace_reference *reference) {
    drop_trace(&reference->success);
    drop_folder(&reference->before);
}

/* Under a sanitizer a run takes ten times as long: after the first calls, every third must do. */
static uint64_t stride(void) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    return rounds && strtol(rounds, NULL, 10) < 1000 ? 3 : 1;
}

/* Lets the first, second, third ... call fail until none is left; returns how many there were, or
 * nearly so. */
static uint64_t fail_each(const scenario *job, arm_fn arm, int argument, bool may_recover) {
    trace_reference reference;
    bool has_happened = true;
    uint64_t n = 0;
    take_reference(job, &reference);
    while (has_happened) {
        trace now;
        n += n < 32 ? 1 : stride();
        assert_true(n < MOST_RUNS);
        has_happened = run_once(job, arm, n, argument, &now);
        if (has_happened && !(may_recover && now.status == KAN_OK))
            check_failed(job, n, &now, &reference);
        else
            check_succeeded(job, n, &now, &reference);
        drop_trace(&now);
    }
    drop_reference(&reference);
    return n - 1;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void one_allocation(uint64_t n, int argument) {
    (void)argument;
    fault_fail_allocation_at(n);
}

static void all_allocations(uint64_t n, int argument) {
    (void)argument;
    fault_fail_allocations_from(n);
}

static void every_failing_allocation_ends_a_job_cleanly(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SCENARIOS; i++) {
        uint64_t n = fail_each(all[i], one_allocation, 0, true);
        print_message("%-32s %llu allocations\n", all[i]->title, (unsigned long long)n);
        assert_true(n > 20);
    }
}

static void memory_that_stays_out_ends_a_job_cleanly(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SCENARIOS; i++)
        /* Only syncing the folder afterwards can be left out, which generate does. */
        assert_true(fail_each(all[i], all_allocations, 0, all[i] == &generates) > 20);
}

static void failing_allocations_of_two_threads_end_a_job_cleanly(void **state) {
    (void)state;
    fail_each(&on_two_threads, one_allocation, 0, true);
    fail_each(&on_two_threads, all_allocations, 0, true);
}

/* ---- files ---------------------------------------------------------------------------------- */

static fault_call armed_call;

static void one_call(uint64_t n, int error) {
    fault_fail_call_at(armed_call, n, error);
}

static void all_calls(uint64_t n, int error) {
    fault_fail_calls_from(armed_call, n, error);
}

static void every_failing_call_of_the_system_ends_a_job_cleanly(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_OPEN, EIO},      {FAULT_OPEN, EMFILE},  {FAULT_READ, EIO},
                  {FAULT_WRITE, EIO},     {FAULT_WRITE, EDQUOT}, {FAULT_SYNC, EIO},
                  {FAULT_SYNC, ENOSPC},   {FAULT_RENAME, EIO},   {FAULT_RENAME, ENOSPC},
                  {FAULT_RENAME, EPERM},  {FAULT_RESIZE, EIO},   {FAULT_MAP, ENOMEM},
                  {FAULT_THREAD, EAGAIN}, {FAULT_CLOSE, EIO}};
    for (size_t i = 0; i < N_SCENARIOS; i++)
        for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
            armed_call = faults[f].call;
            fail_each(all[i], one_call, faults[f].error, true);
            fail_each(all[i], all_calls, faults[f].error, true);
        }
}

static void every_write_sync_name_and_read_is_needed(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_WRITE, FAULT_SYNC, FAULT_RENAME, FAULT_READ};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        armed_call = calls[c];
        assert_true(fail_each(&anonymizes, one_call, EIO, false) > 0);
    }
}

static void an_interrupted_call_is_made_again(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_WRITE, FAULT_SYNC, FAULT_READ};
    for (size_t i = 0; i < N_SCENARIOS; i++)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            trace_reference reference;
            bool has_happened = true;
            take_reference(all[i], &reference);
            armed_call = calls[c];
            for (uint64_t n = 1; has_happened; n++) {
                trace now;
                has_happened = run_once(all[i], one_call, n, EINTR, &now);
                check_succeeded(all[i], n, &now, &reference);
                drop_trace(&now);
            }
            drop_reference(&reference);
        }
}

/* ---- full disks ----------------------------------------------------------------------------- */

static void full_after(uint64_t bytes, int error) {
    fault_fail_write_after(bytes, error);
}

static void short_writes(uint64_t bytes, int argument) {
    (void)argument;
    fault_shorten_writes(bytes);
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    static const scenario *const writers[] = {&anonymizes, &overwrites, &shuffles,
                                              &packs,      &loads,      &generates};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        trace_reference reference;
        take_reference(writers[i], &reference);
        uint64_t total = 0;
        for (size_t f = 0; f < reference.success.out.n; f++)
            total += reference.success.out.files[f].size;
        assert_true(total > 0);
        uint64_t step = total / 60 + 1;
        for (uint64_t bytes = 0; bytes < total;) {
            trace now;
            assert_true(run_once(writers[i], full_after, bytes, ENOSPC, &now));
            check_failed(writers[i], bytes, &now, &reference);
            assert_non_null(strstr(now.error, "No space left"));
            drop_trace(&now);
            /* Each of the first and the last bytes, and a grid between them. */
            bytes += bytes < 8 || bytes + step + 8 > total ? 1 : step;
        }
        trace now;
        assert_false(run_once(writers[i], full_after, total, ENOSPC, &now));
        check_succeeded(writers[i], total, &now, &reference);
        drop_trace(&now);
        drop_reference(&reference);
    }
}

static void without_random(uint64_t n, int error) {
    fault_fail_calls_from(FAULT_RANDOM, n, error);
}

/* No order rather than one that could be guessed. */
static void rows_are_not_shuffled_without_randomness(void **state) {
    (void)state;
    static const scenario by_chance = {
        "anonymize, shuffled by chance",
        "anonymize",
        {PEOPLE, {"hierarchies", "h"}, {"suppress", "10%"}, {"shuffle", NULL}, RELEASED, ON_ONE},
        false,
        false,
        NULL};
    trace_reference reference;
    trace now;
    take_reference(&by_chance, &reference);
    assert_true(run_once(&by_chance, without_random, 1, ENOSYS, &now));
    check_failed(&by_chance, 1, &now, &reference);
    assert_non_null(strstr(now.error, "no random numbers"));
    drop_trace(&now);
    drop_reference(&reference);
}

static void short_writes_lose_no_byte(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SCENARIOS; i++)
        for (uint64_t most = 1; most < 40; most += 6) {
            trace_reference reference;
            trace now;
            take_reference(all[i], &reference);
            run_once(all[i], short_writes, most, 0, &now);
            check_succeeded(all[i], most, &now, &reference);
            drop_trace(&now);
            drop_reference(&reference);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_ends_a_job_cleanly),
        cmocka_unit_test(memory_that_stays_out_ends_a_job_cleanly),
        cmocka_unit_test(failing_allocations_of_two_threads_end_a_job_cleanly),
        cmocka_unit_test(every_failing_call_of_the_system_ends_a_job_cleanly),
        cmocka_unit_test(every_write_sync_name_and_read_is_needed),
        cmocka_unit_test(an_interrupted_call_is_made_again),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(short_writes_lose_no_byte),
        cmocka_unit_test(rows_are_not_shuffled_without_randomness),
    };
    return cmocka_run_group_tests_name("fault: jobs", tests, make_home, remove_home);
}
