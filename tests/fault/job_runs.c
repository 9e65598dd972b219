/* Runs of whole jobs with failing calls: see job_runs.h. */
#include "fault/job_runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_RUNS = 20000 };

/* ---- the folder ----------------------------------------------------------------------------- */

static char home[sizeof "/tmp/kanon-fault-job-XXXXXX"];
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

int fault_make_home(void **state) {
    (void)state;
    memcpy(home, "/tmp/kanon-fault-job-XXXXXX", sizeof home); /* another test may have been here */
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

int fault_remove_home(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

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
    return strcmp(((const fault_left *)a)->name, ((const fault_left *)b)->name);
}

static void take_folder(fault_folder *out) {
    DIR *directory = opendir("out");
    assert_non_null(directory);
    out->n = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char path[FAULT_MOST_NAME + 8];
        assert_true(out->n < FAULT_MOST_FILES && strlen(entry->d_name) < FAULT_MOST_NAME);
        fault_left *file = &out->files[out->n++];
        strcpy(file->name, entry->d_name);
        snprintf(path, sizeof path, "out/%s", file->name);
        file->bytes = take_bytes(path, &file->size);
    }
    closedir(directory);
    qsort(out->files, out->n, sizeof *out->files, by_name);
}

static void drop_folder(fault_folder *old) {
    for (size_t i = 0; i < old->n; i++)
        free(old->files[i].bytes);
    old->n = 0;
}

static bool folders_equal(const fault_folder *a, const fault_folder *b) {
    bool are_equal = a->n == b->n;
    for (size_t i = 0; are_equal && i < a->n; i++)
        are_equal = strcmp(a->files[i].name, b->files[i].name) == 0 &&
                    a->files[i].size == b->files[i].size &&
                    memcmp(a->files[i].bytes, b->files[i].bytes, a->files[i].size) == 0;
    return are_equal;
}

static void clear_folder(const fault_scenario *job) {
    fault_folder now;
    take_folder(&now);
    for (size_t i = 0; i < now.n; i++) {
        char path[FAULT_MOST_NAME + 8];
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

void fault_drop_trace(fault_trace *old) {
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

static kan_status start_job(const fault_scenario *job, kan_run *run, kan_job **out,
                            kan_table **table, kan_result **result) {
    KAN_TRY(kan_job_create(run, out));
    for (size_t i = 0; i < FAULT_MOST_SETTINGS && job->settings[i][0]; i++)
        KAN_TRY(kan_job_set(*out, job->settings[i][0], job->settings[i][1]));
    if (job->job_file)
        KAN_TRY(kan_job_load(*out, job->job_file));
    if (job->in_memory) {
        KAN_TRY(fill_table(run, table));
        KAN_TRY(kan_job_use_table(*out, *table));
    }
    return kan_job_run(*out, job->command, result);
}

bool fault_run_once(const fault_scenario *job, fault_arm arm, uint64_t n, int argument,
                    fault_trace *out) {
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

/* What a job may leave when it failed: what was there before. Only when the bytes are safe under
 * their name and nothing but the folder's sync failed, the release stands there, and the text says
 * so. */
void fault_check_failed(const fault_scenario *job, uint64_t n, const fault_trace *now,
                        const fault_reference *reference) {
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

void fault_check_succeeded(const fault_scenario *job, uint64_t n, const fault_trace *now,
                           const fault_reference *reference) {
    if (now->status != KAN_OK)
        fail_msg("%s: fault %llu: status %d, %s", job->title, (unsigned long long)n,
                 (int)now->status, now->error);
    assert_string_equal(now->json, reference->success.json);
    assert_true(folders_equal(&now->out, &reference->success.out));
}

void fault_take_reference(const fault_scenario *job, fault_reference *out) {
    clear_folder(job);
    take_folder(&out->before);
    fault_run_once(job, NULL, 0, 0, &out->success);
    if (out->success.status != KAN_OK)
        fail_msg("%s: %s", job->title, out->success.error);
}

void fault_drop_reference(fault_reference *reference) {
    fault_drop_trace(&reference->success);
    drop_folder(&reference->before);
}

/* Under a sanitizer a run takes ten times as long: after the first calls, every third must do. */
static uint64_t stride(void) {
    const char *rounds = getenv("KANON_TEST_ROUNDS");
    return rounds && strtol(rounds, NULL, 10) < 1000 ? 3 : 1;
}

uint64_t fault_fail_each(const fault_scenario *job, fault_arm arm, int argument, bool may_recover) {
    fault_reference reference;
    bool has_happened = true;
    uint64_t n = 0;
    fault_take_reference(job, &reference);
    while (has_happened) {
        fault_trace now;
        n += n < 32 ? 1 : stride();
        assert_true(n < MOST_RUNS);
        has_happened = fault_run_once(job, arm, n, argument, &now);
        if (has_happened && !(may_recover && now.status == KAN_OK))
            fault_check_failed(job, n, &now, &reference);
        else
            fault_check_succeeded(job, n, &now, &reference);
        fault_drop_trace(&now);
    }
    fault_drop_reference(&reference);
    return n - 1;
}
